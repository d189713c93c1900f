"""While a store is served, programs are told of new matches: `retourne hook add URL`.

What is sent says that there is something new, and nothing of it that a name could be in: who wants
more asks the HTTP API.
"""

import hashlib
import hmac
import ipaddress
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, time

import duckdb

from ingest.store import hooks
from ingest.store.hooks import Hook
from ingest.store.store import Store, StoreError

LOOK = 1.0
"""Seconds between two looks at what is new."""
AT_ONCE = 100
"""Files told of before that is written down."""
AGAIN = (2.0, 10.0, 60.0, 600.0, 3600.0)
"""Seconds until an address that failed is told again; the last one for ever."""
PATIENCE = 10.0
SIGNATURE = "Retourne-Signature"


class Private(Exception):
    """An address is of this computer or its network, or there is none."""


class Telling:
    """The thread that tells."""

    def __init__(self, lend: Callable[[], Store]) -> None:
        self._lend = lend
        self._ended = threading.Event()
        self._failed: dict[int, tuple[int, float]] = {}
        """Number of a hook → how often it failed in a row, and when it is tried again."""
        self._thread = threading.Thread(target=self._work, daemon=True, name="hooks")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(PATIENCE)

    def _work(self) -> None:
        while not self._ended.wait(LOOK):
            with suppress(StoreError, duckdb.Error):  # replaced, or full: the next look sees it
                for one in hooks.hooks(self._lend().cursor()):
                    self.tell(one)

    def tell(self, one: Hook) -> None:
        """Tell an address of what is new to it, unless it failed a short while ago."""
        failed, when = self._failed.get(one.number, (0, 0.0))
        if monotonic() < when:
            return
        ask = self._lend().cursor()
        told = min(one.told, hooks.newest(ask))
        try:
            for file_no, matches in hooks.news(ask, told, AT_ONCE):
                if matches:
                    send(one, {"event": "matches.added", "file": file_no, "matches": matches})
                told = file_no
            self._failed.pop(one.number, None)
        except Exception as error:  # whatever the network does, the thread goes on
            if isinstance(error, StoreError | duckdb.Error):
                raise
            wait = AGAIN[min(failed, len(AGAIN) - 1)]
            self._failed[one.number] = failed + 1, monotonic() + wait
        if told != one.told:
            hooks.tell(self._lend(), one.number, told)


def send(one: Hook, what: dict[str, object]) -> None:
    """Send a signed body. Private, httpx.HTTPError: it was not taken."""
    import httpx  # loaded where there is somebody to tell

    url = httpx.URL(one.url)
    place = address(url.host, url.port or (443 if url.scheme == "https" else 80), one.private)
    body = json.dumps(what).encode()
    now = str(int(time()))
    headers = {
        "Host": url.netloc.decode(),
        "Content-Type": "application/json",
        SIGNATURE: f"t={now},v1={signature(one.secret, now, body)}",
    }
    # the address that was looked at is the one that is asked, whatever the name leads to by then
    with httpx.Client(timeout=PATIENCE, trust_env=False, follow_redirects=False) as client:
        extensions = {"sni_hostname": url.host}
        at = url.copy_with(host=place)
        with client.stream("POST", at, content=body, headers=headers, extensions=extensions) as got:
            if not got.is_success:
                raise httpx.HTTPError(f"{got.status_code}")


def signature(secret: str, moment: str, body: bytes) -> str:
    """What both sides compute: HMAC-SHA256 of the time, a dot and the body."""
    signed = moment.encode() + b"." + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def address(host: str, port: int, private: bool) -> str:
    """A number that a host goes by. Private: one of them is no public one, or there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Private(host) from error
    numbers = [str(one[4][0]) for one in found]
    if not numbers or (not private and not all(map(_is_public, numbers))):
        raise Private(host)
    return numbers[0]


def _is_public(number: str) -> bool:
    found = ipaddress.ip_address(number.partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None) or found
    return bool(mapped.is_global and not mapped.is_multicast)


@contextmanager
def telling(lend: Callable[[], Store]) -> Iterator[None]:
    """Within, whoever wants to know is told."""
    made = Telling(lend)
    made.start()
    try:
        yield
    finally:
        made.stop()
