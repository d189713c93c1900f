"""The smallest edit of a finding: it mends, it adds no error, and it is never a guess."""

import copy
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.games import NAMES, game
from ingest.explain import Explained, explain
from ingest.findings import ERROR, Edit
from ingest.i18n import translator
from ingest.mend import mend, one_letter, speak_edit
from ingest.patch import patched
from ingest.preview import preview
from schemas.simulated import season

DATA = Path(__file__).parents[2] / "data"
FAUTES = DATA / "fautes"
CASES = sorted(path for path in FAUTES.glob("*/*.json") if not path.stem.endswith(".expected"))
Log = dict[str, Any]


def mended(log: Log | bytes) -> Explained:
    explained = explain(log if isinstance(log, bytes) else json.dumps(log).encode())
    mend(explained)
    return explained


def edits(log: Log) -> list[tuple[str, Edit | None]]:
    return [(finding.code, finding.edit) for finding in mended(log).findings]


@cache
def _legal(name: str) -> tuple[Log, ...]:
    """Legal matches of a game: simulated ones at every table, and those that ship."""
    logs = [log for players in game(name).players for log in season(name, 1, 3, players=players)]
    shipped = [json.loads(path.read_bytes()) for path in sorted(DATA.glob("exemple-*.json"))]
    logs += [log for log in shipped if log["game"] == name]
    return tuple(log for log in logs if not explain(json.dumps(log).encode()).findings)


def played_out(players: int = 2) -> Log:
    """The first deal of a legal match of Chouine, played to its end, with its points."""
    log = copy.deepcopy(next(season("chouine", 1, 5, players=players)))
    log["deals"] = log["deals"][:1]
    del log["result"]
    return log


# what is offered


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_edit_of_the_corpus_done_leaves_a_log_without_its_finding(path: Path) -> None:
    text = path.read_bytes()
    for finding in mended(text).findings:
        if finding.edit is not None:
            left = {one.code for one in explain(patched(text, finding.edit)).findings}
            assert finding.code not in left
            assert left <= {"incomplete"}


@pytest.mark.parametrize("language", ["fr", "en"])
def test_every_edit_of_the_corpus_is_said(language: str) -> None:
    t = translator(language)
    for path in CASES:
        for finding in mended(path.read_bytes()).findings:
            said = speak_edit(t, finding)
            assert bool(said) == (finding.edit is not None)
            assert "{" not in said
            assert "None" not in said


def test_an_edit_is_said_as_one_tells_a_scribe() -> None:
    def said(name: str, language: str = "en") -> str:
        (finding,) = mended((FAUTES / f"{name}.json").read_bytes()).findings
        return speak_edit(translator(language), finding)

    assert said("chouine/must-beat") == "Play K♠ instead."
    assert said("chouine/must-beat", "fr") == "Jouer R♠ à la place."
    assert said("chouine/announce-again") == "Leave out: tierce ♥."
    assert said("chouineurs/no-such-seat") == "It was Lucie (seat 1)."
    assert said("chouine/au-sept-missing") == "Add before it: Lucie (seat 1), says “au sept”."
    assert said("coinche/points-differ") == "Write 0 – 160."
    assert said("coinche/winner-differs") == "Write Gaston + Marcel."
    assert said("coinche/deck-card") == "Card 10: write 6♠ instead of 5s."


def test_a_total_that_is_wrong_is_corrected() -> None:
    log = played_out()
    points = list(log["deals"][0]["points"])
    log["deals"][0]["points"][1] += 10
    assert edits(log) == [("points-differ", Edit("replace", "/deals/0/points", points, "value"))]


def test_a_total_that_may_come_of_the_play_is_left_to_the_play() -> None:
    log = json.loads((FAUTES / "chouine" / "must-beat.json").read_bytes())
    log["deals"][0]["actions"][25:] = ["1 resign"]
    log["deals"][0]["points"] = [0, 0]
    log["deals"][0].pop("void", None)
    found = {finding.code: finding for finding in mended(log).findings}
    assert found["points-differ"].follows == 0
    assert found["points-differ"].edit is None


def test_the_card_a_scribe_wrote_for_another_is_restored() -> None:
    log = played_out()
    actions = log["deals"][0]["actions"]
    right = actions[-1]
    actions[-1] = f"{right.split()[0]} {actions[0].split()[-1]}"
    ((code, edit),) = edits(log)
    assert code == "card-not-held"
    assert edit is not None
    path = f"/deals/0/actions/{len(actions) - 1}"
    assert (edit.op, edit.path, edit.value) == ("replace", path, right)


def test_an_action_written_twice_is_left_out() -> None:
    log = played_out()
    actions = log["deals"][0]["actions"]
    actions.insert(5, actions[4])
    edit = edits(log)[0][1]
    assert edit is not None
    assert (edit.op, edit.path) == ("remove", "/deals/0/actions/5")


def test_a_card_left_out_is_added_where_only_one_will_do() -> None:
    log = played_out()
    actions = log["deals"][0]["actions"]
    missing = actions.pop(len(actions) - 4)
    edit = edits(log)[0][1]
    assert edit is not None
    assert (edit.op, edit.value) == ("add", missing)


def test_two_cards_in_each_others_place_are_two_edits_so_none_is_offered() -> None:
    log = played_out()
    actions = log["deals"][0]["actions"]
    actions[-3], actions[-4] = actions[-4], actions[-3]
    del log["deals"][0]["points"], log["deals"][0]["winner"]
    assert edits(log)[0][1] is None


def test_of_two_cards_that_would_do_equally_well_none_is_offered() -> None:
    (finding,) = mended((FAUTES / "chouine" / "must-follow.json").read_bytes()).findings
    assert finding.legal == ["2 7d", "2 Td"]
    assert finding.edit is None


