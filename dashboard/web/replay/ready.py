"""What takes half a minute to compile, once for a machine, done before somebody waits for it.

A process of its own compiles, so that this one goes on answering. Who comes to play on meanwhile is
told so.
"""

import subprocess
import sys
import threading
from functools import cache

from dashboard.api.problems import Problem
from engine.games import Game, game, names
from engine.onward import prepare, ready
from ingest.i18n import N_

COMPILING = N_(
    "The others play by compiled code, made now, once for this machine: some 30 seconds."
)
AGAIN = 5
"""Seconds after which it is looked again."""
_done = set[str]()
"""Games that are compiled, or could not be by that process: then whoever asks compiles them."""


@cache
def begin() -> None:
    """Have it compiled in the background; only the first call does anything."""
    threading.Thread(target=_prepare, daemon=True, name="ready").start()


def _prepare() -> None:
    for name in names():
        try:
            _compile(game(name))
        finally:
            _done.add(name)
        prepare(game(name))  # read from where it is kept


def _compile(own: Game) -> None:
    if ready(own):
        return
    # -P: a folder named as a package of ours where the server stands is not taken for it
    command = [sys.executable, "-P", "-m", "engine.onward", own.name]
    nothing = subprocess.DEVNULL
    subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)


def ask(own: Game) -> None:
    """Go on where a game is played on at once. Problem: it is still being compiled."""
    if own.name not in _done and not ready(own):
        raise Problem(503, COMPILING).after(AGAIN)
