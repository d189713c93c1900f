"""A hundred thousand simulated deals of each game: no fault, and no card or point lost."""

import numpy as np
import pytest

from engine.belote import kernel as belote
from engine.chouine import kernel as chouine
from engine.coinche import kernel as coinche
from engine.games import game_names
from engine.simulate import SimulatedDeal
from schemas.simulated import simulate_matches, simulated_setup

pytestmark = pytest.mark.slow

DEALS = 30_000
TABLES = {
    "chouine": [
        *(("lavardin", 2), ("lavardin", 3), ("lavardin", 4), ("regles-completes", 2)),
        *(("mondoubleau", 2), ("mondoubleau", 3), ("mondoubleau", 4)),
    ],
    "coinche": [("tournoi-2018", 4)],
    "chouineurs": [("blam", 2), ("blam", 3), ("blam", 4), ("blam", 5)],
    "belote": [("classique", 4), ("contree", 4), ("coinchee", 4)],
}


def last_states(name: str, preset: str, players: int, least: int) -> np.ndarray:
    """The end of at least so many deals, which the bulk kernel finds legal to the last action."""
    played = simulated_setup(name, preset, players)
    deals: list[SimulatedDeal] = []
    for match in simulate_matches(played, least, seed=least):
        deals += match.deals
        if len(deals) >= least:
            break
    count = len(deals)
    states = np.zeros(count, played.game.kernel.State)
    faults, stops = np.zeros(count, np.int64), np.zeros(count, np.int64)
    lengths = np.array([len(deal.codes) for deal in deals])
    played.game.kernel.replay_deals(
        states,
        faults,
        stops,
        np.array([played.rules]),
        np.zeros(count, np.int64),
        np.full(count, players),
        np.array([deal.dealer for deal in deals]),
        np.array([deal.deck for deal in deals]),
        np.zeros(count, np.int64),
        np.concatenate([deal.codes for deal in deals]),
        np.concatenate([[0], np.cumsum(lengths)]),
    )
    assert not faults.any()
    assert (stops == lengths).all()
    return states


def test_every_game_is_simulated() -> None:
    assert set(TABLES) == set(game_names())


@pytest.mark.parametrize(("preset", "players"), TABLES["chouine"])
def test_ch_23_the_cards_make_120_and_the_last_trick_10(preset: str, players: int) -> None:
    states = last_states("chouine", preset, players, DEALS // len(TABLES["chouine"]))
    kernel = chouine
    ended = states[states["outcome"] == kernel.PLAYED_OUT]
    assert len(ended) > 0.8 * len(states)
    # at three, two cards of the talon are never drawn and count for nobody (CH-7)
    left = ended["talon"][np.arange(23) >= ended["drawn"][:, None]] if players == 3 else []
    undrawn = kernel.CARD_POINTS[np.asarray(left, np.int64)].reshape(len(ended), -1).sum(axis=1)
    left_over = undrawn if players == 3 else 0
    assert (ended["cards"].sum(axis=1) + left_over == 120).all()
    assert (ended["der"] >= 0).all()


def test_co_2_the_cards_make_152_and_the_last_trick_5() -> None:
    states = last_states("coinche", "tournoi-2018", 4, DEALS)
    kernel = coinche
    ended = states[np.isin(states["outcome"], [kernel.PLAYED_OUT, kernel.BY_CLAIM])]
    assert len(ended) > 0.5 * len(states)
    assert (ended["cards"].sum(axis=1) == 152).all()
    assert (ended["der"] >= 0).all()


@pytest.mark.parametrize(("preset", "players"), TABLES["belote"])
def test_be_14_the_cards_make_152_and_the_last_trick_10(preset: str, players: int) -> None:
    states = last_states("belote", preset, players, DEALS // len(TABLES["belote"]))
    ended = states[states["outcome"] != belote.PASSED]
    assert len(ended) > 0.5 * len(states)
    assert (ended["cards"].sum(axis=1) == 152).all()
    assert (ended["der"] >= 0).all()


@pytest.mark.parametrize(("preset", "players"), TABLES["chouineurs"])
def test_cr_1_the_cards_are_always_44(preset: str, players: int) -> None:
    states = last_states("chouineurs", preset, players, DEALS // len(TABLES["chouineurs"]))
    piles = np.bitwise_count(states["pile"]).sum(axis=1)
    hands = np.bitwise_count(states["hand"]).sum(axis=1)
    assert (piles + hands + states["reserve"] + states["taken"].sum(axis=1) == 44).all()
