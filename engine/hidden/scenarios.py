"""Enumerates where unrecorded cards may be, and so which cards a hand cannot have.

To find what the faults of an act depend on, Retourne checks the act with other hands. Faults are
assumed to depend on cards that must be in the hand, and on single other cards: a card that causes
a fault causes it whatever else is in the hand, unless a card with an overriding fault is there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.cards import HIDDEN_CARD
from engine.games import Game
from engine.matching import possible_places, restricted_matching

NOT_HELD_SUFFIX = "-not-held"  # ends the code of faults where what the act names is missing from the hand
PlaceLimits = dict[int, int]  # card → the mask of the places it may be in


class CardPositions(NamedTuple):
    """The recorded cards of a deal: `known_faces[place]` is a face, or a card if it has only one.

    `slot_offsets[place]` is the place's byte in `deck`; places of undealt cards have none.
    """

    deck: NDArray[np.uint8]
    slot_offsets: list[int]
    cards: int
    faces_per_card: int  # 1 or 2
    known_faces: dict[int, int]

    @property
    def all_cards(self) -> int:
        """The mask of all cards, which is also that of all places."""
        return (1 << self.cards) - 1

    @property
    def known_places(self) -> dict[int, int]:
        """Card → place, for the recorded cards."""
        return {face // self.faces_per_card: place for place, face in self.known_faces.items()}

    def deal_row(self, at: Sequence[int]) -> NDArray[np.uint8]:
        """Return the row that `Kernel.start` deals from, with card i at place `at[i]`."""
        row = self.deck.copy()
        for card, place in enumerate(at):
            if place < len(self.slot_offsets):
                row[self.slot_offsets[place]] = self.face(card, place)
        return row

    def face(self, card: int, place: int) -> int:
        """Return the face of a card that is up at the start; its first one if not recorded."""
        return self.known_faces.get(place, card * self.faces_per_card)

    def faces(self, card: int) -> range:
        return range(card * self.faces_per_card, (card + 1) * self.faces_per_card)


def card_positions(game: Game, deck: Sequence[int] | NDArray[np.uint8]) -> CardPositions:
    """Read the recorded cards of a deal, a row for `Kernel.start` that may hold HIDDEN_CARD."""
    row = np.array(deck, np.uint8)
    places = row[: game.deck_format.place_count]
    slots = [int(slot) for slot in np.flatnonzero(places != game.deck_format.no_card)]
    written = {place: int(row[slot]) for place, slot in enumerate(slots) if row[slot] != HIDDEN_CARD}
    return CardPositions(row, slots, game.deck_format.card_count, game.deck_format.faces_per_card, written)


def bits_in(mask: int) -> Iterator[int]:
    """Iterate over the places, or cards, in a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(slots=True)
class Scenario:
    """One course of the deal as all players saw it: a possible deal, and its state before each action."""

    places: list[int]
    states: list[np.void]
    skip_faults: list[int] = field(default_factory=list)
    """Per action, the faults of acting before what was due."""
    conditions: tuple[tuple[int, tuple[PlaceLimits, ...]], ...] = ()
    """The conditions of this scenario only: (action, alternative limits) each."""

    def copy(self) -> "Scenario":
        """Return an independent copy."""
        return Scenario(list(self.places), list(self.states), list(self.skip_faults), self.conditions)

    @property
    def condition_limits(self) -> list[tuple[PlaceLimits, ...]]:
        return [limits for _, limits in self.conditions]


class SharedView(NamedTuple):
    """The state all scenarios of a group share before an action; sets are bit masks."""

    places_by_seat: tuple[int, ...]  # the places whose cards each seat has received
    cards_played: int
    card_names: tuple[int, ...]  # card → the card whose place it has, after exchanges
    cards_turned: int  # cards turned over since the start
    places_before_draws: tuple[int, ...] | None = None
    """`places_by_seat` before the draws that were due, if the action came too early."""


