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
from ingest.mend.likely import Slip

NONE = -1
"""Nothing is put there, or no second change."""
PLAYS_APART = 8
"""How many plays later one may be that took another's card."""
MOVED_BY = 40
"""How many actions too late, or too early, another act may be noted."""


class Written(NamedTuple):
    """A deal as it was written and replayed."""

    replay: Replay
    codes: NDArray[np.int64]
    row: NDArray[np.uint8]
    """What the kernel dealt from."""
    dealer: int
    explicit: bool
    known: NDArray[np.bool_]
    """Actions whose word there is."""
    words: list[str]
    """The actions as they stand in the log."""


class Ways(NamedTuple):
    """n ways: the kind of each, its change as `attempts` takes it, and what it starts from.

    `rows[i]` and `dealers[i]` where something else than actions is changed, NONE where not.
    """

    slips: list[Slip]
    changes: NDArray[np.int64]
    starts: NDArray[np.void]
    """The states before the first change."""
    about: list[tuple[int, int]]
    """Of what was dealt: the places of the row, or the seat; of the play nothing."""

    def __len__(self) -> int:
        return len(self.slips)


class _Builder:
    """The ways of one deal, kind after kind."""

    def __init__(self) -> None:
        self.slips: list[Slip] = []
        self.changes: list[NDArray[np.int64]] = []
        self.about: list[tuple[int, int]] = []

    def add(self, slip: Slip, *columns: Any) -> None:
        """Ways of one kind: the columns of their changes, arrays or numbers."""
        count = next(len(one) for one in columns if isinstance(one, np.ndarray))
        rows = np.full((count, 6), NONE, np.int64)
        for n, column in enumerate(columns):
            rows[:, n] = column
        self.changes.append(rows)
        self.slips += [slip] * count
        self.about += [(NONE, NONE)] * count

    def ways(self, states: NDArray[np.void]) -> Ways:
        """All of them, each from the state before its first change."""
        changes = np.concatenate(self.changes)
        return Ways(self.slips, changes, states[changes[:, 0]], self.about)


def played(game: Game, rules: np.void, deal: Written, until: int) -> Ways:
    """Every way to change one action, or two, of those up to `until`."""
    made = _Builder()
    _one_action(made, game, rules, deal, 0, until)
    _exchanged(made, game, deal.codes, min(until, len(deal.codes) - 1))
    return made.ways(deal.replay.states)


def changed(game: Game, rules: np.void, deal: Written, at: int) -> Ways:
    """Every way to change one action alone, or to put another before it."""
    made = _Builder()
    _one_action(made, game, rules, deal, at, at)
    return made.ways(deal.replay.states)


def _one_action(
    made: _Builder, game: Game, rules: np.void, deal: Written, since: int, until: int
) -> None:
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
    made.add(Slip.WORD, at[word], 1, put[word])
    made.add(Slip.SEAT, at[other], 1, put[other])
    made.add(Slip.MISSING, at, 0, put)
    each = np.arange(since, last + 1)
    alike = codes[1:] == codes[:-1]
    twin = (np.append(alike, False) | np.append(False, alike))[since : last + 1]
    twin = twin[: len(each)]
    made.add(Slip.DOUBLED, each[twin], 1, NONE)
    made.add(Slip.EXTRA, each[~twin], 1, NONE)


def legal_codes(game: Game, state: np.void, rules: np.void) -> NDArray[np.int64]:
    """Every action the rules allow in a state, by any seat."""
    codes = np.zeros(2048, np.uint16)
    return codes[: game.kernel.legal(state, rules, codes)].astype(np.int64)


