"""Objects for programs, the same way in every command: one a line, UTF-8, keys always all there."""

import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from ingest.i18n import N_
from ingest.text.signs import as_json


class Format(StrEnum):
    """How what a command found is written."""

    TEXT = "text"
    JSONL = "jsonl"


AsFormat = Annotated[
    Format,
    typer.Option("--format", help=N_("text for people; jsonl: one JSON object a line.")),
]


def write(objects: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to standard output; no text in them steers the terminal."""
    for one in objects:
        sys.stdout.write(as_json(one) + "\n")
