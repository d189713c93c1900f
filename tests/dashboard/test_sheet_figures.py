"""Score sheets in figures: results when they are asked for, and nothing that is made of cards."""

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dashboard.queries import (
    announcements,
    contracts,
    exclusions,
    head_to_head,
    ladder,
    player_search,
    players,
    results,
)
from dashboard.queries import matches as matches_of
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope, available_scopes
from dashboard.tables.profile import SECTIONS, has_section
from data.build_samples import sheet_of
from ingest.cli.app import run
from ingest.store import ratings
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from schemas.simulated import simulate_season

GAME = "chouine"
PLAYED, ON_PAPER = 24, 12
PROVEN = Scope(GAME)
GIVEN = Scope(GAME, score_sheets=True)


def matches() -> list[dict[str, Any]]:
    return list(simulate_season(GAME, PLAYED + ON_PAPER, 5))


def lines(*some: dict[str, Any]) -> BytesIO:
    return BytesIO("\n".join(map(json.dumps, some)).encode())


def filled(path: Path, *some: dict[str, Any]) -> Store:
    """A store of some matches, its ladders rated."""
    store = Store(path)
    list(ingest(store, [("some.jsonl", lines(*some))]))
    ratings.refresh_ratings(store)
    return store


Stores = dict[str, duckdb.DuckDBPyConnection]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """The same matches: those `played` alone, those with paper `beside`, and `all` played."""
    folder, every = tmp_path_factory.mktemp("sheets"), matches()
    paper = [sheet_of(one) for one in every[PLAYED:]]
    # of three of the played ones somebody has sent the sheet as well
    again = [sheet_of(one) | {"event": {"name": "typed"}} for one in every[:3]]
    remaining = {
        "played": filled(folder / "played.duckdb", *every[:PLAYED]),
        "beside": filled(folder / "beside.duckdb", *every[:PLAYED], *paper, *again),
        "all": filled(folder / "all.duckdb", *every),
    }
    yield {name: store.cursor() for name, store in remaining.items()}
    for store in remaining.values():
        store.close()


def player(cursor: duckdb.DuckDBPyConnection) -> int:
    """Who played most."""
    frame = players.players_table(cursor, PROVEN)
    return int(frame["player_no"][0])


@pytest.mark.slow
def test_sheets_are_off_at_first_where_games_are_proven(stores: Stores) -> None:
    row = available_scopes(stores["beside"]).row(0, named=True)
    assert row["deals"] > 0
    assert row["sheets"] > 0
    result = players.players_table(stores["beside"], PROVEN)
    assert result.equals(players.players_table(stores["played"], PROVEN))
    assert "from_sheets" not in result.columns


def test_with_sheets_results_are_those_of_all_that_was_played(stores: Stores) -> None:
    """Nobody would guess from who won, and by how much, that some of it was recorded on paper."""
    same = ["player_id", "matches", "decided_deals", "wins", "points"]
    found = players.players_table(stores["beside"], GIVEN).select(*same, "from_sheets")
    every = players.players_table(stores["all"], PROVEN).select(same)
    assert found.drop("from_sheets").sort("player_id").equals(every.sort("player_id"))
    assert 0 < found["from_sheets"].sum() < found["decided_deals"].sum()


def test_a_log_wins_over_its_sheet(stores: Stores) -> None:
    rows = stores["beside"].execute("SELECT count(*) FROM sheet_with_log").fetchone()
    assert rows == (3,)
    reasons = dict(exclusions.exclusion_counts(stores["beside"], GIVEN).iter_rows())
    assert reasons.keys() >= {"sheet_with_log"}
    assert "sheet" not in reasons
    assert "sheet" in dict(exclusions.exclusion_counts(stores["beside"], PROVEN).iter_rows())


def test_a_sheet_and_its_log_are_one_match_of_each_player(stores: Stores) -> None:
    mixed, every = stores["beside"], stores["all"]
    columns, count = ["name", "matches"], matches_of.count_sheets_with_log
    assert (
        player_search.all_players(mixed, 100)[columns]
        .sort("name")
        .equals(player_search.all_players(every, 100)[columns].sort("name"))
    )
    [(name, number)] = mixed.execute("SELECT name, player_no FROM players ORDER BY name LIMIT 1").fetchall()
    [(same,)] = every.execute("SELECT player_no FROM players WHERE name = ?", [name]).fetchall()
    for query in (player_search.player_summary, player_search.player_tables):
        assert query(mixed, number)["matches"].sum() == query(every, same)["matches"].sum()
    assert (count(mixed, MatchFilter()), count(every, MatchFilter())) == (3, 0)


@pytest.mark.slow
def test_no_figure_of_cards_takes_a_sheet(stores: Stores) -> None:
    one, number = "beside", player(stores["beside"])
    for name, section in SECTIONS.items():
        if section.results or not has_section(name, GAME):
            continue
        requested = section.query(stores[one], section.scope_for(GIVEN), number)
        assert requested.equals(section.query(stores[one], PROVEN, number)), name
    for query in (
        announcements.announcement_frequencies,
        announcements.missed_announcements,
        announcements.wins_with_announcements,
    ):
        assert query(stores[one], PROVEN).equals(query(stores["played"], PROVEN))
    cards = ["player_id", "card_points", "card_points_low", "bonus", "bonus_high"]
    cards += ["announced", "announced_low"]
    both = [players.players_table(stores["beside"], scope) for scope in (GIVEN, PROVEN)]
    known = both[1].select(cards).sort("player_id")
    shown = both[0].select(cards).sort("player_id")
    assert shown.filter(shown["player_id"].is_in(known["player_id"].to_list())).equals(known)


