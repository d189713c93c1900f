"""Formats numbers, shares and their intervals, dates, sizes and short names."""

import math
from datetime import date

from ingest.i18n import Translate, format_decimal
from ingest.i18n import format_count as format_count

NO_VALUE = "–"
"""Placeholder for a missing number."""


class SortableText(str):
    """A formatted number or day, with the value by which a table sorts it."""

    __slots__ = ("number",)
    number: float | date

    def __new__(cls, text: str, number: float | date) -> "SortableText":
        result = super().__new__(cls, text)
        result.number = number
        return result

    def __getnewargs__(self) -> tuple[str, float | date]:  # type: ignore[override]  # str's has one
        return str(self), self.number


def decimal_text(number: float | None, t: Translate, digits: int = 1) -> str:
    """Return a number with the language's decimal separator; a dash for None."""
    if number is None:
        return NO_VALUE
    return SortableText(format_decimal(number, digits, t), number)


def percent_text(share: float, t: Translate, digits: int = 1) -> SortableText:
    """Return a share as a percentage: `12,3 %` in French, `12.3%` in English."""
    sign = "\N{NARROW NO-BREAK SPACE}%" if t.language == "fr" else "%"
    return SortableText(format_decimal(100 * share, digits, t) + sign, share)


def fine_percent_text(share: float, t: Translate, digits: int) -> SortableText:
    """Return `percent_text` with two significant digits for small shares: `0.00022%`."""
    first = math.floor(math.log10(abs(100 * share))) if share else 0
    return percent_text(share, t, max(digits, 1 - first))


def percent_interval_text(low: float, high: float, t: Translate, digits: int = 1) -> str:
    """Return the interval of a share, as `dashboard.queries.intervals` computes it: `12.3% – 15.6%`."""
    return f"{percent_text(low, t, digits)} – {percent_text(high, t, digits)}"


def decimal_interval_text(low: float | None, high: float | None, t: Translate, digits: int = 1) -> str:
    """Return the interval of a mean; an empty text for None."""
    return "" if low is None else f"{decimal_text(low, t, digits)} – {decimal_text(high, t, digits)}"


def date_text(moment: date | None, t: Translate) -> str:
    """Return a date in the language's format; an empty text for None."""
    if moment is None:
        return ""
    text = moment.strftime("%d/%m/%Y" if t.language == "fr" else "%Y-%m-%d")
    return SortableText(text, date(moment.year, moment.month, moment.day))


def month_text(day: date, t: Translate) -> str:
    """Return the month of a day in the language's format."""
    return SortableText(day.strftime("%m/%Y" if t.language == "fr" else "%Y-%m"), day)


def date_range_text(first: date | None, last: date | None, t: Translate) -> str:
    """Return a range of days; a single day if both are equal or the last one is missing."""
    begun, ended = date_text(first, t), date_text(last, t)
    return begun if not ended or begun == ended else f"{begun} – {ended}"


def size_text(size_bytes: int, t: Translate) -> str:
    """Return a size in B, kB, MB or GB."""
    size, units = float(size_bytes), [t("B"), t("kB"), t("MB"), t("GB")]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    digits = 0 if size >= 100 or size == size_bytes else 1
    return f"{decimal_text(size, t, digits)}\N{NO-BREAK SPACE}{units[0]}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case, the rest unchanged."""
    return text[:1].upper() + text[1:]


MAX_NAME_CHARS = 28


def short_name(name: str) -> str:
    """Return a name, cut if it is too long for a sentence."""
    return name if len(name) <= MAX_NAME_CHARS else name[: MAX_NAME_CHARS - 1].rstrip() + "…"


def bounded_int(text: str | None, low: int, high: int) -> int:
    """Return the whole number in an address, within bounds; `low` if there is none."""
    try:
        return max(low, min(high, int(text or "")))
    except ValueError:
        return low


def escape_markdown(text: object) -> str:
    """Return a log's text with every character escaped that Streamlit reads as Markdown."""
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()<>#+-.!|~$:@/" else sign for sign in str(text))
