"""Edits of cuts and times that leave only one possibility."""

import json
from typing import Any

import pytest

from ingest.autofix.text_edit import apply_all_edits, apply_edit
from ingest.findings.edit_texts import describe_edit
from ingest.findings.finding import Finding
from ingest.i18n import translator
from ingest.validate.slow_path import validate
from tests.ingest.test_autofix import Log, played_out, repaired

# the cut (CH-2): seat 2 dealt, so seat 2 cut the lowest card


def cut(*cuts: list[str]) -> Log:
    return played_out() | {"cuts": list(cuts)}


def after(log: Log, finding: Finding) -> Log:
    assert finding.edit is not None
    text = apply_edit(json.dumps(log).encode(), finding.edit)
    assert validate(text).findings == []
    result: Log = json.loads(text)
    return result


ONE_ANSWER = {
    "an attempt after the one that decided": ([["8s 7h", "9d Kc"]], [["8s 7h"]], "Remove: 9♦ K♣."),
    "an attempt written twice": ([["8s 7h", "8s 7h"]], [["8s 7h"]], "Remove: 8♠ 7♥."),
    "a card too many": ([["9d 7d Kc"]], [["9d 7d"]], "Write 9♦ 7♦."),
    "a cut written twice": ([["8s 7h"], ["Kc 7d"], ["Kc 7d"]], [["8s 7h"], ["Kc 7d"]], "Remove: K♣ 7♦."),
}


@pytest.mark.parametrize(("cuts", "right", "message"), ONE_ANSWER.values(), ids=ONE_ANSWER)
def test_ch_2_a_cut_that_can_have_been_one_alone_is_mended(
    cuts: list[list[str]], right: list[list[str]], message: str
) -> None:
    log = cut(*cuts)
    finding = repaired(log).findings[0]
    assert after(log, finding)["cuts"] == right
    assert describe_edit(translator("en"), finding) == message
    assert json.loads(apply_all_edits(json.dumps(log).encode()).text)["cuts"] == right


SEVERAL = {
    "both attempts name the dealer": [["8s 7h", "Kc 9d"]],
    "a tie came first, or was written too many": [["8s 7h", "8h 8s"]],
    "any higher or lower card would part them": [["7h 7s"]],
    "any card may be the one left out": [["8s"]],
    "any card may be the one nobody can read": [["Zz 7h"]],
    "either card may be the one too many": [["9d Kc 7d"]],
    "either cut may be the belle's": [["8s 7h"], ["Kc 7d"], ["7c 8d"]],
}


@pytest.mark.parametrize("cuts", SEVERAL.values(), ids=SEVERAL)
def test_ch_2_a_cut_that_several_slips_explain_is_left(cuts: list[list[str]]) -> None:
    found = repaired(cut(*cuts)).findings
    assert found
    assert [finding.edit for finding in found] == [None] * len(found)


def test_ch_2_of_two_attempts_the_dealer_tells_which_one_counted() -> None:
    """The edit of the cut is the one that also makes the dealer the right one."""
    wrong, dealer = repaired(cut(["8s 7h", "9d Kc"])).findings
    assert (wrong.code, dealer.code) == ("cut-repeated", "wrong-dealer")
    assert (dealer.follows, dealer.edit) == (0, None)
    assert wrong.edit is not None


def test_ch_2_a_dealer_the_cut_does_not_name_is_corrected() -> None:
    log = cut(["8s 7h"])
    log["deals"][0] |= {"dealer": 1, "actions": [], "void": "maldonne"}
    (finding,) = repaired(log).findings
    assert finding.code == "wrong-dealer"
    assert after(log, finding)["deals"][0]["dealer"] == 2


def test_ch_2_a_cut_against_the_dealer_the_play_proves_is_left() -> None:
    """Which of its cards was another is nowhere written."""
    (finding,) = repaired(cut(["7h 8s"])).findings
    assert (finding.code, finding.edit) == ("wrong-dealer", None)


@pytest.mark.slow
def test_what_three_hundred_wrong_cuts_may_cost_is_bounded() -> None:
    found = repaired(cut(["8s 7h"] * 301)).findings
    assert [finding.code for finding in found] == ["cut-repeated"] * 300


# times


def timed(change: Any) -> Log:
    """A deal whose actions were a second apart, and what became of its times."""
    log = played_out()
    times = [float(i) for i in range(len(log["deals"][0]["actions"]))]
    change(times)
    log["deals"][0]["times"] = times
    return log


@pytest.mark.parametrize("odd", [900.0, 1.0], ids=["from later", "from earlier"])
def test_a_time_too_many_that_is_out_of_order_is_left_out(odd: float) -> None:
    log = timed(lambda times: times.insert(5, odd))
    count, order = repaired(log).findings
    assert (count.code, order.code) == ("times-count", "times-order")
    assert count.edit == order.edit
    assert after(log, count)["deals"][0]["times"] == timed(lambda times: None)["deals"][0]["times"]
    assert describe_edit(translator("en"), count) == f"Remove time 6: {odd}."


AMBIGUOUS = {
    "any of them may be the one too many": lambda times: times.append(99.0),
    "the one before or the one after": lambda times: times.insert(6, 4.5),
    "nobody measured the one left out": lambda times: times.pop(),
    "the clock was anywhere between 4 and 6": lambda times: times.__setitem__(5, 1.0),
    "the last one has no bound": lambda times: times.__setitem__(-1, 1.0),
}


@pytest.mark.parametrize("change", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_a_time_that_is_not_certain_is_left(change: Any) -> None:
    found = repaired(timed(change)).findings
    assert found
    assert [finding.edit for finding in found] == [None] * len(found)


def test_a_time_between_two_that_are_the_same_is_certain() -> None:
    def together(times: list[float]) -> None:
        times[3:7] = [3.0, 3.0, 1.0, 3.0]

    log = timed(together)
    (finding,) = repaired(log).findings
    assert after(log, finding)["deals"][0]["times"][5] == 3.0
    assert describe_edit(translator("fr"), finding) == "Écrire 3.0."


def test_an_action_may_be_wrong_and_its_time_as_well() -> None:
    log = timed(lambda times: times.__setitem__(-1, 0.0))
    actions = log["deals"][0]["actions"]
    right = actions[-1]
    actions[-1] = f"{right.split()[0]} {actions[0].split()[-1]}"
    play, order = repaired(log).findings
    assert (play.code, play.action_index) == ("card-not-held", order.action_index)
    assert (order.code, order.edit) == ("times-order", None)
    assert play.edit is not None
    assert play.edit.value == right


def test_times_of_a_deal_that_has_an_action_too_many_are_left_to_the_play() -> None:
    log = timed(lambda times: times.insert(5, 900.0))
    actions = log["deals"][0]["actions"]
    actions.insert(5, actions[4])
    play, order = repaired(log).findings
    assert (play.code, order.code) == ("wrong-turn", "times-order")
    assert order.edit is None
    assert json.loads(apply_all_edits(json.dumps(log).encode()).text) == timed(lambda times: None)
