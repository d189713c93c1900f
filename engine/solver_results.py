"""Result types of the endgame solver."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.jit import is_compiled

REASONS = (
    *("", "game", "players", "option", "partial", "never", "irregular", "at-once"),
    *("stopped", "bids-unknown"),
)
"""Why a deal is not solved; the first, empty one means a solved deal."""
(_, GAME, PLAYERS, OPTION, HIDDEN_CARDS, NOT_REACHED, IRREGULAR, INSTANT_WIN, STOPPED, NOT_RECORDED) = range(
    len(REASONS)
)


class NotSolved(NamedTuple):
    """Why a deal is not solved, with a detail for some reasons."""

    reason: str
    """One of `REASONS`."""
    detail: str = ""
    action_index: int | None = None
    """The action, from 0, that breaks the rules."""


class EndgameValues(NamedTuple):
    """States of one deal with best play from each; arrays have one entry per state."""

    lead: int
    """Points of side 1 minus those of side 2 at the first state."""
    final_margins: NDArray[np.int64]
    """Points of side 1 minus those of side 2 at the end of the deal."""
    best_cards: NDArray[np.int64]
    """Masks of the cards that reach this margin, for the seat to act."""
    winners: NDArray[np.int64]
    """1 or -1 for side 1 or 2, 0 for none."""


class PlayedCard(NamedTuple):
    """A card that was played, and the points it cost its player's side."""

    action: int
    seat: int
    lost: int
    """Points with best play before the card minus those with best play after; never negative."""
    best_cards: tuple[int, ...]
    """All cards that lose nothing when played with the right announcements."""


class EndgameReport(NamedTuple):
    """The solved end of a deal; actions and seats count from 0."""

    first_action: int
    """The first solved action."""
    margin: int
    """Points side 1 still makes from there minus those of side 2, with best play by both."""
    points_lead: int
    """Points of side 1 minus those of side 2 at the start."""
    plays: tuple[PlayedCard, ...]
    turning_action: int | None
    """The last action that changed the winner under best play."""


class BidChoice(NamedTuple):
    """A seat's bid card compared with the others it had left, given how the deal was played."""

    seat: int
    card: int
    """Its index among the game's bid cards."""
    points: int
    """Points it scored."""
    best_points: int
    """Points the best remaining bid card would have scored."""
    best_bids: tuple[int, ...]
    """All bid cards that would have scored `best_points`."""

    @property
    def points_lost(self) -> int:
        """Points lost by not bidding the best card; never negative."""
        return self.best_points - self.points


class BidRegretReport(NamedTuple):
    """The bid choices of a deal, in the order of the seats."""

    choices: tuple[BidChoice, ...]


class Solver:
    """Solves the ends of a game's deals with its compiled `endgame` module."""

    required_option = ""
    """The option value that prevents solving, if `endgame.refusal` returns OPTION."""
    free_announcements: frozenset[int] = frozenset()
    """Acts that count for the deal's result but in no margin: best play makes them if the margin stays."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    @property
    def endgame(self) -> Any:
        """The compiled module, imported on first use because only solving needs it."""
        raise NotImplementedError

    def is_jit_cached(self) -> bool:
        """Return whether the compiled code is cached; compiling takes seconds, once per machine."""
        functions = ("solvable_from", "solve_states", "best_play_winners")
        return is_compiled(self.kernel.start, *(f"endgame.{name}" for name in functions))

    def refusal(self, rules: np.void, players: int) -> NotSolved | None:
        """Return why no deal with these rules and players is solved; None: deals are."""
        return None

    def solvable_from(self, states: NDArray[np.void]) -> int | None:
        """Return the index of the first state from which all are solved; None: never reached."""
        first = int(self.endgame.solvable_from(states))
        return None if first < 0 else first

    def solve_states(self, states: NDArray[np.void], rules: np.void) -> EndgameValues | NotSolved:
        """Solve successive states of a deal, none before `solvable_from`."""
        own = self.endgame
        if why := own.refusal(states[0], rules):
            return NotSolved(REASONS[why], self.required_option if why == OPTION else "")
        margins, best, won = np.zeros((3, len(states)), np.int64)
        own.solve_states(states, rules, margins, best)
        own.best_play_winners(states, rules, margins, won)
        return EndgameValues(int(own.current_lead(states[0])), margins, best, won)
