"""Reads and writes dates as people do: `12 avr.`, `12/04/2026`, `samedi 12 avril`.

In numeric dates the day comes first, except in ISO 8601.
"""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo

from ingest.autofix.card_words import fold_case_and_accents

_CENTURY = 2000  # of a year with two digits
_FIRST_OLD_YEAR = 70  # two digits from it on are of the century before
NOON_HOUR = 12  # default hour: the day then stays the same in most time zones
_MONTH_NAMES = (
    "janvier january janv jan, fevrier february fevr fev feb, mars march mar, avril april avr apr, "
    "mai may, juin june jun, juillet july juil jul, aout august aug, septembre september sept sep, "
    "octobre october oct, novembre november nov, decembre december dec"
)
_MONTH_NUMBERS = {
    name: number for number, several in enumerate(_MONTH_NAMES.split(", "), 1) for name in several.split()
}
_HOUR_PATTERN = (
    r"(?:[\s,T]+(?:à\s+|at\s+)?(?P<hour>\d{1,2})"
    r"(?:[:hH](?P<minute>\d{2})?(?::(?P<second>\d{2}))?))?"
)
_WEEKDAYS = (
    "lundi lun monday mon, mardi mar tuesday tue, mercredi mer wednesday wed, jeudi jeu thursday thu, "
    "vendredi ven friday fri, samedi sam saturday sat, dimanche dim sunday sun"
)
WEEKDAY_NUMBERS = {name: day for day, names in enumerate(_WEEKDAYS.split(", ")) for name in names.split()}
_DAY_OF_WEEK = rf"(?:(?P<weekday>{'|'.join(WEEKDAY_NUMBERS)})\.?,?\s+)?"
_WEEKDAY = rf"(?:(?:le|on)\s+)?{_DAY_OF_WEEK}"
_NAMED_DAY = r"(?P<day>\d{1,2})(?:er|st|nd|rd|th)?[\s-]+(?P<name>[^\W\d]+)\.?,?"
_NAMED_MONTH = r"(?P<name>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_DATE_FORMS = (
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
    rf"(?P<day>\d{{1,2}})\s*[/.-]\s*(?P<month>\d{{1,2}})\s*[/.-]\s*{_YEAR}",
    rf"{_NAMED_DAY}[\s-]+{_YEAR}",
    rf"{_NAMED_MONTH},?\s+(?P<year>\d{{4}})",
)
_DAY_FORMS = (r"(?P<day>\d{1,2})/(?P<month>\d{1,2})", _NAMED_DAY, _NAMED_MONTH)


def _date_patterns(forms: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(r"\s*" + _WEEKDAY + form + _HOUR_PATTERN + r"\s*", re.I) for form in forms)


_DATE_PATTERNS, _DAY_PATTERNS = _date_patterns(_DATE_FORMS), _date_patterns(_DAY_FORMS)
_DATES_IN_TEXT = tuple(re.compile(r"(?<!\w)" + form + r"(?!\w)") for form in _DATE_FORMS)
_DAYS_IN_TEXT = tuple(re.compile(r"(?<!\w)" + _DAY_OF_WEEK + form + r"(?!\w)", re.I) for form in _DATE_FORMS)
_DATES_AT_START = tuple(re.compile(r"\s*" + _WEEKDAY + form + r"(?!\w)", re.I) for form in _DATE_FORMS)
_MAX_DAYS = 3
_YEARS_BACK = 28  # the calendar repeats itself
_ISO_PATTERN = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def parse_date(
    text: str, zone: tzinfo | None, year: int | None = None, month_first: bool = False
) -> str | None:
    """Convert a date or date and time to log format; None if invalid. `zone`: `format_date`.

    `year` is that of a date without one, such as `12 avr.`; None: such a date is invalid.
    `month_first`: whether `04/12/2026` is the 12th of April.
    """
    text = text.strip()
    if _ISO_PATTERN.fullmatch(text):
        try:
            return datetime.fromisoformat(text.upper()).isoformat()
        except ValueError:
            return None
    patterns = _DATE_PATTERNS if year is None else (*_DATE_PATTERNS, *_DAY_PATTERNS)
    dates = (_date_of(found, year, month_first) for form in patterns if (found := form.fullmatch(text)))
    when = next((when for when in dates if when is not None), None)
    return None if when is None else format_date(when, zone)


