"""Security of HTTP: every route without a token and with each role, and attacks."""

import json
import re
import socket
from collections.abc import Iterator
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pytest
from streamlit import config
from streamlit.runtime import Runtime
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from dashboard.__main__ import application
from dashboard.api.uploads import MAX_CHECK_BYTES
from dashboard.authentication import SESSION_COOKIE
from dashboard.pages import PAGE_NAMES
from dashboard.server.visitor_limits import MAX_MESSAGE_BYTES
from ingest.store import pseudonyms, purge, tokens
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.tokens import Role
from tests.dashboard.browser import Server
from tests.dashboard.conftest import documents
from tests.dashboard.raw_client import Outside, Visit

pytestmark = pytest.mark.slow

EVIL = "http://evil.example"
LET_IN = ("reader", "contributor", "admin")
STORED_OUT = ("nobody", "revoked", "expired", "made up")


class Club(NamedTuple):
    """Two stores of the same club, one of which is closed without a token."""

    open: Path
    closed: Path
    secrets: dict[str, str]
    missing: str
    lost: str
    hidden: str


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Games, a match that was purged, a masked player, and a token of every kind."""
    folder = tmp_path_factory.mktemp("club")
    path, secrets = folder / "open.duckdb", {"nobody": "", "made up": "retourne_" + "x" * 43}
    logs = b"\n".join(json.dumps(one).encode() for one in documents())
    with Store(path) as store:
        list(ingest(store, [("club.jsonl", BytesIO(logs))]))
        for role in Role:
            secrets[role] = tokens.add_token(store, f"a {role}", role)
        for name in ("revoked", "expired"):
            secrets[name] = tokens.add_token(store, name, Role.ADMIN)
        tokens.revoke_token(store, 4)
        with store.transaction():
            cursor = store.connection
            cursor.execute("UPDATE tokens SET expires_at = now() WHERE token_no = 5")
        [(hidden,)] = cursor.execute("SELECT name FROM players WHERE player_no = 0").fetchall()
        pseudonyms.mask_player(store, 0)
        [(removed,)] = cursor.execute("SELECT match_id FROM matches WHERE log_id = 'm5'").fetchall()
        number = store.find_match(removed)
        assert number is not None
        purge.purge_matches(store, [number])
    with Store(path) as store:
        ids = "SELECT player_no, player_id FROM players ORDER BY player_no DESC LIMIT 1"
        [(number, lost)] = store.cursor().execute(ids).fetchall()
        purge.purge_player(store, number)
    closed = folder / "closed.duckdb"
    closed.write_bytes(path.read_bytes())
    with Store(closed) as store:
        tokens.set_access(store, True)
    return Club(path, closed, secrets, removed, lost, hidden)


_addresses = (f"127.0.1.{number}" for number in count(1))
"""An address for each test: the server counts the failures of each to sign in."""


@pytest.fixture
def club_open(club: Club, server: Server) -> Iterator[Outside]:
    with server.showing(club.open) as address:
        yield Outside(address, next(_addresses))


@pytest.fixture
def club_closed(club: Club, server: Server) -> Iterator[Outside]:
    with server.showing(club.closed) as address:
        yield Outside(address, next(_addresses))


def bearing(club: Club, who: str) -> dict[str, str]:
    return {"authorization": f"Bearer {club.secrets[who]}"} if club.secrets[who] else {}


# every route

ANYBODY = {
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/bidi-components/{path:path}",
    "/component/{path:path}",
    "/app/static/{path:path}",
    "/healthz",
    "/manifest.webmanifest",
    "/service-worker.js",
    "/metrics",  # for programs of this computer, as this test is one: test_health.py
    "/in",
}
"""What is the same in every store, whether it is well, and where one signs in."""
BELOW_API = {"/api", "/api/v1"}
"""At the first is nothing for anybody; `test_api.py` asks the other."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture(scope="module")
def routes() -> Iterator[set[str]]:
    """The paths of the routes that the app has; pages are below the one that is empty."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "_main_script_path", None)
        patch.setattr(Runtime, "_instance", None)
        app = application()._build_starlette_app()
        assert not app.debug
        found = {route.path for route in app.routes}  # type: ignore[attr-defined]
        assert found >= BELOW_API
        yield found - BELOW_API


def path_of(route: str) -> str:
    """An address of a route."""
    return re.sub("{[^}]+}", "x", route) or "/"


def refused_routes(outside: Outside, paths: set[str], methods: tuple[str, ...], **reported: str) -> Any:
    """Those that are not refused, with what they answered."""
    query = {
        (path, method): outside.ask(method, path, **reported) for path in sorted(paths) for method in methods
    }
    return {key: answer.status for key, answer in query.items() if answer.status not in (401, 403, 405)}


def test_a_closed_store_answers_nobody_on_any_route(club_closed: Outside, routes: set[str]) -> None:
    assert {"/exports/{token}/{name}", "/media/{file_id:path}", "", "/in"} <= routes
    paths = {path_of(route) for route in routes - ANYBODY} | {f"/{name}" for name in PAGE_NAMES}
    assert refused_routes(club_closed, paths, METHODS) == {}
    # and what is for anybody takes nothing, but a token
    paths = {path_of(route) for route in ANYBODY - {"/in"}}
    assert refused_routes(club_closed, paths, ("POST", "PUT", "PATCH", "DELETE")) == {}


def test_below_api_programs_are_answered_and_nothing_is_a_page(club: Club, club_closed: Outside) -> None:
    for path in ("/api", "/api/", "/api/v1/nothing", "/api/v2/matches", "/api/v1/static/x", "/api/%0Ax"):
        answer = club_closed.ask("GET", path, accept="text/html")
        values = (answer.status, answer.headers["content-type"])
        assert values == (404, "application/problem+json"), path
    assert club_closed.ask("GET", "/api/v1/matches").status == 401
    found = club_closed.ask("GET", "/api/v1/matches", **bearing(club, "reader"))
    assert len(json.loads(found.text)["matches"]) == 5
    assert found.headers["cache-control"] == "private, no-store"
    assert club_closed.ask("GET", "/api/v1/openapi.json").status == 200
    bearer = {"Authorization": f"Bearer {club.secrets['admin']}"}
    for path in ("/api/x", "/api/v1/matches"):
        address = f"ws://{club_closed.host}{path}"
        with pytest.raises(InvalidStatus), connect(address, additional_headers=bearer):
            pass


def test_an_open_store_accepts_nothing_from_readers_or_strangers(
    club: Club, club_open: Outside, routes: set[str]
) -> None:
    paths = {path_of(route) for route in routes - {"/in"}}
    for who in ("nobody", "reader", "contributor"):
        sent = refused_routes(club_open, paths, ("POST", "PUT", "PATCH", "DELETE"), **bearing(club, who))
        # a contributor goes on with drafts, and what is none is not understood
        assert sent == ({("/entry", "POST"): 400} if who == "contributor" else {}), who
    inner = {path_of(route) for route in routes if route.startswith(("/_stcore/", "/auth/"))}
    for path in inner - {path_of(route) for route in ANYBODY}:
        assert club_open.ask("GET", path).status in (401, 403, 405), path


def test_a_token_that_works_reads_a_closed_store_and_no_other_one_does(
    club: Club, club_closed: Outside
) -> None:
    for name in (*PAGE_NAMES, ""):
        for who in LET_IN:
            answer = club_closed.ask("GET", f"/{name}", **bearing(club, who))
            assert (answer.status, "<html" in answer.text) == (200, True), (name, who)
    for who in STORED_OUT[1:]:
        for path in ("/rencontres", "/exports/x/x", "/_stcore/metrics"):
            answer = club_closed.ask("GET", path, **bearing(club, who))
            assert (answer.status, club.secrets[who] in answer.text) == (401, False), (path, who)
    page = club_closed.ask("GET", "/rencontres", accept="text/html", accept_language="en")
    assert (page.status, "needs a token" in page.text) == (401, True)
    assert club_closed.ask("GET", "/_stcore/metrics", **bearing(club, "reader")).status == 403
    assert club_closed.ask("GET", "/_stcore/metrics", **bearing(club, "admin")).status == 200


def test_a_websocket_opens_for_those_who_may_read(club: Club, club_closed: Outside) -> None:
    for who in STORED_OUT:
        with pytest.raises(InvalidStatus, match="403"):
            club_closed.knock(**bearing(club, who))
    for who in LET_IN:
        club_closed.knock(**bearing(club, who))


@pytest.mark.parametrize("path", ["/r/x", "/r/-/x", "/oembed", "/api/v1/matches", "/healthz", "/in", "/x"])
def test_a_websocket_elsewhere_is_refused_without_a_fault(club_open: Outside, path: str) -> None:
    """`showing` looks at the server's log for what a route raised."""
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{club_open.host}{path}", open_timeout=30, subprotocols=[Subprotocol("streamlit")])
    assert refused.value.response.status_code == 403


