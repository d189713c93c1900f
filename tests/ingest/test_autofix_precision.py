"""Edits that must not be offered: of what was recorded correctly, or of half an error."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.games import game, game_names
from engine.replay import Replay
from engine.simulate import SimulatedDeal
from ingest.autofix.error_model import legal_codes
from ingest.autofix.text_edit import apply_all_edits
from schemas.match_setup import MatchSetup
from schemas.simulated import match_document, simulate_matches, simulated_setup
from tests.ingest.recording_errors import Log
from tests.ingest.test_recording_errors import a_match, repaired

PRESETS = {
    "chouine": ("lavardin", 2),
    "coinche": ("tournoi-2018", 4),
    "chouineurs": ("blam", 3),
    "belote": ("coinchee", 4),
}


def against_the_rules(arranged: MatchSetup, deal: SimulatedDeal, rng: Random) -> SimulatedDeal | None:
    """The deal with one card played that the rules forbid and that stood, and played on from it."""
    this = arranged.game
    replay = Replay(this, arranged.rules, arranged.players, deal.dealer, deal.deck, deal.codes.tolist())
    for ply in rng.sample(list(replay)[:-1], len(replay) - 1):
        turn, state = int(ply.state["turn"]), ply.state.copy()
        for card in rng.sample(range(64), 64):
            code = turn << SEAT_SHIFT | card
            if this.acts.kind_of_act(card) != "play":
                continue
            found = int(this.kernel.check(state, arranged.rules, code))
            omitted = any(fault.code in this.acts.REQUIRED_KINDS for fault in this.faults.in_mask(found))
            if found & this.faults.errors and not found & this.faults.impossible and not omitted:
                before = deal.codes[: ply.index].tolist()
                this.kernel.step(state, arranged.rules, code)
                after = [code, *played_on(arranged, state, rng)]
                return deal._replace(codes=np.array([*before, *after], np.uint16))
    return None


def played_on(arranged: MatchSetup, state: np.void, rng: Random) -> Iterator[int]:
    """Legal acts to the end of a deal: what is due, then any card; nobody gives up."""
    kinds, owed = arranged.game.acts.kind_of_act, {*arranged.game.acts.REQUIRED_KINDS.values()} - {"bid"}
    while codes := legal_codes(arranged.game, state, arranged.rules).tolist():
        due = [code for code in codes if kinds(code & ACT_MASK) in owed]
        plays = [code for code in codes if kinds(code & ACT_MASK) == "play"]
        code = rng.choice(due or plays or codes)
        arranged.game.kernel.step(state, arranged.rules, code)
        yield code


def true_logs(name: str, count: int) -> Iterator[Log]:
    """Matches in which somebody broke a rule, recorded as they went, points and winners counted."""
    preset, players = PRESETS[name]
    played, rng = simulated_setup(name, preset, players), Random(7)
    people = [{"id": f"p{seat}", "name": f"P{seat}"} for seat in range(players)]
    for match in simulate_matches(played, 3 * count, 7):
        wrong = against_the_rules(played, match.deals[-1], rng)
        if wrong is not None and count:
            count -= 1
            result = match._replace(deals=[*match.deals[:-1], wrong])
            log = match_document(played, result, preset, people)
            del log["result"]
            yield log


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
def test_a_card_played_against_the_rules_and_written_truly_is_not_mended_away(name: str) -> None:
    seen = 0
    for log in true_logs(name, 15):
        explained = repaired(log)
        last = [one for one in explained.findings if one.deal_index == len(log["deals"]) - 1]
        assert any(one.code in game(name).faults.by_code for one in last)
        assert not [one.edit for one in last if one.edit is not None]
        seen += 1
    assert seen > 10


def with_actions(log: Log, deal: int, actions: list[str]) -> Log:
    wrong = copy.deepcopy(log)
    wrong["deals"][deal]["actions"] = actions
    return wrong


def restored(wrong: Log, right: Log) -> bool:
    return bool(json.loads(apply_all_edits(json.dumps(wrong).encode()).text) == right)


@pytest.mark.parametrize("name", game_names())
def test_several_actions_written_as_one_are_taken_apart(name: str) -> None:
    right = a_match(name)
    for deal, result in enumerate(right["deals"][:3]):
        actions = result["actions"]
        at = len(actions) // 2
        one = f"{actions[at]}, {actions[at + 1]}"
        wrong = with_actions(right, deal, [*actions[:at], one, *actions[at + 2 :]])
        first = next(one for one in repaired(wrong).findings if one.code == "unknown-action")
        assert first.edit is not None
        assert first.edit.reason == "split"
        assert restored(wrong, right)


FRENCH = {"A": "A", "K": "R", "Q": "D", "J": "V", "T": "10"}


@pytest.mark.slow
def test_a_deal_written_with_french_cards_is_read_card_by_card() -> None:
    right = a_match("chouine")
    actions = [
        f"{word[:2]}{FRENCH.get(word[2], word[2])}{'♠♥♦♣'['shdc'.index(word[3])]}" if len(word) == 4 else word
        for word in right["deals"][0]["actions"]
    ]
    wrong = with_actions(right, 0, actions)
    assert wrong != right
    assert restored(wrong, right)


@pytest.mark.parametrize("name", game_names())
def test_who_deals_is_mended_where_the_hands_are_written_too(name: str) -> None:
    """For every dealer the hands are those that were written."""
    preset, players = PRESETS[name]
    played = simulated_setup(name, preset, players)
    people = [{"id": f"p{seat}", "name": f"P{seat}"} for seat in range(players)]
    match = next(one for one in simulate_matches(played, 9, 3) if len(one.deals) > 2)
    right = match_document(played, match, preset, people, as_hands=True)
    key = "leader" if "leader" in right["deals"][1] else "dealer"
    wrong = copy.deepcopy(right)
    wrong["deals"][1][key] = right["deals"][1][key] % players + 1
    assert restored(wrong, right)


def offered(log: Log) -> list[Any]:
    return [one.edit for one in repaired(log).findings if one.edit is not None]


@pytest.mark.slow
def test_ch_16_a_sign_too_many_that_says_not_shown_brings_no_second_announcement() -> None:
    seen = 0
    for seed in range(12):
        right = a_match("chouine", seed)
        for deal, result in enumerate(right["deals"]):
            for at, word in enumerate(result["actions"]):
                if "mariage" in word and not word.endswith("~"):
                    actions = [*result["actions"][:at], f"{word}~", *result["actions"][at + 1 :]]
                    for edit in offered(with_actions(right, deal, actions)):
                        assert edit.op == "replace"
                        assert edit.value == word
                        seen += 1
                    break
    assert seen


def test_a_card_copied_once_more_does_not_become_an_announcement_nobody_made() -> None:
    right = a_match("chouine")
    for deal, result in enumerate(right["deals"][:4]):
        actions = result["actions"]
        again = with_actions(right, deal, [*actions[:6], actions[4], *actions[6:]])
        for edit in offered(again):
            assert edit.op == "remove"


@pytest.mark.slow
def test_of_two_cards_missing_side_by_side_neither_is_sure_where_their_places_are_not() -> None:
    """1 9♣ – 2 Q♥ – 1 8♣ and 1 8♣ – 2 Q♥ – 1 9♣ may both have been played."""
    right = a_match("chouine")
    for deal, result in enumerate(right["deals"][:4]):
        actions = result["actions"]
        for at in range(4, len(actions) - 4, 5):
            for edit in offered(with_actions(right, deal, actions[:at] + actions[at + 2 :])):
                if edit.op == "add":
                    assert edit.value in actions[at : at + 2]
