"""What holds in every deal: legal is what is taken, cards and points are never lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import simulate
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.coinche import actions, kernel
from engine.coinche.faults import DEAL_FAULTS
from engine.coinche.match import Match, count_matches
from engine.games import DECLARED_COLUMNS, NOT_DECLARED, game
from engine.options import encode_rules, rules_dtype
from engine.options import resolve_options as options
from engine.replay import Replay
from tests.engine.trying import every_act

GAME = game("coinche")
RULES = encode_rules("coinche", options("coinche", None, 4))
EVERY = [seat << SEAT_SHIFT | act for seat in range(5) for act in range(actions.ACT_COUNT + 2)]


def bulk(matches):
    """Run and count simulated matches as the road does: (states, faults of each deal, matches)."""
    deals = [deal for match in matches for deal in match.deals]
    n = len(deals)
    rules = np.zeros(1, rules_dtype("coinche"))
    rules[0] = RULES
    zeros = np.zeros(n, np.int64)
    states, faults, stops = np.zeros(n, kernel.State), zeros.copy(), np.zeros(n, np.int32)
    lengths = np.array([len(deal.codes) for deal in deals])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    dealers = np.array([deal.dealer for deal in deals])
    decks = np.stack([deal.deck for deal in deals])
    codes = np.concatenate([deal.codes for deal in deals])
    kernel.replay_deals(states, faults, stops, rules, zeros, zeros + 4, dealers, decks, zeros, codes, offsets)
    first = np.concatenate([[0], np.cumsum([len(match.deals) for match in matches])])
    counted = np.zeros(len(matches), Match)
    values = np.zeros((n, DECLARED_COLUMNS), np.int64)
    values[:, 6:] = NOT_DECLARED
    cuts = np.full((len(matches), 3), -1)
    voids = np.zeros(n, np.bool_)
    count_matches(states, stops, lengths, rules, zeros, counted, cuts, first, voids, values, faults)
    return states, faults, counted


@pytest.mark.slow
def test_simulated_games_are_legal_and_keep_their_points():
    matches = list(simulate.simulate_matches(game("coinche"), RULES, 4, 800, seed=1))
    states, faults, counted = bulk(matches)
    assert len(states) > 8000
    assert not faults.any()
    assert counted["over"].all()
    for match, own in zip(matches, counted, strict=True):
        assert match.won == tuple(own["score"])
        assert match.winner == own["winner"]
        assert max(match.won) >= 2000 or states["outcome"].any()
    whole = states[np.isin(states["outcome"], (kernel.PLAYED_OUT, kernel.BY_CLAIM))]
    assert (whole["cards"].sum(axis=1) == 152).all()
    sums = {int(kernel.points(state, 0) + kernel.points(state, 1)) for state in whole}
    assert sums == {157, 250, 500}
    # everything a game can come to is among them
    assert set(np.unique(states["outcome"])) == {1, 2, 3, 4, 5}
    assert set(np.unique(states["coinched"])) == {0, 1, 2}
    assert set(np.unique(states["stop_good"])) == {-1, 0, 1}
    assert set(np.unique(whole["made"])) == {0, 1}


def test_the_same_seed_gives_the_same_games():
    one, two = (list(simulate.simulate_matches(game("coinche"), RULES, 4, 3, seed=7)) for _ in range(2))
    for left, right in zip(one, two, strict=True):
        assert left.habits == right.habits
        assert all((a.codes == b.codes).all() for a, b in zip(left.deals, right.deals, strict=True))


def test_habits_may_be_given():
    habits = ("careful", "random", "careful", "random")
    matches = list(simulate.simulate_matches(game("coinche"), RULES, 4, 60, seed=2, habits=habits))
    assert all(match.habits == habits for match in matches)
    assert sum(match.winner == 0 for match in matches) > 45  # the careful know what they do


TRY_ALL = every_act(kernel, 5, actions.ACT_COUNT + 2)


def check_everything(state):
    """Legal, checked and stepped agree on every action there is; `check` changes nothing."""
    out = np.zeros(1024, np.uint16)
    legal = set(out[: kernel.legal(state, RULES, out)].tolist())
    tried = TRY_ALL(state, RULES)
    assert tried.checked.tolist() == tried.stepped.tolist()
    taken = tried.codes[tried.stepped & DEAL_FAULTS.errors == 0]
    assert set(taken.tolist()) == legal & set(tried.codes.tolist())
    assert not tried.changed[tried.stepped & DEAL_FAULTS.impossible != 0].any()
    assert tried.changed[tried.stepped == 0].all()


@pytest.mark.slow
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_an_action_is_legal_exactly_when_step_takes_it_without_a_fault(seed, data):
    match = next(simulate.simulate_matches(game("coinche"), RULES, 4, 1, seed))
    deal = data.draw(st.sampled_from(match.deals))
    replay = Replay(GAME, RULES, 4, deal.dealer, deal.deck, deal.codes)
    check_everything(replay[data.draw(st.integers(0, len(replay) - 1))].state)


def in_play(state):
    """The cards still held or on the table."""
    table = sum(1 << int(card) for card in state["table"] if card >= 0)
    return int(np.bitwise_or.reduce(state["hand"])) | table


@pytest.mark.slow
@settings(max_examples=20)
@given(deck=st.permutations(range(36)), dealer=st.integers(0, 3), data=st.data())
def test_whatever_is_tried_no_card_and_no_point_is_lost(deck, dealer, data):
    state = np.zeros(1, kernel.State)[0]
    kernel.start(state, RULES, 4, dealer, np.array(deck, np.uint8), 0)
    quiet = [code for code in EVERY if code & ACT_MASK not in (actions.CLAIM, actions.WON, actions.RESIGN)]
    for _ in range(90):
        if state["over"] == kernel.OVER:
            break
        seat = int(state["turn"])
        held = list(GAME.pack.codes_in(state["hand"][seat]))
        if state["bidding"] or data.draw(st.integers(0, 9)) == 0:
            code = data.draw(st.sampled_from(quiet))
        else:
            code = seat << SEAT_SHIFT | data.draw(st.sampled_from(held))
        kernel.step(state, RULES, code)
        left, taken = in_play(state), int(np.bitwise_or.reduce(state["pile"]))
        assert left | taken == (1 << 36) - 1
        assert left & taken == 0
        trump = int(state["trump"])
        rest = sum(int(kernel.card_points(card, trump)) for card in GAME.pack.codes_in(taken))
        assert rest == state["cards"].sum()
        assert min(kernel.total(state, side) for side in range(2)) >= 0


def test_replay_counts_marks_by_side():
    deal = next(simulate.simulate_matches(game("coinche"), RULES, 4, 1, seed=3)).deals[0]
    replay = Replay(GAME, RULES, 4, deal.dealer, deal.deck, deal.codes)
    assert replay.last.is_over
    assert replay.faults == []
    assert len(replay[0].points) == 2
    assert replay[0].points == (0, 0)
    assert replay.last.points == tuple(replay.last.state["marks"])
