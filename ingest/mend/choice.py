"""Which of the edits that stood their trial is offered: one that is alone, or else a few to choose.

All kinds of slip are weighed together. Of those that leave the fewest faults each has its share of
what is likely; one whose share is `SURE` is alone. Edits that make the very same log are one.
"""

from collections.abc import Hashable, Iterable
from math import exp
from typing import Any, NamedTuple

from ingest.finding.finding import Candidate, Edit
from ingest.mend.likely import SURE

MOST = 5
"""Candidates that are told."""
LEAST = 0.005
"""The share of one that is still told."""
ALIKE = 0.9
"""As likely as the first: where more are than can be told, a few of them are nothing to choose."""


class Stood(NamedTuple):
    """An edit that stood its trial: what it leaves, how likely it is, and what it makes."""

    left: int
    weight: float
    edit: Edit
    same: Hashable
    """Equal for edits that make the same log."""
    points: list[Any] | None = None
    winner: Any = None
    ends: bool = True
    """Whether the deal comes to its end then."""


class Choice(NamedTuple):
    """`edit` if one is alone, else the likeliest first; both empty where nothing stood."""

    edit: Edit | None = None
    candidates: tuple[Candidate, ...] = ()
    best: Stood | None = None


def choose(stood: Iterable[Stood], other: float | None = None) -> Choice:
    """The one edit that is alone, or those there are to choose among.

    `other`: how likely it is that what happened is none of them.
    """
    stood = list(stood)
    least = min((one.left for one in stood), default=0)
    shares: dict[Hashable, float] = {}
    first: dict[Hashable, Stood] = {}
    best = [one for one in stood if one.left == least]
    top = max((one.weight for one in best), default=0.0)
    for one in best:
        shares[one.same] = shares.get(one.same, 0.0) + exp(one.weight - top)
        if one.same not in first or one.weight >= first[one.same].weight:
            first[one.same] = one
    if not shares:
        return Choice()
    total = sum(shares.values()) + (0.0 if other is None else exp(other - top))
    order = sorted(shares, key=lambda same: shares[same], reverse=True)
    winner = first[order[0]]
    if shares[order[0]] >= SURE * total:
        return Choice(winner.edit, (), winner)
    if len(order) > MOST and shares[order[MOST]] > ALIKE * shares[order[0]]:
        return Choice(None, (), winner)
    told = [first[same] for same in order[:MOST] if shares[same] >= LEAST * total]
    return Choice(None, tuple(Candidate(one.edit, one.points, one.winner) for one in told), winner)
