"""Matches, figures and exports of the HTTP API are those of the pages, hidden names left out."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from dashboard.api.models import Match, Sampled
from dashboard.board.states import deal_states
from dashboard.queries import (
    announcements,
    head_to_head,
    ladder,
    matches,
    player_search,
    players,
    simulated_baseline,
)
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.store import open_store, replace_store, validated_match
from dashboard.tables import profile
from dashboard.tables.stats_query import NO_LIMIT
from ingest import sample as sample_of
from ingest.i18n import translator
from ingest.store import pseudonyms, purge, ratings
from ingest.store.ingest_files import ingest
from tests.dashboard.api import Client, first, is_problem
from tests.dashboard.conftest import FAUTES, documents
from tests.ingest.logs import another_match

Clients = dict[str, Client]
FAULTY = (FAUTES / "points-differ.json").read_bytes()
EVENT = documents()[0]["event"]["name"]
NO_FILE = b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--'


def test_the_list_is_the_page_s(reading: Clients) -> None:
    fields = reading["reader"].get("/matches", limit=500).json()
    expected = matches.match_page(open_store().cursor(), limit=500)
    assert [one["match_id"] for one in fields["matches"]] == expected["match_id"].to_list()
    assert [one["status"] for one in fields["matches"]] == expected["status"].to_list()
    names = [[seat["name"] for seat in one["players"]] for one in fields["matches"]]
    assert names == [row or [] for row in expected["names"].to_list()]
    assert fields["next"] is None
    for one in fields["matches"]:
        Match.model_validate(one)


FILTERS: dict[str, tuple[dict[str, Any], MatchFilter]] = {
    "words": ({"q": "monde"}, MatchFilter("monde")),
    "verdict": ({"status": ["irregular", "unreadable"]}, MatchFilter(statuses=("irregular", "unreadable"))),
    "game": ({"game": "coinche"}, MatchFilter(game="coinche")),
    "preset": ({"preset": "mondoubleau"}, MatchFilter(preset="mondoubleau")),
    "player": ({"player": "jean"}, MatchFilter(players=(0,))),
    "event": ({"event": documents()[0]["event"]["name"]}, MatchFilter(event=documents()[0]["event"]["name"])),
    "days": (
        {"since": "2026-03-02", "until": "2026-03-04"},
        MatchFilter(since="2026-03-02", until="2026-03-04"),  # type: ignore[arg-type]
    ),
    "announcement": ({"kind": "mariage"}, MatchFilter(kind="mariage")),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_those_of_the_matches_page(reading: Clients, name: str) -> None:
    requested, which = FILTERS[name]
    result = reading["reader"].get("/matches", limit=500, **requested).json()["matches"]
    expected = matches.match_page(open_store().cursor(), which, limit=500)["match_id"].to_list()
    assert [one["match_id"] for one in result] == expected
    assert 0 < len(result) < matches.count_matches(open_store().cursor())


@pytest.mark.slow
@pytest.mark.parametrize("sort", [name for name in matches.SORT_KEYS if name != "event"])
def test_pages_repeat_and_omit_nothing_while_matches_come_and_go(api: Clients, sort: str) -> None:
    every = matches.match_page(open_store().cursor(), limit=500, sort=sort)["match_id"].to_list()
    found, cursor, added = list[str](), None, None
    while True:
        fields = (
            api["admin"].get("/matches", limit=7, sort=sort, **({"cursor": cursor} if cursor else {})).json()
        )
        found += [one["match_id"] for one in fields["matches"]]
        cursor = fields["next"]
        if cursor is None:
            break
        assert cursor.isascii()
        assert httpx.QueryParams({"cursor": cursor}) == httpx.QueryParams(f"cursor={cursor}")
        if added is None:
            fresh = json.dumps({**another_match(), "id": "new", "_": 1}).encode()
            [added] = api["admin"].post("/logs", fresh).json()["files"][0]["matches"]
            api["admin"].ask("DELETE", f"/matches/{found[-1]}")  # the cursor's own
    assert added is not None
    assert [one for one in found if one != added["match_id"]] == every
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("cursor", ["x", "é", "WyJwbGF5ZWQiXQ", "WyJwbGF5ZWQiLCIyMDI2IiwzXQ", "bnVsbA", "MQ"])
def test_a_cursor_of_nobody_s_is_a_problem(reading: Clients, cursor: str) -> None:
    assert is_problem(reading["reader"].get("/matches", cursor=cursor), 422)


def test_one_match_has_its_deals_its_log_and_its_boards(reading: Clients) -> None:
    one = first(reading)
    reader, number = reading["reader"], open_store().find_match(one["match_id"])
    assert number is not None
    fields = reader.get(f"/matches/{one['match_id']}").json()
    assert {key: fields[key] for key in one} == one
    assert [deal["deal_number"] for deal in fields["deals"]] == list(range(1, one["deal_count"] + 1))
    assert reader.get(f"/matches/{one['match_id']}/log").content == open_store().read_match_text(number)
    board = reader.get(f"/matches/{one['match_id']}/deals/2", lang="fr").json()
    assert board.pop("values") == fields["deals"][1]["values"]
    expected = deal_states(validated_match(number), 1, translator("fr", "dashboard"))
    # pictures have whole paths
    assert board == json.loads(json.dumps(expected).replace('"./app/', '"/app/'))
    assert {face["src"][:5] for face in board["faces"].values()} == {"/app/"}
    for path, status in (("deals/0", 422), ("deals/99", 404), ("deals/x", 422)):
        assert is_problem(reader.get(f"/matches/{one['match_id']}/{path}"), status)
    for id in (one["match_id"][:8], one["log_id"]):
        assert reader.get(f"/matches/{id}").json()["match_id"] == one["match_id"]


def test_what_is_no_match_has_no_board_and_its_bytes_are_shown_by_no_browser(reading: Clients) -> None:
    [torn] = reading["reader"].get("/matches", status="unreadable").json()["matches"]
    log = reading["reader"].get(f"/matches/{torn['match_id']}/log")
    assert (log.content, log.headers["content-type"]) == (b"{", "application/octet-stream")
    assert log.headers["content-disposition"].startswith("attachment")
    assert is_problem(reading["reader"].get(f"/matches/{torn['match_id']}/deals/1"), 404)
    fields = reading["reader"].get(f"/matches/{torn['match_id']}/findings").json()
    assert (fields["status"], fields["findings"][0]["code"]) == ("unreadable", "not-json")


@pytest.mark.slow
def test_findings_are_those_of_a_check_with_their_edits(api: Clients) -> None:
    [sent] = api["contributor"].post("/logs", FAULTY).json()["files"][0]["matches"]
    fields = api["reader"].get(f"/matches/{sent['match_id']}/findings").json()
    checked = api["reader"].post("/check", FAULTY).json()
    assert fields["findings"] == checked["findings"]
    assert fields["findings"][0]["edit"]


@pytest.mark.slow
def test_of_several_matches_with_one_log_s_id_none_is_taken_for_the_other(api: Clients) -> None:
    repeated = [{**json.loads(FAULTY), "id": "a/b", "event": {"name": name}} for name in "XY"]
    repeated += [{**one, "id": "same"} for one in repeated]
    body = b"".join(json.dumps(one).encode() + b"\n" for one in repeated)
    sent = api["admin"].post("/logs?on_conflict=both", body).json()["files"][0]["matches"]
    ids = {name: {one["match_id"] for one in sent if one["log_id"] == name} for name in ("a/b", "same")}
    for method, below in (("GET", ""), ("GET", "/log"), ("GET", "/findings"), ("DELETE", "")):
        refused = api["admin"].ask(method, f"/matches/same{below}")
        assert is_problem(refused, 409)
        assert set(refused.json()["ids"]) == ids["same"]
        assert is_problem(api["admin"].ask(method, f"/matches/a%2Fb{below}"), 404)
    for name, known in ids.items():
        listed = api["nobody"].get("/matches", log_id=name).json()["matches"]
        assert {one["match_id"] for one in listed} == known
    one, other = ids["same"]
    assert api["admin"].ask("DELETE", f"/matches/{one}").status_code == 200
    assert api["nobody"].get("/matches/same").json()["match_id"] == other
    # the address of a log is never that of a match called so
    assert is_problem(api["nobody"].get(f"/matches/{other}%2Flog"), 404)


def test_the_matches_of_a_file_are_listed_as_webhooks_send_them(api: Clients) -> None:
    api["admin"].post("/logs", FAULTY)
    file = open_store().cursor().execute("SELECT max(file_no) FROM files").fetchall()[0][0]
    [one] = api["nobody"].get("/matches", file_no=file).json()["matches"]
    assert api["nobody"].get(f"/matches/{one['match_id']}/log").content == FAULTY.strip()


def test_an_export_of_ratings_has_all_there_are(api: Clients) -> None:
    exported = pl.read_csv(api["reader"].get("/exports/ratings.csv").content)
    [(count,)] = open_store().cursor().execute("SELECT count(*) FROM ratings").fetchall()
    assert exported.height == count > 0


@pytest.mark.slow
def test_what_was_purged_is_gone(api: Clients) -> None:
    known = first(api)["match_id"]
    number = open_store().find_match(known)
    assert number is not None
    replace_store(lambda opened: purge.purge_matches(opened, [number]))
    for path in ("", "/log", "/findings", "/deals/1"):
        assert is_problem(api["reader"].get(f"/matches/{known}{path}"), 410)
    assert is_problem(api["admin"].ask("DELETE", f"/matches/{known}"), 410)
    assert is_problem(api["admin"].ask("POST", f"/matches/{known}/undelete"), 410)


# names


@pytest.mark.slow
def test_no_answer_has_the_name_of_a_masked_player(api: Clients) -> None:
    [(number, _)] = player_search.find_exact(open_store().cursor(), "Jean")
    own = {"id": "jean-1", "event": {"name": "Chez Jean"}, "players": documents()[0]["players"]}
    fresh = json.dumps({**another_match(), **own, "comments": []}).encode()
    assert api["contributor"].post("/logs", fresh).status_code == 201
    result = pseudonyms.mask_player(open_store(), number)
    reader = api["reader"]
    found = reader.get("/matches", q="chez").json()["matches"]
    assert [one["log_id"] for one in found] == ["…-1"]
    assert found[0]["event"] == "Chez …"
    masked = next(seat for seat in found[0]["players"] if seat["name"] == result)
    assert masked["player_id"] is None
    paths = [
        "/matches?limit=500",
        "/players",
        f"/players/{result}",
        "/announcements?by=event",
        "/announcements?by=player",
        "/ladder",
        "/exports/matches.csv",
        "/exports/players.csv",
        "/exports/files.csv",
        "/exports/logs.jsonl",
        "/exports/raw.csv",
        "/exports/findings.jsonl",
        f"/head-to-head?first={result}&second=Zoé d’Orléans",
        *(f"/matches/{found[0]['match_id']}{rest}" for rest in ("", "/log", "/findings", "/deals/1")),
    ]
    for path in paths:
        answer = reader.ask("GET", path)
        assert answer.status_code == 200, path
        assert "jean" not in answer.text.casefold(), path
    assert is_problem(reader.get("/players/Jean"), 404)
    assert is_problem(reader.get("/matches", player="jean"), 404)


# figures


def rows_of(answer: httpx.Response) -> list[Any]:
    assert answer.status_code == 200, answer.text
    found: list[Any] = answer.json()["rows"]
    return found


def plainly(frame: pl.DataFrame) -> list[Any]:
    return [json.loads(line) for line in frame.write_ndjson().splitlines()]


@pytest.mark.slow
def test_figures_are_the_queries_of_the_pages(reading: Clients) -> None:
    reader, cursor, scope = reading["reader"], open_store().cursor(), Scope("chouine", 2)
    two = {"game": "chouine", "player_count": 2}
    assert rows_of(reader.get("/players", **two)) == plainly(
        players.players_table(cursor, scope, limit=NO_LIMIT)
    )
    frequencies = announcements.announcement_frequencies(cursor, scope)
    assert rows_of(reader.get("/announcements", **two)) == plainly(frequencies)
    by_event = announcements.frequencies_by(cursor, scope, "event")
    assert rows_of(reader.get("/announcements", by="event", **two)) == plainly(by_event)
    for count, query in (
        ("missed", announcements.missed_announcements),
        ("winning", announcements.wins_with_announcements),
    ):
        assert rows_of(reader.get("/announcements", count=count, **two)) == plainly(query(cursor, scope))
    hands = simulated_baseline.dealt_announcements(cursor, replace(scope, preset="lavardin"))
    answered = reader.get("/announcements", count="dealt", **two)
    assert rows_of(answered) == plainly(hands)
    assert answered.json()["scope"]["preset"] == "lavardin"
    [(zoe, _)] = player_search.find_exact(cursor, "Zoé d’Orléans")
    result = rows_of(reader.get("/players/Zoé d’Orléans", **two))
    sections = profile.player_sections(cursor, scope, zoe)
    assert [row["section"] for row in result] == [
        name for name, frame in sections.items() for _ in range(frame.height)
    ]
    [(jean, _)] = player_search.find_exact(cursor, "Jean")
    versus = rows_of(reader.get("/head-to-head", first="jean", second="Zoé d’Orléans"))
    score = [row for row in versus if row.pop("section") == "score"]
    assert score == plainly(head_to_head.score_table(cursor, scope, (jean,), (zoe,)))


@pytest.mark.slow
def test_the_ladder_is_shown_as_it_was_rated_last_and_asking_writes_nothing(api: Clients) -> None:
    match = json.dumps(dict(another_match(), id="late", played_at="2026-02-01T14:00:00Z"))
    list(ingest(open_store(), [("late.jsonl", BytesIO(match.encode()))]))
    assert ratings.stale_ladders(open_store())
    commits = open_store().version
    fields = api["nobody"].get("/ladder", game="chouine").json()
    assert open_store().version == commits
    which = Scope("chouine", 0, fields["scope"]["preset"])
    assert fields["is_current"] is False
    assert fields["rows"] == plainly(ladder.ladder_standings(open_store().cursor(), which, limit=NO_LIMIT))
    assert ratings.stale_ladders(open_store())


@pytest.mark.slow
def test_every_share_has_its_n_and_interval(reading: Clients) -> None:
    for path in ("/announcements", "/players", "/ladder"):
        for row in rows_of(reading["reader"].get(path)):
            assert {"share", "low", "high"} <= set(row) or path == "/ladder"
            assert {"n", "decided_deals"} & set(row)


@pytest.mark.parametrize(
    ("at", "status"),
    [
        ("/players/nobody", 404),
        ("/players?game=none", 422),
        ("/players?game=coinche&player_count=2", 404),
        ("/players?opponent=nobody", 404),
        ("/ladder?status=broken", 422),
        ("/announcements?score_sheets=true", 422),
        ("/announcements?count=missed&by=event", 422),
        ("/announcements?count=dealt&by=event", 422),
        ("/fairness?status=legal", 422),
        ("/head-to-head?first=jean", 422),
        ("/compare?player=jean", 422),
        ("/compare?player=jean&player=jean", 422),
        ("/compare?player=jean&player=nobody", 404),
        ("/head-to-head?first=jean&second=jean", 422),
        ("/head-to-head?first=jean&first=Zoé d’Orléans&second=nobody", 404),
    ],
)
def test_what_cannot_be_counted_is_a_problem(reading: Clients, at: str, status: int) -> None:
    assert is_problem(reading["reader"].ask("GET", at), status)


# exports


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_table_is_streamed_whole(reading: Clients, kind: str) -> None:
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[kind]
    answer = reading["reader"].get(f"/exports/seats.{kind}")
    frame = read(BytesIO(answer.content))  # type: ignore[operator]
    assert frame.height == open_store().cursor().execute("FROM seats").pl().height
    some = read(BytesIO(reading["reader"].get(f"/exports/seats.{kind}", game="coinche").content))  # type: ignore[operator]
    assert some.height == 8


def test_logs_come_back_as_they_were_and_anonymous_without_names(reading: Clients) -> None:
    result = reading["reader"].get("/exports/logs.jsonl", game="chouine", preset="lavardin").content
    assert json.loads(result.splitlines()[0]) == documents()[0]
    anonymous = reading["reader"].get("/exports/logs.jsonl", anonymous=True).text
    assert "Orléans" not in anonymous
    assert anonymous.count("\n") > 20


@pytest.mark.slow
def test_what_a_card_was_worth_is_what_solve_says(reading: Clients, tmp_path: Path) -> None:
    reader = reading["reader"]
    [one, *_] = reader.get("/matches", game="chouine", status=["legal"]).json()["matches"]
    text = reader.get(f"/matches/{one['match_id']}/log").content
    at = next(k for k, did in enumerate(json.loads(text)["deals"][0]["actions"]) if len(did) == 4)
    fields = reader.get(f"/matches/{one['match_id']}/deals/1/sample/{at + 1}").json()
    Sampled.model_validate(fields)
    assert fields["cards"]
    log = tmp_path / "log.json"
    log.write_bytes(text)
    result = sample_of(str(log), 0, at).as_dict(translator("en"))
    result["action_number"] = at + 1
    assert fields == {key: result[key] for key in fields}
    assert reader.get(f"/matches/{one['match_id']}/deals/1/sample/{at + 1}").json() == fields


def test_what_is_not_sampled_says_why_and_what_is_not_there_is_not_found(reading: Clients) -> None:
    reader = reading["reader"]
    [one, *_] = reader.get("/matches", game="chouineurs").json()["matches"]
    fields = reader.get(f"/matches/{one['match_id']}/deals/1/sample/1").json()
    assert fields["unsampled"] == "Deals of this game are not sampled."
    assert fields["cards"] is None
    for deal, action in ((1, 9999), (999, 1)):
        assert is_problem(reader.get(f"/matches/{one['match_id']}/deals/{deal}/sample/{action}"), 404)
    assert reader.get(f"/matches/{one['match_id']}/deals/1/sample/0").status_code == 422