def test_a_message_larger_than_any_page_sends_closes_it(club_open: Outside) -> None:
    def send() -> None:
        with club_open.visit() as page:
            page.run(query="x" * MAX_MESSAGE_BYTES)

    with pytest.raises(ConnectionClosedError):  # the code may be lost: the server reads no further
        send()


def test_what_the_server_writes_is_for_its_user_alone(server: Server, club_open: Outside) -> None:
    assert club_open.ask("GET", "/").status == 200
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    assert re.findall(r"^Umask:\s+(\d+)$", status, re.MULTILINE) == ["0077"]


# what each page shows


def test_what_only_an_admin_does_is_shown_to_nobody_else(club: Club, club_open: Outside) -> None:
    for who in ("nobody", "contributor", "admin"):
        with club_open.visit(**bearing(club, who)) as page:
            shown = {name: page.run(name) for name in ("donnees", "deposer")}
        admin = who == "admin"
        assert ('"purge-player"' in shown["donnees"] or "backup" in shown["donnees"]) is admin
        assert (club.hidden in shown["donnees"]) is admin  # who is behind the pseudonym
        assert ("file_uploader" in shown["deposer"]) is (who in ("contributor", "admin"))
    with club_open.visit(**bearing(club, "admin")) as page:
        shown_page = page.run("acces")
    assert "token-name" in shown_page
    for secret in filter(None, club.secrets.values()):
        assert secret not in shown_page
    with club_open.visit() as page:
        assert "token-name" not in page.run("acces")


