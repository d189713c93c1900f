"""What comes to a served store is checked by processes of their own.

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

from ingest.compat import Bare, untold
from ingest.reader.files import Batch, Text
from ingest.store.prepared_batch import laid, ready
from ingest.validate.batch import FEW

SIZE = 256 << 10
"""Bytes of text that are checked at a time, unless one match has more."""
MOST = 4
"""Processes, where there are processors for them."""
KIND = 5
"""How much they let others go first."""


S = TypeVar("S")
T = TypeVar("T")
Work = Callable[[Batch], T]


class Checkers:
    """The processes, begun when there is something for them to do."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._warm = False

    def sent(self, work: Callable[[S], T], what: S, small: bool = False) -> T:
        """What some work gives, done there; here where that cannot be.

        What is `small` is done here as well while the first is not yet begun.
        """
        with self._lock:
            if self._pool is None:
                untold()
                # not by a fork: other threads of ours hold locks that nobody would let go of there
                self._pool = ProcessPoolExecutor(self._count, Bare(), initializer=_begin)
                self._pool.submit(_nothing).add_done_callback(self._is_warm)
            pool = self._pool
        if small and not self._warm:
            return work(what)
        try:
            given = pool.submit(work, what)
        except RuntimeError:  # broken, or ended meanwhile
            self._gone(pool)
            return work(what)
        try:
            return given.result()
        except (BrokenProcessPool, CancelledError):
            self._gone(pool)
            return work(what)

    def _is_warm(self, done: "Future[None]") -> None:
        self._warm = not done.cancelled() and done.exception() is None

    def _gone(self, pool: ProcessPoolExecutor) -> None:
        """One of them was ended from outside; the next work begins with others."""
        with self._lock:
            if self._pool is pool:
                self._pool, self._warm = None, False
        pool.shutdown(wait=False)

    def stop(self) -> None:
        """End them, when what they are at is done."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)


_checkers: Checkers | None = None


@contextmanager
def checking(count: int | None = None) -> Iterator[None]:
    """Within, what comes to a store that threads share is checked by other processes."""
    global _checkers
    most = max(1, min(MOST, (os.cpu_count() or 1) - 1))
    _checkers = Checkers(most if count is None else count)
    try:
        yield
    finally:
        _checkers.stop()
        _checkers = None


def done(work: Work[T], batch: Batch) -> T:
    """What some work on a batch gives: a function of a module, done in a process of its own."""
    if _checkers is None:
        return work(batch)
    return _checkers.sent(work, batch, small=len(batch.texts) <= FEW)


def sent(work: Callable[[S], T], what: S) -> T:
    """The same of something that is no batch, however small."""
    return work(what) if _checkers is None else _checkers.sent(work, what)


def checked(batch: Batch) -> bytes:
    """A batch checked, as it is laid aside (`ingest.store.prepared_batch`)."""
    return done(_laid, batch)


def pieces(batches: Iterator[Batch], most: int = SIZE) -> Iterator[Batch]:
    """The same in batches of so many bytes."""
    for batch in batches:
        some, size = list[Text](), 0
        troubles = deque(sorted(batch.troubles, key=lambda one: one.line))
        for text in batch.texts:
            if some and size + len(text.text) > most:
                before = sum(one.line < text.line for one in troubles)
                yield Batch(batch.file, some, [troubles.popleft() for _ in range(before)])
                some, size = [], 0
            some.append(text)
            size += len(text.text)
        yield Batch(batch.file, some, list(troubles))


def _begin() -> None:
    """In such a process: it ends with the server, and no signal but that ends it."""

    def follow() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
            os._exit(0)

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, signal.SIG_IGN)
    os.nice(KIND)
    gc.set_threshold(100_000)  # as the command line does
    threading.Thread(target=follow, daemon=True).start()
    ready(Batch("", [], []))


def _nothing() -> None:
    """Done once all that is slow to load is there."""


def _laid(batch: Batch) -> bytes:
    return laid(ready(batch))
