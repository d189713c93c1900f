"""Reads dates of spreadsheet cells: as text, as Excel's number of days, with or without a year."""

import re
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
NO_YEAR = N_("The dates have no year, such as “{read}”. Is it {could}?")
DAY_OR_MONTH_FIRST = N_(
    "“{read}”: some dates of the column begin with the day, others with the month. Is {could} meant?"
)
DAY_OR_YEAR_FIRST = N_("“{read}” may begin with the day or with the year. Is {could} meant?")
YEAR_FOUND = N_("The days without a year are of {year}, as the other dates of the file.")
DATES_TO_CHECK = N_("Check the dates of “{sheet}” that are before 1990 or in the future, lines: {lines}.")
_DATE_LIKE = re.compile(r"\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2}")
_DAY_LIKE = re.compile(r"\d{1,2}[- ][^\W\d]{3,9}\.?(?:[- ]\d{2,4})?")
_A_DAY = timedelta(1)  # between time zones
_YEAR_FIRST = re.compile(r"(?P<year>\d\d)[/.-](?P<month>\d\d)[/.-](?P<day>\d\d)")
_FULL_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
SEASON_START = 8
"""The month in which a season starts."""
_YEARS_BACK = 12
_MOST_YEARS = 3
_A_YEAR = 2024  # with a 29th of February


def date_of_number(cell: Cell, first_day: date | None) -> date | None:
    """Return the date that Excel keeps as a cell's number of days; None if it need not be a date."""
    number = whole_number(cell_text(cell))
    if first_day is None or number is None or not 0 < number < 1e5:
        return None
    day = first_day + timedelta(number)
    return day if EARLIEST_DAY <= day < LATEST_DAY else None


def day_made_of(cell: Cell) -> date | None:
    """Return the day that a spreadsheet has, or may have, made of a cell; None of any other cell."""
    text, when = cell_text(cell), None
    if isinstance(cell, DateCell) or _DATE_LIKE.fullmatch(text):
        when = written_dates.parse_date(text[: len("2026-05-02")], None)
    elif _DAY_LIKE.fullmatch(text):
        when = written_dates.parse_date(text.replace("-", " "), None, date.max.year - 1)
    return None if when is None else date.fromisoformat(when[:10])


def typed_before(day: date, cards: Sequence[str]) -> list[str]:
    """Return what may have been typed where the spreadsheet has a day: bid cards, if some may be meant."""
    several = f"{day.day}-{day.month}-{day.year % 100}", f"{day.day}-{day.month}", f"{day.month}-{day.day}"
    return [*dict.fromkeys([one for one in several if one in cards] or several)]


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
    has_season: bool = False
    """Whether the days before August are of the year after `year`."""
    possible_years: Sequence[str] = ()
    """What `year` may be, if it is unknown: `2026`, or `2025-2026` for a season."""
    full_years: frozenset[str] = frozenset()
    """The years that the column's dates have in four digits."""

    def for_column(self, texts: Sequence[str]) -> Self:
        """Return the reader of a column: a date that is only possible one way settles the others."""
        day, month = (
            any(self._parse(text, not first) is None and self._parse(text, first) for text in texts)
            for first in (False, True)
        )
        years = frozenset(one for text in texts for one in _FULL_YEAR.findall(text))
        return self._replace(is_month_first=None if day and month else month, full_years=years)

    def reads_in_order(self, texts: Sequence[str]) -> bool:
        """Return whether no date interrupts the order of the days, forwards or backwards."""
        days = [when[:10] for text in texts if (when := self._parse(text, False)) is not None]
        return days in (sorted(days), sorted(days, reverse=True))

    def reads_future(self, texts: Sequence[str]) -> bool:
        """Return whether a date without a year would be later than today."""
        latest = (date.today() + _A_DAY).isoformat()
        return any(
            when[:10] > latest
            for text in texts
            if lacks_year(text) and (when := self._parse(text, False)) is not None
        )

    def _days_by_first_number(self, text: str) -> list[str]:
        """Return the days of `25/03/12`, if only a year in its first number is one of the column's."""
        found = _YEAR_FIRST.fullmatch(text)
        when = self._parse(text, False)
        if found is None or when is None or when[:4] in self.full_years:
            return []
        other = f"20{found['year']}-{found['month']}-{found['day']}"
        fits = other[:4] in self.full_years and self._parse(other, False) is not None
        return [other, when[:10]] if fits else []

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
            if days := self._days_by_first_number(text):
                return DAY_OR_YEAR_FIRST, days
            others = written_dates.dates_of_other_weekday(text, when)
            return (OTHER_WEEKDAY, others) if others else None
        if is_number(cell):
            return DATE_AS_NUMBER, ()
        either = [one[:10] for first in (False, True) if (one := self._parse(text, first)) is not None]
        if either:
            return DAY_OR_MONTH_FIRST, either
        if lacks_year(text):
            return NO_YEAR, self.possible_years
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
        when = written_dates.parse_date(text, self.zone, year, month_first)
        if when and year and self.has_season and lacks_year(text) and int(when[5:7]) < SEASON_START:
            return written_dates.parse_date(text, self.zone, year + 1, month_first)
        return when


def lacks_year(text: str) -> bool:
    """Return whether a text is a date but for its year."""
    with_year = (written_dates.parse_date(text, None, one) for one in (None, _A_YEAR))
    return [one is None for one in with_year] == [True, False]


def is_year_open(dates: DateReader, texts: Sequence[str]) -> bool:
    """Return whether the year of the file's other dates may not be that of a column's dates without one.

    With it a date would be in the future, or only a season has the dates in order.
    """
    if dates.year is None or not any(map(lacks_year, texts)):
        return False
    if dates.reads_future(texts):
        return True
    seasons = [dates._replace(year=year, has_season=True) for year in (dates.year - 1, dates.year)]
    fits = any(one.reads_in_order(texts) and not one.reads_future(texts) for one in seasons)
    return fits and not dates.reads_in_order(texts)


def is_to_check(log: Mapping[str, Any]) -> bool:
    """Return whether a match was played long ago or later than today, so that its date may be mistyped."""
    when = log.get("played_at")
    return when is not None and not EARLIEST_DAY <= date.fromisoformat(when[:10]) <= date.today() + _A_DAY


def possible_years(texts: Sequence[str], today: date | None = None) -> tuple[str, ...]:
    """Return the latest years, or seasons, that dates without one may be of, by their days of the week.

    Dates before August and after it may be of a season: `2025-2026`.
    """
    today = today or date.today()
    days = {text: written_dates.parse_date(text, None, _A_YEAR) for text in texts if lacks_year(text)}
    early = {when is not None and int(when[5:7]) < SEASON_START for when in days.values()}
    found: dict[str, int] = {}
    for year in range(today.year, today.year - _YEARS_BACK, -1):
        for has_season in (True, False) if len(early) > 1 else (False,):
            reader = DateReader(year=year, has_season=has_season)
            dates = {text: reader.read(text) for text in days}
            if all(dates.values()) and all(when[:10] <= today.isoformat() for when in dates.values() if when):
                wrong = sum(
                    bool(written_dates.dates_of_other_weekday(text, when))
                    for text, when in dates.items()
                    if when
                )
                found[f"{year}-{year + 1}" if has_season else str(year)] = wrong
    fewest = min(found.values(), default=0)
    return tuple(year for year, wrong in found.items() if wrong == fewest)[:_MOST_YEARS]
