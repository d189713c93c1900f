"""Each game in the pipeline: simulated matches are legal, rows are what one counts by hand,
and the bulk side says what the explanation says.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.coinche.actions import LEVELS
from engine.games import game, game_names
from engine.options import game_presets
from ingest import check
from ingest.findings.finding import STATUSES
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate import batch as checking
from ingest.validate.slow_path import ValidationResult, validate
from schemas.simulated import simulate_season
from tests.ingest.logs import zipped

DATA = Path(__file__).parents[2] / "data"
SAMPLES = ["match-coinche", "match-chouineurs", "match-chouineurs-cartes", "match-lavardin"]
TABLES = [
    (name, preset, players)
    for name in game_names()
    for preset in game_presets(name)
    for players in game(name).players
]


def lines(*games: str, matches: int = 5, seed: int = 8) -> bytes:
    """Simulated matches as a file, every table of these games."""
    played = [
        match
        for name, preset, players in TABLES
        if name in games
        for match in simulate_season(name, matches, seed, preset, players)
    ]
    return "".join(json.dumps(match) + "\n" for match in played).encode()


@pytest.mark.parametrize(("name", "preset", "players"), TABLES)
def test_simulated_matches_of_every_table_are_legal(
    name: str, preset: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = simulate_season(name, 12, 3, preset, players)
    text = "".join(json.dumps(match) + "\n" for match in played).encode()
    explained: list[bytes] = []

    def counted(text: bytes, rules: Any = None) -> ValidationResult:
        explained.append(text)
        return validate(text, rules)

    monkeypatch.setattr(checking, "validate", counted)
    reports = list(check(("season", io.BytesIO(text))))
    assert len(reports) == 12
    assert [(report.status, report.findings) for report in reports] == [("legal", [])] * 12
    assert len(explained) == (0 if game(name).has_fast_path else 12)  # nothing legal is explained


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The samples, stored."""
    with Store(tmp_path_factory.mktemp("samples") / "store.duckdb") as store:
        (*reports,) = ingest(store, [DATA / f"{name}.json" for name in SAMPLES])
        assert [(report.added, report.by_status["legal"]) for report in reports] == [(1, 1)] * 4
        yield store


def rows(store: Store, log_id: str, query: str) -> list[tuple[Any, ...]]:
    sql = f"SELECT {query} WHERE match_no = (SELECT match_no FROM matches WHERE log_id = ?)"
    return sorted(store.cursor().execute(sql, [log_id]).fetchall())


def test_rows_of_a_coinche_match(store: Store) -> None:
    assert rows(store, "match-coinche", "game, player_count, deals, winning_side FROM matches") == [
        ("coinche", 4, 12, 1)
    ]
    assert rows(store, "match-coinche", "seat, score, manches, shutout_manches FROM seats") == [
        (1, 2030, None, None),
        (2, 830, None, None),
        (3, 2030, None, None),
        (4, 830, None, None),
    ]


def test_rows_of_coinche_contracts(store: Store) -> None:
    columns = "deal_index, contract, trump, declarer, coinched, contract_made"
    found = rows(store, "match-coinche", f"{columns} FROM deals")
    items = [
        (deal, None if level is None else f"{LEVELS[level]} {'shdc'[trump]}", *rest)
        for deal, level, trump, *rest in found
    ]
    assert items == [
        (0, None, None, 0, None),  # four passes
        (1, "match d", 2, 1, False),
        (2, "90 s", 1, 2, True),
        (3, None, None, 0, None),  # a misdeal
        (4, "90 d", 4, 0, False),
        (5, "60 d", 1, 0, True),
        (6, "70 s", 3, 0, True),
        (7, "80 c", 2, 0, True),
        (8, "80 s", 2, 0, True),
        (9, "80 c", 2, 0, True),
        (10, "70 s", 4, 0, True),
        (11, "90 s", 4, 0, None),  # stopped: neither made nor failed
    ]
    found = rows(store, "match-coinche", "deal_index, dealer, partie, void, winning_side, tricks FROM deals")
    assert found[0] == (0, 4, 1, None, 0, 0)
    assert found[3] == (3, None, None, "maldonne", None, 0)
    assert found[4] == (4, 3, 4, None, 1, 9)
    assert found[11] == (11, 2, 11, None, 1, 2)


