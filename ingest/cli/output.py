"""Where a command writes: standard output, or a file that is whole or not there."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from ingest.cli.terminal import Stop
from ingest.i18n import N_

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar=N_("FILE"), help=N_("Write to this file instead of the terminal.")
    ),
]

NO_FOLDER = N_("There is no folder {path} to write to.")
IS_FOLDER = N_("{path} is a folder: name a file.")


def check_output(output: Path | None) -> None:
    """Fail before any work is done. Stop: there is no such place."""
    if output is None:
        return
    if output.is_dir():
        raise Stop(IS_FOLDER, path=output)
    if not output.parent.is_dir():
        raise Stop(NO_FOLDER, path=output.parent)


@contextmanager
def written(output: Path | None, kept: bool = False) -> Iterator[IO[bytes]]:
    """A stream to write to. A file appears when all of it is written, and replaces the old one.

    `kept`: where nothing is written the old one stays as it is.
    """
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    check_output(output)
    if output.exists() and not output.is_file():  # a device or a pipe
        with output.open("wb") as file:
            yield file
        return
    part = output.with_name(output.name + ".part")
    try:
        with part.open("wb") as file:
            yield file
        if not kept or part.stat().st_size or not output.exists():
            os.replace(part, output)
    finally:
        part.unlink(missing_ok=True)
