"""Numbers, dates and tables as people read them, on a page or in a terminal; no Streamlit."""

from collections.abc import Sequence
from datetime import date

from engine.games import game
from ingest.i18n import Translate

NONE = "–"
"""Where there is no number to tell."""


class Figure(str):
    """A number or a day as people read it, and what it is, by which a table is sorted."""

    __slots__ = ("number",)
    number: float | date

    def __new__(cls, text: str, number: float | date) -> "Figure":
        """The text of a number or a day."""
        told = super().__new__(cls, text)
        told.number = number
        return told

    def __getnewargs__(self) -> tuple[str, float | date]:  # type: ignore[override]  # str's has one
        """So that it can be copied."""
        return str(self), self.number


def count_of(number: int, t: Translate) -> str:
    """A whole number with the language's thousands."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}" if t.language == "fr" else ",")


def decimal(number: float | None, t: Translate, digits: int = 1) -> str:
    """A number with the language's decimal sign; a dash for none."""
    if number is None:
        return NONE
    text = f"{number:z.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return Figure(text.replace(".", ",") if t.language == "fr" else text, number)


def day(moment: date | None, t: Translate) -> str:
    """A date as it is written."""
    if moment is None:
        return ""
    text = moment.strftime("%d/%m/%Y" if t.language == "fr" else "%Y-%m-%d")
    return Figure(text, date(moment.year, moment.month, moment.day))


def against(names: Sequence[str] | None, known: str | None) -> str:
    """Who plays whom: `Jean – Zoé`, of partners `Jean + Zoé – Odette + Marcel`."""
    names = names or ()
    sides = game(known).sides(len(names)) if known is not None else len(names)
    return " – ".join(" + ".join(names[side::sides]) for side in range(sides))


def yes_or_no(fact: bool | None, t: Translate) -> str:
    """A dash where it is not known."""
    return NONE if fact is None else t("yes") if fact else t("no")
