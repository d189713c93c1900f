"""Which part of a Chouine deal can be solved, and its values."""

from typing import Any

import numpy as np

from engine import solver_results
from engine.chouine import kernel
from engine.solver_results import NotSolved

PLAYERS = 2
INFINITE_MARGIN = 10_000
"""Greater than any margin."""


class Solver(solver_results.Solver):
    """Solves deals once nothing is left to draw, and single states with a talon left."""

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

    def winner(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Return the winner from any state, with an open talon; None: not solved, or past `limit`.

        States with a talon left need a card turned up and announcements allowed with any card.
        """
        if state["over"] != kernel.OPEN:
            return 0 if state["winner"] < 0 else 1 - 2 * int(state["winner"])
        ahead = int(kernel.total(state, 0) - kernel.total(state, 1)) * _side_sign(state)
        found = self._search(state, rules, -ahead - 1, 1 - ahead, limit)
        return None if found is None else int(np.sign(ahead + found)) * _side_sign(state)

    def margin(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Return the final margin in points; beyond a thousand, a chouine wins (CH-22)."""
        made = int(kernel.total(state, 0) - kernel.total(state, 1))
        if state["over"] == kernel.OVER:
            return made
        found = self._search(state, rules, -INFINITE_MARGIN, INFINITE_MARGIN, limit)
        return None if found is None else made + _side_sign(state) * found

    def _search(self, state: np.void, rules: np.void, alpha: int, beta: int, limit: int) -> int | None:
        """Return the margin still to come for the seat to act, exact within (alpha, beta)."""
        if self.refusal(rules, int(state["players"])) is not None:
            return None
        simple = rules["turn_up"] and rules["one_per_suit"] and not rules["announce_with"]
        if state["over"] != kernel.OPEN or state["chouine"] >= 0 or state["to_draw"]:
            return None
        if state["drawn"] >= state["drawable"] and (state["on_table"] or not simple):
            judged = self.solve_states(np.array([state]), rules)
            if isinstance(judged, NotSolved):
                return None
            return (int(judged.final_margins[0]) - judged.lead) * _side_sign(state)
        if not simple:
            return None
        from engine.chouine import double_dummy

        value, given_up = double_dummy.solve_double_dummy(state, rules, alpha, beta, limit)
        return None if given_up else int(value)


def _side_sign(state: np.void) -> int:
    return 1 - 2 * int(state["turn"])


SOLVER = Solver(kernel)
