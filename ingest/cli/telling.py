"""While a store is served, programs are told of new matches: `retourne hook add URL`.

What is sent says that there is something new, and nothing of it that a name could be in: who wants
more asks the HTTP API.
"""

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, time

import duckdb

from ingest.operations.public_address import address
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
"""Seconds that telling of one file may take in all."""
MOST = 64
"""Addresses that are told at a time."""
SIGNATURE = "Retourne-Signature"


class Telling:
    """The thread that looks, and those that tell."""

    def __init__(self, lend: Callable[[], Store]) -> None:
        self._lend = lend
        self._ended = threading.Event()
        self._failed: dict[int, tuple[int, float]] = {}
        """Number of a hook → how often it failed in a row, and when it is tried again."""
        self._at_work: dict[int, threading.Thread] = {}
        """Number of a hook → who tells it."""
        self._thread = threading.Thread(target=self._work, daemon=True, name="hooks")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        end = monotonic() + PATIENCE
        self._thread.join(PATIENCE)
        for work in self._at_work.values():
            work.join(max(0.0, end - monotonic()))

    def _work(self) -> None:
        while not self._ended.wait(LOOK):
            with suppress(StoreError, duckdb.Error):  # replaced, or full: the next look sees it
                self.look()

    def look(self) -> None:
        """Have each address told by a thread of its own, which a slow one keeps for itself."""
        self._at_work = {no: work for no, work in self._at_work.items() if work.is_alive()}
        for one in hooks.hooks(self._lend().cursor()):
            if one.number not in self._at_work and len(self._at_work) < MOST:
                work = threading.Thread(target=self._tell, args=(one,), daemon=True, name="hook")
                self._at_work[one.number] = work
                work.start()

    def _tell(self, one: Hook) -> None:
        with suppress(StoreError, duckdb.Error):
            self.tell(one)

    def tell(self, one: Hook) -> None:
        """Tell an address of what is new to it, unless it failed a short while ago."""
        failed, when = self._failed.get(one.number, (0, 0.0))
        if monotonic() < when:
            return
        told = list[int]()
        try:
            for file_no, matches in hooks.news(self._lend(), one, AT_ONCE):
                if matches:
                    send(one, {"event": "matches.added", "file": file_no, "matches": matches})
                told.append(file_no)
                if self._ended.is_set():
                    break
            self._failed.pop(one.number, None)
        except Exception as error:  # whatever the network does, the thread goes on
            if isinstance(error, StoreError | duckdb.Error):
                raise
            wait = AGAIN[min(failed, len(AGAIN) - 1)]
            self._failed[one.number] = failed + 1, monotonic() + wait
        if told or hooks.newest(self._lend().cursor()) < one.told:  # a backup was put back
            hooks.tell(self._lend(), one.number, told)


def send(one: Hook, what: dict[str, object]) -> None:
    """Send a signed body. Private, httpx.HTTPError, TimeoutError: it was not taken."""
    asyncio.run(_sent(one, what))  # of a thread nobody could end an answer that never ends


async def _sent(one: Hook, what: dict[str, object]) -> None:
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
    async with (
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False, follow_redirects=False) as client,
        asyncio.timeout(PATIENCE),
        client.stream(
            "POST",
            url.copy_with(host=place),
            content=body,
            headers=headers,
            extensions={"sni_hostname": url.host},
        ) as got,
    ):
        if not got.is_success:
            raise httpx.HTTPError(f"{got.status_code}")


def signature(secret: str, moment: str, body: bytes) -> str:
    """What both sides compute: HMAC-SHA256 of the time, a dot and the body."""
    signed = moment.encode() + b"." + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


@contextmanager
def telling(lend: Callable[[], Store]) -> Iterator[None]:
    """Within, whoever wants to know is told."""
    made = Telling(lend)
    made.start()
    try:
        yield
    finally:
        made.stop()
