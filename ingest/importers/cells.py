"""Cells of an Excel sheet or CSV: kinds, addresses, texts and numbers; hidden rows and columns."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ingest.i18n import N_
from ingest.importers.import_result import FileNote

ROWS_LEFT_OUT = N_("Hidden lines of “{sheet}” were skipped: {places}.")
COLUMNS_LEFT_OUT = N_("Hidden columns of “{sheet}” were skipped: {places}.")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u2060\ufeff\xad"))
_FULL_WIDTH = {ord(sign) + 0xFEE0: sign for sign in "0123456789.,-+/:"}
_UNIT = r"(?: ?p(?:oin)?ts?\.?)?"
_WHOLE_NUMBER = re.compile(
    rf"(?P<number>[-+]?(?:[0-9]+|[0-9]{{1,3}}(?: [0-9]{{3}})+|[1-9][0-9]{{0,2}}[.,][0-9]{{3}}))"
    rf"(?:[.,]0{{1,2}})?{_UNIT}",
    re.IGNORECASE,
)
"""A whole number: « 1 010 », « 1.010 », « 220,0 », `1010 pts`."""
_NUMBER_LIKE = re.compile(rf"[-+]?[0-9][0-9 ]*(?:[.,][0-9]+)?(?: ?[%€]|{_UNIT})", re.IGNORECASE)


_SEPARATED = re.compile(r"(\s+(?:et|and)\s+|\s*[&+/,;]\s*|\s+[-–—]\s+)", re.IGNORECASE)
_THOUSANDTHS = re.compile(r"-?[0-9]+\.[0-9]{3}")


class DateCell(NamedTuple):
    """A cell that the spreadsheet formats as a date; `text` is ISO 8601."""

    text: str


Cell = str | int | float | DateCell  # an empty cell is an empty text


@dataclass(slots=True)
class CellSheet:
    """A sheet with all rows from the first, so that an index gives a cell's address."""

    name: str
    rows: list[list[Cell]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First row and column, last row and column, from 0."""
    uncomputed: set[str] = field(default_factory=set)
    """Addresses of cells whose formula has no stored value."""
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    first_day: date | None = None
    """The day that the number 0 means; None if the file does not record it."""
    confirmed: frozenset[str] = frozenset()
    """Addresses of cells whose text the user has chosen."""

    def cell(self, row: int, column: int) -> Cell:
        """Return a cell's content, empty outside the sheet."""
        cells = self.rows[row] if 0 <= row < len(self.rows) else []
        return cells[column] if 0 <= column < len(cells) else ""

    @property
    def texts(self) -> list[list[str]]:
        """The cells as texts, in rows of one length."""
        columns = range(max(map(len, self.rows), default=0))
        return [[cell_text(self.cell(row, column)) for column in columns] for row in range(len(self.rows))]

    def with_texts(self, texts: Mapping[str, str]) -> "CellSheet":
        """Return the sheet with other texts in some cells, by address."""
        columns = range(max(map(len, self.rows), default=0))
        rows = [
            [texts.get(cell_address(row, column), self.cell(row, column)) for column in columns]
            for row in range(len(self.rows))
        ]
        uncomputed, confirmed = self.uncomputed - texts.keys(), self.confirmed | texts.keys()
        return replace(self, rows=rows, uncomputed=uncomputed, confirmed=confirmed) if texts else self

    def with_cell_below(self, row: int, column: int, last: int) -> "CellSheet":
        """Return the sheet with a cell's content also in the cells below it, down to a row."""
        cell, rows = self.cell(row, column), [*self.rows]
        for at in (at for at in range(row + 1, min(last + 1, len(rows))) if any(rows[at])):
            padded = [*rows[at], *[""] * (column + 1 - len(rows[at]))]
            rows[at] = [*padded[:column], cell, *padded[column + 1 :]]
        return replace(self, rows=rows)

    def with_names(self, names: Mapping[str, str]) -> "CellSheet":
        """Return the sheet with other texts where a cell, or a name of a pair in one, is one of `names`."""
        if not names:
            return self

        def named(text: str) -> str:
            parts = _SEPARATED.split(text)
            if text in names or len(parts) == 1:
                return names.get(text, text)
            return "".join(names.get(one, one) for one in parts)

        rows = [[named(one) if isinstance(one, str) else one for one in row] for row in self.rows]
        return replace(self, rows=rows)

    def cleaned(self) -> tuple["CellSheet", list[FileNote]]:
        """Return the sheet with uniform texts and without hidden cells, and a note about these."""
        rows: list[list[Cell]] = []
        rows_left_out, columns_left_out = set[int](), set[int]()
        for number, cells in enumerate(self.rows):
            rows.append([])
            for column, cell in enumerate(cells):
                hidden_row, hidden_column = number in self.hidden_rows, column in self.hidden_columns
                if cell != "" and hidden_row:
                    rows_left_out.add(number)
                if cell != "" and hidden_column:
                    columns_left_out.add(column)
                rows[-1].append("" if hidden_row or hidden_column else clean_cell(cell))
        parts = ((ROWS_LEFT_OUT, rows_left_out, _row_name), (COLUMNS_LEFT_OUT, columns_left_out, column_name))
        notes = [
            FileNote(text, {"places": _ranges(places, name), "sheet": self.name})
            for text, places, name in parts
            if places
        ]
        return replace(self, rows=rows), notes


def clean_cell(cell: Cell) -> Cell:
    """Return a text with composed letters, single plain spaces and plain digits; others unchanged."""
    if not isinstance(cell, str) or cell == "":
        return cell
    text = unicodedata.normalize("NFC", cell).translate(_INVISIBLE).translate(_FULL_WIDTH)
    return " ".join(text.split())


def cell_text(cell: Cell) -> str:
    """Return a cell's content as text."""
    if isinstance(cell, float) and _THOUSANDTHS.fullmatch(text := str(cell)):
        return f"{text}0"  # 1.125 is not « 1.125 »
    return cell.text if isinstance(cell, DateCell) else str(cell).strip()


def is_number(cell: Cell) -> bool:
    """Return whether a cell is a number, or a text that looks like one."""
    return isinstance(cell, int | float) or _is_number_text(cell_text(cell))


@lru_cache(maxsize=4096)
def _is_number_text(text: str) -> bool:
    return bool(_NUMBER_LIKE.fullmatch(text))


def whole_number(text: str) -> int | None:
    """Return the whole number of a text, such as `1 010`, `220,0` or `−5`; None if it is none."""
    text = text.replace("\N{MINUS SIGN}", "-")
    found = _WHOLE_NUMBER.fullmatch(text)
    return int(re.sub(r"[ .,]", "", found["number"])) if found else None


def column_name(column: int) -> str:
    """Return a column's letters; `column` counts from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def cell_address(row: int, column: int) -> str:
    """Return a cell's address, such as `B7`; `row` and `column` count from 0."""
    return f"{column_name(column)}{row + 1}"


def _row_name(row: int) -> str:
    return str(row + 1)


def _ranges(places: Iterable[int], name: Callable[[int], str]) -> str:
    """Return places as text, neighbours as a range: `3–5, 9`."""
    runs: list[list[int]] = []
    for place in sorted(places):
        if runs and runs[-1][-1] + 1 == place:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(name(run[0]) + (f"–{name(run[-1])}" if run[1:] else "") for run in runs)
