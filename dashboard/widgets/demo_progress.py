"""Progress of the demo's matches, which another process sends."""

import threading
from dataclasses import dataclass
from typing import IO

from dashboard.store import open_store, store_path
from ingest.store.demo_feed import as_source, receive_files, target_count_path, target_match_count
from ingest.store.factory import StoreError
from ingest.store.ingest_files import ingest


@dataclass
class FeedProgress:
    """Progress of the feed, in matches."""

    matches_done: int = 0
    matches_total: int = 0
    is_active: bool = False
    has_failed: bool = False
    """Whether it ended before all matches arrived."""


_progress = FeedProgress()
_is_stopped = False
_store_lock = threading.Lock()


def feed_progress() -> FeedProgress:
    """Return the progress of the feed; it is empty without a feed."""
    return _progress


def start_feed(pipe: IO[bytes]) -> None:
    """Store the files that arrive through the pipe, in a separate thread."""
    _progress.is_active, _progress.matches_total = True, target_match_count(store_path())
    threading.Thread(target=_store_files, args=(pipe,), daemon=True, name="feed").start()


def stop_feed() -> None:
    """Stop the feed after the file that is being stored."""
    global _is_stopped
    with _store_lock:
        _is_stopped = True


def _store_files(pipe: IO[bytes]) -> None:
    """Store each file as it arrives; delete the target count once all are stored."""
    try:
        for piece in receive_files(pipe):
            with _store_lock:
                if _is_stopped:
                    return
                if piece.data:
                    for _ in ingest(open_store(), [as_source(piece)]):
                        pass  # the store holds the result
                _progress.matches_done, _progress.matches_total = piece.done, piece.total
        target_count_path(store_path()).unlink(missing_ok=True)
    except (EOFError, OSError, StoreError):
        _progress.has_failed = True
    finally:
        _progress.is_active = False
