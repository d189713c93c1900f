"""While a store is served, a process beside it reckons what the ends of new deals were worth.

It rates the ladders, too. Files are stored without waiting for it, and while one is being stored it
waits itself.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

import duckdb

from ingest.store import add, ratings, reckon
from ingest.store.apart import Checkers
from ingest.store.reckon import SHORT, Rows, reckoned
from ingest.store.store import Store, StoreError
from ingest.store.stored_texts import StoredBatch, read_stored

LOOK = 1.0
"""Seconds between two looks whether something was stored."""
AT_ONCE = 20_000
"""Deals, solved or not, that are written at a time: each time costs as much as a small upload."""
LINGER = 300.0
"""Seconds the process is kept when there is nothing to do."""
PATIENCE = 10.0


class Reckoning:
    """The threads that look, one for ladders and one for deals, and the process that reckons."""

    def __init__(self, lend: Callable[[], Store]) -> None:
        self._lend = lend
        self._ended = threading.Event()
        self._seen: tuple[int, int] | None = None
        """The store as it was left: which file, and how often it was written to."""
        self._rated: tuple[int, int] | None = None
        """The same, with its ladders up to date."""
        self._written: tuple[int | None, ...] = ()
        """What then was to be rated."""
        self._process = Checkers(1)
        self._worked = 0.0
        self._threads = [
            threading.Thread(target=self._work, args=(look,), daemon=True, name=name)
            for name, look in (("values", self.look), ("ladders", self.rate))
        ]

    def start(self) -> None:
        for one in self._threads:
            one.start()

    def stop(self) -> None:
        self._ended.set()
        for one in self._threads:
            if one.ident is not None:  # it was begun
                one.join(PATIENCE)
        self._process.stop()

    def _work(self, look: Callable[[], None]) -> None:
        while not self._ended.wait(LOOK):
            # replaced, or full: the next look sees it
            with suppress(StoreError, duckdb.Error, InterruptedError):
                look()
            if self._worked and monotonic() - self._worked > LINGER:
                self._process.stop()
                self._worked = 0.0

    def look(self) -> None:
        """Reckon what is missing, unless the store is as it was left."""
        store = self._lend()
        now = store.opened, store.commits
        if now == self._seen:
            return
        numbers = reckon.missing(store.cursor())
        if not len(numbers) or self._reckon(store, numbers) == 0:
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

    def _reckon(self, store: Store, numbers: reckon.Ints) -> int | None:
        """How many of some matches have values now; None: it was left before its end."""
        before = reckon.state(store)
        done, deals, written = list[tuple[StoredBatch, list[Rows]]](), 0, 0
        for work in read_stored(store, numbers, SHORT):
            if not self._free():
                return None
            found = self._process.sent(reckoned, work)
            self._worked = monotonic()
            done.append((work, found))
            deals += sum(len(rows["deal_values"]) for rows in found)
            written += len(work.match_no) if found else 0
            if deals >= AT_ONCE:
                if not reckon.write(store, before, done):
                    return None
                done, deals = [], 0
        return written if not deals or reckon.write(store, before, done) else None

    def _free(self) -> bool:
        """Wait while something is being stored; False: it is to end."""
        while add.under_way:
            if self._ended.wait(0.05):
                return False
        return not self._ended.is_set()


@contextmanager
def reckoning(lend: Callable[[], Store]) -> Iterator[None]:
    """Within, what is stored is reckoned."""
    made = Reckoning(lend)
    made.start()
    try:
        yield
    finally:
        made.stop()
