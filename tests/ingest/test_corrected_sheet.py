"""What the sheet would read from the first deal whose written points or winner differ."""

import copy
import json
from typing import Any

import pytest

from ingest import check_text
from ingest.i18n import translator
from ingest.validate.report import CorrectedSheet, corrected_sheet
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season


def match(game: str = "chouine") -> dict[str, Any]:
    return copy.deepcopy(next(simulate_season(game, 1, 5)))


def sheet_of(log: dict[str, Any]) -> CorrectedSheet | None:
    return corrected_sheet(validate(json.dumps(log).encode()))


@pytest.mark.parametrize("game", ["chouine", "coinche"])
def test_a_sheet_that_is_right_has_no_finding(game: str) -> None:
    assert sheet_of(match(game)) is None


@pytest.mark.parametrize("game", ["chouine", "coinche"])
def test_it_is_shown_from_the_first_deal_that_differs(game: str) -> None:
    log = match(game)
    right = copy.deepcopy(log)
    log["deals"][2]["points"][0] += 10
    log["deals"][4]["points"][1] += 10
    result = sheet_of(log)
    assert result is not None
    assert [row.deal_index for row in result.rows] == list(range(2, len(log["deals"])))
    assert [row.deal_index for row in result.rows if row.differs] == [2, 4]
    for row in result.rows:
        if not right["deals"][row.deal_index].get("void"):
            assert row.points == right["deals"][row.deal_index]["points"]
            assert row.winner == right["deals"][row.deal_index]["winner"]
        assert row.written_points == log["deals"][row.deal_index].get("points")


def test_its_last_score_is_that_of_the_match() -> None:
    log = match()
    log["deals"][2]["winner"] = 3 - log["deals"][2]["winner"]
    result = sheet_of(log)
    assert result is not None
    assert result.rows[-1].score == log["result"]["score"]
    assert (result.rows[0].manche, result.rows[0].partie) == (1, 3)


def test_no_score_is_given_after_a_deal_that_nobody_can_count() -> None:
    log = match()
    log["deals"][1]["points"][0] += 10
    log["deals"][3]["actions"][5:] = []
    result = sheet_of(log)
    assert result is not None
    scores = [row.score for row in result.rows]
    assert None not in scores[:2]
    assert set(map(str, scores[2:])) == {"None"}
    assert result.rows[2].points is None


def test_a_wrong_score_points_at_the_first_deal_that_differs() -> None:
    log = match()
    log["deals"][2]["points"][0] += 10
    log["result"]["score"][0] += 1
    found = {finding.code: finding for finding in validate(json.dumps(log).encode()).findings}
    result = found["score-differs"].message(translator("en"))
    assert result.endswith("The first deal whose sheet differs: manche 1, partie 3.")
    log["deals"][2]["points"][0] -= 10
    (alone,) = validate(json.dumps(log).encode()).findings
    assert "first deal" not in alone.message(translator("en"))


def test_a_report_has_the_sheet_or_null() -> None:
    log = match()
    t = translator("en")
    assert check_text(json.dumps(log)).as_dict(t)["sheet"] is None
    log["deals"][2]["points"][0] += 10
    result = check_text(json.dumps(log)).as_dict(t)["sheet"]
    assert result["first_deal_index"] == 2
    assert set(result["rows"][0]) == {"deal_index", "manche", "partie", "written", "played", "score"}
    assert check_text("{").as_dict(t)["sheet"] is None
