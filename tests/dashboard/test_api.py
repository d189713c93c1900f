"""The HTTP API, asked as programs ask it: what pages say it says, and to nobody more."""

import gzip
import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest
import zstandard

from dashboard import access
from dashboard.api import bodies, limits
from dashboard.api.models import Match
from dashboard.board.states import deal_states
from dashboard.command.counting import EVERY
from dashboard.queries import announcements, duels, ladder, matches, people, players
from dashboard.queries.matches import Filter
from dashboard.queries.scope import Scope
from dashboard.store import explained, store
from dashboard.tables import profile
from ingest.api import check
from ingest.i18n import translator
from ingest.store import audit, pseudonyms, purge, ratings, tokens
from ingest.store.served import Served
from tests.dashboard.api import Client, clients
from tests.dashboard.conftest import FAUTES, documents, lines

Clients = dict[str, Client]
FAULTY = (FAUTES / "points-differ.json").read_bytes()
EVENT = documents()[0]["event"]["name"]
NO_FILE = b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--'


def first(api: Clients) -> dict[str, Any]:
    """The match that is listed first."""
    found: dict[str, Any] = api["reader"].get("/matches").json()["matches"][0]
    return found


def is_problem(answer: httpx.Response, status: int) -> bool:
    """Whether an answer is a problem as RFC 9457 has it."""
    told = answer.json()
    return (
        answer.status_code == told["status"] == status
        and answer.headers["content-type"] == "application/problem+json"
        and {"type", "title"} <= set(told)
    )


# addresses


@pytest.mark.parametrize(
    "at",
    [
        "//api",
        "//api/",
        "//api/v2/matches",
        "//api/v1/matches/%0Ax",
        "//api/x%0Ay",
        "/nothing",
        "//api/v1",
        "/matches/",
        "/exports/a.csv",
    ],
)
@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_whatever_is_not_there_is_a_problem_and_no_page(api: Clients, at: str, accept: str) -> None:
    assert is_problem(api["nobody"].ask("GET", at, headers={"Accept": accept}), 404)
    assert api["nobody"].ask("GET", "//apiculture").text == "a page"


def test_a_method_that_is_none_and_what_is_not_understood_are_problems(api: Clients) -> None:
    refused = api["nobody"].ask("PUT", "/matches")
    assert is_problem(refused, 405)
    assert refused.headers["allow"] == "GET"
    wrong = api["nobody"].get("/matches", limit="many", since="yesterday")
    assert is_problem(wrong, 422)
    assert [one["where"] for one in wrong.json()["errors"]] == ["query.since", "query.limit"]


def test_another_host_and_another_site_are_refused_as_problems(api: Clients) -> None:
    there = {"Host": "evil.example"}
    assert is_problem(api["nobody"].ask("GET", "/matches", headers=there), 421)
    at = f"/matches/{first(api)['id']}"
    for origin in ("http://evil.example", "null"):
        refused = api["steward"].ask("DELETE", at, headers={"Origin": origin})
        assert is_problem(refused, 403)
    assert api["nobody"].get(at).status_code == 200


def test_a_token_that_lets_nobody_in_lets_nobody_read(api_tokens: dict[str, str]) -> None:
    with clients({"made up": "retourne_x"}) as api:
        refused = api["made up"].get("/matches")
    assert is_problem(refused, 401)
    assert refused.headers["www-authenticate"] == "Bearer"


def test_where_reading_is_closed_nobody_reads_without_a_token(api: Clients) -> None:
    tokens.close_reading(store(), True)
    for path in ("/matches", "/players", "/ladder", "/exports/matches.csv", "/announcements"):
        refused = api["nobody"].get(path)
        assert is_problem(refused, 401)
        assert refused.headers["www-authenticate"] == "Bearer"
        assert api["reader"].get(path).status_code == 200
    assert is_problem(api["nobody"].post("/check", FAULTY), 401)


