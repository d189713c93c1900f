"""Matches solved beside the pages that show them: nobody waits longer than one hardly sees.

The solver of a game is compiled once for a machine, which takes seconds, and a long match takes a
while. Who asks meanwhile is told that it is not there yet, and asks again.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence

from engine.games import Game, game, names
from ingest.judge.explain import Explained
from ingest.judge.solved import SolvedDeal, prepare, solved_deals

PATIENCE = 0.1
"""Seconds that who asks waits for it."""
MOST = 64
"""Matches that are kept solved."""


class _Match:
    """A match that is being solved, or is."""

    def __init__(self, log: Explained) -> None:
        self.deals: Sequence[SolvedDeal] | None = None
        self.done = threading.Event()
        threading.Thread(target=self._solve, args=(log,), daemon=True, name="solver").start()

    def _solve(self, log: Explained) -> None:
        try:
            assert log.table is not None
            _prepared(log.table.game)
            self.deals = tuple(solved_deals(log, "", 1))
        finally:
            self.done.set()


_kept: OrderedDict[tuple[str, bytes], _Match] = OrderedDict()
_keeping, _preparing = threading.Lock(), threading.Lock()


def warm() -> None:
    """Have all solvers compiled, in the background."""
    threading.Thread(target=_warm, daemon=True, name="solver").start()


def _warm() -> None:
    for name in names():
        _prepared(game(name))


def _prepared(own: Game) -> None:
    with _preparing:
        prepare(own)


def solved(log: Explained, patience: float = PATIENCE) -> Sequence[SolvedDeal] | None:
    """Every deal of a match that was explained, solved; None: not yet."""
    if log.match is None or log.table is None:
        return ()
    key = log.match_id, log.table.rules.tobytes()
    with _keeping:
        match = _kept.get(key) or _Match(log)
        _kept[key] = match
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    match.done.wait(patience)
    return match.deals
