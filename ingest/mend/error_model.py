"""How likely a scribe wrote one thing for another, and which edit is alone by that.

Weights are natural logarithms. What is compared is how likely it is that a match which was right
came to read as it does: by a kind of slip (`Slip`), at one of the places it could have been made
at, to one of the things that could have been written instead. What was dealt and what is declared
stand on a sheet in plain sight and are read again: they are changed last of all.

All kinds of slip are weighed together. Of the edits that leave the fewest faults each has its share
of what is likely; one whose share is `SURE` is alone. Edits that make the very same log are one.
"""

import re
from collections.abc import Hashable, Iterable
from enum import Enum
from functools import lru_cache
from math import exp, log
from typing import Any, NamedTuple

from ingest.finding.finding import Candidate, Edit
from ingest.mend.misspellings import one_letter


class Slip(Enum):
    """A kind of slip: its weight before places and alternatives, and why it has it."""

    WORD = 0.0, "one action for another: the commonest slip, so the measure of the others"
    SEAT = 0.0, "as common: the seat is one sign, and written forty times a deal"
    MISSING = 0.0, "as common: the eye jumps a line"
    DOUBLED = 0.0, "as common: a line copied twice"
    EXTRA = -7.0, "what nobody did is hardly ever written down"
    SWAPPED = 0.0, "neighbours written in the wrong order"
    CARDS = 0.0, "two plays of one trick, each with the other's card"
    ORDER = -4.0, "two cards of one player, tricks apart: a memory that fails"
    MOVED = -3.5, "an announcement or an exchange noted late, or too early"
    OPENS = -0.5, "who deals follows from the deal before"
    DEALT = -1.0, "a hand is written before the play, and is the same for all of it"
    TURNED = -1.5, "a card of the deal written with the other face up"
    BID = -0.5, "one of five bid cards for another"
    DECLARED = -3.5, "a total is added up by two, and read out: it is evidence before it is a fault"

    @property
    def weight(self) -> float:
        return float(self.value[0])


UNSHOWN = "~"  # how the word of an announcement ends that was never shown
UNSEEN = -5.0  # an announcement never shown changes nothing: it fits wherever something is too many
AGAIN = -4.0  # nobody leaves out an announcement that stands there as one not shown
COPIED = -4.0  # a card that is played elsewhere in the deal, copied once more
APART = -2.5  # for every action between two plays that have each other's card
NEVER_PLAYED = -11.0  # a card nobody played is not written down, unless it is one written twice
FAR = -12.0  # of two words that have nothing in common
UNENDED = -5.0  # hardly anybody stops writing in the middle of a deal
MISREAD = -30.0  # a word that names one act in another spelling was meant for no other
NO_WORD = -10.0  # nobody writes what is no word in addition
OUT_OF_TURN = -2.5  # an act that may be out of turn mostly is not
LEAST_DECLARED = -7.0
"""Of a number however far off: a sheet that the play contradicts is wrong somewhere."""
ELSE = -13.0  # of some slip that is not in the table: what is less likely than that is never alone
ELSE_OF_TWO = -20.0  # of more slips than two, or of one that is not in the table
SURE = 0.95  # the share of what is likely that one candidate must have, to be alone
SURE_OF_TWO = 0.995  # the same of the first of two slips, of which there are so many more
MOST = 5  # candidates that are told
LEAST = 0.005  # the share of one that is still told
ALIKE = 0.9
"""As likely as the first: where more are than can be told, a few of them are nothing to choose."""

_PART = re.compile(r"\d+|[a-z]+|[A-Z]|~")
_NUMBER = re.compile(r"[0-9]+")


