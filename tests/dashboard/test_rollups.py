"""Rollups equal counts of the tables of play after any change of a store."""

import json
import shutil
from collections.abc import Iterator
from datetime import date
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from dashboard.queries import announcements, players, scope
from dashboard.queries.scope import Scope
from data.build_samples import sheet_of
from ingest.store import baseline, pseudonyms, purge, ratings, rollups, trash
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.revalidate import revalidate_matches
from schemas.simulated import simulate_season
from tests.dashboard import reference_queries
from tests.dashboard.plain_counts import documents

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[2] / "data"
SIZES = {"chouine": (2, 4), "coinche": (4,), "chouineurs": (3,)}
DONE = ("delete", "undelete", "mask", "unmask", "purge a match", "purge a player", "revalidate")


def texts() -> Iterator[dict[str, Any]]:
    """Matches of every game, dated or not, faulty ones, sheets, and sheets of logs beside them."""
    every = list(documents(0.005))
    for place, match in enumerate(every):
        if place % 13 == 0 and match["deals"]:
            match["deals"][0]["actions"] = match["deals"][0].get("actions", [])[:3]
        yield match
    for path in (*DATA.glob("match-*.json"), *(DATA / "fautes" / "chouine").glob("*.json")):
        match = json.loads(path.read_bytes())
        if isinstance(match, dict) and "deals" in match:
            yield match
    for name in SIZES:
        for place, match in enumerate(simulate_season(name, 4, 9)):
            match["id"] = f"{name}-{place}"
            if place < 2:
                yield match
            if place:
                yield sheet_of(match) | {"id": f"{name}-{place}"}


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of them, with simulated deals beside."""
    path = tmp_path_factory.mktemp("begun") / "club.duckdb"
    with Store(path) as store:
        lines = b"\n".join(json.dumps(one).encode() for one in texts())
        [report] = ingest(store, [("club.jsonl", BytesIO(lines))], on_conflict=OnConflict.BOTH)
        assert set(report.by_status) >= {"legal", "irregular", "incomplete", "broken", "unverified"}
        baseline.simulate_baseline(store, baseline.SimulationRun("chouine", "lavardin", 2, deals=60))
        ratings.refresh_ratings(store)
    return path


def do(store: Store, what: str, which: int) -> None:
    """One thing to a store; `which` match or player it is about."""
    cursor = store.cursor()
    known = [number for (number,) in cursor.execute("SELECT match_no FROM matches").fetchall()]
    seated = cursor.execute("SELECT DISTINCT player_no FROM seats ORDER BY 1").fetchall()
    cursor.close()
    match, (player,) = known[which % len(known)], seated[which % len(seated)]
    if what == "delete":
        trash.delete_matches(store, known[which % len(known) :: 3])
    elif what == "undelete":
        for deletion in trash.list_deletions(store.cursor())[:1]:
            trash.undelete_matches(store, deletion.number)
    elif what == "mask":
        pseudonyms.mask_player(store, player)
    elif what == "unmask":
        pseudonyms.unmask_player(store, player)
    elif what == "revalidate":
        list(revalidate_matches(store, all_matches=True))
    elif what == "purge a match":
        purge.purge_matches(store, [match])
    else:
        purge.purge_player(store, player, with_matches=bool(which % 2))


def counted_again(path: Path) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Each table as it is kept, and as SQL counts it from the tables of play."""
    every = [f"{schema}.{table}" for schema in ("main", "baseline") for table in rollups.ROLLUP_TABLES]
    sql = Path(__file__).with_name("counted_rollups.sql").read_text(encoding="utf-8")
    with duckdb.connect(str(path)) as store:
        store.execute(sql)
        for table in every:
            schema, name = table.split(".")
            store.execute(f"SET search_path = '{schema},main'")
            remaining = store.execute(f"FROM {table} ORDER BY ALL").pl()
            store.execute(f"CREATE OR REPLACE TEMP TABLE again AS FROM {table} LIMIT 0")
            store.execute(f"INSERT INTO again FROM all_{name}()")
            yield table, remaining, store.execute("FROM again ORDER BY ALL").pl()


def same(one: pl.DataFrame | tuple[int, int] | int, other: object, order: bool = True) -> None:
    """Two answers that are one, but for the last digit of a mean."""
    if isinstance(one, pl.DataFrame):
        assert isinstance(other, pl.DataFrame)
        assert_frame_equal(
            *(one, other), rel_tol=1e-12, abs_tol=1e-9, check_row_order=order, check_dtypes=False
        )
    else:
        assert one == other


def scopes_of(game: str, size: int, opponent: int) -> Iterator[Scope]:
    """The filters that each take another way."""
    yield Scope(game, size, score_sheets=True)
    yield Scope(game, size, since=date(2025, 11, 1), until=date(2026, 4, 30))
    yield Scope(game, size, event="Tournoi d’été", source="site")
    yield Scope(game, size, opponent=opponent)
    yield Scope(game, size, statuses=("irregular", "incomplete", "unverified"))


