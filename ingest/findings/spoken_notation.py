"""Words of a log as people say them: cards, acts, seats, winners, lists of them, lines of a sheet.

Each game says its own words (`ingest.games.Speech`). Where it is not at hand whose words they are,
the first game that knows one says it: a card is the same in all that have it.
"""

from collections.abc import Sequence
from typing import Any

from engine.games import names as games
from ingest.games import every, of
from ingest.games.base import named
from ingest.i18n import N_, Translate

NOBODY = N_("nobody")
COUNTED = {
    "legal": N_("legal: {n}"),
    "unproven": N_("unproven: {n}"),
    "irregular": N_("irregular: {n}"),
    "incomplete": N_("incomplete: {n}"),
    "broken": N_("broken: {n}"),
    "unreadable": N_("unreadable: {n}"),
}
"""How many matches have each verdict."""
MOST_TOLD, LONGEST = 60, 100
"""Items of a list, and characters of a text or a name, that a sentence tells."""
NO_CARD = N_("A line of a score sheet: nobody wrote down a card of this deal.")


def kinds() -> dict[str, str]:
    """Every game's kinds of announcements, each with its name, a text said by a `Translate`."""
    return {kind: text for own in every().values() for kind, text in own.KINDS.items()}


def speak_word(t: Translate, word: str, game: str | None = None) -> str:
    """A word (no seat) as a player says it, the match's own `game` asked first; else as it is."""
    others = [name for name in games() if name != game]
    asked = others if game is None else [game, *others]
    said = (of(name).speak(t, word) for name in asked)
    return next((one for one in said if one is not None), word)


def speak_action(t: Translate, action: str, game: str | None = None) -> str:
    """An action without its seat, spoken; what is no action stays as it is."""
    seat, _, word = action.partition(" ")
    if seat.isdigit() and word:
        spoken = speak_word(t, word, game)
        return spoken if spoken != word or word in kinds() else action
    cards = action.split(" ")
    if all(len(card) == 2 for card in cards):  # an attempt of a cut
        return " ".join(speak_word(t, card, game) for card in cards)
    return speak_word(t, action, game)


def shortened(text: str) -> str:
    """The beginning of a text that is longer than a sentence tells."""
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"


def speak_value(t: Translate, value: Any, spoken: bool, game: str | None = None) -> str:
    """A value of a finding in a sentence; `spoken` where it may be cards and actions."""
    if isinstance(value, list | tuple):
        items = list(value)
        if spoken:  # actions in fewer words, by the own game or by each that has such words
            for name in games() if game is None else (game,):
                items = of(name).shorten(t, items)
        told = [speak_value(t, item, spoken, game) for item in items[:MOST_TOLD]]
        return ", ".join(told + ["…"] * (len(items) > MOST_TOLD)) or "–"
    if isinstance(value, str):
        return shortened(speak_action(t, value, game) if spoken else value)
    return "–" if value is None else str(value)


def speak_seat(t: Translate, seat: Any, names: list[str]) -> str:
    """A seat from 1 with its player's name; 0 and None are nobody."""
    if isinstance(seat, list):
        *first, last = [speak_seat(t, one, names) for one in seat] or [t(NOBODY)]
        return t("{one} or {other}", one=", ".join(first), other=last) if first else last
    if not seat:
        return t("nobody (drawn partie)") if seat == 0 else t(NOBODY)
    if isinstance(seat, int) and 0 < seat <= len(names):
        return t("{name} (seat {seat})", name=shortened(names[seat - 1]), seat=seat)
    return t("seat {seat}, which there is not", seat=seat)


def speak_winner(t: Translate, winner: Any, detail: dict[str, Any]) -> str:
    """Who wins, a seat or a side from 1: partners go by their names, with no seat of their own."""
    names, sides = detail.get("names", []), detail.get("sides", [])
    if winner == "?":  # not this one, and which other depends on cards nobody wrote down
        return "?"
    if len(sides) == len(names) or not (isinstance(winner, int) and 0 < winner <= len(sides)):
        return speak_seat(t, winner, sides)
    return shortened(str(sides[winner - 1]))


def speak_line(t: Translate, deal: Any, game: str, names: Sequence[str]) -> list[str]:
    """What a line of a score sheet tells besides points and winner; `names` are the players'."""
    line = deal.told
    if line is None:
        return []
    said = of(game).say_told(t, line, names)
    if line.end is not None:
        seat = line.end.partition(" ")[0]
        action = speak_action(t, line.end, game)
        said.append(t("{who}: {action}", who=named(seat, names), action=action))
    return said
