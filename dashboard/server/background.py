"""Background threads of a served store: webhooks, solver, ratings.

Webhooks notify programs of new matches (`retourne webhook add URL`); the solver values endgames.
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

from ingest.operations.access import resolve_public_address
from ingest.store import ingest_files, ratings, solve_job, webhooks
from ingest.store.factory import Store, StoreError
from ingest.store.solve_job import SHARED_BATCH_BYTES, RowsByTable, solve_stored
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.webhooks import Webhook
from ingest.store.worker_pool import WorkerPool

POLL_SECONDS = 1.0
"""Seconds between two checks for work."""
STOP_TIMEOUT_SECONDS = 10.0
"""Seconds for the notification of one file, and for the wait at shutdown."""
FILES_PER_ROUND = 100
"""Files to notify of before the progress is recorded."""
RETRY_SECONDS = (2.0, 10.0, 60.0, 600.0, 3600.0)
"""Seconds until a failed webhook is retried, by failures in a row; the last one repeats."""
MAX_DELIVERIES = 64
"""Webhooks that are notified at a time."""
SIGNATURE_HEADER = "Retourne-Signature"
DEALS_PER_TRANSACTION = 20_000
"""Deals, solved or not, per transaction: each one costs as much as a small upload."""
IDLE_PROCESS_SECONDS = 300.0
"""Seconds after which an idle worker process ends."""


class BackgroundWorker:
    """Threads that run jobs again and again; a context manager."""

    join_timeout = STOP_TIMEOUT_SECONDS
    """Seconds to wait for each thread at shutdown."""
    ignored_errors: tuple[type[BaseException], ...] = (StoreError, duckdb.Error, InterruptedError)
    """Errors that end only one run of a job: the store was replaced, or the disk is full."""

    def __init__(self, get_store: Callable[[], Store], *jobs: Callable[[], None]) -> None:
        self._get_store, self._stopping = get_store, threading.Event()
        self._threads = [
            threading.Thread(target=self._poll, args=(look,), daemon=True, name=look.__qualname__)
            for look in jobs
        ]

    def __enter__(self) -> Self:
        for one in self._threads:
            one.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def stop(self) -> None:
        self._stopping.set()
        for one in self._threads:
            if one.ident is not None:  # it was started
                one.join(self.join_timeout)

    def _poll(self, job: Callable[[], None]) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            with suppress(*self.ignored_errors):
                job()


class WebhookDelivery(BackgroundWorker):
    """Notifies programs of new matches; an event contains no names."""

    def __init__(self, get_store: Callable[[], Store]) -> None:
        super().__init__(get_store, self.deliver_all)
        self._failures: dict[int, tuple[int, float]] = {}
        """Webhook number → its failures in a row, and the time of the next try."""
        self._threads_by_webhook: dict[int, threading.Thread] = {}
        """Webhook number → its thread."""

    def stop(self) -> None:
        """Stop, and wait for running notifications up to a time limit."""
        end = monotonic() + STOP_TIMEOUT_SECONDS
        super().stop()
        for work in self._threads_by_webhook.values():
            work.join(max(0.0, end - monotonic()))

    def deliver_all(self) -> None:
        """Notify every webhook in its own thread, so that a slow one delays no other."""

        def work(webhook: Webhook) -> None:
            with suppress(StoreError, duckdb.Error):
                self.deliver(webhook)

        self._threads_by_webhook = {
            no: work for no, work in self._threads_by_webhook.items() if work.is_alive()
        }
        for one in webhooks.webhooks(self._get_store().cursor()):
            if one.number not in self._threads_by_webhook and len(self._threads_by_webhook) < MAX_DELIVERIES:
                thread = threading.Thread(target=work, args=(one,), daemon=True, name="webhook")
                self._threads_by_webhook[one.number] = thread
                thread.start()

    def deliver(self, webhook: Webhook) -> None:
        """Notify a webhook of new files, unless it waits after a failure."""
        failed, when = self._failures.get(webhook.number, (0, 0.0))
        if monotonic() < when:
            return
        items = list[int]()
        try:
            for file_no, matches in webhooks.undelivered(self._get_store(), webhook, FILES_PER_ROUND):
                if matches:
                    # a total time limit: a thread could not be stopped while a response never ends
                    event = {"event": "matches.added", "file": file_no, "matches": matches}
                    asyncio.run(post_signed(webhook, event))
                items.append(file_no)
                if self._stopping.is_set():
                    break
            self._failures.pop(webhook.number, None)
        except Exception as error:  # keep the thread running after any network error
            if isinstance(error, StoreError | duckdb.Error):
                raise
            wait = RETRY_SECONDS[min(failed, len(RETRY_SECONDS) - 1)]
            self._failures[webhook.number] = failed + 1, monotonic() + wait
        if (
            items or webhooks.last_file_number(self._get_store().cursor()) < webhook.delivered
        ):  # an older backup was restored
            webhooks.mark_delivered(self._get_store(), webhook.number, items)


async def post_signed(webhook: Webhook, payload: dict[str, object]) -> None:
    """POST a signed body. PrivateAddressError, httpx.HTTPError, TimeoutError: not accepted."""
    import httpx  # imported late: most servers have no webhook

    url = httpx.URL(webhook.url)
    place = resolve_public_address(
        url.host, url.port or (443 if url.scheme == "https" else 80), webhook.private
    )
    body, now = json.dumps(payload).encode(), str(int(time()))
    # both sides compute HMAC-SHA256 of the time, a dot and the body
    signed = hmac.new(webhook.secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
    headers = {"Host": url.netloc.decode(), "Content-Type": "application/json"}
    headers[SIGNATURE_HEADER] = f"t={now},v1={signed}"
    # connect to the checked address: the name could resolve to a private one by now
    at, named = url.copy_with(host=place), {"sni_hostname": url.host}
    async with (
        httpx.AsyncClient(timeout=STOP_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client,
        asyncio.timeout(STOP_TIMEOUT_SECONDS),
        client.stream("POST", at, content=body, headers=headers, extensions=named) as got,
    ):
        if not got.is_success:
            raise httpx.HTTPError(f"{got.status_code}")


class BackgroundSolver(BackgroundWorker):
    """Solves the endgames of new deals and rates ladders, in a separate process.

    Uploads do not wait for it; while a file is being stored, it waits.
    """

    def __init__(self, get_store: Callable[[], Store]) -> None:
        super().__init__(get_store, self.solve_missing, self.rate_ladders)
        self._solved_state: tuple[int, int] | None = None
        """Store file and version at which all deals were solved."""
        self._rated_state: tuple[int, int] | None = None
        """Store file and version at which all ladders were rated."""
        self._ratings_source: tuple[int | None, ...] = ()
        """Version of the data that was rated."""
        self._worker = WorkerPool(1)
        self._last_used = 0.0

    def stop(self) -> None:
        super().stop()
        self._worker.shutdown()

    def solve_missing(self) -> None:
        """Solve deals without values, unless the store has not changed."""
        if self._last_used and monotonic() - self._last_used > IDLE_PROCESS_SECONDS:
            self._worker.shutdown()
            self._last_used = 0.0
        store = self._get_store()
        now = store.file_generation, store.version
        if now == self._solved_state:
            return
        numbers = solve_job.matches_to_solve(store.cursor())
        if not len(numbers):
            self._solved_state = store.file_generation, now[1]
            return
        before = solve_job.solve_state(store)
        done, deals, written = list[tuple[StoredBatch, list[RowsByTable]]](), 0, 0
        for work in read_stored(store, numbers, SHARED_BATCH_BYTES):
            if not self._wait_for_ingest():
                return
            found = self._worker.run(solve_stored, work)
            self._last_used = monotonic()
            done.append((work, found))
            deals += sum(len(rows["endgame_values"]) for rows in found)
            written += len(work.match_no) if found else 0
            if deals >= DEALS_PER_TRANSACTION:
                if not solve_job.write_solved(store, before, done):
                    return
                done, deals = [], 0
        if deals and not solve_job.write_solved(store, before, done):
            return
        if not written:
            self._solved_state = store.file_generation, now[1]

    def rate_ladders(self) -> None:
        """Rate the ladders if matches have changed; readers do not wait."""
        store = self._get_store()
        now = store.file_generation, store.version
        if now == self._rated_state or not self._wait_for_ingest():
            return
        values = store.file_generation, *ratings.source_version(store)

        def elsewhere(work: ratings.RateFunction, some: ratings.RatingWork) -> ratings.RatingResult:
            if self._stopping.is_set():
                raise InterruptedError
            self._last_used = monotonic()
            return self._worker.run(work, some)

        if values == self._ratings_source or ratings.refresh_ratings(store, run_elsewhere=elsewhere) == 0:
            self._rated_state, self._ratings_source = now, values

    def _wait_for_ingest(self) -> bool:
        """Wait while a file is being stored; return False if the server is stopping."""
        while ingest_files.running_ingests and not self._stopping.wait(0.05):
            pass
        return not self._stopping.is_set()
