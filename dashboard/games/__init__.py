"""Finds a game's `GameView` for the dashboard (`dashboard.games.base`).

A game's module is registered as its `dashboard` module (`engine.games.register`) and found by the
game's name.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.games.base import GameView as GameView
from dashboard.text.definitions import GLOSSARY_DEFINITIONS, SHARED_DEFINITIONS, Definition
from dashboard.text.labels import score_text
from engine.games import game_names, module_of
from ingest.i18n import Translate


def game_view(name: str) -> GameView:
    """Return a game's view for the dashboard. KeyError: no such game."""
    found: GameView = module_of(name, "dashboard").GAME
    return found


def game_titles() -> dict[str, str]:
    """Return each game's title by name."""
    return {name: game_view(name).TITLE for name in game_names()}


def preset_label(preset: str | None, t: Translate) -> str:
    """Return the label of a preset; an empty text for None."""
    called = preset_names().get(preset or "")
    return t(called) if called else preset or ""


def preset_names() -> dict[str, str]:
    """Return the presets that have a label, untranslated."""
    return {preset: text for name in game_names() for preset, text in game_view(name).RULES.items()}


def match_score(row: Mapping[str, Any], t: Translate) -> str:
    """Return the score of a match, a row with the lists of `seated_query`: `10 – 2`.

    If manches decide the match, they come first: `2 – 1 (12 – 11)`.
    """
    result = score_text(row["score"], row["game"], t)
    won: list[int] = [one for one in row["manches_won"] or () if one is not None]
    if not won or row["game"] not in game_names() or not game_view(row["game"]).STATISTICS.manches:
        return result
    # if a log begins after the first manche, its manches need not show who won the match
    if row["winning_side"] is None:
        by_manches = sum(won) > 0
    else:
        most = max(won)
        ahead = not row["winning_side"] or (won[row["winning_side"] - 1] == most and won.count(most) == 1)
        by_manches = ahead and sum(won) > 1
    return f"{score_text(row['manches_won'], row['game'], t)} ({result})" if by_manches else result


def games_with_bids() -> tuple[str, ...]:
    """Return the games that have contracts, in the order registered."""
    return tuple(name for name in game_names() if game_view(name).HEIGHTS)


def games_with_sections(*sections: str) -> tuple[str, ...]:
    """Return the games that have one of these sections of a player's profile."""
    return tuple(name for name in game_names() if set(sections) & set(game_view(name).SECTIONS))


def is_suitless(kind: str) -> bool:
    """Return whether announcements of a kind have no suit, so that none is in trump."""
    return any(kind in game_view(name).SUITLESS for name in game_names())


def _terms() -> dict[str, Definition]:
    """Return every term by key, shared ones before those of games, without additions."""
    found = {**GLOSSARY_DEFINITIONS, **SHARED_DEFINITIONS}
    for name in game_names():
        found |= game_view(name).DEFINITIONS
    return found


def _with_additions(key: str, term: Definition) -> Definition:
    """Return a term with the sentences that games add to it."""
    parts = [text for name in game_names() if (text := game_view(name).DEFINITION_ADDITIONS.get(key))]
    return term._replace(parts=tuple(parts))


def find_definition(key: str) -> Definition:
    """Return one term, as `all_definitions` has it. KeyError: no such term."""
    return _with_additions(key, _terms()[key])


def all_definitions() -> dict[str, Definition]:
    """Return every term by key, shared ones and those of games, in display order."""
    found = {key: _with_additions(key, term) for key, term in _terms().items()}
    # place each term that has an `after` behind that term; the others stay in order
    keys = [key for key, one in found.items() if one.after not in found]
    waiting = [key for key in found if key not in keys]
    while waiting:
        key = next(key for key in waiting if found[key].after in keys)
        waiting.remove(key)
        keys.insert(keys.index(found[key].after) + 1, key)
    return {key: found[key] for key in keys}


def definition_tooltip(key: str, t: Translate) -> str:
    """Return a definition for a tooltip, with a link to the page of terms."""
    return f"{find_definition(key).text_in(t)} [→](regles?term={key})"
