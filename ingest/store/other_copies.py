"""What is to be purged, in other files: copies of the store, and those it was read from."""

import json
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import duckdb
import orjson

from ingest.reader.files import batches
from ingest.reader.sources import LOGS
from ingest.redact.free_text import folded
from ingest.store.backup import BEGUN, named
from ingest.store.factory import Store
from ingest.store.pseudonyms import known_names
from schemas.content_hash import content, digest
from schemas.migrations import connect

BLOCK, OVERLAP = 1 << 22, 1 << 10
"""Bytes that are searched at a time, and how many of them again with the next."""

watched = set[Path]()
"""Folders that this process takes files from."""


class Elsewhere(NamedTuple):
    """Files that still have what was purged, as far as they can be known."""

    copies: tuple[Path, ...]
    """Of the store, in its folder and those in it."""
    files: tuple[Path, ...]
    """In folders that are watched, what was read, reports and what waits; or cannot be read."""


def of(store: Store, player_no: int | None = None, chosen: Collection[int] = ()) -> Elsewhere:
    """Where a player or matches are besides, by number. KeyError: there is no such player."""
    names = set() if player_no is None else set(known_names(store)[player_no])
    rows = store.cursor().execute(
        "SELECT match_id, log_id FROM matches WHERE list_contains($1, match_no)"
        " UNION ALL SELECT match_id, NULL FROM trash WHERE list_contains($1, match_no)",
        [list(chosen)],
    )
    ids = set[str]()
    for match, log in rows.fetchall():
        ids.add(match)
        names |= {match, match[:8], log or match}
    found = "|".join(re.escape(folded(one)) for one in names)
    sought = re.compile(rf"(?<!\w)({found})(?!\w)") if found else re.compile("(?!)")
    every = (one for folder in sorted(watched) for one in sorted(folder.rglob("*")))
    files = (one for one in every if one.is_file() and _has(one, sought, ids))
    return Elsewhere(copies(store), tuple(files))


# copies of the store


def copies(store: Store) -> tuple[Path, ...]:
    """Backups of a store in its folder and those in it: by what is in them, or by their name."""
    if not store.in_a_file:
        return ()
    path = Path(store.path).resolve()
    ours = _uploads(store.cursor())
    found = list[Path]()
    for folder in (path.parent, *sorted(path.parent.iterdir())):
        with suppress(OSError):  # no folder, or one we may not look into
            found += [one for one in sorted(folder.iterdir()) if _is_copy(one, path, ours)]
    return tuple(found)


def _is_copy(one: Path, store: Path, ours: set[tuple[int, int]]) -> bool:
    if one == store or not one.is_file():
        return False
    name = one.name.removesuffix(".wal")
    if named(store, "(before-)?", f"({BEGUN})?").fullmatch(name):
        return True
    if not re.sub(f"{BEGUN}$", "", name).endswith((".duckdb", store.suffix or ".duckdb")):
        return False
    if name != one.name:
        main = one.with_name(name)
        return main != store and main.exists() and _is_copy(main, store, ours)
    if one.samefile(store):
        # never opened: the lock of a file goes when any name of it is closed
        return not one.is_symlink()
    try:
        with connect(one, read_only=True) as copy:
            return bool(_uploads(copy) & ours)
    except duckdb.Error:
        return False


def _uploads(ask: duckdb.DuckDBPyConnection) -> set[tuple[int, int]]:
    """By their time, which no other store has; duckdb.Error: it is no store."""
    rows = ask.execute("SELECT file_no, epoch_us(added_at) FROM files").fetchall()
    return {(int(number), int(at)) for number, at in rows}


# files of watched folders


def _has(path: Path, sought: re.Pattern[str], ids: Collection[str]) -> bool:
    """Whether a file has a name that is sought, standing alone in any case, or one of the matches.

    Of a log's file the texts are looked through too, without escapes, archives unpacked.
    """

    def told(data: bytes) -> bool:
        return sought.search(folded(data.decode(errors="replace"))) is not None

    if sought.search(folded(path.name)):
        return True
    try:
        with path.open("rb") as file:
            before = b""
            while block := file.read(BLOCK):
                if told(before + block):
                    return True
                before = block[-OVERLAP:]
        if not path.name.lower().endswith(LOGS):
            return False
        for one in (one.text for batch in batches(path) for one in batch.texts):
            try:
                value = orjson.loads(one)
                text = json.dumps(value, ensure_ascii=False).encode(errors="replace")
            except (ValueError, RecursionError):
                value, text = None, one
            if told(text) or digest(content(value, text)) in ids:
                return True
    except OSError:
        return True  # as far as anybody can say
    return False
