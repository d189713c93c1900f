"""Endgame values on the board: those of `solve`, as soon as they are computed."""

import json
import threading
from collections.abc import Sequence
from io import BytesIO
from itertools import pairwise
from typing import Any

import pytest

from dashboard.board import solver_thread
from dashboard.board.solver_thread import MAX_WORST_CARDS, deal_value
from dashboard.board.states import deal_states
from engine.solver_results import EndgameReport
from ingest import solve
from ingest.i18n import translator
from ingest.validate.slow_path import ValidationResult, validate
from ingest.validate.solver_report import NOT_SOLVED_REASONS, SolvedDeal, solved_deals, warm_up_jit
from tests.dashboard.conftest import FAUTES, documents, simulated

ENGLISH = translator("en", "dashboard")


def log_of(match: dict[str, Any]) -> ValidationResult:
    return validate(json.dumps(match).encode())


MATCHES = (
    *documents()[:2],
    *(simulated(game, rules, 4)[0] for game, rules in (("coinche", "tournoi-2018"), ("belote", "coinchee"))),
)


@pytest.fixture(params=MATCHES, ids=lambda match: match["id"])
def solved(request: pytest.FixtureRequest) -> tuple[ValidationResult, Sequence[SolvedDeal]]:
    log = log_of(request.param)
    return log, tuple(solved_deals(log, "", 1))


def values_of(log: ValidationResult, deal: int, deals: Sequence[SolvedDeal]) -> dict[str, Any]:
    found = deal_value(log, deal, ENGLISH, deals)
    assert found is not None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("match", MATCHES, ids=lambda match: match["id"])
def test_the_board_has_the_numbers_of_solve(match: dict[str, Any]) -> None:
    log = log_of(match)
    deals = tuple(solved_deals(log, "", 1))
    for one in solve(("m.json", BytesIO(json.dumps(match).encode()))):
        shown = values_of(log, one.deal_index, deals)
        assert isinstance(one.solved, EndgameReport)
        assert shown["from"] == one.solved.first_action
        assert shown["turning"] == (
            None if one.solved.turning_action is None else one.solved.turning_action + 1
        )
        lost = {play.action + 1: play.lost for play in one.solved.plays}
        assert {ply: play["lost"] for ply, play in shown["plays"].items()} == lost
        assert [line["at"] for line in shown["lines"]] == [ply for ply, n in lost.items() if n]


@pytest.mark.slow
def test_the_line_ends_at_what_the_deal_came_to(
    solved: tuple[ValidationResult, Sequence[SolvedDeal]],
) -> None:
    log, deals = solved
    for deal, replay in enumerate(log.replays):
        shown = values_of(log, deal, deals)
        assert replay is not None
        assert len(shown["margins"]) == len(replay) - shown["from"]
        if replay.game.name == "chouine" and replay.last.is_over:
            one, other = replay.last.points
            assert shown["margins"][-1] == int(one) - int(other)


@pytest.mark.slow
def test_each_step_of_the_line_is_what_a_card_lost(
    solved: tuple[ValidationResult, Sequence[SolvedDeal]],
) -> None:
    log, deals = solved
    for deal in range(len(deals)):
        shown = values_of(log, deal, deals)
        for at, (before, after) in enumerate(pairwise(shown["margins"])):
            play = shown["plays"].get(shown["from"] + at + 1, {"lost": 0})
            assert abs(after - before) == play["lost"]


@pytest.mark.slow
def test_what_held_it_goes_on_from_the_turn_to_the_end_of_the_deal(
    solved: tuple[ValidationResult, Sequence[SolvedDeal]],
) -> None:
    log, deals = solved
    seen = 0
    for deal, one in enumerate(deals):
        shown = values_of(log, deal, deals)
        played = deal_states(log, deal, ENGLISH)
        assert played is not None
        assert isinstance(one.solved, EndgameReport)
        for line in shown["lines"]:
            seen += 1
            before = played["plies"][line["from"]]
            first, last = line["plies"][0], line["plies"][-1]
            assert first["actor"] in before["turns"]
            assert first["card"] is None or first["card"] in before["legal"]
            assert all(seat["hand"] == [] for seat in last["seats"])
            assert line["tricks"][-1]["ply"] == line["from"] + len(line["plies"])
    assert seen


