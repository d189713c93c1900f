"""A pool of worker processes that checks logs for a served store.

Explaining a match is Python code that blocks the other threads of its process. While a server
answers, worker processes do it, one piece of a file at a time, so that a small file does not wait
for a large one. Without a worker, this process does the work.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from ctypes import Array
from typing import Any, TypeVar

from ingest.cancellation import check_cancelled, is_cancelled
from ingest.compat import CleanSpawnContext, silence_resource_tracker
from ingest.reader.files import Batch, MatchText
from ingest.store.prepared_batch import pack_batch, prepare_batch
from ingest.validate.batch import MAX_SLOW_PATH_MATCHES

CHUNK_BYTES = 256 << 10
"""Bytes of text checked at a time, unless one match has more."""
MAX_WORKERS = 4
"""Maximum number of processes, if there are enough processors."""
NICENESS = 5
"""How far the processes lower their priority."""
MAX_CANCELLABLE = 256
"""Pieces of work that may be cancelled, at a time: each has a byte of memory shared with the workers."""
END_FLAG = MAX_CANCELLABLE
"""The flag after theirs: whether the workers end without finishing their work."""
CANCEL_POLL_SECONDS = 0.1
"""Seconds after which a thread that waits for a worker looks whether its client left, and a worker whether
it has to end."""

S = TypeVar("S")
T = TypeVar("T")
Work = Callable[[Batch], T]


class WorkerPool:
    """A pool of processes, started with the first work."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._warm = False
        self._flags: Array[Any] | None = None  # one a piece of work: whether it is cancelled
        self._free_flags = deque(range(MAX_CANCELLABLE))

    def run(self, work: Callable[[S], T], item: S, is_small: bool = False) -> T:
        """Run work in the pool and return its result; run it here if the pool cannot.

        Runs `is_small` work here too while the first process is starting. KeyboardInterrupt: the
        program this thread works for left; the worker stops too, where it next checks for that.
        """
        with self._lock:
            if self._pool is None:
                check_cancelled()  # its program may have shut this pool down
                silence_resource_tracker()
                # no fork: other threads hold locks that no thread of the child would release
                try:
                    self._flags = self._flags or CleanSpawnContext().RawArray("b", END_FLAG + 1)
                    self._pool = ProcessPoolExecutor(
                        self._count, CleanSpawnContext(), initializer=_init_worker, initargs=(self._flags,)
                    )
                except OSError:  # no shared memory and no semaphores: /dev/shm is read-only
                    return work(item)
                self._pool.submit(_warm_up).add_done_callback(self._on_warmed_up)
            pool = self._pool
        if is_small and not self._warm:
            return work(item)
        flag = self._free_flags.popleft() if self._free_flags else None
        try:
            given = pool.submit(_run_cancellable, flag, work, item)
        except RuntimeError:  # broken, or shut down meanwhile
            self._release(flag)
            self._discard_broken(pool)
            return work(item)
        given.add_done_callback(lambda _: self._release(flag))
        try:
            return self._result_of(given, flag)
        except (BrokenProcessPool, CancelledError):
            self._discard_broken(pool)
            check_cancelled()
            return work(item)

    def _result_of(self, given: "Future[T]", flag: int | None) -> T:
        """Wait for the result of a worker, as long as the client does. KeyboardInterrupt: it left."""
        while not given.done():
            wait([given], CANCEL_POLL_SECONDS)
            try:
                check_cancelled()
            except KeyboardInterrupt:
                if not given.cancel() and flag is not None and self._flags is not None:
                    self._flags[flag] = 1
                raise
        return given.result()

    def _release(self, flag: int | None) -> None:
        if flag is not None:
            if self._flags is not None:
                self._flags[flag] = 0
            self._free_flags.append(flag)

    def _on_warmed_up(self, done: "Future[None]") -> None:
        self._warm = not done.cancelled() and done.exception() is None

    def _discard_broken(self, pool: ProcessPoolExecutor) -> None:
        """Discard a pool after one process was killed; the next work starts another."""
        with self._lock:
            if self._pool is pool:
                self._pool, self._warm = None, False
        pool.shutdown(wait=False)

    def shutdown(self, at_once: bool = False) -> None:
        """Shut the processes down when their current work is done; `at_once`: without its result."""
        with self._lock:
            pool, self._pool = self._pool, None
            if at_once and self._flags is not None:
                self._flags[END_FLAG] = 1
        if pool is not None:
            pool.shutdown(cancel_futures=True)


_worker_pool: WorkerPool | None = None


@contextmanager
def worker_pool(worker_count: int | None = None) -> Iterator[None]:
    """Within, other processes check new logs for a store that threads share."""
    global _worker_pool
    most = max(1, min(MAX_WORKERS, (os.cpu_count() or 1) - 1))
    _worker_pool = WorkerPool(most if worker_count is None else worker_count)
    try:
        yield
    finally:
        _worker_pool.shutdown()
        _worker_pool = None


def run_on_batch(work: Work[T], batch: Batch) -> T:
    """Run a module's function on a batch, in a worker process if there is a pool."""
    if _worker_pool is None or not batch.texts:  # read errors alone: a zip may have thousands
        return work(batch)
    return _worker_pool.run(work, batch, is_small=len(batch.texts) <= MAX_SLOW_PATH_MATCHES)


def run_in_worker(work: Callable[[S], T], item: S) -> T:
    """Run work on something else than a batch the same way, however small."""
    return work(item) if _worker_pool is None else _worker_pool.run(work, item)


def check_batch_in_worker(batch: Batch) -> bytes:
    """Check a batch and return it packed (`ingest.store.prepared_batch`)."""
    return run_on_batch(_check_and_pack, batch)


def split_batches(batches: Iterator[Batch], max_bytes: int = CHUNK_BYTES) -> Iterator[Batch]:
    """Split batches into batches of at most `max_bytes`, unless one match has more."""
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


_worker_flags: "Array[Any]"  # in a worker process
_answering = threading.Lock()
"""Held by a worker except while it works: were it ended with half an answer sent, the server would wait for
the other half."""


def _run_cancellable(flag: int | None, work: Callable[[S], T], item: S) -> T:
    """Run work in a worker; the process that waits for it sets the flag to cancel it."""
    before = is_cancelled.set(lambda: flag is not None and bool(_worker_flags[flag]))
    _answering.release()
    try:
        return work(item)
    finally:
        _answering.acquire()
        is_cancelled.reset(before)


def _init_worker(flags: "Array[Any]") -> None:
    """Prepare a worker: it ignores signals and ends with the server, or when its pool is shut down."""
    global _worker_flags
    _worker_flags = flags

    def follow() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            while parent.is_alive() and not flags[END_FLAG]:
                parent.join(CANCEL_POLL_SECONDS)
            if parent.is_alive():
                _answering.acquire()
            os._exit(0)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    os.nice(NICENESS)
    gc.set_threshold(100_000)  # as the command line does
    threading.Thread(target=follow, daemon=True).start()
    prepare_batch(Batch("", [], []))
    _answering.acquire()


def _warm_up() -> None:
    """Completes once a worker has loaded its slow imports."""


def _check_and_pack(batch: Batch) -> bytes:
    return pack_batch(prepare_batch(batch))
