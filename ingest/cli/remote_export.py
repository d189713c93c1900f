"""Matches and tables of a store that a server has."""

import sys
from collections.abc import Collection, Iterator
from io import BytesIO
from typing import IO, Any
from urllib.parse import quote

from ingest.cli.remote import Server
from ingest.store.export import Kept
from ingest.text.signs import json_lines, lines

PAGE = 500


def log(server: Server, name: str) -> bytes:
    """A match exactly as it came. Stop: there is none of that id."""
    whole = BytesIO()
    server.save(f"/matches/{quote(name, safe='')}/log", whole)
    return whole.getvalue()


def save(
    server: Server, name: str, file: IO[bytes], anonymous: bool, keep: Collection[Kept]
) -> None:
    """A table, or the logs, as it comes; on a terminal no sign of a text steers it."""
    query = {"anonymous": anonymous or None, "keep": [*map(str, keep)]}
    if file is not sys.stdout.buffer or not sys.stdout.isatty():
        server.save(f"/exports/{name}", file, **query)
        return
    whole = BytesIO()
    server.save(f"/exports/{name}", whole, **query)
    safe = lines if name.endswith(".csv") else json_lines
    file.write(safe(whole.getvalue().decode()).encode())


def listed(server: Server) -> list[list[Any]]:
    """What `--list` has of every match, in the order they were added."""
    found = [
        [
            *(one[key] for key in ("id", "log_id", "played_at", "status", "game")),
            [player["name"] for player in one["players"]] or None,
        ]
        for one in _matches(server)
    ]
    return found[::-1]


def _matches(server: Server) -> Iterator[dict[str, Any]]:
    """Every match, the last added first."""
    cursor = None
    while True:
        told = server.get("/matches", sort="added", limit=PAGE, cursor=cursor)
        yield from told["matches"]
        cursor = told["next"]
        if cursor is None:
            return
