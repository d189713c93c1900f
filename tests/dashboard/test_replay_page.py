"""`/r/{id}`: the public replay page has nothing that its reader may not see."""

import gzip
import json
import re
from html import escape
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx
import pytest
from PIL import Image
from starlette.requests import HTTPConnection

from dashboard.api.content_negotiation import response_language
from dashboard.api.rate_limits import TOO_MANY_AT_ONCE, ClientSlots
from dashboard.board.solver_thread import solve_match
from dashboard.board.states import deal_states
from dashboard.queries import find
from dashboard.store import open_store, replace_store, validated_match
from dashboard.web.replay import routes
from dashboard.web.replay.routes import CachedResponse, ResponseCache, current_version
from dashboard.widgets import browser
from ingest.i18n import translator
from ingest.store import pseudonyms, purge, tokens, trash
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.validate.slow_path import validate
from tests.dashboard.api import AT, Client, clients, is_problem
from tests.dashboard.conftest import HOSTILE, documents, lines
from tests.dashboard.test_head_to_head import won_by
from tests.waiting import PATIENCE

Clients = dict[str, Client]
READS = {"Accept": "text/html,application/xhtml+xml"}
TURNED = "Zoé\u202eeoz"


@pytest.fixture(scope="module", autouse=True)
def values_of_m0() -> None:
    """A page of the match before its values are computed lacks them: it is not cached, and changes."""
    assert solve_match(validate(lines().splitlines()[0]), PATIENCE) is not None


def got(client: Client, path: str, **headers: str) -> httpx.Response:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.ask("GET", f"/{path}", headers=fields)


def id_of(log_id: str) -> str:
    [(found,)] = (
        open_store().cursor().execute("SELECT match_id FROM matches WHERE log_id = ?", [log_id])
    ).fetchall()
    return str(found)


