"""The closed phase at two, solved: against every way it can be played, and by known best play."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import options, simulate
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouine import kernel
from engine.chouine.actions import ANNOUNCE, UNSHOWN
from engine.games import game
from engine.replay import Replay
from engine.solver import best_line, solve_deal
from engine.solver_results import EndgameReport, EndgameValues, NotSolved
from tests.engine.chouine.positions import closed

CHOUINE = game("chouine")
PRESETS = ("lavardin", "mondoubleau", "regles-completes")


def rules_of(rules: str | Mapping[str, Any]) -> np.void:
    return options.encode_rules("chouine", options.resolve_options("chouine", rules, 2))


class Everything:
    """Every way to play a closed phase on, by the kernel's `legal` and `step` alone.

    Who announces shows it, and nobody resigns: neither can be better.
    """

    def __init__(self, rules: np.void) -> None:
        self.rules = rules
        self.known: dict[tuple[Any, ...], int] = {}
        self.codes = np.zeros(2048, np.uint16)

    def margin(self, state: np.void) -> int:
        """What is to come for seat 1 minus what is for seat 2."""
        if state["over"] == kernel.OVER:
            return 0
        fields = ("turn", "trump", "best", "on_table", "allowed")
        key = (*map(int, (state[one] for one in fields)), *map(int, state["hand"][:2]))
        key += tuple(map(int, state["counted"][:2]))
        if key not in self.known:
            sign = 1 - 2 * int(state["turn"])
            self.known[key] = sign * max(sign * value for _, value in self.ways(state))
        return self.known[key]

    def ways(self, state: np.void) -> Iterator[tuple[int, int]]:
        """Each act there is, with what is to come when it is done."""
        count = kernel.legal(state, self.rules, self.codes)
        for code in self.codes[:count].tolist():
            if code & ACT_MASK < UNSHOWN and code >> SEAT_SHIFT == state["turn"]:
                after = state.copy()
                kernel.step(after, self.rules, np.int64(code))
                yield code & ACT_MASK, self.made(after) - self.made(state) + self.margin(after)

    def best(self, state: np.void) -> set[int]:
        """The cards that keep the value, with the right announcements before them."""
        most = self.margin(state)
        found = set()
        for act, value in self.ways(state):
            if value == most and act < ANNOUNCE:
                found.add(act)
            elif value == most:
                after = state.copy()
                kernel.step(after, self.rules, np.int64(int(state["turn"]) << SEAT_SHIFT | act))
                found |= self.best(after)
        return found

    @staticmethod
    def made(state: np.void) -> int:
        return int(kernel.total(state, 0)) - int(kernel.total(state, 1))


def closed_phases(rules: np.void, seed: int, most: int) -> Iterator[NDArray[np.void]]:
    """The states of closed phases as they were played."""
    matches = simulate.simulate_matches(CHOUINE, rules, 2, most, seed)
    deals = (deal for match in matches for deal in match.deals)
    found = 0
    for deal in deals:
        replay = Replay(CHOUINE, rules, 2, deal.dealer, deal.deck, deal.codes)
        start = CHOUINE.solver.solvable_from(replay.states) if CHOUINE.solver else None
        if start is not None:
            yield replay.states[start:]
            found += 1
        if found == most:
            return


def made_up(states: NDArray[np.void], rng: np.random.Generator) -> np.void:
    """The same moment with other cards, kings and queens more than others, nothing announced."""
    state = states[0].copy()
    weight = np.array([1, 1, 1, 3, 8, 8, 1, 3] * 4, float)
    cards = rng.choice(32, 10, replace=False, p=weight / weight.sum())
    state["hand"][:2] = [sum(1 << int(card) for card in half) for half in (cards[:5], cards[5:])]
    state["counted"][:2] = [rng.integers(16), rng.integers(16)]  # some mariages are made
    if not state["retourne"] >= 0:
        state["trump"] = -1 if rng.random() < 0.8 else rng.integers(4)
    return state


def validated(states: NDArray[np.void], rules: np.void) -> EndgameValues | NotSolved:
    assert CHOUINE.solver is not None
    return CHOUINE.solver.solve_states(states, rules)


def compare(rules: np.void, seed: int, positions: int) -> int:
    """Solve positions as played, and as many made up, and play each in every way; how many."""
    rng = np.random.default_rng(seed)
    compared = 0
    for states in closed_phases(rules, seed, positions // 2):
        at = rng.integers(len(states) - 1)
        for some in (states[at : at + 1], np.array([made_up(states, rng)])):
            solved = validated(some, rules)
            if isinstance(solved, NotSolved):
                assert solved.reason in ("at-once", "option")
                continue
            every = Everything(rules)
            assert solved.final_margins[0] == every.made(some[0]) + every.margin(some[0])
            assert set(CHOUINE.pack.codes_in(solved.best_cards[0])) == every.best(some[0])
            compared += 1
    return compared


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_solved_is_what_playing_every_way_comes_to(preset: str) -> None:
    assert compare(rules_of(preset), 1, 24) > 18


@pytest.mark.soak
@pytest.mark.parametrize("preset", PRESETS)
def test_solved_is_what_playing_every_way_comes_to_a_thousand_times(preset: str) -> None:
    assert compare(rules_of(preset), 2, 1020) >= 1000


@pytest.mark.slow
def test_ch_20_several_of_a_suit_are_solved_where_they_hang_on_nothing() -> None:
    assert compare(rules_of({"preset": "lavardin", "one_per_suit": False}), 4, 16) > 10
    assert compare(rules_of({"preset": "mondoubleau", "one_per_suit": False}), 4, 16) > 6


@pytest.mark.slow
def test_ch_29_plain_worth_for_who_makes_trump_is_solved_too() -> None:
    assert compare(rules_of({"preset": "mondoubleau", "trump_maker": "plain"}), 3, 16) > 10


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_no_play_ever_gains(preset: str) -> None:
    rules = rules_of(preset)
    for match in simulate.simulate_matches(CHOUINE, rules, 2, 30, 4):
        for deal in match.deals:
            replay = Replay(CHOUINE, rules, 2, deal.dealer, deal.deck, deal.codes)
            solved = solve_deal(replay)
            if isinstance(solved, EndgameReport):
                assert all(play.lost >= 0 for play in solved.plays)
                stored(replay, solved)


def stored(replay: Replay, solved: EndgameReport) -> None:
    """What was lost is all that lies between best play and what came of it."""
    if replay.last.state["outcome"] != kernel.PLAYED_OUT:
        return
    first, last = (Everything.made(one.state) for one in (replay[solved.first_action], replay.last))
    lost = sum(play.lost * (1 - 2 * play.seat) for play in solved.plays)
    assert first + solved.margin - lost == last


class Turn(NamedTuple):
    lost: int
    best: set[str]


def turn(hands: tuple[str, str], *words: str, rules: str = "lavardin") -> Turn:
    """A position of two last hands, played on: what the last card of `words` lost, and the best."""
    table = closed(hands, rules=rules, turn_up=rules != "mondoubleau")
    states = [table.state.copy()]
    for word in words:
        table(f"{table.turn} {word}")
        states.append(table.state.copy())
    solved = validated(np.array(states), table.rules)
    assert isinstance(solved, EndgameValues)
    start = len(words) - 1
    while start and "-" in words[start - 1]:
        start -= 1
    sign = 1 - 2 * int(states[start]["turn"])
    lost = int(solved.final_margins[start] - solved.final_margins[-1]) * sign
    return Turn(lost, set(CHOUINE.pack.names_in(int(solved.best_cards[start]))))


def test_a_ten_that_is_ruffed_has_changed_sides() -> None:
    """♠ is trump, and seat 2 has one: drawn, or ruffing a 9, it takes nothing."""
    hands = "As Th 9h 8h 7h", "9s Kd Qc Jd 9d"
    assert turn(hands, "Th") == Turn(20, {"As", "9h", "8h", "7h"})


def test_ch_15_who_breaks_a_mariage_in_silence_loses_it() -> None:
    hands = "Ks Qs 9h 8d 7c", "9s Jd 9d 8h Jc"
    assert turn(hands, "Ks").lost == 40
    assert turn(hands, "mariage-s", "Ks").lost == 0
    assert "Ks" in turn(hands, "Ks").best  # with the mariage, that is


def test_ch_28_a_mariage_that_will_make_trump_is_not_for_the_follower() -> None:
    hands = "7h Jd Td 9c 8c", "Ah Kd Qd 8h 9h"
    assert turn(hands, "7h", "mariage-d", "Ah", rules="mondoubleau").lost == 40


@pytest.mark.parametrize("players", [3, 4])
def test_more_than_two_do_not_share_what_there_is(players: int) -> None:
    match = next(simulate.simulate_matches(CHOUINE, rules_of("lavardin"), players, 1, 1))
    deal = match.deals[0]
    replay = Replay(CHOUINE, rules_of("lavardin"), players, deal.dealer, deal.deck, deal.codes)
    assert solve_deal(replay) == NotSolved("players", str(players))


@pytest.mark.parametrize(("option", "value"), [("one_per_suit", False), ("one_per_play", True)])
def test_an_option_no_preset_has_is_not_solved(option: str, value: bool) -> None:
    rules = rules_of({"preset": "regles-completes", option: value})
    assert CHOUINE.solver is not None
    refused = CHOUINE.solver.refusal(rules, 2)
    assert refused is not None
    assert refused == NotSolved("option", f"{option}={str(value).lower()}")


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_what_held_it_loses_nothing_to_the_end(preset: str) -> None:
    rules, seen = rules_of(preset), 0
    for match in simulate.simulate_matches(CHOUINE, rules, 2, 12, seed=4):
        for deal in match.deals:
            replay = Replay(CHOUINE, rules, 2, deal.dealer, deal.deck, deal.codes)
            solved = solve_deal(replay)
            if not isinstance(solved, EndgameReport):
                continue
            for play in solved.plays:
                if play.lost:
                    seen += 1
                    start, best = best_line(replay, play.action)
                    assert list(best.states[: start + 1]) == list(replay.states[: start + 1])
                    assert best.last.is_over
                    wrong = [at for at, fault in best.faults if fault.severity == "error"]
                    assert all(at < start for at in wrong)
                    again = solve_deal(best)
                    assert isinstance(again, EndgameReport)
                    assert not any(one.lost for one in again.plays if one.action >= start)
    assert seen
