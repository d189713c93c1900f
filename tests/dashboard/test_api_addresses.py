"""Parameters and paths of the API that are valid, and the answers to others."""

import re
import socket
from urllib.parse import urlsplit

import pytest
from fastapi.routing import APIRoute

from dashboard.api.app import ROUTERS
from dashboard.api.content_negotiation import accepts_encoding
from dashboard.text.accept_headers import preferred
from engine.games import game_names
from tests.dashboard.api import Client, first, is_problem
from tests.dashboard.test_remote_commands import OWN

Clients = dict[str, Client]
READS = [
    route.path.replace("{file}", "seats.csv")
    .replace("{n}", "1")
    .replace("{deal_number}", "1")
    .replace("{action_number}", "1")
    for part in ROUTERS
    for route in part.routes
    if isinstance(route, APIRoute) and "GET" in (route.methods or ())
]
"""Every address that is read; `{id}` is for the test to say."""


@pytest.fixture
def at(reading: Clients) -> dict[str, str]:
    """Each of READS, of something that is there."""
    match = first(reading)["match_id"]
    found = {path: path.replace("{id}", match) for path in READS}
    found["/players/{id}"] = "/players/jean"
    found |= {path: f"{path}?q=won" for path in ("/find", "/find/months")}
    found["/compare"] = "/compare?player=jean&player=Zoé d’Orléans"
    found["/head-to-head"] = "/head-to-head?first=jean&second=Zoé d’Orléans"
    return found


@pytest.mark.parametrize("read", READS)
def test_a_parameter_that_is_none_is_named_with_those_that_are(
    reading: Clients, at: dict[str, str], read: str
) -> None:
    sign = "&" if "?" in at[read] else "?"
    refused = reading["reader"].ask("GET", f"{at[read]}{sign}statut=legal&lang=fr")
    assert is_problem(refused, 422)
    assert "statut" in refused.json()["detail"]
    assert "lang" in refused.json()["known"]


@pytest.mark.parametrize(
    ("queried", "where", "named"),
    [
        ("/matches?game=tarot", "query.game", game_names()[0]),
        ("/players?game=tarot", "query.game", game_names()[0]),
        ("/exports/seats.csv?game=tarot", "query.game", game_names()[0]),
        ("/matches?preset=none", "query.preset", "lavardin"),
        ("/ladder?preset=none", "query.preset", "lavardin"),
        ("/matches?kind=none", "query.kind", "mariage"),
        ("/matches?status=none", "query.status.0", "irregular"),
        ("/matches?sort=none", "query.sort", "oldest"),
        ("/announcements?count=none", "query.count", "missed"),
        ("/announcements?by=none", "query.by", "month"),
        ("/exports/logs.jsonl?keep_fields=none", "query.keep_fields.0", "event"),
    ],
)
def test_a_word_nobody_knows_is_refused_with_those_known(
    reading: Clients, queried: str, where: str, named: str
) -> None:
    for lang, result in (("en", "none of those known"), ("fr", "Au choix")):
        refused = reading["reader"].ask("GET", queried, headers={"Accept-Language": lang})
        assert is_problem(refused, 422)
        [error] = refused.json()["errors"]
        assert error["where"] == where
        assert result in error["detail"]
        assert named in error["detail"]


def test_an_empty_word_is_any(reading: Clients) -> None:
    every = reading["reader"].get("/matches", limit=500).json()
    for name in ("game", "preset", "kind", "event", "q"):
        assert reading["reader"].ask("GET", f"/matches?limit=500&{name}=").json() == every


@pytest.mark.parametrize(
    ("queried", "french"),
    [
        ("/matches?limit=x", "entier"),
        ("/matches?limit=0", "Au moins 1"),
        ("/matches?limit=501", "Au plus 500"),
        ("/matches?since=hier", "jour"),
        ("/matches?since=2026-13-01", "jour"),
        ("/matches?until=2026-01-01T12:00:00", "jour"),
        (f"/matches?q={'x' * 201}", "200 caractères"),
        (f"/matches?{'player=a&' * 9}", "8 fois"),
        ("/players?score_sheets=peut-être", "true ou false"),
        ("/head-to-head?first=jean", "obligatoire"),
        ("/compare", "obligatoire"),
    ],
)
def test_a_wrong_value_is_reported_in_french(reading: Clients, queried: str, french: str) -> None:
    refused = reading["reader"].ask("GET", queried, headers={"Accept-Language": "fr-FR, en;q=0.5"})
    assert is_problem(refused, 422)
    assert french in refused.json()["errors"][0]["detail"]


@pytest.mark.parametrize("number", ["1.0", "+1", "1_0", "%201", "1e0", "0x1", "٣"])
def test_a_number_is_written_in_digits(reading: Clients, number: str) -> None:
    match = first(reading)["match_id"]
    assert is_problem(reading["reader"].ask("GET", f"/matches/{match}/deals/{number}"), 422)
    limit = number.replace("+", "%2B")
    assert is_problem(reading["reader"].ask("GET", f"/matches?limit={limit}"), 422)


