"""Reads dates of spreadsheet cells: as text, as Excel's number of days, with or without a year."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo
from typing import Any, NamedTuple, Self

from ingest.i18n import N_
from ingest.importers import written_dates
from ingest.importers.cells import Cell, DateCell, cell_text, is_number, whole_number
from ingest.importers.notes_lines import NO_DATE, OTHER_WEEKDAY

EARLIEST_DAY, LATEST_DAY = date(1990, 1, 1), date(2100, 1, 1)
"""Bounds of a number that is a day."""
DATE_AS_NUMBER = N_("“{read}” is a number where a date belongs: give the cell the format of a date.")
NO_YEAR = N_("In which year was “{read}”? Write it in the cell, as in: {could}.")
DAY_OR_MONTH_FIRST = N_(
    "“{read}”: some dates of the column begin with the day, others with the month. Is {could} meant?"
)
YEAR_FOUND = N_("The days without a year are of {year}, as the other dates of the file.")
DATES_TO_CHECK = N_("Check the dates of “{sheet}” that are before 1990 or in the future, lines: {lines}.")
_A_DAY = timedelta(1)  # between time zones
_A_YEAR = 2024  # with a 29th of February


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
    years: Sequence[int] = ()
    """The years of the file's dates; a day of the week shows which of them a date without one is of."""
    is_month_first: bool | None = False
    """Whether `04/12/2026` is the 12th of April; None: the column has dates of both kinds."""

    def for_column(self, texts: Sequence[str]) -> Self:
        """Return the reader of a column: a date that is only possible one way settles the others."""
        day, month = (
            any(self._parse(text, not first) is None and self._parse(text, first) for text in texts)
            for first in (False, True)
        )
        return self._replace(is_month_first=None if day and month else month)

    def read(self, cell: Cell) -> str | None:
        """Return the date of a cell in log format; None if it is none, or may be several."""
        text = cell_text(cell)
        if isinstance(cell, DateCell) and len(text) != len("2026-05-02"):
            return written_dates.format_date(datetime.fromisoformat(text), self.zone)
        if is_number(cell):
            day = date_of_number(cell, self.first_day)
            text = "" if day is None else day.isoformat()
        if self.is_month_first is not None:
            return self._parse(text, self.is_month_first)
        either = {one for first in (False, True) if (one := self._parse(text, first)) is not None}
        return either.pop() if len(either) == 1 else None

    def question(self, cell: Cell) -> tuple[str, Sequence[str]] | None:
        """Return the question about a cell of dates, with the likely dates; None if it is clear."""
        text, when = cell_text(cell), self.read(cell)
        if when is not None:
            others = written_dates.dates_of_other_weekday(text, when)
            return (OTHER_WEEKDAY, others) if others else None
        if is_number(cell):
            return DATE_AS_NUMBER, ()
        either = [one[:10] for first in (False, True) if (one := self._parse(text, first)) is not None]
        if either:
            return DAY_OR_MONTH_FIRST, either
        if lacks_year(text):
            days = () if written_dates.weekday_of(text) is None else _days_before_today(text)
            return NO_YEAR, days or (f"{text.rstrip('.')}{'/' if '/' in text else ' '}2026",)
        return NO_DATE, ("2026-05-02", "2 mai 2026")

    def years_found(self, texts: Sequence[str]) -> list[str]:
        """Return the years that the dates without one are of."""
        found = (self.read(text) for text in texts if lacks_year(text))
        return sorted({when[:4] for when in found if when is not None})

    def _parse(self, text: str, month_first: bool) -> str | None:
        year = self.year
        if year is None and self.years and written_dates.weekday_of(text) is not None and lacks_year(text):
            each = {one: written_dates.parse_date(text, self.zone, one) for one in self.years}
            fits = [
                one
                for one, when in each.items()
                if when and not written_dates.dates_of_other_weekday(text, when)
            ]
            year = fits[0] if len(fits) == 1 else None
        return written_dates.parse_date(text, self.zone, year, month_first)


def lacks_year(text: str) -> bool:
    """Return whether a text is a date but for its year."""
    with_year = (written_dates.parse_date(text, None, one) for one in (None, _A_YEAR))
    return [one is None for one in with_year] == [True, False]


def is_to_check(log: Mapping[str, Any]) -> bool:
    """Return whether a match was played long ago or later than today, so that its date may be mistyped."""
    when = log.get("played_at")
    return when is not None and not EARLIEST_DAY <= date.fromisoformat(when[:10]) <= date.today() + _A_DAY


def _days_before_today(text: str) -> Sequence[str]:
    return written_dates.dates_without_year(text, date.today())
