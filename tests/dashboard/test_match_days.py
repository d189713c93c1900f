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
def asked(stored: Stored) -> Iterator[duckdb.DuckDBPyConnection]:
    with Store(stored("evenings", evenings), read_only=True) as store:
        yield store.cursor()


def test_a_match_is_stored_with_the_day_of_its_clock(asked: duckdb.DuckDBPyConnection) -> None:
    found = dict(asked.execute("SELECT log_id, played_on FROM matches").fetchall())
    june = FIRST_OF_JUNE
    assert found == {"m0": june, "m1": june, "m2": LAST_OF_MAY, "m3": None, "m4": june}


def test_a_list_filters_by_that_day_and_sorts_by_the_moment(asked: duckdb.DuckDBPyConnection) -> None:
    chosen = matches.match_page(asked, MatchFilter(since=FIRST_OF_JUNE, until=FIRST_OF_JUNE), sort="oldest")
    assert set(chosen["log_id"]) == {"m0", "m1", "m4"}
    every = matches.match_page(asked, sort="oldest")["log_id"].to_list()
    assert [one for one in every if one != "m4"] == ["m0", "m2", "m1", "m3"]


def test_figures_count_that_day_and_month(asked: duckdb.DuckDBPyConnection) -> None:
    of_day, of_may = (
        Scope("chouine", 2, since=FIRST_OF_JUNE, until=FIRST_OF_JUNE),
        Scope("chouine", 2, until=LAST_OF_MAY),
    )
    for chosen, logs in ((of_day, ["m0", "m1", "m4"]), (of_may, ["m2"])):
        where, values = chosen.match_condition()
        query = f"SELECT log_id FROM matches m WHERE {where} AND status = 'legal' ORDER BY 1"
        assert [log for (log,) in asked.execute(query, values).fetchall()] == logs
    months = announcements.frequencies_by(asked, Scope("chouine", 2), "month")["month"]
    assert set(months) == {date(2026, 5, 1), date(2026, 6, 1), None}
    stored = "SELECT DISTINCT month FROM announcements JOIN matches USING (match_no) WHERE log_id = 'm0'"
    assert asked.execute(stored).fetchall() == [(date(2026, 6, 1),)]


def test_figures_over_time_show_that_day(asked: duckdb.DuckDBPyConnection) -> None:
    scope, days = Scope("chouine", 2), [LAST_OF_MAY, FIRST_OF_JUNE]
    third = "SELECT player_no FROM seats JOIN matches USING (match_no) WHERE log_id = 'm1' AND seat = 2"
    [(player,)] = asked.execute(third).fetchall()
    assert results.win_trend(asked, scope, player)["day"].to_list() == days
    assert player_deals.decided_matches(asked, scope, player)["played_on"].to_list() == days
    assert set(player_search.all_players(asked)["last"]) == {*days}
    of_may = Scope("chouine", 2, preset="lavardin", until=LAST_OF_MAY)
    assert ladder.ladder_standings(asked, of_may)["last"].to_list() == [LAST_OF_MAY] * 2


@pytest.mark.slow
def test_the_api_and_the_commands_say_that_day(
    stored: Stored, retourne: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored("evenings", evenings)
    listed = [line.split("\t")[2] for line in retourne("export", "--list", "--store", path).out.splitlines()]
    assert sorted(listed) == ["-", "2026-05-31", *["2026-06-01"] * 3]
    monkeypatch.setenv("RETOURNE_STORE", str(path))
    with clients({}) as found:
        asked = found["nobody"].get("/matches", since="2026-06-01", until="2026-06-01").json()["matches"]
    assert {one["log_id"]: one["played_on"] for one in asked} == dict.fromkeys(
        ["m0", "m1", "m4"], "2026-06-01"
    )
    one = retourne("stats", "--ladder", "--until", "2026-05-31", "--format", "jsonl", "--store", path)
    assert {json.loads(line)["last"] for line in one.out.splitlines()} == {"2026-05-31"}
