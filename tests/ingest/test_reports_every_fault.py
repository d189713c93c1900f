"""One run reports all faults: also after an illegal play, an impossible one, an unreadable line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from ingest import check
from ingest.findings.finding import Finding
from ingest.validate import slow_path as explaining
from ingest.validate.slow_path import validate
from schemas.simulated import simulate_season

DATA = Path(__file__).parents[2] / "data"


def example() -> dict[str, Any]:
    """One partie of two players that is a whole match, with everything declared and right."""
    match: dict[str, Any] = json.loads((DATA / "exemple-lavardin.json").read_bytes())
    match["rules"] = {"preset": "lavardin", "parties": 1, "manches": 1}
    winner = match["deals"][0]["winner"]
    score = [int(winner == seat) for seat in (1, 2)]
    return match | {"result": {"score": score, "winner": winner}}


def revoked() -> dict[str, Any]:
    """The same, but Charles does not ruff the ace of clubs (CH-10) and the sheet knows nothing."""
    match = example()
    actions = match["deals"][0]["actions"]
    at = actions.index("1 Ac")
    assert actions[at + 1] == "2 Qs"
    actions[at:] = ["1 Ac", "2 Jh", "1 Jd", "2 Kd", "2 Kh", "1 9s", "1 Qd", "2 Qs"]
    return match


def long(game: str = "chouine") -> dict[str, Any]:
    """A legal match of several deals, everything declared."""
    rules = {"chouine": {"parties": 4, "manches": 1}, "coinche": {}, "chouineurs": {}}[game]
    return next(simulate_season(game, 1, 7, rules))


def found(match: dict[str, Any]) -> list[Finding]:
    return validate(json.dumps(match).encode()).findings


def places(match: dict[str, Any]) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.deal_index, finding.follows) for finding in found(match)]


# it goes on


def test_after_an_illegal_play_the_deal_goes_on_as_it_was_played() -> None:
    match = revoked()
    codes = [finding.code for finding in found(match)]
    assert codes[0] == "must-ruff"
    assert "incomplete" not in codes
    later = match["deals"][0]["actions"]
    later[-2:] = reversed(later[-2:])  # after it, a card out of turn
    codes = [finding.code for finding in found(match)]
    assert codes[:2] == ["must-ruff", "wrong-turn"]


def test_after_an_impossible_play_the_next_deal_is_still_checked() -> None:
    match = long()
    del match["result"]
    match["deals"][0]["actions"][4] = "1 Zz"
    match["deals"][2]["actions"].insert(0, "1 trente")
    match["deals"][3]["actions"][-1] = "2 Zz"
    codes = [(finding.code, finding.deal_index) for finding in found(match)]
    assert [one for one in codes if one[1] != 2] == [("unknown-action", 0), ("unknown-action", 3)]
    assert codes[1][1] == 2


def test_after_a_deal_that_cannot_be_dealt_the_next_is_still_checked() -> None:
    match = long()
    del match["result"]
    match["deals"][0]["deck"] = match["deals"][0]["deck"][3:]
    match["deals"][1]["points"][0] += 1
    codes = [(finding.code, finding.deal_index, finding.follows) for finding in found(match)]
    assert codes == [("deck-size", 0, None), ("points-differ", 1, None)]


def test_after_an_unreadable_line_the_next_is_still_checked() -> None:
    lines = [b"{not json", b"\xff\xfe", json.dumps(revoked()).encode(), b"[]", b"{}"]
    reports = list(check(("a.jsonl", io.BytesIO(b"\n".join(lines)))))
    assert [report.line for report in reports] == [1, 2, 3, 4, 5]
    statuses = [report.status for report in reports]
    assert statuses == ["unreadable", "unreadable", "irregular", "unreadable", "unreadable"]


# all that is declared


def declared() -> dict[str, Any]:
    match = example()
    deal = match["deals"][0]
    deal["manche"] = 1
    deal["times"] = [float(second) for second in range(len(deal["actions"]))]
    return match


WRONG: dict[str, tuple[str, Any]] = {
    "points": ("points-differ", lambda match: match["deals"][0]["points"].reverse()),
    "winner": ("winner-differs", lambda match: match["deals"][0].update(winner=0)),
    "manche": ("manche-differs", lambda match: match["deals"][0].update(manche=2)),
    "score": ("score-differs", lambda match: match["result"].update(score=[1, 1])),
    "result": ("result-differs", lambda match: match["result"].update(winner=None)),
    "times": ("times-order", lambda match: match["deals"][0]["times"].__setitem__(5, 0.5)),
    "dealer": ("wrong-dealer", lambda match: match.update(cuts=[["7h Ah"]])),
}


def test_what_is_declared_is_right_to_begin_with() -> None:
    assert found(declared()) == []


@pytest.mark.parametrize("key", WRONG)
def test_everything_declared_is_compared(key: str) -> None:
    match = declared()
    code, spoil = WRONG[key]
    spoil(match)
    assert [finding.code for finding in found(match)] == [code]


def test_draws_are_compared_too() -> None:
    match = declared()
    deal = match["deals"][0]
    del deal["times"]
    deal["actions"].insert(2, "1 draw As")
    codes = {finding.code for finding in found(match)}
    assert codes & {"draw-card", "draw-turn", "draw-unexpected"}


def test_everything_declared_wrong_is_reported_in_one_run() -> None:
    match = declared()
    for _, spoil in WRONG.values():
        spoil(match)
    assert {finding.code for finding in found(match)} == {code for code, _ in WRONG.values()}


# what may come of what


def test_a_revoke_a_total_and_a_result_are_linked() -> None:
    match = revoked()
    match["deals"][0]["points"] = [120, 0]
    match["deals"][0]["winner"] = 1
    match["result"] = {"score": [1, 0], "winner": 1}
    assert places(match) == [
        ("must-ruff", 0, None),
        ("points-differ", 0, 0),
        ("winner-differs", 0, 0),
        ("score-differs", None, 0),
        ("result-differs", None, 0),
    ]


def test_faults_of_several_deals_that_have_nothing_to_do_with_each_other_are_not_linked() -> None:
    match = long()
    for deal in match["deals"][:3]:
        deal["actions"].insert(0, f"{deal['dealer']} quinte")  # out of turn: it does not count
    assert places(match) == [("announce-turn", deal, None) for deal in range(3)]


def test_an_announcement_that_counts_nothing_is_behind_a_total_but_behind_no_play() -> None:
    match = revoked()
    deal = match["deals"][0]
    deal["actions"].insert(0, "1 trente")
    deal["points"] = [1, 2]
    codes = places(match)
    assert [(code, follows) for code, _, follows in codes[:3]] == [
        ("announce-turn" if deal["dealer"] == 1 else "announce-kind", None),
        ("must-ruff", None),
        ("points-differ", 0),
    ]


def test_a_wrong_dealer_after_a_deal_the_sheet_has_right_stands_for_itself() -> None:
    match = long()
    first, second = match["deals"][:2]
    first["actions"].insert(0, f"{first['dealer']} quinte")
    second["dealer"] = first["dealer"]
    dealer = next(one for one in found(match) if one.code == "wrong-dealer")
    assert dealer.follows is None
    del first["winner"]  # now nobody knows what the sheet made of it
    dealer = next(one for one in found(match) if one.code == "wrong-dealer")
    assert dealer.follows == 0


def test_two_rules_broken_by_one_act_are_not_linked() -> None:
    match = json.loads((DATA / "fautes" / "chouine" / "draw-card.json").read_bytes())
    faults = found(match)
    assert all(
        finding.follows is None for finding in faults if finding.action_index == faults[0].action_index
    )


# all of it at once


def swarming(faults: int = 300) -> dict[str, Any]:
    """A long legal match with a faulty announcement before each of its first actions."""
    match = next(simulate_season("chouine", 1, 7, "lavardin"))
    left = faults
    for deal in match["deals"]:
        actions = []
        for action in deal["actions"]:
            if left:
                actions.append("1 trente" if left % 2 else "2 trente")
                left -= 1
            actions.append(action)
        deal["actions"] = actions
    assert not left
    return match


def test_three_hundred_faults_are_explained_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    match = swarming()
    calls = {"read_json": 0, "match_of_json": 0, "source_positions": 0, "Replay": 0}

    def counted(name: str, real: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            calls[name] += 1
            return real(*args, **more)

        return call

    for name in calls:
        monkeypatch.setattr(explaining, name, counted(name, getattr(explaining, name)))
    faults = found(match)
    assert len([finding for finding in faults if finding.code.startswith("announce-")]) == 300
    assert all(finding.line == 1 and finding.legal is not None for finding in faults)
    assert calls == {"read_json": 1, "match_of_json": 1, "source_positions": 1, "Replay": len(match["deals"])}
