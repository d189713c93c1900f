"""Which ends a line of a Chouine score sheet may describe.

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
from engine.score_line import (
    IMPOSSIBLE_END,
    IMPOSSIBLE_POINTS,
    PossibleEnds,
    ScoreLine,
    ScoreLineProblem,
    ends_with_winner,
)

PACK_IN_ORDER = np.arange(len(PIQUET), dtype=np.uint8)
PACK_POINTS = int(kernel.CARD_POINTS.sum())
CARD_VALUE_COUNTS = tuple(Counter(int(points) for points in kernel.CARD_POINTS if points).items())
"""The points of a card, and of how many cards of the pack."""
KING_AND_QUEEN_POINTS = frozenset(
    int(kernel.CARD_POINTS[card]) for card in range(32) if kernel.QUEENS * 3 >> card & 1
)
"""The points of a queen and of a king, which are in every announcement of a suit (CH-18)."""


class Announcement(NamedTuple):
    """One announcement."""

    seat: int
    combination: int
    shown: bool


class CardLocations(NamedTuple):
    """Where some cards lie for certain when a partie ends, as masks."""

    taken: tuple[int, ...]
    """In the pile of each seat."""
    in_no_pile: int = 0
    """In no pile."""


class AnnouncementSet(NamedTuple):
    """Announcements that go together: what they bring each seat, and of how many suits they are."""

    bonus: tuple[int, ...]
    suit_count: int
    locations: frozenset[CardLocations]
    """One of these holds."""


class CardNeeds(NamedTuple):
    """How many cards a seat needs for its announcements, and how many of them are brisques."""

    number: int
    brisques: int


class _TableFacts:
    """What the kernel says of a table of some players under some rules."""

    def __init__(self, players: int, rules: np.void) -> None:
        self.players, self.rules = players, rules
        self.start_state = np.zeros(1, kernel.State)[0]
        kernel.start(self.start_state, rules, players, 0, PACK_IN_ORDER, 0)
        self.hand_size = int(kernel.hand_size(players))
        self.cards_per_player = int(
            self.start_state["tricks"]
        )  # a card a trick is all that comes to a hand
        self.undrawn_cards = int(self.start_state["talon_size"] - self.start_state["drawable"])
        self.combination_cards = [
            int(kernel.combination_cards(self.start_state, 0, one))
            for one in range(actions.COMBINATION_COUNT)
        ]
        self.announcement_points = [
            [int(kernel.announcement_points(rules, one, doubled)) for doubled in (False, True)]
            for one in range(actions.COMBINATION_COUNT)
        ]
        self.no_locations = frozenset({CardLocations((0,) * players)})
        """Nothing is known of where a card lies."""
        self.suitless_combination = next(
            one
            for one in range(actions.QUINTE, actions.COMBINATION_COUNT)
            if self.combination_cards[one]
        )
        """The one announcement of this table that no suit has."""

    def can_hold(self, cards: Iterable[CardNeeds], whole: Iterable[bool]) -> bool:
        """Whether the cards that the seats need can all have come to them.

        Who has the `whole` hand needs what the announcement of no suit is made of too.
        """
        brisques = 0
        for own, has_whole in zip(cards, whole, strict=True):
            more = max(0, self.hand_size - own.brisques) if has_whole else 0
            if own.number + more > self.cards_per_player:
                return False
            brisques += own.brisques + more
        return brisques <= int(kernel.BRISQUES).bit_count()


def _card_needs(mask: int) -> CardNeeds:
    return CardNeeds(mask.bit_count(), (mask & int(kernel.BRISQUES)).bit_count())


@lru_cache(maxsize=256)
def _table_facts(players: int, kind: np.dtype, rules: bytes) -> _TableFacts:
    return _TableFacts(players, np.frombuffer(rules, kind)[0])


def possible_ends(line: ScoreLine, players: int, rules: np.void) -> PossibleEnds:
    """The ends a line may stand for; without points, one for each winner there may be."""
    table = _table_facts(players, rules.dtype, rules.tobytes())
    codes = line.details.get("announcements")
    said, before, wrong = list[Announcement](), list[Announcement](), list[ScoreLineProblem]()
    for place, code in enumerate(codes or ()):
        act = code & ACT_MASK
        shown = not actions.UNSHOWN <= act < actions.UNSHOWN + actions.COMBINATION_COUNT
        one = Announcement(code >> SEAT_SHIFT, actions.combination_of(act), shown)
        said.append(one)
        if one.combination < 0 or not _can_announce(table, before, one):
            wrong.append(
                ScoreLineProblem("announcements-impossible", f"/told/announcements/{place}")
            )
        else:
            before.append(one)
    # how it ended, and by whom: who announced a chouine, gave up, or drew wrong twice
    by = tuple(one.seat for one in said if one.shown and one.combination >> 2 == actions.CHOUINE)
    outcome = kernel.BY_CHOUINE if by else kernel.PLAYED_OUT
    if (end := line.details.get("end")) is not None:
        act = end & ACT_MASK
        if by or not (act == actions.RESIGN or actions.FAULT <= act < actions.ACCEPT):
            wrong.append(IMPOSSIBLE_END)
        by = (end >> SEAT_SHIFT,)
        outcome = kernel.RESIGNED if act == actions.RESIGN else kernel.PENALTY
    if wrong:
        return PossibleEnds([], wrong)
    ways = (
        _all_announcement_sets(table) if codes is None else _announcement_sets(table, said, outcome)
    )
    points = line.points
    if points is not None and not _points_are_possible(table, points, ways, outcome):
        wrong, points = [IMPOSSIBLE_POINTS], None
    winners = _possible_winners(table, points, ways, outcome, by)
    states = [_end_state(table, line.dealer, points, outcome, winner) for winner in winners]
    found = ends_with_winner(line.winner, states)
    return PossibleEnds(found.states, wrong + found.problems, points is not None)


def _can_announce(table: _TableFacts, before: Sequence[Announcement], one: Announcement) -> bool:
    """Whether an announcement can be made in a partie that has some others (CH-15, CH-18–20)."""
    if not table.combination_cards[one.combination]:
        return False
    own = [other.combination for other in before if other.seat == one.seat and other.shown]
    close = 1 << one.combination
    if table.rules["one_per_suit"]:
        close = int(kernel.same_suit_combinations(one.combination))
    if one.shown and any(close >> other & 1 for other in own):
        return False
    masks, whole = [0] * table.players, [False] * table.players
    for seat, combination, _ in (*before, one):
        if combination < actions.QUINTE:
            masks[seat] |= table.combination_cards[combination]
        else:
            whole[seat] = True
    shared = any(masks[i] & masks[k] for i in range(table.players) for k in range(i))
    return not shared and table.can_hold(map(_card_needs, masks), whole)


# what announcements bring


def _announcement_sets(
    table: _TableFacts, announcements: Sequence[Announcement], outcome: int
) -> set[AnnouncementSet]:
    """What announcements bring, whichever suit is trump (CH-4, CH-18, CH-28, CH-29)."""
    counted = [one for one in announcements if one.shown]
    suits = {one.combination & 3 for one in announcements if one.combination < actions.QUINTE}
    found = set()
    for trump, doubled in _trump_cases(table, [one.combination for one in counted]):
        bonus, trumps = [0] * table.players, [0] * table.players
        for (seat, combination, _), twice in zip(counted, doubled, strict=True):
            bonus[seat] += table.announcement_points[combination][twice]
            trumps[seat] |= table.combination_cards[combination] if twice else 0
        lying = table.no_locations
        if outcome == kernel.PLAYED_OUT:
            lying = frozenset(
                CardLocations(taken) for taken in product(*map(_winning_trumps, trumps))
            )
        elif outcome == kernel.BY_CHOUINE:
            # the cards of a chouine are all in hand when it is announced, and the trick is not
            # taken; only one in a plain suit is answered first, and then the card that was played
            # with it may be of it, and is taken (CH-15, CH-22)
            chouines = [
                one.combination for one in counted if one.combination >> 2 == actions.CHOUINE
            ]
            answered = trump >= 0 and all(one & 3 != trump for one in chouines)
            held = [table.combination_cards[one] for one in chouines]
            played = [
                [1 << card if answered else 0 for card in PIQUET.codes_in(mask)] for mask in held
            ]
            nobody = (0,) * table.players
            lying = frozenset(
                CardLocations(nobody, sum(held) - sum(one)) for one in product(*played)
            )
        found.add(AnnouncementSet(tuple(bonus), len(suits), lying))
    return found


@cache
def _winning_trumps(trumps: int) -> list[int]:
    """The fewest of the trumps a player announced that take their tricks, in each way (CH-12).

    All of them are in hand when they are announced and are played afterwards, each to a trick of
    its own. Only a higher trump takes that trick, and each takes one.
    """
    own = list(PIQUET.codes_in(trumps))
    suit = own[0] >> 3 if own else 0
    others = list(PIQUET.codes_in(int(kernel.SUIT_MASK) << 8 * suit & ~trumps))
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


def _trump_cases(
    table: _TableFacts, combinations: Sequence[int]
) -> Iterator[tuple[int, list[bool]]]:
    """What may have been trump, -1 for nothing, and which announcements then counted twice."""
    suits = [one & 3 if one < actions.QUINTE else -1 for one in combinations]
    if table.rules["turn_up"]:
        for trump in range(4):
            yield trump, [suit == trump for suit in suits]
        return
    yield -1, [False] * len(suits)  # none of them made trump
    for maker, suit in enumerate(suits):
        if suit >= 0 and combinations[maker] >> 2 != actions.CHOUINE:
            first = maker + int(table.rules["trump_maker"] != 0)
            yield suit, [place >= first and one == suit for place, one in enumerate(suits)]


@lru_cache(maxsize=64)
def _all_announcement_sets(table: _TableFacts) -> frozenset[AnnouncementSet]:
    """What announcements nobody wrote down may bring: suit after suit, then those of no suit."""
    reached = {((0,) * table.players, 0, (CardNeeds(0, 0),) * table.players, False)}
    for suit in range(4):
        # what one player can have counted of it, chouine aside: points, cards, whether doubled
        kinds = [
            4 * kind + suit
            for kind in range(actions.CHOUINE)
            if table.combination_cards[4 * kind + suit]
        ]
        most = 1 if table.rules["one_per_suit"] else len(kinds)
        counted = set()
        for said in (some for n in range(1, most + 1) for some in permutations(kinds, n)):
            need = _card_needs(reduce(or_, (table.combination_cards[one] for one in said)))
            for _, doubled in _trump_cases(table, said):
                worth = (
                    table.announcement_points[one][twice]
                    for one, twice in zip(said, doubled, strict=True)
                )
                counted.add((sum(worth), need, any(doubled)))
        for bonus, suits, cards, trump in list(reached):
            for (more, need, twice), seat in product(counted, range(table.players)):
                if not (trump and twice):
                    own = CardNeeds(*map(sum, zip(cards[seat], need, strict=True)))
                    made, held = (
                        _replaced_at(bonus, seat, bonus[seat] + more),
                        _replaced_at(cards, seat, own),
                    )
                    reached.add((made, suits + 1, held, trump or twice))
    extra = table.announcement_points[table.suitless_combination][0]
    found = set()
    for bonus, suits, cards, _ in reached:
        for who in product((False, True), repeat=table.players):
            if table.can_hold(cards, who):
                whole = tuple(b + extra * w for b, w in zip(bonus, who, strict=True))
                found.add(AnnouncementSet(whole, suits, table.no_locations))
    return frozenset(found)


def _replaced_at(old: tuple[Any, ...], seat: int, new: Any) -> tuple[Any, ...]:
    return (*old[:seat], new, *old[seat + 1 :])


# what the cards make


def _points_are_possible(
    table: _TableFacts,
    points: Sequence[int],
    announcement_sets: Iterable[AnnouncementSet],
    outcome: int,
) -> bool:
    """Whether a partie with one of these ways of announcing comes to such totals (CH-23)."""
    if len(points) != table.players:
        return False
    whole, most = outcome == kernel.PLAYED_OUT, table.undrawn_cards * max(kernel.CARD_POINTS)
    for bonus, suits, lying in announcement_sets:
        cards = [told - own for told, own in zip(points, bonus, strict=True)]
        if whole and not 0 <= PACK_POINTS + kernel.DER_POINTS - sum(cards) <= most:
            continue  # soon said of most ways
        # the cards of a pair that every suit announces lie in no talon
        paired = whole and suits == len(SUITS)
        apart = table.undrawn_cards if whole else len(PIQUET)
        for last in range(table.players) if whole else (kernel.NOBODY,):
            piles = [own - kernel.DER_POINTS * (seat == last) for seat, own in enumerate(cards)]
            for taken, out in lying:
                rest = [
                    pile - sum(int(kernel.CARD_POINTS[card]) for card in PIQUET.codes_in(mask))
                    for pile, mask in zip(piles, taken, strict=True)
                ]
                known = PIQUET.codes_in(reduce(or_, taken, out))
                placed = [int(kernel.CARD_POINTS[card]) for card in known]
                gone = tuple(placed.count(value) for value, _ in CARD_VALUE_COUNTS)
                if min(rest) >= 0 and _can_fill_piles(tuple(sorted(rest)), apart, paired, 0, gone):
                    return True
    return False


@lru_cache(maxsize=1 << 16)
def _can_fill_piles(
    piles: tuple[int, ...],
    apart: int,
    paired: bool,
    at: int = 0,
    gone: tuple[int, ...] = (0,) * len(CARD_VALUE_COUNTS),
) -> bool:
    """Whether the cards of the pack, some left `apart`, can be dealt out to piles of such points.

    `paired`: no king and no queen lies apart. From the place `at` of VALUES on; `gone`: how many
    cards of each are dealt out already.
    """
    counts = [count - less for (_, count), less in zip(CARD_VALUE_COUNTS, gone, strict=True)]
    values = [value for value, _ in CARD_VALUE_COUNTS]
    left = sum(a * b for a, b in zip(values[at:], counts[at:], strict=True)) - sum(piles)
    if left < 0 or left > apart * max(values):
        return False
    if at == len(CARD_VALUE_COUNTS):
        return True
    value, count = values[at], counts[at]
    most = 0 if paired and value in KING_AND_QUEEN_POINTS else min(apart, count)
    for out in range(most + 1):
        for split in _partitions(count - out, len(piles)):
            rest = [pile - value * n for pile, n in zip(piles, split, strict=True)]
            if min(rest) >= 0 and _can_fill_piles(
                tuple(sorted(rest)), apart - out, paired, at + 1, gone
            ):
                return True
    return False


@cache
def _partitions(count: int, piles: int) -> tuple[tuple[int, ...], ...]:
    """Every way to put so many cards on so many piles."""
    if piles == 1:
        return ((count,),)
    return tuple(
        (first, *rest)
        for first in range(count + 1)
        for rest in _partitions(count - first, piles - 1)
    )


# who wins


def _possible_winners(
    table: _TableFacts,
    points: tuple[int, ...] | None,
    announcement_sets: Iterable[AnnouncementSet],
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
        state = _end_state(table, 0, points, outcome, kernel.NOBODY)
        return [int(kernel.leading_seat(state, by[0] if by else kernel.NOBODY))]
    if outcome == kernel.RESIGNED:
        return [*others, kernel.NULL]
    announcement_sets, every = list(announcement_sets), PACK_POINTS + kernel.DER_POINTS
    made = [way.bonus for way in announcement_sets]
    won = [  # who is before all others with every card and the last trick
        seat
        for seat in seats
        if any(own[seat] + every > max(own[:seat] + own[seat + 1 :]) for own in made)
    ]
    for way in announcement_sets:  # may the two that announced most come to the same?
        second, first = sorted(way.bonus)[-2:]
        each = (every + first + second) // 2
        if table.players > 2 and first - second <= every:
            return [*won, kernel.NULL]
        if table.players == 2 and _points_are_possible(
            table, (each, each), [way], kernel.PLAYED_OUT
        ):
            return [*won, kernel.NULL]
    return won


def _end_state(
    table: _TableFacts, dealer: int, points: tuple[int, ...] | None, outcome: int, winner: int
) -> np.void:
    """An ended partie in which nobody knows a card; the points are those of the piles."""
    state: np.void = table.start_state.copy()
    state["dealer"] = dealer
    state["hand"] = 0
    state["trump"] = state["retourne"] = -1
    state["cards"][: table.players] = points or 0
    state["outcome"], state["over"], state["winner"] = outcome, kernel.OVER, winner
    return state
