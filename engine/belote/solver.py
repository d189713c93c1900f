"""Which part of a Belote deal can be solved: its last five tricks."""

from typing import Any

from engine import solver_results
from engine.belote import kernel


class Solver(solver_results.Solver):
    """Solves deals under all rule options."""

    @property
    def endgame(self) -> Any:
        from engine.belote import endgame

        return endgame


SOLVER = Solver(kernel)
