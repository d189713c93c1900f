"""That solvers are compiled, said on a terminal while it takes its time."""

from collections.abc import Iterable

from engine.games import Game
from ingest.cli.terminal import console, remark
from ingest.i18n import N_, Translate

SOLVING = N_("Deals are solved by compiled code, made now, once for this machine: some 10 seconds.")


def compiling(t: Translate, games: Iterable[Game]) -> None:
    """Say so where the solver of one of these games is not compiled yet."""
    solvers = (one.solver for one in games)
    if console(stderr=True).is_terminal and any(one and not one.ready() for one in solvers):
        remark(t(SOLVING))
