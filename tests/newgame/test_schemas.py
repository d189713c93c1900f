"""A registered game on the schemas' floor: words, models, its deals written and read again."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from engine.actions import ACT_MASK, UNKNOWN
from engine.games import game, names
from schemas.deal_codec import decode, first_seat
from schemas.match_models import json_schema, models, table
from schemas.match_setup import Problem
from schemas.models import action_pattern
from schemas.notation import act_word, acts, codes, encode
from schemas.simulated import deal_documents, lay, play, season
from tests.newgame import registered


def test_word_to_code_to_word(brelin: str) -> None:
    assert set(acts(brelin).values()) == set(range(game(brelin).acts.ACTS))
    for word, code in codes(brelin).items():
        assert encode(brelin, word) == code
        assert act_word(brelin, code) == word[2:]
    assert encode(brelin, "1 bid 2h") & ACT_MASK == UNKNOWN
    pattern = re.compile(action_pattern(acts(brelin), 2))
    assert pattern.match("2 pair-d")
    assert not pattern.match("3 pair-d")


def test_the_schema_and_the_models_have_it_while_it_is_registered(brelin: str) -> None:
    assert list(models()) == list(names())
    assert "BrelinMatch" in json_schema()["$defs"]


def test_the_schema_is_as_before_once_it_is_forgotten() -> None:
    before = json_schema()
    with registered():
        assert json_schema() != before
    assert json_schema() == before


def test_a_simulated_season_is_what_the_model_reads(brelin: str) -> None:
    for document in season(brelin, 5, 1):
        text = json.dumps(document)
        match = models()[brelin].model_validate_json(text)
        assert json.loads(match.model_dump_json(exclude_unset=True)) == document
        assert match.deals[0].winner in (0, 1, 2)


@pytest.mark.parametrize("hands", [False, True])
def test_a_deal_that_was_written_is_read_again(brelin: str, hands: bool) -> None:
    laid = lay(brelin, "plain", 2)
    played = next(play(laid, 1, 2))
    documents = deal_documents(laid, played.deals, hands)
    sheet: dict[str, Any] = {"format": "retourne/1", "game": brelin, "deals": documents}
    match = models()[brelin].model_validate(sheet | {"players": [{"id": "a"}, {"id": "b"}]})
    assert table(match).problems == ()
    for deal, simulated in zip(match.deals, played.deals, strict=True):
        read = decode(deal, table(match))
        assert read.problems == []
        assert read.deck == simulated.deck.tolist()
        assert read.codes == simulated.codes.tolist()
        assert first_seat(deal) == (simulated.dealer + 1, "/dealer")
        assert not read.partial


def test_a_card_of_another_pack_has_its_place_told(brelin: str) -> None:
    laid = lay(brelin, None, 2)
    sheet = {"dealer": 1, "deck": "7s Ks As Qh Kh Ah Qd Kd Ad Qc Kc Ac", "actions": []}
    (deal,) = (
        models()[brelin]
        .model_validate(
            {
                "format": "retourne/1",
                "game": brelin,
                "players": [{"id": "a"}, {"id": "b"}],
                "deals": [sheet],
            }
        )
        .deals
    )
    assert decode(deal, laid).problems == [Problem("deck-card", "/deck", "7s")]


def test_what_is_typed_wrong_is_refused(brelin: str) -> None:
    with pytest.raises(ValidationError):
        models()[brelin].model_validate({"format": "retourne/1", "game": "chouine", "deals": []})
