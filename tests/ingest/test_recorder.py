"""A match recorded step by step is the log it would have been, and its verdict."""

import json
from typing import Any

import pytest

from ingest import Recorder, Refused, check_text
from ingest.i18n import translator
from schemas.simulated import season

ENGLISH = translator("en")


def again(log: dict[str, Any], *untold: str) -> Recorder:
    """A log typed action by action, its sheet at the end of each deal, some keys left out."""
    head = {key: value for key, value in log.items() if key not in ("format", "deals")}
    recorder = Recorder(**head)
    for told in log["deals"]:
        keys = {key: value for key, value in told.items() if key not in untold}
        actions = keys.pop("actions", [])
        sheet = {key: keys.pop(key) for key in ("points", "winner", "void") if key in keys}
        recorder.deal(**keys)
        for action in actions:
            recorder.act(action)
        recorder.end(**sheet)
    return recorder


def verdict(log: dict[str, Any]) -> tuple[str, list[tuple[str, str, str]]]:
    """What a check makes of a log: its status, and each finding's code, place and sentence."""
    report = check_text(json.dumps(log))
    found = [(one.code, one.path, one.message(ENGLISH)) for one in report.findings]
    return report.status, sorted(found)


def told(recorder: Recorder) -> tuple[str, list[tuple[str, str, str]]]:
    """The same, as the recorder has it."""
    explained = recorder.explained
    found = [(one.code, one.path, one.message(ENGLISH)) for one in explained.findings]
    return explained.status, sorted(found)


@pytest.mark.parametrize("game", ["chouine", "coinche", "chouineurs"])
def test_a_match_typed_action_by_action_is_the_same_log(game: str) -> None:
    for log in season(game, 2, 7):
        recorder = again(log)
        assert recorder.log() == log
        assert told(recorder) == verdict(log)
        assert recorder.said.match.over


def test_the_next_deal_is_dealt_by_whoever_must() -> None:
    log = next(season("chouine", 1, 7))
    recorder = Recorder("chouine", log["players"], cuts=log["cuts"])
    for deal in log["deals"]:
        assert recorder.said.match.openers == [deal["dealer"]]
        recorder.deal(deck=deal["deck"], actions=deal["actions"])
    assert [deal["dealer"] for deal in recorder.log()["deals"]] == [
        deal["dealer"] for deal in log["deals"]
    ]


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    recorder = Recorder("chouine", [{"id": "lucie"}, {"id": "marcel"}])
    recorder.deal(dealer=1, hands=["9h Jd Qc 8d 7c", "Ks Qs Ah 9d 8c"], talon="??")
    before = recorder.log()
    with pytest.raises(Refused, match="9♥") as refused:
        recorder.act("2 9h")
    assert [one.code for one in refused.value.findings] == ["card-not-held"]
    assert [one.code for one in recorder.why("1 9h")] == ["wrong-turn"]
    assert recorder.log() == before
    assert recorder.undo().legal == []
