"""Reads spreadsheets (.xlsx, .ods, …) in a sandboxed process within limits.

A small file can request more memory than the machine has, which makes the spreadsheet library abort
its process. So the library runs in this process, which writes the cells as JSON to standard output.
It runs no macros, evaluates no formulas and reads nothing outside the file.
"""

import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime
from html import escape
from io import BytesIO
from typing import Any

import orjson

MAX_ROWS = 10_000  # per sheet: about 300 matches of 30 deals
MAX_COLUMNS = 200
MAX_SHEETS = 50
MAX_UNPACKED_BYTES = 256 << 20  # bytes of an unpacked file: 100,000 rows take a tenth
MAX_MEMORY_BYTES = 2 << 30
MAX_CPU_SECONDS = 20
_FORMULA = re.compile(rb'<c r="([A-Z]{1,3}[0-9]{1,7})"[^>]*>\s*<f[ >/](?:(?!</c>).)*?</c>', re.DOTALL)
_VALUE = re.compile(rb"<v>[^<]|<is>")
_RELATION = re.compile(rb"<Relationship [^>]*>")
_SHEET = re.compile(rb"<sheet [^>]*>")
_ROW_OR_COLUMN = re.compile(rb"<(?:row|col) [^>]*>")
_ODS_ROW_OR_COLUMN = re.compile(rb"<table:table-(?:row|column)(?: [^>]*)?/?>")
_EPOCH_1904 = re.compile(rb"<workbookPr [^>]*date1904=\"(?:1|true)\"")


class SpreadsheetError(Exception):
    """Raised for an unreadable file, with a key of `UNREADABLE_TEXTS`."""


