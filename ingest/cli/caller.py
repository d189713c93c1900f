"""Who called the command a thread does, where that is another program than this one.

The server of the dashboard has the store, and does commands for other programs of the same user.
Each has streams, a terminal and an environment of its own.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

    from ingest.store.store import Store


@dataclass(eq=False)
class Caller:
    """Another program, as far as a command has to know of it."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]
    """What its terminal can do, as Rich asks for it."""
    confirm: Callable[[str], bool]
    """Asks a question there. KeyboardInterrupt: it was interrupted."""
    has: Callable[[Path], bool]
    """Whether this process has the store of a path open."""
    address: str
    """Where people find the pages of the store."""
    lend: Callable[[], "AbstractContextManager[Store]"]
    """That store, open."""
    alone: Callable[[], "AbstractContextManager[Store]"]
    """The same, to put another file in its place."""

    @contextmanager
    def above(self, console: "Console") -> Iterator[None]:
        """Within, what is written to standard output stands above what a console repaints."""
        from rich.file_proxy import FileProxy

        plain = self.stdout
        self.stdout = cast(TextIO, FileProxy(console, plain))
        try:
            yield
        finally:
            self.stdout = plain


caller: ContextVar[Caller | None] = ContextVar("caller", default=None)


class _Standard:
    """A standard stream that is another one in a thread that works for another program."""

    def __init__(self, name: str, own: TextIO) -> None:
        self._name, self._own = name, own

    def __getattr__(self, name: str) -> Any:
        other = caller.get()
        return getattr(self._own if other is None else getattr(other, self._name), name)


@contextmanager
def streams_of_callers() -> Iterator[None]:
    """Within, the standard streams are in each thread those of whom it works for."""
    own = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = (
        cast(TextIO, _Standard(name, stream))
        for name, stream in zip(("stdin", "stdout", "stderr"), own, strict=True)
    )
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = own
