"""Deals drawn for what a seat of Belote has seen have each card once, and the seat's own."""

import numpy as np
import pytest

from engine.sampling import SampledDeals, sample_deals
from tests.engine.test_sampling import plays, replays

ALL_CARDS = (1 << 32) - 1


@pytest.mark.parametrize("preset", ["classique", "contree", "coinchee"])
def test_be_4_deals_drawn_have_each_card_once(preset: str) -> None:
    sampled = 0
    for replay in replays("belote", 4, preset=preset)[:4]:
        for at in plays(replay)[::7]:
            for seat in range(4):
                found = sample_deals(replay, at, seat, 20, 0)
                if not isinstance(found, SampledDeals):
                    continue  # an announcement that few deals allow
                sampled += 1
                before = int(replay.states[at]["hand"][seat])
                for start, state in zip(found.starts, found.states, strict=True):
                    undealt = [int(card) for card in (start["retourne"], *start["stock"]) if card >= 0]
                    dealt = [int(hand) for hand in start["hand"]] + [1 << card for card in undealt]
                    assert sum(dealt) == np.bitwise_or.reduce(dealt) == ALL_CARDS
                    assert int(state["hand"][seat]) == before
    assert sampled > 40
