"""Score sheets from text to verdict to rows: recorded, not verified, and never in card statistics."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from data.build_samples import SHEET_SAMPLES, sheet_of
from data.layout import format_match
from engine.games import game_names
from ingest import check
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.revalidate import revalidate_matches
from ingest.validate.slow_path import ValidationResult, validate

DATA = Path(__file__).parents[2] / "data"


def played(name: str) -> dict[str, Any]:
    """The match that a sheet which ships is the sheet of."""
    return json.loads((DATA / f"{SHEET_SAMPLES[name]}.json").read_bytes())


def explained(match: dict[str, Any]) -> ValidationResult:
    return validate(json.dumps(match).encode())


def found(match: dict[str, Any]) -> list[tuple[str, str]]:
    """Code and place of each finding."""
    return [(one.code, one.path) for one in explained(match).findings]


def stored(store: Store, *matches: dict[str, Any]) -> None:
    lines = b"\n".join(json.dumps(one).encode() for one in matches)
    list(ingest(store, [("sheets.jsonl", BytesIO(lines))]))


@pytest.mark.parametrize("name", SHEET_SAMPLES)
def test_a_sheet_that_ships_is_that_of_its_match_and_unproven(name: str) -> None:
    path = DATA / "feuilles" / f"{name}.json"
    sheet = sheet_of(played(name)) | {"id": f"feuille-{name}"}
    assert path.read_text(encoding="utf-8") == format_match(sheet)
    log, whole = explained(sheet), explained(played(name))
    (note,) = log.findings
    assert (note.code, note.severity, note.found) == ("score-sheet", "note", len(log.score_line_ends))
    assert log.status == "unverified"
    assert whole.match_record is not None
    assert log.match_record is not None
    assert log.scores == whole.scores
    assert int(log.match_record["winner"]) == int(whole.match_record["winner"])
    [report] = check(path)
    assert report.status == "unverified"


def test_every_game_ships_a_sheet() -> None:
    assert set(SHEET_SAMPLES) == set(game_names())


@pytest.mark.parametrize("name", SHEET_SAMPLES)
def test_a_match_may_mix_lines_and_played_deals(name: str) -> None:
    whole = played(name)
    mixed = whole | {
        "deals": [
            one if place % 2 else line
            for place, (one, line) in enumerate(zip(whole["deals"], sheet_of(whole)["deals"], strict=True))
        ]
    }
    log = explained(mixed)
    assert log.status == "unverified"
    assert [one.code for one in log.findings] == ["score-sheet"]
    assert log.scores == explained(whole).scores


def chouine(*deals: dict[str, Any], **more: Any) -> dict[str, Any]:
    players = [{"id": "lucie"}, {"id": "marcel"}]
    return {"format": "retourne/1", "game": "chouine", "players": players, "deals": [*deals]} | more


WON = {"dealer": 1, "points": [57, 73], "winner": 2}


def test_a_line_may_say_next_to_nothing() -> None:
    lines: tuple[dict[str, Any], ...] = (
        {"winner": 1},
        {"points": [57, 73]},
        {"score_line": {}},
        {"score_line": {"end": "2 resign"}},
    )
    for line in lines:
        assert explained(chouine({"dealer": 1} | line)).status == "unverified"
    # a deal of which nothing at all is recorded is one that was not played to its end
    assert found(chouine({"dealer": 1})) == [("incomplete", "/deals/0/actions")]


def test_a_score_line_of_a_played_deal_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    whole = json.loads((DATA / "exemple-lavardin.json").read_bytes())
    whole["deals"][0]["score_line"] = {"announcements": ["1 quinte"]}
    assert found(whole) == [("score-line-ignored", "/deals/0/score_line")]
    assert explained(whole).status == "legal"
    # nor is such a match vouched for in bulk
    many = [json.dumps(whole | {"id": str(copy)}) for copy in range(12)]
    path.write_text("\n".join(many), encoding="utf-8")
    assert [len(report.findings) for report in check(path)] == [1] * 12


def test_ch_25_who_deals_next_and_when_the_match_ends() -> None:
    rules = {"preset": "lavardin", "parties": 2, "manches": 1}
    again = WON | {"dealer": 2}
    over = chouine(WON, again, rules=rules, result={"score": [0, 2], "winner": 2})
    assert found(over) == [("score-sheet", "/deals/0")]
    assert found(chouine(WON, WON, rules=rules)) == [("wrong-dealer", "/deals/1/dealer")]
    after = chouine(WON, again, WON, rules=rules)
    assert found(after) == [("deal-after-match", "/deals/2")]
    wrong = over | {"result": {"score": [2, 0], "winner": 1}}
    assert found(wrong) == [("score-differs", "/result/score"), ("result-differs", "/result/winner")]


def test_ch_30_under_the_table_by_sheet_alone() -> None:
    rules = {"preset": "lavardin", "parties": 2, "manches": 1}
    log = explained(chouine(WON, WON | {"dealer": 2}, rules=rules))
    assert log.match_record is not None
    assert log.match_record["under"].tolist()[:2] == [0, 1]


def test_ch_25_a_manche_recorded_wrong_and_the_tail_of_a_match() -> None:
    tail = {"score": [4, 2], "manche": 1}
    assert found(chouine(WON | {"winner": 2, "manche": 2}, start=tail)) == [
        ("manche-differs", "/deals/0/manche")
    ]
    log = explained(chouine({"dealer": 1, "winner": 1}, start=tail))
    assert log.scores == [[5, 2]]


def test_an_act_or_a_seat_nobody_knows_is_reported_at_its_place() -> None:
    fields = {"announcements": ["1 mariage", "3 mariage-h"], "end": "2 gives up"}
    log = explained(chouine(WON | {"score_line": fields}))
    assert [(one.code, one.path) for one in log.findings] == [
        ("unknown-action", "/deals/0/score_line/announcements/0"),
        ("no-such-seat", "/deals/0/score_line/announcements/1"),
        ("unknown-action", "/deals/0/score_line/end"),
    ]
    assert log.status == "broken"
    assert found(chouine(WON | {"dealer": 3})) == [("deal-seat", "/deals/0/dealer")]


def test_cr_7_a_bid_that_was_met_by_the_sheet_is_spent() -> None:
    line = {"leader": 1, "points": [9, 3, 6], "winner": 1}
    fields = {"score_line": {"bids": ["2-3-4", "0-1", "3-4+"], "reserve": [0, 0, 1]}}
    players = [{"id": one} for one in ("lucie", "gaston", "odile")]
    match = {"format": "retourne/1", "game": "chouineurs", "players": players, "deck": "retourne"}
    again = line | {"points": [2, 9, 5], "winner": 2}
    again |= {"score_line": {"bids": ["2-3-4", "0-1-2", "1-2-3"], "reserve": [2, 1, 1]}}
    assert found(match | {"deals": [line | fields, again]}) == [
        ("bid-already-used", "/deals/1/score_line/bids/0")
    ]


def test_co_15_a_stop_that_falls_short_loses_its_marks_on_a_sheet_too() -> None:
    players = [{"id": one} for one in ("lucie", "gaston", "odile", "marcel")]
    match = {"format": "retourne/1", "game": "coinche", "players": players}
    fields = {"contract": {"bid": "1 bid 90h"}, "end": "1 won"}
    stop = {"dealer": 4, "points": [0, 60], "winner": 2, "score_line": fields}
    short = match | {"deals": [stop], "start": {"score": [500, 900]}}
    assert found(short) == [("score-sheet", "/deals/0")]
    log = explained(short)
    assert log.match_record is not None
    assert (int(log.match_record["over"]), int(log.match_record["winner"])) == (1, 1)
    enough = stop | {"points": [190, 60], "winner": 1}
    assert found(match | {"deals": [enough], "start": {"score": [1900, 900]}}) == [
        ("score-sheet", "/deals/0")
    ]
    assert found(match | {"deals": [enough], "start": {"score": [500, 900]}}) == [
        ("points-differ", "/deals/0/points"),
        ("winner-differs", "/deals/0/winner"),
    ]


# the store


@pytest.mark.slow
def test_a_line_has_rows_of_results_and_none_of_cards(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        stored(store, sheet_of(played("chouine")), chouine(WON, {"dealer": 2, "winner": 1}))
        cursor = store.cursor()
        deals = cursor.execute("SELECT is_score_line, deck, actions, tricks, trump FROM deals").fetchall()
        assert set(deals) == {(True, None, None, None, None)}
        seats = cursor.execute(
            "SELECT points, won, tricks, der, card_points, received FROM deal_seats"
            " WHERE match_no = 1 ORDER BY deal_index, seat"
        ).fetchall()
        nothing = (None,) * 4
        assert seats == [
            (57, False, *nothing),
            (73, True, *nothing),
            (None, True, *nothing),
            (None, False, *nothing),
        ]
        assert cursor.execute("SELECT count(*) FROM announcements").fetchone() == (0,)
        assert (
            cursor.execute("SELECT is_score_sheet, status::VARCHAR FROM matches").fetchall()
            == [(True, "unverified")] * 2
        )


@pytest.mark.slow
def test_a_sheet_is_read_again_as_it_was(tmp_path: Path) -> None:
    with Store(tmp_path / "club.duckdb") as store:
        stored(store, *(sheet_of(played(name)) for name in SHEET_SAMPLES))
        cursor = store.cursor()
        before = {table: cursor.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in DERIVED_TABLES}
        store.connection.execute("UPDATE matches SET rules_version = 0")
        list(revalidate_matches(store))
        after = {table: cursor.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in DERIVED_TABLES}
        assert after == before


@pytest.mark.slow
def test_a_sheet_beside_the_log_of_the_same_match_is_known(tmp_path: Path) -> None:
    """By the id both give themselves, or by players, day and score; the log wins."""
    whole = played("chouine")
    same = sheet_of(whole)
    other = same | {"id": "another", "event": {"name": "typed"}}
    stranger = other | {"id": "third", "players": [{"id": "x"}, {"id": "y"}]}
    with Store(tmp_path / "club.duckdb") as store:
        stored(store, whole, same, other, stranger)
        cursor = store.cursor()
        assert cursor.execute(
            "SELECT log_id FROM sheet_with_log JOIN matches USING (match_no)"
        ).fetchall() == [(whole["id"],), ("another",)]
        assert cursor.execute("SELECT DISTINCT log_no FROM sheet_with_log").fetchall() == [(0,)]