@dataclass(slots=True)
class ScenarioGroup:
    """Scenarios in which each seat received the same places at the same times."""

    allowed: list[int]  # card → the mask of its places
    matching: list[int]  # one matching of `allowed`
    scenarios: list[Scenario]
    views: list[SharedView]  # before each action
    is_complete: bool = True  # whether every matching of `allowed` is in one of its scenarios
    contradicted_draw: int = -1  # the last action that drew a card which cannot have been next
    _possible_places: list[int] | None = None

    def copy(self) -> "ScenarioGroup":
        """Return an independent copy."""
        other = self.subgroup([thread.copy() for thread in self.scenarios])
        other.is_complete, other.contradicted_draw, other._possible_places = (
            self.is_complete,
            self.contradicted_draw,
            self._possible_places,
        )
        return other

    def subgroup(self, scenarios: list[Scenario]) -> "ScenarioGroup":
        """Return a separate group of some of the scenarios."""
        return ScenarioGroup(
            list(self.allowed), self.matching, scenarios, list(self.views), is_complete=False
        )

    def rewind(self, action: int) -> None:
        """Remove what was computed after the state before `action`."""
        del self.views[action + 1 :]
        for thread in self.scenarios:
            del thread.states[action + 1 :], thread.skip_faults[action + 1 :]

    @property
    def possible_places(self) -> list[int]:
        """Card → the mask of the places it may be in, disregarding conditions of scenarios."""
        if self._possible_places is None:
            self._possible_places = possible_places(self.allowed, self.matching)
        return self._possible_places

    def replace_allowed(self, allowed: list[int], matching: list[int]) -> None:
        """Replace the allowed places of every card."""
        self.allowed, self.matching, self._possible_places = allowed, matching, None

    def narrow(self, limits: PlaceLimits) -> bool:
        """Restrict the group to the possible deals within limits; False, unchanged, if there are none."""
        if not any(self.matching_within(thread.condition_limits, limits) for thread in self.scenarios):
            return False
        at = restricted_matching(self.allowed, self.matching, limits)
        assert at is not None
        self.replace_allowed([mask & limits.get(card, mask) for card, mask in enumerate(self.allowed)], at)
        return True

    def matching_within(
        self,
        conditions: Sequence[tuple[PlaceLimits, ...]],
        limits: PlaceLimits,
        initial: list[int] | None = None,
    ) -> list[int] | None:
        """Return a possible deal within `limits` and one of the limits of each condition, or None.

        `initial` is a matching to start the search from.
        """
        if not conditions:
            return restricted_matching(self.allowed, initial or self.matching, limits)
        for own in conditions[0]:
            both = dict(limits)
            for card, places in own.items():
                both[card] = both.get(card, places) & places
            if all(both[card] for card in own):
                if (found := self.matching_within(conditions[1:], both, initial)) is not None:
                    return found
        return None

    def is_always_in(self, card: int, places: int) -> bool:
        """Return whether a card is in one of `places` in every possible deal."""
        others = self.possible_places[card] & ~places
        if not others or self.is_complete:
            return not others
        return not any(
            self.matching_within(thread.condition_limits, {card: others}) for thread in self.scenarios
        )