def _exchanged(made: _Builder, game: Game, codes: NDArray[np.int64], last: int) -> None:
    """Neighbours in each other's place, two plays with each other's card, an act moved."""
    n = len(codes)
    if not n:
        return
    one = np.arange(min(last + 1, n - 1))
    one = one[codes[one] != codes[one + 1]]
    made.add(Slip.SWAPPED, one, 1, codes[one + 1], one + 1, 1, codes[one])
    kinds = [game.acts.kind_of_act(int(code) & ACT_MASK) for code in codes]
    known = codes & ACT_MASK < game.acts.ACTS
    plays = np.array([k for k, kind in enumerate(kinds) if kind == "play" and known[k]], np.int64)
    i, j = np.triu_indices(len(plays), 1)
    near = j - i <= PLAYS_APART
    i, j = plays[i], plays[j]
    same = codes[i] >> SEAT_SHIFT == codes[j] >> SEAT_SHIFT
    may = (i <= last) & (codes[i] & ACT_MASK != codes[j] & ACT_MASK)
    for slip, chosen in ((Slip.CARDS, may & near & ~same), (Slip.ORDER, may & same)):
        a, b = i[chosen], j[chosen]
        if slip is Slip.ORDER:
            a, b = a[b > a + 1], b[b > a + 1]
        put = codes[a] & ~ACT_MASK | codes[b] & ACT_MASK
        then = codes[b] & ~ACT_MASK | codes[a] & ACT_MASK
        made.add(slip, a, 1, put, b, 1, then)
    for k, kind in enumerate(kinds):
        if kind != "play":
            before = np.arange(max(k - MOVED_BY, 0), min(k - 1, last + 1))
            made.add(Slip.MOVED, before, 0, codes[k], k, 1, NONE)
            if k <= last:
                after = np.arange(k + 3, min(k + MOVED_BY, n + 1))
                made.add(Slip.MOVED, k, 1, NONE, after, 0, codes[k])


def dealt(
    game: Game,
    rules: np.void,
    opened: Mapping[int, NDArray[np.uint8]],
    deal: Written,
    bids: Sequence[Any],
) -> Ways:
    """Every way to deal otherwise: from another seat, two cards exchanged, one another, a bid.

    `opened`: each other seat, and what it would deal.
    What each is about: the two places, (place, card), (place, -2 - card) of a card nobody was
    dealt, (seat, bid), or the seat that opens.
    """
    players, seats = len(opened) + 1, np.array(list(opened), np.int64)
    made = [
        (Slip.OPENS, np.array(list(opened.values())), seats, np.full(len(seats), NONE)),
        *_cards(game, deal.row),
        *(_bid(deal.row, seat, *bid) for seat, bid in enumerate(bids)),
    ]
    counts = [len(rows) for _, rows, _, _ in made]
    n = sum(counts)
    dealers = np.full(n, deal.dealer, np.int64)
    dealers[: len(seats)] = seats
    starts = np.zeros(n, game.kernel.State)
    nothing = np.zeros(n, np.int64)
    game.kernel.run(
        *(starts, nothing.copy(), nothing.copy(), np.array([rules]), nothing),
        *(np.full(n, players), dealers, np.concatenate([rows for _, rows, _, _ in made])),
        *(np.full(n, int(deal.explicit)), np.zeros(0, np.uint16), np.zeros(n + 1, np.int64)),
    )
    changes = np.tile(np.array([0, 0, NONE, NONE, 0, NONE], np.int64), (n, 1))
    slips = [one[0] for one, count in zip(made, counts, strict=True) for _ in range(count)]
    about = [both for *_, a, b in made for both in zip(a.tolist(), b.tolist(), strict=True)]
    return Ways(slips, changes, starts, about)


Rows = tuple[Slip, NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
"""A kind, rows with a change each, and what each is about."""


def _cards(game: Game, row: NDArray[np.uint8]) -> Iterator[Rows]:
    """Two cards exchanged; where cards have two faces, one turned, or one that was not dealt."""
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


def _bid(row: NDArray[np.uint8], seat: int, place: int, values: Sequence[int]) -> Rows:
    """Another bid of a seat."""
    others = np.array([value for value in values if value != row[place]], np.int64)
    rows = np.tile(row, (len(others), 1))
    rows[:, place] = others
    return Slip.BID, rows, np.full(len(others), seat), others


def together(ways: Sequence[Ways]) -> Ways:
    """Ways of several kinds as one."""
    return Ways(
        [slip for way in ways for slip in way.slips],
        np.concatenate([way.changes for way in ways]),
        np.concatenate([way.starts for way in ways]),
        [about for way in ways for about in way.about],
    )
