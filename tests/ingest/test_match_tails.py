"""A log that holds the tail of a match, with what the match stood at before (`start`)."""

import copy
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.games import game_names
from ingest.autofix.search import find_edits
from ingest.i18n import translator
from ingest.reader.files import Batch, MatchText
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.validate.batch import check_batch
from ingest.validate.slow_path import ValidationResult, validate
from schemas.match_models import match_models
from schemas.simulated import simulate_season
from tests.ingest.rows import rows_of

Log = dict[str, Any]
PAIRS = ("coinche", "belote")
DATA = Path(__file__).parents[2] / "data"
RULES: dict[str, list[tuple[dict[str, Any], int]]] = {
    "chouine": [({"parties": 3}, 2), ({"parties": 3, "manches": 1}, 2), ({"parties": 2}, 4)],
    "coinche": [({"target": 700}, 4)],
    "chouineurs": [({}, 3), ({}, 5)],
    "belote": [({"target": 400}, 4)],
}


def wholes(name: str) -> Iterator[Log]:
    """Matches from their first deal to their last, and those that ship."""
    for rules, players in RULES[name]:
        yield from simulate_season(name, 3, 40 + players, rules, players)
    for path in sorted(DATA.glob("*.json")):
        log = json.loads(path.read_bytes())
        if log["game"] == name and "??" not in json.dumps(log) and len(log["deals"]) > 1:
            yield log


def tails(log: Log, whole: ValidationResult) -> Iterator[tuple[int, Log]]:
    """Every tail of a match, by the deal it begins with."""
    none = [0] * len(whole.scores[0])
    of_manche = none
    for k in range(len(log["deals"])):
        score = whole.scores[k - 1] if k else none
        manche = whole.deal_positions[k][0]
        if not k or manche != whole.deal_positions[k - 1][0]:
            of_manche = score
        start: Log = {"score": score}
        if manche is not None:
            start["manche"] = manche
        if log["game"] == "belote":
            before = validate(json.dumps(log | {"deals": log["deals"][:k], "result": None}).encode())
            assert before.match_record is not None
            start["litige"] = int(before.match_record["waiting"])
        if log["game"] == "chouine":
            start["parties"] = [now - then for now, then in zip(score, of_manche, strict=True)]
        yield k, copy.deepcopy(log) | {"deals": log["deals"][k:], "start": start}


def both(logs: list[Log]) -> list[ValidationResult]:
    """What the explanation makes of logs; the bulk side and its rows no other."""
    texts = [MatchText(1, json.dumps(log).encode()) for log in logs]
    found = [validate(one.text) for one in texts]
    checked = check_batch(Batch("", texts, []))
    for place, one in checked.results.items():
        assert (one.status, one.findings) == (found[place].status, found[place].findings)
    vouched = [place for place in range(len(texts)) if place not in checked.results]
    assert all(found[place].findings == [] for place in vouched)
    alone = replace(checked, fast_path_groups=[], results={place: found[place] for place in vouched})
    bulk = replace(checked, results={})
    assert rows_of(bulk) == rows_of(alone)
    return found


def stood(one: ValidationResult) -> Log:
    """What a match came to: everything but which of its deals the log holds."""
    assert one.match_record is not None
    flow = {name: one.match_record[name].tolist() for name in one.match_record.dtype.names or ()}
    flow.pop("bids_unknown", None)  # a tail does not record which bid cards have left
    before = flow.pop("before", None)
    if before is not None:
        flow["manches"] = [sum(pair) for pair in zip(flow["manches"], before, strict=True)]
    return {name: value for name, value in flow.items() if name not in PASSED}


PASSED = {"under", "begun", "partie", "spent", "played"}
"""What a tail cannot know of the deals before it, and what says that it is one."""


@pytest.mark.parametrize("name", game_names())
@pytest.mark.slow
def test_ch_25_co_14_cr_9_a_tail_is_judged_as_the_end_of_the_whole_match(name: str) -> None:
    for log in wholes(name):
        whole = validate(json.dumps(log).encode())
        cut = [tail for _, tail in tails(log, whole)]
        if "cuts" in log:  # then the dealer of every manche is known as well
            cut += [{key: tail[key] for key in tail if key != "cuts"} for tail in cut]
        for place, one in enumerate(both(cut)):
            k = place % len(log["deals"])
            assert (one.status, one.findings) == (whole.status, whole.findings), (k, log["id"])
            assert one.scores == whole.scores[k:]
            assert one.deal_positions == whole.deal_positions[k:]
            now, then = stood(one), stood(whole)
            for seat in ("first_dealer", "highest", "belle_dealer"):
                if now.get(seat) == -1:  # no cut in this tail, or dealt before it
                    then[seat] = -1
            assert now == then


