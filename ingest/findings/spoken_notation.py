"""Cards, acts, seats and lists as people say them.

Each game says its own words (`ingest.games.Speech`). Where it is not at hand whose words they are,
the first game that knows one says it: a card is the same in all that have it.
"""

from collections.abc import Sequence
from typing import Any

from engine.games import game_names as games
from ingest.games import all_games, game_support
from ingest.games.base import player_at_seat
from ingest.i18n import N_, Translate

NOBODY_TEXT = N_("nobody")
STATUS_COUNT_TEXTS = {
    "legal": N_("legal: {n}"),
    "unproven": N_("unproven: {n}"),
    "irregular": N_("irregular: {n}"),
    "incomplete": N_("incomplete: {n}"),
    "broken": N_("broken: {n}"),
    "unreadable": N_("unreadable: {n}"),
}
"""How many matches have each verdict."""
MAX_LIST_ITEMS, MAX_CHARACTERS = 60, 100
"""Items of a list, and characters of a text or a name, that a sentence tells."""
SCORE_LINE_TEXT = N_("A line of a score sheet: nobody wrote down a card of this deal.")


def announcement_kinds() -> dict[str, str]:
    """Every game's kinds of announcements, each with its name, a text said by a `Translate`."""
    return {
        kind: text for own in all_games().values() for kind, text in own.ANNOUNCEMENT_NAMES.items()
    }


def describe_word(t: Translate, word: str, game: str | None = None) -> str:
    """A word (no seat) as a player says it, the match's own `game` asked first; else as it is."""
    others = [name for name in games() if name != game]
    asked = others if game is None else [game, *others]
    said = (game_support(name).describe_word(t, word) for name in asked)
    return next((one for one in said if one is not None), word)


def describe_action(t: Translate, action: str, game: str | None = None) -> str:
    """An action without its seat, spoken; what is no action stays as it is."""
    seat, _, word = action.partition(" ")
    if seat.isdigit() and word:
        spoken = describe_word(t, word, game)
        return spoken if spoken != word or word in announcement_kinds() else action
    cards = action.split(" ")
    if all(len(card) == 2 for card in cards):  # an attempt of a cut
        return " ".join(describe_word(t, card, game) for card in cards)
    return describe_word(t, action, game)


def truncated(text: str) -> str:
    """The beginning of a text that is longer than a sentence tells."""
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"


def describe_value(t: Translate, value: Any, as_cards: bool, game: str | None = None) -> str:
    """A value of a finding in a sentence; `as_cards` where it may be cards and actions."""
    if isinstance(value, list | tuple):
        items = list(value)
        if as_cards:  # actions in fewer words, by the own game or by each that has such words
            for name in games() if game is None else (game,):
                items = game_support(name).summarize_actions(t, items)
        told = [describe_value(t, item, as_cards, game) for item in items[:MAX_LIST_ITEMS]]
        return ", ".join(told + ["…"] * (len(items) > MAX_LIST_ITEMS)) or "–"
    if isinstance(value, str):
        return truncated(describe_action(t, value, game) if as_cards else value)
    return "–" if value is None else str(value)


def describe_seat(t: Translate, seat: Any, names: list[str]) -> str:
    """A seat from 1 with its player's name; 0 and None are nobody."""
    if isinstance(seat, list):
        *first, last = [describe_seat(t, one, names) for one in seat] or [t(NOBODY_TEXT)]
        return t("{one} or {other}", one=", ".join(first), other=last) if first else last
    if not seat:
        return t("nobody (drawn partie)") if seat == 0 else t(NOBODY_TEXT)
    if isinstance(seat, int) and 0 < seat <= len(names):
        return t("{name} (seat {seat})", name=truncated(names[seat - 1]), seat=seat)
    return t("seat {seat}, which there is not", seat=seat)


def describe_winner(t: Translate, winner: Any, detail: dict[str, Any]) -> str:
    """Who wins, a seat or a side from 1: partners go by their names, with no seat of their own."""
    names, sides = detail.get("names", []), detail.get("sides", [])
    if winner == "?":  # not this one, and which other depends on cards nobody wrote down
        return "?"
    if len(sides) == len(names) or not (isinstance(winner, int) and 0 < winner <= len(sides)):
        return describe_seat(t, winner, sides)
    return truncated(str(sides[winner - 1]))


def describe_score_line(t: Translate, deal: Any, game: str, names: Sequence[str]) -> list[str]:
    """What a line of a score sheet tells besides points and winner; `names` are the players'."""
    line = deal.told
    if line is None:
        return []
    said = game_support(game).describe_score_line(t, line, names)
    if line.end is not None:
        seat = line.end.partition(" ")[0]
        action = describe_action(t, line.end, game)
        said.append(t("{who}: {action}", who=player_at_seat(seat, names), action=action))
    return said
