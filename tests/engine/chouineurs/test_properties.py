"""What holds in every manche, however it is played; and what a whole match must come to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from engine import simulate
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouineurs import GAME, kernel
from engine.chouineurs.actions import ACT_COUNT
from engine.chouineurs.deck import encode_row
from engine.chouineurs.faults import DEAL_FAULTS, MATCH_FAULTS
from engine.chouineurs.kernel import OVER, PLAYED_OUT, State, legal, replay_deals, start, step
from engine.chouineurs.match import Match, count_matches
from engine.games import DECLARED_COLUMNS, NOT_DECLARED
from tests.engine.chouineurs import golden
from tests.engine.chouineurs.table import rules
from tests.engine.trying import every_act


@pytest.mark.parametrize("players", GAME.players)
def test_golden_playthrough(players):
    text = (golden.FOLDER / f"blam-{players}.txt").read_text(encoding="utf-8")
    assert golden.retell(text) == text


def cards_in_play(state):
    """Cards of hands, tricks, table and reserve together: 44, whatever happens (CR-1)."""
    masks = [int(mask) for mask in [*state["hand"], *state["pile"]]]
    seen = sum(mask.bit_count() for mask in masks) + int((state["table"] >= 0).sum())
    assert sum(masks) == int(np.bitwise_or.reduce([*state["hand"], *state["pile"]]))
    return seen + int(state["reserve"]) + int(state["taken"].sum())


@st.composite
def manches(draw):
    """A started manche of any size, from any orientation."""
    players = draw(st.integers(2, 5))
    tricks = draw(st.sampled_from([1, 2, 3, 7, 8]))
    pack = draw(st.permutations(range(44)))
    sides = draw(st.lists(st.integers(0, 1), min_size=44, max_size=44))
    hands = [
        [2 * card + sides[card] for card in pack[seat * tricks : (seat + 1) * tricks]]
        for seat in range(players)
    ]
    own = rules({"tricks": tricks})
    state = np.zeros(1, State)[0]
    leader = draw(st.integers(0, players - 1))
    start(state, own, players, leader, encode_row(hands, [0] * players), 0)
    return own, state


TRY_ALL = every_act(kernel, 6, ACT_COUNT + 1)


@effort(max_examples=60)
@given(manches(), st.data())
@pytest.mark.slow
def test_an_action_is_legal_if_and_only_if_step_takes_it_without_a_fault(manche, data):
    own, state = manche
    out = np.zeros(1024, np.uint16)
    for _ in range(data.draw(st.integers(0, 60))):
        allowed = {int(code) for code in out[: legal(state, own, out)]}
        tried = TRY_ALL(state, own)
        assert tried.stepped.tolist() == tried.checked.tolist()
        taken = tried.stepped & DEAL_FAULTS.errors == 0
        assert set(tried.codes[taken].tolist()) == allowed & set(tried.codes.tolist())
        refused = tried.stepped & DEAL_FAULTS.impossible != 0
        assert not tried.changed[refused].any()
        assert tried.changed[taken & ~refused].all()
        goes_on = [code for code in sorted(allowed) if code & ACT_MASK != ACT_COUNT - 1]
        if not goes_on:
            assert state["over"] == OVER
            break
        step(state, own, data.draw(st.sampled_from(goes_on)))
        assert cards_in_play(state) == 44


@effort(max_examples=60)
@given(manches(), st.lists(st.tuples(st.integers(0, 4), st.integers(0, ACT_COUNT - 1)), max_size=120))
def test_no_sequence_of_actions_loses_a_card(manche, tried):
    own, state = manche
    for seat, act in tried:
        step(state, own, seat << SEAT_SHIFT | act)
        assert cards_in_play(state) == 44
        assert int(state["reserve"]) >= 0
        assert int(state["won"].sum()) == int(state["trick"]) <= int(state["tricks"])


def checked(players, matches, cut=0):
    """Matches through the bulk functions, the last deal `cut` short: (states, faults, flows)."""
    own = np.array([rules()])
    deals = [deal for match in matches for deal in match.deals]
    n = len(deals)
    actions = [deal.codes for deal in deals]
    actions[-1] = actions[-1][: len(actions[-1]) - cut]
    lengths = np.array([len(codes) for codes in actions])
    states, faults, stops = np.zeros(n, State), np.zeros(n, np.int64), np.zeros(n, np.int64)
    zeros = np.zeros(n, np.int64)
    replay_deals(
        states,
        faults,
        stops,
        own,
        zeros,
        np.full(n, players),
        np.array([deal.dealer for deal in deals]),
        np.stack([deal.deck for deal in deals]),
        zeros,
        np.concatenate(actions),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
    assert not faults.any()
    assert (stops == lengths).all()
    flows = np.zeros(len(matches), Match)
    cuts = np.full((len(matches), 3), -1)
    values = np.zeros((n, DECLARED_COLUMNS), np.int64)
    values[:, 6:] = NOT_DECLARED
    first = np.concatenate([[0], np.cumsum([len(match.deals) for match in matches])])
    place = count_matches(states, stops, lengths, own, zeros, flows, cuts, first, zeros, values, faults)
    assert place[:, 0].tolist() == [0, 1, 2, 3] * len(matches)
    return states, faults, flows


@pytest.mark.parametrize("players", GAME.players)
def test_simulated_matches_pass_with_cards_conserved(players):
    matches = list(simulate.simulate_matches(GAME, rules(), players, 300, 7))
    states, faults, flows = checked(players, matches)
    assert not faults.any()
    assert (states["outcome"] == PLAYED_OUT).all()
    assert {cards_in_play(state) for state in states} == {44}
    assert [int(flow["winner"]) for flow in flows] == [match.winner for match in matches]
    assert flows["score"][:, :players].tolist() == [list(match.won) for match in matches]


def test_a_manche_that_stops_early_is_incomplete_and_decides_nothing():
    matches = list(simulate.simulate_matches(GAME, rules(), 3, 2, 7))
    _, faults, flows = checked(3, matches, cut=1)
    assert [fault.code for fault in MATCH_FAULTS.in_mask(faults[-1])] == ["incomplete"]
    assert not faults[:-1].any()
    assert flows["over"].tolist() == [1, 0]


def test_the_same_seed_gives_the_same_matches():
    def codes(seed):
        return [
            deal.codes.tolist()
            for match in simulate.simulate_matches(GAME, rules(), 3, 3, seed)
            for deal in match.deals
        ]

    assert codes(5) == codes(5) != codes(6)


def test_careful_players_beat_those_who_play_anything():
    habits = ("careful", "random", "greedy")
    matches = list(simulate.simulate_matches(GAME, rules(), 3, 200, 1, habits))
    won = [sum(match.winner == seat for match in matches) for seat in range(3)]
    assert won[0] > won[2] > won[1]
