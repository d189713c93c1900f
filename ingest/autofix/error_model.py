"""The ways a deal may have gone instead of as it was written, how likely each is, which is alone.

What a fault shows can only come of what was written up to it, and whatever was written there was
legal then: so only what the kernel calls legal is put in the place of an action, or before it.

Weights are natural logarithms. What is compared is how likely it is that a match which was right
came to read as it does: by a kind of slip (`Slip`), at one of the places it could have been made
at, to one of the things that could have been written instead. What was dealt and what is declared
stand on a sheet in plain sight and are read again: they are changed last of all.

All kinds of slip are weighed together. Of the edits that leave the fewest faults each has its share
of what is likely; one whose share is `SURE` is alone. Edits that make the very same log are one.
"""

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN
from engine.games import Game
from engine.replay import Replay
from ingest.autofix.misspellings import one_letter
from ingest.findings.finding import Candidate, Edit


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
NONE = -1  # nothing is put there, or no second change
PLAYS_APART = 8  # how many plays later one may be that took another's card
MOVED_BY = 40  # how many actions too late, or too early, another act may be noted
NOTHING = (NONE, NONE)


class Written(NamedTuple):
    """A deal as it was written and replayed."""

    replay: Replay
    codes: NDArray[np.int64]
    row: NDArray[np.uint8]  # what the kernel dealt from
    dealer: int
    explicit: bool
    known: NDArray[np.bool_]  # actions whose word there is
    words: list[str]  # the actions as they stand in the log


class Change(NamedTuple):
    """One way a deal may have gone instead, as `Ways` has it."""

    slip: Slip
    acts: list[int]
    about: tuple[int, int]


class Ways(NamedTuple):
    """n ways: the kind of each, its change as `attempts` takes it, and what it starts from."""

    slips: list[Slip]
    changes: NDArray[np.int64]
    starts: NDArray[np.void]  # the states before the first change
    about: list[tuple[int, int]]
    """Of what was dealt: two places of the row, (place, card), (place, -2 - card) of a card nobody
    was dealt, (seat, bid), or the seat that opens; of the play `NOTHING`."""

    def one(self, i: int) -> Change:
        return Change(self.slips[i], self.changes[i].tolist(), self.about[i])


def every(
    game: Game,
    rules: np.void,
    deal: Written,
    until: int,
    opened: Mapping[int, NDArray[np.uint8]],
    bids: Sequence[Any],
) -> Ways:
    """Every way to change one action or two up to `until`, or the deal; `opened`: by others."""
    acts = [*_one_action(game, rules, deal, 0, until)]
    acts += _exchanged(game, deal.codes, min(until, len(deal.codes) - 1))
    play = _played(deal, acts)
    seats = np.array(list(opened), np.int64)
    made = [
        (Slip.OPENS, np.array(list(opened.values())), seats, np.full(len(seats), NONE)),
        *_dealt(game, deal.row, bids),
    ]
    counts = [len(rows) for _, rows, _, _ in made]
    n = sum(counts)
    dealers = np.full(n, deal.dealer, np.int64)
    dealers[: len(seats)] = seats
    starts = np.zeros(n, game.kernel.State)
    nothing = np.zeros(n, np.int64)
    game.kernel.run(
        *(starts, nothing.copy(), nothing.copy(), np.array([rules]), nothing),
        *(np.full(n, len(opened) + 1), dealers, np.concatenate([rows for _, rows, _, _ in made])),
        *(np.full(n, int(deal.explicit)), np.zeros(0, np.uint16), np.zeros(n + 1, np.int64)),
    )
    changes = np.tile(np.array([0, 0, NONE, NONE, 0, NONE], np.int64), (n, 1))
    slips = [one[0] for one, count in zip(made, counts, strict=True) for _ in range(count)]
    about = [both for *_, a, b in made for both in zip(a.tolist(), b.tolist(), strict=True)]
    return Ways(
        play.slips + slips,
        np.concatenate([play.changes, changes]),
        np.concatenate([play.starts, starts]),
        play.about + about,
    )


def changed(game: Game, rules: np.void, deal: Written, at: int) -> Ways:
    """Every way to change one action alone, or to put another before it."""
    return _played(deal, [*_one_action(game, rules, deal, at, at)])


def legal_codes(game: Game, state: np.void, rules: np.void) -> NDArray[np.int64]:
    """Every action the rules allow in a state, by any seat."""
    codes = np.zeros(2048, np.uint16)
    return codes[: game.kernel.legal(state, rules, codes)].astype(np.int64)


Columns = tuple[Any, ...]
"""Of the changes of one kind: an array, or a number where all have the same."""


def _played(deal: Written, kinds: Sequence[tuple[Slip, Columns]]) -> Ways:
    """Ways of several kinds, each from the state before its first change."""
    slips, changes = list[Slip](), []
    for slip, columns in kinds:
        count = next(len(one) for one in columns if isinstance(one, np.ndarray))
        rows = np.full((count, 6), NONE, np.int64)
        for n, column in enumerate(columns):
            rows[:, n] = column
        changes.append(rows)
        slips += [slip] * count
    whole = np.concatenate(changes)
    return Ways(slips, whole, deal.replay.states[whole[:, 0]], [NOTHING] * len(slips))


