"""A game the project has never heard of, as small as one can be: the example of a new game.

`engine/` has its rules (Brelin, made up for the purpose), `schemas.py` its document. The
project finds them by the names that are registered here and nowhere else; docs/a-new-game.md
tells the way through.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from engine import games

NAME = "brelin"


@contextmanager
def registered() -> Iterator[str]:
    """Have the project know the game while the block runs; its name."""
    games.register(
        NAME,
        engine="tests.newgame.engine",
        schemas="tests.newgame.schemas",
        ingest="tests.newgame.ingest",
        dashboard="tests.newgame.dashboard",
        texts=("tests.newgame",),
    )
    try:
        yield NAME
    finally:
        games.forget(NAME)