# attacks


def test_the_names_of_an_admins_buttons_press_none(club: Club, club_open: Outside) -> None:
    """Messages as a browser sends them when a button is pressed that it was never shown."""
    with club_open.visit(**bearing(club, "admin")) as page:
        shown = page.run("donnees", "status=legal")
        buttons = sorted(set(re.findall(r'"(\$\$ID-[^"]*-(?:delete|purge-matches))"', shown)))
        assert len(buttons) == 2
        assert all("dialog {" in page.run("donnees", "status=legal", button) for button in buttons)
    with club_open.visit(**bearing(club, "contributor")) as page:
        for button in buttons:
            assert "dialog {" not in page.run("donnees", "status=legal", button)


def test_a_host_that_is_not_ours_is_answered_nothing(club: Club, club_open: Outside) -> None:
    """Somebody else's name for our address would let a page of theirs read ours."""
    for host in ("evil.example", f"evil.example:{club_open.host[-4:]}", "", "192.168.1.7"):
        for path in ("/", "/rencontres", "/_stcore/health", "/in", "/app/static/cards/fr/As.svg"):
            answer = club_open.ask("GET", path, host=host or "x:y")
            assert (answer.status, "<html" in answer.text) == (421, True), (host, path)
    assert club_open.ask("GET", "/", host="127.0.0.1:1").status == 200
    with pytest.raises(InvalidStatus, match="403"):
        club_open.knock(host="evil.example")


