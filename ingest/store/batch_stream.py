"""Checks batches in threads, some before they are stored."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from ingest.cancellation import check_cancelled

BATCHES_AHEAD = 2
"""Batches checked while one is stored; each further one takes 100 MB."""
T = TypeVar("T")
R = TypeVar("R")


def map_ahead(batches: Iterator[T], check: Callable[[T], R], max_ahead: int = BATCHES_AHEAD) -> Iterator[R]:
    """Yield checked batches in order, read and checked up to `max_ahead` ahead of the caller.

    One thread reads and others check: scanner and kernels release the GIL. Explaining a match
    does not, so a server uses one: its pages then take 1.5 times as long, with two 2 times.
    """

    def work(read: Future[T | None]) -> R | None:
        batch = read.result()
        return None if batch is None else check(batch)

    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(max_ahead) as checkers:
        coming: deque[Future[R | None]] = deque()
        while True:
            check_cancelled()
            while len(coming) <= max_ahead:
                # in this thread's context, so that a check ends when the client leaves
                read = reader.submit(next, batches, None)
                coming.append(checkers.submit(copy_context().run, work, read))
            checked = coming.popleft().result()
            if checked is None:
                return
            yield checked
