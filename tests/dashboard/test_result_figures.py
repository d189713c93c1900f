"""Matches of which only the result is known, in figures: matches where sheets count, never deals."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dashboard.queries import announcements, exclusions, head_to_head, ladder, matches, players, results
from dashboard.queries.scope import Scope, available_scopes, count_deals
from dashboard.tables.profile import SECTIONS, has_section
from ingest.store import ratings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season

GAME = "chouine"
PLAYED, RESULTS = 24, 12
PROVEN = Scope(GAME)
WITH_SHEETS = Scope(GAME, score_sheets=True)
MATCH_SECTIONS = ("manches", "records")


def result_of(log: dict[str, Any]) -> dict[str, Any]:
    """What is left of a match where only its result was written down."""
    return {key: log[key] for key in ("format", "game", "rules", "players", "id", "played_at", "result")}


def filled(path: Path, *some: dict[str, Any]) -> Store:
    store = Store(path)
    list(ingest(store, [("some.jsonl", BytesIO("\n".join(map(json.dumps, some)).encode()))]))
    ratings.refresh_ratings(store)
    return store


Cursors = dict[str, duckdb.DuckDBPyConnection]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cursors]:
    """The same matches: those `played` alone, with results of the others (`both`), `all` played."""
    folder, every = tmp_path_factory.mktemp("results"), list(simulate_season(GAME, PLAYED + RESULTS, 5))
    others = [result_of(one) for one in every[PLAYED:]]
    found = {
        "played": filled(folder / "played.duckdb", *every[:PLAYED]),
        "both": filled(folder / "both.duckdb", *every[:PLAYED], *others),
        "all": filled(folder / "all.duckdb", *every),
        "alone": filled(folder / "alone.duckdb", *others),
    }
    yield {name: store.cursor() for name, store in found.items()}
    for store in found.values():
        store.close()


def ids(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(cursor.execute("SELECT player_id, player_no FROM players").fetchall())


def test_each_result_is_a_match(stores: Cursors) -> None:
    query = "SELECT count(*) FILTER (result_only AND is_score_sheet), count(*) FROM matches"
    assert stores["both"].execute(query).fetchone() == (RESULTS, PLAYED + RESULTS)


@pytest.mark.parametrize("which", [PROVEN, WITH_SHEETS])
def test_no_figure_of_deals_counts_a_result(stores: Cursors, which: Scope) -> None:
    found, played = (players.players_table(stores[one], which) for one in ("both", "played"))
    assert found.drop("player_no").sort("player_id").equals(played.drop("player_no").sort("player_id"))
    assert count_deals(stores["both"], which) == count_deals(stores["played"], which)
    left = (exclusions.exclusion_counts(stores[one], which) for one in ("both", "played"))
    assert next(left).equals(next(left))
    for query in (
        announcements.announcement_frequencies,
        announcements.missed_announcements,
        announcements.wins_with_announcements,
    ):
        assert query(stores["both"], which).equals(query(stores["played"], which))


def test_no_section_of_a_player_but_those_of_matches_counts_a_result(stores: Cursors) -> None:
    for player, number in sorted(ids(stores["played"]).items())[:2]:
        number_there = ids(stores["both"])[player]
        for name, section in SECTIONS.items():
            scope = section.scope_for(WITH_SHEETS)
            if name in MATCH_SECTIONS or not has_section(name, GAME):
                continue
            now, before = (
                section.query(stores["both"], scope, number_there),
                section.query(stores["played"], scope, number),
            )
            assert now.drop("match_no", "player_no", strict=False).equals(
                before.drop("match_no", "player_no", strict=False)
            ), name


def test_won_matches_with_sheets_are_those_of_all_that_was_played(stores: Cursors) -> None:
    for player, number in ids(stores["all"]).items():
        if player not in (number_there := ids(stores["both"])):
            continue
        every = results.match_results(stores["all"], PROVEN, number).row(0)
        assert results.match_results(stores["both"], WITH_SHEETS, number_there[player]).row(0) == every


def test_won_matches_without_sheets_are_those_of_logs(stores: Cursors) -> None:
    for player, number in ids(stores["played"]).items():
        proven = results.match_results(stores["played"], PROVEN, number)
        assert results.match_results(stores["both"], PROVEN, ids(stores["both"])[player]).equals(proven)


def test_manches_of_a_result_are_not_known(stores: Cursors) -> None:
    for number in ids(stores["alone"]).values():
        found = results.match_results(stores["alone"], WITH_SHEETS, number)
        assert found.filter(found["figure"] == "manche")["n"].to_list() == [0]


def test_the_ladder_with_results_is_that_of_all_that_was_played(stores: Cursors) -> None:
    with_sheets, proven = (Scope(GAME, 0, "lavardin", score_sheets=one) for one in (True, False))
    found = ladder.ladder_standings(stores["both"], with_sheets)
    every = ladder.ladder_standings(stores["all"], proven)
    assert dict(found.select("player_id", "mu").iter_rows()) == pytest.approx(
        dict(every.select("player_id", "mu").iter_rows())
    )
    assert found["from_sheets"].sum() == 2 * RESULTS
    alone = ladder.ladder_standings(stores["both"], proven)
    assert dict(alone.select("player_id", "n").iter_rows()) == dict(
        ladder.ladder_standings(stores["played"], proven).select("player_id", "n").iter_rows()
    )
    assert ladder.unrated_counts(stores["both"], proven)["result-only"] == RESULTS


def test_head_to_head_counts_results_with_sheets_alone(stores: Cursors) -> None:
    [one, other], *_ = (
        stores["both"]
        .execute(
            "SELECT list(player_no ORDER BY seat) FROM seats JOIN matches USING (match_no)"
            " WHERE result_only GROUP BY match_no ORDER BY match_no"
        )
        .fetchall()[0]
    )
    found = {
        which.score_sheets: head_to_head.series_counts(stores["both"], which, (one,), (other,))
        for which in (PROVEN, WITH_SHEETS)
    }
    of_results = found[False]["left_out"]
    assert of_results > 0
    assert found[True]["left_out"] == 0
    won = {sheets: counts["first"] + counts["second"] for sheets, counts in found.items()}
    assert won[True] == won[False] + of_results
    margins = [
        head_to_head.margins(stores["both"], which, (one,), (other,)) for which in (PROVEN, WITH_SHEETS)
    ]
    assert margins[0]["n"].to_list() == margins[1]["n"].to_list()


def test_a_store_of_results_alone_has_its_tables_to_choose_from(stores: Cursors) -> None:
    [row] = available_scopes(stores["alone"]).iter_rows(named=True)
    counts = {"deals": 0, "sheets": 0, "results": RESULTS}
    assert row == {"game": GAME, "player_count": 2, "preset": "lavardin", **counts}
    [ladders] = ladder.list_ladders(stores["alone"]).iter_rows(named=True)
    assert (ladders["matches"], ladders["sheets"]) == (0, RESULTS)


def test_lists_of_matches_mark_results(stores: Cursors) -> None:
    shown = matches.match_page(stores["both"], limit=100)
    assert shown["result_only"].sum() == RESULTS
    of_result = shown.filter(shown["result_only"])
    assert set(of_result["status"]) == {"result-only"}
    assert of_result["winning_side"].null_count() == 0
    assert all(None not in score for score in of_result["score"])
