"""Sends the demo's files to the process that owns the store.

A store to which files are still to be handed has a note beside it, so that whoever was stopped
in the middle can go on: a file is stored whole or not at all, and known by its name.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple


class FeedFile(NamedTuple):
    """A file on its way; `done` of `total` matches have come when it is stored.

    One without data is no file: it only says how far it is.
    """

    name: str
    data: bytes
    done: int
    total: int


def send_file(pipe: IO[bytes], file: FeedFile | None) -> None:
    """Hand a file over; None: that was all. BrokenPipeError: nobody is there any more."""
    size = len(file.data) if file else 0
    head = file and {"name": file.name, "size": size, "done": file.done, "total": file.total}
    pipe.write(json.dumps(head).encode() + b"\n" + (file.data if file else b""))
    pipe.flush()


def receive_files(pipe: IO[bytes]) -> Iterator[FeedFile]:
    """The files as they come. EOFError: the other side left before it had said that it was done."""
    while (line := pipe.readline()).endswith(b"\n"):
        if (head := json.loads(line)) is None:
            return
        data = pipe.read(size := head.pop("size"))
        if len(data) < size:
            break
        yield FeedFile(**head, data=data)
    raise EOFError


def as_source(file: FeedFile) -> tuple[str, IO[bytes]]:
    """The file as `ingest` takes it."""
    return file.name, io.BytesIO(file.data)


def target_count_path(store: Path) -> Path:
    """The file beside a store that says how many matches it is to have."""
    return store.with_name(store.name + ".todo")


def target_match_count(store: Path) -> int:
    """How many matches a store is to have that has not all of them; 0 where none is to come."""
    try:
        return int(target_count_path(store).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
