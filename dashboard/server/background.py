"""Background threads of a served store: endgames and ladders, the last uses of sessions."""

import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from typing import Self

import duckdb

from ingest import cancellation
from ingest.store import ingest_files, ratings, solve_job
from ingest.store.factory import Store, StoreError
from ingest.store.sessions import record_uses
from ingest.store.solve_job import SHARED_BATCH_BYTES, RowsByTable, solve_stored
from ingest.store.stored_texts import StoredBatch, read_stored
from ingest.store.worker_pool import WorkerPool

POLL_SECONDS = 1.0
"""Seconds between two checks for work."""
STOP_TIMEOUT_SECONDS = 10.0
"""Seconds to wait for a thread at shutdown, and for the notification of one file."""
DEALS_PER_TRANSACTION = 20_000
"""Deals, solved or not, per transaction: each one costs as much as a small upload."""
IDLE_PROCESS_SECONDS = 300.0
"""Seconds after which an idle worker process ends."""


class BackgroundWorker:
    """Threads that run jobs again and again; a context manager."""

    poll_seconds = POLL_SECONDS
    """Seconds between two runs of a job."""
    join_timeout = STOP_TIMEOUT_SECONDS
    """Seconds to wait for each thread at shutdown."""
    ignored_errors: tuple[type[BaseException], ...] = (StoreError, duckdb.Error, KeyboardInterrupt)
    """Errors that end only one run of a job: a replaced store, a full disk, a server that stops."""

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
        cancellation.is_cancelled.set(self._stopping.is_set)
        while not self._stopping.wait(self.poll_seconds):
            with suppress(*self.ignored_errors):
                job()


class SessionRecorder(BackgroundWorker):
    """Writes the last uses of sessions to the store, so that they outlive the server."""

    poll_seconds = 60.0

    def __init__(self, get_store: Callable[[], Store]) -> None:
        super().__init__(get_store, self.record)

    def record(self) -> None:
        """Write the uses that the store does not know of yet."""
        record_uses(self._get_store())

    def stop(self) -> None:
        super().stop()
        with suppress(*self.ignored_errors):
            record_uses(self._get_store(), timedelta(0))


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
        """Stop without the result of the work that the process does: it may take minutes."""
        self._stopping.set()
        self._worker.shutdown(at_once=True)
        super().stop()

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
            cancellation.check_cancelled()
            self._last_used = monotonic()
            return self._worker.run(work, some)

        if values == self._ratings_source or ratings.refresh_ratings(store, run_elsewhere=elsewhere) == 0:
            self._rated_state, self._ratings_source = now, values

    def _wait_for_ingest(self) -> bool:
        """Wait while a file is being stored; return False if the server is stopping."""
        while ingest_files.running_ingests and not self._stopping.wait(0.05):
            pass
        return not self._stopping.is_set()
