"""Score sheets to fill in: a line of headings, the game named below, as CSV or as .xlsx."""

import csv
from io import BytesIO, StringIO

from engine.games import title
from ingest.entry.columns import GAME, Field, fields
from ingest.i18n import Translate
from ingest.text.signs import cell

NAME = "retourne-{game}-{language}"
"""What a template's file is called, before its ending."""
WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
"""The kind of an .xlsx."""
_WIDTH = 14


def csv_template(game: str, t: Translate) -> bytes:
    """Headings between semicolons, with the mark by which spreadsheet programs know UTF-8."""
    text = StringIO(newline="")
    rows = csv.writer(text, delimiter=";", lineterminator="\r\n")
    told = fields(game)
    rows.writerow([cell(one.heading(t)) for one in told])
    rows.writerow([_filled(one, game) for one in told])
    return "\ufeff".encode() + text.getvalue().encode()


def xlsx_template(game: str, t: Translate) -> bytes:
    """The same as a workbook whose headings say what is written below them."""
    import xlsxwriter

    file = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet(title(game)[:31])
        bold = book.add_format({"bold": True, "bottom": 1})
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        for place, one in enumerate(fields(game)):
            heading = one.heading(t)
            sheet.set_column(place, place, _WIDTH, day if one.key == "played_at" else None)
            sheet.write_string(0, place, heading, bold)
            sheet.write_string(1, place, _filled(one, game))
            sheet.write_comment(0, place, t(one.column.about), {"author": "Retourne"})
        sheet.freeze_panes(1, 0)
    return file.getvalue()


def _filled(field: Field, game: str) -> str:
    """What stands below a heading from the beginning: the game, once."""
    return title(game) if field.column is GAME else ""
