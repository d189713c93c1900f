"""Whether whoever asked for the work of a thread still waits for it."""

from collections.abc import Callable
from contextvars import ContextVar

left: ContextVar[Callable[[], bool]] = ContextVar("left")
"""Set in a thread that works for another program: whether that one was interrupted or is gone."""


def watched() -> Callable[[], None]:
    """`go_on` as this thread has it, for the threads that work with it."""
    gone = left.get(None)

    def go_on() -> None:
        if gone is not None and gone():
            raise KeyboardInterrupt

    return go_on


def go_on() -> None:
    """KeyboardInterrupt: nobody waits any more, as Ctrl-C says it in a program of its own."""
    watched()()
