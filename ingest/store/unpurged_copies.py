"""Finds other files that may still hold what is purged."""

import json
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import duckdb
import orjson

from ingest.reader.files import batches
from ingest.reader.sources import LOG_SUFFIXES
from ingest.store.aliases import declared_by_player
from ingest.store.backup import backup_name_pattern
from ingest.store.factory import Store
from ingest.store.pseudonyms import known_names
from ingest.store.temporary_files import PART_SUFFIX_PATTERN
from schemas.content_hash import canonical_bytes, content_hash
from schemas.migrations import connect
from schemas.player_key import fold_text

CHUNK_BYTES, OVERLAP_BYTES = 1 << 22, 1 << 10
"""Bytes searched at a time, and how many of them are searched again with the next block."""

watch_folders = set[Path]()
"""Folders from which this process imports files."""


class UnpurgedCopies(NamedTuple):
    """Files that may still contain what was purged, as far as this process can find them."""

    copies: tuple[Path, ...]
    """Copies of the store in its folder and that folder's subfolders."""
    files: tuple[Path, ...]
    """Files in watched folders: imported, waiting or reports; unreadable ones too."""


def find_unpurged_copies(
    store: Store, player_no: int | None = None, match_numbers: Collection[int] = ()
) -> UnpurgedCopies:
    """Find files with a player or matches, by number. KeyError: unknown player."""
    names = set[str]() if player_no is None else set(known_names(store)[player_no])
    if player_no is not None:
        known = declared_by_player(store.cursor()).get(player_no, set())
        names |= {text for pair in known for text in pair}
    rows = store.cursor().execute(
        "SELECT match_id, content_id, log_id FROM matches WHERE list_contains($1, match_no)"
        " UNION ALL SELECT match_id, content_id, NULL FROM trash WHERE list_contains($1, match_no)",
        [list(match_numbers)],
    )
    ids = set[str]()
    for match, content, log in rows.fetchall():
        ids.add(content)
        names |= {match, match[:8], log or match}
    found = "|".join(re.escape(fold_text(one)) for one in names)
    target = re.compile(rf"(?<!\w)({found})(?!\w)") if found else re.compile("(?!)")
    every = (one for folder in sorted(watch_folders) for one in sorted(folder.rglob("*")))
    files = (one for one in every if one.is_file() and _contains(one, target, ids))
    return UnpurgedCopies(store_copies(store), tuple(files))


# copies of the store


def store_copies(store: Store) -> tuple[Path, ...]:
    """Find a store's backups in its folder and the subfolders, by content or name."""
    if not store.is_single_file:
        return ()
    path = Path(store.path).resolve()
    ours = _upload_keys(store.cursor())
    found = list[Path]()
    for folder in (path.parent, *sorted(path.parent.iterdir())):
        with suppress(OSError):  # not a folder, or not readable
            found += [one for one in sorted(folder.iterdir()) if _is_copy_of(one, path, ours)]
    return tuple(found)


def _is_copy_of(path: Path, store: Path, own_uploads: set[tuple[int, int]]) -> bool:
    if path == store or not path.is_file():
        return False
    name = path.name.removesuffix(".wal")
    if backup_name_pattern(store, "(before-)?", f"({PART_SUFFIX_PATTERN})?").fullmatch(name):
        return True
    if not re.sub(f"{PART_SUFFIX_PATTERN}$", "", name).endswith((".duckdb", store.suffix or ".duckdb")):
        return False
    if name != path.name:
        main = path.with_name(name)
        return main != store and main.exists() and _is_copy_of(main, store, own_uploads)
    if path.samefile(store):
        # not opened: closing any name of a file releases its POSIX locks
        return not path.is_symlink()
    try:
        with connect(path, read_only=True) as copy:
            return bool(_upload_keys(copy) & own_uploads)
    except duckdb.Error:
        return False


def _upload_keys(cursor: duckdb.DuckDBPyConnection) -> set[tuple[int, int]]:
    """Return number and time of files, which no other store has. duckdb.Error: not a store."""
    rows = cursor.execute("SELECT file_no, epoch_us(added_at) FROM files").fetchall()
    return {(int(number), int(at)) for number, at in rows}


# files of watched folders


def _contains(path: Path, name_pattern: re.Pattern[str], content_ids: Collection[str]) -> bool:
    """Return whether a file contains a name as a whole word, in any case, or one of the matches.

    In log files the unescaped texts are searched too, with archives unpacked.
    """

    def has_mention(data: bytes) -> bool:
        return name_pattern.search(fold_text(data.decode(errors="replace"))) is not None

    if name_pattern.search(fold_text(path.name)):
        return True
    try:
        with path.open("rb") as file:
            before = b""
            while block := file.read(CHUNK_BYTES):
                if has_mention(before + block):
                    return True
                before = block[-OVERLAP_BYTES:]
        if not path.name.lower().endswith(LOG_SUFFIXES):
            return False
        for one in (one.text for batch in batches(path) for one in batch.texts):
            try:
                value = orjson.loads(one)
                text = json.dumps(value, ensure_ascii=False).encode(errors="replace")
            except (ValueError, RecursionError):
                value, text = None, one
            if has_mention(text) or content_hash(canonical_bytes(value, text)) in content_ids:
                return True
    except OSError:
        return True  # unreadable files count as possible copies
    return False
