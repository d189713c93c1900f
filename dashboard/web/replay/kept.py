"""Answers that are ready: made once for what the store has, sent again as long as it has that.

An answer is kept by the state of the store it was made in. In another state its match is looked up
again, and where it says to its readers what it said before, the answer is that one still.
"""

import gzip
import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from cachetools import LRUCache

from dashboard.store import at_hand
from ingest.store.store import Store

MOST = 32 << 20
"""Bytes of all answers that are kept."""


class Ready(NamedTuple):
    """What is sent: its body as it travels, compressed but for pictures."""

    type: str
    body: bytes
    tag: str
    zipped: bool
    whole: bool = True
    """Whether it is kept: what waits for a part of it will be another."""

    @classmethod
    def of(cls, type: str, body: bytes, zipped: bool = True, whole: bool = True) -> "Ready":
        """The body as it is; its tag says what is in it."""
        tag = hashlib.sha256(body).hexdigest()[:32]
        return cls(type, gzip.compress(body, 6, mtime=0) if zipped else body, tag, zipped, whole)

    @property
    def plain(self) -> bytes:
        """The body for whoever takes nothing compressed."""
        return gzip.decompress(self.body) if self.zipped else self.body


Stamp = tuple[Store, int, int]
Asked = tuple[str, ...]
"""What an answer depends on besides its match."""


def stamp(opened: Store) -> Stamp:
    """The state of a store now; another one after whatever is written."""
    return opened, opened.opened, opened.commits


class _Entry(NamedTuple):
    stamp: Stamp
    said: str
    """What the match says to its readers, as a digest."""
    ready: Ready


class Kept:
    """Answers by what was asked, those asked for last. Threads may share it."""

    def __init__(self, most: int = MOST) -> None:
        self._entries: LRUCache[Asked, _Entry] = LRUCache(most, lambda one: len(one.ready.body))
        self._lock = threading.Lock()

    def now(self, asked: Asked) -> Ready | None:
        """The answer, if the store is as it was; nobody waits for it."""
        opened = at_hand()
        with self._lock:
            entry = self._entries.get(asked)
        if entry is None or opened is None or entry.stamp != stamp(opened):
            return None
        return entry.ready

    def get(self, asked: Asked, at: Stamp, said: str, make: Callable[[], Ready]) -> Ready:
        """The answer of a match that says this, `at` a state of the store before it was read."""
        with self._lock:
            entry = self._entries.get(asked)
        ready = entry.ready if entry is not None and entry.said == said else make()
        if not ready.whole:
            return ready
        with self._lock, suppress(ValueError):  # one that is larger than all that is kept
            self._entries[asked] = _Entry(at, said, ready)
        return ready
