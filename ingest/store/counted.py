"""What statistics ask of the deals of matches, counted in one compiled pass each.

Rows of deals, of seats and of announcements come by match, deal and seat; sums go into a few cells
a match, which are put in order when it is over.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compiled import compiled, inner

NOBODY = np.iinfo(np.int64).min // 2
OF_A_SEAT = 32
"""Cells a seat may have: by status, and told or not."""

Deal = np.dtype(
    [
        ("match", np.int64),  # its place among the matches
        ("winner", np.int64),  # seat, 0 for nobody, -1 where that is not known
        ("bidder", np.int64),
        ("status", np.int8),
        ("void", np.bool_),
        ("told", np.bool_),
        ("dealt", np.bool_),
        ("made", np.bool_),
    ],
    align=True,
)
Seat = np.dtype(
    [
        ("deal", np.int64),  # its place among the deals
        ("player", np.int64),
        ("values", np.int64, 3),  # points, cards, bonus
        ("known", np.uint8, 3),
        ("seat", np.int8),
        ("decided", np.bool_),
        ("won", np.bool_),
        ("met", np.bool_),
    ],
    align=True,
)
Said = np.dtype(
    [
        ("deal", np.int64),
        ("player", np.int64),
        ("points", np.int64),
        ("worth", np.int64),
        ("moments", np.int16, 3),  # trick, closed, lead, a number each
        ("kind", np.int16),
        ("suit", np.int16),
        ("seat", np.int8),
        ("facts", np.int8),  # bits: held, announced, shown, counted
        ("trump", np.bool_),
        ("missed", np.bool_),  # and held or not
        ("known", np.bool_),  # whether it was missed
    ],
    align=True,
)
Deals = np.dtype(
    [("deal", np.int64), ("deals", np.int64), ("decided", np.int64), ("drawn", np.int64)]
)
"""Deals of a match alike in what `match_deals` tells apart, all as `deal` is."""
Seats = np.dtype(
    [
        ("row", np.int64),  # one of the seats counted, all as it is
        ("sums", np.int64, 8),
        ("pointed", np.int64, 3),
        ("values", np.int64, 3),
        ("squares", np.int64, 3),
    ]
)
SUMS = ("deals", "decided", "wins", "contracts", "made", "met", "counted", "counted_squared")
"""What `Seats.sums` are."""
Kinds = np.dtype([("key", np.int64), ("row", np.int64), ("won", np.int64), ("sums", np.int64, 9)])
"""Hands alike in what `match_kinds` tells apart, all as `row` is."""
KINDS = (
    *("held", "announced", "shown", "counted"),
    *("made", "points", "chances", "missed", "worth"),
)
"""What `Kinds.sums` are."""
Row = np.dtype([("row", np.int64), ("won", np.int64), ("firsts", np.int64), ("short", np.int64)])
"""What `said_or_missed` says of a row beside what announcements say.

