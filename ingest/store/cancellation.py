"""Cooperative cancellation for worker threads."""

from collections.abc import Callable
from contextvars import ContextVar

is_cancelled: ContextVar[Callable[[], bool]] = ContextVar("left")
"""Set in a thread that works for another program: whether that one was interrupted or is gone."""


def cancellation_checker() -> Callable[[], None]:
    """`go_on` as this thread has it, for the threads that work with it."""
    gone = is_cancelled.get(None)

    def go_on() -> None:
        if gone is not None and gone():
            raise KeyboardInterrupt

    return go_on


def check_cancelled() -> None:
    """KeyboardInterrupt: nobody waits any more, as Ctrl-C says it in a program of its own."""
    cancellation_checker()()
