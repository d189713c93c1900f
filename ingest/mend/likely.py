"""How likely a scribe wrote one thing for another: the error model, in one table.

Weights are natural logarithms. What is compared is how likely it is that a match which was right
came to read as it does: by a kind of slip (`SLIPS`), at one of the places it could have been made
at, to one of the things that could have been written instead. What was dealt and what is declared
stand on a sheet in plain sight and are read again: they are changed last of all.
"""

import re
from enum import Enum
from functools import lru_cache
from math import log
from typing import Any

from ingest.mend.near import near, one_letter


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

    @property
    def reason(self) -> str:
        return str(self.value[1])


UNSHOWN = "~"
"""How the word of an announcement ends that was never shown."""
UNSEEN = -5.0
"""An announcement never shown changes nothing: it fits wherever something is too many."""
AGAIN = -4.0
"""Nobody leaves out an announcement that stands there as one not shown."""
COPIED = -4.0
"""A card that is played elsewhere in the deal, copied once more."""
APART = -2.5
"""For every action between two plays that have each other's card."""
SURE = 0.95
"""The share of what is likely that one candidate must have, to be alone."""
ELSE = -13.0
"""Of some slip that is not in the table: what is less likely than that is never alone."""
NEVER_PLAYED = -11.0
"""A card nobody played is not written down, unless it is one written twice."""
SURE_OF_TWO = 0.995
"""The same of the first of two slips, of which there are so many more."""
ELSE_OF_TWO = -20.0
"""Of more slips than two, or of one that is not in the table."""
FAR = -12.0
"""Of two words that have nothing in common."""
UNENDED = -5.0
"""Hardly anybody stops writing in the middle of a deal."""
MISREAD = -30.0
"""A word that names one act in another spelling was meant for no other."""
NO_WORD = -10.0
"""Nobody writes what is no word in addition."""
OUT_OF_TURN = -2.5
"""An act that may be out of turn mostly is not."""

_PART = re.compile(r"\d+|[a-z]+|[A-Z]|~")


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
    one, other = _parts(word), _parts(meant)
    slight = len(one) == len(other) and sum(map(str.__ne__, one, other)) == 1
    return log(0.7 / 10) if slight else log(0.3 / 25)


def _parts(word: str) -> list[str]:
    if len(word) == 2:  # a card of the pack: rank and suit
        return list(word)
    return _PART.findall(word)


@lru_cache(maxsize=65536)
def misspelt(word: str, meant: str) -> float:
    """A word nobody knows for one there is: a sign or two apart, or nothing to do with it.

    A number is another number: 95 is no nearer to 90 than to 100.
    """
    if near(word, meant):
        return log(0.7 / 10)
    crossed = sorted(word) == sorted(meant) and len(word) == len(meant)
    return log(0.2 / 4) if crossed else FAR + log(_common(word, meant))


def _common(word: str, meant: str) -> float:
    """The share of signs two words have in common, at least a little."""
    same = sum(a == b for a, b in zip(word, meant, strict=False))
    return max(same / max(len(word), len(meant), 1), 0.05)


def number(told: int, right: int) -> float:
    """A number for another: two digits exchanged, one of them another, one or ten too many."""
    one, other = str(told), str(right)
    share = 2e-3  # a wrong addition may make any number
    if len(one) == len(other):
        apart = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(apart) == 1:
            share += 0.4 / (9 * len(one))
        if sorted(one) == sorted(other) and len(apart) == 2:
            share += 0.3 / len(one)
    elif one_letter(one, other):
        share += 0.1 / 10
    if abs(told - right) in (1, 10):
        share += 0.3 / 4
    return log(share)


LEAST_DECLARED = -7.0
"""Of a number however far off: a sheet that the play contradicts is wrong somewhere."""


def declared(told: Any, right: Any) -> float:
    """What a sheet declares for what it should: a list of numbers, or who won."""
    if isinstance(told, list) and isinstance(right, list):
        if len(told) != len(right):
            return log(1e-3)
        if sorted(told) == sorted(right):
            return log(0.1)  # each side's points written for the other's
        apart = [number(a, b) for a, b in zip(told, right, strict=True) if a != b]
        least = LEAST_DECLARED * len(apart)  # two numbers that differ are two slips
        return max(sum(apart) - log(max(len(told), 1)), least)
    return log(0.5)
