"""How a deal may have gone: where its cards lie, who got which places when, what a hand may be.

What the faults of an act depend on is found out by asking the kernel what it says of other hands.
Each fault hangs on cards that must be in the hand and on the most commanding of the others: one
card that brings a fault brings it whatever else is there, unless another outdoes it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import HIDDEN
from engine.games import Game
from engine.matching import limited, possible

HELD = "-not-held"  # how the code of a fault ends that says what is named is not in the hand
Limits = dict[int, int]  # card → the mask of the places it keeps to


class Layout(NamedTuple):
    """`written[place]` is a face, or a card that has but one; `slots[place]` its byte of `deck`.

    Places without a slot are those of cards nobody is dealt.
    """

    deck: NDArray[np.uint8]
    slots: list[int]
    cards: int
    sides: int  # faces of a card: 1, or 2
    written: dict[int, int]

    @property
    def everything(self) -> int:
        """The mask of all cards, or of all places."""
        return (1 << self.cards) - 1

    @property
    def places(self) -> dict[int, int]:
        """Card → place, of those written down."""
        return {face // self.sides: place for place, face in self.written.items()}

    def dealt(self, at: Sequence[int]) -> NDArray[np.uint8]:
        """The deal as the kernel takes it, with each card at its place."""
        row = self.deck.copy()
        for card, place in enumerate(at):
            if place < len(self.slots):
                row[self.slots[place]] = self.face(card, place)
        return row

    def face(self, card: int, place: int) -> int:
        """The face up of a card at the start; the first where nobody knows."""
        return self.written.get(place, card * self.sides)

    def faces(self, card: int) -> range:
        return range(card * self.sides, (card + 1) * self.sides)


def layout(game: Game, deck: Sequence[int] | NDArray[np.uint8]) -> Layout:
    """The layout of a deal as `Game.kernel.start` takes it, but for its HIDDEN cards."""
    row = np.array(deck, np.uint8)
    places = row[: game.row.places]
    slots = [int(slot) for slot in np.flatnonzero(places != game.row.empty)]
    written = {place: int(row[slot]) for place, slot in enumerate(slots) if row[slot] != HIDDEN}
    return Layout(row, slots, game.row.cards, game.row.faces, written)


def bits(mask: int) -> Iterator[int]:
    """The places, or cards, in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(slots=True)
class Thread:
    """One way the table saw the deal go: a world of it, and its state before each action."""

    at: list[int]
    states: list[np.void]
    forced: list[int] = field(default_factory=list)
    """Faults of going on before what was due, per action."""
    conditions: tuple[tuple[int, tuple[Limits, ...]], ...] = ()
    """What told this thread from others: at which action, and the limits of which one holds."""

    def copy(self) -> "Thread":
        """One that goes on by itself."""
        return Thread(list(self.at), list(self.states), list(self.forced), self.conditions)

    @property
    def given(self) -> list[tuple[Limits, ...]]:
        return [limits for _, limits in self.conditions]


class Seen(NamedTuple):
    """What all threads of a course share before an action."""

    reached: tuple[int, ...]  # the places whose cards each seat has been given
    gone: int  # cards played
    name: tuple[int, ...]  # which card lies where another was dealt, once two were exchanged
    turned: int  # cards turned over since the start
    early: tuple[int, ...] | None = None
    """The places reached before all had to draw for the action (`reached` is after)."""


