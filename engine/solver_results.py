"""What is said of a deal that is solved, or of one that is not, and what a game's solver has."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.jit import is_compiled

REASONS = (
    *("", "game", "players", "option", "partial", "never", "irregular", "at-once", "limit"),
    *("stopped", "untold"),
)
"""Why a deal is not solved; the first of one that is."""
_, GAME, PLAYERS, OPTION, PARTIAL, NEVER, IRREGULAR, AT_ONCE, LIMIT, STOPPED, UNTOLD = range(
    len(REASONS)
)


class Unsolved(NamedTuple):
    """Why a deal is not solved, and what it is due to, where there is more to say."""

    reason: str
    """One of `REASONS`."""
    found: str = ""
    at: int | None = None
    """The action, from 0, that is against the rules."""


class Judged(NamedTuple):
    """States of one deal, with best play from each on: an entry a state."""

    made: int
    """What side 1 had made more than side 2 at the first of them."""
    margins: NDArray[np.int64]
    """What side 1 will have made when the deal is at its end, minus what side 2 will."""
    best: NDArray[np.int64]
    """The cards by which whoever has the turn gets there, as masks."""
    winners: NDArray[np.int64]
    """1 or -1 for side 1 or 2, 0 for nobody."""


class Play(NamedTuple):
    """A card that was laid, and what it cost its player's side."""

    action: int
    seat: int
    lost: int
    """Points: with best play before, minus with best play after. Never negative."""
    best: tuple[int, ...]
    """Every card with which nothing is lost, whatever is announced with it."""


class Solved(NamedTuple):
    """The end of a deal, solved; actions and seats count from 0."""

    start: int
    """The action with which what is solved begins."""
    margin: int
    """There, what side 1 still makes minus what side 2 does, both playing their best."""
    made: int
    """There, what side 1 had made more than side 2."""
    plays: tuple[Play, ...]
    turning: int | None
    """The last action before which another would have won than after it."""


class Choice(NamedTuple):
    """A card that a seat chose before play, against those it had left, by what came of the deal."""

    seat: int
    card: int
    """By its place among the game's."""
    points: int
    """What it scored."""
    most: int
    """What the best of those left would have."""
    best: tuple[int, ...]
    """Every card that would have scored that."""

    @property
    def lost(self) -> int:
        """Points; never negative."""
        return self.most - self.points


class Chosen(NamedTuple):
    """What each seat of a deal chose before play, in their order."""

    choices: tuple[Choice, ...]


class Solver:
    """The end of a game's deals with best play, where that can be reckoned, by its `endgame`."""

    option = ""
    """Which option is in the way where `endgame.refuses` says that one is."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    @property
    def endgame(self) -> Any:
        """The module that reckons, compiled for who solves alone: imported when it is asked for."""
        raise NotImplementedError

    def ready(self) -> bool:
        """Whether it is compiled already, which takes seconds and is done once for a machine."""
        functions = ("begins", "judge", "winners")
        return is_compiled(self.kernel.start, *(f"endgame.{name}" for name in functions))

    def refused(self, rules: np.void, players: int) -> Unsolved | None:
        """Why no deal at such a table is solved; None: deals are."""
        return None

    def begins(self, states: NDArray[np.void]) -> int | None:
        """The first of a deal's states from which all are solved; None: it never got so far."""
        first = int(self.endgame.begins(states))
        return None if first < 0 else first

    def judge(self, states: NDArray[np.void], rules: np.void) -> Judged | Unsolved:
        """Solve states that follow one another, from the one of `begins` on."""
        own = self.endgame
        if why := own.refuses(states[0], rules):
            return Unsolved(REASONS[why], self.option if why == OPTION else "")
        margins, best, won = np.zeros((3, len(states)), np.int64)
        own.judge(states, rules, margins, best)
        own.winners(states, margins, won)
        return Judged(int(own.so_far(states[0])), margins, best, won)

    def winner(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Who wins from a state on, all cards seen: 1 or -1 for side 1 or 2, 0 for nobody.

        None: undecided when `limit` beginnings of tricks were looked at, or not solved at all.
        """
        raise NotImplementedError

    def margin(self, state: np.void, rules: np.void, limit: int) -> int | None:
        """Side 1's points minus side 2's at the end, all cards seen; None: as of `winner`."""
        raise NotImplementedError
