"""What is done beside the pages while a store is served, each on a thread that looks every second.

Programs are told of new matches (`retourne webhook add URL`), and the ends of new deals are solved.
"""

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, time
from typing import Self

import duckdb

from ingest.operations.access import address
from ingest.store import ingest_files, ratings, solve_job, webhooks
from ingest.store.factory import Store, StoreError
from ingest.store.solve_job import SHORT, Rows, reckoned
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.webhooks import Webhook
from ingest.store.worker_pool import Checkers

LOOK = 1.0
"""Seconds between two looks whether there is something to do."""
PATIENCE = 10.0
"""Seconds that telling of one file may take in all, and that is waited for at the end."""
AT_ONCE = 100
"""Files told of before that is written down."""
AGAIN = (2.0, 10.0, 60.0, 600.0, 3600.0)
"""Seconds until an address that failed is told again; the last one for ever."""
MOST = 64
"""Addresses that are told at a time."""
SIGNATURE = "Retourne-Signature"
DEALS_AT_ONCE = 20_000
"""Deals, solved or not, that are written at a time: each time costs as much as a small upload."""
LINGER = 300.0
"""Seconds the process is kept when there is nothing to do."""


class Background:
    """Threads that look, each again and again for something to do; a context manager."""

    wait = PATIENCE
    """Seconds that the end of each is waited for."""
    quiet: tuple[type[BaseException], ...] = (StoreError, duckdb.Error, InterruptedError)
    """What ends a look and no more: the next one sees that the store was replaced, or is full."""

    def __init__(self, lend: Callable[[], Store], *looks: Callable[[], None]) -> None:
        self._lend, self._ended = lend, threading.Event()
        self._threads = [
            threading.Thread(target=self._work, args=(look,), daemon=True, name=look.__qualname__)
            for look in looks
        ]

    def __enter__(self) -> Self:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()
        for one in self._threads:
            if one.ident is not None:  # it was begun
                one.join(self.wait)

    def _work(self, look: Callable[[], None]) -> None:
        while not self._ended.wait(LOOK):
            with suppress(*self.quiet):
                look()


class WebhookDelivery(Background):
    """Tells programs that there is something new, and nothing of it that a name could be in."""

    def __init__(self, lend: Callable[[], Store]) -> None:
        super().__init__(lend, self.look)
        self._failed: dict[int, tuple[int, float]] = {}
        """Number of a webhook → how often it failed in a row, and when it is tried again."""
        self._at_work: dict[int, threading.Thread] = {}
        """Number of a webhook → who tells it."""

    def stop(self) -> None:
        """Look no more, and wait a while for whom is being told."""
        end = monotonic() + PATIENCE
        super().stop()
        for work in self._at_work.values():
            work.join(max(0.0, end - monotonic()))

    def look(self) -> None:
        """Have each address told by a thread of its own, which a slow one keeps for itself."""

        def work(webhook: Webhook) -> None:
            with suppress(StoreError, duckdb.Error):
                self.tell(webhook)

        self._at_work = {no: work for no, work in self._at_work.items() if work.is_alive()}
        for one in webhooks.webhooks(self._lend().cursor()):
            if one.number not in self._at_work and len(self._at_work) < MOST:
                thread = threading.Thread(target=work, args=(one,), daemon=True, name="webhook")
                self._at_work[one.number] = thread
                thread.start()

    def tell(self, one: Webhook) -> None:
        """Tell an address of what is new to it, unless it failed a short while ago."""
        failed, when = self._failed.get(one.number, (0, 0.0))
        if monotonic() < when:
            return
        told = list[int]()
        try:
            for file_no, matches in webhooks.news(self._lend(), one, AT_ONCE):
                if matches:
                    # of a thread nobody could end an answer that never ends
                    event = {"event": "matches.added", "file": file_no, "matches": matches}
                    asyncio.run(send(one, event))
                told.append(file_no)
                if self._ended.is_set():
                    break
            self._failed.pop(one.number, None)
        except Exception as error:  # whatever the network does, the thread goes on
            if isinstance(error, StoreError | duckdb.Error):
                raise
            wait = AGAIN[min(failed, len(AGAIN) - 1)]
            self._failed[one.number] = failed + 1, monotonic() + wait
        if told or webhooks.newest(self._lend().cursor()) < one.told:  # a backup was put back
            webhooks.tell(self._lend(), one.number, told)


