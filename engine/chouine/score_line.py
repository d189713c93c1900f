"""Chouine told by a score sheet: which announcements go together, which totals a partie makes.

What is refused here no partie has: each condition is one that every partie fulfils. A card is one
player's until it is played, so that nobody else announces with it (the 7 that goes back to the
talon is in no announcement); a player comes to as many cards as there are tricks; and the piles
are made of the whole cards of the pack, less those that are never drawn (CH-7, CH-15, CH-18 to
CH-20, CH-23). Announced cards are in hand: a chouine that ends the partie leaves them there, and
trumps announced in a partie played out take all tricks but those that higher trumps take.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache, reduce
from itertools import permutations, product
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import PIQUET, SUITS
from engine.chouine import actions, kernel
from engine.score_line import END, POINTS, Ends, Line, Wrong, beside

BLANK = np.arange(len(PIQUET), dtype=np.uint8)
ALL = int(kernel.POINTS.sum())
VALUES = tuple(Counter(int(points) for points in kernel.POINTS if points).items())
"""The points of a card, and of how many cards of the pack."""
COUPLE = frozenset(int(kernel.POINTS[card]) for card in range(32) if kernel.QUEENS * 3 >> card & 1)
"""The points of a queen and of a king, which are in every announcement of a suit (CH-18)."""


class Said(NamedTuple):
    """One announcement."""

    seat: int
    combination: int
    shown: bool


class Lying(NamedTuple):
    """Where some cards lie for certain when a partie ends, as masks."""

    taken: tuple[int, ...]
    """In the pile of each seat."""
    out: int = 0
    """In no pile."""


class Way(NamedTuple):
    """Announcements that go together: what they bring each seat, and of how many suits they are."""

    bonus: tuple[int, ...]
    suits: int
    lying: frozenset[Lying]
    """One of these holds."""


class Cards(NamedTuple):
    """How many cards a seat needs for its announcements, and how many of them are brisques."""

    number: int
    brisques: int


class _Table:
    """What the kernel says of a table of some players under some rules."""

    def __init__(self, players: int, rules: np.void) -> None:
        self.players, self.rules = players, rules
        self.blank = np.zeros(1, kernel.State)[0]
        kernel.start(self.blank, rules, players, 0, BLANK, 0)
        self.size = int(kernel.hand_size(players))
        self.come = int(self.blank["tricks"])  # a card a trick is all that comes to a hand
        self.apart = int(self.blank["talon_size"] - self.blank["drawable"])
        self.cards = [
            int(kernel.cards_of(self.blank, 0, one)) for one in range(actions.COMBINATIONS)
        ]
        self.worth = [
            [int(kernel.worth(rules, one, doubled)) for doubled in (False, True)]
            for one in range(actions.COMBINATIONS)
        ]
        self.anywhere = frozenset({Lying((0,) * players)})
        """Nothing is known of where a card lies."""
        self.whole = next(
            one for one in range(actions.QUINTE, actions.COMBINATIONS) if self.cards[one]
        )
        """The one announcement of this table that no suit has."""

    def fits(self, cards: Iterable[Cards], whole: Iterable[bool]) -> bool:
        """Whether the cards that the seats need can all have come to them.

        Who has the `whole` hand needs what the announcement of no suit is made of too.
        """
        brisques = 0
        for own, has_whole in zip(cards, whole, strict=True):
            more = max(0, self.size - own.brisques) if has_whole else 0
            if own.number + more > self.come:
                return False
            brisques += own.brisques + more
        return brisques <= int(kernel.BRISQUES).bit_count()


def _cards(mask: int) -> Cards:
    return Cards(mask.bit_count(), (mask & int(kernel.BRISQUES)).bit_count())


@lru_cache(maxsize=256)
def _table(players: int, kind: np.dtype, rules: bytes) -> _Table:
    return _Table(players, np.frombuffer(rules, kind)[0])


def ends(line: Line, players: int, rules: np.void) -> Ends:
    """The ends a line may stand for; without points, one for each winner there may be."""
    table = _table(players, rules.dtype, rules.tobytes())
    codes = line.said.get("announcements")
    said, before, wrong = list[Said](), list[Said](), list[Wrong]()
    for place, code in enumerate(codes or ()):
        act = code & ACT_MASK
        shown = not actions.UNSHOWN <= act < actions.UNSHOWN + actions.COMBINATIONS
        one = Said(code >> SEAT_SHIFT, actions.combination_of(act), shown)
        said.append(one)
        if one.combination < 0 or not _may(table, before, one):
            wrong.append(Wrong("announcements-impossible", f"/told/announcements/{place}"))
        else:
            before.append(one)
    # how it ended, and by whom: who announced a chouine, gave up, or drew wrong twice
    by = tuple(one.seat for one in said if one.shown and one.combination >> 2 == actions.CHOUINE)
    outcome = kernel.BY_CHOUINE if by else kernel.PLAYED_OUT
    if (end := line.said.get("end")) is not None:
        act = end & ACT_MASK
        if by or not (act == actions.RESIGN or actions.FAULT <= act < actions.ACCEPT):
            wrong.append(END)
        by = (end >> SEAT_SHIFT,)
        outcome = kernel.RESIGNED if act == actions.RESIGN else kernel.PENALTY
    if wrong:
        return Ends([], wrong)
    ways = _untold(table) if codes is None else _told(table, said, outcome)
    points = line.points
    if points is not None and not _made(table, points, ways, outcome):
        wrong, points = [POINTS], None
    winners = _winners(table, points, ways, outcome, by)
    states = [_state(table, line.dealer, points, outcome, winner) for winner in winners]
    found = beside(line.winner, states)
    return Ends(found.states, wrong + found.wrong, points is not None)


def _may(table: _Table, before: Sequence[Said], one: Said) -> bool:
    """Whether an announcement can be made in a partie that has some others (CH-15, CH-18–20)."""
    if not table.cards[one.combination]:
        return False
    own = [other.combination for other in before if other.seat == one.seat and other.shown]
    close = 1 << one.combination
    if table.rules["one_per_suit"]:
        close = int(kernel.alike(one.combination))
    if one.shown and any(close >> other & 1 for other in own):
        return False
    masks, whole = [0] * table.players, [False] * table.players
    for seat, combination, _ in (*before, one):
        if combination < actions.QUINTE:
            masks[seat] |= table.cards[combination]
        else:
            whole[seat] = True
    shared = any(masks[i] & masks[k] for i in range(table.players) for k in range(i))
    return not shared and table.fits(map(_cards, masks), whole)


# what announcements bring


def _told(table: _Table, said: Sequence[Said], outcome: int) -> set[Way]:
    """What announcements bring, whichever suit is trump (CH-4, CH-18, CH-28, CH-29)."""
    counted = [one for one in said if one.shown]
    suits = {one.combination & 3 for one in said if one.combination < actions.QUINTE}
    found = set()
    for trump, doubled in _doublings(table, [one.combination for one in counted]):
        bonus, trumps = [0] * table.players, [0] * table.players
        for (seat, combination, _), twice in zip(counted, doubled, strict=True):
            bonus[seat] += table.worth[combination][twice]
            trumps[seat] |= table.cards[combination] if twice else 0
        lying = table.anywhere
        if outcome == kernel.PLAYED_OUT:
            lying = frozenset(Lying(taken) for taken in product(*map(_taking, trumps)))
        elif outcome == kernel.BY_CHOUINE:
            # the cards of a chouine are all in hand when it is announced, and the trick is not
            # taken; only one in a plain suit is answered first, and then the card that was played
            # with it may be of it, and is taken (CH-15, CH-22)
            chouines = [
                one.combination for one in counted if one.combination >> 2 == actions.CHOUINE
            ]
            answered = trump >= 0 and all(one & 3 != trump for one in chouines)
            held = [table.cards[one] for one in chouines]
            played = [
                [1 << card if answered else 0 for card in PIQUET.members(mask)] for mask in held
            ]
            nobody = (0,) * table.players
            lying = frozenset(Lying(nobody, sum(held) - sum(one)) for one in product(*played))
        found.add(Way(tuple(bonus), len(suits), lying))
    return found


@cache
def _taking(trumps: int) -> list[int]:
    """The fewest of the trumps a player announced that take their tricks, in each way (CH-12).

    All of them are in hand when they are announced and are played afterwards, each to a trick of
    its own. Only a higher trump takes that trick, and each takes one.
    """
    own = list(PIQUET.members(trumps))
    suit = own[0] >> 3 if own else 0
    others = list(PIQUET.members(int(kernel.SUIT) << 8 * suit & ~trumps))
    taking = []
    for beaten in range(1 << len(own)):
        lost = [card for place, card in enumerate(own) if beaten >> place & 1]
        above = (
            sum(bool(kernel.beats(other, card, suit)) for other in others) for card in lost[::-1]
        )
        if all(higher > place for place, higher in enumerate(above)):
            taking.append(trumps & ~sum(1 << card for card in lost))
    fewest = min(one.bit_count() for one in taking)
    return [one for one in taking if one.bit_count() == fewest]


def _doublings(table: _Table, said: Sequence[int]) -> Iterator[tuple[int, list[bool]]]:
    """What may have been trump, -1 for nothing, and which announcements then counted twice."""
    suits = [one & 3 if one < actions.QUINTE else -1 for one in said]
    if table.rules["turn_up"]:
        for trump in range(4):
            yield trump, [suit == trump for suit in suits]
        return
    yield -1, [False] * len(suits)  # none of them made trump
    for maker, suit in enumerate(suits):
        if suit >= 0 and said[maker] >> 2 != actions.CHOUINE:
            first = maker + int(table.rules["trump_maker"] != 0)
            yield suit, [place >= first and one == suit for place, one in enumerate(suits)]


@lru_cache(maxsize=64)
def _untold(table: _Table) -> frozenset[Way]:
    """What announcements nobody wrote down may bring: suit after suit, then those of no suit."""
    reached = {((0,) * table.players, 0, (Cards(0, 0),) * table.players, False)}
    for suit in range(4):
        # what one player can have counted of it, chouine aside: points, cards, whether doubled
        kinds = [4 * kind + suit for kind in range(actions.CHOUINE) if table.cards[4 * kind + suit]]
        most = 1 if table.rules["one_per_suit"] else len(kinds)
        counted = set()
        for said in (some for n in range(1, most + 1) for some in permutations(kinds, n)):
            need = _cards(reduce(or_, (table.cards[one] for one in said)))
            for _, doubled in _doublings(table, said):
                worth = (table.worth[one][twice] for one, twice in zip(said, doubled, strict=True))
                counted.add((sum(worth), need, any(doubled)))
        for bonus, suits, cards, trump in list(reached):
            for (more, need, twice), seat in product(counted, range(table.players)):
                if not (trump and twice):
                    own = Cards(*map(sum, zip(cards[seat], need, strict=True)))
                    made, held = _with(bonus, seat, bonus[seat] + more), _with(cards, seat, own)
                    reached.add((made, suits + 1, held, trump or twice))
    extra = table.worth[table.whole][0]
    found = set()
    for bonus, suits, cards, _ in reached:
        for who in product((False, True), repeat=table.players):
            if table.fits(cards, who):
                whole = tuple(b + extra * w for b, w in zip(bonus, who, strict=True))
                found.add(Way(whole, suits, table.anywhere))
    return frozenset(found)


def _with(old: tuple[Any, ...], seat: int, new: Any) -> tuple[Any, ...]:
    return (*old[:seat], new, *old[seat + 1 :])


# what the cards make


def _made(table: _Table, points: Sequence[int], ways: Iterable[Way], outcome: int) -> bool:
    """Whether a partie with one of these ways of announcing comes to such totals (CH-23)."""
    if len(points) != table.players:
        return False
    whole, most = outcome == kernel.PLAYED_OUT, table.apart * max(kernel.POINTS)
    for bonus, suits, lying in ways:
        cards = [told - own for told, own in zip(points, bonus, strict=True)]
        if whole and not 0 <= ALL + kernel.DER_POINTS - sum(cards) <= most:
            continue  # soon said of most ways
        # the cards of a pair that every suit announces lie in no talon
        paired = whole and suits == len(SUITS)
        apart = table.apart if whole else len(PIQUET)
        for last in range(table.players) if whole else (kernel.NOBODY,):
            piles = [own - kernel.DER_POINTS * (seat == last) for seat, own in enumerate(cards)]
            for taken, out in lying:
                rest = [
                    pile - sum(int(kernel.POINTS[card]) for card in PIQUET.members(mask))
                    for pile, mask in zip(piles, taken, strict=True)
                ]
                known = PIQUET.members(reduce(or_, taken, out))
                placed = [int(kernel.POINTS[card]) for card in known]
                gone = tuple(placed.count(value) for value, _ in VALUES)
                if min(rest) >= 0 and _piles(tuple(sorted(rest)), apart, paired, 0, gone):
                    return True
    return False


@lru_cache(maxsize=1 << 16)
def _piles(
    piles: tuple[int, ...],
    apart: int,
    paired: bool,
    at: int = 0,
    gone: tuple[int, ...] = (0,) * len(VALUES),
) -> bool:
    """Whether the cards of the pack, some left `apart`, can be dealt out to piles of such points.

    `paired`: no king and no queen lies apart. From the place `at` of VALUES on; `gone`: how many
    cards of each are dealt out already.
    """
    counts = [count - less for (_, count), less in zip(VALUES, gone, strict=True)]
    values = [value for value, _ in VALUES]
    left = sum(a * b for a, b in zip(values[at:], counts[at:], strict=True)) - sum(piles)
    if left < 0 or left > apart * max(values):
        return False
    if at == len(VALUES):
        return True
    value, count = values[at], counts[at]
    most = 0 if paired and value in COUPLE else min(apart, count)
    for out in range(most + 1):
        for split in _splits(count - out, len(piles)):
            rest = [pile - value * n for pile, n in zip(piles, split, strict=True)]
            if min(rest) >= 0 and _piles(tuple(sorted(rest)), apart - out, paired, at + 1, gone):
                return True
    return False


@cache
def _splits(count: int, piles: int) -> tuple[tuple[int, ...], ...]:
    """Every way to put so many cards on so many piles."""
    if piles == 1:
        return ((count,),)
    return tuple(
        (first, *rest) for first in range(count + 1) for rest in _splits(count - first, piles - 1)
    )


# who wins


def _winners(
    table: _Table,
    points: tuple[int, ...] | None,
    ways: Iterable[Way],
    outcome: int,
    by: tuple[int, ...],
) -> list[int]:
    """Who may have won, NULL where nobody did (CH-22 to CH-24, CH-27)."""
    seats = range(table.players)
    if outcome == kernel.BY_CHOUINE:
        return sorted(set(by))
    others = [seat for seat in seats if seat not in by]
    if outcome == kernel.PENALTY or len(others) == 1:
        return others
    if points is not None:
        state = _state(table, 0, points, outcome, kernel.NOBODY)
        return [int(kernel.highest(state, by[0] if by else kernel.NOBODY))]
    if outcome == kernel.RESIGNED:
        return [*others, kernel.NULL]
    ways, every = list(ways), ALL + kernel.DER_POINTS
    made = [way.bonus for way in ways]
    won = [  # who is before all others with every card and the last trick
        seat
        for seat in seats
        if any(own[seat] + every > max(own[:seat] + own[seat + 1 :]) for own in made)
    ]
    for way in ways:  # may the two that announced most come to the same?
        second, first = sorted(way.bonus)[-2:]
        each = (every + first + second) // 2
        if table.players > 2 and first - second <= every:
            return [*won, kernel.NULL]
        if table.players == 2 and _made(table, (each, each), [way], kernel.PLAYED_OUT):
            return [*won, kernel.NULL]
    return won


def _state(
    table: _Table, dealer: int, points: tuple[int, ...] | None, outcome: int, winner: int
) -> np.void:
    """An ended partie in which nobody knows a card; the points are those of the piles."""
    state: np.void = table.blank.copy()
    state["dealer"] = dealer
    state["hand"] = 0
    state["trump"] = state["retourne"] = -1
    state["cards"][: table.players] = points or 0
    state["outcome"], state["over"], state["winner"] = outcome, kernel.OVER, winner
    return state