class Page(HTMLParser):
    """A page as a browser reads it: its tags, what stands in each, the data of its board."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.data = ""
        self.feed(text)
        self.board: dict[str, Any] = json.loads(self.data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][1].get("id") == "replay" and not self.data:
            self.data = data

    def all(self, tag: str, **named: str) -> list[dict[str, str | None]]:
        return [
            attrs
            for one, attrs in self.tags
            if one == tag and all(attrs.get(key) == value for key, value in named.items())
        ]

    def meta(self, name: str) -> str | None:
        found = [one for one in self.all("meta") if name in (one.get("name"), one.get("property"))]
        return found[0]["content"] if found else None


@pytest.mark.slow
def test_the_page_has_the_deal_as_the_board_has_it(reading: Clients) -> None:
    number = open_store().find_match("m0")
    assert number is not None
    page = Page(got(reading["nobody"], f"/r/{id_of('m0')}/2/3").text)
    result = deal_states(validated_match(number), 1, translator("fr", "dashboard"))
    assert result is not None
    for key in ("plies", "seats", "marks", "jumps", "findings"):
        assert page.board[key] == json.loads(json.dumps(result[key])), key
    assert (page.board["deal"], page.board["ply"]) == (2, 3)
    assert [one["number"] for one in page.board["head"]["deals"]][:2] == [1, 2]
    hrefs = [one["href"] for one in page.board["head"]["players"]]
    assert hrefs[0].startswith("/joueurs?player=")


@pytest.mark.parametrize(
    ("is_built", "query", "compiles"),
    [(False, "", ""), (True, "", " 'wasm-unsafe-eval'"), (True, "?embed", "")],
)
def test_its_policy_runs_nothing_but_our_own_files(
    reading: Clients, monkeypatch: pytest.MonkeyPatch, is_built: bool, query: str, compiles: str
) -> None:
    monkeypatch.setattr(routes, "made_package", lambda: Path() if is_built else None)
    answer = got(reading["nobody"], f"/r/{id_of('m0')}{query}")
    policy = dict(
        part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == f"'self'{compiles}"
    assert policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == ("*" if query else "'none'")
    assert policy["base-uri"] == "'none'"
    assert answer.headers.get("x-frame-options") == (None if query else "DENY")
    page = Page(answer.text)
    assert [one for one in page.all("script") if "src" not in one] == [
        {"type": "application/json", "id": "replay"}
    ]
    assert page.all("style") == []
    assert not [attrs for _, attrs in page.tags if "style" in attrs]
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]


@pytest.mark.slow
def test_each_file_is_fetched_once_from_an_address_of_its_content(reading: Clients) -> None:
    page = Page(got(reading["nobody"], f"/r/{id_of('m0')}").text)
    files = [one["src"] for one in page.all("script") if "src" in one]
    files += [one["href"] for one in page.all("link") if one["rel"] in ("stylesheet", "icon")]
    files += [face[key] for face in page.board["faces"].values() for key in ("src", "four")]
    files.append(page.board["back"])
    assert len(set(files)) > 30
    for address in map(str, set(files)):
        answer = got(reading["nobody"], address)
        assert answer.status_code == 200, address
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert got(reading["nobody"], address, if_none_match=answer.headers["etag"]).status_code == 304
    script = str(page.all("script", type="module")[0]["src"])
    plain = got(reading["nobody"], script, accept_encoding="identity")
    assert "content-encoding" not in plain.headers
    assert plain.text == got(reading["nobody"], script).text
    wrong = script.replace(script.split(".")[1], "0" * 16)
    assert is_problem(got(reading["nobody"], wrong), 404)


@pytest.mark.slow
def test_who_has_it_already_is_sent_nothing(reading: Clients) -> None:
    for path in (f"/r/{id_of('m0')}", f"/r/{id_of('m0')}/1/2.png", f"/r/{id_of('m0')}/1.json"):
        first = got(reading["nobody"], path)
        assert (first.status_code, first.headers["cache-control"]) == (200, "public, no-cache")
        for tag in (first.headers["etag"], f'"x", W/{first.headers["etag"]}', "*"):
            again = got(reading["nobody"], path, if_none_match=tag)
            assert (again.status_code, again.content) == (304, b""), tag
            for name in ("etag", "content-security-policy", "vary", "cache-control"):
                assert again.headers[name] == first.headers[name], name
        assert got(reading["nobody"], path, if_none_match='"other"').status_code == 200
        assert got(reading["nobody"], path, accept_language="en").headers["etag"] != (first.headers["etag"])
    page = got(reading["nobody"], f"/r/{id_of('m0')}")
    assert page.headers["content-encoding"] == "gzip"
    assert int(page.headers["content-length"]) < 15_000
    plain = got(reading["nobody"], f"/r/{id_of('m0')}", accept_encoding="identity")
    assert plain.text == page.text
    assert plain.headers["etag"] != page.headers["etag"]
    for header, zipped in (("gzip;q=0", False), ("br, *;q=0", False), ("br;q=1, gzip;q=0.1", True)):
        found = got(reading["nobody"], f"/r/{id_of('m0')}", accept_encoding=header).headers
        assert ("content-encoding" in found) is zipped, header
        assert found["etag"] == (page if zipped else plain).headers["etag"]


def test_what_a_token_reads_is_kept_for_nobody_else(reading: Clients) -> None:
    result = got(reading["reader"], f"/r/{id_of('m0')}").headers
    assert result["cache-control"] == "private, no-cache"
    assert {"Cookie", "Authorization"} <= set(result["vary"].split(", "))


@pytest.mark.slow
def test_messengers_show_that_very_position(reading: Clients) -> None:
    match = id_of("m0")
    page = Page(got(reading["nobody"], f"/r/{match}/2/3", accept_language="fr").text)
    state = page.board["plies"][3]
    here = f"{AT}/r/{match}/2/3"
    assert page.meta("og:title") == "Jean – Zoé d’Orléans · Donne 2"
    assert state["text"] in str(page.meta("og:description"))
    assert page.meta("description") == page.meta("og:description")
    assert page.meta("twitter:card") == "summary_large_image"
    assert page.meta("og:url") == here
    assert page.all("link", rel="canonical") == [{"rel": "canonical", "href": here}]
    languages = {one["hreflang"]: one["href"] for one in page.all("link") if "hreflang" in one}
    assert languages == {"fr": f"{here}?lang=fr", "en": f"{here}?lang=en", "x-default": here}
    picture = got(reading["nobody"], str(page.meta("og:image")).removeprefix(AT))
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/png")
    size = Image.open(BytesIO(picture.content)).size
    assert size == (int(str(page.meta("og:image:width"))), int(str(page.meta("og:image:height"))))


def test_it_speaks_the_reader_s_language_and_else_french(reading: Clients) -> None:
    liked = {
        "": "fr",
        "de,nl;q=0.9": "fr",
        "en-GB,fr;q=0.5": "en",
        "fr;q=0.4,en;q=0.6": "en",
        "de, en;q=0.2": "en",
        "en;q=0,de": "fr",
        "en;q=x": "fr",
    }
    for header, known in liked.items():
        headers = [(b"accept-language", header.encode())]
        requested = HTTPConnection({"type": "http", "headers": headers, "query_string": b""})
        assert response_language(requested, "fr") == known, header
    match = id_of("m0")
    for header, spoken in (("en", "en"), ("de", "fr")):
        answer = got(reading["nobody"], f"/r/{match}", accept_language=header)
        assert f'<html lang="{spoken}">' in answer.text
        assert answer.headers["content-language"] == spoken
    chosen = got(reading["nobody"], f"/r/{match}?lang=en", accept_language="fr")
    assert chosen.headers["content-language"] == "en"
    assert got(reading["nobody"], f"/r/{match}?lang=xx").headers["content-language"] == "fr"


@pytest.mark.parametrize("header", ["de, en;q=0.8", "en;q=0.2, fr;q=0.1", "fr-CA", "de", "", "fr;q=0, en"])
def test_pages_and_replays_choose_a_language_alike(header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    requesting = SimpleNamespace(headers={"Accept-Language": header}, locale=header.split(",")[0])
    monkeypatch.setattr(browser, "st", SimpleNamespace(context=requesting, session_state={}))
    headers = [(b"accept-language", header.encode())]
    requested = HTTPConnection({"type": "http", "headers": headers, "query_string": b""})
    assert browser.page_texts().language == response_language(requested, "fr")


def test_without_a_script_the_position_is_a_list(reading: Clients) -> None:
    answer = got(reading["nobody"], f"/r/{id_of('m0')}/2/3")
    page = Page(answer.text)
    listed = answer.text.partition('<div class="position">')[2].partition("</noscript>")[0]
    for seat in page.board["plies"][3]["seats"]:
        for card in seat["hand"]:
            assert escape(page.board["faces"][card]["label"]) in listed
    assert f'src="/r/{id_of("m0")}/2/3.png' in listed
    assert re.findall(r'href="(/joueurs[^"]*)"', listed) == [
        escape(one["href"]) for one in page.board["head"]["players"]
    ]
    steps = re.findall(r'href="/r/\w+/(\d+)/(\d+)\?', listed)
    assert steps == [("1", "0"), ("2", "2"), ("2", "4"), ("3", "0")]


def test_only_who_asks_to_embed_may_frame_it(reading: Clients) -> None:
    match = id_of("m0")
    answer = got(reading["nobody"], f"/r/{match}/1/2?embed")
    assert "frame-ancestors *" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "x-frame-options" not in answer.headers
    page = Page(answer.text)
    script = answer.text.partition("<noscript><div")
    links = Page(script[0] + script[2].partition("</noscript>")[2]).all("a")
    leading = [one for one in links if one.get("href")]
    assert [(one["target"], one["rel"]) for one in leading] == [("_blank", "noopener")]
    assert str(leading[0]["href"]).startswith(f"/r/{match}/1/2?")
    assert not [one for one in page.board["head"]["players"] if one["href"]]
    for path in (f"/r/{match}/1/2.png?embed", "/oembed?embed&url=x", "/r/none?embed"):
        result = got(reading["nobody"], path, accept="text/html").headers
        assert "frame-ancestors 'none'" in result["content-security-policy"], path
        assert result["x-frame-options"] == "DENY", path


def test_oembed_says_what_a_site_puts_into_its_page(reading: Clients) -> None:
    match, nobody = id_of("m0"), reading["nobody"]
    [requests] = Page(got(nobody, f"/r/{match}/2/3").text).all("link", type="application/json+oembed")
    fields = got(nobody, str(requests["href"]).removeprefix(AT)).json()
    assert (fields["version"], fields["type"]) == ("1.0", "rich")
    assert fields["title"] == "Jean – Zoé d’Orléans · Donne 2"
    [frame] = re.findall(r'src="([^"]*)"', fields["html"])
    assert 'allow="clipboard-write"' in fields["html"]  # there is a link to copy
    assert (
        "frame-ancestors *"
        in (got(nobody, frame.replace("&amp;", "&").removeprefix(AT)).headers["content-security-policy"])
    )
    assert got(nobody, fields["thumbnail_url"].removeprefix(AT)).status_code == 200
    for height in ("x", "0", "-1"):
        sizes = {"url": f"{AT}/r/{match}", "maxwidth": "300", "maxheight": height}
        small = nobody.ask("GET", "//oembed", params=sizes).json()
        assert (small["width"], small["height"]) == (300, 640)


def test_oembed_answers_in_the_language_of_the_address_it_is_given(reading: Clients) -> None:
    at = f"{AT}/r/{id_of('m0')}/2/3"

    def oembed(url: str) -> tuple[str, str]:
        requested = reading["nobody"].ask(
            "GET", "//oembed", params={"url": url}, headers={"Accept-Language": "fr"}
        )
        answer = requested.json()
        return answer["title"].rpartition(" · ")[2], re.findall(r'src="([^"]*)"', answer["html"])[0]

    assert oembed(f"{at}?view=1&lang=en#x") == ("Deal 2", f"{at}?embed&amp;lang=en")
    for url in (at, f"{at}?lang=xx"):  # readers of the frame have a language of their own
        assert oembed(url) == ("Donne 2", f"{at}?embed")
    for more in ("", "?lang=en"):
        page = Page(got(reading["nobody"], f"{at.removeprefix(AT)}{more}").text)
        [requests] = page.all("link", type="application/json+oembed")
        assert str(requests["href"]).endswith(quote(f"{at}{more}", safe=""))


@pytest.mark.slow
def test_oembed_knows_an_address_as_a_browser_writes_it(api: Clients) -> None:
    match = documents()[0] | {"id": "Été n° 1"}
    list(
        ingest(
            open_store(), [("named.json", BytesIO(json.dumps(match).encode()))], on_conflict=OnConflict.BOTH
        )
    )
    path = f"/r/{quote('Été n° 1')}"
    assert got(api["nobody"], path).status_code == 200
    requested = api["nobody"].ask("GET", "//oembed", params={"url": f"{AT}{path}/1/2"})
    assert f"/r/{id_of('Été n° 1')}/1/2" in requested.json()["html"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "{at}/r/{id}", "format": "xml"}, 501),
        ({"url": "http://evil.example/r/{id}"}, 404),
        ({"url": "{at}/r/none"}, 404),
        ({"url": "{at}/r/{id}/99/0"}, 404),
        ({"url": "{at}/r/{id}/1/9999"}, 404),
        ({"url": "{at}/r/{id}/1/2.png"}, 404),
        ({"url": "{at}/relecture?match={id}"}, 404),
        ({"url": "http://[x"}, 404),
        ({}, 404),
    ],
)
def test_oembed_refuses_as_it_must(reading: Clients, query: dict[str, str], status: int) -> None:
    options = {key: text.format(at=AT, id=id_of("m0")) for key, text in query.items()}
    assert is_problem(reading["nobody"].ask("GET", "//oembed", params=options), status)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", "/none", "/%00", "/%0A", "/" + "9" * 300, "/-/x.js"),
        *("/{id}/0/0", "/{id}/99/0", "/{id}/1/9999", "/{id}/1/9999.png", "/{id}/99.json"),
        *("/{id}/x", "/{id}/1/2/3", "/{id}/1/2.gif"),
    ],
)
def test_where_nothing_is_programs_get_a_problem_and_browsers_a_page(reading: Clients, path: str) -> None:
    at = f"/r{path.format(id=id_of('m0'))}"
    assert is_problem(got(reading["nobody"], at), 404)
    page = got(reading["nobody"], at, **{"accept": READS["Accept"], "accept-language": "fr"})
    assert (page.status_code, "<h1>" in page.text) == (404, True)
    assert page.headers["content-type"].startswith("text/html")
    assert "a page" not in page.text  # what Streamlit would answer


def test_only_reading_is_answered(reading: Clients) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE"):
        assert reading["admin"].ask(method, f"//r/{id_of('m0')}").status_code in (403, 405)
    head = reading["nobody"].ask("HEAD", f"//r/{id_of('m0')}")
    assert head.status_code == 200


def test_a_log_that_no_board_shows_says_so(reading: Clients) -> None:
    [(broken,)] = (
        open_store().cursor().execute("SELECT match_id FROM matches WHERE status = 'unreadable'")
    ).fetchall()
    assert is_problem(got(reading["nobody"], f"/r/{broken}"), 404)


def test_first_digits_and_the_log_s_own_id_lead_to_the_same_page(reading: Clients) -> None:
    match = id_of("m0")
    for name in (match[:8], "m0"):
        assert got(reading["nobody"], f"/r/{name}").text == got(reading["nobody"], f"/r/{match}").text


@pytest.mark.slow
def test_a_deleted_match_is_gone_and_comes_back(api: Clients) -> None:
    match, nobody = id_of("m0"), api["nobody"]
    before = {kind: got(nobody, f"/r/{match}{kind}") for kind in ("", "/1/2", "/1/2.png", "/1.json")}
    number = open_store().find_match(match)
    assert number is not None
    deletion = trash.delete_matches(open_store(), [number])
    assert deletion is not None
    for kind, answer in before.items():
        tag = {"if_none_match": answer.headers["etag"]}
        assert is_problem(got(nobody, f"/r/{match}{kind}", **tag), 410), kind
    assert got(nobody, f"/r/{match}", accept="text/html").status_code == 410
    assert is_problem(nobody.ask("GET", "//oembed", params={"url": f"{AT}/r/{match}"}), 410)
    trash.undelete_matches(open_store(), deletion)
    for kind, answer in before.items():
        again = got(nobody, f"/r/{match}{kind}", if_none_match=answer.headers["etag"])
        assert again.status_code == 304, kind


@pytest.mark.slow
def test_a_purged_match_is_gone(api: Clients) -> None:
    match = id_of("m0")
    assert got(api["nobody"], f"/r/{match}").status_code == 200
    number = open_store().find_match(match)
    assert number is not None
    replace_store(lambda opened: purge.purge_matches(opened, [number]))
    assert is_problem(got(api["nobody"], f"/r/{match}"), 410)
    assert is_problem(got(api["nobody"], f"/r/{match}/1/2.png"), 410)


@pytest.mark.slow
def test_no_byte_has_the_name_of_a_masked_player(api: Clients) -> None:
    nobody, match = api["nobody"], id_of("m0")
    assert "Jean" in got(nobody, f"/r/{match}").text
    [(number,)] = (
        open_store().cursor().execute("SELECT player_no FROM players WHERE name = 'Jean'")
    ).fetchall()
    picture = got(nobody, f"/r/{match}/1/2.png").content
    result = pseudonyms.mask_player(open_store(), number)
    for path in (
        *(f"/r/{match}{kind}" for kind in ("", "/1/2", "/2/0?embed", "/2.json", "?lang=en")),
        f"/oembed?url={AT}/r/{match}",
    ):
        answer = got(nobody, path)
        text = "".join(f"{key}: {value}\n" for key, value in answer.headers.items()) + answer.text
        assert answer.status_code == 200
        assert not re.search(r"jean", text, re.IGNORECASE), path
        assert result in text, path
    assert got(nobody, f"/r/{match}/1/2.png").content != picture


@pytest.mark.slow
def test_an_address_that_names_a_masked_player_leads_nowhere(api: Clients) -> None:
    match = documents()[0] | {"id": "jean-vs-zoe"}
    list(
        ingest(
            open_store(), [("named.json", BytesIO(json.dumps(match).encode()))], on_conflict=OnConflict.BOTH
        )
    )
    paths = ("/r/jean-vs-zoe", "/r/jean-vs-zoe/1/2.png", "/api/v1/matches/jean-vs-zoe/log")
    number, known = open_store().find_match("jean-vs-zoe"), id_of("jean-vs-zoe")
    for path in paths:
        assert got(api["nobody"], path).status_code == 200
    [(jean,)] = (
        open_store().cursor().execute("SELECT player_no FROM players WHERE name = 'Jean'")
    ).fetchall()
    pseudonyms.mask_player(open_store(), jean)
    for path in paths:
        assert is_problem(got(api["nobody"], path), 404), path
        assert got(api["nobody"], path.replace("jean-vs-zoe", known)).status_code == 200
    assert got(api["nobody"], "/r/m0").status_code == 200  # this id names nobody
    assert (
        open_store().find_match("jean-vs-zoe", include_masked=True) == number
    )  # who has the store deletes by it


@pytest.mark.slow
def test_a_closed_store_shows_no_replay_without_a_token(api: Clients) -> None:
    match = id_of("m0")
    assert got(api["nobody"], f"/r/{match}").status_code == 200
    tokens.set_access(open_store(), True)
    for path in (f"/r/{match}", f"/r/{match}/1/2.png", "/r/none", "/oembed?url=x", "/r"):
        refused = got(api["nobody"], path)
        assert is_problem(refused, 401), path
        assert "Bearer" in refused.headers["www-authenticate"]
        page = got(api["nobody"], path, accept="text/html")
        assert page.status_code == 401
        assert "Jean" not in page.text
        assert got(api["reader"], path).status_code in (200, 404), path
    assert got(api["reader"], f"/r/{match}").headers["cache-control"] == "private, no-cache"


def test_a_closed_store_is_in_nobody_s_frame(api: Clients) -> None:
    path = f"/r/{id_of('m0')}/1/2?embed"
    before = got(api["reader"], path).headers
    assert "frame-ancestors *" in before["content-security-policy"]
    tokens.set_access(open_store(), True)
    for tag in ("", before["etag"]):  # sent again, or known already
        result = got(api["reader"], path, if_none_match=tag)
        assert result.status_code == (304 if tag else 200)
        assert "frame-ancestors 'none'" in result.headers["content-security-policy"]
        assert result.headers["x-frame-options"] == "DENY"


@pytest.mark.slow
def test_hostile_names_are_letters_and_nothing_else(api: Clients) -> None:
    match = documents()[0] | {
        "id": "hostile",
        "players": [
            {"id": "evil", "name": f"{HOSTILE}</script><script>alert(1)</script>"},
            {"id": "turned", "name": TURNED},
        ],
        "event": {"name": '"><img src=x onerror=alert(2)>\u202e'},
    }
    list(
        ingest(
            open_store(), [("hostile.json", BytesIO(json.dumps(match).encode()))], on_conflict=OnConflict.BOTH
        )
    )
    for more in ("", "/1/0", "?embed", "?lang=en"):
        text = got(api["nobody"], f"/r/{id_of('hostile')}{more}").text
        assert "\u202e" not in text
        page = Page(text)
        assert len(page.all("script")) == 2
        assert not [one for one in page.all("img") if one.get("src") == "x"]
        assert page.board["seats"][0]["name"].endswith("</script><script>alert(1)</script>")
    picture = got(api["nobody"], f"/r/{id_of('hostile')}/1/0.png")
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)


@pytest.mark.slow
def test_a_line_of_a_score_sheet_has_a_page_and_a_picture(api: Clients) -> None:
    log = won_by(1, 3) | {"deals": [{"dealer": 1, "points": [57, 73], "winner": 2}]}
    list(
        ingest(open_store(), [("sheet.json", BytesIO(json.dumps(log).encode()))], on_conflict=OnConflict.BOTH)
    )
    match = id_of("day-3")
    page = Page(got(api["nobody"], f"/r/{match}").text)
    assert [seat["points"] for seat in page.board["plies"][0]["seats"]] == [57, 73]
    picture = got(api["nobody"], f"/r/{match}/1/0.png")
    assert Image.open(BytesIO(picture.content)).size == (1200, 630)
    assert is_problem(got(api["nobody"], f"/r/{match}/1/1"), 404)


@pytest.mark.slow
def test_other_games_coming_change_no_answer_and_make_nothing_anew(
    api: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, nobody = id_of("m0"), api["nobody"]
    path = f"/r/{match}/1/2"
    before = got(nobody, path)
    more = documents()[1] | {"id": "more", "played_at": "2026-05-05"}
    list(
        ingest(open_store(), [("more.json", BytesIO(json.dumps(more).encode()))], on_conflict=OnConflict.BOTH)
    )
    made = list[object]()
    monkeypatch.setattr(routes, "position_page", lambda *one: made.append(one))
    after = got(nobody, path)
    assert (after.text, made) == (before.text, [])
    assert routes.response_cache.get_if_current((path, "fr", AT, "", "")) is not None


def test_what_is_ready_has_a_bound(path: Any) -> None:
    remaining, now = ResponseCache(most=100), current_version(open_store())
    for number in range(10):
        ready = CachedResponse("text/plain", bytes(40), str(number), False)
        remaining.get_or_make((str(number),), now, "a", lambda ready=ready: ready)  # type: ignore[misc]
    there = [number for number in range(10) if remaining.get_if_current((str(number),)) is not None]
    assert there == [8, 9]


def test_what_is_made_from_an_older_state_of_the_store_is_not_taken_for_the_newest(api: Clients) -> None:
    remaining, now = ResponseCache(), current_version(open_store())
    with open_store().transaction():  # somebody writes while it is made
        pass
    remaining.get_or_make(("x",), now, "old", lambda: CachedResponse.from_body("text/plain", b"old"))
    assert remaining.get_if_current(("x",)) is None
    result = remaining.get_or_make(
        ("x",), current_version(open_store()), "new", lambda: CachedResponse.from_body("text/plain", b"new")
    )
    assert gzip.decompress(result.body) == b"new"
    assert remaining.get_if_current(("x",)) == result


def test_while_the_store_is_replaced_nothing_that_was_kept_is_taken_for_the_new_one(api: Clients) -> None:
    path = f"/r/{id_of('m0')}"
    got(api["nobody"], path)
    requested = (path, "fr", AT, "", "")
    assert routes.response_cache.get_if_current(requested) is not None
    with open_store().replacing_file():
        open_store().needs_reopen = True  # as it is until the other file is open
        assert routes.response_cache.get_if_current(requested) is None
    assert open_store().file_generation == 2
    assert routes.response_cache.get_if_current(requested) is None
    assert got(api["nobody"], path).status_code == 200
    assert routes.response_cache.get_if_current(requested) is not None


def test_too_many_at_once_are_asked_to_come_again(reading: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MAX_WAITING", 0)
    refused = got(reading["nobody"], f"/r/{id_of('m0')}/1/7")
    assert is_problem(refused, 503)
    assert int(refused.headers["retry-after"]) > 0
    shown = got(reading["nobody"], f"/r/{id_of('m0')}/1/7", accept="text/html")
    assert (shown.status_code, shown.headers["refresh"]) == (503, refused.headers["retry-after"])
    assert "<h1>Dans un instant</h1>" in shown.text


@pytest.mark.parametrize("part", ["", "/1/2", "/1/2.png", "/1.json"])
def test_a_visitor_may_not_ask_for_replays_without_end(reading: Clients, part: str) -> None:
    path, page = f"/r/{id_of('m0')}{part}", Page(got(reading["nobody"], f"/r/{id_of('m0')}").text)
    with clients({}, rate=2) as few:
        refused = [got(few["nobody"], path) for _ in range(4)][-1]
        assert is_problem(refused, 429)
        assert int(refused.headers["retry-after"]) >= 1
        links = (attrs.get("href") or "" for _, attrs in page.tags)
        asset = next(url for url in links if url.startswith("/r/-/"))
        assert {got(few["nobody"], asset).status_code for _ in range(4)} == {200}


def test_pictures_of_a_visitor_have_a_bound_and_pages_do_not_wait_for_them(
    reading: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "picture_slots", ClientSlots(0, 1, TOO_MANY_AT_ONCE))
    refused = got(reading["nobody"], f"/r/{id_of('m0')}/1/8.png")
    assert is_problem(refused, 429)
    assert "retry-after" in refused.headers
    assert got(reading["nobody"], f"/r/{id_of('m0')}/1/8").status_code == 200


def test_every_address_in_a_page_is_ours(reading: Clients) -> None:
    page = Page(got(reading["nobody"], f"/r/{id_of('m0')}").text)
    for _, attrs in page.tags:
        for name in ("href", "src"):
            at = urlsplit(attrs.get(name) or "")
            assert at.netloc in ("", urlsplit(AT).netloc)


@pytest.mark.parametrize("lang", ["fr", "en"])
def test_a_position_leads_to_the_search_that_finds_its_own_deal(reading: Clients, lang: str) -> None:
    page = got(reading["nobody"], f"/r/{id_of('m0')}/1/22?lang={lang}").text
    [link] = re.findall('href="([^"]*/chercher[^"]*)"', page)
    answer = got(reading["nobody"], link)
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.headers["location"]).query)
    assert query["lang"] == [lang]
    found = find.find_deals(open_store().cursor(), find.read_search(query["q"][0]), limit=100)
    assert (id_of("m0"), 1, 23) in found.deals.select("match_id", "deal_number", "action_number").rows()


@pytest.mark.parametrize("path", ["/r/{id}/99/0/chercher", "/r/{id}/1/999/chercher", "/r/none/1/0/chercher"])
def test_where_there_is_no_position_there_is_no_search(reading: Clients, path: str) -> None:
    assert is_problem(got(reading["nobody"], path.format(id=id_of("m0"))), 404)