def read_workbook(data: bytes) -> dict[str, Any]:
    """Read a workbook's visible sheets. SpreadsheetError: it is unreadable or too large."""
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    archive = None
    if data.startswith(b"PK"):
        try:
            archive = zipfile.ZipFile(BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise SpreadsheetError("damaged") from error
        if sum(member.file_size for member in archive.infolist()) > MAX_UNPACKED_BYTES:
            raise SpreadsheetError("bomb")
        with suppress(KeyError, RuntimeError, zipfile.BadZipFile):
            if b"encryption-data" in archive.read("META-INF/manifest.xml"):
                raise SpreadsheetError("password")
    try:
        book = CalamineWorkbook.from_filelike(BytesIO(data))
    except Exception as error:  # the library raises many types
        raise SpreadsheetError("password" if "assword" in type(error).__name__ else "damaged") from error
    found: list[dict[str, Any]] = []
    for place, about in enumerate(book.sheets_metadata):
        hidden = about.visible is not SheetVisibleEnum.Visible
        if about.typ is not SheetTypeEnum.WorkSheet or hidden:
            continue
        if len(found) == MAX_SHEETS:
            raise SpreadsheetError("sheets")
        sheet = book.get_sheet_by_index(place)
        if sheet.total_height > MAX_ROWS or sheet.total_width > MAX_COLUMNS:
            raise SpreadsheetError("rows" if sheet.total_height > MAX_ROWS else "columns")
        rows = [[_cell_value(value) for value in row] for row in sheet.to_python(skip_empty_area=False)]
        merged = [[*first, *last] for first, last in sheet.merged_cell_ranges or ()]
        one = {"name": about.name, "rows": rows, "merged": merged, "uncomputed": [], "hidden": [[], []]}
        if archive is not None:
            with suppress(KeyError, StopIteration, RuntimeError, zipfile.BadZipFile):
                xml = _sheet_xml(archive, about.name)
                one |= {"uncomputed": [*_formulas_without_value(xml)], "hidden": _hidden_places(xml)}
            if "content.xml" in archive.namelist():
                one["hidden"] = _hidden_in_opendocument(archive.read("content.xml"), about.name)
        found.append(one)
    names = archive.namelist() if archive else []
    first_day = None
    if "xl/workbook.xml" in names and archive is not None:
        first_day = "1904-01-01" if _EPOCH_1904.search(archive.read("xl/workbook.xml")) else "1899-12-30"
    macros = any(name.endswith("vbaProject.bin") or name.startswith("Basic/") for name in names)
    unseen = [one.name for one in book.sheets_metadata if one.visible is not SheetVisibleEnum.Visible]
    return {"sheets": found, "macros": macros, "first_day": first_day, "hidden": unseen}


def _sheet_xml(archive: zipfile.ZipFile, sheet: str) -> bytes:
    """Return the XML of an .xlsx sheet. KeyError or StopIteration: there is none."""
    own = escape(sheet, quote=False).replace('"', "&quot;").encode()
    tags = _SHEET.findall(archive.read("xl/workbook.xml"))
    number = _attribute(next(tag for tag in tags if _attribute(tag, b"name") == own), b"r:id")
    tags = _RELATION.findall(archive.read("xl/_rels/workbook.xml.rels"))
    relation = next(tag for tag in tags if _attribute(tag, b"Id") == number)
    target = _attribute(relation, b"Target").decode()
    return archive.read(target.lstrip("/") if target.startswith("/") else f"xl/{target}")


def _attribute(tag: bytes, name: bytes) -> bytes:
    found = re.search(rb"\s" + name + rb'="([^"]*)"', tag)
    return found[1] if found else b""


def _formulas_without_value(xml: bytes) -> Iterator[str]:
    """Yield the addresses of cells whose formula has no stored value."""
    for found in _FORMULA.finditer(xml):
        if not _VALUE.search(found[0]):
            yield found[1].decode()


def _hidden_places(xml: bytes) -> list[list[int]]:
    """Return the hidden rows and columns of an .xlsx sheet, from 0."""
    rows, columns = list[int](), list[int]()
    for tag in _ROW_OR_COLUMN.findall(xml):
        if _attribute(tag, b"hidden") not in (b"1", b"true"):
            continue
        if tag.startswith(b"<row"):
            rows.append(int(_attribute(tag, b"r") or 0) - 1)
        else:
            first, last = int(_attribute(tag, b"min") or 1), int(_attribute(tag, b"max") or 0)
            columns += range(first - 1, min(last, MAX_COLUMNS))
    return [rows, columns]


def _hidden_in_opendocument(xml: bytes, sheet: str) -> list[list[int]]:
    """Return the hidden or filtered rows and columns of an .ods sheet, from 0."""
    own = escape(sheet, quote=False).replace('"', "&quot;").encode()
    _, _, rest = xml.partition(b'table:name="' + own + b'"')
    places: list[list[int]] = [[], []]
    counted = [0, 0]
    for tag in _ODS_ROW_OR_COLUMN.findall(rest.partition(b"</table:table>")[0]):
        kind = int(tag.startswith(b"<table:table-column"))
        repeated = int(_attribute(tag, f"table:number-{('rows', 'columns')[kind]}-repeated".encode()) or 1)
        if _attribute(tag, b"table:visibility") in (b"collapse", b"filter"):
            most = (MAX_ROWS, MAX_COLUMNS)[kind]
            places[kind] += range(counted[kind], min(counted[kind] + repeated, most))
        counted[kind] += repeated
    return places


def _cell_value(value: Any) -> Any:
    """Convert a cell to JSON: text, a number, or `[date]`."""
    if isinstance(value, datetime | date):
        return [value.isoformat()]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def main() -> None:
    """Read a file from standard input and write its cells as JSON."""
    with suppress(ImportError, OSError, ValueError):
        # limits no genuine file reaches, on systems that support them
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        found = read_workbook(sys.stdin.buffer.read())
    except SpreadsheetError as trouble:
        found = {"trouble": str(trouble)}
    sys.stdout.buffer.write(orjson.dumps(found))


if __name__ == "__main__":
    main()
