"""Cooperative cancellation for worker threads."""

from collections.abc import Callable
from contextvars import ContextVar

is_cancelled: ContextVar[Callable[[], bool]] = ContextVar("left")
"""Set in a thread that works for another program: whether that was interrupted or has ended."""


def cancellation_checker() -> Callable[[], None]:
    """Return a function like `check_cancelled` for this thread, which other threads may call."""
    removed = is_cancelled.get(None)

    def go_on() -> None:
        if removed is not None and removed():
            raise KeyboardInterrupt

    return go_on


def check_cancelled() -> None:
    """Raise KeyboardInterrupt if the program this thread works for no longer waits."""
    cancellation_checker()()
