"""A game's kernel compiled beside what reads its logs, by a process of its own: once a machine.

Reading and judging a first file in bulk take about the same time to be compiled, and numba compiles
one function at a time in a process. This one compiles what judges, as `python -m`; the other comes
to it later, and finds it or waits for it (`engine.kept`).
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from engine.games import game, names
from ingest.games import of

_GAME = re.compile(rb'"game"\s*:\s*"([^"\\]*)"')


def is_kept(function: Any) -> bool:
    """Whether something compiled of a function, as it is now, lies in its cache."""
    there: bool = function._cache.is_there()
    return there


PROGRAM = "ingest.judge.beside"
"""What is run as that process."""
begun: dict[str, subprocess.Popen[bytes] | None] = {}
"""By game, what this process has run."""
_one = Lock()


def begin(text: bytes, program: str = PROGRAM) -> subprocess.Popen[bytes] | None:
    """Have the kernel of the game a text seems to be of compiled, where it is not yet."""
    told = _GAME.search(text)
    name = told[1].decode(errors="replace") if told else ""
    with _one:  # threads come with batches of one file at the same time
        if name in names() and name not in begun:
            begun[name] = None if is_kept(game(name).kernel.run) else _run(program, name)
        return begun.get(name)


def _run(program: str, name: str) -> subprocess.Popen[bytes] | None:
    # -P: a folder named as a package of ours where the user stands is not taken for it
    command = [sys.executable, "-P", "-m", program, name]
    nothing = subprocess.DEVNULL
    try:
        return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:  # no room for another process: then all is compiled in this one
        return None


def main(told: Sequence[str]) -> None:
    """Judge no deal at all of each game, and have of its end what a store would."""
    from ingest.judge.numbers import from_explained, judge

    for name in told:
        numbers, own, none = from_explained(name, []), of(name), np.zeros(0, np.int64)
        states = judge(numbers).states
        own.seat(states, none, none)
        own.card_points(states)
        own.announced(states, numbers.rules, numbers.rule_of, none != 0)


if __name__ == "__main__":
    main(sys.argv[1:])