def test_a_store_that_cannot_be_opened_is_a_problem(
    api: Clients, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.duckdb"
    other.write_bytes(b"no store")
    monkeypatch.setenv("RETOURNE_STORE", str(other))
    assert is_problem(api["nobody"].get("/matches"), 503)


def test_no_streamlit_is_needed() -> None:
    code = "import sys, dashboard.api.app; print('streamlit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_streamlit_and_the_api_take_uploads_of_the_same_size() -> None:
    import tomllib

    settings = Path(access.__file__).with_name(".streamlit") / "config.toml"
    most = tomllib.loads(settings.read_text(encoding="utf-8"))["server"]["maxUploadSize"]
    assert most << 20 == access.TO_ADD


# who may do what


@pytest.mark.parametrize(
    ("who", "check", "add", "delete", "export"),
    [
        ("nobody", 200, 401, 401, 200),
        ("reader", 200, 403, 403, 200),
        ("contributor", 200, 201, 403, 200),
        ("steward", 200, 201, 200, 200),
    ],
)
def test_each_role_may_do_what_it_may_on_the_pages(
    api: Clients, who: str, check: int, add: int, delete: int, export: int
) -> None:
    one = api[who]
    asked = first(api)["id"]
    assert one.post("/check", FAULTY).status_code == check
    assert one.post("/logs", FAULTY).status_code == add
    assert one.ask("DELETE", f"/matches/{asked}").status_code == delete
    assert one.get("/exports/deals.csv").status_code == export
    restored = api[who].ask("POST", f"/matches/{asked}/restore").status_code
    assert restored == {"contributor": 409}.get(who, delete)


def test_on_a_computer_of_one_s_own_no_token_is_needed(games: Path) -> None:
    with clients({}) as api:
        assert api["nobody"].post("/logs", FAULTY).status_code == 201
        access.serve(Served("0.0.0.0"))
        try:
            assert is_problem(api["nobody"].post("/logs", FAULTY), 401)
        finally:
            access.serve(Served())


def test_a_contributor_takes_back_and_brings_back_what_is_theirs_alone(api: Clients) -> None:
    mine = api["contributor"]
    [sent] = mine.post("/logs", FAULTY).json()["files"][0]["matches"]
    assert is_problem(mine.ask("DELETE", f"/matches/{first(api)['id']}"), 403)
    assert mine.ask("DELETE", f"/matches/{sent['id']}").json()["id"] == sent["id"]
    assert is_problem(mine.get(f"/matches/{sent['id']}"), 404)
    assert mine.ask("POST", f"/matches/{sent['id']}/restore").json() == {"id": sent["id"]}
    other = first(api)["id"]
    api["steward"].ask("DELETE", f"/matches/{other}")
    assert is_problem(mine.ask("POST", f"/matches/{other}/restore"), 403)
    assert audit.files_of(store().cursor(), 2)


def test_of_a_deletion_of_many_one_match_is_brought_back_alone(api: Clients) -> None:
    from ingest.store import trash

    before = matches.count(store().cursor())
    trash.delete(store(), [0, 1, 2])
    [gone] = trash.deletions(store().cursor())
    [(known,)] = (
        store().cursor().execute("SELECT match_id FROM trash WHERE match_no = 1").fetchall()
    )
    assert api["steward"].ask("POST", f"/matches/{known}/restore").status_code == 200
    assert matches.count(store().cursor()) == before - 2
    assert trash.undelete(store(), gone.number) == (2, 0)


# logs that are sent


def test_check_says_what_the_command_says_and_keeps_nothing(api: Clients) -> None:
    before = matches.count(store().cursor())
    body = lines() + json.dumps(json.loads(FAULTY)).encode() + b"\n{\n"
    told = api["reader"].post("/check", body, params={"name": "club.jsonl"})
    expected = [
        report.as_dict(translator("en", "dashboard"))
        for report in check(("club.jsonl", BytesIO(body)))
    ]
    assert [json.loads(line) for line in told.text.splitlines()] == json.loads(json.dumps(expected))
    assert expected[-1]["status"] == "unreadable"
    assert expected[-2]["findings"][0]["edit"]
    listed = api["reader"].post(
        "/check", body, params={"name": "club.jsonl"}, headers={"Accept": "application/json"}
    )
    assert listed.json() == json.loads(json.dumps(expected))
    assert matches.count(store().cursor()) == before


@pytest.mark.parametrize("torn", [b"", b"{", b"\xff\xfe", b'{"a": "\\ud800"}', b"[1e999, NaN]"])
def test_a_torn_log_is_a_finding_in_a_200(api: Clients, torn: bytes) -> None:
    answer = api["nobody"].post("/check", torn, "application/json")
    assert answer.status_code == 200
    assert json.loads(answer.text.splitlines()[0])["status"] == "unreadable"


def test_findings_speak_the_language_that_is_asked_for(api: Clients) -> None:
    for how, word in (
        ({"params": {"lang": "fr"}}, "feuille"),
        ({"headers": {"Accept-Language": "fr-FR,fr;q=0.9"}}, "feuille"),
        ({}, "sheet"),
    ):
        told = api["nobody"].post("/check", FAULTY, **how).json()  # type: ignore[arg-type]
        assert word in told["findings"][0]["message"]


PACKED: dict[str, Any] = {
    "plain": (FAULTY, {}),
    "gzip": (gzip.compress(FAULTY), {"Content-Encoding": "gzip"}),
    "zstd": (zstandard.compress(FAULTY), {"Content-Encoding": "zstd"}),
    "a gzip file": (gzip.compress(FAULTY), {"Content-Type": "application/gzip"}),
}


@pytest.mark.parametrize("packed", PACKED)
def test_logs_come_packed_or_not_and_once(api: Clients, packed: str) -> None:
    body, headers = PACKED[packed]
    for status, kept, known in ((201, 1, 0), (200, 0, 1)):
        answer = api["contributor"].post("/logs", body, headers=headers)
        told = answer.json()
        assert (answer.status_code, sum(told["kept"].values()), told["known"]) == (
            status,
            kept,
            known,
        )
    [one] = told["files"][0]["matches"]
    assert api["reader"].get(f"/matches/{one['id']}").json()["status"] == one["status"]
    assert api["reader"].get(f"/matches/{one['id']}/log").content == FAULTY.strip()


def test_many_files_come_as_parts_of_a_form(api: Clients) -> None:
    fresh = {**json.loads(FAULTY), "id": "another"}
    parts = [
        ("file", ("known.jsonl", lines())),
        ("file", ("new.json.gz", gzip.compress(json.dumps(fresh).encode()))),
        ("more", ("none.json", b"")),
    ]
    answer = api["contributor"].ask("POST", "/logs", files=parts)
    told = answer.json()
    assert answer.status_code == 201
    assert (told["added"], told["known"], told["refused"]) == (0, 6, 1)
    assert told["kept"] == {"irregular": 1}
    assert [one["file"] for one in told["files"]] == ["known.jsonl", "new.json.gz", "none.json"]
    assert told["files"][1]["matches"][0]["log_id"] == "another"
    assert told["files"][1]["matches"][0]["findings"]
    assert told["files"][2]["unstored"][0]["findings"][0]["code"] == "empty-file"


def test_what_is_no_log_at_all_is_a_problem_with_the_report(api: Clients) -> None:
    refused = api["contributor"].post("/logs", b"")
    assert is_problem(refused, 422)
    assert refused.json()["report"]["refused"] == 1


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (FAULTY, "text/html", 415),
        (FAULTY, "application/x-www-form-urlencoded", 415),
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=a", 400),
        (
            b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--',
            "multipart/form-data; boundary=a",
            400,
        ),
    ],
)
def test_a_body_of_another_kind_is_a_problem(
    api: Clients, body: bytes, kind: str, status: int
) -> None:
    for path in ("/check", "/logs"):
        assert is_problem(api["contributor"].post(path, body, kind), status)
    coded = api["contributor"].post("/logs", FAULTY, headers={"Content-Encoding": "br"})
    assert is_problem(coded, 415)


