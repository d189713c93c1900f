"""Cooperative cancellation of worker threads: by Ctrl-C of a command, or a client that hangs up."""

from collections.abc import Callable
from contextvars import ContextVar

is_cancelled: ContextVar[Callable[[], bool]] = ContextVar("is_cancelled")
"""Set in a thread that works for another program: whether that was interrupted or has ended."""


def cancellation_checker() -> Callable[[], None]:
    """Return a function like `check_cancelled` for this thread, which other threads may call."""
    is_cancelled_here = is_cancelled.get(None)

    def raise_if_cancelled() -> None:
        if is_cancelled_here is not None and is_cancelled_here():
            raise KeyboardInterrupt

    return raise_if_cancelled


def check_cancelled() -> None:
    """Raise KeyboardInterrupt if the program this thread works for no longer waits."""
    cancellation_checker()()