@pytest.mark.slow
def test_a_forced_card_says_nothing_and_equals_are_named(
    solved: tuple[ValidationResult, Sequence[SolvedDeal]],
) -> None:
    log, deals = solved
    for deal, one in enumerate(deals):
        shown = values_of(log, deal, deals)
        played = deal_states(log, deal, ENGLISH)
        assert played is not None
        assert isinstance(one.solved, EndgameReport)
        for play in one.solved.plays:
            result = shown["plays"][play.action + 1]["text"]
            choice = len(played["plies"][play.action]["legal"]) > 1
            if not play.lost:
                assert bool(result) == choice
                assert result.startswith("equally good: ") == (choice and len(play.best_cards) > 1)
            else:
                assert result.startswith(f"lost: {play.lost} – ")


def test_the_dearest_cards_of_the_match_come_first(
    solved: tuple[ValidationResult, Sequence[SolvedDeal]],
) -> None:
    log, deals = solved
    lost = [
        play.lost
        for one in deals
        if isinstance(one.solved, EndgameReport)
        for play in one.solved.plays
        if play.lost
    ]
    worst = values_of(log, 0, deals)["worst"]
    assert [one["lost"] for one in worst] == [
        f"lost: {n}" for n in sorted(lost, reverse=True)[:MAX_WORST_CARDS]
    ]
    for one in worst:
        assert values_of(log, one["deal"] - 1, deals)["plays"][one["ply"]]["lost"]


def test_a_deal_that_is_not_solved_says_why() -> None:
    log = log_of(simulated("chouine", "lavardin", 3)[0])
    shown = values_of(log, 0, tuple(solved_deals(log, "", 1)))
    assert shown["reason"] == ENGLISH(NOT_SOLVED_REASONS["players"], found="3")
    assert (shown["from"], shown["plays"], shown["lines"], shown["worst"]) == (None, {}, [], [])


def test_cr_7_where_cards_are_bid_it_is_reported_which_would_have_given_most() -> None:
    log = log_of(simulated("chouineurs", "blam", 2)[0])
    deals = tuple(solved_deals(log, "", 1))
    shown = values_of(log, 0, deals)
    assert log.match is not None
    names = [player.display_name for player in log.match.players]
    items = shown["bids"].split(" · ")
    assert items == list(deals[0].bid_lines(ENGLISH, names))
    assert [one.split(":")[0] for one in items] == names
    assert (shown["reason"], shown["from"], shown["worst"]) == ("", None, [])


def test_nothing_is_solved_from_a_fault_on() -> None:
    log = validate((FAUTES / "must-follow.json").read_bytes())
    shown = values_of(log, 0, tuple(solved_deals(log, "", 1)))
    assert shown["from"] is None
    assert shown["reason"]


def test_a_question_before_it_is_solved_is_answered_with_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    requested = threading.Event()

    def slowly(game: Any) -> None:
        assert requested.wait(60)
        warm_up_jit(game)

    monkeypatch.setattr(solver_thread, "warm_up_jit", slowly)
    log = log_of(documents()[3])
    first = deal_value(log, 0, ENGLISH)
    requested.set()
    assert first is not None
    assert first["waiting"]
    assert (first["plays"], first["worst"]) == ({}, [])
    assert solver_thread.solve_match(log, wait_seconds=60) is not None
    then = deal_value(log, 0, ENGLISH)
    assert then is not None
    assert not then["waiting"]
    assert then == values_of(log, 0, tuple(solved_deals(log, "", 1)))
