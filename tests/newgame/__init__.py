"""A game the project has never heard of, as small as one can be: the example of a new game.

`engine/` has its rules (Brelin, made up for the purpose), `schemas.py` its document, `ingest.py`
its rows and its words, `dashboard.py` its board and its figures. The project finds them by the
names that are registered here and nowhere else; docs/a-new-game.md tells the way through.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine import games

NAME = "brelin"
MODULES: dict[str, Any] = {
    "engine": "tests.newgame.engine",
    "schemas": "tests.newgame.schemas",
    "ingest": "tests.newgame.ingest",
    "dashboard": "tests.newgame.dashboard",
    "texts": ("tests.newgame",),
}
"""What is registered: a module a floor, and the package that has the catalogue."""


@contextmanager
def registered(**other: Any) -> Iterator[str]:
    """Have the project know the game while the block runs; its name. `other` modules replace."""
    games.register(NAME, **(MODULES | other))
    try:
        yield NAME
    finally:
        games.unregister(NAME)


def log(*actions: str, **sheet: Any) -> dict[str, Any]:
    """A match of one deal: seat 2, who bids, has queen and ace of ♠, ♥ and ♦, seat 1 the rest."""
    deal = {"dealer": 1, "deck": "Qs Ks As Kh Qh Kd Ah Qc Qd Kc Ad Ac", "actions": list(actions)}
    return {
        "format": "retourne/1",
        "game": NAME,
        "players": [{"id": "jean", "name": "Jean"}, {"id": "zoe", "name": "Zoé"}],
        "deals": [deal | sheet],
    }