def test_sections_of_results_say_how_many_are_score_sheets(stores: Stores) -> None:
    number = player(stores["beside"])
    for query in (results.win_results, results.results_by_table):
        result, proven = (query(stores["beside"], scope, number) for scope in (GIVEN, PROVEN))
        more, every, less = max(result["from_sheets"]), max(result["n"]), max(proven["n"])
        assert more > 0
        assert every == less + more
    won = {
        scope.score_sheets: results.match_results(stores["beside"], scope, number)["n"][0]
        for scope in (GIVEN, PROVEN)
    }
    assert won[True] > won[False]


def test_two_players_on_paper_too(stores: Stores) -> None:
    cursor = stores["beside"]
    pairs = cursor.execute(
        """SELECT a.player_no, b.player_no FROM seats a JOIN seats b USING (match_no)
           JOIN matches m USING (match_no) WHERE m.is_score_sheet AND a.seat = 1 AND b.seat = 2
           AND match_no NOT IN (SELECT match_no FROM sheet_with_log)"""
    ).fetchall()
    one, other = pairs[0]
    result = head_to_head.opposed_matches(cursor, GIVEN, (one,), (other,))
    assert result.height > head_to_head.opposed_matches(cursor, PROVEN, (one,), (other,)).height
    margins = head_to_head.margins(cursor, GIVEN, (one,), (other,)).row(0, named=True)
    assert margins["from_sheets"] > 0
    assert head_to_head.announcement_counts(cursor, GIVEN, (one,), (other,)).equals(
        head_to_head.announcement_counts(cursor, PROVEN, (one,), (other,))
    )


def test_the_ladder_with_sheets_is_that_of_all_that_was_played(stores: Stores) -> None:
    with_sheets, proven = (Scope(GAME, 0, "lavardin", score_sheets=one) for one in (True, False))
    found = ladder.ladder_standings(stores["beside"], with_sheets)
    every = ladder.ladder_standings(stores["all"], proven)
    assert dict(found.select("player_id", "mu").iter_rows()) == pytest.approx(
        dict(every.select("player_id", "mu").iter_rows())
    )
    alone = ladder.ladder_standings(stores["beside"], proven)
    assert alone.equals(ladder.ladder_standings(stores["played"], proven))
    assert found["from_sheets"].sum() == 2 * ON_PAPER
    assert ladder.unrated_counts(stores["beside"], proven)["sheet"] == ON_PAPER + 3
    assert ladder.unrated_counts(stores["beside"], with_sheets)["sheet_with_log"] == 3


@pytest.mark.slow
def test_contracts_are_of_cards(tmp_path: Path) -> None:
    played = list(simulate_season("coinche", 3, 2))
    with filled(tmp_path / "c.duckdb", *map(sheet_of, played)) as store:
        result = Scope("coinche", 4, score_sheets=True)
        assert players.players_table(store.cursor(), result).height
        assert not contracts.contracts(store.cursor(), result.without_sheets)["n"].sum()


@pytest.mark.slow
def test_the_terminal_counts_sheets_when_it_is_asked_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "club.duckdb"
    filled(path, *map(sheet_of, matches()[:4])).close()

    def queried(*words: str) -> tuple[int, str]:
        code = run(["stats", *words, "--store", str(path), "--lang", "en", "--format", "csv"])
        return code, "".join(capsys.readouterr())

    assert queried()[1].count("\n") == 1  # nothing is proven: the headings alone
    code, result = queried("--with-score-sheets")
    assert code == 0
    assert "from_sheets" in result.splitlines()[0]
    assert result.count("\n") > 2
    assert queried("--ladder", "--with-score-sheets")[0] == 0
    code, result = queried("--announcements", "--with-score-sheets")
    assert code == 2
    assert "a score sheet has no cards" in result


def test_a_sheet_counts_while_its_log_does_not(tmp_path: Path) -> None:
    [log] = matches()[:1]
    wrong = json.loads(json.dumps(log))
    points = wrong["deals"][0]["points"]
    wrong["deals"][0]["points"] = [points[0] + 1, points[1] - 1]
    sheet = sheet_of(log)
    with_sheets = Scope(GAME, 0, "lavardin", score_sheets=True)
    shown = []
    for name, first in (("wrong", wrong), ("right", log)):
        with filled(tmp_path / f"{name}.duckdb", first, sheet) as store:
            standings = ladder.ladder_standings(store.cursor(), with_sheets)
            form = results.recent_form(store.cursor(), with_sheets, 0, 1)
            shown.append((standings["from_sheets"].sum(), sorted(map(len, form.values()))))
    assert shown == [(2, [1, 1]), (0, [1, 1])]
