"""Files handed to the process that owns the store, by a pipe, and what is still to come.

A store to which files are still to be handed has a note beside it, so that whoever was stopped
in the middle can go on: a file is stored whole or not at all, and known by its name.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple


class Piece(NamedTuple):
    """A file on its way; `done` of `total` matches have come when it is stored.

    One without data is no file: it only says how far it is.
    """

    name: str
    data: bytes
    done: int
    total: int


def send(pipe: IO[bytes], piece: Piece | None) -> None:
    """Hand a file over; None: that was all. BrokenPipeError: nobody is there any more."""
    size = len(piece.data) if piece else 0
    head = piece and {"name": piece.name, "size": size, "done": piece.done, "total": piece.total}
    pipe.write(json.dumps(head).encode() + b"\n" + (piece.data if piece else b""))
    pipe.flush()


def received(pipe: IO[bytes]) -> Iterator[Piece]:
    """The files as they come. EOFError: the other side left before it had said that it was done."""
    while (line := pipe.readline()).endswith(b"\n"):
        if (head := json.loads(line)) is None:
            return
        data = pipe.read(size := head.pop("size"))
        if len(data) < size:
            break
        yield Piece(**head, data=data)
    raise EOFError


def source(piece: Piece) -> tuple[str, IO[bytes]]:
    """The file as `ingest` takes it."""
    return piece.name, io.BytesIO(piece.data)


def note(store: Path) -> Path:
    """The file beside a store that says how many matches it is to have."""
    return store.with_name(store.name + ".todo")


def wanted(store: Path) -> int:
    """How many matches a store is to have that has not all of them; 0 where none is to come."""
    try:
        return int(note(store).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
