"""Sends the demo's files to the process that owns the store.

While files are still to come, a `.todo` file next to the store allows an interrupted demo to go on:
each file is stored whole or not at all, and recognised by its name.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple


class FeedFile(NamedTuple):
    """A file being sent; `done` of `total` matches are stored once it is.

    An instance without data is not a file: it only reports progress.
    """

    name: str
    data: bytes
    done: int
    total: int


def send_file(pipe: IO[bytes], file: FeedFile | None) -> None:
    """Send a file; None: there are no more. BrokenPipeError: the receiver has ended."""
    size = len(file.data) if file else 0
    head = file and {"name": file.name, "size": size, "done": file.done, "total": file.total}
    pipe.write(json.dumps(head).encode() + b"\n" + (file.data if file else b""))
    pipe.flush()


def receive_files(pipe: IO[bytes]) -> Iterator[FeedFile]:
    """Yield the files as they arrive. EOFError: the sender ended before its last message."""
    while (line := pipe.readline()).endswith(b"\n"):
        if (head := json.loads(line)) is None:
            return
        data = pipe.read(size := head.pop("size"))
        if len(data) < size:
            break
        yield FeedFile(**head, data=data)
    raise EOFError


def as_source(file: FeedFile) -> tuple[str, IO[bytes]]:
    """Return the file as a source for `ingest`."""
    return file.name, io.BytesIO(file.data)


def target_count_path(store: Path) -> Path:
    """Return the path of the `.todo` file, which contains the store's final number of matches."""
    return store.with_name(store.name + ".todo")


def target_match_count(store: Path) -> int:
    """Return the final number of matches of an unfinished store; 0: no more are to come."""
    try:
        return int(target_count_path(store).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
