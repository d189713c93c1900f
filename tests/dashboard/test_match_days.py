"""The day at the table: a match is of the day, month and season its own clock says, wherever it counts."""

import json
from collections.abc import Iterator
from datetime import date
from io import BytesIO

import duckdb
import pytest

from dashboard.queries import announcements, ladder, matches, player_deals, player_search, results
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from tests.dashboard.api import clients
from tests.dashboard.conftest import Stored, documents
from tests.ingest.conftest import Command, retourne

__all__ = ["retourne"]  # the fixture

CLOCKS = ("2026-06-01T00:30:00+02:00", "2026-06-01T20:30:00-04:00", "2026-05-31T23:59:59-11:00")
"""In UTC: 31 May, 2 June and 1 June."""
FIRST_OF_JUNE, LAST_OF_MAY = date(2026, 6, 1), date(2026, 5, 31)


def evenings(store: Store) -> None:
    """Matches about midnight, one without a date, and one with a fault, which takes the slow path."""
    given = documents()
    logs = [{**log, "played_at": clock} for log, clock in zip(given, CLOCKS, strict=False)]
    undated = {key: value for key, value in given[3].items() if key != "played_at"}
    faulty = {**given[4], "played_at": CLOCKS[0], "unknown": 1}
    text = "\n".join(json.dumps(one) for one in (*logs, undated, faulty))
    list(ingest(store, [("club.jsonl", BytesIO(text.encode()))]))


@pytest.fixture
def cursor(stored: Stored) -> Iterator[duckdb.DuckDBPyConnection]:
    with Store(stored("evenings", evenings), read_only=True) as store:
        yield store.cursor()


def test_a_match_is_stored_with_the_day_of_its_clock(cursor: duckdb.DuckDBPyConnection) -> None:
    found = dict(cursor.execute("SELECT log_id, played_on FROM matches").fetchall())
    june = FIRST_OF_JUNE
    assert found == {"m0": june, "m1": june, "m2": LAST_OF_MAY, "m3": None, "m4": june}


def test_a_list_filters_by_that_day_and_sorts_by_the_moment(cursor: duckdb.DuckDBPyConnection) -> None:
    chosen = matches.match_page(cursor, MatchFilter(since=FIRST_OF_JUNE, until=FIRST_OF_JUNE), sort="oldest")
    assert set(chosen["log_id"]) == {"m0", "m1", "m4"}
    every = matches.match_page(cursor, sort="oldest")["log_id"].to_list()
    assert [one for one in every if one != "m4"] == ["m0", "m2", "m1", "m3"]


def test_figures_count_that_day_and_month(cursor: duckdb.DuckDBPyConnection) -> None:
    of_day, of_may = (
        Scope("chouine", 2, since=FIRST_OF_JUNE, until=FIRST_OF_JUNE),
        Scope("chouine", 2, until=LAST_OF_MAY),
    )
    for chosen, logs in ((of_day, ["m0", "m1", "m4"]), (of_may, ["m2"])):
        where, values = chosen.match_condition()
        query = f"SELECT log_id FROM matches m WHERE {where} AND status = 'legal' ORDER BY 1"
        assert [log for (log,) in cursor.execute(query, values).fetchall()] == logs
    months = announcements.frequencies_by(cursor, Scope("chouine", 2), "month")["month"]
    assert set(months) == {date(2026, 5, 1), date(2026, 6, 1), None}
    stored = "SELECT DISTINCT month FROM announcements JOIN matches USING (match_no) WHERE log_id = 'm0'"
    assert cursor.execute(stored).fetchall() == [(date(2026, 6, 1),)]


def test_figures_over_time_show_that_day(cursor: duckdb.DuckDBPyConnection) -> None:
    scope, days = Scope("chouine", 2), [LAST_OF_MAY, FIRST_OF_JUNE]
    third = "SELECT player_no FROM seats JOIN matches USING (match_no) WHERE log_id = 'm1' AND seat = 2"
    [(player,)] = cursor.execute(third).fetchall()
    assert results.win_trend(cursor, scope, player)["day"].to_list() == days
    assert player_deals.decided_matches(cursor, scope, player)["played_on"].to_list() == days
    assert set(player_search.all_players(cursor)["last"]) == {*days}
    of_may = Scope("chouine", 2, preset="lavardin", until=LAST_OF_MAY)
    assert ladder.ladder_standings(cursor, of_may)["last"].to_list() == [LAST_OF_MAY] * 2


@pytest.mark.slow
def test_the_api_and_the_commands_show_that_day(
    stored: Stored, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored("evenings", evenings)
    listed = [line.split("\t")[2] for line in retourne("export", "--list", "--store", path).out.splitlines()]
    assert sorted(listed) == ["-", "2026-05-31", *["2026-06-01"] * 3]
    ladder_rows = retourne(
        *("stats", "--ladder", "--game", "chouine", "--until", "2026-05-31", "--format", "jsonl"),
        *("--store", path),
    ).objects
    assert {row["last"] for row in ladder_rows} == {"2026-05-31"}
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    with clients({}) as found:
        rows = found["nobody"].get("/matches", since="2026-06-01", until="2026-06-01").json()["matches"]
    assert {one["log_id"]: one["played_on"] for one in rows} == dict.fromkeys(
        ["m0", "m1", "m4"], "2026-06-01"
    )
