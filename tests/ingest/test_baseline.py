"""Simulated baseline deals: stored with seed and size, queried like others, never counted among them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.options import UnknownRule
from ingest.store import baseline
from ingest.store.factory import Store

pytestmark = pytest.mark.slow

DEALS = 300


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "club.duckdb") as opened:
        yield opened


def rows(store: Store, sql: str) -> list[Any]:
    """What a query finds among the simulated deals."""
    return baseline.baseline_cursor(store).execute(sql).fetchall()


@pytest.mark.parametrize(
    ("game", "preset", "players"),
    [
        ("chouine", "lavardin", 2),
        ("chouine", "mondoubleau", 3),
        ("coinche", "tournoi-2018", 4),
        ("chouineurs", "blam", 5),
    ],
)
def test_every_game_is_simulated_with_seed_and_size(
    store: Store, game: str, preset: str, players: int
) -> None:
    event = baseline.simulate_baseline(
        store, baseline.SimulationRun(game, preset, players, deals=DEALS, seed=7)
    )
    ((seed, requested, deals),) = rows(store, "SELECT seed, min_deals, deals FROM runs")
    assert (seed, requested) == (7, DEALS)
    assert deals >= DEALS
    found = rows(
        store,
        """SELECT m.event, m.game, m.preset, m.player_count, count(DISTINCT (d.match_no, d.deal_index)),
             count(*), bool_and(d.status = 'legal')
           FROM deal_seats ds JOIN deals d USING (match_no, deal_index) JOIN matches m USING (match_no)
           GROUP BY ALL""",
    )
    assert found == [(event, game, preset, players, deals, deals * players, True)]


def test_nothing_simulated_is_among_the_store_s_own(store: Store) -> None:
    baseline.simulate_baseline(store, baseline.SimulationRun("chouine", "lavardin", 2, deals=DEALS))
    for table in ("matches", "deals", "deal_seats", "seats", "announcements", "players"):
        assert store.connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_the_progress_of_a_run_ends_at_what_was_asked(store: Store) -> None:
    heard: list[int] = []
    baseline.simulate_baseline(
        store, baseline.SimulationRun("chouine", "lavardin", 2, deals=DEALS), heard.append
    )
    ((deals,),) = rows(store, "SELECT deals FROM runs")
    assert deals > DEALS  # the last matches brought more
    assert heard[-1] == DEALS


def test_a_run_is_made_once_and_found_again(store: Store) -> None:
    requested = ("chouine", "lavardin", 2)
    assert baseline.find_baseline(store, baseline.SimulationRun(*requested, deals=DEALS)) is None
    made = baseline.simulate_baseline(store, baseline.SimulationRun(*requested, deals=DEALS))
    assert baseline.simulate_baseline(store, baseline.SimulationRun(*requested, deals=DEALS)) == made
    assert baseline.find_baseline(store, baseline.SimulationRun(*requested, deals=DEALS)) == made
    other = baseline.simulate_baseline(store, baseline.SimulationRun(*requested, deals=DEALS, seed=2))
    assert other != made
    assert rows(store, "SELECT count(*) FROM runs") == [(2,)]
    assert rows(store, "SELECT count(DISTINCT match_no) = count(*) FROM matches") == [(True,)]


def test_the_same_seed_gives_the_same_deals(store: Store, tmp_path: Path) -> None:
    count = "SELECT kind, trump, count(*) FROM announcements GROUP BY ALL ORDER BY ALL"
    baseline.simulate_baseline(store, baseline.SimulationRun("chouine", "lavardin", 2, deals=DEALS))
    with Store(tmp_path / "other.duckdb") as other:
        baseline.simulate_baseline(other, baseline.SimulationRun("chouine", "lavardin", 2, deals=DEALS))
        assert rows(other, count) == rows(store, count)


def test_all_may_play_by_one_habit(store: Store) -> None:
    assert baseline.bot_habits("chouine") == ("random", "greedy", "careful")
    missed = {}
    for habit in ("greedy", "careful"):
        event = baseline.simulate_baseline(
            store, baseline.SimulationRun("chouine", "lavardin", 2, habit=habit, deals=DEALS)
        )
        ((names, missed[habit]),) = rows(
            store,
            f"""SELECT list(DISTINCT name), count(*) FILTER (missed) / count(*) FILTER (held)
                FROM announcements JOIN players USING (player_no)
                JOIN matches USING (match_no) WHERE event = '{event}'""",
        )
        assert names == [habit]
    assert missed["greedy"] < missed["careful"]  # who waits for more may wait too long


def test_a_deal_replayed_after_an_irregularity_is_void_there_too(store: Store) -> None:
    baseline.simulate_baseline(store, baseline.SimulationRun("chouine", "lavardin", 2, deals=4000))
    voids = rows(store, "SELECT void, count(*) FROM deals WHERE winning_side IS NULL GROUP BY ALL")
    assert [void for void, _ in voids] == ["replay"]


def test_progress_is_reported_and_unknown_rules_are_refused(store: Store) -> None:
    items: list[int] = []
    baseline.simulate_baseline(
        store, baseline.SimulationRun("chouine", "lavardin", 2, deals=DEALS), items.append
    )
    assert items[-1] >= DEALS
    with pytest.raises(UnknownRule):
        baseline.simulate_baseline(store, baseline.SimulationRun("chouine", "bridge", 2, deals=DEALS))
