"""Validation survives everything: a word of another game, a search that fails."""

import io
import json
from random import Random
from typing import Any

import pytest

from dashboard.board.states import deal_states
from engine.games import game, game_names
from ingest import check
from ingest.autofix.evaluate import Evaluator
from ingest.autofix.search import find_edits
from ingest.cli.replay import TerminalBoard
from ingest.findings.edit_texts import describe_edit
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from schemas.notation import act_codes
from schemas.simulated import simulate_season

pytestmark = pytest.mark.slow

ENGLISH, FRENCH = translator("en"), translator("fr")


def deal_of(name: str) -> dict[str, Any]:
    """The first deal of a match that goes on after it."""
    (log,) = simulate_season(name, 1, 3)
    log["deals"] = log["deals"][:1]
    log.pop("result", None)
    return log


def with_word(log: dict[str, Any], at: int, word: str) -> bytes:
    """The log with another action at a place of its deal."""
    (deal,) = log["deals"]
    actions = [*deal["actions"][:at], word, *deal["actions"][at + 1 :]]
    return json.dumps(log | {"deals": [deal | {"actions": actions}]}).encode()


@pytest.mark.parametrize("name", [name for name in game_names() if game(name).acts.FIRST_DRAW < 0])
def test_where_nobody_draws_a_draw_is_an_unknown_action(name: str) -> None:
    for word in ("1 draw", "1 draw Kd", "1 draw ??"):
        text = with_word(deal_of(name), 9, word)
        reports = list(check(("draw.json", io.BytesIO(text)), ("more.json", io.BytesIO(text))))
        assert [one.file for one in reports] == ["draw.json", "more.json"]
        for report in reports:
            assert [one.code for one in report.findings] == ["unknown-action"]


@pytest.mark.parametrize("name", game_names())
def test_words_of_all_games_are_documented_in_each(name: str) -> None:
    words = sorted({word for one in game_names() for word in act_codes(one)} | {"draw", "??", "b3"})
    log, random = deal_of(name), Random(5)
    count = len(log["deals"][0]["actions"])
    for word in random.sample(words, 25):
        explained = validate(with_word(log, random.randrange(count), f"1 {word}"))
        find_edits(explained)
        for t in (ENGLISH, FRENCH):
            for finding in explained.findings:
                assert finding.message(t)
                describe_edit(t, finding)
        assert deal_states(explained, 0, FRENCH)
        assert list(TerminalBoard(explained, 0, ENGLISH).lines())


def test_a_search_that_fails_costs_its_edit_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = with_word(deal_of("coinche"), 9, "1 secret")

    def fails(*_: Any, **__: Any) -> None:
        raise ValueError("secret")

    monkeypatch.setattr(Evaluator, "count_with", fails)
    first, second = check(("a.json", io.BytesIO(text)), ("b.json", io.BytesIO(text)))
    assert first.findings == second.findings
    assert [(one.code, one.edit) for one in first.findings] == [("unknown-action", None)]
    assert "no edit for unknown-action: ValueError" in caplog.text
    assert "secret" not in caplog.text  # what a log says is not for the record
