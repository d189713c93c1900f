"""What is said of a deal that is solved, or of one that is not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
