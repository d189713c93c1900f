"""Programs notified of new matches: what they are sent, what is sent again, and where nothing goes."""

import asyncio
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from hmac import new
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from dashboard.queries import find
from dashboard.server import webhook_delivery
from dashboard.server.webhook_delivery import SIGNATURE_HEADER, WebhookDelivery, post_signed
from ingest.operations.access import PrivateAddressError, resolve_public_address
from ingest.store import saved_searches, trash, webhooks
from ingest.store.factory import Store
from ingest.store.ingest_files import ingest
from ingest.store.match_comparison import OnConflict
from ingest.store.webhooks import Webhook
from tests.doc_examples import ROOT, blocks
from tests.ingest.conftest import Command, Filled, retourne
from tests.ingest.logs import lines
from tests.waiting import comes

pytestmark = pytest.mark.slow

__all__ = ["retourne"]  # the fixture
DATES = datetime(2020, 1, 1), datetime(2099, 1, 1)


class Listener:
    """A program that listens: what it heard, and what it answers next."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.heard.append((dict(self.headers.items()), body))
                self.send_response(outer.answers.pop(0) if outer.answers else 204)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

            def log_message(self, *about: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *about: None  # type: ignore[method-assign]
        self.url = f"http://localhost:{self.server.server_port}/news"


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    work = threading.Thread(target=made.server.serve_forever)
    work.start()
    yield made
    made.server.shutdown()
    work.join()
    made.server.server_close()


def before(store: Store) -> None:
    list(ingest(store, [("before.jsonl", BytesIO(lines()))], on_conflict=OnConflict.BOTH))
    trash.delete_matches(store, [0, 1])


@pytest.fixture
def store(filled: Filled) -> Iterator[Store]:
    with Store(filled(before)) as opened:
        yield opened


def more(store: Store, number: int) -> None:
    """One more file: a game, and a text that is none, of which nobody is notified."""
    game = json.loads(lines().split(b"\n")[0]) | {"id": f"more-{number}"}
    list(
        ingest(
            store,
            [("a.jsonl", BytesIO(json.dumps(game).encode() + b"\n[%d]\n" % number))],
            on_conflict=OnConflict.BOTH,
        )
    )


def only(store: Store) -> Webhook:
    [one] = webhooks.webhooks(store.cursor())
    return one


def test_each_file_that_comes_is_sent_once_and_signed(store: Store, listener: Listener) -> None:
    made = webhooks.add_webhook(store, listener.url, allow_private=True)
    work = WebhookDelivery(lambda: store)
    work.deliver(made)
    assert listener.heard == []  # what was there before is no news
    for number in range(2):
        more(store, number)
    work.deliver(only(store))
    work.deliver(only(store))
    assert len(listener.heard) == 2
    for headers, body in listener.heard:
        fields = dict(part.split("=", 1) for part in headers[SIGNATURE_HEADER].split(","))
        expected = new(made.secret.encode(), fields["t"].encode() + b"." + body, sha256)
        assert fields["v1"] == expected.hexdigest()
        values = json.loads(body)
        assert values["event"] == "matches.added"
        [match] = values["matches"]
        assert store.find_match(match["match_id"]) is not None
        assert match["status"] == "legal"
        [shown] = (one for one in blocks(ROOT / "docs" / "api.md") if one.language == "json")
        assert set(json.loads(shown.text)) == set(values)
        assert set(json.loads(shown.text)["matches"][0]) == set(match)
    assert headers["Host"] == listener.url.split("/")[2]


def test_a_webhook_of_a_saved_search_gets_the_new_deals_that_it_finds(
    store: Store, listener: Listener
) -> None:
    found = saved_searches.save_search(store, "Leads", "trick:2 led").number
    nothing = saved_searches.save_search(store, "None", "date:1900").number
    for number in (found, nothing):
        webhooks.add_webhook(store, listener.url, allow_private=True, search=number)
    work = WebhookDelivery(lambda: store)
    more(store, 0)
    for webhook in webhooks.webhooks(store.cursor()):
        work.deliver(webhook)
    [(_, body)] = listener.heard
    event = json.loads(body)
    added = (
        store.cursor()
        .execute("SELECT match_id FROM matches WHERE game IS NOT NULL ORDER BY match_no DESC LIMIT 1")
        .fetchall()
    )
    wanted = find.find_deals(
        store.cursor(), find.read_search("trick:2 led"), 500, file_no=event["file_no"]
    ).deals
    assert (event["event"], event["search"]) == ("deals.found", found)
    assert {one["match_id"] for one in event["deals"]} == {id for (id,) in added}
    assert event["deals"] == wanted.select("match_id", "deal_number", "action_number", "game").to_dicts()
    saved_searches.remove_search(store, found)
    more(store, 1)
    for webhook in webhooks.webhooks(store.cursor()):
        work.deliver(webhook)
    assert len(listener.heard) == 1


def test_what_was_not_taken_is_sent_again_later(
    store: Store, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    monkeypatch.setattr(webhook_delivery, "monotonic", lambda: clock[0])
    webhooks.add_webhook(store, listener.url, allow_private=True)
    work = WebhookDelivery(lambda: store)
    more(store, 0)
    more(store, 1)
    listener.answers = [204, 500, 302, 204]  # a redirect is followed by nobody
    for seconds, heard in ((0, 2), (0, 2), (3, 3), (3, 3), (14, 4), (100, 4)):
        clock[0] += seconds
        work.deliver(only(store))
        assert len(listener.heard) == heard, seconds
    bodies = [json.loads(body)["file_no"] for _, body in listener.heard]
    assert bodies[1:] == [bodies[1]] * 3


def test_what_was_sent_is_known_after_a_restart(store: Store, listener: Listener) -> None:
    webhooks.add_webhook(store, listener.url, allow_private=True)
    more(store, 0)
    WebhookDelivery(lambda: store).deliver(only(store))
    WebhookDelivery(lambda: store).deliver(only(store))
    assert len(listener.heard) == 1


def test_a_file_without_a_game_is_no_news(store: Store, listener: Listener) -> None:
    webhooks.add_webhook(store, listener.url, allow_private=True)
    list(ingest(store, [("page.json", BytesIO(b"<html>"))], on_conflict=OnConflict.BOTH))
    WebhookDelivery(lambda: store).deliver(only(store))
    assert listener.heard == []
    assert only(store).delivered == webhooks.last_file_number(store.cursor())


def test_an_address_that_never_ends_its_answer_keeps_nobody_else_waiting(
    store: Store, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_delivery, "STOP_TIMEOUT_SECONDS", 1)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as slow:

        def drip() -> None:
            taken, _ = slow.accept()
            with taken, suppress(OSError):
                taken.sendall(b"HTTP/1.1 204 No Content\r\n")
                while not ended.wait(0.05):
                    taken.sendall(b"a: b\r\n")

        dripping = threading.Thread(target=drip)
        dripping.start()
        webhooks.add_webhook(store, f"http://localhost:{slow.getsockname()[1]}/", allow_private=True)
        webhooks.add_webhook(store, listener.url, allow_private=True)
        more(store, 0)
        work = WebhookDelivery(lambda: store)
        work.deliver_all()
        comes(lambda: work._failures.keys() == {1} and listener.heard, "what each hears")
        for one in work._threads_by_webhook.values():
            one.join()
        ended.set()
        dripping.join()
    assert len(listener.heard) == 1
    first, second = webhooks.webhooks(store.cursor())
    assert first.delivered < second.delivered


def test_one_that_is_removed_hears_no_more(store: Store, listener: Listener) -> None:
    made = webhooks.add_webhook(store, listener.url, allow_private=True)
    webhooks.remove_webhook(store, made.number)
    webhooks.mark_delivered(store, made.number, [5])
    assert webhooks.webhooks(store.cursor()) == []
    with pytest.raises(KeyError):
        webhooks.remove_webhook(store, made.number)


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "127.0.0.1", "10.1.2.3", "192.168.1.7", "169.254.169.254", "0.0.0.0"),
        *("::1", "fe80::1", "::ffff:127.0.0.1", "fc00::1", "224.0.0.1", "100.64.0.1", ""),
        *("64:ff9b::7f00:1", "2002:7f00:1::1", "2002:a01:203::"),  # 127.0.0.1 by a gateway
    ],
)
def test_nothing_goes_to_a_private_address_unless_that_is_meant(host: str) -> None:
    with pytest.raises(PrivateAddressError):
        resolve_public_address(host, 443, allow_private=False)


def test_a_name_that_leads_to_a_private_address_by_now_gets_nothing(listener: Listener) -> None:
    one = Webhook(1, listener.url, "secret", False, -1)
    with pytest.raises(PrivateAddressError):
        asyncio.run(post_signed(one, {"event": "matches.added"}))
    assert listener.heard == []


def test_a_certificate_signed_by_its_own_key_ends_the_call(listener: Listener, tmp_path: Path) -> None:
    key, about = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    made = x509.CertificateBuilder(about, about, key.public_key(), 1, *DATES)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), False)
    pair = made.sign(key, SHA256()).public_bytes(Encoding.PEM)
    pair += key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "pair.pem").write_bytes(pair)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "pair.pem")
    listener.server.socket = tls.wrap_socket(
        listener.server.socket, server_side=True, do_handshake_on_connect=False
    )
    one = Webhook(1, listener.url.replace("http:", "https:"), "secret", True, -1)
    with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
        asyncio.run(post_signed(one, {"event": "matches.added"}))
    assert listener.heard == []


def test_a_name_that_is_not_resolved_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr(webhook_delivery, "STOP_TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(webhook_delivery, "resolve_public_address", lambda *about: ended.wait(60))
    try:
        with pytest.raises(TimeoutError):
            asyncio.run(post_signed(Webhook(1, "http://club.example/", "secret", False, -1), {}))
        assert not ended.is_set()
    finally:
        ended.set()


def test_one_public_address_beside_a_private_one_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(*about: Any, **how: Any) -> list[Any]:
        return [(0, 0, 0, "", (number, 443)) for number in ("93.184.216.34", "10.0.0.1")]

    monkeypatch.setattr("socket.getaddrinfo", both)
    with pytest.raises(PrivateAddressError):
        resolve_public_address("club.example", 443, allow_private=False)


def test_webhooks_are_made_listed_and_removed(store: Store, retourne: Command, listener: Listener) -> None:
    path = store.path
    store.close()
    at = ("--store", path, "--lang", "en")
    for url, why in (
        ("club.example", "is not the address of a server"),
        ("http://[", "is not the address of a server"),
        ("http://a:b", "is not the address of a server"),
        (listener.url, "--allow-private"),
    ):
        code, out, result = retourne("webhook", "add", url, *at)
        assert (code, out) == (2, b"")
        assert why in result
    code, out, _ = retourne("webhook", "add", listener.url, "--allow-private", *at)
    assert code == 0
    assert len(out.strip()) > 40
    assert retourne("webhook", "list", *at)[1] == f"1\t{listener.url}\n".encode()
    assert retourne("webhook", "list", "--format", "jsonl", *at).objects == [
        {"number": 1, "url": listener.url, "search": None}
    ]
    assert retourne("webhook", "remove", "2", *at)[0] == 2
    assert retourne("webhook", "remove", "1", *at)[0] == 0
    assert retourne("webhook", "list", *at)[1] == b""
    with Store(path) as opened:
        rows = opened.cursor().execute("SELECT action, about FROM audit ORDER BY rowid").fetchall()
    assert rows[-2:] == [("webhook", 1), ("remove-webhook", 1)]  # as every other act