class HandLimits:
    """A seat's hand before action k of a group: limits that put cards into it or outside it.

    Limits are None if no possible deal meets them; faces are numbered as in the kernel.
    """

    def __init__(self, positions: CardPositions, group: ScenarioGroup, seat: int, k: int) -> None:
        self.positions, self.group = positions, group
        self.view = group.views[k]
        self.hand_places = self.view.places_by_seat[seat]
        self.size = int(group.scenarios[0].states[k]["hand"][seat]).bit_count()

    def is_played(self, card: int) -> bool:
        return bool(self.view.cards_played >> card & 1)

    def possible_faces(self, card: int) -> set[int]:
        """Return the faces that may be up."""
        if self.positions.faces_per_card == 1:
            return {card}
        place = self.positions.known_places.get(card)
        if place is None:
            return set(self.positions.faces(card))
        return {self.positions.known_faces[place] ^ (self.view.cards_turned >> card & 1)}

    @property
    def possible_cards(self) -> int:
        """The mask of the cards that may be in the hand."""
        lies = [self.group.possible_places[node] & self.hand_places for node in self.view.card_names]
        return sum(1 << card for card, some in enumerate(lies) if some) & ~self.view.cards_played

    def is_certain(self, card: int) -> bool:
        """Return whether a card is in the hand in every possible deal, with the same face up."""
        if self.is_played(card) or len(self.possible_faces(card)) > 1:
            return False
        return self.group.is_always_in(self.view.card_names[card], self.hand_places)

    def limits_with(self, limits: PlaceLimits, faces: Iterable[int]) -> PlaceLimits | None:
        """Return limits that also put faces into the hand."""
        more = dict(limits)
        for face in faces:
            card = face // self.positions.faces_per_card
            there = not self.is_played(card) and face in self.possible_faces(card)
            if not there or not self._restrict(more, card, self.hand_places):
                return None
        return more

    def limits_without(self, limits: PlaceLimits, cards: Iterable[int]) -> PlaceLimits | None:
        """Return limits that also put cards outside the hand."""
        more = dict(limits)
        for card in cards:
            lies = self.group.possible_places[self.view.card_names[card]]
            outside = self.is_played(card) or not lies & self.hand_places
            if not outside and not self._restrict(more, card, ~self.hand_places):
                return None
        return more

    def limits_without_faces(
        self, limits: PlaceLimits, faces: set[int], except_card: int = -1
    ) -> PlaceLimits | None:
        """Return limits that also put faces outside the hand, except those of one card.

        A card that is not recorded may be in the hand with its other face up.
        """
        cards = {face // self.positions.faces_per_card for face in faces} - {except_card}
        return self.limits_without(limits, [card for card in cards if self.possible_faces(card) <= faces])

    def _restrict(self, limits: PlaceLimits, card: int, places: int) -> bool:
        node = self.view.card_names[card]
        limits[node] = limits.get(node, self.positions.all_cards) & places
        return bool(limits[node] & self.group.possible_places[node])


class HandBase(NamedTuple):
    """The faults of an act when the hand holds `faces`, by the other cards it holds."""

    faces: tuple[int, ...]
    base_faults: int  # faults if no other face in the hand matters
    faults_by_face: tuple[tuple[int, int], ...]  # (face, the faults it causes), for faces that matter
    overriding_faults: dict[int, frozenset[int]]
    """Faults → those that replace them when the hand has cards for both."""


class ActionNeeds(NamedTuple):
    """The facts on which an act's violations depend, in one state."""

    faults_with_all: int  # faults with every card in hand
    faults_without: int = 0  # faults if needed cards are missing; 0 if none are needed
    needed_cards: tuple[int, ...] = ()
    needed_count: int = 0  # how many of `needed_cards` the hand must hold
    bases: tuple[HandBase, ...] = ()  # one per combination of faces of the needed cards

    @property
    def key(self) -> tuple[object, ...]:
        """A hashable value, equal for acts that depend on the same."""
        bases = tuple((base.faces, base.base_faults, base.faults_by_face) for base in self.bases)
        return (self.faults_with_all, self.faults_without, self.needed_cards, self.needed_count, bases)


class DependencyFinder:
    """Finds what acts depend on by checking them with other hands in one deal's kernel."""

    def __init__(self, game: Game, rules: np.void, players: int, positions: CardPositions) -> None:
        self.game, self.rules, self.players, self.positions = game, rules, players, positions
        self._not_held_faults = sum(
            fault.bit for fault in game.faults.rows if fault.code.endswith(NOT_HELD_SUFFIX)
        )
        each = np.int64(1) << np.arange(positions.cards, dtype=np.int64)
        every = np.int64(positions.all_cards)
        self._probe_hands = np.concatenate([[every], every & ~each, [np.int64(0)]])
        faces = range(positions.cards * positions.faces_per_card)
        # by face: the mask of its card, and the bit of `side` if it is up
        self._card_masks = [1 << face // positions.faces_per_card for face in faces]
        self._side_masks = [
            face % positions.faces_per_card << face // positions.faces_per_card for face in faces
        ]

    def needs_of(self, state: np.void, code: int) -> ActionNeeds:
        """Return what the faults of an act depend on; `state` does not change."""
        kernel = self.game.kernel
        if code >> SEAT_SHIFT >= self.players or code & ACT_MASK >= self.game.acts.ACT_COUNT:
            return ActionNeeds(int(kernel.check(state, self.rules, code)))
        full, *without, empty = self._faults_of_hands(state, code, self._probe_hands)
        if full & (kernel.IMPOSSIBLE | self._not_held_faults):
            return ActionNeeds(full, bases=(HandBase((), full, (), {}),))
        if not empty & self._not_held_faults:
            return ActionNeeds(full, bases=(self._hand_base(state, code, ()),))
        pool = tuple(card for card, faults in enumerate(without) if faults & self._not_held_faults)
        some = pool
        if not pool:  # a number of cards is needed: remove all that can be spared
            hand, cards = self.positions.all_cards, range(self.positions.cards)
            for card in cards:
                less = hand & ~(1 << card)
                if not self._faults_of_hands(state, code, [less])[0] & self._not_held_faults:
                    hand = less
            some, one_less = tuple(bits_in(hand)), hand & (hand - 1)
            found = self._faults_of_hands(state, code, [one_less | 1 << card for card in cards])
            others = {card for card, faults in enumerate(found) if not faults & self._not_held_faults}
            pool = tuple(sorted({*others, *some}))
        ways = product(*(self.positions.faces(card) for card in some))
        bases = tuple(self._hand_base(state, code, faces) for faces in ways)
        return ActionNeeds(full, empty, pool, len(some), bases)

    def may_be_legal(self, state: np.void, code: int, possible_cards: int) -> bool:
        """Return False if no hand out of `possible_cards` makes an act legal; a quick pre-check.

        A fault found both with all cards in hand and with none does not depend on the hand.
        """
        kernel, every = self.game.kernel, self.positions.all_cards
        full, none, *whole = self._faults_of_hands(
            state, code, [every, 0, possible_cards, possible_cards], [0, 0, 0, every]
        )
        unheld = kernel.IMPOSSIBLE | self._not_held_faults
        errors = kernel.ERRORS & ~sum(self.game.faults.unless_before)
        return not full & none & errors and not all(one & unheld for one in whole)

    def _faults_of_hands(
        self, state: np.void, code: int, hands: "np.ndarray | list[int]", sides: object = None
    ) -> list[int]:
        led, found = np.array(hands, np.int64), np.zeros(len(hands), np.int64)
        turned = np.zeros_like(led) if sides is None else np.array(sides, np.int64)
        self.game.kernel.probe(state, self.rules, code, led, turned, found)
        recorded: list[int] = found.tolist()
        return recorded

    def _hand_base(self, state: np.void, code: int, base: tuple[int, ...]) -> HandBase:
        """Find the faults each other card causes next to `base`, and which override others."""
        sides, card, up = self.positions.faces_per_card, self._card_masks, self._side_masks
        own, turned = sum(card[face] for face in base), sum(up[face] for face in base)
        others = [face for face in range(len(card)) if not card[face] & own]
        hands = [own, *(own | card[face] for face in others)]
        plain, *found = self._faults_of_hands(state, code, hands, [turned, *(turned | up[i] for i in others)])
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
                if self._faults_of_hands(state, code, [hand], [sides_up]) != [one]:
                    stronger[one].add(other)
        return HandBase(base, plain, brought, {one: frozenset(more) for one, more in stronger.items()})

    def possible_faults(
        self, needs: ActionNeeds, hand: HandLimits, hypothetical: bool = False
    ) -> Iterator[tuple[int, Iterator[PlaceLimits]]]:
        """Yield (faults an act may have, alternative limits that cause them) for a hand.

        `hypothetical`: the act is not recorded, so it may be impossible.
        """
        whole = needs.needed_count == len(needs.needed_cards)
        others = set(range(self.positions.cards)) - {*needs.needed_cards}
        if needs.faults_without and (hypothetical or not needs.faults_without & self.game.kernel.IMPOSSIBLE):
            # limits that put a needed card outside the hand
            if whole:
                found = [hand.limits_without({}, (card,)) for card in needs.needed_cards]
            elif hand.size != needs.needed_count:
                found = [{}]
            else:
                found = [hand.limits_with({}, (card * self.positions.faces_per_card,)) for card in others]
            yield needs.faults_without, (limits for limits in found if limits is not None)
        for base in needs.bases:
            # limits that put them into it; no game needs only some cards of a larger hand
            limits: PlaceLimits | None = {} if hand.size > needs.needed_count else None
            if whole:
                limits = hand.limits_with({}, base.faces)
            elif hand.size == needs.needed_count:
                limits = hand.limits_without({}, others)
            if limits is not None:
                brought = {face for face, _ in base.faults_by_face}
                alone = hand.limits_without_faces(limits, brought)
                yield base.base_faults, iter(() if alone is None else (alone,))
                for faults in base.overriding_faults:
                    yield faults, self._limits_bringing(base, faults, limits, hand)

    def _limits_bringing(
        self, base: HandBase, faults: int, limits: PlaceLimits, hand: HandLimits
    ) -> Iterator[PlaceLimits]:
        """Yield limits that put a face with these faults into the hand, and no overriding one."""
        stronger = {face for face, own in base.faults_by_face if own in base.overriding_faults[faults]}
        for face, own in base.faults_by_face:
            if own == faults and (held := hand.limits_with(limits, (face,))) is not None:
                card = face // self.positions.faces_per_card
                if (found := hand.limits_without_faces(held, stronger, except_card=card)) is not None:
                    yield found

    def claim_limits(self, state: np.void, seat: int, hand: HandLimits) -> list[tuple[PlaceLimits, ...]]:
        """Return the limits under which a claimed hand takes the rest, and those where it fails."""
        played = state.copy()
        left = [card for card in range(self.positions.cards) if not hand.is_played(card)]
        other = (seat + 1) % self.players
        played["hand"] = 0
        wants: dict[int, set[int]] = {card: {card} for card in left}  # and what can beat it
        for card, rival in product(left, left):
            if card != rival:
                played["hand"][seat], played["hand"][other] = 1 << card, 1 << rival
                if not self.game.kernel.claim_holds(played, seat):
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
        good = [hand.limits_with({}, cards) for cards in whole if len(cards) == hand.size]
        bad = [
            hand.limits_without(held, (rival,))
            for card, rivals in wants.items()
            if (held := hand.limits_with({}, (card,))) is not None
            for rival in rivals - {card}
        ]
        return [tuple(one for one in found if one is not None) for found in (good, bad)]
