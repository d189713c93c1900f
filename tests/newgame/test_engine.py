"""The engine simulates and replays a registered game, compiled and interpreted alike."""

import numpy as np
import pytest

from engine import simulate
from engine.actions import UNKNOWN_ACT, Action, decode_action
from engine.cards import HIDDEN_CARD
from engine.games import Game, game, game_names
from engine.hidden import HiddenReplay
from engine.options import UnknownRule, default_preset, encode_rules, game_options, resolve_options
from engine.replay import Replay
from engine.simulate import SimulatedMatch
from tests.newgame import NAME, registered


def matches(this: Game, count: int, habits: tuple[str, ...] | None = None) -> list[SimulatedMatch]:
    rules = encode_rules(this.name, resolve_options(this.name, None, 2))
    return list(simulate.simulate_matches(this, rules, 2, count, 1, habits))


def replays(this: Game, count: int) -> list[Replay]:
    rules = encode_rules(this.name, resolve_options(this.name, None, 2))
    return [
        Replay(this, rules, 2, deal.dealer, deal.deck, deal.codes)
        for match in matches(this, count)
        for deal in match.deals
    ]


def test_a_game_is_known_while_it_is_registered() -> None:
    before = game_names()
    assert NAME not in before
    with registered() as name:
        assert game_names() == (*before, name)
        assert game(name).announcement_kinds == ("pair",)
    assert game_names() == before
    with pytest.raises(KeyError):
        game(NAME)


def test_its_options_are_set_and_refused_as_any_game_s(brelin: str) -> None:
    assert default_preset(brelin) == "plain"
    assert resolve_options(brelin, {"pair": 5}, 2) == {"target": 15, "pair": 5}
    assert [option.name for option in game_options(brelin)] == ["target", "pair"]
    with pytest.raises(UnknownRule):
        resolve_options(brelin, {"pair": 21}, 2)
    with pytest.raises(UnknownRule):
        resolve_options(brelin, "lavardin", 2)


@pytest.mark.slow
def test_simulated_matches_are_legal_and_keep_every_card(brelin: str) -> None:
    played = replays(game(brelin), 30)
    assert len(played) > 60
    for replay in played:
        state = replay.last.state
        assert replay.stop is None
        assert replay.faults == []
        assert replay.last.is_over
        assert int(state["pile"][0]) ^ int(state["pile"][1]) == 2**12 - 1
        assert state["won"].sum() == 6


def test_the_same_seed_gives_the_same_matches_and_habits_may_be_given(brelin: str) -> None:
    one, two = (matches(game(brelin), 3) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        assert [deal.codes.tolist() for deal in left.deals] == [deal.codes.tolist() for deal in right.deals]
    habits = ("announcing", "random")
    assert all(match.habits == habits for match in matches(game(brelin), 3, habits))


@pytest.mark.slow
def test_start_legal_and_step_agree(brelin: str) -> None:
    """What `legal` lists, `step` takes without a fault, and nothing else."""
    this = game(brelin)
    for replay in replays(this, 3):
        for ply in replay:
            legal = {act.code for act in ply.legal}
            for seat in range(2):
                for act in range(this.acts.ACT_COUNT + 1):
                    state = ply.state.copy()
                    code = Action(seat, act).code
                    found = this.kernel.step(state, replay.rules, code)
                    assert found == this.kernel.check(ply.state, replay.rules, code)
                    assert (not found & this.kernel.ERRORS) == (code in legal)
                    if found & this.kernel.IMPOSSIBLE:
                        assert state == ply.state


def faults_of(this: Game, *codes: tuple[int, int]) -> list[str]:
    """The faults of acts (seat, act) in a deal: seat 1 has Q A of each of s, h, d; seat 0 K."""
    deck = [0, 1, 2, 4, 3, 7, 5, 10, 6, 9, 8, 11]
    rules = encode_rules(this.name, resolve_options(this.name, None, 2))
    replay = Replay(this, rules, 2, 0, deck, [Action(*code).code for code in codes])
    stopped = [] if replay.stop is None else [fault.code for fault in replay.stop.faults]
    return [fault.code for _, fault in replay.faults if fault.code not in stopped] + stopped


def test_each_fault_is_found(brelin: str) -> None:
    this = game(brelin)
    bid = (1, 12)  # three tricks, spades
    assert faults_of(this, (1, 0)) == ["card-before-bid"]
    assert faults_of(this, (0, 12)) == ["wrong-turn"]
    assert faults_of(this, bid, (1, 13)) == ["bid-again"]
    assert faults_of(this, bid, (1, 28)) == ["pair-not-held"]
    assert faults_of(this, bid, (1, 1)) == ["card-not-held"]
    assert faults_of(this, bid, (1, 0), (0, 4)) == ["must-follow"]
    assert faults_of(this, (1, UNKNOWN_ACT)) == ["unknown-action"]
    assert faults_of(this, (2, 12)) == ["no-such-seat"]


def test_br_5_a_bid_that_fails_leaves_no_points(brelin: str) -> None:
    seen = set()
    for replay in replays(game(brelin), 30):
        state, points = replay.last.state, replay.last.points
        declarer = int(state["declarer"])
        failed = state["won"][declarer] < int(state["contract"]) + 3
        seen.add(bool(failed))
        assert (points[declarer] == 0) == failed
    assert seen == {False, True}


def test_a_card_nobody_wrote_down_is_found_where_there_is_one_left(brelin: str) -> None:
    this = game(brelin)
    rules = encode_rules(this.name, resolve_options(this.name, None, 2))
    deal = matches(this, 1)[0].deals[0]
    deck = deal.deck.copy()
    deck[3] = HIDDEN_CARD
    replay = HiddenReplay(this, rules, 2, deal.dealer, deck, deal.codes.tolist())
    assert replay.deck == deal.deck.tolist()
    assert replay.faults == []
    assert replay.uncheckable_faults == []


def test_bulk_finds_what_replay_finds(brelin: str) -> None:
    this = game(brelin)
    rng = np.random.default_rng(3)
    for replay in replays(this, 5):
        codes = [done.action.code for done in replay if done.action is not None]
        at = int(rng.integers(0, len(codes)))
        codes[at] = Action(decode_action(codes[at]).seat, int(rng.integers(0, this.acts.ACT_COUNT))).code
        states = np.zeros(1, this.kernel.State)
        faults, stops = np.zeros((2, 1), np.int64)
        deck = np.arange(12, dtype=np.uint8)[None]
        this.kernel.replay_deals(
            *(states, faults, stops, np.array([replay.rules]), np.zeros(1, np.int64)),
            *(np.array([2]), np.array([0]), deck, np.zeros(1, np.int64)),
            *(np.array(codes, np.uint16), np.array([0, len(codes)])),
        )
        again = Replay(this, replay.rules, 2, 0, deck[0], codes)
        assert stops[0] == len(again) - 1
        assert states[0] == again.last.state
