"""Which part of a Coinche deal can be solved: its last five tricks."""

from typing import Any

import numpy as np

from engine import solver_results
from engine.coinche import kernel
from engine.coinche.actions import GENERALE_BID


class Solver(solver_results.Solver):
    """Solves deals under all rule options."""

    @property
    def endgame(self) -> Any:
        from engine.coinche import endgame

        return endgame

    def winner(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Return the bidding side if it makes the contract from a state after the auction (CO-11).

        None: undecided, or a générale before its first trick, where the bidder alone must take
        every trick, so that points do not decide.
        """
        if state["over"] == kernel.OVER:
            return int(self.endgame.best_play_winner(state, 0))
        bidder = 1 - 2 * (int(state["bidder"]) & 1)
        if state["contract"] == GENERALE_BID and not state["trick"]:
            return None
        aim = int(self.endgame.margin_needed(state))
        least = aim if bidder > 0 else 1 - aim  # the margin with which side 0 wins
        value, given_up = self.endgame.solve_double_dummy(state, least - 1, least, limit)
        return None if given_up else 1 if value >= least else -1

    def margin(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Return the final margin in card points (CO-10)."""
        far = int(self.endgame.INFINITE_MARGIN)
        value, given_up = self.endgame.solve_double_dummy(state, -far, far, limit)
        return None if given_up else int(value)


SOLVER = Solver(kernel)