def test_rows_of_seats_in_a_coinche_deal(store: Store) -> None:
    # deal 5: 60 diamonds; seat 1 takes 34, seat 3 takes 25, 6, 5 and the last trick's 5;
    # seat 2 takes 18, 14 and 14, seat 4 takes 20 and 16
    query = "seat, points, card_points, tricks, der, dealt, won, bid, bid_met FROM deal_seats"
    found = rows(store, "match-coinche", f"deal_index, {query}")
    assert [row[1:] for row in found if row[0] == 5] == [
        (1, 140, 70, 1, True, False, True, None, None),
        (2, 80, 82, 3, False, False, False, None, None),
        (3, 140, 70, 3, True, False, True, None, None),
        (4, 80, 82, 2, False, True, False, None, None),
    ]
    sides = [sum(row[2] for row in found if row[1] == seat) for seat in (1, 2)]
    assert sides == [2030, 830]


def test_rows_of_a_chouineurs_match(store: Store) -> None:
    found = rows(store, "match-chouineurs", "game, player_count, deals, winning_side FROM matches")
    assert found == [("chouineurs", 3, 4, 3)]
    assert rows(store, "match-chouineurs", "seat, score FROM seats") == [(1, 17), (2, 17), (3, 25)]
    query = "deal_index, manche, partie, dealer, winning_side, tricks, trump, contract FROM deals"
    assert rows(store, "match-chouineurs", query)[0] == (0, 1, 1, 2, 0, 7, None, None)
    assert [row[1] for row in rows(store, "match-chouineurs", query)] == [1, 2, 3, 4]


def test_rows_of_seats_in_a_manche_of_chouineurs(store: Store) -> None:
    # manche 1: tricks 2, 4 and 1 on the cards 3-4+, 2-3-4 (4 tricks: 4) and 1-2-3 (1 trick: 4);
    # reserve cards 2, 1 and 1
    query = "deal_index, seat, points, bonus, bid, bid_met, tricks, dealt, der, won FROM deal_seats"
    found = rows(store, "match-chouineurs", query)
    assert [row[1:] for row in found if row[0] == 0] == [
        (1, 2, 2, 4, False, 2, False, False, None),
        (2, 5, 1, 3, True, 4, True, True, None),
        (3, 5, 1, 2, True, 1, False, False, None),
    ]


def test_rows_of_own_bid_cards(store: Store) -> None:
    match = json.loads((DATA / "match-chouineurs-cartes.json").read_bytes())
    names = list(match["bid_cards"])
    query = "deal_index, seat, bid, points FROM deal_seats"
    for deal, seat, bid, points in rows(store, "match-chouineurs-cartes", query):
        result = match["deals"][deal]
        assert (names[bid], points) == (result["bids"][seat - 1], result["points"][seat - 1])


def content(path: Path, text: bytes) -> dict[str, list[tuple[Any, ...]]]:
    """Everything a store derives from a file."""
    with Store(path) as store:
        (report,) = ingest(store, [("file", io.BytesIO(text))], on_conflict=OnConflict.BOTH)
        assert report.added == len(text.splitlines())
        cursor = store.cursor()
        tables = ["matches", "seats", "deals", "deal_seats", "announcements", "findings", "players"]
        return {table: sorted(cursor.execute(f"FROM {table}").fetchall(), key=repr) for table in tables}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in game_names() if game(name).has_fast_path])
def test_rows_are_the_same_from_the_bulk_side_and_from_the_explanation(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = lines(name, matches=3).splitlines()
    unnamed = json.loads(played[0])
    unnamed["players"][0] |= {"id": "nobody's", "name": ""}
    text = b"\n".join([json.dumps(unnamed).encode(), *played[1:]])
    bulk = content(tmp_path / "bulk.duckdb", text)
    monkeypatch.setattr(checking, "game_names", tuple)
    assert content(tmp_path / "explained.duckdb", text) == bulk


@pytest.mark.slow
@pytest.mark.parametrize("name", game_names())
@pytest.mark.sample("coinche")
def test_faulty_logs_of_every_game_are_stored_whole(name: str, tmp_path: Path) -> None:
    paths = sorted((DATA / "fautes" / name).glob("*.json"))
    paths = [path for path in paths if not path.stem.endswith(".expected")]
    packed = zipped(**{path.name: path.read_bytes() for path in paths})
    with Store(tmp_path / "store.duckdb") as store:
        [report] = ingest(store, [("fautes.zip", io.BytesIO(packed))], on_conflict=OnConflict.BOTH)
        assert report.added == len(paths)
        stored = store.cursor().execute("SELECT status, findings FROM matches").fetchall()
        expected = [validate(path.read_bytes()) for path in paths]
        assert stored == [(found.status, len(found.findings)) for found in expected]
        assert {status for status, _ in stored} <= set(STATUSES)
        items = store.cursor().execute("SELECT code FROM findings ORDER BY ALL").fetchall()
        assert {code for (code,) in items} == {path.stem for path in paths}
