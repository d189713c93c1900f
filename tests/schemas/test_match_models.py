"""The models of a log: text to model and back, strictness, and the JSON Schema beside them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ingest.validate.slow_path import validate
from schemas.games.chouine import ChouineMatch
from schemas.json_schema import json_schema
from schemas.models import action_pattern, cards_pattern
from schemas.notation import act_codes, action_codes
from tests.engine.chouine.positions import PACK, deal

DATA = Path(__file__).parents[2] / "data"
SAMPLES = sorted(DATA.glob("*.json"))


def chouine(path: Path) -> bool:
    return bool(json.loads(path.read_bytes())["game"] == "chouine")


SAMPLES = [path for path in SAMPLES if chouine(path)]

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8)
words = st.sampled_from(sorted(action_codes("chouine"))) | st.text(max_size=8)
free = st.dictionaries(st.text(max_size=8), scalars, max_size=3)
seats = st.integers(-3, 9)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


def both(
    required: dict[str, st.SearchStrategy[Any]], **fields: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=fields)


comments = both({"after": seats, "text": st.text(min_size=1)}, by=st.text() | st.none(), _own=scalars)
deals = both(
    {"dealer": seats},
    deck=st.text(max_size=12),
    hands=st.lists(st.text(max_size=8), max_size=4),
    talon=st.text(max_size=12),
    actions=st.lists(words, max_size=5),
    times=st.lists(st.floats(0, 1e6), max_size=5),
    void=st.sampled_from(["maldonne", "replay", "abandoned"]),
    points=st.lists(st.integers(), max_size=4),
    winner=seats,
    manche=seats,
    comments=st.lists(comments, max_size=3) | st.none(),
    _note=scalars,
)
matches = both(
    {
        "format": st.just("retourne/1"),
        "game": st.just("chouine"),
        "players": st.lists(both({"id": st.text(min_size=1)}, name=st.text()), max_size=4),
        "deals": st.lists(deals, max_size=3),
    },
    rules=st.sampled_from(["lavardin", "?"]) | free,
    id=st.text(),
    played_at=st.text(),
    event=free,
    source=free,
    cuts=st.lists(st.lists(st.text(max_size=6), max_size=3), max_size=2),
    result=optional(score=st.lists(st.integers(), max_size=4), winner=seats | st.none()),
    stranger=scalars,
    _stored=free,
)


@pytest.mark.slow
@given(match=matches)
def test_text_to_model_to_text(match: dict[str, Any]) -> None:
    model = ChouineMatch.model_validate_json(json.dumps(match))
    assert json.loads(model.model_dump_json(exclude_unset=True)) == json.loads(json.dumps(match))
    assert ChouineMatch.model_validate(match) == model


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_go_through_unchanged(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    model = ChouineMatch.model_validate_json(text)
    assert json.loads(model.model_dump_json(exclude_unset=True)) == json.loads(text)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("dealer", "1"),
        ("dealer", 0.7),
        ("dealer", True),
        ("actions", "1 Kd"),
        ("actions", [1]),
        ("actions", None),
        ("times", ["1"]),
        ("void", ""),
        ("points", [1.5, 2]),
        ("hands", "Kd"),
        ("deck", 5),
        ("comments", "well played"),
        ("comments", ["well played"]),
        ("comments", [{"after": 1.0, "text": "well played"}]),
        ("comments", [{"after": 1, "text": ""}]),
        ("comments", [{"after": 1}]),
        ("comments", [{"after": 1, "text": "well played", "by": 2}]),
    ],
)
def test_nothing_is_converted(place: str, value: object) -> None:
    match = {"format": "retourne/1", "game": "chouine", "players": [], "deals": [{"dealer": 1, place: value}]}
    with pytest.raises(ValidationError) as error:
        ChouineMatch.model_validate(match)
    assert error.value.errors()[0]["loc"][:3] == ("deals", 0, place)


def test_the_schema_that_ships_is_the_models() -> None:
    stored_text = DATA / "schema" / "match.schema.json"
    assert json.loads(stored_text.read_text(encoding="utf-8")) == json_schema(), (
        "write it anew: retourne schema > data/schema/match.schema.json"
    )


def test_patterns_of_cards_and_actions() -> None:
    deck = re.compile(cards_pattern(PACK, 32))
    assert deck.match(" ".join(PACK.names))
    assert not deck.match(" ".join(PACK.names[1:]))
    word = re.compile(action_pattern(act_codes("chouine"), 4))
    for written in action_codes("chouine"):
        assert bool(word.match(written)) == (int(written[0]) <= 4)
    assert not word.match("1 10d")
    assert not word.match("5 Kd")


@pytest.mark.parametrize(("preset", "turn_up"), [("lavardin", True), ("mondoubleau", False)])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("dealer", [1, 2])
def test_hands_and_talon_mean_the_same_as_the_deck(
    preset: str, turn_up: bool, players: int, dealer: int
) -> None:
    size = 5 if players == 2 else 3
    names = list(PACK.names)
    hands = [" ".join(names[seat * size : (seat + 1) * size]) for seat in range(players)]
    drawn = names[size * players :]  # in the order drawn
    dealt = [drawn[-1], *drawn[:-1]] if turn_up else drawn
    match = {
        "format": "retourne/1",
        "game": "chouine",
        "rules": preset,
        "players": [{"id": str(seat)} for seat in range(players)],
        "deals": [
            {"dealer": dealer, "hands": hands, "talon": " ".join(drawn)},
            {"dealer": dealer, "deck": deal(hands, " ".join(dealt), dealer)},
        ],
    }
    by_hands, by_deck = validate(json.dumps(match).encode()).decoded
    assert by_hands.problems == by_deck.problems == []
    assert by_hands.deck is not None
    assert list(by_hands.deck) == list(by_deck.deck or ())