@lru_cache(maxsize=65536)
def written(word: str, meant: str, alike: bool) -> float:
    """One known word for another, without their seats; `alike`: both are of one kind of act.

    One part of it is written wrong more often than all: a rank, a suit, a face's colour or value,
    a height.
    """
    if not alike:
        return log(0.2 / 60) + UNSEEN * meant.endswith(UNSHOWN)
    if word.rstrip(UNSHOWN) == meant.rstrip(UNSHOWN):
        return log(0.7 / 2)  # one sign, for the same announcement
    # a card of the pack is its rank and its suit
    one, other = (list(said) if len(said) == 2 else _PART.findall(said) for said in (word, meant))
    slight = len(one) == len(other) and sum(map(str.__ne__, one, other)) == 1
    return log(0.7 / 10) if slight else log(0.3 / 25)


@lru_cache(maxsize=65536)
def misspelt(word: str, meant: str) -> float:
    """A word nobody knows for one there is: a sign or two apart, or nothing to do with it.

    A number is another number: 95 is no nearer to 90 than to 100. The seat is no such number.
    """
    one, other = (_NUMBER.sub("0", said) for said in (word, meant))
    if one_letter(word, meant) or (word != meant and word[:2] == meant[:2] and one == other):
        return log(0.7 / 10)
    if sorted(word) == sorted(meant) and len(word) == len(meant):
        return log(0.2 / 4)
    same = sum(a == b for a, b in zip(word, meant, strict=False))
    return FAR + log(max(same / max(len(word), len(meant), 1), 0.05))


def number(told: int, right: int) -> float:
    """A number for another: two digits exchanged, one of them another, one or ten too many."""
    one, other = str(told), str(right)
    share = 2e-3  # a wrong addition may make any number
    if len(one) == len(other):
        apart = sum(a != b for a, b in zip(one, other, strict=True))
        if apart == 1:
            share += 0.4 / (9 * len(one))
        if sorted(one) == sorted(other) and apart == 2:
            share += 0.3 / len(one)
    elif one_letter(one, other):
        share += 0.1 / 10
    if abs(told - right) in (1, 10):
        share += 0.3 / 4
    return log(share)


def declared(told: Any, right: Any) -> float:
    """What a sheet declares for what it should: a list of numbers, or who won."""
    if not (isinstance(told, list) and isinstance(right, list)):
        return log(0.5)
    if len(told) != len(right):
        return log(1e-3)
    if sorted(told) == sorted(right):
        return log(0.1)  # each side's points written for the other's
    apart = [number(a, b) for a, b in zip(told, right, strict=True) if a != b]
    least = LEAST_DECLARED * len(apart)  # two numbers that differ are two slips
    return max(sum(apart) - log(max(len(told), 1)), least)


class Stood(NamedTuple):
    """An edit that stood its trial: what it leaves, how likely it is, and what it makes."""

    left: int
    weight: float
    edit: Edit
    same: Hashable  # equal for edits that make the same log
    points: list[Any] | None = None
    winner: Any = None
    ends: bool = True  # whether the deal comes to its end then


def choose(
    stood: Iterable[Stood], other: float | None = None
) -> tuple[Stood | None, tuple[Candidate, ...]]:
    """The one edit that is alone, or those there are to choose among, the likeliest first.

    `other`: how likely it is that what happened is none of them.
    """
    stood = list(stood)
    least = min((one.left for one in stood), default=0)
    best = [one for one in stood if one.left == least]
    if not best:
        return None, ()
    top = max(one.weight for one in best)
    shares: dict[Hashable, float] = {}
    first: dict[Hashable, Stood] = {}
    for one in best:
        shares[one.same] = shares.get(one.same, 0.0) + exp(one.weight - top)
        if one.same not in first or one.weight >= first[one.same].weight:
            first[one.same] = one
    total = sum(shares.values()) + (0.0 if other is None else exp(other - top))
    order = sorted(shares, key=lambda same: shares[same], reverse=True)
    if shares[order[0]] >= SURE * total:
        return first[order[0]], ()
    if len(order) > MOST and shares[order[MOST]] > ALIKE * shares[order[0]]:
        return None, ()
    told = [first[same] for same in order[:MOST] if shares[same] >= LEAST * total]
    return None, tuple(Candidate(one.edit, one.points, one.winner) for one in told)
