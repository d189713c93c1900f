"""Stored endgame values equal those of `solve` after any change of a store."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from dashboard.server import background
from dashboard.server.background import BackgroundSolver
from engine.solver_results import BidRegretReport, NotSolved
from ingest.reader.sources import Source, source_batches
from ingest.store import endgame_rows, ratings, revalidate, solve_job, trash
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.purge import purge_matches
from ingest.store.solve_job import matches_to_solve
from ingest.store.stored_texts import read_stored
from ingest.store.verify import verify_store
from ingest.validate.batch import validate_text
from ingest.validate.solver_report import NOT_SOLVED_REASONS, solved_deals
from schemas.simulated import simulate_season
from tests.ingest.conftest import FAUTES, Command
from tests.ingest.logs import lines
from tests.waiting import PATIENCE, comes

pytestmark = pytest.mark.slow

DATA = FAUTES.parent
LOGS = [
    path
    for path in sorted([*DATA.rglob("*.json"), *DATA.rglob("*.jsonl")])
    if not {"decks", "schema"} & {*path.parts, path.name.split(".")[0]} and ".expected" not in path.name
]
DEALS = """SELECT match_id, deal_index, unsolved, first_action_index, margin, v.turning_action_index
    FROM endgame_values v JOIN matches USING (match_no)"""
SEATS = """SELECT match_id, v.deal_index, v.seat, cards_played, lost, costly, worst_action_index, worst_loss
    FROM endgame_seat_values v JOIN matches USING (match_no)"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the logs that ship and some more, all solved."""
    path = tmp_path_factory.mktemp("solved") / "club.duckdb"
    with Store(path) as store:
        list(ingest(store, [*LOGS[:8], *LOGS[8::8], ("club.jsonl", BytesIO(lines(4))), coinche(1)]))
        list(solve_job.solve_missing(store))
    return path


def coinche(count: int) -> Source:
    return "coinche.jsonl", BytesIO("\n".join(map(json.dumps, simulate_season("coinche", count, 3))).encode())


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    with Store(shutil.copy(made, tmp_path / "club.duckdb")) as opened:
        yield opened


def everything(store: Store) -> dict[str, Any]:
    """All values by table."""
    cursor = store.cursor()
    return {one: cursor.execute(f"FROM {one} ORDER BY ALL").fetchall() for one in endgame_rows.VALUE_TABLES}


def wrong(store: Store) -> list[str]:
    return [one.table or one.text for batch in verify_store(store) for one in batch.inconsistencies]


@pytest.mark.soak
def test_stored_values_are_those_of_solve_for_every_log_that_ships(tmp_path: Path) -> None:
    def streams() -> list[Source]:
        return [*LOGS, ("club.jsonl", BytesIO(lines(20))), coinche(4)]

    with Store(tmp_path / "club.duckdb") as store:
        list(ingest(store, streams()))
        list(solve_job.solve_missing(store))
        cursor = store.cursor()
        deals = {(one, deal): result for one, deal, *result in cursor.execute(DEALS).fetchall()}
        seats = dict[tuple[str, int, int], tuple[Any, ...]]()
        for one, deal, seat, *result in cursor.execute(SEATS).fetchall():
            seats[one, deal, seat] = tuple(result)
    compared = solved = 0
    for text in (text for batch in source_batches(streams()) for text in batch.texts):
        explained = validate_text(text)
        for found in solved_deals(explained, "", 1):
            key, known = (explained.match_id, found.deal_index), found.solved
            compared += 1
            if isinstance(known, NotSolved):
                assert deals[key] == [known.reason, None, None, None]
                assert known.reason in NOT_SOLVED_REASONS
                continue
            solved += 1
            if isinstance(known, BidRegretReport):  # the bid is the one card there is
                assert deals[key] == [None, None, None, None]
                for one in known.choices:
                    more = (1, one.points_lost, int(one.points_lost > 0), None, one.points_lost)
                    assert seats[(*key, one.seat + 1)] == more
                continue
            assert deals[key] == [None, known.first_action, known.margin, known.turning_action]
            assert explained.match is not None
            for seat in range(len(explained.match.players)):
                own = [play for play in known.plays if play.seat == seat]
                most = max((play.lost for play in own), default=0)
                at = next((play.action for play in own if most and play.lost == most), None)
                lost, costly = sum(play.lost for play in own), sum(play.lost > 0 for play in own)
                assert seats[(*key, seat + 1)] == (len(own), lost, costly, at, most)
    assert compared == len(deals)
    assert solved > 200