`won`: 0: nobody won the deal, 1: another did, 2: who sits here. `short`: points the best of the
others had more where it was missed by who lost, else NOBODY.
"""
HELD, ANNOUNCED, SHOWN, COUNTED = 1, 2, 4, 8
FACTS = 4


@compiled
def places(
    match: NDArray[np.int64],
    deal: NDArray[np.uint16],
    of_match: NDArray[np.int64],
    of_deal: NDArray[np.uint16],
    found: NDArray[np.int64],
) -> None:
    """Fill `found[i]`: where the deal of a row stands among all; both lie in order."""
    at = 0
    for row in range(len(found)):
        while match[at] != of_match[row] or deal[at] != of_deal[row]:
            at += 1
        found[row] = at


@compiled
def count_deals(deals: NDArray[np.void], found: NDArray[np.void]) -> int:
    """Fill `found`, by match and then by what is told apart; how many there are."""
    count = first = 0
    cell = np.full(128, -1)
    for place in range(len(deals)):
        deal = deals[place]
        key = ((deal.status * 2 + deal.void) * 2 + deal.told) * 2 + deal.dealt
        if cell[key] < 0:
            cell[key] = count
            found[count].deal = place
            found[count].deals = found[count].decided = found[count].drawn = 0
            count += 1
        row = found[cell[key]]
        row.deals += 1
        row.decided += deal.winner > 0
        row.drawn += deal.winner == 0
        if place + 1 == len(deals) or deals[place + 1].match != deal.match:
            part = found[first:count].copy()
            for at in range(len(cell)):
                if cell[at] >= 0:
                    found[first] = part[cell[at] - count + len(part)]
                    cell[at] = -1
                    first += 1
    return count


@compiled
def count_seats(
    deals: NDArray[np.void],
    seats: NDArray[np.void],
    said: NDArray[np.void],
    cell: NDArray[np.int64],
    found: NDArray[np.void],
) -> int:
    """Fill `found` with what seats came to, by match, seat, status and whether told.

    `cell` has -1 in OF_A_SEAT places for each seat, which are counted from 1, and for none.
    """
    count = first = begin = 0
    for place in range(len(seats)):
        seat = seats[place]
        deal = deals[seat.deal]
        counted = 0
        while begin < len(said) and (
            said[begin].deal < seat.deal
            or (said[begin].deal == seat.deal and said[begin].seat <= seat.seat)
        ):
            here = said[begin].deal == seat.deal and said[begin].seat == seat.seat
            counted += here and said[begin].facts & COUNTED != 0
            begin += 1
        if not deal.void:
            key = (seat.seat * 16 + deal.status) * 2 + deal.told
            if cell[key] < 0:
                cell[key] = count
                found[count].row = place
                found[count].sums[:] = 0
                found[count].pointed[:] = 0
                found[count].values[:] = 0
                found[count].squares[:] = 0
                count += 1
            row = found[cell[key]]
            row.sums[0] += 1
            row.sums[2] += seat.won
            if seat.decided:
                bid = deal.bidder == seat.seat
                row.sums[1] += 1
                row.sums[3] += bid
                row.sums[4] += bid and deal.made
                row.sums[5] += seat.met
                row.sums[6] += counted
                row.sums[7] += counted * counted
                for of in range(3):
                    if seat.known[of]:
                        row.pointed[of] += 1
                        row.values[of] += seat.values[of]
                        row.squares[of] += seat.values[of] * seat.values[of]
        if place + 1 == len(seats) or deals[seats[place + 1].deal].match != deal.match:
            part = found[first:count].copy()
            for at in range(len(cell)):
                if cell[at] >= 0:
                    found[first] = part[cell[at] - count + len(part)]
                    cell[at] = -1
                    first += 1
    return count


@inner
def firsts_of(said: NDArray[np.void], begin: int, end: int, place: int) -> int:
    """In what an announcement made is the first of its hand and kind (`said_or_missed.firsts`)."""
    own = said[place]
    found = np.int64(0)
    for turn in range(3):
        facts = np.int64(own.facts)
        for other in range(begin, end):
            that = said[other]
            if (
                other != place
                and that.facts & ANNOUNCED != 0
                and that.kind == own.kind
                and that.trump == own.trump
                and that.moments[turn] == own.moments[turn]
                and (that.suit < own.suit or (that.suit == own.suit and other < place))
            ):
                facts &= ~np.int64(that.facts)
        found |= facts << FACTS * turn
    return int(found)


@inner
def first_seats(
    deals: NDArray[np.void], said: NDArray[np.void], begin: int, seats: NDArray[np.int64]
) -> None:
    """Fill `seats` with each player of a match and the first seat they are at."""
    players = 0
    match = deals[said[begin].deal].match
    for place in range(begin, len(said)):
        own = said[place]
        if deals[own.deal].match != match:
            break
        if not is_counted(deals[own.deal]):
            continue
        at = 0
        while at < players and seats[at, 0] != own.player:
            at += 1
        if at == players:
            seats[at, 0], seats[at, 1] = own.player, own.seat
            players += 1
        seats[at, 1] = min(seats[at, 1], own.seat)


@inner
def is_counted(deal: Any) -> bool:
    """Whether announcements of a deal are."""
    return not deal.void and not deal.told and deal.dealt


@inner
def short_of(seats: NDArray[np.void], begin: int, end: int, seat: int) -> int:
    """How many points the best of the others had more."""
    best = own = NOBODY
    for place in range(begin, end):
        if seats[place].seat == seat:
            own = seats[place].values[0]
        else:
            best = max(best, seats[place].values[0])
    return best - own


@compiled
def count_said(
    deals: NDArray[np.void],
    seats: NDArray[np.void],
    seated: NDArray[np.int64],
    said: NDArray[np.void],
    kinds: NDArray[np.void],
    rows: NDArray[np.void],
) -> tuple[int, int]:
    """Fill `kinds` by match, seat and the rest, and `rows`; how many there are of each.

    `seats[seated[i]:seated[i + 1]]` are those of deal i.
    """
    many = count = first = begin = 0
    people = np.empty((len(seats) + 1, 2), np.int64)
    for place in range(len(said)):
        own = said[place]
        deal = deals[own.deal]
        if place == 0 or deals[said[place - 1].deal].match != deal.match:
            first = count
            first_seats(deals, said, place, people)
        if not is_counted(deal):
            continue
        if said[begin].deal != own.deal or said[begin].seat != own.seat:
            begin = place
        end = place + 1
        while end < len(said) and said[end].deal == own.deal and said[end].seat == own.seat:
            end += 1
        won = 0 if deal.winner <= 0 else 1 + (deal.winner == own.seat)
        facts = np.int64(own.facts)
        announced, missed = facts & ANNOUNCED != 0, own.missed and facts & HELD != 0
        if announced or own.missed:
            row = rows[many]
            row.row, row.won, row.firsts, row.short = place, won, 0, NOBODY
            if announced:
                row.firsts = firsts_of(said, begin, end, place)
            if missed and won == 1:
                row.short = short_of(seats, seated[own.deal], seated[own.deal + 1], own.seat)
            many += 1
        at = 0
        while people[at, 0] != own.player:
            at += 1
        key = (((people[at, 1] * 16 + deal.status) * 256 + own.kind) * 2 + own.trump) * 3 + won
        cell = first
        while cell < count and kinds[cell].key < key:
            cell += 1
        if cell == count or kinds[cell].key != key:
            for later in range(count, cell, -1):
                kinds[later] = kinds[later - 1]
            kinds[cell].key, kinds[cell].row, kinds[cell].won = key, place, won
            kinds[cell].sums[:] = 0
            count += 1
        before = np.int64(0)  # what was so of the hand already
        for other in range(begin, place):
            if said[other].kind == own.kind and said[other].trump == own.trump:
                before |= said[other].facts
        sums = kinds[cell].sums
        for bit in range(FACTS):
            sums[bit] += facts & ~before & 1 << bit != 0
        sums[4] += announced
        sums[5] += own.points if facts & COUNTED != 0 else 0
        sums[6] += facts & HELD != 0 and (missed or announced) and own.known
        sums[7] += missed
        sums[8] += own.worth if missed else 0
    return many, count
