"""A command that finds its store open in the dashboard's server is done there.

It has been parsed here, and what it reads and writes is this program's: its terminal or pipes, its
folder, its language. Ctrl-C and a question are dealt with here too.
"""

import os
import re
import socket
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any

from ingest.cli import wire
from ingest.cli.caller import caller
from ingest.cli.terminal import Stop, confirm, leave, program_version
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.store.store import BUSY, StoreError
from ingest.text.storage import VARIABLES

OTHER_VERSION = N_(
    "The store {path} is served by another version of Retourne. Close the dashboard and start it "
    "again."
)
ENDED = N_(
    "The dashboard that has the store {path} ended before this was done: what was not finished "
    "was left out."
)
OF_TERMINALS = (
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
    "COLUMNS",
    "LINES",
)
"""What Rich asks of the environment."""

NAMED = ("copy",)
"""Commands that name their stores without an option."""


def handed_over(
    error: StoreError, words: Sequence[str], t: Translate, output: IO[bytes] | None = None
) -> int | None:
    """The exit code of a command done by the server that has the store; None: there is none.

    `output` takes what it writes, else our own does. Stop: the server cannot do it.
    """
    if error.text != BUSY or caller.get() is not None:
        return None
    path = str(error.values["path"])
    try:
        connection = wire.connect(Path(path).resolve())
    except wire.NoSocket:
        return None
    with connection, ExitStack() as files:
        message = {
            "version": program_version(),
            "words": _with_store(_reachable(words), path),
            "language": t.language,
            "environ": _environ(),
            "encoding": sys.stdout.encoding,
            "umask": _umask(),
        }
        with suppress(OSError):  # it may end at any time
            wire.request(connection, message, _files(files, output))
            return _followed(connection, path, t)
        raise Stop(ENDED, path=path)


def asked(error: StoreError, words: Sequence[str], t: Translate) -> bytes:
    """What a command writes that the server does, for a command done here.

    StoreError: there is no server, and the error stands. It ends this one too where it failed.
    """
    with tempfile.TemporaryFile() as output:
        code = handed_over(error, words, t, output)
        if code is None:
            raise error
        if code:
            leave(code)
        output.seek(0)
        return output.read()


def _with_store(words: Sequence[str], path: str) -> list[str]:
    """The same words with the store, which here a setting or a default has named."""
    at = words.index("--") if "--" in words else len(words)
    if any(word == "--store" or word.startswith("--store=") for word in words[:at]):
        return list(words)
    command = next(word for word in words if word[0] != "-" and word not in LANGUAGES)
    if command in NAMED:
        return list(words)
    return [*words[:at], f"--store={path}", *words[at:]]


_OWN = re.compile(r"(-[^=]*=|)/(?:dev|proc/self)/(?:fd/(\d+)|std(in|out|err))")


def _reachable(words: Sequence[str]) -> list[str]:
    """The same words; a name of one of our own open files is one by which another can open it.

    `/dev/stdin` and what a shell puts for `<(…)` are in the server somebody else's.
    """
    found = list[str]()
    for word in words:
        own = _OWN.fullmatch(word)
        if own is None:
            found.append(word)
        else:
            number = own[2] or str(("in", "out", "err").index(own[3]))
            found.append(f"{own[1]}/proc/{os.getpid()}/fd/{number}")
    return found


def _environ() -> dict[str, str]:
    """What our terminal can do, its size too, and who we are to object storage."""
    width, height = 80, 25  # as Rich has it where there is none
    for descriptor in range(3):
        with suppress(OSError):
            width, height = os.get_terminal_size(descriptor)
            break
    found = {"COLUMNS": str(width or 80), "LINES": str(height or 25)}
    asked = (*OF_TERMINALS, *VARIABLES)
    return found | {name: os.environ[name] for name in asked if name in os.environ}


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _files(opened: ExitStack, output: IO[bytes] | None) -> list[int]:
    """Our input, output, errors and folder."""
    sys.stdout.flush()
    sys.stderr.flush()
    found = [_descriptor(opened, one) for one in (sys.stdin, output or sys.stdout, sys.stderr)]
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    opened.callback(os.close, folder)
    return [*found, folder]


def _descriptor(opened: ExitStack, stream: Any) -> int:
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):  # closed, or none of the system's
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        opened.callback(os.close, nothing)
        return nothing


def _followed(connection: socket.socket, path: str, t: Translate) -> int:
    """Wait for the end, and answer what is asked; the exit code. The server is told of Ctrl-C."""
    heard, told = wire.Heard(connection), False
    while True:
        try:
            message = heard.next()
            if message is None:
                raise Stop(ENDED, path=path)
            if "other" in message:
                raise Stop(OTHER_VERSION, path=path)
            if "ask" in message:
                wire.say(connection, yes=confirm(str(message["ask"]), t))
            if "exit" in message:
                return int(message["exit"])
        except KeyboardInterrupt:
            if told:  # not waiting for what it leaves out
                raise
            told = True
            wire.say(connection, interrupt=True)