@pytest.mark.parametrize("name", game_names())
def test_a_start_that_is_wrong_is_found_where_the_result_contradicts_it(name: str) -> None:
    rules, players = RULES[name][0]
    (log,) = simulate_season(name, 1, 5, rules, players)
    whole = validate(json.dumps(log).encode())
    wrong = []
    for _, tail in tails(log, whole):
        for seat, result in enumerate(tail["start"]["score"]):
            score = list(tail["start"]["score"])
            score[seat] = result + (10 if name == "coinche" else 1)
            wrong.append(tail | {"start": tail["start"] | {"score": score}})
    for one in both(wrong):
        codes = {finding.code for finding in one.findings}
        assert codes & {"score-differs", "start-impossible"}, one.findings


def test_ch_30_under_the_table_follows_from_the_parties_before() -> None:
    (log,) = simulate_season("chouine", 1, 5, {"parties": 1, "manches": 1}, 2)
    winner = log["deals"][-1]["winner"] - 1
    log["rules"]["parties"] = 3
    log.pop("result")
    log.pop("cuts", None)
    log["deals"] = log["deals"][-1:]
    for other in (0, 1):
        parties = [other, other]
        parties[winner] = 2
        log["start"] = {"score": parties}
        (one,) = both([log])
        assert one.status == "legal"
        assert one.match_record is not None
        assert (one.match_record["over"], one.match_record["winner"]) == (1, winner)
        assert one.match_record["under"][winner] == (other == 0)


def test_co_15_with_the_marks_before_it_a_stop_is_judged_in_the_first_deal_of_a_log() -> None:
    log = json.loads((DATA / "match-coinche.json").read_bytes())
    assert log["deals"][-1]["actions"][-1].endswith(" won")
    whole = validate(json.dumps(log).encode())
    *_, (_, tail) = tails(log, whole)
    assert whole.match_record is not None
    side = (int(log["deals"][-1]["actions"][-1][0]) - 1) % 2
    assert whole.match_record["winner"] == side
    right, short, no_start = tail, copy.deepcopy(tail), copy.deepcopy(tail)
    short["start"]["score"][side] = 0
    for one in (short, no_start):
        one.pop("result")
        one["deals"][0].pop("points", None)
        one["deals"][0].pop("winner", None)
    del no_start["start"]
    winners = [int(one.match_record["winner"]) for one in both([right, short, no_start]) if one.match_record]
    assert winners == [side, 1 - side, -1]


def test_an_edit_is_tried_in_the_match_as_it_stood() -> None:
    (log,) = simulate_season("chouine", 1, 5, {"parties": 2}, 2)
    whole = validate(json.dumps(log).encode())
    _, tail = next(one for one in tails(log, whole) if one[1]["start"]["manche"] == 2)
    tail["deals"][0]["manche"] = 1
    (one,) = both([tail])
    find_edits(one)
    (finding,) = one.findings
    assert (finding.code, finding.legal) == ("manche-differs", 2)
    assert finding.edit is not None
    assert finding.edit.value == 2


@pytest.mark.slow
def test_a_stored_tail_has_the_score_and_the_winner_of_its_match(tmp_path: Path) -> None:
    (log,) = simulate_season("chouine", 1, 5, {"parties": 2}, 2)
    whole = validate(json.dumps(log).encode())
    manches = [manche or 0 for manche, _ in whole.deal_positions]
    assert set(manches) > {1}
    wanted = [
        "SELECT winning_side FROM matches",
        "SELECT seat, score FROM seats ORDER BY seat",
        "SELECT manche, partie, winning_side FROM deals ORDER BY deal_index DESC LIMIT 2",
    ]
    found = []
    *_, (_, tail) = (one for one in tails(log, whole) if len(one[1]["deals"]) == 2)
    for number, one in enumerate((log, tail)):
        with Store(tmp_path / f"{number}.duckdb") as store:
            list(ingest(store, [("a.json", io.BytesIO(json.dumps(one).encode()))]))
            cursor = store.cursor()
            found.append([cursor.execute(query).fetchall() for query in wanted])
            won = cursor.execute("SELECT sum(manches)::INTEGER FROM seats").fetchall()
            assert won == [(manches[-1] - (manches[-2] - 1 if number else 0),)]
    assert found[0] == found[1]


