"""What was lost in the ends of deals, as figures: counted by hand, on pages and by the API."""

import json
from collections import defaultdict
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from statistics import mean
from typing import Any

import duckdb
import polars as pl
import pytest

from dashboard.queries import endgame_losses, matches, player_deals
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.tables.profile import LOSS_GROUP_COLUMN, SECTIONS, player_sections
from dashboard.text.definitions import SHARED_DEFINITIONS
from engine.solver_results import EndgameReport, PlayedCard
from ingest.api import solve
from ingest.i18n import translator
from ingest.store import solve_job, tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from tests.dashboard.api import clients
from tests.dashboard.conftest import Open, Stored, documents, every_table, lines, simulated
from tests.dashboard.tables import explained, open_row, tables_of

pytestmark = pytest.mark.slow

TWO, FOUR = Scope("chouine", 2), Scope("coinche", 4)
MOST = """SELECT player_no FROM seats JOIN matches USING (match_no) WHERE game = ? AND player_count = ?
    GROUP BY player_no ORDER BY count(*) DESC, player_no LIMIT 1"""


def fill(store: Store) -> None:
    """Chouine at two and every other table, solved; then one more match that is not."""
    list(ingest(store, [("club.jsonl", BytesIO(lines())), ("more.jsonl", BytesIO(every_table()))]))
    list(solve_job.solve_missing(store))
    late = documents()[0] | {"id": "late", "played_at": "2031-02-03T20:00:00Z"}
    list(ingest(store, [("late.jsonl", BytesIO(json.dumps(late).encode()))], on_conflict=OnConflict.BOTH))


@pytest.fixture
def ends(stored: Stored) -> Path:
    return stored("ends", fill)


