"""CH-23, CH-25, CO-14, CR-9: a winner that cannot be, wherever a match breaks off: at a
seat that is not there, or with a score nobody wins with.
"""

import io
import json
from functools import cache
from typing import Any

import pytest

from engine.games import game, game_names
from ingest import translator
from ingest.autofix.search import find_edits
from ingest.reader.files import stream_batches
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season


@cache
def begun(name: str) -> str:
    """The first deal of a match that goes on after it, with nothing declared."""
    (log,) = simulate_season(name, 1, 3)
    log["deals"] = log["deals"][:1]
    log.pop("result", None)
    return json.dumps(log)


def checked(log: Any) -> ValidationResult:
    """What the explanation finds, and the bulk side no less."""
    text = json.dumps(log).encode()
    explained = validate(text)
    (batch,) = stream_batches("a.jsonl", io.BytesIO(text))
    (report,) = check_batch(batch).reports()
    assert (report.status, report.findings) == (explained.status, explained.findings)
    find_edits(explained)
    return explained


def sides(log: Any) -> int:
    return game(log["game"]).side_count(len(log["players"]))


@pytest.mark.parametrize("name", game_names())
def test_of_a_match_that_goes_on_any_seat_may_be_the_winner_s_but_none_beside(name: str) -> None:
    log = json.loads(begun(name))
    for winner in (None, *range(1, sides(log) + 1)):
        log["result"] = {"winner": winner}
        assert checked(log).findings == []
    for winner in (sides(log) + 1, 5, -1, 2**40):
        log["result"] = {"winner": winner}
        (finding,) = checked(log).findings
        assert (finding.code, finding.path) == ("result-differs", "/result/winner")
        assert (finding.legal, finding.edit, finding.follows) == (None, None, None)


@pytest.mark.parametrize("name", game_names())
def test_of_a_deal_that_breaks_off_too(name: str) -> None:
    log = json.loads(begun(name))
    deal = log["deals"][0]
    deal["actions"] = deal["actions"][:6]
    deal.pop("points", None)
    deal.pop("times", None)
    for void in (None, "abandoned"):
        deal["void"] = void
        broken = [] if void else ["incomplete"]
        for winner in range(1, sides(log) + 1):
            deal["winner"] = winner
            assert [one.code for one in checked(log).findings] == broken
        deal["winner"] = 5
        first, *others = checked(log).findings
        assert (first.code, first.path) == ("winner-differs", "/deals/0/winner")
        assert (first.legal, first.edit, first.follows) == (None, None, None)
        assert [one.code for one in others] == broken


def test_it_is_reported_without_naming_another_winner() -> None:
    log = json.loads(begun("chouine")) | {"result": {"winner": 5}}
    finding = checked(log).findings[0]
    values = finding.message(translator("en")), finding.message(translator("fr"))
    assert values == (
        "Recorded winner of the match: seat 5, which does not exist.",
        "Gagnant noté pour la rencontre\u00a0: la place 5, qui n’existe pas.",
    )


def test_a_match_without_a_deal_has_its_seats_all_the_same() -> None:
    log = json.loads(begun("chouine")) | {"deals": []}
    assert [one.code for one in checked(log | {"result": {"winner": 2}}).findings] == ["result-only"]
    assert [one.code for one in checked(log | {"result": {"winner": 3}}).findings] == ["result-sides"]


# the score and the winner of a match of which only the result is known

CANNOT_BE: dict[str, list[tuple[Any, list[int], int]]] = {
    "chouine": [
        ({"manches": 1, "parties": 5}, [4, 5], 1),
        ({"manches": 2, "parties": 5}, [9, 11], 1),
        ({"manches": 2, "parties": 5}, [1, 2], 1),
    ],
    "coinche": [({}, [1990, 2000], 1), ({"target": 500}, [490, 700], 1)],
    "chouineurs": [({}, [40, 39, 41], 1), ({}, [40, 41, 41], 1)],
    "belote": [({"target": 1000}, [990, 1000], 1), ({"target": 500}, [490, 700], 1)],
}
MAY_BE: dict[str, list[tuple[Any, list[int], int]]] = {
    "chouine": [
        ({"manches": 1, "parties": 5}, [5, 4], 1),
        ({"manches": 2, "parties": 5}, [10, 13], 1),  # 5-4, 0-5, 5-4
        ({"manches": 2, "parties": 5}, [2, 1], 1),  # manches
    ],
    "coinche": [
        ({}, [1990, 1995], 1),  # the other side stopped too soon (CO-15)
        ({}, [2010, 2100], 1),  # both reached it, and the declarers win
        ({"target": 2500}, [1990, 2100], 1),
    ],
    "chouineurs": [({}, [41, 41, 40], 1), ({}, [41, 3, 40], 1)],
    "belote": [
        ({"target": 1000}, [1010, 1019], 1),  # the other side got there by a belote alone (BE-22)
        ({"target": 500}, [700, 490], 1),
    ],
}


def unfinished(name: str, rules: Any, score: list[int], winner: int) -> Any:
    """A match that holds no deal of its own, with a result."""
    log = json.loads(begun(name))
    players = log["players"][: len(score)] if name not in ("coinche", "belote") else log["players"]
    return log | {
        "players": [*players, {"id": "x"}, {"id": "y"}][: max(len(score), len(players))],
        "rules": rules,
        "deals": [],
        "result": {"score": score, "winner": winner},
    }


@pytest.mark.parametrize("name", CANNOT_BE)
def test_ch_25_co_14_cr_9_a_result_that_contradicts_itself_is_found_in_any_match(name: str) -> None:
    for case in CANNOT_BE[name]:
        log = unfinished(name, *case)
        (finding,) = checked(log).findings
        assert (finding.code, finding.path) == ("result-contradicts", "/result/winner")
        assert (finding.legal, finding.edit, finding.follows) == (None, None, None)
    for case in MAY_BE[name]:
        assert [one.code for one in checked(unfinished(name, *case)).findings] == ["result-only"]


@pytest.mark.parametrize(("manches", "score"), [(1, [5, 5]), (1, [6, 7]), (1, [3, 3]), (2, [9, 9])])
def test_ch_25_a_score_that_no_match_ends_with_is_found(manches: int, score: list[int]) -> None:
    (finding,) = checked(unfinished("chouine", {"manches": manches, "parties": 5}, score, 1)).findings
    assert (finding.code, finding.path) == ("result-impossible", "/result/score")


def test_a_contradiction_is_reported_with_the_score() -> None:
    log = unfinished("coinche", {}, [1990, 2000], 1)
    finding = checked(log).findings[0]
    sides = " + ".join(player["name"] for player in log["players"][::2])
    values = finding.message(translator("en")), finding.message(translator("fr"))
    assert values == (
        f"Recorded winner of the match: {sides}, with the score 1990, 2000. No match can end like this.",
        f"Gagnant noté pour la rencontre\u00a0: {sides}, sur le score 1990, 2000. "
        "Aucune rencontre ne peut finir ainsi.",
    )


@pytest.mark.parametrize("name", game_names())
def test_it_is_found_after_deals_too_and_the_bulk_side_says_no(name: str) -> None:
    log = json.loads(begun(name))
    high = {"chouine": 9, "coinche": 2500, "chouineurs": 99, "belote": 2500}[name]
    log["result"] = {"score": [high] + [5] * (sides(log) - 1), "winner": 2}
    codes = [one.code for one in checked(log).findings]
    assert "result-contradicts" in codes
