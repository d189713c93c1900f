"""The rules a second time, from `docs/rules.md`: slow, in sets and words, to doubt the kernels.

Nothing here knows the engine, and nothing but tests may use it. A game has a class with `do`,
which takes one action as written and says whether the rules allow it; after a refusal it is done.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from tests.reference import belote, chouine, chouineurs, coinche


class Play(Protocol):
    """One deal being played."""

    @property
    def ended(self) -> bool:
        """Whether somebody has won, or nobody can any more."""

    def do(self, action: str) -> bool:
        """Apply an action; False when the rules refuse it."""

    def outcome(self) -> tuple[list[int], int] | None:
        """(points, winner) of an ended deal as a sheet writes them; None: nothing to compare."""


class DealReading(NamedTuple):
    """What the reference makes of one deal."""

    refused: int | None
    """The first action it refuses, from 0; None when it takes them all."""
    ended: bool
    outcome: tuple[list[int], int] | None
    play: Play


GAMES = {
    "chouine": chouine.deal,
    "coinche": coinche.deal,
    "chouineurs": chouineurs.deal,
    "belote": belote.deal,
}


def follow(match: dict[str, Any], options: dict[str, Any]) -> Iterator[DealReading | None]:
    """Every deal of a match; None for one whose cards are not told, or not a pack.

    `options` are the values of the match's rule options.
    """
    for deal in match["deals"]:
        first = deal["leader" if match["game"] == "chouineurs" else "dealer"]
        seated = 1 <= first <= len(match["players"])
        play = GAMES[match["game"]](match, deal, options) if seated else None
        if play is None:
            yield None
            continue
        refused = None
        for at, action in enumerate(deal.get("actions", ())):
            # one seat, one space, a word: how anything else is written is nobody's act
            if not re.fullmatch(r"[1-5] \S+( \S+)?", action) or not play.do(action):
                refused = at
                break
        yield DealReading(refused, play.ended, play.outcome() if play.ended else None, play)


def first_refused(match: dict[str, Any], options: dict[str, Any]) -> tuple[int, int] | None:
    """(deal, action), both from 0, of the first action the rules refuse."""
    for number, result in enumerate(follow(match, options)):
        if result is not None and result.refused is not None:
            return number, result.refused
    return None
