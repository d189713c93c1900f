"""The games on the dashboard's floor: each one's module has its `Game` (`dashboard.games.base`).

A game's module stands on the dashboard's floor (`engine.games.register`) and is found by the
game's name.
"""

from collections.abc import Mapping
from typing import Any

from dashboard.games.base import Game as Game
from dashboard.text.definitions import GLOSSARY, SHARED, Definition
from dashboard.text.labels import score_of
from engine.games import names, part
from ingest.i18n import Translate


def of(name: str) -> Game:
    """What the dashboard asks of a game. KeyError: no such game."""
    found: Game = part(name, "dashboard").GAME
    return found


def titles() -> dict[str, str]:
    """Each game there is, and what it is called."""
    return {name: of(name).TITLE for name in names()}


def rules_named(preset: str | None, t: Translate) -> str:
    """What a preset is called; nothing for none."""
    called = rules_called().get(preset or "")
    return t(called) if called else preset or ""


def rules_called() -> dict[str, str]:
    """Presets that have a name, in no language yet."""
    return {preset: text for name in names() for preset, text in of(name).RULES.items()}


def score(row: Mapping[str, Any], t: Translate) -> str:
    """The score of a match, a row with the lists of `queries.people.seated`: `10 – 2`.

    Where manches decide it, they come first: `2 – 1 (12 – 11)`.
    """
    told = score_of(row["score"], row["game"], t)
    won: list[int] = [one for one in row["manches_won"] or () if one is not None]
    if not won or row["game"] not in names() or not of(row["game"]).STATISTICS.manches:
        return told
    # of a match whose log begins after its first manche, those it has need not say who won it
    if row["winner"] is None:
        by_manches = sum(won) > 0
    else:
        most = max(won)
        ahead = not row["winner"] or (won[row["winner"] - 1] == most and won.count(most) == 1)
        by_manches = ahead and sum(won) > 1
    return f"{score_of(row['manches_won'], row['game'], t)} ({told})" if by_manches else told


def bidding() -> tuple[str, ...]:
    """The games that have contracts, as registered."""
    return tuple(name for name in names() if of(name).HEIGHTS)


def with_sections(*sections: str) -> tuple[str, ...]:
    """The games that have one of these sections of a player."""
    return tuple(name for name in names() if set(sections) & set(of(name).SECTIONS))


def is_suitless(kind: str) -> bool:
    """Whether announcements of a kind have no suit, so that none is in trump."""
    return any(kind in of(name).SUITLESS for name in names())


def definitions() -> dict[str, Definition]:
    """Every term by its key, those of games among the shared ones, as they are listed."""
    found: dict[str, Definition] = {}
    own = (term for name in names() for term in of(name).DEFINITIONS.items())
    for key, one in (*GLOSSARY.items(), *SHARED.items(), *own):
        parts = [text for name in names() if (text := of(name).IN_DEFINITIONS.get(key))]
        found[key] = one._replace(parts=tuple(parts))
    # each term that names another one comes after it; the others stay as they stand
    keys = [key for key, one in found.items() if one.after not in found]
    waiting = [key for key in found if key not in keys]
    while waiting:
        key = next(key for key in waiting if found[key].after in keys)
        waiting.remove(key)
        keys.insert(keys.index(found[key].after) + 1, key)
    return {key: found[key] for key in keys}


def about(key: str, t: Translate) -> str:
    """A definition as it is shown on hover, with the way to the page of terms."""
    return f"{definitions()[key].told(t)} [→](regles?def={key})"
