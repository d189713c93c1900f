"""The endpoint for draft steps: roles, origins, and steps that are sent again."""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ingest.store import drafts, tokens
from ingest.store.factory import Store
from ingest.store.tokens import Role
from tests.dashboard.browser import Server
from tests.dashboard.raw_client import Answer, Outside
from tests.dashboard.typing import TABLES, head_of, match_of, steps_of

pytestmark = pytest.mark.slow
GAME = TABLES[1]


class Club(NamedTuple):
    """A served store with a token of each role, and a draft."""

    outside: Outside
    tokens: dict[str, str]
    draft: str

    def send(self, who: str = "contributor", /, origin: str = "", **reported: Any) -> Answer:
        """Steps, as a page sends them."""
        body = {"draft": self.draft, "device": "a", "base": None, "version": 0, **reported}
        headers = {"origin": origin or self.outside.address, "content_type": "application/json"}
        if who != "nobody":
            headers["authorization"] = f"Bearer {self.tokens[who]}"
        return self.outside.ask("POST", "/entry", json.dumps(body).encode(), **headers)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with closing(Server(tmp_path_factory.mktemp("entry") / "log")) as server:
        yield server


@pytest.fixture
def club(server: Server, tmp_path: Path) -> Iterator[Club]:
    path = tmp_path / "store.duckdb"
    with Store(path) as store:
        made = {str(role): tokens.add_token(store, f"a {role}", role) for role in Role}
        draft = drafts.create_draft(store, head_of(match_of(*GAME)))
    with server.showing(path) as address:
        yield Club(Outside(address), made, draft)


def test_only_who_may_add_games_goes_on_with_a_draft(club: Club) -> None:
    sent: dict[str, Any] = {"base": 0, "more": ["bid 90h"]}
    assert [club.send(who, **sent).status for who in ("nobody", "reader")] == [403, 403]
    assert json.loads(club.send().text)["steps"] == []
    assert [club.send(who, **sent).status for who in ("contributor", "admin")] == [200, 200]
    assert json.loads(club.send().text)["steps"] == ["bid 90h"]


def test_who_may_add_games_gets_a_page_without_streamlit(club: Club) -> None:
    def page(who: str, draft: str) -> Answer:
        headers = {"authorization": f"Bearer {club.tokens[who]}"}
        return club.outside.ask("GET", f"/entry?draft={draft}&lang=en", **headers)

    assert [page(who, club.draft).status for who in ("reader", "contributor")] == [403, 200]
    assert page("contributor", "nothing").status == 404
    assert f'"secret": "{club.draft}"' in page("contributor", club.draft).text
    listed = page("contributor", "")
    assert "<h1>Go on with a draft</h1>" in listed.text
    assert "script-src 'self';" in listed.headers["content-security-policy"]


def test_another_site_s_page_sends_nothing(club: Club) -> None:
    for origin in ("http://evil.example", "null"):
        assert club.send(origin=origin, base=0, more=["pass"]).status == 403
    assert json.loads(club.send().text)["steps"] == []


def test_what_is_sent_again_is_there_once(club: Club) -> None:
    steps = steps_of(match_of(*GAME))
    for base, more in ((0, steps[:5]), (0, steps[:5]), (3, steps[3:9]), (9, steps[9:])):
        answer = club.send(base=base, more=more)
        assert answer.status == 200
    fields = json.loads(answer.text)
    assert (fields["done"], fields["refused"]) == (len(steps), None)
    assert fields["over"]


def test_another_device_gets_a_warning_and_overwrites_nothing(club: Club) -> None:
    club.send(base=0, more=["bid 90h"])
    answer = club.send(base=0, more=["pass"], device="b")
    assert (answer.status, json.loads(answer.text)["steps"]) == (409, ["bid 90h"])


@pytest.mark.parametrize(
    "reported",
    [
        {"base": -1},
        {"base": True},
        {"base": "0"},
        {"more": "9h"},
        {"more": [1]},
        {"version": 1 << 40},
        {"draft": None},
        {"device": ["a"]},
        {"more": ["\ud800"], "base": 0},
    ],
    ids=str,
)
def test_what_no_page_sends_is_not_understood(club: Club, reported: dict[str, Any]) -> None:
    assert club.send(**reported).status == 400


def test_a_draft_nobody_knows_and_one_that_is_endless(club: Club) -> None:
    assert club.send(draft="no such draft").status == 404
    assert club.send(base=0, more=["x" * 500]).status == 413
    assert club.send(base=0, more=["9h"] * 30_000).status == 413
    assert club.send(base=0, more=["x" * 100] * 20_000).status == 413
    assert json.loads(club.send().text)["steps"] == []


def test_a_request_of_one_mebibyte_is_read_and_no_longer_one(club: Club) -> None:
    filled = len(json.dumps({"draft": club.draft, "device": "a", "base": None, "version": 0, "lang": ""}))
    fits = "x" * ((1 << 20) - filled)
    assert [club.send(lang=fits).status, club.send(lang=f"{fits}x").status] == [200, 413]


@pytest.mark.parametrize("path", ["/entry", "/in"])
def test_who_leaves_while_sending_costs_nothing(club: Club, path: str) -> None:
    """`showing` finds no traceback in the server's log afterwards."""
    connection = HTTPConnection(club.outside.host, timeout=30)
    connection.putrequest("POST", path)
    connection.putheader("Authorization", f"Bearer {club.tokens['contributor']}")
    connection.putheader("Origin", club.outside.address)
    connection.putheader("Content-Length", "1000")
    connection.endheaders(b"half of what")
    connection.close()
    assert club.send(base=0, more=["pass"]).status == 200


def test_no_secret_of_a_draft_is_in_the_server_s_log(club: Club, server: Server) -> None:
    club.send(base=0, more=["pass"])
    assert club.draft not in server.log.read_text()
