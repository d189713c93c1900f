"""Splits day, time and sender off the lines of a chat export: « 07/11/2026, 21:06 - Odile: … ».

WhatsApp writes such files. The text of a message is a line of notes; its sender plays no part in it.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

_MARKS = "[\u200e\u200f\u202a-\u202e\u2066-\u2069]*"  # invisible, of the direction of writing
_DAY = r"(?P<day>\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})|\d{4}-\d{2}-\d{2})"
_TIME = r"(?P<hour>\d{1,2})[:.h]\d{2}(?:[:.]\d{2})?(?P<half>\s?[ap]\.?\s?m\.?)?"
_WHEN = rf"{_DAY},?\s+(?:(?:à|at)\s+)?{_TIME}"
_STAMPS = tuple(
    re.compile(rf"{_MARKS}{form}\s*", re.IGNORECASE) for form in (rf"{_WHEN}\s+[-–]\s", rf"\[{_WHEN}\]\s")
)
_SENDER = re.compile(rf"{_MARKS}[^\s:](?:[^:]{{0,60}}[^\s:])?[\s\u00a0\u202f]?:(?:\s+|$)")
_NO_TEXT = re.compile(
    r"\u200e.*|<[^<>]*>|(?:ce message a été supprimé|vous avez supprimé ce message"
    r"|this message was deleted|you deleted this message)\.?",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"\s*\u200e?<[^<>]*>\s*$")  # « <Ce message a été modifié> »
_MORNING = 6  # o'clock: an evening ends before
_CENTURY = 2000  # of a year with two digits


class ChatLine(NamedTuple):
    """A line of a chat, with blanks in place of day, time and sender."""

    number: int  # from 1
    text: str
    days: tuple[str, ...] = ()
    """The days it may be of, in the log's form; empty if it has no day of its own."""
    written_day: str = ""
    column: int = 1  # of the day
    is_by_system: bool = False  # it has a day and no sender
    is_at_night: bool = False  # before six in the morning
    sender: str = ""

    def goes_on_from(self, days: Sequence[str]) -> bool:
        """Return whether the message is of the night after the day that one of `days` is."""
        after = (date.fromisoformat(day) + timedelta(days=1) for day in days)
        return self.is_at_night and self.days == tuple(day.isoformat() for day in after)


def chat_lines(lines: Sequence[str]) -> list[ChatLine]:
    """Split the lines of a chat export; empty if no line has day, time and sender.

    Messages without words, such as a picture, are skipped.
    """
    stamps = [next((one for form in _STAMPS if (one := form.match(line))), None) for line in lines]
    senders = [
        _SENDER.match(line, stamp.end()) if stamp else None for line, stamp in zip(lines, stamps, strict=True)
    ]
    if not any(senders):
        return []
    days = {stamp["day"]: _readings(stamp["day"]) for stamp in stamps if stamp}
    orders = [order for order in (0, 1) if all(one[order] for one in days.values())]
    if not any(stamp["half"] for stamp in stamps if stamp):
        orders = orders[:1]  # the day comes first, as everywhere; with AM and PM it may not
    if not orders:
        return []
    found: list[ChatLine] = []
    for number, (line, stamp, sender) in enumerate(zip(lines, stamps, senders, strict=True), 1):
        if stamp is None:
            found.append(ChatLine(number, line))
            continue
        start = sender.end() if sender else stamp.end()
        if _NO_TEXT.fullmatch(line[start:].strip()) or not line[start:].strip():
            continue
        text = " " * start + _CHANGED.sub("", line[start:])
        several = (days[stamp["day"]][order] for order in orders)
        own = tuple(dict.fromkeys(day for day in several if day))
        at_night = _hour(stamp) < _MORNING
        column = stamp.start("day") + 1
        found.append(
            ChatLine(number, text, own, stamp["day"], column, sender is None, at_night, _name_of(sender))
        )
    return found


def _name_of(sender: re.Match[str] | None) -> str:
    return sender[0].strip(" :\u00a0\u202f\u200e\u200f") if sender else ""


def _hour(stamp: re.Match[str]) -> int:
    half = (stamp["half"] or "").strip().lower()[:1]
    return int(stamp["hour"]) % 12 + (12 if half == "p" else 0) if half else int(stamp["hour"])


def _readings(text: str) -> tuple[str | None, str | None]:
    """Return a day with the day of the month first, and with the month first; None if there is none such."""
    one, two, three = map(int, re.split(r"[/.-]", text))
    if "-" in text:
        return _day(one, two, three), _day(one, two, three)
    year = three + _CENTURY * (three < 100)
    return _day(year, two, one), _day(year, one, two)


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None