def test_what_is_too_large_is_refused_said_or_not(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.api.logs.TO_CHECK", 100)
    assert is_problem(api["reader"].post("/check", FAULTY), 413)

    async def blocks() -> Any:
        yield FAULTY[:50]
        yield FAULTY[50:]

    unsaid = api["reader"].ask(
        "POST", "/check", content=blocks(), headers={"Content-Type": "application/json"}
    )
    assert is_problem(unsaid, 413)
    form = api["reader"].ask("POST", "/check", files={"file": ("a.json", FAULTY)})
    assert is_problem(form, 413)
    assert api["contributor"].post("/check", FAULTY).status_code == 200


def test_past_so_many_uploads_at_a_time_another_is_to_come_later(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_uploads", limits.UPLOADS)
    refused = api["contributor"].post("/logs", FAULTY)
    assert is_problem(refused, 429)
    assert int(refused.headers["retry-after"]) > 0


def test_a_body_that_does_not_go_on_is_given_up(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    from anyio import sleep

    monkeypatch.setattr(bodies, "PATIENCE", 0.05)

    async def slow() -> Any:
        yield b"{"
        await sleep(2)
        yield b"}"

    told = api["reader"].ask(
        "POST", "/check", content=slow(), headers={"Content-Type": "application/json"}
    )
    assert told.status_code in (200, 408)


def test_past_twenty_requests_a_second_a_client_waits(api_tokens: dict[str, str]) -> None:
    with clients(api_tokens, rate=limits.RATE) as api:
        statuses = [api["nobody"].get("/nothing").status_code for _ in range(60)]
        assert statuses[:20] == [404] * 20
        assert 429 in statuses
        refused = next(
            one for _ in range(60) if (one := api["nobody"].get("/nothing")).status_code == 429
        )
        assert is_problem(refused, 429)
        assert refused.headers["retry-after"] == "1"
        assert api["reader"].get("/nothing").status_code == 404  # another client


# matches


def test_the_list_is_the_page_s(api: Clients) -> None:
    told = api["reader"].get("/matches", limit=500).json()
    expected = matches.page(store().cursor(), limit=500)
    assert [one["id"] for one in told["matches"]] == expected["match_id"].to_list()
    assert [one["status"] for one in told["matches"]] == expected["status"].to_list()
    names = [[seat["name"] for seat in one["players"]] for one in told["matches"]]
    assert names == [row or [] for row in expected["names"].to_list()]
    assert told["next"] is None
    for one in told["matches"]:
        Match.model_validate(one)


FILTERS: dict[str, tuple[dict[str, Any], Filter]] = {
    "words": ({"q": "monde"}, Filter("monde")),
    "verdict": (
        {"status": ["irregular", "unreadable"]},
        Filter(statuses=("irregular", "unreadable")),
    ),
    "game": ({"game": "coinche"}, Filter(game="coinche")),
    "rules": ({"rules": "mondoubleau"}, Filter(preset="mondoubleau")),
    "player": ({"player": "jean"}, Filter(players=(0,))),
    "event": (
        {"event": documents()[0]["event"]["name"]},
        Filter(event=documents()[0]["event"]["name"]),
    ),
    "days": (
        {"since": "2026-03-02", "until": "2026-03-04"},
        Filter(since="2026-03-02", until="2026-03-04"),  # type: ignore[arg-type]
    ),
    "announcement": ({"kind": "mariage"}, Filter(kind="mariage")),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_those_of_parties(api: Clients, name: str) -> None:
    asked, which = FILTERS[name]
    told = api["reader"].get("/matches", limit=500, **asked).json()["matches"]
    expected = matches.page(store().cursor(), which, limit=500)["match_id"].to_list()
    assert [one["id"] for one in told] == expected
    assert 0 < len(told) < matches.count(store().cursor())


@pytest.mark.parametrize("sort", [name for name in matches.KEYS if name != "event"])
def test_pages_repeat_and_omit_nothing_while_matches_come_and_go(api: Clients, sort: str) -> None:
    every = matches.page(store().cursor(), limit=500, sort=sort)["match_id"].to_list()
    found, cursor, added = list[str](), None, None
    while True:
        told = (
            api["steward"]
            .get("/matches", limit=7, sort=sort, **({"cursor": cursor} if cursor else {}))
            .json()
        )
        found += [one["id"] for one in told["matches"]]
        cursor = told["next"]
        if cursor is None:
            break
        assert cursor.isascii()
        assert httpx.QueryParams({"cursor": cursor}) == httpx.QueryParams(f"cursor={cursor}")
        if added is None:
            fresh = json.dumps({**documents()[0], "id": "new", "_": 1}).encode()
            [added] = api["steward"].post("/logs", fresh).json()["files"][0]["matches"]
            api["steward"].ask("DELETE", f"/matches/{found[-1]}")  # the cursor's own
    assert added is not None
    assert [one for one in found if one != added["id"]] == every
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "cursor", ["x", "é", "WyJwbGF5ZWQiXQ", "WyJwbGF5ZWQiLCIyMDI2IiwzXQ", "bnVsbA", "MQ"]
)
def test_a_cursor_of_nobody_s_is_a_problem(api: Clients, cursor: str) -> None:
    assert is_problem(api["reader"].get("/matches", cursor=cursor), 422)


def test_one_match_has_its_deals_its_log_and_its_boards(api: Clients) -> None:
    one = first(api)
    reader, number = api["reader"], store().find(one["id"])
    assert number is not None
    told = reader.get(f"/matches/{one['id']}").json()
    assert {key: told[key] for key in one} == one
    assert [deal["number"] for deal in told["per_deal"]] == list(range(1, one["deals"] + 1))
    assert reader.get(f"/matches/{one['id']}/log").content == store().text(number)
    board = reader.get(f"/matches/{one['id']}/deals/2", lang="fr").json()
    expected = deal_states(explained(number), 1, translator("fr", "dashboard"))
    assert board == json.loads(json.dumps(expected))
    for path, status in (("deals/0", 422), ("deals/99", 404), ("deals/x", 422)):
        assert is_problem(reader.get(f"/matches/{one['id']}/{path}"), status)
    for id in (one["id"][:8], one["log_id"]):
        assert reader.get(f"/matches/{id}").json()["id"] == one["id"]


def test_what_is_no_match_has_no_board_and_its_bytes_are_shown_by_no_browser(
    api: Clients,
) -> None:
    [torn] = api["reader"].get("/matches", status="unreadable").json()["matches"]
    log = api["reader"].get(f"/matches/{torn['id']}/log")
    assert (log.content, log.headers["content-type"]) == (b"{", "application/octet-stream")
    assert log.headers["content-disposition"].startswith("attachment")
    assert is_problem(api["reader"].get(f"/matches/{torn['id']}/deals/1"), 404)
    told = api["reader"].get(f"/matches/{torn['id']}/findings").json()
    assert (told["status"], told["findings"][0]["code"]) == ("unreadable", "not-json")


def test_findings_are_those_of_a_check_with_their_edits(api: Clients) -> None:
    [sent] = api["contributor"].post("/logs", FAULTY).json()["files"][0]["matches"]
    told = api["reader"].get(f"/matches/{sent['id']}/findings").json()
    checked = api["reader"].post("/check", FAULTY).json()
    assert told["findings"] == checked["findings"]
    assert told["findings"][0]["edit"]


def test_what_was_purged_is_gone(api: Clients) -> None:
    from dashboard.store import rewritten

    known = first(api)["id"]
    number = store().find(known)
    assert number is not None
    rewritten(lambda opened: purge.purge_matches(opened, [number]))
    for path in ("", "/log", "/findings", "/deals/1"):
        assert is_problem(api["reader"].get(f"/matches/{known}{path}"), 410)
    assert is_problem(api["steward"].ask("DELETE", f"/matches/{known}"), 410)
    assert is_problem(api["steward"].ask("POST", f"/matches/{known}/restore"), 410)


# names


def test_no_answer_has_the_name_of_a_masked_player(api: Clients) -> None:
    [(number, _)] = people.exactly(store().cursor(), "Jean")
    fresh = json.dumps(
        {**documents()[0], "id": "jean-1", "event": {"name": "Chez Jean"}, "comments": []}
    ).encode()
    assert api["contributor"].post("/logs", fresh).status_code == 201
    told = pseudonyms.mask(store(), number)
    reader = api["reader"]
    found = reader.get("/matches", q="chez").json()["matches"]
    assert [one["log_id"] for one in found] == ["…-1"]
    assert found[0]["event"] == "Chez …"
    masked = next(seat for seat in found[0]["players"] if seat["name"] == told)
    assert masked["id"] is None
    paths = [
        "/matches?limit=500",
        "/players",
        f"/players/{told}",
        "/announcements?by=event",
        "/announcements?by=player",
        "/ladder",
        "/exports/matches.csv",
        "/exports/players.csv",
        "/exports/files.csv",
        "/exports/logs.jsonl",
        "/exports/raw.csv",
        "/exports/findings.jsonl",
        f"/head-to-head?one={told}&other=Zoé d’Orléans",
        *(f"/matches/{found[0]['id']}{rest}" for rest in ("", "/log", "/findings", "/deals/1")),
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


def test_figures_are_the_queries_of_the_pages(api: Clients) -> None:
    reader, ask, scope = api["reader"], store().cursor(), Scope("chouine", 2)
    two = {"game": "chouine", "table": 2}
    assert rows_of(reader.get("/players", **two)) == plainly(players.table(ask, scope, limit=EVERY))
    frequencies = announcements.frequencies(ask, scope)
    assert rows_of(reader.get("/announcements", **two)) == plainly(frequencies)
    by_event = announcements.by(ask, scope, "event")
    assert rows_of(reader.get("/announcements", by="event", **two)) == plainly(by_event)
    for of, query in (("missed", announcements.missed), ("winning", announcements.winning)):
        assert rows_of(reader.get("/announcements", of=of, **two)) == plainly(query(ask, scope))
    [(zoe, _)] = people.exactly(ask, "Zoé d’Orléans")
    told = rows_of(reader.get("/players/Zoé d’Orléans", **two))
    sections = profile.sections(ask, scope, zoe)
    assert [row["section"] for row in told] == [
        name for name, frame in sections.items() for _ in range(frame.height)
    ]
    [(jean, _)] = people.exactly(ask, "Jean")
    versus = rows_of(reader.get("/head-to-head", one="jean", other="Zoé d’Orléans"))
    score = [row for row in versus if row.pop("section") == "score"]
    assert score == plainly(duels.score(ask, scope, (jean,), (zoe,)))


def test_the_ladder_is_brought_up_to_date_before_it_is_told(api: Clients) -> None:
    assert ratings.stale(store())
    told = api["nobody"].get("/ladder", game="chouine").json()
    assert not ratings.stale(store())
    which = Scope("chouine", 0, told["scope"]["rules"])
    assert told["rows"] == plainly(ladder.standings(store().cursor(), which, limit=EVERY))


def test_every_share_has_its_n_and_interval(api: Clients) -> None:
    for path in ("/announcements", "/players", "/ladder"):
        for row in rows_of(api["reader"].get(path)):
            assert {"share", "low", "high"} <= set(row) or path == "/ladder"
            assert {"n", "parties"} & set(row)


@pytest.mark.parametrize(
    ("at", "status"),
    [
        ("/players/nobody", 404),
        ("/players?game=none", 404),
        ("/players?opponent=nobody", 404),
        ("/ladder?status=broken", 422),
        ("/announcements?sheets=true", 422),
        ("/announcements?of=missed&by=event", 422),
        ("/fairness?status=legal", 422),
        ("/head-to-head?one=jean", 422),
        ("/head-to-head?one=jean&other=jean", 422),
        ("/head-to-head?one=jean&one=Zoé d’Orléans&other=nobody", 404),
    ],
)
def test_what_cannot_be_counted_is_a_problem(api: Clients, at: str, status: int) -> None:
    assert is_problem(api["reader"].ask("GET", at), status)


# exports


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_table_is_streamed_whole(api: Clients, kind: str) -> None:
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[kind]
    answer = api["reader"].get(f"/exports/seats.{kind}")
    frame = read(BytesIO(answer.content))  # type: ignore[operator]
    assert frame.height == store().cursor().execute("FROM seats").pl().height
    some = read(BytesIO(api["reader"].get(f"/exports/seats.{kind}", game="coinche").content))  # type: ignore[operator]
    assert some.height == 8


def test_logs_come_back_as_they_were_and_anonymous_without_names(api: Clients) -> None:
    told = api["reader"].get("/exports/logs.jsonl", game="chouine", rules="lavardin").content
    assert json.loads(told.splitlines()[0]) == documents()[0]
    anonymous = api["reader"].get("/exports/logs.jsonl", anonymous=True).text
    assert "Orléans" not in anonymous
    assert anonymous.count("\n") > 20


# what programs and people read of it


def test_the_document_has_every_operation_and_its_page_loads_nothing(api: Clients) -> None:
    document = api["nobody"].get("/openapi.json").json()
    operations = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert operations == {
        "POST /check",
        "POST /logs",
        "GET /matches",
        "GET /matches/{id}",
        "DELETE /matches/{id}",
        "GET /matches/{id}/log",
        "GET /matches/{id}/findings",
        "GET /matches/{id}/deals/{n}",
        "POST /matches/{id}/restore",
        "GET /players",
        "GET /players/{id}",
        "GET /announcements",
        "GET /fairness",
        "GET /ladder",
        "GET /head-to-head",
        "GET /exports/{file}",
    }
    page = api["nobody"].get("/")
    for one in operations:
        assert one.partition(" ")[2] in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-", "") or "src=" not in page.text
    assert "<script" not in page.text
