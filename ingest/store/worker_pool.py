"""A pool of worker processes that checks logs for a served store.

To explain a match is Python's work, which lets no other thread of a process go on meanwhile: beside
pages it is done elsewhere, a piece of a file after the other, so that a small file waits for no
large one. Where no such process is, or it has ended, the work is done here.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from ingest.compat import CleanSpawnContext, untold
from ingest.reader.files import Batch, MatchText
from ingest.store.prepared_batch import pack_batch, prepare_batch
from ingest.validate.batch import MAX_SLOW_PATH_MATCHES

CHUNK_BYTES = 256 << 10
"""Bytes of text that are checked at a time, unless one match has more."""
MAX_WORKERS = 4
"""Processes, where there are processors for them."""
NICENESS = 5
"""How much they let others go first."""


S = TypeVar("S")
T = TypeVar("T")
Work = Callable[[Batch], T]


class WorkerPool:
    """The processes, begun when there is something for them to do."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._warm = False

    def run(self, work: Callable[[S], T], item: S, is_small: bool = False) -> T:
        """What some work gives, done there; here where that cannot be.

        What is `is_small` is done here as well while the first is not yet begun.
        """
        with self._lock:
            if self._pool is None:
                untold()
                # not by a fork: other threads of ours hold locks that nobody would let go of there
                self._pool = ProcessPoolExecutor(
                    self._count, CleanSpawnContext(), initializer=_init_worker
                )
                self._pool.submit(_warm_up).add_done_callback(self._on_warmed_up)
            pool = self._pool
        if is_small and not self._warm:
            return work(item)
        try:
            given = pool.submit(work, item)
        except RuntimeError:  # broken, or ended meanwhile
            self._discard_broken(pool)
            return work(item)
        try:
            return given.result()
        except (BrokenProcessPool, CancelledError):
            self._discard_broken(pool)
            return work(item)

    def _on_warmed_up(self, done: "Future[None]") -> None:
        self._warm = not done.cancelled() and done.exception() is None

    def _discard_broken(self, pool: ProcessPoolExecutor) -> None:
        """One of them was ended from outside; the next work begins with others."""
        with self._lock:
            if self._pool is pool:
                self._pool, self._warm = None, False
        pool.shutdown(wait=False)

    def shutdown(self) -> None:
        """End them, when what they are at is done."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)


_worker_pool: WorkerPool | None = None


@contextmanager
def worker_pool(worker_count: int | None = None) -> Iterator[None]:
    """Within, what comes to a store that threads share is checked by other processes."""
    global _worker_pool
    most = max(1, min(MAX_WORKERS, (os.cpu_count() or 1) - 1))
    _worker_pool = WorkerPool(most if worker_count is None else worker_count)
    try:
        yield
    finally:
        _worker_pool.shutdown()
        _worker_pool = None


def run_on_batch(work: Work[T], batch: Batch) -> T:
    """What some work on a batch gives: a function of a module, done in a process of its own."""
    if _worker_pool is None:
        return work(batch)
    return _worker_pool.run(work, batch, is_small=len(batch.texts) <= MAX_SLOW_PATH_MATCHES)


def run_in_worker(work: Callable[[S], T], item: S) -> T:
    """The same of something that is no batch, however small."""
    return work(item) if _worker_pool is None else _worker_pool.run(work, item)


def check_batch_in_worker(batch: Batch) -> bytes:
    """A batch checked, as it is laid aside (`ingest.store.prepared_batch`)."""
    return run_on_batch(_check_and_pack, batch)


def split_batches(batches: Iterator[Batch], max_bytes: int = CHUNK_BYTES) -> Iterator[Batch]:
    """The same in batches of so many bytes."""
    for batch in batches:
        some, size = list[MatchText](), 0
        troubles = deque(sorted(batch.troubles, key=lambda one: one.line))
        for text in batch.texts:
            if some and size + len(text.text) > max_bytes:
                before = sum(one.line < text.line for one in troubles)
                yield Batch(batch.file, some, [troubles.popleft() for _ in range(before)])
                some, size = [], 0
            some.append(text)
            size += len(text.text)
        yield Batch(batch.file, some, list(troubles))


def _init_worker() -> None:
    """In such a process: it ends with the server, and no signal but that ends it."""

    def follow() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
            os._exit(0)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    os.nice(NICENESS)
    gc.set_threshold(100_000)  # as the command line does
    threading.Thread(target=follow, daemon=True).start()
    prepare_batch(Batch("", [], []))


def _warm_up() -> None:
    """Done once all that is slow to load is there."""


def _check_and_pack(batch: Batch) -> bytes:
    return pack_batch(prepare_batch(batch))
