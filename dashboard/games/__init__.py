"""Finds a game's `Game` class for the dashboard (`dashboard.games.base`).

A game's module stands on the dashboard's floor (`engine.games.register`) and is found by the
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
    """What the dashboard asks of a game. KeyError: no such game."""
    found: GameView = module_of(name, "dashboard").GAME
    return found


def game_titles() -> dict[str, str]:
    """Each game there is, and what it is called."""
    return {name: game_view(name).TITLE for name in game_names()}


def preset_label(preset: str | None, t: Translate) -> str:
    """What a preset is called; nothing for none."""
    called = preset_names().get(preset or "")
    return t(called) if called else preset or ""


def preset_names() -> dict[str, str]:
    """Presets that have a name, in no language yet."""
    return {preset: text for name in game_names() for preset, text in game_view(name).RULES.items()}


def match_score(row: Mapping[str, Any], t: Translate) -> str:
    """The score of a match, a row with the lists of `queries.people.seated`: `10 – 2`.

    Where manches decide it, they come first: `2 – 1 (12 – 11)`.
    """
    told = score_text(row["score"], row["game"], t)
    won: list[int] = [one for one in row["manches_won"] or () if one is not None]
    if not won or row["game"] not in game_names() or not game_view(row["game"]).STATISTICS.manches:
        return told
    # of a match whose log begins after its first manche, those it has need not say who won it
    if row["winner"] is None:
        by_manches = sum(won) > 0
    else:
        most = max(won)
        ahead = not row["winner"] or (won[row["winner"] - 1] == most and won.count(most) == 1)
        by_manches = ahead and sum(won) > 1
    return f"{score_text(row['manches_won'], row['game'], t)} ({told})" if by_manches else told


def games_with_bids() -> tuple[str, ...]:
    """The games that have contracts, as registered."""
    return tuple(name for name in game_names() if game_view(name).HEIGHTS)


def games_with_sections(*sections: str) -> tuple[str, ...]:
    """The games that have one of these sections of a player."""
    return tuple(name for name in game_names() if set(sections) & set(game_view(name).SECTIONS))


def is_suitless(kind: str) -> bool:
    """Whether announcements of a kind have no suit, so that none is in trump."""
    return any(kind in game_view(name).SUITLESS for name in game_names())


def all_definitions() -> dict[str, Definition]:
    """Every term by its key, those of games among the shared ones, as they are listed."""
    found: dict[str, Definition] = {}
    own = (term for name in game_names() for term in game_view(name).DEFINITIONS.items())
    for key, one in (*GLOSSARY_DEFINITIONS.items(), *SHARED_DEFINITIONS.items(), *own):
        parts = [
            text for name in game_names() if (text := game_view(name).DEFINITION_ADDITIONS.get(key))
        ]
        found[key] = one._replace(parts=tuple(parts))
    # each term that names another one comes after it; the others stay as they stand
    keys = [key for key, one in found.items() if one.after not in found]
    waiting = [key for key in found if key not in keys]
    while waiting:
        key = next(key for key in waiting if found[key].after in keys)
        waiting.remove(key)
        keys.insert(keys.index(found[key].after) + 1, key)
    return {key: found[key] for key in keys}


def definition_tooltip(key: str, t: Translate) -> str:
    """A definition as it is shown on hover, with the way to the page of terms."""
    return f"{all_definitions()[key].text_in(t)} [→](regles?def={key})"
