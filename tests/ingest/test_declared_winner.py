"""CH-23, CH-25, CO-14, CR-9: a winner at a seat that is not there, wherever a match breaks off."""

import io
import json
from functools import cache
from typing import Any

import pytest

from engine.games import game, names
from ingest import translator
from ingest.judge.batch import check_batch
from ingest.judge.decode import connection
from ingest.judge.explain import Explained, explain
from ingest.mend.search import mend
from ingest.text.files import stream_batches
from schemas.simulated import season


@cache
def begun(name: str) -> str:
    """The first deal of a match that goes on after it, with nothing declared."""
    (log,) = season(name, 1, 3)
    log["deals"] = log["deals"][:1]
    log.pop("result", None)
    return json.dumps(log)


def told(log: Any) -> Explained:
    """What the explanation finds, and the bulk side no less."""
    text = json.dumps(log).encode()
    explained = explain(text)
    (batch,) = stream_batches("a.jsonl", io.BytesIO(text))
    (report,) = check_batch(connection(), batch).reports()
    assert (report.status, report.findings) == (explained.status, explained.findings)
    mend(explained)
    return explained


def sides(log: Any) -> int:
    return game(log["game"]).sides(len(log["players"]))


@pytest.mark.parametrize("name", names())
def test_of_a_match_that_goes_on_any_seat_may_be_the_winner_s_but_none_beside(name: str) -> None:
    log = json.loads(begun(name))
    for winner in (None, *range(1, sides(log) + 1)):
        log["result"] = {"winner": winner}
        assert told(log).findings == []
    for winner in (sides(log) + 1, 5, -1, 2**40):
        log["result"] = {"winner": winner}
        (finding,) = told(log).findings
        assert (finding.code, finding.path) == ("result-differs", "/result/winner")
        assert (finding.legal, finding.edit, finding.follows) == (None, None, None)


@pytest.mark.parametrize("name", names())
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
            assert [one.code for one in told(log).findings] == broken
        deal["winner"] = 5
        first, *others = told(log).findings
        assert (first.code, first.path) == ("winner-differs", "/deals/0/winner")
        assert (first.legal, first.edit, first.follows) == (None, None, None)
        assert [one.code for one in others] == broken


def test_it_is_said_without_naming_another_winner() -> None:
    log = json.loads(begun("chouine")) | {"result": {"winner": 5}}
    finding = told(log).findings[0]
    said = finding.message(translator("en")), finding.message(translator("fr"))
    assert said == (
        "The sheet gives the match to seat 5, which there is not.",
        "La feuille donne la rencontre à la place 5, qui n’existe pas.",
    )


def test_a_match_without_a_deal_has_its_seats_all_the_same() -> None:
    log = json.loads(begun("chouine")) | {"deals": []}
    assert told(log | {"result": {"winner": 2}}).findings == []
    assert [one.code for one in told(log | {"result": {"winner": 3}}).findings] == [
        "result-differs"
    ]
