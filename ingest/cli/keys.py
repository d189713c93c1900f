"""Keys of the terminal as names, one at a time, as they are pressed."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|.", re.DOTALL)

NAMES = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", " ", "\r", "\n"), "next"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "\x7f", "\x08"), "back"),
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x1b[5~"), "deal-back"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x1b[6~"), "deal-next"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~"), "first"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~"), "last"),
    "[": "trick-back",
    "]": "trick-next",
    "f": "fault",
    "q": "quit",
    "\x04": "quit",
}
_WINDOWS = {"M": "next", "K": "back", "H": "deal-back", "P": "deal-next", "G": "first", "O": "last"}


def names_in(text: str) -> Iterator[str]:
    """The names of the keys that sent some text; keys without a name are left out."""
    for key in _KEY.findall(text):
        if key in NAMES:
            yield NAMES[key]


if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Keys as they are pressed. KeyboardInterrupt: Ctrl-C."""
        yield _pressed()

    def _pressed() -> Iterator[str]:
        while True:
            key = msvcrt.getwch()
            if key == "\x03":
                raise KeyboardInterrupt
            if key in "\x00\xe0":
                name = _WINDOWS.get(msvcrt.getwch())
                if name:
                    yield name
            else:
                yield from names_in(key)

else:
    import termios
    import tty

    @contextmanager
    def keyboard() -> Iterator[Iterator[str]]:
        """Keys as they are pressed, until input ends. KeyboardInterrupt: Ctrl-C."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        try:
            tty.setcbreak(terminal, termios.TCSADRAIN)  # what was pressed already is not lost
            yield _pressed(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _pressed(terminal: int) -> Iterator[str]:
        while data := os.read(terminal, 1024):
            yield from names_in(data.decode(errors="replace"))