def test_another_site_s_page_changes_nothing_with_our_cookie(club: Club, club_open: Outside) -> None:
    cookie = f"{SESSION_COOKIE}={club_open.sign_in(club.secrets['admin']).cookie}"
    for origin in (EVIL, "null", "", f"{club_open.address}.evil.example", "://"):
        with pytest.raises(InvalidStatus, match="403"):
            club_open.knock(origin=origin or "x", cookie=cookie)
        sent = club_open.ask("PUT", "/_stcore/upload_file/x/y", b"", origin=origin or "x", cookie=cookie)
        assert sent.status == 403, origin
        assert club_open.sign_in(club.secrets["reader"], origin=origin or "x").status == 403
    # nor does it count where nobody says whose page asks
    with club_open.visit(origin=None, cookie=cookie) as page:
        assert "token-name" not in page.run("acces")
    with club_open.visit(cookie=cookie) as page:
        assert "token-name" in page.run("acces")


def test_signing_in_takes_no_session_that_somebody_else_has_chosen(club: Club, club_open: Outside) -> None:
    planted = "chosen-by-somebody-else"
    answer = club_open.sign_in(club.secrets["admin"], cookie=f"{SESSION_COOKIE}={planted}")
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    assert answer.cookie not in ("", planted)
    assert {"HttpOnly", "SameSite=lax"} <= set(answer.headers["set-cookie"].split("; "))
    again = club_open.sign_in(club.secrets["admin"], cookie=f"{SESSION_COOKIE}={answer.cookie}")
    assert again.cookie != answer.cookie
    for old in (planted, answer.cookie):  # what the browser had before holds no longer
        with club_open.visit(cookie=f"{SESSION_COOKIE}={old}") as page:
            assert "token-name" not in page.run("acces")


def test_the_browser_keeps_its_session_for_twelve_hours_after_each_use(
    club: Club, club_open: Outside
) -> None:
    answer = club_open.sign_in(club.secrets["reader"])
    cookie, same = f"{SESSION_COOKIE}={answer.cookie}", answer.headers["set-cookie"]
    assert "Max-Age=43200" in same.split("; ")
    assert club_open.ask("GET", "/", cookie=cookie).headers["set-cookie"] == same
    assert club_open.ask("HEAD", "/rencontres", cookie=cookie).headers["set-cookie"] == same
    with club_open.visit(cookie=cookie) as page:
        assert page.socket.response is not None
        assert page.socket.response.headers["set-cookie"] == same
    # not with what a proxy may store for others, nor where a token was sent too
    card = club_open.ask("GET", "/app/static/cards/fr/As.svg", cookie=cookie)
    assert (card.status, card.cookie) == (200, "")
    replay = club_open.ask("GET", "/r/m0", cookie=cookie)
    assert (replay.headers["cache-control"], replay.headers["set-cookie"]) == ("private, no-cache", same)
    assert not club_open.ask("GET", "/", cookie=cookie, **bearing(club, "admin")).cookie
    assert not club_open.ask("GET", "/", cookie=f"{SESSION_COOKIE}=ended").cookie


def test_a_page_that_is_drawn_again_without_its_reader_is_no_use_of_its_session(
    club: Club, club_open: Outside, server: Server
) -> None:
    cookie = f"{SESSION_COOKIE}={club_open.sign_in(club.secrets['reader']).cookie}"

    def ordered(command: str, **values: Any) -> Any:
        at, body = f"/api/v1/commands/{command}", json.dumps(values).encode()
        more = {"content_type": "application/json"} | bearing(club, "admin")
        answer = club_open.ask("POST", at, body, **more)
        assert answer.status == 200, answer.text
        return json.loads(answer.text.splitlines()[-1])

    def last_use() -> str:
        return max(str(one["used_at"]) for one in ordered("sessions")["sessions"])

    uses = [last_use()]
    club_open.ask("GET", "/rencontres", cookie=cookie)
    uses.append(last_use())
    with club_open.visit(cookie=cookie) as page:
        assert "fetch" in str(page.messages("rencontres"))  # the first is of a page that opens or comes back
        assert last_use() == uses[-1]
        again = str(page.messages("rencontres", by_itself=True))
        assert last_use() == uses[-1]
        # nor does the browser ask by itself: the script is the one of the last use
        assert uses[-1][:13].replace("T", " ") in again
        server.knows_names(club.open)
        ordered("mask", players=[documents()[1]["players"][1]["id"]])
        page.following_messages()  # drawn by the server
        assert last_use() == uses[-1]
        page.messages("rencontres")
        uses.append(last_use())
        ordered("unmask", players=[documents()[1]["players"][1]["id"]])
    assert uses == sorted(set(uses))


