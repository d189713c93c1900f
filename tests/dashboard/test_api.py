"""The HTTP API from outside: its addresses, who may do what, and the document of it."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from dashboard import authentication
from dashboard.api.commands import MAX_BODY_BYTES
from dashboard.api.uploads import MAX_UPLOAD_BYTES
from dashboard.queries import matches
from dashboard.store import open_store
from ingest.store import audit, tokens, trash
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Role
from tests.dashboard.api import Client, clients, first, is_problem
from tests.dashboard.conftest import FAUTES, documents

Clients = dict[str, Client]
FAULTY = (FAUTES / "points-differ.json").read_bytes()
EVENT = documents()[0]["event"]["name"]
NO_FILE = b'--a\r\nContent-Disposition: form-data; name="f"\r\n\r\nx\r\n--a--'


@pytest.mark.parametrize(
    "at",
    [
        "//api",
        "//api/",
        "//api/v2/matches",
        "//api/v1/matches/%0Ax",
        "//api/x%0Ay",
        "/nothing",
        "/matches//",
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
    assert refused.headers["allow"] == "GET, HEAD"
    assert api["nobody"].ask("PUT", "/matches/x").headers["allow"] == "DELETE, GET, HEAD"
    wrong = api["nobody"].get("/matches", limit="many", since="yesterday")
    assert is_problem(wrong, 422)
    assert [one["where"] for one in wrong.json()["errors"]] == ["query.since", "query.limit"]


@pytest.mark.parametrize(
    ("who", "role"),
    [
        ("nobody", Role.READER),
        ("reader", Role.READER),
        ("contributor", Role.CONTRIBUTOR),
        ("admin", Role.ADMIN),
    ],
)
def test_arguments_of_a_command_are_bounded_before_they_are_read(api: Clients, who: str, role: Role) -> None:
    def masking(size: int) -> httpx.Response:
        body = b'{"players": ["%s"]}' % (b"x" * (size - 17))
        return api[who].post("/commands/mask", body, "application/json")

    refused = masking(MAX_BODY_BYTES[role] + 1)
    assert is_problem(refused, 413)
    assert f"{MAX_BODY_BYTES[role]} bytes" in refused.json()["detail"]
    assert masking(MAX_BODY_BYTES[role]).status_code == {"nobody": 401, "admin": 404}.get(who, 403)


def test_another_host_and_another_site_are_refused_as_problems(api: Clients) -> None:
    there = {"Host": "evil.example"}
    assert is_problem(api["nobody"].ask("GET", "/matches", headers=there), 421)
    at = f"/matches/{first(api)['match_id']}"
    for origin in ("http://evil.example", "null"):
        refused = api["admin"].ask("DELETE", at, headers={"Origin": origin})
        assert is_problem(refused, 403)
    assert api["nobody"].get(at).status_code == 200


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ({}, "token"),
        ({"params": {"lang": "fr"}}, "jeton"),
        ({"headers": {"Accept-Language": "fr"}}, "jeton"),
        ({"params": {"lang": "en"}, "headers": {"Accept-Language": "fr"}}, "token"),
    ],
)
def test_a_refusal_speaks_the_language_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, api_tokens: dict[str, str], how: dict[str, Any], word: str
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")  # the computer's says nothing
    monkeypatch.setenv("LANG", "fr_FR.UTF-8")
    with clients({"made up": "retourne_x"}) as api:
        refused = api["made up"].ask("GET", "/matches", **how)
    assert is_problem(refused, 401)
    assert word in refused.json()["detail"].lower()


def test_each_refusal_says_what_to_do(api: Clients) -> None:
    for refused in (
        api["nobody"].get("/nothing"),
        api["nobody"].ask("GET", "//api/v2"),
        api["nobody"].ask("PUT", "/matches"),
        api["nobody"].post("/check", headers={"Origin": "http://evil.example"}),
    ):
        assert refused.json()["detail"]


def test_an_invalid_token_does_not_read(api_tokens: dict[str, str]) -> None:
    with clients({"made up": "retourne_x"}) as api:
        refused = api["made up"].get("/matches")
    assert is_problem(refused, 401)
    assert refused.headers["www-authenticate"] == "Bearer"


@pytest.mark.slow
def test_where_reading_is_closed_nobody_reads_without_a_token(api: Clients) -> None:
    tokens.set_access(open_store(), True)
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


@pytest.mark.slow
def test_no_streamlit_is_needed() -> None:
    code = "import sys, dashboard.api.app; print('streamlit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_streamlit_and_the_api_take_uploads_of_the_same_size() -> None:
    settings = Path(authentication.__file__).with_name(".streamlit") / "config.toml"
    most = tomllib.loads(settings.read_text(encoding="utf-8"))["server"]["maxUploadSize"]
    assert most << 20 == MAX_UPLOAD_BYTES


# who may do what


@pytest.mark.slow
@pytest.mark.parametrize(
    ("who", "check", "add", "delete", "export"),
    [
        ("nobody", 200, 401, 401, 200),
        ("reader", 200, 403, 403, 200),
        ("contributor", 200, 201, 403, 200),
        ("admin", 200, 201, 200, 200),
    ],
)
def test_each_role_may_do_what_it_may_on_the_pages(
    api: Clients, who: str, check: int, add: int, delete: int, export: int
) -> None:
    one = api[who]
    requested = first(api)["match_id"]
    assert one.post("/check", FAULTY).status_code == check
    assert one.post("/logs", FAULTY).status_code == add
    assert one.ask("DELETE", f"/matches/{requested}").status_code == delete
    assert one.get("/exports/deals.csv").status_code == export
    restored = api[who].ask("POST", f"/matches/{requested}/undelete").status_code
    assert restored == {"contributor": 409}.get(who, delete)


def test_on_a_computer_of_one_s_own_no_token_is_needed(games: Path) -> None:
    with clients({}) as api:
        assert api["nobody"].post("/logs", FAULTY).status_code == 201
        authentication.set_hosts(ServerHosts("0.0.0.0"))
        try:
            assert is_problem(api["nobody"].post("/logs", FAULTY), 401)
        finally:
            authentication.set_hosts(ServerHosts())


@pytest.mark.slow
def test_a_contributor_takes_back_and_brings_back_what_is_theirs_alone(api: Clients) -> None:
    mine = api["contributor"]
    [sent] = mine.post("/logs", FAULTY).json()["files"][0]["matches"]
    assert is_problem(mine.ask("DELETE", f"/matches/{first(api)['match_id']}"), 403)
    assert mine.ask("DELETE", f"/matches/{sent['match_id']}").json()["match_id"] == sent["match_id"]
    for path in ("", "/log", "/findings", "/deals/1"):  # as its replay answers
        assert is_problem(mine.get(f"/matches/{sent['match_id']}{path}"), 410)
    assert is_problem(mine.ask("DELETE", f"/matches/{sent['match_id']}"), 410)
    assert mine.ask("POST", f"/matches/{sent['match_id']}/undelete").json() == {"match_id": sent["match_id"]}
    other = first(api)["match_id"]
    api["admin"].ask("DELETE", f"/matches/{other}")
    assert is_problem(mine.ask("POST", f"/matches/{other}/undelete"), 403)
    assert audit.file_numbers_by_token(open_store().cursor(), 2)


@pytest.mark.slow
def test_of_a_deletion_of_many_one_match_is_brought_back_alone(api: Clients) -> None:
    before = matches.count_matches(open_store().cursor())
    trash.delete_matches(open_store(), [0, 1, 2])
    [removed] = trash.list_deletions(open_store().cursor())
    [(known,)] = open_store().cursor().execute("SELECT match_id FROM trash WHERE match_no = 1").fetchall()
    assert api["admin"].ask("POST", f"/matches/{known}/undelete").status_code == 200
    assert matches.count_matches(open_store().cursor()) == before - 2
    assert trash.undelete_matches(open_store(), removed.number) == (2, 0)


# what programs and people read of it


COMMANDS = (
    *("sheet-mappings", "remember-sheet", "forget-sheet"),
    *("save-search", "remove-search", "restore-search"),
    "list-versions",
    "match-changes",
    "match-different",
    "match-duplicates",
    "match-same",
    "match-undo",
    "player-changes",
    "player-different",
    "players-named",
    "player-duplicates",
    "player-merge",
    "player-rename",
    "player-split",
    "player-undo",
    "restore-version",
    "add-webhook",
    "add-token",
    "backup",
    "simulate-baseline",
    "set-access",
    "copy",
    "delete",
    "deletions",
    "empty-trash",
    "webhooks",
    "mask",
    "outdated-verdicts",
    "purge",
    "solve-endgames",
    "remove-webhook",
    "restore",
    "revalidate",
    "revoke-token",
    "sessions",
    "end-session",
    "tokens",
    "undelete",
    "unmask",
    "verify",
    "whois",
)
"""What the command line does to a served store, and any program with a token of the admin."""


@pytest.mark.slow
def test_the_document_has_created_only_where_a_match_may_be(api: Clients) -> None:
    paths = api["nobody"].get("/openapi.json").json()["paths"]
    successes = {
        (method, path): [status for status in operation["responses"] if status[0] == "2"]
        for path, operations in paths.items()
        for method, operation in operations.items()
    }
    created = {path for (_, path), statuses in successes.items() if statuses != ["200"]}
    assert {path.removeprefix("/api/v1") for path in created} == {"/logs", "/sources/{source}/matches/{id}"}


@pytest.mark.slow
def test_the_document_has_every_operation_and_its_page_loads_nothing(api: Clients) -> None:
    document = api["nobody"].get("/openapi.json").json()
    operations = {
        f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods
    }
    assert operations == {
        "POST /check",
        "POST /logs",
        "GET /matches",
        "GET /matches/{id}",
        "DELETE /matches/{id}",
        "GET /matches/{id}/log",
        "GET /matches/{id}/findings",
        "GET /matches/{id}/deals/{deal_number}",
        "GET /matches/{id}/deals/{deal_number}/sample/{action_number}",
        "POST /matches/{id}/undelete",
        "GET /players",
        "GET /players/{id}",
        "GET /announcements",
        "GET /fairness",
        "GET /ladder",
        "GET /find",
        "GET /find/months",
        *("GET /searches", "GET /searches/{n}/deals.atom", "GET /searches/{n}/deals.csv"),
        "GET /head-to-head",
        "GET /compare",
        "GET /exports/{file}",
        "GET /commands",
        "PUT /sources/{source}/matches/{id}",
        *(f"POST /commands/{name}" for name in COMMANDS),
    }
    page = api["nobody"].get("/")
    for one in operations:
        assert one.partition(" ")[2] in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-", "") or "src=" not in page.text
    assert "<script" not in page.text
    assert "1 to 500, if absent 50" in page.text
    for methods in document["paths"].values():
        for item in methods.values():
            assert {"421", "422", "429", "503"} <= item["responses"].keys()
