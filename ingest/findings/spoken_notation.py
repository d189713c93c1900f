"""Cards, acts, seats and lists in the words of people.

Each game describes its own words (`GameSupport.describe_word`). If the game is unknown, the first
game that knows a word describes it: a card has the same name in all games.
"""

from collections.abc import Sequence
from typing import Any

from engine.games import game as game_of
from engine.games import game_names as games
from ingest.games import all_games, game_support
from ingest.games.base import player_at_seat
from ingest.i18n import N_, Translate

NO_ONE_TEXT = N_("no one")
STATUS_COUNT_TEXTS = {
    "legal": N_("legal: {n}"),
    "unverified": N_("unverified: {n}"),
    "result-only": N_("result only: {n}"),
    "irregular": N_("irregular: {n}"),
    "incomplete": N_("incomplete: {n}"),
    "broken": N_("broken: {n}"),
    "unreadable": N_("unreadable: {n}"),
}
"""Texts for the number of matches per verdict."""
MAX_LIST_ITEMS, MAX_CHARACTERS = 60, 100
"""Most list items, and most characters of a text or name, in a sentence."""
RESULT_ONLY_TEXT = N_("Only the result of this match is known: no card was written down.")
SCORE_LINE_TEXT = N_("A line of a score sheet: the cards of this deal were not recorded.")


def announcement_kinds() -> dict[str, str]:
    """Map every game's kinds of announcements to their names, to be translated."""
    return {kind: text for own in all_games().values() for kind, text in own.ANNOUNCEMENT_NAMES.items()}


def describe_word(t: Translate, word: str, game: str | None = None) -> str:
    """Describe a word (no seat) for players, by `game` first; an unknown word stays unchanged."""
    return _known_word(t, word, game) or word


def _known_word(t: Translate, word: str, game: str | None) -> str | None:
    others = [name for name in games() if name != game]
    requested = others if game is None else [game, *others]
    items = (game_support(name).describe_word(t, word) for name in requested)
    return next((one for one in items if one is not None), None)


def describe_action(t: Translate, action: str, game: str | None = None) -> str:
    """Describe an action without its seat; other texts stay unchanged."""
    seat, _, word = action.partition(" ")
    if seat.isdigit() and word:
        return action if (spoken := _known_word(t, word, game)) is None else spoken
    cards = action.split(" ")
    if all(len(card) == 2 for card in cards):  # an attempt at the cut
        return " ".join(describe_word(t, card, game) for card in cards)
    return describe_word(t, action, game)


def truncated(text: str) -> str:
    """Shorten a text to MAX_CHARACTERS, ending in an ellipsis."""
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + "…"


def describe_value(t: Translate, value: Any, as_cards: bool, game: str | None = None) -> str:
    """Describe a value of a finding; `as_cards`: it may hold cards and actions."""
    if isinstance(value, list | tuple):
        items = list(value)
        if as_cards:  # shorten repetitions, by the match's game or, if unknown, by every game
            for name in games() if game is None else (game,):
                items = game_support(name).summarize_actions(t, items)
        entries = [describe_value(t, item, as_cards, game) for item in items[:MAX_LIST_ITEMS]]
        return ", ".join(entries + ["…"] * (len(items) > MAX_LIST_ITEMS)) or "–"
    if isinstance(value, str):
        return truncated(describe_action(t, value, game) if as_cards else value)
    return "–" if value is None else str(value)


def describe_seat(t: Translate, seat: Any, names: list[str]) -> str:
    """Describe a seat, from 1, with its player's name; 0 and None mean no player."""
    if isinstance(seat, list):
        *first, last = [describe_seat(t, one, names) for one in seat] or [t(NO_ONE_TEXT)]
        return t("{one} or {other}", one=", ".join(first), other=last) if first else last
    if not seat:
        return t(NO_ONE_TEXT)
    if isinstance(seat, int) and 0 < seat <= len(names):
        return t("{name} (seat {seat})", name=truncated(names[seat - 1]), seat=seat)
    return t("seat {seat}, which does not exist", seat=seat)


def describe_winner(t: Translate, winner: Any, detail: dict[str, Any]) -> str:
    """Describe the winner, a seat or side from 1; partners by their names, without a seat."""
    names, sides = detail.get("names", []), detail.get("sides", [])
    if winner == "?":  # wrong, but the right one depends on hidden cards
        return "?"
    if len(sides) == len(names) or not (isinstance(winner, int) and 0 < winner <= len(sides)):
        return describe_seat(t, winner, sides)
    return truncated(str(sides[winner - 1]))


def describe_result(t: Translate, match: Any, winner: int | None) -> list[str]:
    """Describe the result of a match of which nothing else is known: score and winner, as far as known.

    `winner`: a seat or side from 0, -1 if it was drawn; None: unknown.
    """
    names = [player.display_name for player in match.players]
    count = game_of(match.game).side_count(len(names))
    sides = [truncated(" + ".join(names[side::count])) for side in range(count)]
    score, texts = match.result.score or [], list[str]()
    if len(score) == count == 2:
        texts.append(f"{sides[0]} {score[0]} – {score[1]} {sides[1]}")
    elif len(score) == count:
        texts.append(" · ".join(f"{who} {points}" for who, points in zip(sides, score, strict=True)))
    if winner is not None:
        texts.append(t("Winner: {who}", who=sides[winner] if winner >= 0 else t(NO_ONE_TEXT)))
    return texts


def describe_score_line(t: Translate, deal: Any, game: str, names: Sequence[str]) -> list[str]:
    """Describe a score sheet line except points and winner; `names` are the players'."""
    line = deal.score_line
    if line is None:
        return []
    result = game_support(game).describe_score_line(t, line, names)
    if line.end is not None:
        seat = line.end.partition(" ")[0]
        action = describe_action(t, line.end, game)
        result.append(t("{who}: {action}", who=player_at_seat(seat, names), action=action))
    return result