def test_only_what_is_missing_is_reckoned(store: Store) -> None:
    assert list(solve_job.solve_missing(store)) == []
    list(ingest(store, [("more.jsonl", BytesIO(lines(6)))]))
    assert len(matches_to_solve(store.cursor())) == 2
    [one] = solve_job.solve_missing(store)
    new = "SELECT sum(deals) FROM (FROM matches ORDER BY match_no DESC LIMIT 2)"
    [(deals,)] = store.cursor().execute(new).fetchall()
    assert (one.matches_done, one.matches_total) == (2, 2)
    assert one.solved_deals + one.unsolved.total() == deals


def test_what_is_interrupted_goes_on_where_it_was_left(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything(store)
    monkeypatch.setattr(solve_job, "BATCH_BYTES", 1 << 12)
    for table in endgame_rows.VALUE_TABLES:
        store.connection.execute(f"DELETE FROM {table}")
    every = len(matches_to_solve(store.cursor()))
    going = solve_job.solve_missing(store)
    first = next(going)
    going.close()
    assert 0 < first.matches_done < every
    assert len(matches_to_solve(store.cursor())) == every - first.matches_done
    list(solve_job.solve_missing(store))
    assert everything(store) == before


KILLED = """
import os, signal, sys
from ingest.store import solve_job
from ingest.store.factory import Store
from ingest.store.stored_texts import read_stored
solve_job.BATCH_BYTES = 1 << 12
with Store(sys.argv[1]) as store:
    for number, _ in enumerate(solve_job.solve_missing(store)):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.soak
def test_a_kill_leaves_whole_matches_and_the_rest_for_later(store: Store) -> None:
    before, path = everything(store), store.path
    for table in endgame_rows.VALUE_TABLES:
        store.connection.execute(f"DELETE FROM {table}")
    every = len(matches_to_solve(store.cursor()))
    store.close()
    killed = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert killed.returncode < 0
    with Store(path) as again:
        assert 0 < len(matches_to_solve(again.cursor())) < every
        assert wrong(again) == []
        list(solve_job.solve_missing(again))
        assert everything(again) == before


def test_values_go_with_a_deleted_match_and_are_computed_again_when_it_is_back(store: Store) -> None:
    before = everything(store)
    number = trash.delete_matches(store, [1, 2])
    assert number is not None
    assert not {row[0] for rows in everything(store).values() for row in rows} & {1, 2}
    trash.undelete_matches(store, number)
    assert {1, 2} >= {*matches_to_solve(store.cursor()).tolist()} > set()
    list(solve_job.solve_missing(store))
    assert everything(store) == before


def test_a_match_that_is_another_when_it_is_judged_again_loses_its_values(store: Store) -> None:
    before = everything(store)
    store.connection.execute("UPDATE matches SET rules_version = 0 WHERE match_no < 9")
    store.connection.execute("UPDATE deals SET tricks = 1 WHERE match_no = 3")
    list(revalidate.revalidate_matches(store))
    assert matches_to_solve(store.cursor()).tolist() == [3]
    list(solve_job.solve_missing(store))
    assert everything(store) == before


def test_a_purge_keeps_the_values_of_others(store: Store) -> None:
    before, path = everything(store), store.path
    removed = before["endgame_values"][0][0]
    ratings.refresh_ratings(store)
    purge_matches(store, [removed])
    with Store(path) as again:
        left = {one: [row for row in rows if row[0] != removed] for one, rows in before.items()}
        assert everything(again) == left
        assert wrong(again) == []


def test_verify_finds_values_that_are_not_what_their_deals_come_to(store: Store) -> None:
    assert wrong(store) == []
    first = "(SELECT min(match_no) FROM endgame_seat_values)"
    store.connection.execute(f"UPDATE endgame_seat_values SET lost = lost + 1 WHERE match_no = {first}")
    store.connection.execute(f"UPDATE endgame_values SET points_lead = 999 WHERE match_no = {first}")
    assert {*wrong(store)} == {"endgame_seat_values", "endgame_values"}


def test_what_was_deleted_meanwhile_gets_no_values(store: Store) -> None:
    list(ingest(store, [("more.jsonl", BytesIO(lines(6)))]))
    numbers, before = matches_to_solve(store.cursor()), solve_job.solve_state(store)
    done = [(work, solve_job.solve_stored(work)) for work in read_stored(store, numbers)]
    trash.delete_matches(store, numbers[:1])
    assert not solve_job.write_solved(store, before, done)
    assert {*matches_to_solve(store.cursor()).tolist()} == {*numbers[1:].tolist()}


def test_a_served_store_is_reckoned_by_another_process(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb", is_shared=True) as store:
        other = BackgroundSolver(lambda: store)
        try:
            other.solve_missing()
            list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
            assert len(matches_to_solve(store.cursor())) == 6
            other.solve_missing()
            assert len(matches_to_solve(store.cursor())) == 0
            commits = store.version
            other.solve_missing()
            other.solve_missing()
            assert store.version == commits
        finally:
            other.stop()
        assert wrong(store) == []


@pytest.mark.workers
def test_a_server_that_ends_does_not_wait_for_values_of_its_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    monkeypatch.setenv(BEGUN, str(begun))
    monkeypatch.setattr(background, "solve_stored", _solve_long)
    before = multiprocessing.active_children()
    with Store(tmp_path / "club.duckdb", is_shared=True) as store:
        list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
        with BackgroundSolver(lambda: store) as other:
            comes(begun.exists)
        assert begun.read_text() == "begun"
        assert [one for one in other._threads if one.is_alive()] == []
        assert multiprocessing.active_children() == before
        assert len(matches_to_solve(store.cursor())) == 6


BEGUN = "RETOURNE_TEST_BEGUN"
"""The variable with the path of a file that `_solve_long` writes."""


def _solve_long(_: object) -> list[object]:
    begun = Path(os.environ[BEGUN])
    begun.write_text("begun")
    threading.Event().wait(PATIENCE)
    begun.write_text("ended")
    return []


@pytest.mark.soak
def test_a_served_store_is_rated_in_the_background(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb", is_shared=True) as store:
        other = BackgroundSolver(lambda: store)
        try:
            other.rate_ladders()
            list(ingest(store, [("club.jsonl", BytesIO(lines()))]))
            assert ratings.stale_ladders(store)
            other.rate_ladders()
            assert not ratings.stale_ladders(store)
            commits = store.version
            other.rate_ladders()
            other.rate_ladders()
            assert store.version == commits
        finally:
            other.stop()


def test_the_command_says_how_many_and_why_not(retourne: Command, tmp_path: Path) -> None:
    retourne("ingest", DATA / "match-a-quatre.json", DATA / "exemple-lavardin.json")
    left = retourne("revalidate", "--endgames", "--dry-run")
    assert (left.code, left.out) == (0, "Matches without endgame values yet: 2\n")
    done = retourne("revalidate", "--endgames")
    assert done.code == 0
    first, *why = done.out.splitlines()
    assert first.startswith("Deals computed: ")
    assert "not solved: " in first
    assert any("the best play depends on the others" in line for line in why)
    assert "without endgame values yet: 0" in retourne("revalidate", "--endgames", "--dry-run").out
    [result] = retourne("revalidate", "--endgames", "--all", "--format", "jsonl").objects
    assert result["matches"] == 2
    assert result["unsolved"]["players"] > 0
    refused = retourne("revalidate", "--endgames", "--preset", "regles-completes")
    assert refused.code == 2
    assert "--endgames uses the rules of each match" in refused.err
