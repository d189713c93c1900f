"""Files that another process hands to this one while its pages are open: `retourne demo`."""

import threading
from dataclasses import dataclass
from typing import IO

from dashboard.store import path, store
from ingest.store.demo_feed import note, received, source, wanted
from ingest.store.factory import StoreError
from ingest.store.ingest_files import ingest


@dataclass
class Feed:
    """How far it has come, in matches."""

    done: int = 0
    total: int = 0
    coming: bool = False
    broken: bool = False
    """It ended before all had come."""


_feed = Feed()
_stopped = False
_storing = threading.Lock()


def feed() -> Feed:
    """What is still to come; nothing where nobody hands anything over."""
    return _feed


def start(pipe: IO[bytes]) -> None:
    """Store what comes by the pipe, on a thread of its own."""
    _feed.coming, _feed.total = True, wanted(path())
    threading.Thread(target=_take, args=(pipe,), daemon=True, name="feed").start()


def stop() -> None:
    """Take no more; the file that is being stored is stored first."""
    global _stopped
    with _storing:
        _stopped = True


def _take(pipe: IO[bytes]) -> None:
    """Store each file as it comes; the note goes when all are there."""
    try:
        for piece in received(pipe):
            with _storing:
                if _stopped:
                    return
                if piece.data:
                    for _ in ingest(store(), [source(piece)]):
                        pass  # what it came to is in the store
                _feed.done, _feed.total = piece.done, piece.total
        note(path()).unlink(missing_ok=True)
    except (EOFError, OSError, StoreError):
        _feed.broken = True
    finally:
        _feed.coming = False
