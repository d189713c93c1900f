"""Which ends a line of a Chouine score sheet may describe.

Retourne rejects only lines that no partie can have; every partie meets these conditions. A card
belongs to one player until it is played, so no other announces with it (the exchanged 7 is in no
combination). A player receives as many cards as there are tricks. The piles consist of whole cards
of the pack, without those that are never drawn (CH-7, CH-15, CH-18 to CH-20, CH-23). Announced
cards are in hand: a chouine that ends the partie leaves them there, and announced trumps in a
partie played out win their tricks unless a higher trump does.
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
from engine.score_sheet_line import (
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
"""(points, number of cards in the pack with these points)."""
KING_AND_QUEEN_POINTS = frozenset(
    int(kernel.CARD_POINTS[card]) for card in range(32) if kernel.QUEENS * 3 >> card & 1
)
"""The points of a queen and of a king; every announcement in a suit has both (CH-18)."""


class Announcement(NamedTuple):
    """An announcement of a score sheet."""

    seat: int
    combination: int
    shown: bool


class CardLocations(NamedTuple):
    """Masks of cards whose place is certain at the end of a partie."""

    taken: tuple[int, ...]
    """Cards in the pile of each seat."""
    in_no_pile: int = 0
    """Cards in no pile."""


class AnnouncementSet(NamedTuple):
    """Compatible announcements: the points of each seat, and how many suits they are in."""

    bonus: tuple[int, ...]
    suit_count: int
    locations: frozenset[CardLocations]
    """Alternatives, one of them true."""


class CardNeeds(NamedTuple):
    """The number of cards a seat needs for its announcements, and of brisques among them."""

    number: int
    brisques: int


class _TableFacts:
    """Constants from the kernel for a number of players and a set of rules."""

    def __init__(self, players: int, rules: np.void) -> None:
        self.players, self.rules = players, rules
        self.start_state = np.zeros(1, kernel.State)[0]
        kernel.start(self.start_state, rules, players, 0, PACK_IN_ORDER, 0)
        self.hand_size = int(kernel.hand_size(players))
        self.cards_per_player = int(self.start_state["tricks"])  # one per trick, dealt or drawn
        self.undrawn_cards = int(self.start_state["talon_size"] - self.start_state["drawable"])
        self.combination_cards = [
            int(kernel.combination_cards(self.start_state, 0, one))
            for one in range(actions.COMBINATION_COUNT)
        ]
        self.announcement_points = [
            [int(kernel.announcement_points(rules, one, worth_double)) for worth_double in (False, True)]
            for one in range(actions.COMBINATION_COUNT)
        ]
        self.no_locations = frozenset({CardLocations((0,) * players)})
        """The alternatives when no card's place is certain."""
        self.suitless_combination = next(
            one for one in range(actions.QUINTE, actions.COMBINATION_COUNT) if self.combination_cards[one]
        )
        """The only combination without a suit: the quinte for two players, else the trente."""

    def can_hold(self, cards: Iterable[CardNeeds], whole: Iterable[bool]) -> bool:
        """Return whether the seats can have received all the cards they need.

        `whole`: per seat, whether it also announced the combination without a suit.
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
    """Return the possible ends of a line; without points, one for each possible winner."""
    table = _table_facts(players, rules.dtype, rules.tobytes())
    codes = line.details.get("announcements")
    announced, before, wrong = list[Announcement](), list[Announcement](), list[ScoreLineProblem]()
    for place, code in enumerate(codes or ()):
        act = code & ACT_MASK
        shown = not actions.UNSHOWN <= act < actions.UNSHOWN + actions.COMBINATION_COUNT
        one = Announcement(code >> SEAT_SHIFT, actions.combination_of(act), shown)
        announced.append(one)
        if one.combination < 0 or not _can_announce(table, before, one):
            wrong.append(ScoreLineProblem("announcements-impossible", f"/score_line/announcements/{place}"))
        else:
            before.append(one)
    # the outcome, and the seats that caused it by a chouine, a resignation or irregularities
    by = tuple(one.seat for one in announced if one.shown and one.combination >> 2 == actions.CHOUINE)
    outcome = kernel.BY_CHOUINE if by else kernel.PLAYED_OUT
    if (end := line.details.get("end")) is not None:
        act = end & ACT_MASK
        if by or not (act == actions.RESIGN or actions.FAULT <= act < actions.ACCEPT):
            wrong.append(IMPOSSIBLE_END)
        by = (end >> SEAT_SHIFT,)
        outcome = kernel.RESIGNED if act == actions.RESIGN else kernel.PENALTY
    if wrong:
        return PossibleEnds([], wrong)
    ways = _all_announcement_sets(table) if codes is None else _announcement_sets(table, announced, outcome)
    points = line.points
    if points is not None and not _points_are_possible(table, points, ways, outcome):
        wrong, points = [IMPOSSIBLE_POINTS], None
    winners = _possible_winners(table, points, ways, outcome, by)
    states = [_end_state(table, line.dealer, points, outcome, winner) for winner in winners]
    found = ends_with_winner(line.winner, states)
    return PossibleEnds(found.states, wrong + found.problems, points is not None)


def _can_announce(table: _TableFacts, before: Sequence[Announcement], one: Announcement) -> bool:
    """Return whether an announcement is compatible with the ones before (CH-15, CH-18–20)."""
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


# points of announcements


def _announcement_sets(
    table: _TableFacts, announcements: Sequence[Announcement], outcome: int
) -> set[AnnouncementSet]:
    """Return the results of announcements for each possible trump (CH-4, CH-18, CH-28, CH-29)."""
    counted = [one for one in announcements if one.shown]
    suits = {one.combination & 3 for one in announcements if one.combination < actions.QUINTE}
    found = set()
    for trump, worth_double in _trump_cases(table, [one.combination for one in counted]):
        bonus, trumps = [0] * table.players, [0] * table.players
        for (seat, combination, _), is_double in zip(counted, worth_double, strict=True):
            bonus[seat] += table.announcement_points[combination][is_double]
            trumps[seat] |= table.combination_cards[combination] if is_double else 0
        lying = table.no_locations
        if outcome == kernel.PLAYED_OUT:
            lying = frozenset(CardLocations(taken) for taken in product(*map(_winning_trumps, trumps)))
        elif outcome == kernel.BY_CHOUINE:
            # all cards of a chouine are in hand when it is announced, and the deal ends before the
            # trick is taken; only a plain one can be answered first, in which case the card played
            # with it may belong to it and is taken (CH-15, CH-22)
            chouines = [one.combination for one in counted if one.combination >> 2 == actions.CHOUINE]
            answered = trump >= 0 and all(one & 3 != trump for one in chouines)
            held = [table.combination_cards[one] for one in chouines]
            played = [[1 << card if answered else 0 for card in PIQUET.codes_in(mask)] for mask in held]
            no_cards = (0,) * table.players
            lying = frozenset(CardLocations(no_cards, sum(held) - sum(one)) for one in product(*played))
        found.add(AnnouncementSet(tuple(bonus), len(suits), lying))
    return found


@cache
def _winning_trumps(trumps: int) -> list[int]:
    """Return the smallest sets of a player's announced trumps that win their tricks (CH-12).

    All of them are in hand when announced and are played later, each to a different trick. Only a
    higher trump can win that trick, and each wins one.
    """
    own = list(PIQUET.codes_in(trumps))
    suit = own[0] >> 3 if own else 0
    others = list(PIQUET.codes_in(int(kernel.SUIT_MASK) << 8 * suit & ~trumps))
    taking = []
    for beaten in range(1 << len(own)):
        lost = [card for place, card in enumerate(own) if beaten >> place & 1]
        above = (sum(bool(kernel.beats(other, card, suit)) for other in others) for card in lost[::-1])
        if all(higher > place for place, higher in enumerate(above)):
            taking.append(trumps & ~sum(1 << card for card in lost))
    fewest = min(one.bit_count() for one in taking)
    return [one for one in taking if one.bit_count() == fewest]


def _trump_cases(table: _TableFacts, combinations: Sequence[int]) -> Iterator[tuple[int, list[bool]]]:
    """Yield (possible trump or -1, whether each announcement is then worth double)."""
    suits = [one & 3 if one < actions.QUINTE else -1 for one in combinations]
    if table.rules["turn_up"]:
        for trump in range(4):
            yield trump, [suit == trump for suit in suits]
        return
    yield -1, [False] * len(suits)  # no announcement made trump
    for maker, suit in enumerate(suits):
        if suit >= 0 and combinations[maker] >> 2 != actions.CHOUINE:
            first = maker + int(table.rules["trump_maker"] != 0)
            yield suit, [place >= first and one == suit for place, one in enumerate(suits)]


@lru_cache(maxsize=64)
def _all_announcement_sets(table: _TableFacts) -> frozenset[AnnouncementSet]:
    """Return the possible results of unrecorded announcements, built up suit by suit."""
    reached = {((0,) * table.players, 0, (CardNeeds(0, 0),) * table.players, False)}
    for suit in range(4):
        # one player's scoring options in the suit, except chouine: (points, cards, worth_double)
        kinds = [
            4 * kind + suit for kind in range(actions.CHOUINE) if table.combination_cards[4 * kind + suit]
        ]
        most = 1 if table.rules["one_per_suit"] else len(kinds)
        counted = set()
        for announced in (some for n in range(1, most + 1) for some in permutations(kinds, n)):
            need = _card_needs(reduce(or_, (table.combination_cards[one] for one in announced)))
            for _, worth_double in _trump_cases(table, announced):
                worth = (
                    table.announcement_points[one][is_double]
                    for one, is_double in zip(announced, worth_double, strict=True)
                )
                counted.add((sum(worth), need, any(worth_double)))
        for bonus, suits, cards, trump in list(reached):
            for (more, need, is_double), seat in product(counted, range(table.players)):
                if not (trump and is_double):
                    own = CardNeeds(*map(sum, zip(cards[seat], need, strict=True)))
                    made, held = (
                        _replaced_at(bonus, seat, bonus[seat] + more),
                        _replaced_at(cards, seat, own),
                    )
                    reached.add((made, suits + 1, held, trump or is_double))
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


# points of cards


def _points_are_possible(
    table: _TableFacts, points: Sequence[int], announcement_sets: Iterable[AnnouncementSet], outcome: int
) -> bool:
    """Return whether a partie with one of these announcement sets can have `points` (CH-23)."""
    if len(points) != table.players:
        return False
    whole, most = outcome == kernel.PLAYED_OUT, table.undrawn_cards * max(kernel.CARD_POINTS)
    for bonus, suits, lying in announcement_sets:
        cards = [recorded - own for recorded, own in zip(points, bonus, strict=True)]
        if whole and not 0 <= PACK_POINTS + kernel.DER_POINTS - sum(cards) <= most:
            continue  # a cheap check that excludes most sets
        # if every suit was announced, no king or queen is left in the talon
        paired = whole and suits == len(SUITS)
        separate = table.undrawn_cards if whole else len(PIQUET)
        for last in range(table.players) if whole else (kernel.NOBODY,):
            piles = [own - kernel.DER_POINTS * (seat == last) for seat, own in enumerate(cards)]
            for taken, out in lying:
                rest = [
                    pile - sum(int(kernel.CARD_POINTS[card]) for card in PIQUET.codes_in(mask))
                    for pile, mask in zip(piles, taken, strict=True)
                ]
                known = PIQUET.codes_in(reduce(or_, taken, out))
                placed = [int(kernel.CARD_POINTS[card]) for card in known]
                played = tuple(placed.count(value) for value, _ in CARD_VALUE_COUNTS)
                if min(rest) >= 0 and _can_fill_piles(tuple(sorted(rest)), separate, paired, 0, played):
                    return True
    return False


@lru_cache(maxsize=1 << 16)
def _can_fill_piles(
    piles: tuple[int, ...],
    in_hand: int,
    paired: bool,
    at: int = 0,
    used: tuple[int, ...] = (0,) * len(CARD_VALUE_COUNTS),
) -> bool:
    """Return whether the pack's cards, except up to `apart`, can form piles with these points.

    `paired`: no king or queen is among the exceptions. Values before index `at` of
    CARD_VALUE_COUNTS are done; `gone`: how many cards of each value are already placed.
    """
    counts = [count - less for (_, count), less in zip(CARD_VALUE_COUNTS, used, strict=True)]
    values = [value for value, _ in CARD_VALUE_COUNTS]
    left = sum(a * b for a, b in zip(values[at:], counts[at:], strict=True)) - sum(piles)
    if left < 0 or left > in_hand * max(values):
        return False
    if at == len(CARD_VALUE_COUNTS):
        return True
    value, count = values[at], counts[at]
    most = 0 if paired and value in KING_AND_QUEEN_POINTS else min(in_hand, count)
    for out in range(most + 1):
        for split in _partitions(count - out, len(piles)):
            rest = [pile - value * n for pile, n in zip(piles, split, strict=True)]
            if min(rest) >= 0 and _can_fill_piles(tuple(sorted(rest)), in_hand - out, paired, at + 1, used):
                return True
    return False


@cache
def _partitions(count: int, piles: int) -> tuple[tuple[int, ...], ...]:
    """Return all ways to distribute `count` equal cards over `piles`."""
    if piles == 1:
        return ((count,),)
    return tuple(
        (first, *rest) for first in range(count + 1) for rest in _partitions(count - first, piles - 1)
    )


# winners


def _possible_winners(
    table: _TableFacts,
    points: tuple[int, ...] | None,
    announcement_sets: Iterable[AnnouncementSet],
    outcome: int,
    by: tuple[int, ...],
) -> list[int]:
    """Return the possible winners, NULL among them for a null partie (CH-22 to CH-24, CH-27)."""
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
    won = [  # seats that lead when given all cards and the last trick
        seat for seat in seats if any(own[seat] + every > max(own[:seat] + own[seat + 1 :]) for own in made)
    ]
    for way in announcement_sets:  # can the two with the most bonus points draw level?
        second, first = sorted(way.bonus)[-2:]
        each = (every + first + second) // 2
        if table.players > 2 and first - second <= every:
            return [*won, kernel.NULL]
        if table.players == 2 and _points_are_possible(table, (each, each), [way], kernel.PLAYED_OUT):
            return [*won, kernel.NULL]
    return won


def _end_state(
    table: _TableFacts, dealer: int, points: tuple[int, ...] | None, outcome: int, winner: int
) -> np.void:
    """Return the state of an ended partie without known cards; points are stored as card points."""
    state: np.void = table.start_state.copy()
    state["dealer"] = dealer
    state["hand"] = 0
    state["trump"] = state["retourne"] = -1
    state["cards"][: table.players] = points or 0
    state["outcome"], state["over"], state["winner"] = outcome, kernel.OVER, winner
    return state
