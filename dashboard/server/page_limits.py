"""Bounds how many scripts of pages run at a time: the others wait, and no visitor's before another's.

Scripts compute in Python, which one thread at a time does: the event loop would wait for each of them in
turn, and all of them would be slow together.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from dashboard.api.rate_limits import MAX_COMPUTING
from dashboard.api.visitor_address import visitor_address

SLOT_SECONDS = 2.0
"""Seconds after which a script no longer counts: it waits for something, and others need not."""


class PageRun:
    """A script that waits for its turn, and then runs."""

    def __init__(self, visitor: object) -> None:
        self.visitor, self.started = visitor, threading.Event()
        self.counts_until = 0.0


class PageRunSlots:
    """Bounds how many scripts run at a time.

    The next one is that of the visitor of whom the fewest run; among these, the first that came.
    """

    def __init__(self, most: int = MAX_COMPUTING, slot_seconds: float = SLOT_SECONDS) -> None:
        self._most, self._slot_seconds = most, slot_seconds
        self._running, self._waiting = list[PageRun](), list[PageRun]()
        self._lock = threading.Lock()

    @contextmanager
    def running(self, visitor: object) -> Iterator[None]:
        """Wait for the turn of a visitor's script, and count it as running within the block."""
        run = self.enter(visitor)
        try:
            while not run.started.wait(self.seconds_to_next()):
                pass
            yield
        finally:
            self.leave(run)

    @property
    def is_idle(self) -> bool:
        """Whether no script runs or waits."""
        return not self._running and not self._waiting

    def enter(self, visitor: object) -> PageRun:
        """Let a visitor's script run, or wait for its turn."""
        run = PageRun(visitor)
        with self._lock:
            self._waiting.append(run)
            self._start_next()
        return run

    def leave(self, run: PageRun) -> None:
        """Give the slot of a script to the next one; it may have given it up already."""
        with self._lock:
            for some in (self._running, self._waiting):
                if run in some:
                    some.remove(run)
            self._start_next()

    def seconds_to_next(self) -> float:
        """Return after how many seconds the next slot is given up; start those whose turn it is."""
        with self._lock:
            self._start_next()
            ends = min((run.counts_until for run in self._running), default=0.0)
        return max(0.0, ends - time.monotonic())

    def _start_next(self) -> None:
        """Start those whose turn it is."""
        now = time.monotonic()
        self._running = [run for run in self._running if run.counts_until > now]
        while self._waiting and len(self._running) < self._most:
            held = Counter(run.visitor for run in self._running)
            run = min(self._waiting, key=lambda one: held[one.visitor])
            self._waiting.remove(run)
            run.counts_until = now + self._slot_seconds
            self._running.append(run)
            run.started.set()


page_run_slots = PageRunSlots()


def running_for(address: str) -> AbstractContextManager[None]:
    """Wait for the turn of a script of the visitor with an address, and count it within the block."""
    return page_run_slots.running(visitor_address({"client": (address, 0)}))