def test_an_action_of_a_timed_deal_is_not_left_out_alone() -> None:
    log = json.loads((FAUTES / "chouine" / "announce-again.json").read_bytes())
    log["deals"][0]["times"] = [float(i) for i in range(len(log["deals"][0]["actions"]))]
    assert edits(log) == [("announce-again", None)]
    log["deals"][0]["times"].pop()
    assert dict(edits(log))["announce-again"] is not None


def test_ch_25_another_dealer_is_offered_when_the_cards_were_played_from_there() -> None:
    log = copy.deepcopy(next(season("chouine", 1, 5)))
    right = log["deals"][3]["dealer"]
    log["deals"][3]["dealer"] = 3 - right
    first = next(edit for _, edit in edits(log) if edit is not None)
    assert (first.path, first.value) == ("/deals/3/dealer", right)


# many faults


def test_three_hundred_faulty_announcements_are_all_left_out() -> None:
    log = played_out()
    log["deals"][0]["actions"][3:3] = ["1 trente"] * 300
    found = mended(log).findings
    assert len(found) == 300
    assert all(finding.edit is not None and finding.edit.op == "remove" for finding in found)


def test_what_a_match_may_cost_is_bounded() -> None:
    log = played_out()
    log["deals"][0]["actions"][3:3] = ["1 trente"] * 3000
    without = [edit for _, edit in edits(log) if edit is None]
    assert 0 < len(without) < 3000


# any slip


def errors(explained: Explained) -> list[tuple[str, int]]:
    return sorted(
        (finding.code, -1 if finding.deal is None else finding.deal)
        for finding in explained.findings
        if finding.severity == ERROR
    )


def slip(log: Log, data: st.DataObject) -> None:
    """One slip of a scribe somewhere in a log."""
    deal = data.draw(st.sampled_from([deal for deal in log["deals"] if deal.get("actions")]))
    actions = deal["actions"]
    at = data.draw(st.integers(0, len(actions) - 1))
    kind = data.draw(st.sampled_from(["card", "seat", "total", "winner", "drop", "twin", "dealer"]))
    seat, _, word = actions[at].partition(" ")
    if kind == "card":
        other = data.draw(st.sampled_from(actions)).partition(" ")[2]
        actions[at] = f"{seat} {other}"
    elif kind == "seat":
        actions[at] = f"{data.draw(st.integers(1, 5))} {word}"
    elif kind == "total":
        assume(deal.get("points"))
        deal["points"][0] += data.draw(st.sampled_from([-20, -1, 1, 10]))
    elif kind == "winner":
        assume("winner" in deal)
        deal["winner"] += 1
    elif kind == "drop":
        del actions[at]
    elif kind == "twin":
        actions.insert(data.draw(st.integers(0, len(actions))), actions[at])
    else:
        key = "leader" if "leader" in deal else "dealer"
        deal[key] = deal[key] % len(log["players"]) + 1


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=80)
def test_an_edit_makes_its_finding_go_and_brings_no_error(name: str, data: st.DataObject) -> None:
    log = copy.deepcopy(data.draw(st.sampled_from(_legal(name))))
    for _ in range(data.draw(st.integers(1, 2))):
        slip(log, data)
    text = json.dumps(log).encode()
    explained = mended(text)
    for finding in explained.findings:
        if finding.edit is None:
            continue
        gone, brought = errors(explained), []
        for error in errors(explain(patched(text, finding.edit))):
            if error in gone:
                gone.remove(error)
            else:
                brought.append(error)
        assert finding.severity != ERROR or gone
        # a deal that stopped at what cannot be did not come to its end either
        assert {code for code, _ in brought} <= {"incomplete"}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_a_wrong_total_is_restored(name: str, data: st.DataObject) -> None:
    right = data.draw(st.sampled_from(_legal(name)))
    log = copy.deepcopy(right)
    deal = data.draw(st.sampled_from([deal for deal in log["deals"] if deal.get("points")]))
    deal["points"][data.draw(st.integers(0, len(deal["points"]) - 1))] += 10
    text = json.dumps(log).encode()
    assume(explain(text).findings)
    assert json.loads(preview(text).text) == right


CARD = re.compile(r"\d ([6-9TJQKA][shdc]|[bryk]\d+)")


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=60)
def test_the_seat_of_a_card_is_restored(name: str, data: st.DataObject) -> None:
    right = data.draw(st.sampled_from(_legal(name)))
    log = copy.deepcopy(right)
    deal = data.draw(st.sampled_from([deal for deal in log["deals"] if deal.get("actions")]))
    actions = deal["actions"]
    plays = [at for at, word in enumerate(actions) if CARD.fullmatch(word)]
    assume(plays)
    at = data.draw(st.sampled_from(plays))
    seat, _, word = actions[at].partition(" ")
    actions[at] = f"{int(seat) % len(log['players']) + 1} {word}"
    text = json.dumps(log).encode()
    edit = mended(text).findings[0].edit
    assert edit is not None
    assert json.loads(patched(text, edit)) == right


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("1 Kd", "1 Kh", True),
        ("1 Kd", "1 Qd", True),
        ("1 Kd", "1 Qh", False),
        ("1 bid 90s", "1 bid 95s", True),
        ("2 mariage-h", "2 mariage-h~", True),
        ("1 Kd", "1 Kd", False),
        ("1 b1", "1 b11", True),
    ],
)
def test_a_slip_of_the_pen_is_one_letter(one: str, other: str, near: bool) -> None:
    assert one_letter(one, other) == one_letter(other, one) == near