@pytest.mark.parametrize("read", READS)
@pytest.mark.sample(
    "/matches", "/matches/{id}/log", "/players/{id}", "/head-to-head", "/exports/seats.csv", "/commands"
)
def test_head_and_a_slash_at_the_end_answer_as_without(
    reading: Clients, at: dict[str, str], read: str
) -> None:
    requester = reading["admin" if read == "/commands" else "reader"]
    whole = requester.ask("GET", at[read])
    assert whole.status_code == 200, whole.text
    kind, file = whole.headers["content-type"], whole.headers.get("content-disposition")
    assert kind.startswith("application/") or "charset=utf-8" in kind or kind == "image/png"
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert file is None or re.fullmatch(r'attachment; filename="[\w.-]+"', file)
    head = requester.ask("HEAD", at[read])
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == whole.headers["content-type"]
    assert head.headers["content-length"] == str(len(whole.content))
    where, sign, query = at[read].partition("?")
    assert requester.ask("GET", f"{where}/{sign}{query}").content == whole.content


def test_the_last_value_of_a_repeated_parameter_counts(reading: Clients, at: dict[str, str]) -> None:
    document = reading["nobody"].get("/openapi.json").json()["paths"]
    checked = 0
    for read, about in document.items():
        names = {one["name"] for one in about.get("get", {}).get("parameters", [])}
        if read in at and "game" in names:
            sign = "&" if "?" in at[read] else "?"
            for first_value, last, status in (("tarot", "", 200), ("", "tarot", 422)):
                path = f"{at[read]}{sign}game={first_value}&game={last}"
                assert reading["reader"].ask("GET", path).status_code == status, path
            checked += 1
    assert checked >= 5


@pytest.mark.slow
def test_the_page_of_operations_is_there_with_a_slash_and_without(reading: Clients) -> None:
    page = reading["nobody"].get("/").text
    assert reading["nobody"].ask("GET", "//api/v1").text == page
    assert reading["nobody"].get("/openapi.json/").json()["openapi"].startswith("3.1")


OF_READERS = ("/commands/simulate-baseline", "/commands/sessions", "/commands/end-session")
"""Operations that readers may do: simulate, and list and end their own sessions."""


def test_the_document_says_what_role_each_operation_needs(reading: Clients) -> None:
    document = reading["nobody"].get("/openapi.json").json()
    assert document["components"]["securitySchemes"] == {"bearer": {"type": "http", "scheme": "bearer"}}
    needed = {
        (method, path): result["security"]
        for path, methods in document["paths"].items()
        for method, result in methods.items()
    }
    own = {f"/commands/{name}" for name in OWN}
    own |= {"/logs", "/matches/{id}/undelete", "/sources/{source}/matches/{id}"}
    for (method, path), result in needed.items():
        if method == "delete" or path in own:
            assert result == [{"bearer": ["contributor"]}], path
        elif path.startswith("/commands") and path not in OF_READERS:
            assert result == [{"bearer": ["admin"]}], path
        else:
            assert result == [{}, {"bearer": ["reader"]}], path
    assert len(needed) == 71


def test_the_page_tells_what_answers_have_in_them(reading: Clients) -> None:
    page = reading["nobody"].get("/").text
    assert 'id="MatchDetail"' in page
    assert '<a href="#Matches">Matches</a>' in page
    assert 'array of <a href="#Seat">Seat</a>' in page
    assert "Needs: a token of a contributor" in page


@pytest.mark.slow
@pytest.mark.parametrize(
    "odd",
    [
        "/api/v1/../x",
        "/api/v1/%2e%2e/x",
        "/api/v1/matches/%00",
        "/api/v1/matches/..",
        "//api/v1/matches",
        "/api/v1//matches",
        "/r/..",
        "//r/x",
        "/r/%00",
    ],
)
def test_addresses_that_are_odd_are_problems_too(there: str, odd: str) -> None:
    status, headers, body = raw(there, f"GET {odd} HTTP/1.1")
    assert status == 404
    assert headers["content-type"] == "application/problem+json"
    assert b'"status":404' in body


def raw(there: str, line: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """What a server sends to what is sent to it as it is."""
    address = urlsplit(there)
    assert address.port is not None
    fields = {"Host": address.netloc, "Connection": "close", **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    with socket.create_connection(("localhost", address.port), 30) as wire:
        wire.sendall(f"{line}\r\n{lines}\r\n".encode())
        whole = b"".join(iter(lambda: wire.recv(65536), b""))
    head, _, body = whole.partition(b"\r\n\r\n")
    first_line, *rest = head.decode().split("\r\n")
    named = dict(one.lower().split(": ", 1) for one in rest)
    return int(first_line.split()[1]), named, body


@pytest.mark.slow
def test_http_1_0_gets_an_export_with_its_length_and_no_chunks(there: str) -> None:
    for path in ("seats.csv", "logs.jsonl", "deals.parquet"):
        status, headers, body = raw(there, f"GET /api/v1/exports/{path} HTTP/1.0")
        assert status == 200
        assert "transfer-encoding" not in headers
        assert int(headers["content-length"]) == len(body) > 0


def test_weights_of_what_a_client_likes() -> None:
    for header, taken in {
        "gzip": True,
        "GZIP;q=0.5, br": True,
        "gzip;q=0": False,
        "gzip; q=0.000, *": False,
        "br, *": True,
        "*;q=0": False,
        "identity": False,
        "": False,
        "x-gzip": False,
        "gzip;q=nan": False,
    }.items():
        assert accepts_encoding(header, "gzip") is taken, header
    assert preferred("en;q=0.1, fr;q=0.8", ("fr", "en"), is_language=True) == "fr"
    assert preferred("de, fr_CA;q=0.2, en;q=0", ("fr", "en"), is_language=True) == "fr"
    assert preferred("de", ("fr", "en"), is_language=True) is None
