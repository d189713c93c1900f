"""The ways a deal may have gone instead of as it was written: one change each, as arrays.

What a fault shows can only come of what was written up to it, and whatever was written there was
legal then: so only what the kernel calls legal is put in the place of an action, or before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.acts import ACT_MASK, SEAT_SHIFT, UNKNOWN
from engine.games import Game
from engine.replay import Replay
from ingest.mend.error_model import Slip

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
        """One of them."""
        return Change(self.slips[i], self.changes[i].tolist(), self.about[i])


def every(
    game: Game,
    rules: np.void,
    deal: Written,
    until: int,
    opened: Mapping[int, NDArray[np.uint8]],
    bids: Sequence[Any],
) -> Ways:
    """Every way to change one action, or two, of those up to `until`, and to deal otherwise.

    `opened`: each other seat, and what it would deal.
    """
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
    """A kind, rows with a change each, and what each is about.

    Two cards exchanged; where cards have two faces, one turned, or one that was not dealt; another
    bid of a seat.
    """
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