def _one_action(
    game: Game, rules: np.void, deal: Written, since: int, until: int
) -> Iterator[tuple[Slip, Columns]]:
    """An action written otherwise, by another seat, left out, or another put before it."""
    codes, states = deal.codes, deal.replay.states
    last = min(until, len(codes) - 1)
    legal = [legal_codes(game, states[k], rules) for k in range(since, until + 1)]
    at = np.repeat(np.arange(since, until + 1), [len(one) for one in legal])
    put = np.concatenate(legal)
    was, known = np.append(codes, UNKNOWN)[at], np.append(deal.known, False)[at]
    seat = put >> SEAT_SHIFT == was >> SEAT_SHIFT
    act = put & ACT_MASK == was & ACT_MASK
    here = (at <= last) & (put != was)
    word, other = here & (seat | ~known), here & act & known & ~seat
    yield Slip.WORD, (at[word], 1, put[word])
    yield Slip.SEAT, (at[other], 1, put[other])
    yield Slip.MISSING, (at, 0, put)
    each = np.arange(since, last + 1)
    alike = codes[1:] == codes[:-1]
    twin = (np.append(alike, False) | np.append(False, alike))[since : last + 1]
    twin = twin[: len(each)]
    yield Slip.DOUBLED, (each[twin], 1, NONE)
    yield Slip.EXTRA, (each[~twin], 1, NONE)


def _exchanged(game: Game, codes: NDArray[np.int64], last: int) -> Iterator[tuple[Slip, Columns]]:
    """Neighbours in each other's place, two plays with each other's card, an act moved."""
    n = len(codes)
    if not n:
        return
    one = np.arange(min(last + 1, n - 1))
    one = one[codes[one] != codes[one + 1]]
    yield Slip.SWAPPED, (one, 1, codes[one + 1], one + 1, 1, codes[one])
    kinds = [game.acts.kind_of_act(int(code) & ACT_MASK) for code in codes]
    known = codes & ACT_MASK < game.acts.ACTS
    plays = np.array([k for k, kind in enumerate(kinds) if kind == "play" and known[k]], np.int64)
    i, j = np.triu_indices(len(plays), 1)
    near = j - i <= PLAYS_APART
    i, j = plays[i], plays[j]
    same = codes[i] >> SEAT_SHIFT == codes[j] >> SEAT_SHIFT
    may = (i <= last) & (codes[i] & ACT_MASK != codes[j] & ACT_MASK)
    for slip, chosen in ((Slip.CARDS, may & near & ~same), (Slip.ORDER, may & same & (j > i + 1))):
        a, b = i[chosen], j[chosen]
        put = codes[a] & ~ACT_MASK | codes[b] & ACT_MASK
        then = codes[b] & ~ACT_MASK | codes[a] & ACT_MASK
        yield slip, (a, 1, put, b, 1, then)
    for k, kind in enumerate(kinds):
        if kind != "play":
            before = np.arange(max(k - MOVED_BY, 0), min(k - 1, last + 1))
            yield Slip.MOVED, (before, 0, codes[k], k, 1, NONE)
            if k <= last:
                after = np.arange(k + 3, min(k + MOVED_BY, n + 1))
                yield Slip.MOVED, (k, 1, NONE, after, 0, codes[k])


def _dealt(
    game: Game, row: NDArray[np.uint8], bids: Sequence[Any]
) -> Iterator[tuple[Slip, NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]]:
    """A kind, rows with a change each, and what each is about."""
    # two cards exchanged; of cards with two faces one turned, or one not dealt; another bid
    lay = game.row
    places = np.flatnonzero(row[: lay.places] != lay.empty)
    i, j = (places[one] for one in np.triu_indices(len(places), 1))
    each = np.arange(len(i))
    rows = np.tile(row, (len(i), 1))
    rows[each, i], rows[each, j] = row[j], row[i]
    yield Slip.DEALT, rows, i, j
    if lay.faces == 2:
        turned = np.tile(row, (len(places), 1))
        turned[np.arange(len(places)), places] ^= 1
        yield Slip.TURNED, turned, places, row[places].astype(np.int64) ^ 1
        cards = np.arange(2 * lay.cards)
        rest = cards[~np.isin(cards >> 1, row[places] >> 1)]
        at, card = np.repeat(places, len(rest)), np.tile(rest, len(places))
        others = np.tile(row, (len(at), 1))
        others[np.arange(len(at)), at] = card
        yield Slip.DEALT, others, at, -2 - card
    for seat, (place, values) in enumerate(bids):
        bid = np.array([value for value in values if value != row[place]], np.int64)
        rows = np.tile(row, (len(bid), 1))
        rows[:, place] = bid
        yield Slip.BID, rows, np.full(len(bid), seat), bid


@lru_cache(maxsize=65536)
def written(word: str, meant: str, alike: bool) -> float:
    """One known word for another, without their seats; `alike`: both are of one kind of act."""
    # one part is written wrong more often than all: a rank, a suit, a face's colour, a height
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
    """A word nobody knows for one there is: a sign or two apart, or nothing to do with it."""
    # a number is another number: 95 is no nearer to 90 than to 100; the seat is no such number
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
    """The edit that is alone, or those to choose among, likeliest first; `other`: it was none."""
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