def test_no_file_is_put_into_somebody_else_s_page(club: Club, club_open: Outside) -> None:
    with club_open.visit(**bearing(club, "admin")) as page:
        page.run("deposer")
        place = f"/_stcore/upload_file/{page.session}/file"
        for who in ("nobody", "reader", "contributor"):
            assert club_open.ask("PUT", place, b"x", **bearing(club, who)).status == 403, who
            with club_open.visit(session=page.session, **bearing(club, who)) as other:
                other.run()
                assert other.session != page.session
    with club_open.visit(**bearing(club, "admin")) as page:
        found = re.search(r"/media/\w+\.json", page.run("relecture", "match=m0"))
        assert found is not None
        assert club_open.ask("GET", found[0], **bearing(club, "admin")).status == 200
        for who in ("nobody", "reader"):
            assert club_open.ask("GET", found[0], **bearing(club, who)).status == 404, who
    with club_open.visit() as page:  # who only checks logs sends small ones
        page.run("verificateur")
        place = f"/_stcore/upload_file/{page.session}/file"
        assert club_open.ask("PUT", place, b"", content_length=str(9 << 20)).status == 413
        assert club_open.ask("PUT", place, transfer_encoding="chunked").status == 411


def test_a_reader_holds_a_bounded_part_of_the_memory_in_open_pages(club_open: Outside) -> None:
    other = Outside(club_open.address, next(_addresses))

    def put(who: Outside, page: Visit, name: str) -> int:
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%s\r\n--x--\r\n'
        seal = who.ask("GET", "/_stcore/health").headers["set-cookie"].partition(";")[0]
        head = {"content_type": "multipart/form-data; boundary=x", "cookie": seal}
        head["x_xsrftoken"] = seal.partition("=")[2]
        place = f"/_stcore/upload_file/{page.session}/{name}"
        return who.ask("PUT", place, form % bytes(MAX_CHECK_BYTES - 1000), **head).status

    with club_open.visit() as page, club_open.visit() as second:
        for one in (page, second):
            one.run("verificateur")
        statuses = [put(club_open, page if number % 2 else second, str(number)) for number in range(9)]
        assert statuses == [204] * 8 + [429]
        assert put(other, page, "9") == 204


def test_what_was_purged_is_gone_at_its_old_addresses(club: Club, club_open: Outside) -> None:
    for name in (club.missing, club.missing[:8], club.missing[:12], "m5"):
        for page in ("relecture", "verificateur"):
            answer = club_open.ask("GET", f"/{page}?deal=1&match={name}", accept_language="en")
            assert (answer.status, "deleted permanently" in answer.text) == (410, True), (name, page)
    answer = club_open.ask("GET", f"/joueurs?player={quote(club.lost)}")
    assert (answer.status, "effacé définitivement" in answer.text) == (410, True)
    assert club_open.ask("GET", "/joueurs?player=never-there").status == 200
    for name in ("m0", "never-there", "<script>"):
        assert club_open.ask("GET", f"/relecture?match={name}".replace("<", "%3C")).status == 200
    assert club_open.ask("HEAD", f"/relecture?match={club.missing}").status == 410


def test_a_closed_store_does_not_say_what_was_purged(club: Club, club_closed: Outside) -> None:
    assert club_closed.ask("GET", f"/relecture?match={club.missing}").status == 401


def test_every_answer_tells_the_browser_to_load_nothing_from_elsewhere(club_open: Outside) -> None:
    for path in ("/", "/in", "/_stcore/health", "/relecture?match=x", "/exports/x/x"):
        headers = club_open.ask("GET", path).headers
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
        assert "http" not in headers["content-security-policy"], path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
    assert "no-store" in club_open.ask("GET", "/exports/x/x").headers["cache-control"]
    card = club_open.ask("GET", "/app/static/cards/fr/As.svg")
    assert (card.status, "cache-control" in card.headers) == (200, False)


