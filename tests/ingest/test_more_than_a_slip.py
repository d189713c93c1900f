"""Logs that more than one slip is wrong with: what explains only a part of it is no edit."""

import json
import logging

import pytest

from engine.games import names
from ingest.finding.finding import Edit
from ingest.mend.preview import preview
from tests.ingest.slips import CARD, Log, seat_of, word_of
from tests.ingest.test_slips import a_match, mended


def edits(log: Log) -> list[Edit]:
    return [one.edit for one in mended(log).findings if one.edit is not None]


@pytest.mark.parametrize("times", [0, 2], ids=["left out", "written twice"])
@pytest.mark.parametrize("game", names())
def test_where_a_deal_is_left_out_or_written_twice_no_result_is_rewritten(
    game: str, times: int
) -> None:
    log = a_match(game)
    for place in range(1, len(log["deals"]) - 1):
        deals = log["deals"]
        changed = {**log, "deals": [*deals[:place], *[deals[place]] * times, *deals[place + 1 :]]}
        found = mended(changed).findings
        if any(one.code == "wrong-dealer" and one.edit is None for one in found):
            paths = [one.edit.path for one in found if one.edit is not None]
            assert not [path for path in paths if path.startswith("/result")]


@pytest.mark.parametrize("game", names())
def test_a_deal_cut_off_ends_with_no_act_that_nobody_wrote(game: str) -> None:
    log = a_match(game)
    for deal in log["deals"]:
        whole = deal["actions"]
        deal["actions"] = whole[:-4]
        for edit in edits(log):
            at = edit.path.rpartition("/")[2]
            if edit.op == "add" and int(at) >= len(deal["actions"]):
                assert CARD.fullmatch(word_of(str(edit.value))), edit
        deal["actions"] = whole


@pytest.mark.parametrize("game", names())
def test_where_points_were_told_no_edit_leaves_the_deal_without_its_end(game: str) -> None:
    log = a_match(game)
    for deal in log["deals"]:
        whole, middle = deal["actions"], len(deal["actions"]) // 2
        deal["actions"] = whole[:middle] + whole[middle + 4 :]
        text = json.dumps(log).encode()
        after = preview(text)
        played = [one for one in after.done if one.edit and "/actions/" in one.edit.path]
        codes = {one.code for one in after.after.findings}
        assert not played or "incomplete" not in codes, [one.edit for one in played]
        deal["actions"] = whole


def test_a_deal_of_twenty_thousand_actions_is_not_searched_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = a_match("chouine")
    first = log["deals"][0]["actions"][0]
    log["deals"][0]["actions"] = [f"{seat_of(first)} {word_of(first)}"] * 20_000
    with caplog.at_level(logging.WARNING):
        found = mended(log).findings
    assert not caplog.records
    assert {one.searched for one in found if one.code == "wrong-turn"} >= {False}
