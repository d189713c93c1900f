"""Reads dates and years outside the lines of a sheet's tables: in titles, facts and sheet names."""

import re
from collections.abc import Callable, Sequence

from ingest.importers import written_dates
from ingest.importers.cells import Cell, CellSheet, cell_text
from ingest.importers.sheet_dates import DateReader
from ingest.importers.tables import Table

_SEASON_PATTERN = re.compile(r"(?<!\w)(20\d\d)\s*[-–/]\s*(20\d\d|\d\d)(?!\w)")
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


def season_of_texts(texts: Sequence[str]) -> int | None:
    """Return the first year of the one season that texts name: `Saison 2025-2026`, `2025/26`."""
    pairs = {(int(one), int(two)) for text in texts for one, two in _SEASON_PATTERN.findall(text)}
    seasons = {one for one, two in pairs if two in (one + 1, (one + 1) % 100)}
    return seasons.pop() if len(seasons) == 1 else None


def dates_in(sheet: CellSheet, table: Table, is_date_column: Callable[[Cell], bool]) -> list[str]:
    """Return the texts below the headings of dates, and of a date above the table."""
    columns = [at for at in table.columns if is_date_column(sheet.cell(table.top, at))]
    cells = [sheet.cell(row, at) for at in columns for row in range(table.top + 1, table.end)]
    cells += [placed.cell for key, placed in table.facts.items() if key == "played_at"]
    return [text for cell in cells if (text := cell_text(cell))]


def day_of_titles(titles: Sequence[str]) -> str:
    """Return the one day that titles above a table have; empty if none."""
    days = {day.isoformat() for text in titles for day in written_dates.dates_within(text)}
    return days.pop() if len(days) == 1 else ""


def date_of_sheet_name(name: str, dates: DateReader) -> str:
    """Return the one date in a sheet's name; empty if none."""
    if day := day_of_titles([name]):
        return day
    return name if written_dates.parse_date(name, dates.zone, dates.year) is not None else ""
