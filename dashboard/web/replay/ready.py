"""What takes seconds to compile, once for a machine, done before somebody waits for it."""

import threading
from functools import cache

from engine.games import game, names
from engine.onward import prepare


@cache
def begin() -> None:
    """Have it compiled in the background; only the first call does anything."""
    threading.Thread(target=_prepare, daemon=True, name="ready").start()


def _prepare() -> None:
    for name in names():
        prepare(game(name))
