"""A match of which only the result is known: no deal, no card, but who won."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.i18n import translator
from ingest.importers.merge_logs import LogSource, MatchLog, merge_logs
from ingest.store.factory import Store
from ingest.store.ingest_files import FileReport, ingest
from ingest.store.ingest_summary import summarize
from ingest.store.match_comparison import Relation
from ingest.store.ratings import LEGAL_LADDER, SHEET_LADDER, refresh_ratings
from ingest.store.revalidate import revalidate_matches
from ingest.store.verify import verify_store
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season

Log = dict[str, Any]
NAMES = ("lucie", "marcel", "odile", "gaston")


def result_log(game: str, players: int, result: Any, **keys: Any) -> Log:
    head = {"format": "retourne/1", "game": game, "played_at": "2026-04-12T20:00:00+02:00"}
    return {**head, "players": [{"id": one} for one in NAMES[:players]], "result": result, **keys}


def checked(game: str, players: int, result: Any, **keys: Any) -> ValidationResult:
    return validate(json.dumps(result_log(game, players, result, **keys)).encode())


def codes(found: ValidationResult) -> list[str]:
    return [one.code for one in found.findings]


def winner(found: ValidationResult) -> int | None:
    """The winner from 1, 0 for a draw; None: unknown."""
    assert found.match_record is not None
    return int(found.match_record["winner"]) + 1 if found.match_record["over"] else None


@pytest.mark.parametrize(
    ("game", "players", "result", "won"),
    [
        ("chouine", 2, {"score": [3, 1]}, 1),
        ("chouine", 2, {"score": [1, 3], "winner": 2}, 2),
        ("chouine", 3, {"score": [2, 5, 4]}, 2),
        ("coinche", 4, {"score": [1480, 2010]}, 2),
        ("coinche", 4, {"score": [1010, 870]}, 1),
        ("coinche", 4, {"winner": 1}, 1),
        ("chouineurs", 4, {"score": [20, 31, 30, 12]}, 2),
        ("chouine", 2, {"score": [2, 2], "winner": 0}, 0),
    ],
)
def test_a_result_without_deals_has_the_verdict_result_only(
    game: str, players: int, result: Any, won: int
) -> None:
    found = checked(game, players, result)
    assert (found.status, codes(found), winner(found)) == ("result-only", ["result-only"], won)


def test_empty_deals_are_no_deals() -> None:
    assert checked("coinche", 4, {"winner": 2}, deals=[]).status == "result-only"


@pytest.mark.parametrize("result", [None, {}, {"winner": None}, {"score": []}])
def test_without_deals_a_match_has_a_score_or_a_winner(result: Any) -> None:
    found = checked("chouine", 2, result)
    assert found.status == "unreadable"
    [finding] = found.findings
    assert (finding.code, finding.path) == ("schema", "/deals")


def test_a_match_with_deals_is_no_result_alone() -> None:
    log = json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3)))))
    assert validate(json.dumps(log).encode()).status == "legal"


@pytest.mark.parametrize(
    ("game", "players", "result", "code", "path"),
    [
        ("chouine", 2, {"score": [3, 1, 0]}, "result-sides", "/result/score"),
        ("coinche", 4, {"score": [2000, 500, 2000, 500]}, "result-sides", "/result/score"),
        ("coinche", 4, {"winner": 3}, "result-sides", "/result/winner"),
        ("chouine", 2, {"winner": -1}, "result-sides", "/result/winner"),
        ("chouine", 2, {"score": [-1, 3]}, "result-impossible", "/result/score"),
        ("chouine", 2, {"score": [3, 20_001]}, "result-impossible", "/result/score"),
        ("chouine", 2, {"score": [3, 1], "winner": 2}, "result-contradicts", "/result/winner"),
        ("chouine", 2, {"score": [3, 1], "winner": None}, "result-contradicts", "/result/winner"),
        ("chouineurs", 3, {"score": [9, 8, 7], "winner": 2}, "result-contradicts", "/result/winner"),
        ("coinche", 4, {"score": [2010, 990], "winner": 2}, "result-contradicts", "/result/winner"),
    ],
)
def test_a_result_that_cannot_be_is_irregular(
    game: str, players: int, result: Any, code: str, path: str
) -> None:
    found = checked(game, players, result)
    assert found.status == "irregular"
    [finding] = found.findings
    assert (finding.code, finding.path, winner(found)) == (code, path, None)


@pytest.mark.parametrize(
    ("players", "score", "won"),
    [(2, [2, 1], 1), (2, [12, 9], 1), (2, [9, 13], 2), (3, [5, 2, 1], 1), (3, [0, 1, 0], None)],
)
def test_ch_25_a_score_counts_manches_or_parties(players: int, score: list[int], won: int | None) -> None:
    found = checked("chouine", players, {"score": score}, rules="lavardin")
    assert winner(found) == won
    assert codes(found) == (["result-only"] if won else ["result-impossible"])


def test_only_rules_that_the_log_names_are_held_against_its_score() -> None:
    assert codes(checked("chouine", 2, {"score": [3, 1]}, rules="lavardin")) == ["result-impossible"]
    assert codes(checked("chouine", 2, {"score": [3, 1]})) == ["result-only"]


def test_co_14_if_both_teams_reach_the_target_the_score_leaves_the_winner_open() -> None:
    found = checked("coinche", 4, {"score": [2050, 2110]}, rules="tournoi-2018")
    assert (found.status, codes(found), winner(found)) == ("result-only", ["result-open"], None)
    named = checked("coinche", 4, {"score": [2050, 2110], "winner": 1}, rules="tournoi-2018")
    assert (codes(named), winner(named)) == (["result-only"], 1)


@pytest.mark.parametrize("game", ["chouine", "chouineurs"])
def test_equal_scores_leave_the_winner_open(game: str) -> None:
    found = checked(game, 2, {"score": [2, 2]})
    assert (codes(found), winner(found)) == (["result-open"], None)


def test_findings_of_results_read_in_french() -> None:
    t = translator("fr")
    found = checked("chouine", 2, {"score": [3, 1, 0], "winner": 5}).findings
    assert [one.message(t) for one in found] == [
        "Score noté : 3, 1, 0 ; il faut 2 nombres, un par joueur ou équipe.",
        "Place ou équipe 5 inconnue. Au choix : de 1 à 2.",
    ]


# the store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "s.duckdb") as store:
        yield store


def add(store: Store, *logs: Log, name: str = "results.jsonl") -> FileReport:
    text = "\n".join(map(json.dumps, logs)).encode()
    [report] = ingest(store, [(name, io.BytesIO(text))])
    return report


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    return store.cursor().execute(query).fetchall()


EVENING = (
    result_log("chouine", 2, {"score": [3, 1]}),
    result_log("coinche", 4, {"score": [1480, 2010]}),
    result_log("coinche", 4, {"winner": 1}),
    result_log("chouine", 2, {"score": [3, 1], "winner": 2}),
)


def test_results_are_stored_as_matches_without_deals(store: Store) -> None:
    report = add(store, *EVENING)
    assert (report.added, report.by_status) == (4, {"result-only": 3, "irregular": 1, "legal": 0})
    columns = "status::VARCHAR, deals, winning_side, is_score_sheet, result_only, findings"
    assert sorted(rows(store, f"SELECT game, {columns} FROM matches")) == [
        ("chouine", "irregular", 0, None, False, True, 1),
        ("chouine", "result-only", 0, 1, True, True, 1),
        ("coinche", "result-only", 0, 1, True, True, 1),
        ("coinche", "result-only", 0, 2, True, True, 1),
    ]
    seats = """SELECT list(score ORDER BY seat), list(manches ORDER BY seat)
        FROM seats JOIN matches USING (match_no) WHERE is_score_sheet GROUP BY match_no ORDER BY match_no"""
    assert rows(store, seats) == [
        ([3, 1], [None, None]),
        ([1480, 2010, 1480, 2010], [None] * 4),
        ([None] * 4, [None] * 4),
    ]
    for table in ("deals", "deal_seats", "announcements", "match_deals", "match_seats"):
        assert rows(store, f"SELECT count(*) FROM {table}") == [(0,)]
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []


def test_a_played_match_is_no_result_alone(store: Store) -> None:
    add(store, json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3))))))
    assert rows(store, "SELECT is_score_sheet, result_only FROM matches") == [(False, False)]


def test_results_count_on_ladders_with_score_sheets_alone(store: Store) -> None:
    add(store, *EVENING)
    refresh_ratings(store)
    assert rows(store, f"SELECT count(*) FROM {LEGAL_LADDER.table}") == [(0,)]
    per_match = "list((seat, rank) ORDER BY seat)"
    ladder = f"SELECT game, {per_match} FROM {SHEET_LADDER.table} GROUP BY game, match_index"
    assert sorted(rows(store, ladder)) == [
        ("chouine", [(1, 1), (2, 2)]),
        ("coinche", [(1, 1), (2, 3), (3, 1), (4, 3)]),
        ("coinche", [(1, 3), (2, 1), (3, 3), (4, 1)]),
    ]


def test_points_rank_the_others_of_a_result(store: Store) -> None:
    add(store, result_log("chouineurs", 4, {"score": [20, 31, 30, 20]}))
    refresh_ratings(store)
    assert rows(store, f"SELECT rank FROM {SHEET_LADDER.table} ORDER BY seat") == [(3,), (1,), (2,), (3,)]


def test_a_result_without_a_winner_is_not_rated(store: Store) -> None:
    add(store, result_log("chouine", 2, {"score": [2, 2]}))
    refresh_ratings(store)
    assert rows(store, f"SELECT count(*) FROM {SHEET_LADDER.table}") == [(0,)]


def test_the_same_result_file_again_adds_nothing(store: Store) -> None:
    add(store, *EVENING)
    report = add(store, *EVENING, name="again.jsonl")
    assert (report.added, report.duplicates, report.relations) == (0, 4, {})


def test_two_equal_results_of_one_file_are_two_matches(store: Store) -> None:
    first, second = (result_log("chouine", 2, {"score": [3, 1]}, event={"round": one}) for one in "12")
    report = add(store, first, second)
    assert (report.added, report.relations) == (2, {})


def test_an_equal_result_of_another_file_is_stored_and_proposed_as_the_same(store: Store) -> None:
    add(store, result_log("chouine", 2, {"score": [3, 1]}))
    report = add(store, result_log("chouine", 2, {"score": [3, 1]}, event={"name": "Soirée"}))
    assert (report.added, report.relations) == (1, {Relation.SAME_RESULT: 1})
    other = add(store, result_log("chouine", 2, {"score": [3, 2]}, event={"name": "Soirée"}))
    assert (other.added, other.relations) == (1, {})


def test_a_corrected_result_of_one_id_is_a_conflict(store: Store) -> None:
    add(store, result_log("chouine", 2, {"score": [3, 1]}, id="evening-4"))
    report = add(store, result_log("chouine", 2, {"score": [3, 2]}, id="evening-4"))
    assert (report.added, report.relations) == (0, {Relation.CONFLICT: 1})


def test_the_log_of_a_match_counts_instead_of_its_result(store: Store) -> None:
    log = json.loads(json.dumps(next(iter(simulate_season("chouine", 1, 3))))) | {"id": "evening-1"}
    head = {key: log[key] for key in ("format", "game", "players", "played_at", "id")}
    add(store, log)
    report = add(store, head | {"result": {"winner": 1}})
    [found] = report.related
    assert (found.duplicate.relation, found.duplicate.log_counts) == (Relation.SHEET_OF_LOG, True)
    assert rows(store, "SELECT count(*) FROM sheet_with_log") == [(1,)]


def test_results_count_as_added(store: Store) -> None:
    parts = summarize([add(store, *EVENING)])
    assert (parts.added.n, parts.added.details) == (3, {"results only: {n}": 3})
    assert (parts.stored_with_findings.n, dict(parts.stored_with_findings.verdicts)) == (1, {"irregular": 1})


PARTIAL = {"dealer": 1, "actions": ["2 bid 90h", "3 pass", "4 pass", "1 pass", "2 Ac", "3 7c"]}
"""A deal of Coinche that nobody noted to its end."""


@pytest.mark.parametrize(
    ("deals", "result", "stored", "scores"),
    [
        ([PARTIAL], {"winner": 2}, ("incomplete", 0, 2, True, True), [None] * 4),
        (
            [{**PARTIAL, "points": [70, 180]}, {"dealer": 2, "points": [250, 0]}],
            None,
            ("incomplete", 2, None, True, False),
            [320, 180, 320, 180],
        ),
        (
            [PARTIAL, {"dealer": 2, "points": [250, 0]}],
            None,
            ("incomplete", 2, None, False, False),
            [250, 0, 250, 0],
        ),
        ([{**PARTIAL, "points": [1000, 90]}], None, ("incomplete", 1, None, False, False), [0] * 4),
        ([PARTIAL], {"score": [870, 2010], "winner": 1}, ("incomplete", 1, None, False, False), [0] * 4),
    ],
)
def test_a_deal_noted_in_part_counts_by_its_result_alone(
    store: Store, deals: list[Log], result: Any, stored: tuple[Any, ...], scores: Any
) -> None:
    report = add(store, result_log("coinche", 4, result, deals=deals))
    columns = "status::VARCHAR, deals, winning_side, is_score_sheet, result_only"
    assert rows(store, f"SELECT {columns} FROM matches") == [stored]
    assert rows(store, "SELECT list(score ORDER BY seat) FROM seats") == [(scores,)]
    is_counted = stored[3]
    parts = summarize([report])
    assert (parts.added.n, parts.stored_with_findings.n) == (int(is_counted), int(not is_counted))
    assert rows(store, "SELECT count(*) FROM deals WHERE is_score_line AND actions IS NOT NULL") == [(0,)]
    assert [one for progress in verify_store(store) for one in progress.inconsistencies] == []


def test_results_without_an_id_are_never_merged() -> None:
    log, other = result_log("chouine", 2, {"score": [3, 1]}), result_log("chouine", 2, {"winner": 1})
    sources = [
        MatchLog(LogSource(f"{place}.json", 1), one, validate(json.dumps(one).encode()))
        for place, one in enumerate((log, log, other))
    ]
    assert [one.log for one in merge_logs(sources)] == [log, log, other]


def test_validating_again_changes_no_result(store: Store) -> None:
    add(store, *EVENING)
    before = rows(store, "FROM matches ORDER BY match_no"), rows(store, "FROM seats ORDER BY ALL")
    list(revalidate_matches(store, all_matches=True))
    assert (rows(store, "FROM matches ORDER BY match_no"), rows(store, "FROM seats ORDER BY ALL")) == before
