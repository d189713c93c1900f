"""Dates as people write them → RFC 3339; the day comes first where all of it is numbers."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, tzinfo

from ingest.mend.near import folded

NOON = time(12)
"""The hour of a day whose hour nobody wrote down: the day is the same wherever it is read."""
_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            ("janvier", "january", "janv", "jan"),
            ("fevrier", "february", "fevr", "fev", "feb"),
            ("mars", "march", "mar"),
            ("avril", "april", "avr", "apr"),
            ("mai", "may"),
            ("juin", "june", "jun"),
            ("juillet", "july", "juil", "jul"),
            ("aout", "august", "aug"),
            ("septembre", "september", "sept", "sep"),
            ("octobre", "october", "oct"),
            ("novembre", "november", "nov"),
            ("decembre", "december", "dec"),
        ),
        1,
    )
    for name in names
}
_HOUR = (
    r"(?:[\s,T]+(?:à\s+|at\s+)?(?P<hour>\d{1,2})"
    r"(?:[:hH](?P<minute>\d{2})?(?::(?P<second>\d{2}))?))?"
)
_FORMS = tuple(
    re.compile(r"\s*(?:[^\W\d]+\.?,?\s+)??" + form + _HOUR + r"\s*")
    for form in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})\s*[/.-]\s*(?P<month>\d{1,2})\s*[/.-]\s*(?P<year>\d{4})",
        r"(?P<day>\d{1,2})(?:er|st|nd|rd|th)?\s+(?P<name>[^\W\d]+)\.?,?\s+(?P<year>\d{4})",
        r"(?P<name>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    )
)
_WHOLE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)")


def moment(text: str, zone: tzinfo | None) -> str | None:
    """A date, with its time or without, as a log writes it; None: it is none.

    `zone` is that of a text which names none; None is the machine's own.
    """
    text = text.strip()
    if _WHOLE.fullmatch(text):
        try:
            return datetime.fromisoformat(text.upper()).isoformat()
        except ValueError:
            return None
    for form in _FORMS:
        if found := form.fullmatch(text):
            return _moment(found.groupdict(), zone)
    return None


def _moment(parts: dict[str, str | None], zone: tzinfo | None) -> str | None:
    month = parts.get("month") or _MONTHS.get(folded(parts.get("name") or ""))
    if not month:
        return None
    try:
        day = date(int(parts["year"] or 0), int(month), int(parts["day"] or 0))
        if parts["hour"] is None:
            return written(datetime.combine(day, NOON), zone)
        hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
        return written(datetime.combine(day, time(hour, minute, second)), zone)
    except ValueError:
        return None


def written(when: datetime, zone: tzinfo | None) -> str:
    """A date and time as a log writes it; one without a zone is in `zone`."""
    if when.tzinfo is None:
        when = when.astimezone() if zone is None else when.replace(tzinfo=zone)
    return when.isoformat(timespec="seconds")
