"""How a deal may have gone: where its cards lie, who got which places when, and what must be so
for a hand to be so.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cards import HIDDEN
from engine.games import Game
from engine.matching import limited, possible

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
        """The faces of a card."""
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
        """Its conditions without their times."""
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
                found = self.meets(conditions[1:], both, at)
                if found is not None:
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
        lies, name = self.course.where, self.seen.name
        cards = (card for card in range(self.layout.cards) if not self.gone(card))
        return sum(1 << card for card in cards if lies[name[card]] & self.inside)

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
            if self.gone(card) or face not in self.shows(card):
                return None
            if not self._keep(more, card, self.inside):
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
