"""A finding in a sentence and its place in words, by the record of its code."""

from typing import Any

from ingest.finding.codes import advice, record
from ingest.finding.system import reason
from ingest.finding.words import speak_seat, speak_value, speak_winner
from ingest.games.code import Code, Spoken, Told
from ingest.i18n import N_, Translate

FIRST = N_("The first deal whose sheet differs: {place}.")


def say(t: Translate, told: Told) -> str:
    """The finding's sentence in the language of `t`. KeyError: its code has no record."""
    one, detail = record(told.code, told.game), told.detail
    values: dict[str, Any] = {
        "who": _value(t, told, Spoken.SEATS, told.seat),
        "found": _value(t, told, one.spoken, told.found),
        "legal": _value(t, told, one.legal or one.spoken, told.legal),
        "hand": _value(t, told, Spoken.ACTS, told.hand),
        "turn": _value(t, told, Spoken.SEATS, detail.get("turn")),
    }
    values["what"] = values["where"] = detail.get("where", "")
    if problem := detail.get("problem"):
        values["problem"] = t(problem, **(values | detail.get("values", {})))
    if one.spoken is Spoken.SYSTEM:
        values["problem"] = reason(t, told.found)
    said = t(_sentence(one, told), **values)
    if first := detail.get("first"):
        said += " " + t(FIRST, place=first.place(t))
    return said


def advise(t: Translate, code: str, game: str = "") -> str:
    """What to do about a code; empty for one nobody knows."""
    try:
        return advice(t, record(code, game))
    except KeyError:
        return ""


def _sentence(one: Code, told: Told) -> str:
    """The code's sentence, or the first of those in its place that fits."""
    return next((sentence for fits, sentence in one.instead if fits(told)), one.sentence)


def _value(t: Translate, told: Told, spoken: Spoken, value: Any) -> str:
    """A value of a finding in words."""
    if spoken is Spoken.DECLARED:
        spoken = Spoken.WINNER if told.path.endswith("/winner") else Spoken.ACTS
    game = told.game or None
    match spoken:
        case Spoken.SEATS:
            return speak_seat(t, value, told.detail.get("names", []))
        case Spoken.WINNER:
            return speak_winner(t, value, told.detail)
        case Spoken.CARDS:
            return speak_value(t, [word.split(" ")[-1] for word in value], True, game)
        case Spoken.ACTS:
            return speak_value(t, value, True, game)
        case _:
            return speak_value(t, value, False)


MANCHE, PARTIE, DEAL = N_("manche {n}"), N_("partie {n}"), N_("deal {n}")
TRICK, CARD, AUCTION = N_("trick {n}"), N_("card {n}"), N_("auction")


def speak_place(
    t: Translate,
    *,
    manche: int | None = None,
    partie: int | None = None,
    deal: int | None = None,
    trick: int | None = None,
    card: int | None = None,
    auction: bool = False,
) -> str:
    """Where in a match something is; `deal` counts from 0, all others from 1.

    The deal is told where no partie is counted, and where it is not the partie of that number, as
    a null or replayed partie takes more than one.
    """
    if deal is not None and partie == deal + 1 and manche in (1, None):
        deal = None
    parts = (
        (MANCHE, manche),
        (PARTIE, partie),
        (DEAL, None if deal is None else deal + 1),
        (TRICK, trick),
        (CARD, card),
    )
    words = [t(text, n=n) for text, n in parts if n is not None]
    return ", ".join([*words, t(AUCTION)] if auction else words)