def held_together(
    cursor: duckdb.DuckDBPyConnection, which: Scope, player: int, keys: int = 6, seats: bool = True
) -> None:
    """Queries of one scope, split by so many keys, each beside what it was.

    `seats`: whether a player sits on one side alone, which no simulated one does.
    """

    def both(name: str, *args: Any, order: bool = True, **more: Any) -> Any:
        of: Any = players if hasattr(players, name) else announcements
        found = getattr(of, name)(cursor, which, *args, **more)
        # the pooled share comes from a model, not from the tables
        plain = found.drop("probable", strict=False) if isinstance(found, pl.DataFrame) else found
        same(plain, getattr(reference_queries, name)(cursor, which, *args, **more), order)
        return found

    same(scope.count_deals(cursor, which), reference_queries.deals(cursor, which))
    both("count_players")
    if seats:
        both("players_table", limit=1000)
        both("players_table", words="a", limit=3, offset=2)
    for one in (None, player):
        frame = both("announcement_frequencies", one)
        both("missed_announcements", one)
        for key in announcements.GROUP_KEYS[:keys]:
            both("frequencies_by", key, one, order=False)
    for fact in announcements.ANNOUNCEMENT_FACTS:
        both("wins_with_announcements", fact)
    for kind, trump in frame.select("kind", "trump").head(2).iter_rows():
        for fact in (*announcements.ANNOUNCEMENT_FACTS, "missed"):
            row = announcements.RowHands(kind, trump, fact, decided=trump)
            both("count_deals_behind", row)
            both("deals_behind", row, limit=4, offset=3)
        for key in announcements.GROUP_KEYS[:keys]:
            of = announcements.frequencies_by(cursor, which, key)
            value = "player_no" if key == "player" else key
            for item in of[value].unique(maintain_order=True).head(1).to_list():
                both("count_deals_behind", announcements.RowHands(kind, trump, "counted", key, item))
                row = announcements.RowHands(kind, trump, "announced", key, item)
                both("deals_behind", row, limit=1000)


@pytest.mark.parametrize(("game", "size"), [(game, size) for game, sizes in SIZES.items() for size in sizes])
@pytest.mark.sample("chouine-2")
def test_the_answers_are_those_of_the_tables_of_play(begun: Path, game: str, size: int) -> None:
    with Store(begun, read_only=True) as store:
        cursor = store.cursor()
        seated = cursor.execute(
            "SELECT player_no FROM seats JOIN matches USING (match_no) WHERE game = ?"
            " AND player_count = ? GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 2",
            [game, size],
        ).fetchall()
        assert len(seated) == 2
        for place, which in enumerate(scopes_of(game, size, seated[1][0])):
            held_together(cursor, which, seated[0][0], keys=1 if place else 6)


def test_the_answers_about_all_tables_and_chance_are_those_of_the_tables_of_play(begun: Path) -> None:
    with Store(begun, read_only=True) as store:
        same(scope.available_scopes(store.cursor()), reference_queries.scopes(store.cursor()))
        held_together(baseline.baseline_cursor(store), Scope("chouine", 2), 0, keys=1, seats=False)


@given(done=st.lists(st.tuples(st.sampled_from(DONE), st.integers(0, 99)), min_size=1, max_size=4))
@settings(max_examples=2, deadline=None)
def test_whatever_was_done_to_a_store_its_totals_follow(
    begun: Path, tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("done") / "club.duckdb"
    shutil.copy(begun, path)
    for what, which in done:
        with Store(path) as store:
            do(store, what, which)
    with Store(path, read_only=True) as store:
        cursor = store.cursor()
        held_together(cursor, Scope("chouine", 2, statuses=("legal", "broken"), score_sheets=True), 0, 2)
        for table in DERIVED_TABLES[1:]:
            alone = f"SELECT count(*) FROM {table} ANTI JOIN matches USING (match_no)"
            assert cursor.execute(alone).fetchall() == [(0,)]
    for table, remaining, again in counted_again(path):
        assert_frame_equal(remaining, again), table


def test_each_table_has_rows_of_every_kind(begun: Path) -> None:
    with Store(begun, read_only=True) as store:
        cursor = store.cursor()
        for table, having in chain.from_iterable(
            ((table, one) for one in some)
            for table, some in {
                "match_deals": ("void", "is_score_line", "NOT dealt", "drawn > 0", "status = 'broken'"),
                "match_seats": (
                    "is_score_line",
                    "contracts > 0",
                    "bids_met > 0",
                    "counted_squared > counted",
                ),
                "match_kinds": ("won IS NULL", "missed > 0", "announcements_made > announced"),
                "announcement_rollup": (
                    "points_short > 0",
                    "lead",
                    "closed",
                    "announced AND first_mentions & 32 = 0",
                ),
            }.items()
        ):
            found = cursor.execute(f"SELECT count(*) FROM {table} WHERE {having}").fetchall()
            assert found > [(0,)], (table, having)