@dataclass(slots=True)
class Course:
    """Threads in which the same seats got the same places at the same times."""

    may: list[int]
    at: list[int]  # one matching of `may`
    threads: list[Thread]
    seen: list[Seen]  # before each action
    whole: bool = True  # its threads are all there is to `may`
    belied: int = -1  # the last action whose card drawn cannot have been on the talon
    _where: list[int] | None = None

    def copy(self) -> "Course":
        """The same so far; it goes on by itself."""
        other = self.apart([thread.copy() for thread in self.threads])
        other.whole, other.belied, other._where = self.whole, self.belied, self._where
        return other

    def apart(self, threads: list[Thread]) -> "Course":
        """A course of its own for some of the threads."""
        return Course(list(self.may), self.at, threads, list(self.seen), whole=False)

    def back(self, k: int) -> None:
        """Forget action k and what follows."""
        del self.seen[k + 1 :]
        for thread in self.threads:
            del thread.states[k + 1 :], thread.forced[k + 1 :]

    @property
    def where(self) -> list[int]:
        """For each card the places it may lie in, threads apart."""
        if self._where is None:
            self._where = possible(self.may, self.at)
        return self._where

    def set(self, may: list[int], at: list[int]) -> None:
        """Take what every card may be for other than it was."""
        self.may, self.at, self._where = may, at, None

    def learn(self, limits: Limits) -> bool:
        """Narrow to the worlds within limits; False, and nothing done, where there is none."""
        if not any(self.meets(thread.given, limits) for thread in self.threads):
            return False
        at = limited(self.may, self.at, limits)
        assert at is not None
        self.set([mask & limits.get(card, mask) for card, mask in enumerate(self.may)], at)
        return True

    def meets(
        self, conditions: Sequence[tuple[Limits, ...]], limits: Limits, at: list[int] | None = None
    ) -> list[int] | None:
        """A world within limits that meets all conditions, each by one of its own.

        `at` is one to begin with.
        """
        if not conditions:
            return limited(self.may, at or self.at, limits)
        for own in conditions[0]:
            both = dict(limits)
            for card, places in own.items():
                both[card] = both.get(card, places) & places
            # no card may be left without a place
            if all(both[card] for card in own):
                if (found := self.meets(conditions[1:], both, at)) is not None:
                    return found
        return None

    def stays(self, card: int, places: int) -> bool:
        """Whether a card is in some places in every world."""
        others = self.where[card] & ~places
        if not others or self.whole:
            return not others
        return not any(self.meets(thread.given, {card: others}) for thread in self.threads)


