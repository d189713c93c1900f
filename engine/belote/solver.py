"""Which part of a Belote deal can be solved: its last five tricks, unless its points are scaled (BE-23)."""

from typing import Any

from engine import solver_results
from engine.belote import kernel
from engine.belote.actions import BELOTE, REBELOTE


class Solver(solver_results.Solver):
    """Solves deals under all rule options; tout atout only where points were bid."""

    required_option = "sans_tout=true"
    free_announcements = frozenset((BELOTE, REBELOTE))

    @property
    def endgame(self) -> Any:
        from engine.belote import endgame

        return endgame


SOLVER = Solver(kernel)