def test_every_answer_names_its_kind_and_charset_and_lists_no_folder(
    club: Club, club_open: Outside, routes: set[str]
) -> None:
    folders = {f"/{one}/" for one in ("app/static", "app/static/cards/fr", "component", "media")}
    pages = {"/rencontres", "/r/m0", "/app/static/cards/fr/As.svg", "/r/m0?deal=1"}
    kinds = dict[str, str]()
    for path in {path_of(route) for route in routes} | folders | pages:
        answer = club_open.ask("GET", path, accept="text/html", **bearing(club, "admin"))
        assert answer.headers["x-content-type-options"] == "nosniff", path
        assert (answer.status in (403, 404)) >= (path in folders), path
        if answer.text:
            kinds[path] = answer.headers["content-type"]
    needs_charset = re.compile(r"text/|.*[+/]xml")
    without = {kind for kind in kinds.values() if "charset=utf-8" not in kind}
    assert not [kind for kind in without if needs_charset.match(kind)]
    assert {kinds["/rencontres"], kinds["/r/m0"]} == {"text/html; charset=utf-8"}
    assert kinds["/app/static/cards/fr/As.svg"] == "image/svg+xml; charset=utf-8"
    for path in ("/", "/in", "/r/m0", "/api/v1/matches"):
        assert club_open.ask("TRACE", path, **bearing(club, "admin")).status == 405, path
    # nor does a page take orders of one around it
    assert json.loads(club_open.ask("GET", "/_stcore/host-config").text)["allowedOrigins"] == []


def test_a_request_with_two_lengths_is_refused_and_nothing_behind_it_read(club_open: Outside) -> None:
    at = urlsplit(club_open.address)
    lengths = "Content-Length: 5\r\nTransfer-Encoding: chunked"
    for one in (lengths, "Content-Length: 5\r\nContent-Length: 6"):
        with socket.create_connection((at.hostname or "", at.port or 0), 30) as wire:
            head = f"POST /in HTTP/1.1\r\nHost: {club_open.host}\r\n{one}\r\n\r\n"
            wire.sendall(f"{head}0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: {club_open.host}\r\n\r\n".encode())
            whole = b"".join(iter(lambda: wire.recv(65536), b""))
        assert (whole[:12], whole.count(b"HTTP/1.1")) == (b"HTTP/1.1 400", 1), one


def test_many_invalid_tokens_of_one_client_make_it_wait(club: Club, club_open: Outside) -> None:
    other = Outside(club_open.address, source="127.0.0.2")
    assert [other.sign_in("retourne_no").status for _ in range(11)] == [401] * 10 + [429]
    assert int(other.sign_in(club.secrets["admin"]).headers["retry-after"]) > 200
    assert club_open.sign_in(club.secrets["reader"]).status == 303  # nobody else does


def test_no_token_is_in_the_server_s_log(club: Club, server: Server, club_open: Outside) -> None:
    club_open.sign_in("x" * 10_000)
    text = server.log.read_text()
    assert not [who for who, secret in club.secrets.items() if secret and secret in text]


@pytest.mark.parametrize(
    ("former", "address"),
    [("/accueil?lang=en", "/?lang=en"), ("/parties?q=zoe", "/rencontres?q=zoe"), ("/tirage", "/melange")],
)
def test_a_former_address_leads_to_the_page(club_open: Outside, former: str, address: str) -> None:
    answer = club_open.ask("GET", former, accept="text/html")
    assert (answer.status, answer.headers["location"]) == (307, address)


def test_an_address_without_a_page_says_so_in_the_reader_s_language(club_open: Outside) -> None:
    reader = {"accept": "text/html", "accept-language": "fr-FR,fr"}
    for path in ("/nowhere", "/rencontres/nowhere", "/relecture.php?match=m0"):
        answer = club_open.ask("GET", path, **reader)
        assert (answer.status, "Aucune page à cette adresse" in answer.text) == (404, True), path
    english = club_open.ask("GET", "/nowhere", accept="text/html", accept_language="en")
    assert (english.status, "No page at this address" in english.text) == (404, True)
    for path in ("/", "/rencontres", "/app/static/cards/fr/As.svg"):
        assert club_open.ask("GET", path, **reader).status == 200, path