@pytest.fixture
def cursor(ends: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with Store(ends, read_only=True) as store:
        yield store.cursor()


def plays(match: dict[str, Any]) -> Iterator[tuple[int, list[PlayedCard], bool]]:
    """Seat by seat what was laid in each deal that is solved, and whether the winner turned."""
    for deal in solve(("one.json", BytesIO(json.dumps(match).encode()))):
        if isinstance(deal.solved, EndgameReport):
            for seat in range(len(match["players"])):
                own = [one for one in deal.solved.plays if one.seat == seat]
                yield seat, own, deal.solved.turning_action is not None


def by_hand(logs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Each player's figures."""
    lost, turned = defaultdict[str, list[int]](list), defaultdict[str, int](int)
    for match in logs:
        for seat, own, turns in plays(match):
            who = match["players"][seat]["id"]
            if own:
                lost[who].append(sum(one.lost for one in own))
                turned[who] += turns
    return {
        who: {"n": len(some), "lost": mean(some), "turning_points": turned[who]} for who, some in lost.items()
    }


@pytest.mark.parametrize("scope", [TWO, FOUR], ids=["chouine", "coinche"])
def test_points_lost_a_deal_are_those_of_solve(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> None:
    logs = documents() if scope is TWO else simulated("coinche", "tournoi-2018", 4)
    every = by_hand(list(logs) + simulated("chouine", "mondoubleau", 2) * (scope is TWO))
    for who in every:
        row = endgame_losses.endgame_losses(cursor, scope, _player(cursor, who)).row(0, named=True)
        assert {"n": row["n"], "turning_points": row["turning_points"]} == {
            key: every[who][key] for key in ("n", "turning_points")
        }
        assert row["lost"] == pytest.approx(every[who]["lost"])
        assert (row["lost_low"] is None) == (row["n"] < endgame_losses.MIN_DEALS)
        if row["lost_low"] is not None:
            assert 0 <= row["lost_low"] <= row["lost"] <= row["lost_high"]
        assert row["perfect"] <= row["chances"] <= row["n"]
        assert row["low"] <= (row["share"] or 0) <= row["high"]


def test_a_player_s_rows_add_up_and_lead_to_their_deals(cursor: duckdb.DuckDBPyConnection) -> None:
    for scope in (TWO, FOUR):
        [(number,)] = cursor.execute(MOST, [scope.game, scope.player_count]).fetchall()
        rows = list(endgame_losses.endgame_losses(cursor, scope, number).iter_rows(named=True))
        assert rows[0]["by"] == "all"
        months = [row for row in rows if row["by"] == "month"]
        for name in ("n", "chances", "perfect", "turning_points"):
            assert sum(row[name] for row in months) == rows[0][name] > 0
        assert sum(row["pending"] for row in months) <= rows[0]["pending"]
        opponents = sum(row["n"] for row in rows if row["by"] == "opponent")
        assert opponents == rows[0]["n"] * (1 if scope is TWO else 2)
        behind = SECTIONS["endgames"].narrow_to_row
        assert behind is not None
        for row in rows:
            assert player_deals.count_deals(cursor, scope, number, behind(row), False) == row["n"]


def test_no_interval_of_losses_begins_below_nothing() -> None:
    lost = {"n": [9, 10, 400], "lost": [2.0, 2.0, 2.0], "deviation": [6.3, 6.3, 6.3]}
    frame = pl.DataFrame(lost | {"perfect": [8, 9, 360], "chances": [9, 10, 400]})
    found = endgame_losses._with_intervals(frame)
    assert found["lost_low"].to_list() == pytest.approx([None, 0, 2 - 1.96 * 6.3 / 20])
    assert found["lost_high"][1:].to_list() == pytest.approx([2 + 1.96 * 6.3 / 10**0.5, 2.6174])
    assert endgame_losses.MIN_DEALS == 10
    assert f"an interval from {endgame_losses.MIN_DEALS} on" in SHARED_DEFINITIONS["end-lost"].text


def test_what_is_not_yet_reckoned_is_no_loss_and_no_row_but_the_first(
    cursor: duckdb.DuckDBPyConnection,
) -> None:
    number = _player(cursor, documents()[0]["players"][0]["id"])
    deals = len(documents()[0]["deals"])
    every, *others = endgame_losses.endgame_losses(cursor, TWO, number).iter_rows(named=True)
    assert every["pending"] == deals
    assert others
    assert all(row["n"] > 0 for row in others)
    assert "2031-02" not in [row["value"] for row in others]


def test_at_three_nothing_is_reported(cursor: duckdb.DuckDBPyConnection) -> None:
    who = simulated("chouine", "lavardin", 3)[0]["players"][0]["id"]
    assert "endgames" not in player_sections(cursor, Scope("chouine", 3), _player(cursor, who))


def test_the_matches_in_which_the_winner_turned(cursor: duckdb.DuckDBPyConnection) -> None:
    every = [
        *documents(),
        *(
            one
            for logs in (
                simulated("chouine", "mondoubleau", 2),
                simulated("coinche", "tournoi-2018", 4),
                simulated("belote", "classique", 4),
                simulated("belote", "coinchee", 4),
            )
            for one in logs
        ),
    ]
    expected = {one["id"] for one in every if any(turned for _, _, turned in plays(one))}
    found = matches.match_page(cursor, MatchFilter(has_turning_point=True), 100)
    assert {*found["log_id"]} == expected
    assert matches.count_matches(cursor, MatchFilter(has_turning_point=True)) == len(expected)


def _player(cursor: duckdb.DuckDBPyConnection, who: str) -> int:
    row = cursor.execute("SELECT player_no FROM players WHERE player_id = ?", [who]).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_the_profile_has_the_end_of_the_deal(ends: Path, open_page: Open, lang: str) -> None:
    who = documents()[0]["players"][0]["id"]
    query = {"player": who, "game": "Chouine", "view": "endgames", "lang": lang}
    app = open_page("joueurs", **query)
    [table] = tables_of(app)
    result = {"fr": "Points perdus par donne", "en": "Points lost a deal"}[lang]
    assert result in table.columns
    assert "end-lost" in explained(app)[result]
    detail = {"fr": "Donnes avec un choix", "en": "Deals with a choice"}[lang]
    assert detail not in table.columns
    [whole] = tables_of(open_page("joueurs", **query, details="true"))
    assert [*whole.columns][:2] == [*table.columns][:2]
    assert detail in whole.columns
    assert len(whole.columns) == len(table.columns) + 3
    deals = len(documents()[0]["deals"])
    left, caution = (one.value for one in app.info)
    assert f"{deals} " in left
    assert {"fr": "pas un reproche", "en": "not a reproach"}[lang] in caution
    message = " ".join(map(str, (*table.columns, left, caution))).lower()
    assert not any(word in message for word in ("mistake", "erreur", "accuracy", "précision"))
    opened = open_row(app, "sheet-endgames", 0)
    assert len(tables_of(opened)) == 2


def test_lists_have_what_each_side_lost(ends: Path, open_page: Open) -> None:
    with Store(ends, read_only=True) as store:
        found = endgame_losses.losses_of_matches(store.cursor(), [0]).row(0, named=True)
        log_id = store.cursor().execute("SELECT log_id FROM matches WHERE match_no = 0").fetchone()
    assert log_id is not None
    [table] = tables_of(open_page("rencontres", lang="en", game="Chouine", sort="oldest"))
    by_id = dict(zip(table["Id"], table["Points lost"], strict=True))
    assert by_id[log_id[0]] == " – ".join(map(str, found["lost"]))
    assert by_id["late"] == "not yet"
    three = [lost for id, lost in by_id.items() if id.startswith("chouine-3-")]
    assert set(three) == {"–"}
    [turned] = tables_of(open_page("rencontres", lang="en", has_turning_point="true"))
    assert len(turned) > 0
    assert "late" not in set(turned["Id"])


def test_the_api_says_what_the_queries_say(ends: Path) -> None:
    with Store(ends) as store:
        token = tokens.add_token(store, "a reader", tokens.Role.READER)
        who = documents()[0]["players"][0]["id"]
        number = _player(store.cursor(), who)
        expected = endgame_losses.endgame_losses(store.cursor(), TWO, number)
        of_deals = endgame_losses.endgame_values_of(store.cursor(), 0)
        found = store.cursor().execute("SELECT match_id FROM matches WHERE match_no = 0").fetchone()
        turned = matches.count_matches(store.cursor(), MatchFilter(has_turning_point=True))
    assert found is not None
    with clients({"reader": token}) as made:
        reader = made["reader"]
        rows = reader.get(f"/players/{who}", game="chouine", player_count=2).json()["rows"]
        items = [row for row in rows if row["section"] == "endgames"]
        keys = ("by", "value", "n", "lost", "perfect", "chances", "turning_points", "pending")
        assert [[row[key] for key in keys] for row in items] == [
            [row[key] for key in keys] for row in expected.iter_rows(named=True)
        ]
        deals = reader.get(f"/matches/{found[0]}").json()["deals"]
        for deal, row in zip(deals, of_deals.iter_rows(named=True), strict=True):
            result = deal["values"]
            assert result == {key: row[key] for key in result}
        assert any(row["turning_action_index"] is not None for row in of_deals.iter_rows(named=True))
        one = reader.get(f"/matches/{found[0]}/deals/1").json()
        again = reader.get(f"/matches/{found[0]}").json()["deals"]
        assert one["values"] == again[0]["values"]
        assert reader.get("/matches/late").json()["deals"][0]["values"] is None
        listed = reader.get("/matches", has_turning_point=True, limit=500).json()["matches"]
        assert len(listed) == turned


@pytest.mark.parametrize(("language", "text"), [("fr", "En 03/2026"), ("en", "In 2026-03")])
def test_a_month_is_written_as_dates_are(language: str, text: str) -> None:
    row = {"by": "month", "value": "2026-03", "event": None}
    assert LOSS_GROUP_COLUMN.cell(row, translator(language, "dashboard")) == text
