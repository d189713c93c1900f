"""Reads dates and years outside the lines of a sheet's tables: in titles, facts and sheet names."""

import re
from collections.abc import Callable, Sequence

from ingest.importers import written_dates
from ingest.importers.cells import Cell, CellSheet
from ingest.importers.sheet_dates import DateReader
from ingest.importers.tables import Table

_YEAR_PATTERN = re.compile(r"(?<!\w)(20\d\d)(?!\w)")


def years_of_tables(
    sheet: CellSheet, tables: Sequence[Table], is_date_column: Callable[[Cell], bool], file_name: str
) -> set[int]:
    """Return the years of complete dates, and those that titles and names have."""
    found = set[int]()
    for table in tables:
        columns = [at for at in table.columns if is_date_column(sheet.cell(table.top, at))]
        for cell in [
            *(sheet.cell(row, at) for at in columns for row in range(table.top + 1, table.end)),
            *(placed.cell for key, placed in table.facts.items() if key == "played_at"),
        ]:
            when = DateReader(first_day=sheet.first_day).read(cell)
            if when is not None:
                found.add(int(when[:4]))
        for text in (*table.titles, sheet.name, file_name):
            found.update(map(int, _YEAR_PATTERN.findall(text)))
    return found


def date_of_titles(table: Table, sheet_name: str, dates: DateReader) -> str:
    """Return the one date in the titles above a table, else in the sheet's name; empty if none."""
    for texts in (table.titles, [sheet_name]):
        days = {day.isoformat() for text in texts for day in written_dates.dates_within(text)}
        if len(days) == 1:
            return days.pop()
    whole = written_dates.parse_date(sheet_name, dates.zone, dates.year)
    return sheet_name if whole is not None else ""
