"""Schemas of a registered game: words, models, its deals written and read again."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from engine.actions import ACT_MASK, UNKNOWN_ACT
from engine.games import game, game_names
from schemas.deal_decoder import decode_deal, opening_seat
from schemas.json_schema import json_schema
from schemas.match_models import match_models, match_setup
from schemas.match_setup import DealProblem
from schemas.models import action_pattern
from schemas.notation import act_codes, act_notation, encode_action
from schemas.notation import action_codes as code_entries
from schemas.simulated import deal_documents, simulate_matches, simulate_season, simulated_setup
from tests.newgame import registered


def test_word_to_code_to_word(brelin: str) -> None:
    assert set(act_codes(brelin).values()) == set(range(game(brelin).acts.ACT_COUNT))
    for word, code in code_entries(brelin).items():
        assert encode_action(brelin, word) == code
        assert act_notation(brelin, code) == word[2:]
    assert encode_action(brelin, "1 bid 2h") & ACT_MASK == UNKNOWN_ACT
    pattern = re.compile(action_pattern(act_codes(brelin), 2))
    assert pattern.match("2 pair-d")
    assert not pattern.match("3 pair-d")


def test_the_schema_and_the_models_have_it_while_it_is_registered(brelin: str) -> None:
    assert list(match_models()) == list(game_names())
    assert "BrelinMatch" in json_schema()["$defs"]


def test_the_schema_is_as_before_once_it_is_forgotten() -> None:
    before = json_schema()
    with registered():
        assert json_schema() != before
    assert json_schema() == before


def test_a_simulated_season_is_what_the_model_reads(brelin: str) -> None:
    for document in simulate_season(brelin, 5, 1):
        text = json.dumps(document)
        match = match_models()[brelin].model_validate_json(text)
        assert json.loads(match.model_dump_json(exclude_unset=True)) == document
        assert match.deals[0].winner in (0, 1, 2)


@pytest.mark.parametrize("hands", [False, True])
def test_a_deal_that_was_written_is_read_again(brelin: str, hands: bool) -> None:
    placed = simulated_setup(brelin, "plain", 2)
    played = next(simulate_matches(placed, 1, 2))
    documents = deal_documents(placed, played.deals, hands)
    sheet: dict[str, Any] = {"format": "retourne/1", "game": brelin, "deals": documents}
    match = match_models()[brelin].model_validate(sheet | {"players": [{"id": "a"}, {"id": "b"}]})
    assert match_setup(match).problems == ()
    for deal, simulated in zip(match.deals, played.deals, strict=True):
        read = decode_deal(deal, match_setup(match))
        assert read.problems == []
        assert read.deck == simulated.deck.tolist()
        assert read.codes == simulated.codes.tolist()
        assert opening_seat(deal) == (simulated.dealer + 1, "/dealer")
        assert not read.is_partially_recorded


def test_a_card_of_another_pack_is_reported_at_its_place(brelin: str) -> None:
    played = simulated_setup(brelin, None, 2)
    sheet = {"dealer": 1, "deck": "7s Ks As Qh Kh Ah Qd Kd Ad Qc Kc Ac", "actions": []}
    (deal,) = (
        match_models()[brelin]
        .model_validate(
            {"format": "retourne/1", "game": brelin, "players": [{"id": "a"}, {"id": "b"}], "deals": [sheet]}
        )
        .deals
    )
    assert decode_deal(deal, played).problems == [DealProblem("deck-card", "/deck", "7s")]


def test_what_is_typed_wrong_is_refused(brelin: str) -> None:
    with pytest.raises(ValidationError):
        match_models()[brelin].model_validate({"format": "retourne/1", "game": "chouine", "deals": []})
