"""Which part of a Chouine deal can be solved, and its values."""

from typing import Any

import numpy as np

from engine import solver_results
from engine.chouine import kernel
from engine.solver_results import NotSolved

PLAYERS = 2


class Solver(solver_results.Solver):
    """Solves deals once nothing is left to draw."""

    required_option = "one_per_suit=false"

    @property
    def endgame(self) -> Any:
        from engine.chouine import endgame

        return endgame

    def refusal(self, rules: np.void, players: int) -> NotSolved | None:
        """Refuse three and four players, and options that make announcements interdependent."""
        if players != PLAYERS:
            return NotSolved("players", str(players))
        if not rules["one_per_suit"] and rules["announce_with"]:
            return NotSolved("option", "one_per_suit=false")
        if rules["one_per_play"]:
            return NotSolved("option", "one_per_play=true")
        if rules["announce_with"] and not rules["turn_up"]:
            return NotSolved("option", "announce_with=combination, turn_up=false")
        return None


SOLVER = Solver(kernel)