class Hand:
    """The hand of a seat before action k of a course: the limits for cards to be in it, or not.

    Limits are None where no world can have them; faces are numbered as the kernel does.
    """

    def __init__(self, layout: Layout, course: Course, seat: int, k: int) -> None:
        self.layout, self.course = layout, course
        self.seen = course.seen[k]
        self.inside = self.seen.reached[seat]
        self.size = int(course.threads[0].states[k]["hand"][seat]).bit_count()

    def gone(self, card: int) -> bool:
        """Whether a card was played before."""
        return bool(self.seen.gone >> card & 1)

    def shows(self, card: int) -> set[int]:
        """The faces a card may show."""
        if self.layout.sides == 1:
            return {card}
        place = self.layout.places.get(card)
        if place is None:
            return set(self.layout.faces(card))
        return {self.layout.written[place] ^ (self.seen.turned >> card & 1)}

    @property
    def most(self) -> int:
        """The mask of the cards that may be there."""
        lies = [self.course.where[node] & self.inside for node in self.seen.name]
        return sum(1 << card for card, some in enumerate(lies) if some) & ~self.seen.gone

    def certain(self, card: int) -> bool:
        """Whether a card is there in every world, the same face up."""
        if self.gone(card) or len(self.shows(card)) > 1:
            return False
        return self.course.stays(self.seen.name[card], self.inside)

    def holds(self, limits: Limits, faces: Iterable[int]) -> Limits | None:
        """Limits that also put faces into the hand."""
        more = dict(limits)
        for face in faces:
            card = face // self.layout.sides
            there = not self.gone(card) and face in self.shows(card)
            if not there or not self._keep(more, card, self.inside):
                return None
        return more

    def lacks(self, limits: Limits, cards: Iterable[int]) -> Limits | None:
        """Limits that also keep cards out of the hand."""
        more = dict(limits)
        for card in cards:
            lies = self.course.where[self.seen.name[card]]
            outside = self.gone(card) or not lies & self.inside
            if not outside and not self._keep(more, card, ~self.inside):
                return None
        return more

    def shows_none(self, limits: Limits, faces: set[int], but: int = -1) -> Limits | None:
        """Limits that also keep faces out of the hand, those of one card apart.

        A card nobody wrote down may be there and show its other face.
        """
        cards = {face // self.layout.sides for face in faces} - {but}
        return self.lacks(limits, [card for card in cards if self.shows(card) <= faces])

    def _keep(self, limits: Limits, card: int, places: int) -> bool:
        node = self.seen.name[card]
        limits[node] = limits.get(node, self.layout.everything) & places
        return bool(limits[node] & self.course.where[node])


class Base(NamedTuple):
    """What else a hand may hold beside the `faces` an act needs."""

    faces: tuple[int, ...]
    plain: int  # faults when nothing else matters
    brought: tuple[tuple[int, int], ...]  # (face, the faults it brings), of those that matter
    stronger: dict[int, frozenset[int]]
    """Faults → those that come instead when there are cards for both."""


class Needs(NamedTuple):
    """What an act depends on, in one state."""

    full: int  # faults with every card in hand
    missing: int = 0  # faults when what must be there is not; 0 when nothing must
    pool: tuple[int, ...] = ()  # the cards that must be there,
    enough: int = 0  # or how many of them
    bases: tuple[Base, ...] = ()  # one for each way the cards needed may show their faces

    @property
    def key(self) -> tuple[object, ...]:
        """The same for acts that depend on the same."""
        bases = tuple((base.faces, base.plain, base.brought) for base in self.bases)
        return self.full, self.missing, self.pool, self.enough, bases


class Asker:
    """Asks one deal's kernel."""

    def __init__(self, game: Game, rules: np.void, players: int, layout: Layout) -> None:
        self.game, self.rules, self.players, self.layout = game, rules, players, layout
        self._held = sum(fault.bit for fault in game.faults.rows if fault.code.endswith(HELD))
        each = np.int64(1) << np.arange(layout.cards, dtype=np.int64)
        every = np.int64(layout.everything)
        self._hands = np.concatenate([[every], every & ~each, [np.int64(0)]])
        faces = range(layout.cards * layout.sides)
        # by face: the mask of its card, and of the side that is up
        self._card = [1 << face // layout.sides for face in faces]
        self._up = [face % layout.sides << face // layout.sides for face in faces]

    def needs(self, state: np.void, code: int) -> Needs:
        """What an act depends on; `state` is left as it was."""
        kernel = self.game.kernel
        if code >> SEAT_SHIFT >= self.players or code & ACT_MASK >= self.game.acts.ACTS:
            return Needs(int(kernel.check(state, self.rules, code)))
        full, *without, empty = self._ask(state, code, self._hands)
        if full & (kernel.IMPOSSIBLE | self._held):
            return Needs(full, bases=(Base((), full, (), {}),))
        if not empty & self._held:
            return Needs(full, bases=(self._base(state, code, ()),))
        pool = tuple(card for card, faults in enumerate(without) if faults & self._held)
        some = pool
        if not pool:  # a number of some cards must be there: leave out what can be
            hand, cards = self.layout.everything, range(self.layout.cards)
            for card in cards:
                less = hand & ~(1 << card)
                if not self._ask(state, code, [less])[0] & self._held:
                    hand = less
            some, one_less = tuple(bits(hand)), hand & (hand - 1)
            found = self._ask(state, code, [one_less | 1 << card for card in cards])
            others = {card for card, faults in enumerate(found) if not faults & self._held}
            pool = tuple(sorted({*others, *some}))
        ways = product(*(self.layout.faces(card) for card in some))
        bases = tuple(self._base(state, code, faces) for faces in ways)
        return Needs(full, empty, pool, len(some), bases)

    def may(self, state: np.void, code: int, most: int) -> bool:
        """Whether some hand of the cards in `most` may make an act legal, as far as is soon told.

        What is wrong with every card in hand and with none does not depend on hands.
        """
        kernel, every = self.game.kernel, self.layout.everything
        full, none, *whole = self._ask(state, code, [every, 0, most, most], [0, 0, 0, every])
        unheld = kernel.IMPOSSIBLE | self._held
        return not full & none & kernel.ERRORS and not all(one & unheld for one in whole)

    def _ask(
        self, state: np.void, code: int, hands: "np.ndarray | list[int]", sides: object = None
    ) -> list[int]:
        asked, found = np.array(hands, np.int64), np.zeros(len(hands), np.int64)
        turned = np.zeros_like(asked) if sides is None else np.array(sides, np.int64)
        self.game.kernel.probe(state, self.rules, code, asked, turned, found)
        told: list[int] = found.tolist()
        return told

    def _base(self, state: np.void, code: int, base: tuple[int, ...]) -> Base:
        """Ask what each card brings beside these, and which outdo which."""
        sides, card, up = self.layout.sides, self._card, self._up
        own, turned = sum(card[face] for face in base), sum(up[face] for face in base)
        others = [face for face in range(len(card)) if not card[face] & own]
        hands = [own, *(own | card[face] for face in others)]
        plain, *found = self._ask(state, code, hands, [turned, *(turned | up[i] for i in others)])
        each = zip(others, found, strict=True)
        brought = tuple((face, faults) for face, faults in each if faults != plain)
        kinds = {faults: [face for face, own in brought if own == faults] for _, faults in brought}
        stronger = {faults: set[int]() for faults in kinds}
        for one, other in product(kinds, kinds):
            pairs = product(kinds[one], kinds[other])
            pair = next(((a, b) for a, b in pairs if a // sides != b // sides), None)
            if one != other and pair is not None:
                a, b = pair
                hand, sides_up = own | card[a] | card[b], turned | up[a] | up[b]
                if self._ask(state, code, [hand], [sides_up]) != [one]:
                    stronger[one].add(other)
        return Base(base, plain, brought, {one: frozenset(more) for one, more in stronger.items()})

    def outcomes(
        self, needs: Needs, hand: Hand, asked: bool = False
    ) -> Iterator[tuple[int, Iterator[Limits]]]:
        """(faults an act may have, limits of which one makes it so) for the hand of who acts.

        `asked`: of an act that need not have been possible.
        """
        whole = needs.enough == len(needs.pool)
        others = set(range(self.layout.cards)) - {*needs.pool}
        if needs.missing and (asked or not needs.missing & self.game.kernel.IMPOSSIBLE):
            # what keeps out of the hand what an act needs
            if whole:
                found = [hand.lacks({}, (card,)) for card in needs.pool]
            elif hand.size != needs.enough:
                found = [{}]
            else:
                found = [hand.holds({}, (card * self.layout.sides,)) for card in others]
            yield needs.missing, (limits for limits in found if limits is not None)
        for base in needs.bases:
            # what puts it there; no rule counts a part of a hand: it could not be checked here
            limits: Limits | None = {} if hand.size > needs.enough else None
            if whole:
                limits = hand.holds({}, base.faces)
            elif hand.size == needs.enough:
                limits = hand.lacks({}, others)
            if limits is not None:
                brought = {face for face, _ in base.brought}
                alone = hand.shows_none(limits, brought)
                yield base.plain, iter(() if alone is None else (alone,))
                for faults in base.stronger:
                    yield faults, self._brought(base, faults, limits, hand)

    def _brought(self, base: Base, faults: int, limits: Limits, hand: Hand) -> Iterator[Limits]:
        """Limits of which one puts a face with these faults into the hand, and none stronger."""
        stronger = {face for face, own in base.brought if own in base.stronger[faults]}
        for face, own in base.brought:
            if own == faults and (held := hand.holds(limits, (face,))) is not None:
                card = face // self.layout.sides
                if (found := hand.shows_none(held, stronger, but=card)) is not None:
                    yield found

    def claims(self, state: np.void, seat: int, hand: Hand) -> list[tuple[Limits, ...]]:
        """Limits under which a hand laid down takes the rest, and under which it does not."""
        laid = state.copy()
        left = [card for card in range(self.layout.cards) if not hand.gone(card)]
        other = (seat + 1) % self.players
        laid["hand"] = 0
        wants: dict[int, set[int]] = {card: {card} for card in left}  # and what is in its way
        for card, rival in product(left, left):
            if card != rival:
                laid["hand"][seat], laid["hand"][other] = 1 << card, 1 << rival
                if not self.game.kernel.claim_holds(laid, seat):
                    wants[card].add(rival)
        for middle, card in product(left, left):
            if middle in wants[card]:
                wants[card] |= wants[middle]
        whole: set[frozenset[int]] = set()
        fresh = {frozenset[int]()}
        while fresh:
            whole |= fresh
            more = {cards | own for cards in fresh for own in wants.values()}
            fresh = {cards for cards in more if len(cards) <= hand.size} - whole
        good = [hand.holds({}, cards) for cards in whole if len(cards) == hand.size]
        bad = [
            hand.lacks(held, (rival,))
            for card, rivals in wants.items()
            if (held := hand.holds({}, (card,))) is not None
            for rival in rivals - {card}
        ]
        return [tuple(one for one in found if one is not None) for found in (good, bad)]
