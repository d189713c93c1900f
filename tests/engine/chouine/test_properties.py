"""What holds in every state of every table, looked for by hypothesis."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.chouine.actions import ACT_COUNT, ANNOUNCE, UNSHOWN
from engine.chouine.faults import DEAL_FAULTS
from engine.chouine.kernel import (
    CARD_POINTS,
    OVER,
    PLAYED_OUT,
    State,
    check,
    count_bits,
    legal,
    start,
    step,
    total,
)
from engine.jit import compiled
from engine.options import encode_rules, game_presets
from engine.options import resolve_options as options
from tests.engine.chouine.positions import PACK

TABLES = [(preset, players) for preset in game_presets("chouine") for players in (2, 3, 4)]
AU_SEPT_MISSING = DEAL_FAULTS.bit("au-sept-missing")
EVERY = 0xFFFFFFFF


def names(mask: int) -> set[str]:
    return {fault.code for fault in DEAL_FAULTS.in_mask(mask)}


@st.composite
def rules_of(draw: Any, preset: str, players: int) -> np.void:
    """A preset with any of its options turned round."""
    changed = {
        "announce_with": st.sampled_from(["any", "combination"]),
        "one_per_suit": st.booleans(),
        "one_per_play": st.booleans(),
        "overruff": st.booleans(),
        "trump_maker": st.sampled_from(["trump", "plain"]),
        "au_sept": st.sampled_from(["warn", "ignore"]),
    }
    chosen = draw(st.fixed_dictionaries({}, optional=changed))
    return encode_rules("chouine", options("chouine", {"preset": preset, **chosen}, players))


def walk(rules: np.void, players: int, seed: int, acts: int, explicit: bool, faulty: float = 0.0) -> np.void:
    """A state reached by `acts` random actions: legal ones, or a share of `faulty` ones."""
    rng = np.random.default_rng(seed)
    state = np.zeros(1, State)[0]
    start(state, rules, players, int(rng.integers(players)), rng.permutation(32), int(explicit))
    codes = np.zeros(1024, np.uint16)
    for _ in range(acts):
        count = legal(state, rules, codes)
        if not count:
            break
        code = int(codes[int(rng.integers(count))])
        if code & ACT_MASK in (70, 71, 72, 74, 75) and rng.random() < 0.95:
            continue  # resignations and irregularities would end nearly every walk
        if rng.random() < faulty:
            code = int(rng.integers(players)) << SEAT_SHIFT | int(rng.integers(ACT_COUNT))
        step(state, rules, code)
    return state


@compiled
def conserved(state):
    """Whether hands, piles, table and talon hold each of the 32 cards once."""
    together = np.int64(0)
    cards = 0
    for seat in range(4):
        together |= state.hand[seat] | state.pile[seat]
        cards += count_bits(state.hand[seat]) + count_bits(state.pile[seat])
        if state.table[seat] >= 0:
            together |= np.int64(1) << np.int64(state.table[seat])
            cards += 1
    for i in range(state.drawn, state.talon_size):
        together |= np.int64(1) << np.int64(state.talon[i])
        cards += 1
    return together == EVERY and cards == 32


@compiled
def try_everything(states, rules, faults, reported, stored):
    """Every act by every seat from `states[0]`: what `step` and `check` say of each.

    `kept[code]`: the cards are still all there.
    """
    for code in range(len(faults)):
        states[1] = states[0]
        reported[code] = check(states[0], rules, code)
        faults[code] = step(states[1], rules, code)
        stored[code] = conserved(states[1])


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "players"), TABLES)
@settings(max_examples=15)
@given(data=st.data(), seed=st.integers(0, 2**32), explicit=st.booleans())
def test_an_action_is_legal_when_and_only_when_step_takes_it_without_a_fault(
    preset: str, players: int, data: Any, seed: int, explicit: bool
) -> None:
    rules = data.draw(rules_of(preset, players))
    acts = data.draw(st.integers(0, 70))
    state = walk(rules, players, seed, acts, explicit, faulty=data.draw(st.sampled_from([0, 0.1])))
    codes = np.zeros(1024, np.uint16)
    listed = codes[: legal(state, rules, codes)]
    states = np.zeros(2, State)
    states[0] = state
    faults, result, remaining = np.zeros((3, 5 << SEAT_SHIFT), np.int64)
    try_everything(states, rules, faults, result, remaining)
    taken = np.flatnonzero(faults & ~AU_SEPT_MISSING == 0)
    assert taken.tolist() == listed.tolist()
    assert ((result == 0) == (faults == 0)).all()
    assert (faults & result == result).all()
    assert remaining.all()


@pytest.mark.slow
@pytest.mark.parametrize(("preset", "players"), TABLES)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), explicit=st.booleans(), faulty=st.sampled_from([0.0, 0.3]))
def test_cards_are_conserved_at_every_ply(
    preset: str, players: int, seed: int, explicit: bool, faulty: float
) -> None:
    rules = encode_rules("chouine", options("chouine", preset, players))
    for acts in (0, 1, 5, 12, 23, 31, 48, 90):
        assert conserved(walk(rules, players, seed, acts, explicit, faulty))


@pytest.mark.parametrize(("preset", "players"), TABLES)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_card_points_and_the_last_trick_make_130(preset: str, players: int, seed: int) -> None:
    rules = encode_rules("chouine", options("chouine", preset, players))
    state = walk(rules, players, seed, 300, explicit=False)
    if state["outcome"] != PLAYED_OUT:
        return
    left = [int(card) for card in state["talon"][state["drawn"] : state["talon_size"]]]
    assert len(left) == (2 if players == 3 else 0)
    cards = sum(int(state["cards"][seat]) for seat in range(players))
    assert cards == 120 - sum(int(CARD_POINTS[card]) for card in left)
    for seat in range(players):
        own = [card for card in range(32) if int(state["pile"][seat]) >> card & 1]
        assert sum(int(CARD_POINTS[card]) for card in own) == state["cards"][seat]
    totals = [int(total(state, seat)) for seat in range(players)]
    assert sum(totals) == cards + 10 + int(state["bonus"].sum())
    best = max(totals)
    assert state["winner"] == (totals.index(best) if totals.count(best) == 1 else -2)


@pytest.mark.parametrize(("preset", "players"), TABLES)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_a_deal_always_ends_and_somebody_can_always_act_before(preset: str, players: int, seed: int) -> None:
    rules = encode_rules("chouine", options("chouine", preset, players))
    rng = np.random.default_rng(seed)
    state = np.zeros(1, State)[0]
    start(state, rules, players, 0, rng.permutation(32), 0)
    codes = np.zeros(1024, np.uint16)
    for _ in range(32):
        if state["over"] == OVER:
            break
        count = legal(state, rules, codes)
        plays = [int(code) for code in codes[:count] if int(code) & ACT_MASK < ANNOUNCE]
        assert plays
        assert {code >> SEAT_SHIFT for code in plays} == {int(state["turn"])}
        step(state, rules, plays[int(rng.integers(len(plays)))])
    assert state["over"] == OVER


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), acts=st.integers(0, 60))
def test_an_unshown_announcement_changes_no_points(seed: int, acts: int) -> None:
    rules = encode_rules("chouine", options("chouine", "lavardin", 2))
    state = walk(rules, 2, seed, acts, explicit=False)
    for seat in range(2):
        for act in range(UNSHOWN, UNSHOWN + 18):
            after = state.copy()
            step(after, rules, seat << SEAT_SHIFT | act)
            assert int(total(after, seat)) == int(total(state, seat))
            assert after["winner"] == state["winner"]


@pytest.mark.parametrize(
    "code", [0xFFFF, ACT_MASK, 3 << SEAT_SHIFT | ACT_MASK, 108, 7 << SEAT_SHIFT, 100 << SEAT_SHIFT | 3]
)
def test_codes_that_are_no_action_change_nothing(code: int) -> None:
    rules = encode_rules("chouine", options("chouine", "lavardin", 2))
    state = walk(rules, 2, 1, 10, explicit=False)
    after = state.copy()
    assert names(int(step(after, rules, code))) <= {"unknown-action", "no-such-seat"}
    assert str(after) == str(state)


def test_pack_and_kernel_number_the_cards_alike() -> None:
    assert [int(CARD_POINTS[PACK.code_entries[rank + "s"]]) for rank in "AT"] == [11, 10]
