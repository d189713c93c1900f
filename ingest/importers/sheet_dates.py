"""Reads dates of spreadsheet cells: as text, as Excel's number of days, with or without a year."""

from datetime import date, datetime, timedelta, tzinfo
from typing import NamedTuple

from ingest.importers import written_dates
from ingest.importers.cells import Cell, DateCell, cell_text, is_number, whole_number

EARLIEST_DAY, LATEST_DAY = date(1990, 1, 1), date(2100, 1, 1)
"""Bounds of a number that is a day."""


def date_of_number(cell: Cell, first_day: date | None) -> date | None:
    """Return the date that Excel keeps as a cell's number of days; None if it need not be a date."""
    number = whole_number(cell_text(cell))
    if first_day is None or number is None or not 0 < number < 1e5:
        return None
    day = first_day + timedelta(number)
    return day if EARLIEST_DAY <= day < LATEST_DAY else None


class DateReader(NamedTuple):
    """How dates of a sheet are read."""

    zone: tzinfo | None = None  # None: the machine's
    year: int | None = None
    """The year of dates without one; None: unknown."""
    first_day: date | None = None

    def read(self, cell: Cell) -> str | None:
        """Return the date of a cell in log format; None if it is none."""
        text = cell_text(cell)
        if isinstance(cell, DateCell) and len(text) != len("2026-05-02"):
            return written_dates.format_date(datetime.fromisoformat(text), self.zone)
        if is_number(cell):
            day = date_of_number(cell, self.first_day)
            text = "" if day is None else day.isoformat()
        return written_dates.parse_date(text, self.zone, self.year)