async def send(one: Webhook, what: dict[str, object]) -> None:
    """Send a signed body. Private, httpx.HTTPError, TimeoutError: it was not taken."""
    import httpx  # loaded where there is somebody to tell

    url = httpx.URL(one.url)
    place = address(url.host, url.port or (443 if url.scheme == "https" else 80), one.private)
    body, now = json.dumps(what).encode(), str(int(time()))
    # what both sides compute: HMAC-SHA256 of the time, a dot and the body
    signed = hmac.new(one.secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Host": url.netloc.decode(), "Content-Type": "application/json"}
    headers[SIGNATURE] = f"t={now},v1={signed}"
    # the address that was looked at is the one that is asked, whatever the name leads to by then
    at, named = url.copy_with(host=place), {"sni_hostname": url.host}
    async with (
        httpx.AsyncClient(timeout=PATIENCE, trust_env=False, follow_redirects=False) as client,
        asyncio.timeout(PATIENCE),
        client.stream("POST", at, content=body, headers=headers, extensions=named) as got,
    ):
        if not got.is_success:
            raise httpx.HTTPError(f"{got.status_code}")


class BackgroundSolver(Background):
    """Has a process beside the server reckon what the ends of new deals were worth, and rate.

    Files are stored without waiting for it, and while one is being stored it waits itself.
    """

    def __init__(self, lend: Callable[[], Store]) -> None:
        super().__init__(lend, self.look, self.rate)
        self._seen: tuple[int, int] | None = None
        """The store as it was left: which file, and how often it was written to."""
        self._rated: tuple[int, int] | None = None
        """The same, with its ladders up to date."""
        self._written: tuple[int | None, ...] = ()
        """What then was to be rated."""
        self._process = Checkers(1)
        self._worked = 0.0

    def stop(self) -> None:
        """Look no more, and end the process."""
        super().stop()
        self._process.stop()

    def look(self) -> None:
        """Reckon what is missing, unless the store is as it was left."""
        if self._worked and monotonic() - self._worked > LINGER:
            self._process.stop()
            self._worked = 0.0
        store = self._lend()
        now = store.opened, store.commits
        if now == self._seen:
            return
        numbers = solve_job.missing(store.cursor())
        if not len(numbers):
            self._seen = store.opened, now[1]
            return
        before = solve_job.state(store)
        done, deals, written = list[tuple[StoredBatch, list[Rows]]](), 0, 0
        for work in read_stored(store, numbers, SHORT):
            if not self._free():
                return
            found = self._process.sent(reckoned, work)
            self._worked = monotonic()
            done.append((work, found))
            deals += sum(len(rows["deal_values"]) for rows in found)
            written += len(work.match_no) if found else 0
            if deals >= DEALS_AT_ONCE:
                if not solve_job.write(store, before, done):
                    return
                done, deals = [], 0
        if deals and not solve_job.write(store, before, done):
            return
        if not written:
            self._seen = store.opened, now[1]

    def rate(self) -> None:
        """Rate the ladders, unless matches are as they were; readers wait for nothing."""
        store = self._lend()
        now = store.opened, store.commits
        if now == self._rated or not self._free():
            return
        told = store.opened, *ratings.written(store)

        def elsewhere(work: ratings.Rate, some: ratings.Waiting) -> ratings.Rated:
            if self._ended.is_set():
                raise InterruptedError
            self._worked = monotonic()
            return self._process.sent(work, some)

        if told == self._written or ratings.refresh(store, apart=elsewhere) == 0:
            self._rated, self._written = now, told

    def _free(self) -> bool:
        """Wait while something is being stored; False: it is to end."""
        while ingest_files.under_way and not self._ended.wait(0.05):
            pass
        return not self._ended.is_set()
