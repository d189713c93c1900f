"""Replays a partially recorded deal through all scenarios."""

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT, Action
from engine.faults import WARNING, Fault
from engine.games import Game
from engine.hidden.scenarios import (
    ActionNeeds,
    DependencyFinder,
    HandLimits,
    PlaceLimits,
    Scenario,
    ScenarioGroup,
    SharedView,
    bits_in,
    card_positions,
)
from engine.matching import complete_matching, restricted_matching

MAX_SCENARIOS = 128  # beyond this Retourne checks no further actions
PRIVATE_FIELDS = ("hand", "held", "talon", "stock", "side", "pairs_held", "revoked")
"""Fields of a state that hold cards not all players can see, or follow from them."""
REVOKED = "revoked"
"""Seats that had a fault of `FaultTable.unless_before`: no seat here, all possible deals decide."""

DueState = tuple[np.void, int, tuple[int, ...]]
"""(state after doing what was due, faults of doing it, places by seat) of a scenario."""


class HiddenDeal:
    """A deal with hidden cards, solved; arguments as for `engine.replay.Replay`.

    `deck` and `codes` become those of one possible deal, so that a `Replay` of them shows what all
    players saw; `known_hand` and `known_fields` report what else of it is certain.
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
        self.positions = card_positions(game, deck)
        self.recorded_codes = [int(code) for code in codes]
        self.overflow_action: int | None = None
        """The first action after which there are more than MAX_SCENARIOS scenarios."""
        self._dependencies = DependencyFinder(game, rules, players, self.positions)
        self._faults_cache: dict[tuple[int, int], frozenset[int]] = {}
        self.groups = list(self._opening_groups())
        self.possible_count = 0  # number of actions before the first impossible one
        self._follow_scenarios()

    def with_action(self, code: int) -> "HiddenDeal":
        """Return the deal with one more action, reusing cached results; `self` is unchanged."""
        after = copy(self)
        after.recorded_codes = [*self.recorded_codes, int(code)]
        # an action only removes possible deals, so faults certain before it stay certain
        known = self._faults_cache.items()
        after._faults_cache = {
            key: own for key, own in known if key[0] < self.possible_count and len(own) == 1
        }
        after.groups = [course.copy() for course in self.groups]
        after._follow_scenarios()
        return after

    def _follow_scenarios(self) -> None:
        """Apply the remaining actions to every group, retaining those that get furthest."""
        while self.possible_count < len(self.recorded_codes) and self.overflow_action is None:
            k = self.possible_count
            onward = [after for course in self.groups for after in self._advance(course, k)]
            if not onward:
                break
            onward = [course for course in onward if course.contradicted_draw < k] or onward
            if sum(len(course.scenarios) for course in onward) > MAX_SCENARIOS:
                self.overflow_action = k
                for course in self.groups:
                    course.rewind(k)
            else:
                self.groups, self.possible_count = onward, k + 1
        for course in self.groups:
            course.scenarios = [
                thread for thread in course.scenarios if self._find_possible_deal(course, thread)
            ]
        self.groups = [course for course in self.groups if course.scenarios]
        first = self.groups[0].scenarios[0]
        self.deck = self.positions.deal_row(first.places)
        self.codes = [
            self._code_in_scenario(first, k) for k in range(self.possible_count)
        ] + self.recorded_codes[self.possible_count :]

    def _opening_groups(self) -> Iterator[ScenarioGroup]:
        """Yield one group for each card that may be turned up, as it affects the whole deal.

        The kernel deals one possible deal first, which shows which seat receives which place.
        """
        cards, places = range(self.positions.cards), self.positions.known_places
        free = self.positions.all_cards & ~sum(1 << place for place in places.values())
        may = [1 << places[card] if card in places else free for card in cards]
        at = [places.get(card, -1) for card in cards]
        complete_matching(may, at)
        state = self._start_state(at)
        hands = map(int, state["hand"][: self.players])
        dealt = tuple(sum(1 << at[card] for card in bits_in(hand)) for hand in hands)
        fields = state.dtype.names or ()
        self._talon: list[int] = []
        if "talon" in fields:
            self._talon = [at[int(card)] for card in state["talon"][: state["talon_size"]]]
        turned = int(state["retourne"]) if "retourne" in fields else -1
        unknown = [card for card in cards if card not in places]
        chosen: list[PlaceLimits] = [{}]
        if turned in unknown:
            chosen = [{card: 1 << at[turned]} for card in unknown]
        for limits in chosen:
            if (own := restricted_matching(may, at, limits)) is not None:
                left = [mask & limits.get(card, mask) for card, mask in enumerate(may)]
                start = SharedView(dealt, 0, tuple(cards), 0)
                yield ScenarioGroup(left, own, [Scenario(own, [self._start_state(own)])], [start])

    def _start_state(self, at: list[int]) -> np.void:
        state: np.void = np.zeros(1, self.game.kernel.State)[0]
        deal, start = self.positions.deal_row(at), self.game.kernel.start
        start(state, self.rules, self.players, self.dealer, deal, int(self.explicit))
        return state

    def _find_possible_deal(self, group: ScenarioGroup, scenario: Scenario) -> bool:
        """Find the scenario a possible deal within its group's narrowed limits; False if none is left."""
        if (at := group.matching_within(scenario.condition_limits, {}, scenario.places)) is not None:
            scenario.places = at
        return at is not None

    def _code_in_scenario(self, scenario: Scenario, k: int) -> int:
        """Return the code of action k, with the scenario's card if the log hides a drawn one."""
        code, state = self.recorded_codes[k], scenario.states[k]
        if code & ACT_MASK != DRAW_HIDDEN:
            return code
        place = min(int(state["drawn"]), int(state["talon_size"]) - 1)
        return code & ~ACT_MASK | self.game.acts.FIRST_DRAW + int(state["talon"][place])

    def _state_in_scenario(self, group: ScenarioGroup, scenario: Scenario, state: np.void, k: int) -> np.void:
        """Fill a state's hands, talon and sides from the scenario's possible deal, and return it."""
        seen, name = group.views[k], group.views[k].card_names
        lies = [0] * len(name)
        for card, place in enumerate(scenario.places):
            lies[place] = name[card]
        for seat, reached in enumerate(seen.places_by_seat):
            hand = 0
            while reached:  # inlined `bits_in`: this loop is hot
                low = reached & -reached
                hand |= 1 << lies[low.bit_length() - 1]
                reached ^= low
            state["hand"][seat] = hand & ~seen.cards_played
        for number, place in enumerate(self._talon):
            state["talon"][number] = lies[place]
        if self.positions.faces_per_card > 1:
            faces = [self.positions.face(card, place) for card, place in enumerate(scenario.places)]
            up = sum((face & 1) << card for card, face in enumerate(faces))
            state["side"] = up ^ seen.cards_turned
        if self.game.faults.unless_before:
            state[REVOKED] = 0
        return state

    def _advance(self, group: ScenarioGroup, k: int) -> list[ScenarioGroup]:
        """Return the groups a group becomes with action k; empty if the action is impossible.

        If draws are due before the action, the group is split by their order, which may depend on the
        difference between its scenarios, such as a trump made by an announcement.
        """
        kernel = self.game.kernel
        due: list[DueState] = []
        orders: dict[tuple[int, ...], list[int]] = {}
        for number, thread in enumerate(group.scenarios):
            act = self._code_in_scenario(thread, k) & ACT_MASK
            state = self._state_in_scenario(group, thread, thread.states[k].copy(), k)
            reached, forced = group.views[k].places_by_seat, 0
            if not kernel.check_bounds(state, self.recorded_codes[k] >> SEAT_SHIFT, act):
                before = [int(hand) for hand in state["hand"]]
                forced = int(kernel.skip_due_actions(state, act))
                if forced:
                    reached = self._places_by_seat(group, thread, before, state, k)
            due.append((state, forced, reached))
            orders.setdefault(reached, []).append(number)
        if len(orders) == 1:
            return self._apply_action(group, due, k)
        onward: list[ScenarioGroup] = []
        for own in orders.values():
            separate = group.subgroup([group.scenarios[number].copy() for number in own])
            onward += self._apply_action(separate, [due[number] for number in own], k)
        return onward

    def _apply_action(self, group: ScenarioGroup, due: list[DueState], k: int) -> list[ScenarioGroup]:
        """Return the groups after action k, where draws due before it have the same order."""
        kernel = self.game.kernel
        alive: list[tuple[Scenario, ActionNeeds]] = []
        remaining, seen = (group.allowed, group.matching, group.is_complete), group.views[k]
        states = [thread.states[k] for thread in group.scenarios]
        if any(forced for _, forced, _ in due):
            group.views[k] = seen._replace(places_by_seat=due[0][2], places_before_draws=seen.places_by_seat)
        for thread, (state, forced, _) in zip(group.scenarios, due, strict=True):
            thread.states[k] = state
            thread.skip_faults.append(forced)
            needs = self._dependencies.needs_of(state, self._code_in_scenario(thread, k))
            if not needs.faults_with_all & kernel.IMPOSSIBLE:
                alive.append((thread, needs))
        group.is_complete &= len(alive) == len(group.scenarios)
        onward: list[tuple[Scenario, np.void]] = []
        if alive and self._accept_card(group, k, *alive[0]):
            for thread, needs in alive:
                if self._find_possible_deal(group, thread):
                    onward += self._outcomes_of_action(group, thread, needs, k)
        if onward:
            return self._split_group(group, onward, k)
        group.replace_allowed(*remaining[:2])
        group.is_complete, group.views[k] = remaining[2], seen
        for thread, state in zip(group.scenarios, states, strict=True):
            thread.states[k] = state
        return []

    def _accept_card(self, group: ScenarioGroup, k: int, scenario: Scenario, needs: ActionNeeds) -> bool:
        """Narrow to possible deals where a played card was in hand and a drawn one next; False: none."""
        (reached, played, name, *_), act = group.views[k], self.recorded_codes[k] & ACT_MASK
        if needs.faults_without & self.game.kernel.IMPOSSIBLE:
            if any(played >> card & 1 for card in needs.needed_cards):
                return False
            inside = reached[self.recorded_codes[k] >> SEAT_SHIFT]
            return group.narrow({name[card]: inside for card in needs.needed_cards})
        if self.game.acts.kind_of_act(act) == "draw" and int(scenario.states[k]["to_draw"]):
            if act < self.game.acts.ACT_COUNT:
                card = act - self.game.acts.FIRST_DRAW
                place = self._talon[int(scenario.states[k]["drawn"])]
                if played >> card & 1 or not group.narrow({name[card]: 1 << place}):
                    group.contradicted_draw = k
        return True

    def _outcomes_of_action(
        self, group: ScenarioGroup, scenario: Scenario, needs: ActionNeeds, k: int
    ) -> list[tuple[Scenario, np.void]]:
        """Return a scenario and its state for each outcome of action k that players may have seen.

        The effect of an announcement or a claim depends on the hand; other acts have one outcome.
        """
        kind, seat = (
            self.game.acts.kind_of_act(self.recorded_codes[k] & ACT_MASK),
            self.recorded_codes[k] >> SEAT_SHIFT,
        )
        if kind not in ("announce", "claim"):
            return [(scenario, self._state_after(group, scenario, k))]
        hand = HandLimits(self.positions, group, seat, k)
        if kind == "claim":
            ways = self._dependencies.claim_limits(scenario.states[k], seat, hand)
        else:
            ways = [tuple(limits) for _, limits in self._dependencies.possible_faults(needs, hand)]
        seen: dict[bytes, tuple[list[int], np.void, list[PlaceLimits]]] = {}
        for way in ways:
            if (
                at := group.matching_within([*scenario.condition_limits, way], {}, scenario.places)
            ) is not None:
                after = self._state_after(group, Scenario(at, scenario.states), k)
                seen.setdefault(public_bytes(after), (at, after, []))[2].extend(way)
        if len(seen) == 1:
            ((scenario.places, after, _),) = seen.values()
            return [(scenario, after)]
        separate = []
        for at, after, limits in seen.values():
            recorded = (*scenario.conditions, (k, tuple(limits)))
            separate.append(
                (Scenario(at, list(scenario.states), list(scenario.skip_faults), recorded), after)
            )
        return separate

    def _state_after(self, group: ScenarioGroup, scenario: Scenario, k: int) -> np.void:
        """Return the state after action k in the scenario's possible deal."""
        state = self._state_in_scenario(group, scenario, scenario.states[k].copy(), k)
        self.game.kernel.step(state, self.rules, self._code_in_scenario(scenario, k))
        return state

    def _split_group(
        self, group: ScenarioGroup, scenarios: list[tuple[Scenario, np.void]], k: int
    ) -> list[ScenarioGroup]:
        """Group scenarios after action k by which seat received which place in the kernel."""
        kinds: dict[SharedView, list[Scenario]] = {}
        before, seat = (
            group.views[k]._replace(places_before_draws=None),
            self.recorded_codes[k] >> SEAT_SHIFT,
        )
        plays = self.game.acts.kind_of_act(self.recorded_codes[k] & ACT_MASK) == "play"
        for thread, after in scenarios:
            state = self._state_in_scenario(group, thread, thread.states[k].copy(), k)
            _, played, name, turned, _ = before
            lost = int(state["hand"][seat]) & ~int(after["hand"][seat])
            gained = int(after["hand"][seat]) & ~int(state["hand"][seat])
            if lost and gained and not plays:  # two cards were exchanged
                one, other = lost.bit_length() - 1, gained.bit_length() - 1
                swapped = list(name)
                swapped[one], swapped[other] = name[other], name[one]
                seen = before._replace(card_names=tuple(swapped))
            else:
                played |= lost if plays else 0
                if self.positions.faces_per_card > 1:
                    turned ^= (int(state["side"]) ^ int(after["side"])) & ~played
                held = [int(hand) for hand in state["hand"]]
                seen = SharedView(self._places_by_seat(group, thread, held, after, k), played, name, turned)
            kinds.setdefault(seen, []).append(thread)
            thread.states.append(after)
        courses = [group] if len(kinds) == 1 else [group.subgroup(own) for own in kinds.values()]
        for course_of, (seen, own) in zip(courses, kinds.items(), strict=True):
            course_of.scenarios = own
            course_of.views.append(seen)
        return courses

    def _places_by_seat(
        self, group: ScenarioGroup, scenario: Scenario, held: list[int], after: np.void, k: int
    ) -> tuple[int, ...]:
        """Return the places each seat has received, including cards new in its hand in `after`."""
        name, reached = group.views[k].card_names, list(group.views[k].places_by_seat)
        for seat in range(self.players):
            for card in bits_in(int(after["hand"][seat]) & ~held[seat]):
                reached[seat] |= 1 << scenario.places[name[card]]
        return tuple(reached)

    def possible_faults(self, index: int, code: int | None = None) -> frozenset[int]:
        """Return the fault sets that action `index`, or `code` instead, has in some possible deal."""
        recorded = self.recorded_codes[index] if code is None else code
        if (index, recorded) not in self._faults_cache:
            ways = (self._faults_in_group(course, index, code) for course in self.groups)
            found = frozenset(chain.from_iterable(ways))
            self._faults_cache[index, recorded] = self._unless_before(found, index, recorded >> SEAT_SHIFT)
        return self._faults_cache[index, recorded]

    def _unless_before(self, found: frozenset[int], index: int, seat: int) -> frozenset[int]:
        """Return fault sets without the faults that an earlier one of the seat excludes, where it may."""
        for fault, earlier in self.game.faults.unless_before.items():
            if any(one & fault for one in found):
                own = [k for k in range(index) if self.recorded_codes[k] >> SEAT_SHIFT == seat]
                had = any(one & earlier for k in own for one in self.possible_faults(k))
                stays = found if self._may_lack(own, seat, earlier) else frozenset[int]()
                found = stays | {one & ~fault for one in found if had}
        return found

    def _may_lack(self, actions: Sequence[int], seat: int, faults: int) -> bool:
        """Return whether in some possible deal none of these actions of a seat has one of these faults."""
        for group in self.groups:
            for thread in group.scenarios:
                limits = thread.condition_limits
                for k in actions:
                    state = self._state_in_scenario(group, thread, thread.states[k], k)
                    needs = self._dependencies.needs_of(state, self._code_in_scenario(thread, k))
                    hand = HandLimits(self.positions, group, seat, k)
                    ways = self._dependencies.possible_faults(needs, hand)
                    limits.append(tuple(one for own, some in ways if not own & faults for one in some))
                if group.matching_within(limits, {}) is not None:
                    return True
        return False

    def _faults_in_group(
        self, group: ScenarioGroup, at: int, code: int | None, but: int = 0
    ) -> Iterator[int]:
        """Yield `possible_faults` of one group, omitting sets with a fault in `but`."""
        seat = (self.recorded_codes[at] if code is None else code) >> SEAT_SHIFT
        kinds: dict[tuple[object, ...], tuple[ActionNeeds, int, list[Scenario]]] = {}
        for thread in group.scenarios:
            state = self._state_in_scenario(group, thread, thread.states[at], at)
            needs = self._dependencies.needs_of(
                state, self._code_in_scenario(thread, at) if code is None else code
            )
            forced = thread.skip_faults[at] if code is None else 0
            kinds.setdefault((forced, *needs.key), (needs, forced, []))[2].append(thread)
        found: set[int] = set()
        for needs, forced, threads in kinds.values():
            # if all scenarios depend on the same, their conditions do not matter
            given: list[list[tuple[PlaceLimits, ...]]] = [[]]
            if not group.is_complete:
                given = [thread.condition_limits for thread in threads]
            elif len(kinds) > 1:
                given = [[own for k, own in one.conditions if k < at] for one in threads]
            hand = HandLimits(self.positions, group, min(seat, self.players - 1), at)
            for faults, ways in self._dependencies.possible_faults(needs, hand, code is not None):
                every = faults | forced
                if every in found or every & but:
                    continue
                tried = (group.matching_within(own, limits) for limits in ways for own in given)
                if any(one is not None for one in tried):
                    found.add(every)
                    yield every

    def certain_faults(self, index: int) -> tuple[Fault, ...]:
        """Return the faults that action `index` has in every possible deal."""
        return tuple(self.game.faults.in_mask(int(np.bitwise_and.reduce(list(self.possible_faults(index))))))

    def uncheckable_faults(self, index: int) -> tuple[Fault, ...]:
        """Return the faults that action `index` has in some possible deals but not in all."""
        found = list(self.possible_faults(index))
        every, some = np.bitwise_and.reduce(found), np.bitwise_or.reduce(found)
        return tuple(self.game.faults.in_mask(int(some & ~every)))

    @property
    def stop_faults(self) -> tuple[Fault, ...]:
        """The faults of the first action that no possible deal allows; empty if all are possible."""
        if self.possible_count == len(self.recorded_codes) or self.overflow_action is not None:
            return ()
        kernel, found = self.game.kernel, []
        for course in self.groups:
            for thread in course.scenarios:
                tried = self._state_in_scenario(
                    course, thread, thread.states[self.possible_count], self.possible_count
                ).copy()
                found.append(
                    int(kernel.step(tried, self.rules, self._code_in_scenario(thread, self.possible_count)))
                )
        common = int(np.bitwise_and.reduce(found))
        return tuple(self.game.faults.in_mask(common if common & kernel.IMPOSSIBLE else found[0]))

    def is_always_legal(self, index: int, code: int) -> bool:
        """Return whether an act would be legal in place of action `index` in every possible deal."""
        acts = self.game.acts
        if acts.kind_of_act(code & ACT_MASK) == "draw":
            return self.possible_draws(index) == {(code & ACT_MASK) - acts.FIRST_DRAW}
        return not any(found & self.game.kernel.ERRORS for found in self.possible_faults(index, code))

    def possible_actions(self, index: int) -> tuple[Action, ...]:
        """Return all acts some possible deal allows before action `index`, including possible draws."""
        acts, table, may = self.game.acts, self.game.faults, self._dependencies.may_be_legal
        # omitting an act that is only recommended, such as `au sept`, is legal
        left_out = [table.by_code[code] for code in acts.REQUIRED_KINDS]
        errors = ~sum(fault.bit for fault in left_out if fault.severity == WARNING)
        depends = sum(table.unless_before)
        others = [act for act in range(acts.ACT_COUNT) if acts.kind_of_act(act) != "draw"]
        found = []
        for seat in range(self.players):
            hands = [HandLimits(self.positions, course, seat, index).possible_cards for course in self.groups]
            for one in (Action(seat, act) for act in others):
                ways = (
                    self._faults_in_group(course, index, one.code, errors & ~depends)
                    for course, hand in zip(self.groups, hands, strict=True)
                    if any(may(thread.states[index], one.code, hand) for thread in course.scenarios)
                )
                first = next(chain.from_iterable(ways), None)
                if first and first & depends:
                    first = next(
                        (own for own in self.possible_faults(index, one.code) if not own & errors), None
                    )
                if first is not None:
                    found.append(one)
        # if the log records draws: every card that may be next, and a draw without a card
        drawers = set[int]()
        for state in self.states_at(index) if self.explicit else ():
            if int(state["to_draw"]):
                act, check = (acts.FIRST_DRAW + int(state["talon"][state["drawn"]]), self.game.kernel.check)
                codes = {seat: Action(seat, act).code for seat in range(self.players)}
                drawers |= {one for one in codes if not check(state, self.rules, codes[one])}
        for seat in sorted(drawers):
            found += [Action(seat, acts.FIRST_DRAW + card) for card in sorted(self.possible_draws(index))]
            found.append(Action(seat, DRAW_HIDDEN))
        return tuple(found)

    def possible_draws(self, index: int) -> set[int]:
        """Return the cards that may be next on the talon before action `index`."""
        found = set[int]()
        for course in self.groups:
            state = course.scenarios[0].states[index]
            place = self._talon[min(int(state["drawn"]), len(self._talon) - 1)]
            lies = enumerate(course.views[index].card_names)
            found |= {card for card, node in lies if course.possible_places[node] >> place & 1}
        return found

    def known_hand(self, index: int, seat: int) -> int:
        """Return the mask of the cards a seat holds, the same face up, in every possible deal."""
        found = self.positions.all_cards
        for course in self.groups:
            hand = HandLimits(self.positions, course, seat, index)
            if hand.view.places_before_draws is not None:
                hand.hand_places = hand.view.places_before_draws[seat]
            found &= sum(1 << card for card in bits_in(found) if hand.is_certain(card))
        return found

    def states_at(self, index: int) -> list[np.void]:
        """Return the states before action `index`, one per scenario."""
        return [thread.states[index] for course in self.groups for thread in course.scenarios]

    def known_fields(self, index: int) -> frozenset[str]:
        """Return the public fields of the state before action `index` equal in every possible deal."""
        states = self.states_at(index)
        return frozenset(
            name
            for name in states[0].dtype.names or ()
            if name not in PRIVATE_FIELDS and len({state[name].tobytes() for state in states}) == 1
        )

    @property
    def final_states(self) -> list[np.void]:
        """The possible final states without duplicates; hands are those of one possible deal."""
        found: dict[bytes, np.void] = {}
        for state in self.states_at(self.possible_count):
            found.setdefault(public_bytes(state), state)
        return list(found.values())


def public_bytes(state: np.void) -> bytes:
    """Return the bytes of the fields that all players can see, without alignment padding."""
    fields = state.dtype.names or ()
    return b"".join(state[name].tobytes() for name in fields if name not in PRIVATE_FIELDS)
