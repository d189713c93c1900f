"""A deal told in part, followed through every way it may have gone."""

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT, Action
from engine.faults import WARNING, Fault
from engine.games import Game
from engine.hidden.scenarios import Asker, Course, Hand, Limits, Needs, Seen, Thread, bits, layout
from engine.matching import complete, limited

MOST = 128  # ways the deal may have gone that are told apart; past that nothing more is checked
APART = ("hand", "held", "talon", "side")
"""Fields of a state that hold cards, not what everybody at the table can see."""

Due = tuple[np.void, int, tuple[int, ...]]
"""A thread's state once what is due was done, the faults of that, the places reached."""


class Partial:
    """A deal with HIDDEN cards, solved; arguments as `engine.replay.Replay` takes them.

    `deck` and `codes` become those of one world, so that a `Replay` of them shows what
    everybody saw; what it shows besides is for `known` and `same` to vouch for.
    """

    def __init__(
        self,
        game: Game,
        rules: np.void,
        players: int,
        dealer: int,
        deck: Sequence[int] | NDArray[np.uint8],
        codes: Sequence[int],
        explicit: bool = False,
    ) -> None:
        self.game, self.rules, self.players, self.dealer = game, rules, players, dealer
        self.explicit = explicit
        self.layout = layout(game, deck)
        self.told = [int(code) for code in codes]
        self.overflow: int | None = None
        """The action from which the deal may have gone in too many ways."""
        self._asker = Asker(game, rules, players, self.layout)
        self._found: dict[tuple[int, int], frozenset[int]] = {}
        self.courses = list(self._openings())
        self.end = 0  # how many actions can have happened
        self._follow()

    def then(self, code: int) -> "Partial":
        """The deal with one action more; what can be kept of this one is, and this one stays."""
        after = copy(self)
        after.told = [*self.told, int(code)]
        # worlds only become fewer, so what is so in all of them stays so
        known = self._found.items()
        after._found = {key: own for key, own in known if key[0] < self.end and len(own) == 1}
        after.courses = [course.copy() for course in self.courses]
        after._follow()
        return after

    def _follow(self) -> None:
        """Follow every course as far as it can have gone, and keep those that went furthest."""
        while self.end < len(self.told) and self.overflow is None:
            k = self.end
            onward = [after for course in self.courses for after in self._advance(course, k)]
            if not onward:
                break
            onward = [course for course in onward if course.belied < k] or onward
            if sum(len(course.threads) for course in onward) > MOST:
                self.overflow = k
                for course in self.courses:
                    course.back(k)
            else:
                self.courses, self.end = onward, k + 1
        for course in self.courses:
            course.threads = [thread for thread in course.threads if self._world(course, thread)]
        self.courses = [course for course in self.courses if course.threads]
        first = self.courses[0].threads[0]
        self.deck = self.layout.dealt(first.at)
        self.codes = [self._code(first, k) for k in range(self.end)] + self.told[self.end :]

    # the ways the deal may have gone

    def _openings(self) -> Iterator[Course]:
        """One course for each card that may lie face up: the deal depends on it from the start.

        One world is laid out, to see in the kernel who is dealt which place.
        """
        cards, places = range(self.layout.cards), self.layout.places
        free = self.layout.everything & ~sum(1 << place for place in places.values())
        may = [1 << places[card] if card in places else free for card in cards]
        at = [places.get(card, -1) for card in cards]
        complete(may, at)
        state = self._start(at)
        hands = map(int, state["hand"][: self.players])
        dealt = tuple(sum(1 << at[card] for card in bits(hand)) for hand in hands)
        fields = state.dtype.names or ()
        self._talon: list[int] = []
        if "talon" in fields:
            self._talon = [at[int(card)] for card in state["talon"][: state["talon_size"]]]
        turned = int(state["retourne"]) if "retourne" in fields else -1
        unknown = [card for card in cards if card not in places]
        chosen: list[Limits] = [{}]
        if turned in unknown:
            chosen = [{card: 1 << at[turned]} for card in unknown]
        for limits in chosen:
            if (own := limited(may, at, limits)) is not None:
                left = [mask & limits.get(card, mask) for card, mask in enumerate(may)]
                start = Seen(dealt, 0, tuple(cards), 0)
                yield Course(left, own, [Thread(own, [self._start(own)])], [start])

    def _start(self, at: list[int]) -> np.void:
        state: np.void = np.zeros(1, self.game.kernel.State)[0]
        deal, start = self.layout.dealt(at), self.game.kernel.start
        start(state, self.rules, self.players, self.dealer, deal, int(self.explicit))
        return state

    def _world(self, course: Course, thread: Thread) -> bool:
        """Find a thread a world again, after its course learned more; False: it has none."""
        if (at := course.meets(thread.given, {}, thread.at)) is not None:
            thread.at = at
        return at is not None

    def _code(self, thread: Thread, k: int) -> int:
        """The act told, with the card drawn where nobody wrote it down."""
        code, state = self.told[k], thread.states[k]
        if code & ACT_MASK != DRAW_HIDDEN:
            return code
        place = min(int(state["drawn"]), int(state["talon_size"]) - 1)
        return code & ~ACT_MASK | self.game.acts.DRAW + int(state["talon"][place])

    def _fill(self, course: Course, thread: Thread, state: np.void, k: int) -> np.void:
        """Put the thread's world into a state: hands, talon, sides."""
        seen, name = course.seen[k], course.seen[k].name
        lies = [0] * len(name)
        for card, place in enumerate(thread.at):
            lies[place] = name[card]
        for seat, reached in enumerate(seen.reached):
            hand = 0
            while reached:  # bit by bit: this is done for every state of every thread
                low = reached & -reached
                hand |= 1 << lies[low.bit_length() - 1]
                reached ^= low
            state["hand"][seat] = hand & ~seen.gone
        for number, place in enumerate(self._talon):
            state["talon"][number] = lies[place]
        if self.layout.sides > 1:
            faces = [self.layout.face(card, place) for card, place in enumerate(thread.at)]
            up = sum((face & 1) << card for card, face in enumerate(faces))
            state["side"] = up ^ seen.turned
        return state

    def _advance(self, course: Course, k: int) -> list[Course]:
        """A course after action k, split where the table saw different things; none: it ends.

        It is split before, too, where all have to draw for the action and not in the same order:
        who draws first may hang on what told its threads apart, a trump somebody announced.
        """
        kernel = self.game.kernel
        due: list[Due] = []
        orders: dict[tuple[int, ...], list[int]] = {}
        for number, thread in enumerate(course.threads):
            act = self._code(thread, k) & ACT_MASK
            state = self._fill(course, thread, thread.states[k].copy(), k)
            reached, forced = course.seen[k].reached, 0
            if not kernel.check_bounds(state, self.told[k] >> SEAT_SHIFT, act):
                before = [int(hand) for hand in state["hand"]]
                forced = int(kernel.go_on(state, act))
                if forced:
                    reached = self._reached(course, thread, before, state, k)
            due.append((state, forced, reached))
            orders.setdefault(reached, []).append(number)
        if len(orders) == 1:
            return self._act(course, due, k)
        onward: list[Course] = []
        for own in orders.values():
            apart = course.apart([course.threads[number].copy() for number in own])
            onward += self._act(apart, [due[number] for number in own], k)
        return onward

    def _act(self, course: Course, due: list[Due], k: int) -> list[Course]:
        """A course after action k, once all threads did in one order what is due before it."""
        kernel = self.game.kernel
        alive: list[tuple[Thread, Needs]] = []
        kept, seen = (course.may, course.at, course.whole), course.seen[k]
        states = [thread.states[k] for thread in course.threads]
        if any(forced for _, forced, _ in due):
            course.seen[k] = seen._replace(reached=due[0][2], early=seen.reached)
        for thread, (state, forced, _) in zip(course.threads, due, strict=True):
            thread.states[k] = state
            thread.forced.append(forced)
            needs = self._asker.needs(state, self._code(thread, k))
            if not needs.full & kernel.IMPOSSIBLE:
                alive.append((thread, needs))
        course.whole &= len(alive) == len(course.threads)
        onward: list[tuple[Thread, np.void]] = []
        if alive and self._believes(course, k, *alive[0]):
            for thread, needs in alive:
                if self._world(course, thread):
                    onward += self._does(course, thread, needs, k)
        if onward:
            return self._split(course, onward, k)
        course.set(*kept[:2])
        course.whole, course.seen[k] = kept[2], seen
        for thread, state in zip(course.threads, states, strict=True):
            thread.states[k] = state
        return []

    def _believes(self, course: Course, k: int, thread: Thread, needs: Needs) -> bool:
        """Take it that a card played was in the hand, one drawn on the talon; False: nowhere."""
        (reached, gone, name, *_), act = course.seen[k], self.told[k] & ACT_MASK
        if needs.missing & self.game.kernel.IMPOSSIBLE:
            if any(gone >> card & 1 for card in needs.pool):
                return False
            inside = reached[self.told[k] >> SEAT_SHIFT]
            return course.learn({name[card]: inside for card in needs.pool})
        if self.game.acts.kind_of_act(act) == "draw" and int(thread.states[k]["to_draw"]):
            if act < self.game.acts.ACTS:
                card = act - self.game.acts.DRAW
                place = self._talon[int(thread.states[k]["drawn"])]
                if gone >> card & 1 or not course.learn({name[card]: 1 << place}):
                    course.belied = k
        return True

    def _does(
        self, course: Course, thread: Thread, needs: Needs, k: int
    ) -> list[tuple[Thread, np.void]]:
        """The thread and its state after action k; one for each thing the table may have seen.

        A card or a bid is taken as it is, whatever its faults; what an announcement or a hand
        laid down brings depends on cards.
        """
        kind, seat = self.game.acts.kind_of_act(self.told[k] & ACT_MASK), self.told[k] >> SEAT_SHIFT
        if kind not in ("announce", "claim"):
            return [(thread, self._stepped(course, thread, k))]
        hand = Hand(self.layout, course, seat, k)
        if kind == "claim":
            ways = self._asker.claims(thread.states[k], seat, hand)
        else:
            ways = [tuple(limits) for _, limits in self._asker.outcomes(needs, hand)]
        seen: dict[bytes, tuple[list[int], np.void, list[Limits]]] = {}
        for way in ways:
            if (at := course.meets([*thread.given, way], {}, thread.at)) is not None:
                after = self._stepped(course, Thread(at, thread.states), k)
                seen.setdefault(shown(after), (at, after, []))[2].extend(way)
        if len(seen) == 1:
            ((thread.at, after, _),) = seen.values()
            return [(thread, after)]
        apart = []
        for at, after, limits in seen.values():
            told = (*thread.conditions, (k, tuple(limits)))
            apart.append((Thread(at, list(thread.states), list(thread.forced), told), after))
        return apart

    def _stepped(self, course: Course, thread: Thread, k: int) -> np.void:
        """The state after action k in the thread's world."""
        state = self._fill(course, thread, thread.states[k].copy(), k)
        self.game.kernel.step(state, self.rules, self._code(thread, k))
        return state

    def _split(self, course: Course, threads: list[tuple[Thread, np.void]], k: int) -> list[Course]:
        """The threads after action k, in courses by who got which place, as the kernel did it."""
        kinds: dict[Seen, list[Thread]] = {}
        before, seat = course.seen[k]._replace(early=None), self.told[k] >> SEAT_SHIFT
        plays = self.game.acts.kind_of_act(self.told[k] & ACT_MASK) == "play"
        for thread, after in threads:
            state = self._fill(course, thread, thread.states[k].copy(), k)
            _, gone, name, turned, _ = before
            lost = int(state["hand"][seat]) & ~int(after["hand"][seat])
            gained = int(after["hand"][seat]) & ~int(state["hand"][seat])
            if lost and gained and not plays:  # two cards were exchanged
                one, other = lost.bit_length() - 1, gained.bit_length() - 1
                swapped = list(name)
                swapped[one], swapped[other] = name[other], name[one]
                seen = before._replace(name=tuple(swapped))
            else:
                gone |= lost if plays else 0
                if self.layout.sides > 1:
                    turned ^= (int(state["side"]) ^ int(after["side"])) & ~gone
                held = [int(hand) for hand in state["hand"]]
                seen = Seen(self._reached(course, thread, held, after, k), gone, name, turned)
            kinds.setdefault(seen, []).append(thread)
            thread.states.append(after)
        courses = [course] if len(kinds) == 1 else [course.apart(own) for own in kinds.values()]
        for course_of, (seen, own) in zip(courses, kinds.items(), strict=True):
            course_of.threads = own
            course_of.seen.append(seen)
        return courses

    def _reached(
        self, course: Course, thread: Thread, held: list[int], after: np.void, k: int
    ) -> tuple[int, ...]:
        """The places each seat has been given, once more cards came to the hands."""
        name, reached = course.seen[k].name, list(course.seen[k].reached)
        for seat in range(self.players):
            for card in bits(int(after["hand"][seat]) & ~held[seat]):
                reached[seat] |= 1 << thread.at[name[card]]
        return tuple(reached)

    # what is certain

    def faults(self, at: int, code: int | None = None) -> frozenset[int]:
        """The sets of faults that action `at`, or another in its place, has in some world."""
        told = self.told[at] if code is None else code
        if (at, told) not in self._found:
            ways = (self._faults(course, at, code) for course in self.courses)
            self._found[at, told] = frozenset(chain.from_iterable(ways))
        return self._found[at, told]

    def _faults(self, course: Course, at: int, code: int | None, but: int = 0) -> Iterator[int]:
        """Those of one course, as they are found; none with a fault in `but`."""
        seat = (self.told[at] if code is None else code) >> SEAT_SHIFT
        kinds: dict[tuple[object, ...], tuple[Needs, int, list[Thread]]] = {}
        for thread in course.threads:
            state = self._fill(course, thread, thread.states[at], at)
            needs = self._asker.needs(state, self._code(thread, at) if code is None else code)
            forced = thread.forced[at] if code is None else 0
            kinds.setdefault((forced, *needs.key), (needs, forced, []))[2].append(thread)
        found: set[int] = set()
        for needs, forced, threads in kinds.values():
            # where every thread depends on the same, what told them apart does not matter
            given: list[list[tuple[Limits, ...]]] = [[]]
            if not course.whole:
                given = [thread.given for thread in threads]
            elif len(kinds) > 1:
                given = [[own for k, own in one.conditions if k < at] for one in threads]
            hand = Hand(self.layout, course, min(seat, self.players - 1), at)
            for faults, ways in self._asker.outcomes(needs, hand, code is not None):
                every = faults | forced
                if every in found or every & but:
                    continue
                tried = (course.meets(own, limits) for limits in ways for own in given)
                if any(world is not None for world in tried):
                    found.add(every)
                    yield every

    def certain(self, at: int) -> tuple[Fault, ...]:
        """The faults that action `at` has in every world."""
        return tuple(self.game.faults.of(int(np.bitwise_and.reduce(list(self.faults(at))))))

    def doubtful(self, at: int) -> tuple[Fault, ...]:
        """The faults that action `at` has in some worlds and not in others."""
        found = list(self.faults(at))
        every, some = np.bitwise_and.reduce(found), np.bitwise_or.reduce(found)
        return tuple(self.game.faults.of(int(some & ~every)))

    @property
    def stop(self) -> tuple[Fault, ...]:
        """The faults of the first action that no world allows; empty when there is none."""
        if self.end == len(self.told) or self.overflow is not None:
            return ()
        kernel, found = self.game.kernel, []
        for course in self.courses:
            for thread in course.threads:
                tried = self._fill(course, thread, thread.states[self.end], self.end).copy()
                found.append(int(kernel.step(tried, self.rules, self._code(thread, self.end))))
        common = int(np.bitwise_and.reduce(found))
        return tuple(self.game.faults.of(common if common & kernel.IMPOSSIBLE else found[0]))

    def legal(self, at: int, code: int) -> bool:
        """Whether an act would have been legal in place of action `at`, in every world."""
        acts = self.game.acts
        if acts.kind_of_act(code & ACT_MASK) == "draw":
            return self.drawn(at) == {(code & ACT_MASK) - acts.DRAW}
        return not any(found & self.game.kernel.ERRORS for found in self.faults(at, code))

    def may(self, at: int) -> tuple[Action, ...]:
        """Every act some world allows before action `at`; any card that may be next to draw."""
        acts, table, may = self.game.acts, self.game.faults, self._asker.may
        # what is no error and was only left out, as `au sept` may be, is legal
        left_out = [table.by_code[code] for code in acts.OWED]
        errors = ~sum(fault.bit for fault in left_out if fault.gravity == WARNING)
        others = [act for act in range(acts.ACTS) if acts.kind_of_act(act) != "draw"]
        found = []
        for seat in range(self.players):
            hands = [Hand(self.layout, course, seat, at).most for course in self.courses]
            for one in (Action(seat, act) for act in others):
                ways = (
                    self._faults(course, at, one.code, errors)
                    for course, hand in zip(self.courses, hands, strict=True)
                    if any(may(thread.states[at], one.code, hand) for thread in course.threads)
                )
                if next(chain.from_iterable(ways), None) is not None:
                    found.append(one)
        # every draw that may be next where draws are told, and the one that names no card
        drawers = set[int]()
        for state in self.states(at) if self.explicit else ():
            if int(state["to_draw"]):
                act, check = acts.DRAW + int(state["talon"][state["drawn"]]), self.game.kernel.check
                codes = {seat: Action(seat, act).code for seat in range(self.players)}
                drawers |= {one for one in codes if not check(state, self.rules, codes[one])}
        for seat in sorted(drawers):
            found += [Action(seat, acts.DRAW + card) for card in sorted(self.drawn(at))]
            found.append(Action(seat, DRAW_HIDDEN))
        return tuple(found)

    def drawn(self, at: int) -> set[int]:
        """The cards that may be the next of the talon before action `at`."""
        found = set[int]()
        for course in self.courses:
            state = course.threads[0].states[at]
            place = self._talon[min(int(state["drawn"]), len(self._talon) - 1)]
            lies = enumerate(course.seen[at].name)
            found |= {card for card, node in lies if course.where[node] >> place & 1}
        return found

    def known(self, at: int, seat: int) -> int:
        """The mask of the cards a seat holds before action `at` in every world, face and all."""
        found = self.layout.everything
        for course in self.courses:
            hand = Hand(self.layout, course, seat, at)
            if hand.seen.early is not None:
                hand.inside = hand.seen.early[seat]
            found &= sum(1 << card for card in bits(found) if hand.certain(card))
        return found

    def states(self, at: int) -> list[np.void]:
        """The states before action `at`, one for each way the deal may have gone."""
        return [thread.states[at] for course in self.courses for thread in course.threads]

    def same(self, at: int) -> frozenset[str]:
        """The fields of the state before action `at` that everybody saw the same in every world."""
        states = self.states(at)
        return frozenset(
            name
            for name in states[0].dtype.names or ()
            if name not in APART and len({state[name].tobytes() for state in states}) == 1
        )

    @property
    def lasts(self) -> list[np.void]:
        """The states the deal may have been left in, each once; hands are those of one world."""
        found: dict[bytes, np.void] = {}
        for state in self.states(self.end):
            found.setdefault(shown(state), state)
        return list(found.values())


def shown(state: np.void) -> bytes:
    """What the whole table can see of a state; not what lies between its fields in memory."""
    fields = state.dtype.names or ()
    return b"".join(state[name].tobytes() for name in fields if name not in APART)