IMPOSSIBLE: dict[str, list[tuple[Log, str]]] = {
    "chouine": [
        ({"score": [1]}, "/start/score"),
        ({"score": [-1, 0]}, "/start/score/0"),
        ({"score": [0, 3]}, "/start/score/1"),  # the manche would be won
        ({"score": [1, 1], "manche": 0}, "/start/manche"),
        ({"score": [1, 1], "manche": 4, "parties": [0, 0]}, "/start/manche"),
        ({"score": [3, 1], "manche": 2}, "/start"),
        ({"score": [3, 1], "manche": 2, "parties": [0, 2]}, "/start/score"),
        ({"score": [1, 1], "parties": []}, "/start/parties"),
        ({"score": [2, 2], "manche": 2, "parties": [0, 0]}, "/start/score"),
        ({"score": [6, 0], "manche": 3, "parties": [0, 0]}, "/start/score"),
        ({"score": [3, 1], "manche": 2, "parties": [0, 0, 0]}, "/start/parties"),
        ({"score": [2**40, 1], "manche": 2, "parties": [0, 0]}, "/start/score/0"),
    ],
    "coinche": [
        ({"score": [700, 0]}, "/start/score/0"),
        ({"score": [0, -10]}, "/start/score/1"),
        ({"score": [0, 0, 0, 0]}, "/start/score"),
    ],
    "chouineurs": [
        ({"score": [1, 0, 0], "manche": 1}, "/start/score/0"),
        ({"score": [1, 0, 0], "manche": 5}, "/start/manche"),
        ({"score": [1, 0], "manche": 2}, "/start/score"),
        ({"score": [1, 10**6, 0], "manche": 2}, "/start/score/1"),
    ],
    "belote": [
        ({"score": [0, 0], "litige": -1}, "/start/litige"),
        ({"score": [0, -10]}, "/start/score/1"),
        ({"score": [0, 0, 0, 0]}, "/start/score"),
    ],
}


@pytest.mark.parametrize("name", game_names())
def test_what_no_match_stands_at_is_reported_and_nothing_is_counted_from_it(name: str) -> None:
    rules, players = RULES[name][0]
    (log,) = simulate_season(name, 1, 5, rules, players)
    cases = [log | {"start": start} for start, _ in IMPOSSIBLE[name]]
    for one, (_, path) in zip(both(cases), IMPOSSIBLE[name], strict=True):
        assert [(found.code, found.path) for found in one.findings] == [("start-impossible", path)]
        assert one.status == "irregular"
        assert one.match_record is not None
        assert not one.match_record["over"]
        for language in ("fr", "en"):
            assert "None" not in one.findings[0].message(translator(language))


@pytest.mark.parametrize("name", game_names())
def test_the_types_of_a_start_are_those_of_the_format(name: str) -> None:
    rules, players = RULES[name][0]
    (log,) = simulate_season(name, 1, 5, rules, players)
    good: Log = {"score": [0] * (2 if name in PAIRS else players)}
    good |= {"manche": 1} if name == "chouineurs" else {}
    spoilt: list[Any] = [None, {}, [], "0", {"score": None}, {"score": [None]}, {"score": ["0"]}]
    found = both([log | {"start": start} for start in [*spoilt, good | {"score": [0.5, 0]}]])
    statuses = [one.status for one in found]
    assert statuses == ["legal"] + ["unreadable"] * len(spoilt)  # null is as nothing told
    (one,) = both([log | {"start": good | {"marks": 3}}])
    assert [(finding.code, finding.path) for finding in one.findings] == [("unknown-key", "/start/marks")]
    model = match_models()[name]
    whole = model.model_validate(log | {"start": good})
    assert model.model_validate_json(whole.model_dump_json()) == whole
