"""The kernels against a second reading of the rules (`tests.reference`), act by act.

Deals are walked at random, bots being too wise to get everywhere, and at each step every act there
is, by every seat, must be allowed by both or by neither.
"""

import copy
import re
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.games import game, game_names
from engine.match import winner_in_log
from engine.options import game_presets
from engine.options import resolve_options as options_of
from schemas.notation import action_codes as code_entries
from schemas.notation import action_notation
from schemas.simulated import deal_documents, simulate_matches, simulated_setup
from tests import reference

LIKELY = {
    "play": 1.0,
    "draw": 1.0,
    "au": 0.02,
    "resign": 0.003,
    "won": 0.003,
    "fault": 0.01,
    "renonce": 0.003,
}
"""How often a walk takes acts of a kind; the others come in between."""
FREE: dict[str, dict[str, tuple[Any, ...]]] = {
    "chouine": {
        "announce_with": ("any", "combination"),
        "one_per_suit": (True, False),
        "one_per_play": (True, False),
        "overruff": (True, False),
        "trump_maker": ("trump", "plain"),
        "quinte": (50, 100),
    },
    "coinche": {"coinche_score": ("contract", "sum")},
    "chouineurs": {"tricks": (7, 1, 2, 8)},
    "belote": {
        "dealing": ("3-2", "2-3", "3-2-3", "3-3-2", "2-3-3"),
        "second_round_any": (False, True),
        "highest": (180, 480, 120),
        "contre_any_time": (False, True),
        "declarer_leads": (False, True),
        "undertrump": (False, True),
        "undertrump_partner": (False, True),
        "announcements": (False, True),
        "equal_first": (False, True),
        "belote_doubled": (True, False),
        "litige": ("next", "made", "failed"),
        "round": (True, False),
        "sans_tout": (True, False),
    },
}


def stacked(deck: NDArray[np.uint8], players: int) -> NDArray[np.uint8]:
    """A pack that brings sequences of a suit into one hand, so that there is much to announce."""
    size = 5 if players == 2 else 3
    start = int(deck[0]) & ~7
    runs = [[(start + 8 * seat + k) % 32 for k in range(3, 3 + size)] for seat in range(players)]
    dealt = [run[place] for place in range(size) for run in runs]
    return np.array([*dealt, *(card for card in deck if card not in dealt)], np.uint8)


class Walk:
    """One deal under some rules, walked by the kernel and by the reference at once."""

    def __init__(self, name: str, players: int, chosen: dict[str, Any], seed: int) -> None:
        self.arranged = simulated_setup(name, chosen, players)
        self.game, self.rules, self.faces = self.arranged.game, self.arranged.rules, self.arranged.faces
        (match,) = simulate_matches(self.arranged, 1, seed)
        dealt = match.deals[0]
        if name == "chouine" and seed & 4:
            dealt = dealt._replace(deck=stacked(dealt.deck, players), codes=dealt.codes[:0])
        result = deal_documents(self.arranged, [dealt], as_hands=bool(seed & 1))[0]
        self.explicit = name == "chouine" and bool(seed & 2)
        result["actions"] = ["1 draw 7s"] if self.explicit else []
        document = {"game": name, "players": [{}] * players, "deck": "retourne", "deals": [result]}
        options = options_of(name, chosen, players)
        found = reference.GAMES[name](document, result, options)
        assert found is not None
        self.other: Any = found
        self.state = np.zeros(1, self.game.kernel.State)[0]
        self.game.kernel.start(self.state, self.rules, players, dealt.dealer, dealt.deck, int(self.explicit))
        seats = range(players)
        self.every = [
            code
            for code in code_entries(name, self.faces).values()
            if code >> SEAT_SHIFT in seats and code & ACT_MASK < self.game.acts.ACT_COUNT
        ]

    def kind(self, code: int) -> str:
        """`simulate_matches`, or the first word of any other act: `mariage`, `bid`, `point`."""
        if self.game.acts.kind_of_act(code & ACT_MASK) == "play":
            return "play"
        return re.split("[ -]", action_notation(self.game.name, code, self.faces))[1]

    def allowed(self) -> list[int]:
        """The acts the kernel allows, which must be those the reference takes."""
        kernel, errors = self.game.kernel, self.game.faults.errors
        found = []
        for code in self.every:
            ours = kernel.check(self.state, self.rules, code) & errors == 0
            word = action_notation(self.game.name, code, self.faces)
            # a refused act leaves the deal as it was: only one that is taken needs a copy
            theirs = copy.deepcopy(self.other).do(word) if ours else self.other.do(word)
            assert ours == theirs, f"{word}: the kernel {'allows' if ours else 'refuses'} it"
            if ours:
                found.append(code)
        return found

    def step(self, code: int) -> None:
        assert not self.game.kernel.step(self.state, self.rules, code) & self.game.faults.errors
        assert self.other.do(action_notation(self.game.name, code, self.faces))

    def agree(self) -> None:
        """Both say whether the deal is over, and what it made."""
        running = int(self.state["outcome"]) == self.game.kernel.RUNNING
        assert running != self.other.ended
        if running or (outcome := self.other.outcome()) is None:
            return
        points = self.game.points(self.state, self.arranged.players)
        assert (points, winner_in_log(self.state)) == outcome


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
@given(data=st.data(), seed=st.integers(0, 2**32))
@settings(max_examples=12)
def test_every_act_of_a_random_walk_is_allowed_by_both_or_by_neither(
    name: str, data: st.DataObject, seed: int
) -> None:
    rng = Random(seed)
    chosen = {"preset": data.draw(st.sampled_from(list(game_presets(name))))}
    chosen |= {option: rng.choice(values) for option, values in FREE[name].items()}
    players = data.draw(st.sampled_from(game(name).players))
    walk = Walk(name, players, chosen, seed)
    every = rng.choice([1, 4])  # how often all acts are compared
    allowed = np.zeros(2048, np.uint16)
    for number in range(1000):
        if number % every == 0:
            acts = walk.allowed()
        else:
            count = walk.game.kernel.legal(walk.state, walk.rules, allowed)
            acts = allowed[:count].tolist()
        if not acts:
            break
        by_kind: dict[str, list[int]] = {}
        for code in acts:
            by_kind.setdefault(walk.kind(code), []).append(code)
        weights = [LIKELY.get(kind, 0.3) for kind in by_kind]
        (kind,) = rng.choices(list(by_kind), weights)
        walk.step(rng.choice(by_kind[kind]))
        walk.agree()
    assert walk.other.ended
