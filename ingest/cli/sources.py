"""The files a command line names: folders walked, objects listed, `-` for standard input."""

import sys
from collections.abc import Sequence
from os.path import exists, isdir, isfile
from pathlib import Path
from typing import IO, Annotated

import typer

from ingest.cli.terminal import Stop
from ingest.i18n import N_
from ingest.text.sources import LOGS, Source, logs_in, named
from ingest.text.sources import name_of as name_of
from ingest.text.storage import S3Object, is_object, objects

STDIN = "-"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar=N_("FILES…"),
        help=N_(
            "Files (.json, .jsonl, .gz, .zst, .zip), folders, addresses (s3://…), or - for "
            "standard input."
        ),
        show_default=False,
    ),
]

NO_FILE = N_("There is no file {path}.")
NO_LOGS = N_("The folder {path} has no file whose name ends in {endings}.")
NO_INPUT = N_("Standard input is closed.")


def sources(words: Sequence[str]) -> list[Source]:
    """What the words of a command line name, in their order; one that is not there is told as read.

    Stop: none of them is there, the only one has no log, or standard input is closed. StorageError:
    the only one is an address where nothing is.
    """
    found: list[Source] = []
    for word in words:
        if word == STDIN:
            found.append((STDIN, _standard_input()))
        elif is_object(word):
            found += objects(word) if len(words) == 1 else named(word)
        elif isdir(word):
            logs = logs_in(Path(word))
            if not logs and len(words) == 1:
                raise Stop(NO_LOGS, path=word, endings=", ".join(LOGS))
            found += logs or [Path(word, "*" + LOGS[0])]  # told as what is not there
        else:
            found.append(Path(word))
    if not any(word == STDIN or is_object(word) or exists(word) for word in words):
        raise Stop(NO_FILE, path=words[0])
    return found


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:
        raise Stop(NO_INPUT)
    return sys.stdin.buffer


def sizes(found: Sequence[Source]) -> dict[str, int]:
    """Bytes of each file on disk or object, by the name it is reported under."""
    files = [path for path in found if isinstance(path, Path) and isfile(path)]
    there = {str(one): one.size for one in found if isinstance(one, S3Object)}
    return there | {str(path): path.stat().st_size for path in files}
