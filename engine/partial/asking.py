"""What an act's faults depend on, found out by asking the kernel what it says of other hands.

Each fault hangs on cards that must be in the hand and on the most commanding of the others:
one card that brings a fault brings it whatever else is there, unless another outdoes it.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.games import Game
from engine.partial.scenarios import Hand, Layout, Limits, bits

HELD = "-not-held"  # how the code of a fault ends that says what is named is not in the hand


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
        found = np.zeros(len(hands), np.int64)
        turned = np.zeros(len(hands), np.int64) if sides is None else np.array(sides, np.int64)
        asked = np.array(hands, np.int64)
        self.game.kernel.probe(state, self.rules, code, asked, turned, found)
        told: list[int] = found.tolist()
        return told

    def _base(self, state: np.void, code: int, base: tuple[int, ...]) -> Base:
        """Ask what each card brings beside these, and which outdo which."""
        sides, card, up = self.layout.sides, self._card, self._up
        own, turned = sum(card[face] for face in base), sum(up[face] for face in base)
        others = [face for face in range(len(card)) if not card[face] & own]
        plain, *found = self._ask(
            state,
            code,
            [own, *(own | card[face] for face in others)],
            [turned, *(turned | up[face] for face in others)],
        )
        brought = tuple(
            (face, faults) for face, faults in zip(others, found, strict=True) if faults != plain
        )
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
                found = hand.shows_none(held, stronger, but=card)
                if found is not None:
                    yield found

    def claims(self, state: np.void, seat: int, hand: Hand) -> list[tuple[Limits, ...]]:
        """Limits under which a hand laid down takes the rest, and under which it does not.

        Which card of another hand stands in the way of which card laid down, the kernel says.
        """
        laid = state.copy()
        left = [card for card in range(self.layout.cards) if not hand.gone(card)]
        other = (seat + 1) % self.players
        laid["hand"] = 0
        wants: dict[int, set[int]] = {card: {card} for card in left}
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