def find_date(text: str) -> re.Match[str] | None:
    """Return the first complete date within a text, with its day of the week."""
    found = (one for form in _DAYS_IN_TEXT for one in form.finditer(text) if _date_of(one))
    return min(found, key=re.Match.start, default=None)


def end_of_first_date(text: str) -> int:
    """Return where a complete date ends that a text begins with; 0 if it begins with none."""
    found = (one for form in _DATES_AT_START if (one := form.match(text)) and _date_of(one))
    return max((one.end() for one in found), default=0)


def dates_within(text: str) -> list[date]:
    """Return the complete dates in a text, such as a title, each once."""
    found = (_date_of(one) for form in _DATES_IN_TEXT for one in form.finditer(text))
    return list(dict.fromkeys(when.date() for when in found if when is not None))


def without_dates(text: str) -> str:
    """Return a text without its complete dates and their days of the week."""
    for form in _DAYS_IN_TEXT:
        text = form.sub(" ", text)
    return text


def _date_of(found: re.Match[str], year: int | None = None, month_first: bool = False) -> datetime | None:
    parts = found.groupdict()
    if month_first and "month" in parts and found.start("day") < found.start("month"):
        parts |= {"day": parts["month"], "month": parts["day"]}
    try:
        month = int(parts.get("month") or _MONTH_NUMBERS[fold_case_and_accents(parts["name"])])
        minute, second = (int(parts.get(key) or 0) for key in ("minute", "second"))
        hour = NOON_HOUR if parts.get("hour") is None else int(parts["hour"])
        written = parts.get("year")
        if written is None:
            assert year is not None
        else:
            year = int(written)
            year += 0 if len(written) > 2 else _CENTURY if year < _FIRST_OLD_YEAR else _CENTURY - 100
        return datetime(year, month, int(parts["day"]), hour, minute, second)
    except (KeyError, ValueError):
        return None


def format_date(when: datetime, zone: tzinfo | None) -> str | None:
    """Format a date and time as in a log; without a time zone it is in `zone`, else local.

    None: no log has that date, since its zone or UTC takes it out of the years 1 to 9999.
    """
    if when.tzinfo is None:
        try:
            when = when.astimezone() if zone is None else when.replace(tzinfo=zone)
            when.astimezone(UTC)
        except (OSError, OverflowError, ValueError):
            return None
    return when.isoformat(timespec="seconds")


def is_date_word(word: str) -> bool:
    """Return whether a word, without case and accents, is a month or a day of the week."""
    return word in _MONTH_NUMBERS or word in WEEKDAY_NUMBERS


def weekday_of(text: str) -> int | None:
    """Return the day of the week that a date begins with, from 0 for Monday; None if it has none."""
    found = next((one for form in (*_DATE_PATTERNS, *_DAY_PATTERNS) if (one := form.fullmatch(text))), None)
    return None if found is None else WEEKDAY_NUMBERS.get(fold_case_and_accents(found["weekday"] or ""))


def dates_of_other_weekday(text: str, when: str) -> list[str]:
    """Return what a date may be whose day of the week is not that of `when`, its reading in log format.

    The days are that one, and the nearest year in which the day of the week fits. Empty if it is the same.
    """
    day, weekday = date.fromisoformat(when[:10]), weekday_of(text.strip())
    if weekday is None or weekday == day.weekday():
        return []
    near = sorted(range(day.year - _YEARS_BACK, day.year + 2), key=lambda year: abs(year - day.year))
    others = (date(year, day.month, day.day) for year in near if (day.month, day.day) != (2, 29))
    fits = next((one.isoformat() for one in others if one.weekday() == weekday), None)
    return [day.isoformat(), *([] if fits is None else [fits])]


def dates_without_year(text: str, today: date) -> list[str]:
    """Return the latest days, up to three, that a date without a year may be; empty if it is none."""
    found = next((found for form in _DAY_PATTERNS if (found := form.fullmatch(text.strip()))), None)
    is_number = found is not None and "month" in found.groupdict()
    if found is None or (is_number and not found["weekday"]):  # `3/1` may be a score
        return []
    weekday = WEEKDAY_NUMBERS.get(fold_case_and_accents(found["weekday"] or ""))
    dates = (_date_of(found, year) for year in range(today.year, today.year - _YEARS_BACK, -1))
    days = (when.date() for when in dates if when is not None)
    likely = [day.isoformat() for day in days if day <= today and weekday in (None, day.weekday())]
    return likely[:_MAX_DAYS]
