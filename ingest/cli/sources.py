"""The files a command line names: folders walked, `-` for standard input, all of them there."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ingest.cli.terminal import Stop
from ingest.i18n import N_
from ingest.text.sources import LOGS, Source, logs_in

STDIN = "-"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES…",
        help=N_("Files (.json, .jsonl, .gz, .zst, .zip), folders, or - for standard input."),
        show_default=False,
    ),
]

NO_FILE = N_("There is no file {path}.")
NO_LOGS = N_("The folder {path} has no file whose name ends in {endings}.")


def sources(words: Sequence[str]) -> list[Source]:
    """What the words of a command line name, in their order. Stop: a file is not there."""
    found: list[Source] = []
    for word in words:
        if word == STDIN:
            found.append((STDIN, sys.stdin.buffer))
            continue
        path = Path(word)
        if path.is_dir():
            logs = logs_in(path)
            if not logs:
                raise Stop(NO_LOGS, path=word, endings=", ".join(LOGS))
            found += logs
        elif path.exists():
            found.append(path)
        else:
            raise Stop(NO_FILE, path=word)
    return found


def sizes(found: Sequence[Source]) -> dict[str, int]:
    """Bytes of each file on disk, by the name it is reported under."""
    files = [path for path in found if isinstance(path, Path) and path.is_file()]
    return {str(path): path.stat().st_size for path in files}


def name_of(source: Source) -> str:
    """The name a source is reported under."""
    return source[0] if isinstance(source, tuple) else str(source)
