"""What holds in every simulated deal, and the second reading of the rules on thousands of them."""

import numpy as np
import pytest

from engine.belote import actions, kernel
from engine.belote.faults import DEAL_FAULTS
from engine.belote.tables import CARD_VALUES
from engine.games import game
from engine.options import resolve_options
from schemas.notation import action_notation
from schemas.simulated import deal_documents, simulate_matches, simulated_setup
from tests.engine.trying import every_act
from tests.reference.belote import deal as reference_deal

GAME = game("belote")
RULES = [
    "classique",
    "contree",
    "coinchee",
    {"preset": "classique", "sans_tout": True, "dealing": "2-3", "second_round_any": True},
    {"preset": "contree", "sans_tout": True, "litige": "next", "dealing": "3-3-2", "declarer_leads": True},
    {"preset": "coinchee", "sans_tout": True, "equal_first": True, "belote_doubled": False, "round": False},
]


def dealt(rules, matches, seed):
    setup = simulated_setup("belote", rules, 4)
    deals = [deal for match in simulate_matches(setup, matches, seed) for deal in match.deals]
    count = len(deals)
    states = np.zeros(count, kernel.State)
    faults, stops = np.zeros((2, count), np.int64)
    kernel.replay_deals(
        *(states, faults, stops, np.array([setup.rules]), np.zeros(count, np.int64), np.full(count, 4)),
        *(np.array([deal.dealer for deal in deals]), np.array([deal.deck for deal in deals], np.uint8)),
        *(np.zeros(count, np.int64), np.concatenate([deal.codes for deal in deals])),
        np.cumsum([0, *(len(deal.codes) for deal in deals)]),
    )
    return setup, deals, states, faults


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_the_second_reading_scores_simulated_deals_alike(rules):
    _, deals, states, _ = dealt(rules, 60, seed=11)
    options = resolve_options("belote", rules, 4)
    assert len(deals) > 500
    for deal, state in zip(deals, states, strict=True):
        document = {"dealer": deal.dealer + 1, "deck": " ".join(GAME.pack.names[card] for card in deal.deck)}
        play = reference_deal({}, document, options)
        assert play is not None
        for code in deal.codes:
            word = action_notation("belote", int(code))
            assert play.do(word), word
        marks = [int(kernel.total(state, side)) for side in range(2)]
        assert play.outcome() == (marks, max(0, int(state["winner"]) + 1))
        assert play.waiting == state["waiting"]


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_simulated_deals_are_legal_and_keep_their_points(rules):
    _, _, states, faults = dealt(rules, 200, seed=5)
    assert not faults.any()
    played = states[states["outcome"] != kernel.PASSED]
    sums = CARD_VALUES.sum(axis=1)
    assert (played["cards"].sum(axis=1) == sums[played["values"]]).all()
    both = {int(kernel.points(state, 0) + kernel.points(state, 1)) for state in played[:2000]}
    assert both <= {162, 252}
    assert (np.bitwise_count(played["pile"]).sum(axis=1) == 32).all()


def test_hands_may_be_written_where_the_taking_decides_them():
    setup = simulated_setup("belote", "classique", 4)
    match = next(simulate_matches(setup, 1, 3))
    documents = deal_documents(setup, match.deals)
    assert all("deck" in one for one in documents)


TRY_ALL = every_act(kernel, 5, actions.ACT_COUNT + 2)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES[2:5], ids=str)
def test_legal_checked_and_stepped_agree_on_every_act(rules):
    setup, deals, _, _ = dealt(rules, 2, seed=9)
    out = np.zeros(1024, np.uint16)
    for deal in deals[:12]:
        state = np.zeros(1, kernel.State)[0]
        kernel.start(state, setup.rules, 4, deal.dealer, deal.deck, 0)
        for code in deal.codes:
            legal = set(out[: kernel.legal(state, setup.rules, out)].tolist())
            tried = TRY_ALL(state, setup.rules)
            assert tried.checked.tolist() == tried.stepped.tolist()
            taken = tried.codes[tried.stepped & DEAL_FAULTS.errors == 0]
            assert set(taken.tolist()) == legal & set(tried.codes.tolist())
            assert not tried.changed[tried.stepped & DEAL_FAULTS.impossible != 0].any()
            kernel.step(state, setup.rules, int(code))
