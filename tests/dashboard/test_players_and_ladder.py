"""*Players* and *Ladder* show the same of one person, with score sheets and results and without."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from dashboard.queries import ladder, players, results
from dashboard.queries.scope import Scope
from dashboard.store import open_store
from data.build_samples import sheet_of
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season
from tests.dashboard.conftest import Open, Stored
from tests.dashboard.tables import tables_of
from tests.dashboard.test_result_figures import result_of

GAME, PRESET = "chouine", "lavardin"
SHARED = ["Rank", "Name", "Form"]


@pytest.fixture
def mixed(stored: Stored) -> Path:
    """Logs, score sheets, results, and the sheets of three matches that have a log."""
    played = list(simulate_season(GAME, 36, 5))
    again = [sheet_of(one) | {"event": {"name": "typed"}} for one in played[:3]]
    every: list[dict[str, Any]] = [
        *played[:18],
        *map(sheet_of, played[18:27]),
        *map(result_of, played[27:]),
        *again,
    ]

    def fill(store: Store) -> None:
        lines = "\n".join(map(json.dumps, every)).encode()
        [report] = ingest(store, [("mixed.jsonl", BytesIO(lines))])
        assert report.added == len(every)

    return stored("mixed", fill)


@pytest.mark.parametrize("sheets", [False, True])
def test_players_and_ladder_count_the_same_matches_of_each_person(mixed: Path, sheets: bool) -> None:
    cursor, which = open_store().cursor(), Scope(GAME, 2, PRESET, score_sheets=sheets)
    standings = ladder.ladder_standings(cursor, which).rows(named=True)
    assert sum(one["n"] for one in standings) == 2 * (36 if sheets else 18)
    for one in standings:
        won = results.match_results(cursor, which, one["player_no"]).row(0, named=True)
        assert (won["figure"], won["k"], won["n"]) == ("match", one["wins"], one["n"]), one["name"]
        assert won["share"] == pytest.approx(one["share"])
    listed = players.players_table(cursor, which, ranked=True).rows(named=True)
    ranks = {one["player_no"]: (one["rank"], one["name"]) for one in standings}
    assert len(listed) > 3
    for one in listed:
        assert (one["rank"], one["name"]) == ranks[one["player_no"]]


@pytest.mark.slow
@pytest.mark.parametrize("sheets", ["false", "true"])
def test_the_pages_show_one_rank_and_form_of_each_person(mixed: Path, open_page: Open, sheets: str) -> None:
    query = {"player_count-chouine": "2", f"score_sheets-{GAME}": sheets}
    ladder_page = open_page("classement", lang="en", **query)
    players_page = open_page("joueurs", lang="en", **{f"score_sheets-{GAME}-2": sheets})
    assert [
        [one.value for one in page.toggle if one.label == "With score sheets"]
        for page in (ladder_page, players_page)
    ] == [[sheets == "true"]] * 2
    [standings, *_], [listed, *_] = tables_of(ladder_page), tables_of(players_page)
    shown = {row["Name"]: row for row in standings[SHARED].to_dict("records")}
    both = [row for row in listed[SHARED].to_dict("records") if row["Rank"] <= len(standings)]
    assert len(both) > 15
    for row in both:
        assert row == shown[row["Name"]]
