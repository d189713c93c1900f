"""Result types of the endgame solver."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.jit import is_compiled

REASONS = (
    *("", "game", "players", "option", "partial", "never", "irregular", "at-once", "limit"),
    *("stopped", "untold"),
)
"""Why a deal is not solved; the first of one that is."""
(
    _,
    GAME,
    PLAYERS,
    OPTION,
    HIDDEN_CARDS,
    NOT_REACHED,
    IRREGULAR,
    INSTANT_WIN,
    LIMIT,
    STOPPED,
    NOT_RECORDED,
) = range(len(REASONS))


class NotSolved(NamedTuple):
    """Why a deal is not solved, and what it is due to, where there is more to say."""

    reason: str
    """One of `REASONS`."""
    detail: str = ""
    action_index: int | None = None
    """The action, from 0, that is against the rules."""


class EndgameValues(NamedTuple):
    """States of one deal, with best play from each on: an entry a state."""

    lead: int
    """What side 1 had made more than side 2 at the first of them."""
    final_margins: NDArray[np.int64]
    """What side 1 will have made when the deal is at its end, minus what side 2 will."""
    best_cards: NDArray[np.int64]
    """The cards by which whoever has the turn gets there, as masks."""
    winners: NDArray[np.int64]
    """1 or -1 for side 1 or 2, 0 for nobody."""


class PlayedCard(NamedTuple):
    """A card that was laid, and what it cost its player's side."""

    action: int
    seat: int
    lost: int
    """Points: with best play before, minus with best play after. Never negative."""
    best: tuple[int, ...]
    """Every card with which nothing is lost, whatever is announced with it."""


class EndgameReport(NamedTuple):
    """The end of a deal, solved; actions and seats count from 0."""

    start: int
    """The action with which what is solved begins."""
    margin: int
    """There, what side 1 still makes minus what side 2 does, both playing their best."""
    lead: int
    """There, what side 1 had made more than side 2."""
    plays: tuple[PlayedCard, ...]
    turning: int | None
    """The last action before which another would have won than after it."""


class BidChoice(NamedTuple):
    """A card that a seat chose before play, against those it had left, by what came of the deal."""

    seat: int
    card: int
    """By its place among the game's."""
    points: int
    """What it scored."""
    best_points: int
    """What the best of those left would have."""
    best_bids: tuple[int, ...]
    """Every card that would have scored that."""

    @property
    def points_lost(self) -> int:
        """Points; never negative."""
        return self.best_points - self.points


class BidRegretReport(NamedTuple):
    """What each seat of a deal chose before play, in their order."""

    choices: tuple[BidChoice, ...]


class Solver:
    """The end of a game's deals with best play, where that can be reckoned, by its `endgame`."""

    required_option = ""
    """Which option is in the way where `endgame.refusal` says that one is."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    @property
    def endgame(self) -> Any:
        """The module that reckons, compiled for who solves alone: imported when it is asked for."""
        raise NotImplementedError

    def is_jit_cached(self) -> bool:
        """Whether it is compiled already, which takes seconds and is done once for a machine."""
        functions = ("solvable_from", "solve_states", "best_play_winners")
        return is_compiled(self.kernel.start, *(f"endgame.{name}" for name in functions))

    def refusal(self, rules: np.void, players: int) -> NotSolved | None:
        """Why no deal at such a table is solved; None: deals are."""
        return None

    def solvable_from(self, states: NDArray[np.void]) -> int | None:
        """The first of a deal's states from which all are solved; None: it never got so far."""
        first = int(self.endgame.solvable_from(states))
        return None if first < 0 else first

    def solve_states(self, states: NDArray[np.void], rules: np.void) -> EndgameValues | NotSolved:
        """Solve states that follow one another, from the one of `solvable_from` on."""
        own = self.endgame
        if why := own.refusal(states[0], rules):
            return NotSolved(REASONS[why], self.required_option if why == OPTION else "")
        margins, best, won = np.zeros((3, len(states)), np.int64)
        own.solve_states(states, rules, margins, best)
        own.best_play_winners(states, margins, won)
        return EndgameValues(int(own.current_lead(states[0])), margins, best, won)

    def winner(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Who wins from a state on, all cards seen: 1 or -1 for side 1 or 2, 0 for nobody.

        None: undecided when `limit` beginnings of tricks were looked at, or not solved at all.
        """
        raise NotImplementedError

    def margin(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Side 1's points minus side 2's at the end, all cards seen; None: as of `winner`."""
        raise NotImplementedError
