"""What is said of a card after sampling, or of one that is not sampled."""

from typing import NamedTuple


class Unsampled(NamedTuple):
    """Why nothing is sampled."""

    reason: str
    """`game`, `partial`, `irregular` or `card`."""


class Compared(NamedTuple):
    """One number of a card, over the deals sampled, and what it differs from the card laid."""

    mean: float
    less: float
    """The mean of the card laid minus this one, deal by deal."""
    error: float
    """The standard error of `less`, in pairs: the same deals were played on with both cards."""

    @property
    def shown(self) -> bool:
        """Whether the difference is past three standard errors, so that it may be spoken of."""
        return self.less != 0 and abs(self.less) > FAR * self.error


FAR = 3
"""Standard errors past which a difference is no chance of the deals drawn."""


class Chance(NamedTuple):
    """What came of a card that could be laid."""

    card: int
    won: Compared
    """The share of deals won by the seat, or its side; of one nobody wins each has a like share."""
    margin: Compared
    """Points at the end minus those of the other, or of the best of the others."""


class Chances(NamedTuple):
    """What came of every card that could be laid in place of one that was."""

    action: int
    seat: int
    played: int
    """The card that was laid."""
    deals: int
    """How many were sampled; 1 where only one fits."""
    cards: tuple[Chance, ...]
    """In the order of their codes, the card laid among them."""

    @property
    def only(self) -> bool:
        """Whether a single deal fits, so that nothing is left to chance but how others play."""
        return self.deals == 1
