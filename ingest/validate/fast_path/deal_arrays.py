"""Deals as arrays of small integers, and the kernel's verdict on all of them at once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games import TOLD, UNSAID, Game, game
from engine.match import NOTHING
from engine.options import dtype
from engine.score_line import End
from ingest.validate.slow_path import Explained
from schemas.deal_codec import first_seat

VOIDS = (None, "maldonne", "replay", "abandoned")


class Numbers(NamedTuple):
    """n deals of m matches of one game; match i owns deals `first[i]:first[i + 1]`.

    `codes[offsets[d]:offsets[d + 1]]` are deal d's actions; `told[d]` is what its sheet
    says, as `engine.games.TOLD` tells.
    """

    game: Game
    first: NDArray[np.int64]
    cuts: NDArray[np.int64]  # first dealer, highest, dealer of the belle; then where it begins
    rules: NDArray[np.void]
    rule_of: NDArray[np.int64]  # per deal
    players: NDArray[np.int64]  # per deal
    dealers: NDArray[np.int64]
    decks: NDArray[np.uint8]
    dealt: NDArray[np.bool_]  # the deck is good; where not, decks[d] is blank
    explicit: NDArray[np.int64]
    codes: NDArray[np.uint16]
    offsets: NDArray[np.int64]
    voids: NDArray[np.int64]  # index into VOIDS
    told: NDArray[np.int64]
    hidden: NDArray[np.bool_] | None = None
    """Cards of `decks` nobody wrote down: there they are those of one deal it may have been."""
    written: NDArray[np.uint16] | None = None
    """`codes` as the log has them, where it leaves out which card was drawn."""
    lines: NDArray[np.bool_] | None = None
    """Deals that are lines of a score sheet; of those that came to an end,"""
    ends: Mapping[int, End] | None = None  # how, by the place of the deal
    unsettled: NDArray[np.bool_] | None = None
    """Deals that bring the same to the match whatever those cards are, and came out by them."""


class Verdicts(NamedTuple):
    """What the kernel makes of `Numbers`: one record a deal, one a match."""

    states: NDArray[np.void]
    faults: NDArray[np.int64]
    stops: NDArray[np.int64]
    match_faults: NDArray[np.int64]  # per deal
    matches: NDArray[np.void]
    place: NDArray[np.int16]  # per deal: manche and partie, from 0


def judge(numbers: Numbers) -> Verdicts:
    """Replay and count every deal with the game's kernel; of one that is unsettled, no more."""
    this = numbers.game
    n, m = len(numbers.dealers), len(numbers.first) - 1
    states, matches = np.zeros(n, this.kernel.State), np.zeros(m, this.match.Match)
    faults, stops, match_faults = np.zeros((3, n), np.int64)
    rules = numbers.rules, numbers.rule_of
    dealt = numbers.players, numbers.dealers, numbers.decks, numbers.explicit
    this.kernel.run(states, faults, stops, *rules, *dealt, numbers.codes, numbers.offsets)
    for place, end in (numbers.ends or {}).items():
        states[place] = end.state
    told = numbers.cuts, numbers.first, numbers.voids, numbers.told
    lengths = np.diff(numbers.offsets)
    place = this.match.count(states, stops, lengths, *rules, matches, *told, match_faults)
    if numbers.unsettled is not None:
        blank = np.array(this.blank, np.uint8)
        for i in np.flatnonzero(numbers.unsettled):
            rule = numbers.rules[numbers.rule_of[i]]
            this.kernel.start(states[i], rule, numbers.players[i], numbers.dealers[i], blank, 0)
    return Verdicts(states, faults, stops, match_faults, matches, place)


def openings(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """What matches open with, as `Numbers.cuts`: rows of which some tell where the log begins."""
    found = np.full((len(rows), max(map(len, rows), default=3)), NOTHING, np.int64)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def from_explained(name: str, explained: Sequence[Explained]) -> Numbers:
    """The numbers of matches that were explained, so that their rows come from the same kernel.

    A deal that cannot be dealt gets a blank deck and no actions, and so does one whose end depends
    on cards nobody wrote down.
    """
    this, counts = game(name), [len(e.decoded) for e in explained]
    n = sum(counts)
    rules = np.zeros(len(explained), dtype(name))
    decks = np.tile(np.array(this.blank, np.uint8), (n, 1))
    hidden = np.zeros(decks.shape, np.bool_)
    dealers, explicit, voids = np.zeros((3, n), np.int64)
    dealt, unsettled, lines = np.zeros((3, n), np.bool_)
    codes, written, offsets = list[int](), list[int](), [0]
    ends: dict[int, End] = {}
    for i, e in enumerate(explained):
        if e.match is None or e.table is None:
            continue
        rules[i] = e.table.rules
        for index, (deal, decoded) in enumerate(zip(e.match.deals, e.decoded, strict=True)):
            place = len(offsets) - 1
            dealers[place] = min(max(first_seat(deal)[0] - 1, 0), len(e.match.players) - 1)
            explicit[place] = decoded.explicit
            voids[place] = VOIDS.index(deal.void)
            lines[place] = index in e.lines
            if (end := e.lines.get(index)) is not None:
                ends[place] = end
            if decoded.deck is not None and decoded.counted:
                decks[place], hidden[place, list(decoded.hidden)] = decoded.deck, True
                codes += decoded.codes
                written += decoded.written or decoded.codes
                dealt[place], unsettled[place] = decoded.settled, not decoded.settled
            offsets.append(len(codes))
    told = np.zeros((n, TOLD), np.int64)
    told[:, 6:] = UNSAID
    first, cuts = np.cumsum([0, *counts]).astype(np.int64), openings([e.cuts for e in explained])
    seats = np.array([len(e.match.players) if e.match else 0 for e in explained], np.int64)
    rule_of, players = np.repeat(np.arange(len(explained)), counts), np.repeat(seats, counts)
    acts = np.array(codes, np.uint16), np.array(offsets, np.int64)
    return Numbers(
        *(this, first, cuts, rules, rule_of, players, dealers, decks, dealt, explicit),
        *(*acts, voids, told, hidden, np.array(written, np.uint16), lines, ends, unsettled),
    )
