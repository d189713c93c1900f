"""Backs up an open store, verifies the copy, restores it.

A copy is written under a temporary name and then renamed, so a failure leaves the old file intact.
"""

import hashlib
import os
import re
import shutil
import stat
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.compat import file_error_kind
from ingest.i18n import N_
from ingest.reader.file_type import is_duckdb
from ingest.store import errors, file_errors, outputs, server_hosts, wal
from ingest.store.factory import Store, StoreError
from ingest.store.restore_policy import RestoreCarryOver, carry_over
from ingest.store.store_url import is_lake_url
from ingest.store.temporary_files import remove_stale_parts, temporary_sibling
from schemas.migrations import connect

CHUNK_BYTES = 1 << 22
"""Bytes copied at a time."""
IS_THE_STORE = N_("{path} is the store itself: name another file.")
SERVED = N_(
    "{path} is a store in use by a server: name another file. If the server has stopped, remove {other}."
)
IN_USE = N_("{path} is a store that another program has open, or left before its end: name another file.")
NO_EARLIER = N_(
    "{path} is not an earlier backup of this store, or has data that this store lacks: name "
    "another file, or pass --force."
)
BACKUP_DIFFERS = N_("The backup {path} differs from the store and was deleted. Make another one.")
NO_BACKUP = N_("No backup {path}.")
IS_A_FOLDER = N_("{path} is a folder: name the backup in it.")
NOT_RESTORABLE = N_("{path} cannot be put in the place of the store: {reason}. The store is as it was.")
_REJECTION_REASONS = {
    file_errors.EMPTY_FILE: N_("it is empty"),
    file_errors.NOT_A_STORE: N_("it is not a Retourne store"),
    file_errors.IS_SQLITE: N_("it is a SQLite database"),
    file_errors.NOT_A_DATABASE: N_("it is another kind of file"),
    file_errors.OTHER_DATABASE: N_("it is a database of something else"),
    errors.STORE_TOO_NEW: N_("it was made by a newer version of Retourne: update this one"),
    file_errors.TABLES_MISSING: N_("some of its tables are missing"),
    file_errors.STORE_DAMAGED: N_("it is damaged, or its end is missing"),
    file_errors.WAL_DAMAGED: N_("the journal next to it is damaged or of another store"),
    file_errors.NOT_A_WAL: N_("the journal next to it is damaged or of another store"),
}

_NOT_OURS = (
    errors.STORE_IN_USE,
    file_errors.FILE_READ_ONLY,
    file_errors.OTHER_DATABASE,
    file_errors.IS_SQLITE,
)
"""Errors about a file that another program owns: a restore never replaces it."""

BackupProgress = Callable[[float], object]
"""Called with the fraction done, up to 1."""


def backup(
    store: Store, target: Path, progress: BackupProgress = lambda done: None, force: bool = False
) -> int:
    """Copy an open store to a file, which may be an earlier backup; return its number of matches.

    Writers wait while the bytes are copied, but not while the copy is verified. `force`: replace
    any file that no process has open. StoreError: the store or the copy cannot be read, or `target`
    must not be replaced. OSError: the file cannot be written.
    """
    if not store.is_single_file:
        raise StoreError(errors.LAKE_NOT_COPYABLE)
    _check_backup_target(Path(store.path), target, force)
    if not force:
        _check_earlier(target, store.cursor())
    with temporary_sibling(target) as part:
        with store.translate_errors(), store.frozen() as (file, now):
            now.begin()  # the checksums below must not see later writes
            now.execute("FROM migrations LIMIT 1").fetchall()  # DuckDB takes its snapshot here
            _copy_store_file(file, Path(store.path), part, lambda done: progress(done / 2))
        with store.translate_errors():
            expected = table_checksums(now)
            now.close()
        try:
            with Store(part) as copy:
                found = table_checksums(copy.cursor(), lambda done: progress(0.5 + done / 2))
        except StoreError as error:
            raise StoreError(BACKUP_DIFFERS, path=target) from error
        if found != expected:
            raise StoreError(BACKUP_DIFFERS, path=target)
        check_checkpointed(part)
        replace_durably(part, target)
    return expected["main.matches"][0]


def download_backup(
    target: Path, download: Callable[[Path], bytes], store: Path | None = None, force: bool = False
) -> int:
    """Download a backup, verify it and move it into place; return its number of matches.

    `download` writes it to a file and returns the SHA-256 expected. `force` is as for `backup`.
    StoreError: the hash differs, or `target` must not be replaced.
    """
    _check_backup_target(store, target, force)
    with temporary_sibling(target) as part:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file_errors.PRIVATE_MODE))
        expected = download(part)
        if sha256_of(part) != expected:
            raise StoreError(BACKUP_DIFFERS, path=target)
        with errors.show_path_as(part, target), Store(part, read_only=True) as copy:
            [(count,)] = copy.cursor().execute("SELECT count(*) FROM matches").fetchall()
            if not force:
                _check_earlier(target, copy.cursor())
        replace_durably(part, target)
    return int(count)


def sha256_of(path: Path) -> bytes:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class Restored(NamedTuple):
    """The outcome of `restore_backup`."""

    old_store: Path | None
    """New path of the store that was replaced, if there was one."""
    carry_over: RestoreCarryOver | None
    """Facts carried over from the old store; None: there was none, or it is unreadable."""


def check_backup_path(backup_path: Path, store_path: Path | None) -> None:
    """Check that a backup file exists and is not the store itself. StoreError otherwise."""
    if not backup_path.is_file():
        raise StoreError(IS_A_FOLDER if backup_path.is_dir() else NO_BACKUP, path=backup_path)
    if store_path is not None and store_path.exists() and store_path.samefile(backup_path):
        raise StoreError(IS_THE_STORE, path=backup_path)


def restore_backup(
    store_path: Path,
    backup_path: Path,
    progress: BackupProgress = lambda done: None,
    while_replacing: AbstractContextManager[object] | None = None,
) -> Restored:
    """Replace a store by a backup, with the old store's permissions and masked players.

    `while_replacing`: a context that closes the store for the time, if this process has it open.
    StoreError: another program has the store open, `store_path` is another program's file, or the
    backup is not a valid store. OSError: the store cannot be written.
    """
    if is_lake_url(store_path):
        raise StoreError(errors.LAKE_NOT_COPYABLE)
    check_backup_path(backup_path, store_path)
    if while_replacing is None and store_path.exists():
        try:
            # checkpoints the journal, if that is possible
            Store(store_path, read_only=not wal.wal_path(store_path.resolve()).exists()).close()
        except StoreError as error:  # a damaged store may be replaced
            if error.text in _NOT_OURS:
                raise
    store_path = store_path.resolve()  # replaces the store, not a link to it
    with temporary_sibling(store_path) as part, errors.show_path_as(part, backup_path):
        with backup_path.open("rb") as file:
            _copy_store_file(file.fileno(), backup_path, part, lambda done: progress(done / 2))
        try:
            with Store(part) as copy:
                table_checksums(copy.cursor(), lambda done: progress(0.5 + done / 2))
        except StoreError as error:
            reason = _REJECTION_REASONS.get(error.text)
            if reason is None:
                raise
            raise StoreError(NOT_RESTORABLE, path=backup_path, reason=reason) from error
        if store_path.exists():
            os.chmod(part, stat.S_IMODE(store_path.stat().st_mode))
        with while_replacing or nullcontext():
            carried = None
            try:
                if store_path.exists():
                    read_only = not wal.wal_path(store_path).exists()
                    with Store(store_path, read_only=read_only) as old, Store(part) as new:
                        carried = carry_over(old, new)
            except StoreError as error:
                if error.text == errors.STORE_IN_USE:
                    raise
            check_checkpointed(part)
            remaining = _link_old_aside(store_path)
            replace_durably(part, store_path)
    return Restored(remaining, carried)


def table_checksums(
    cursor: duckdb.DuckDBPyConnection, progress: BackupProgress = lambda done: None
) -> dict[str, tuple[int, int]]:
    """Return each table's row count and a hash of its rows; reads every value."""
    tables = cursor.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY ALL"
    ).fetchall()
    found = dict[str, tuple[int, int]]()
    for done, (table,) in enumerate(tables, 1):
        every = f"SELECT count(*), coalesce(sum(hash(t)), 0) FROM {table} t"
        [(rows, hashed)] = cursor.execute(every).fetchall()
        found[table] = int(rows), int(hashed)
        progress(done / len(tables))
    return found


# names


def dated_name(store: Path, now: datetime) -> str:
    """Return the name for a backup made now: `club-2026-11-22-031500.duckdb`."""
    return f"{store.stem}-{now:%Y-%m-%d-%H%M%S}.duckdb"


_naming_lock = threading.Lock()
_reserved_paths = set[Path]()


@contextmanager
def reserve_dated_path(folder: Path, store: Path, now: datetime) -> Iterator[Path]:
    """Yield a free dated path in a folder, reserved against other backups of this process.

    Parts of such backups that killed processes left are removed.
    """
    remove_stale_parts(folder, backup_name_pattern(store).pattern)
    with _naming_lock:
        target = _free_path(folder / dated_name(store, now), _reserved_paths)
        _reserved_paths.add(target)
    try:
        yield target
    finally:
        _reserved_paths.discard(target)


class PruneResult(NamedTuple):
    """The older backups removed from a folder, and those ignored."""

    removed: list[Path]
    unreadable: list[Path]
    """Files with a backup's name that cannot be read: neither removed nor counted."""


def prune_backups(new_backup: Path, store: Path, keep: int) -> PruneResult:
    """Remove the oldest dated backups of a store until `keep` are left, the new one included.

    The new backup always stays. Backups of other stores stay too, and are not counted.
    """
    found = ((backup_name_pattern(store).fullmatch(one.name), one) for one in new_backup.parent.iterdir())
    others = sorted(
        (match[1], int(match[2] or 1), one) for match, one in found if match and one != new_backup
    )
    whole, spoilt = list[Path](), list[Path]()
    with connect(new_backup, read_only=True) as copy:
        ours = _made_at(copy)
    for *_, one in others:
        try:  # a quick check that does not read the whole file
            with connect(one, read_only=True) as copy:
                copy.execute("SELECT count(*) FROM matches").fetchall()
                if _made_at(copy) == ours:
                    whole.append(one)
        except duckdb.Error:
            spoilt.append(one)
    old = whole[: max(0, len(whole) - keep + 1)]
    for one in old:
        one.unlink()
    return PruneResult(old, spoilt)


def backup_name_pattern(store: Path, prefix_pattern: str = "", suffix_pattern: str = "") -> re.Pattern[str]:
    """Return a pattern of the names of a store's backups, as a file's name or within one."""
    date = r"(\d{4}-\d\d-\d\d-\d{6})(?:-(\d+))?"
    return re.compile(rf"{re.escape(store.stem)}-{prefix_pattern}{date}\.duckdb{suffix_pattern}")


# files


def _check_backup_target(store: Path | None, target: Path, force: bool) -> None:
    """Raise StoreError if the target's name is invalid or its file must not be replaced."""
    if not file_errors.is_utf8_path(target):
        raise StoreError(file_errors.NAME_NOT_UTF8, path=target)
    there = target.exists()  # do not open the store's file: closing it would lose its lock
    if there and store is not None and store.exists() and os.path.samefile(target, store):
        raise StoreError(IS_THE_STORE, path=target)
    if os.path.lexists(other := server_hosts.server_file_path(target)):
        raise StoreError(SERVED, path=target, other=other)
    outputs.check(target, outputs.Kind.BACKUP, force)
    if there and is_duckdb(str(target)):
        if not wal.is_wal_empty(target):
            raise StoreError(IN_USE, path=target)
        try:
            connect(target, read_only=True).close()
        except duckdb.Error as error:
            if file_error_kind(error) == "locked":
                raise StoreError(IN_USE, path=target) from error


def _check_earlier(target: Path, now: duckdb.DuckDBPyConnection) -> None:
    """Raise StoreError if the target is not an earlier state of this store."""
    if not target.exists():
        return
    known = set(now.execute(_DONE).fetchall())
    try:
        with connect(target, read_only=True) as old:
            done = set(old.execute(_DONE).fetchall())
            earlier = _made_at(old) == _made_at(now) and done <= known
    except duckdb.Error:
        earlier = False
    if not earlier:
        raise StoreError(NO_EARLIER, path=target)


_DONE = "SELECT epoch_us(done_at), action, about FROM audit"
"""A store's audit log, from which no row is ever deleted."""


def _made_at(cursor: duckdb.DuckDBPyConnection) -> int:
    """Return when a store was created, in µs: the same in its backups, different elsewhere."""
    made = "SELECT epoch_us(applied_at) FROM migrations ORDER BY number LIMIT 1"
    return int(cursor.execute(made).fetchall()[0][0])


def _copy_store_file(source: int, path: Path, target: Path, progress: BackupProgress) -> None:
    """Copy an open file to `target`, and the journal next to `path` with it."""
    size, done = os.fstat(source).st_size, 0
    os.lseek(source, 0, os.SEEK_SET)
    with target.open("wb") as file:
        os.chmod(target, file_errors.PRIVATE_MODE)
        while block := os.read(source, CHUNK_BYTES):
            file.write(block)
            done += len(block)
            progress(done / max(size, done))
    with suppress(FileNotFoundError):
        wal.wal_path(target).write_bytes(wal.wal_path(path).read_bytes())


def check_checkpointed(part: Path) -> None:
    """Raise StoreError if a new file has a journal, which would not be moved with it."""
    if not wal.is_wal_empty(part):
        raise StoreError(errors.DISK_FULL, left=errors.NOTHING_CHANGED)


def replace_durably(part: Path, target: Path) -> None:
    """Rename a file to its target and sync both, so that it survives a power cut."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(part, target)
    with suppress(OSError):  # not every system can open folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _link_old_aside(path: Path) -> Path | None:
    """Give an old store a second name and return it; `path` exists until it is replaced."""
    other = wal.wal_path(path)
    if not path.exists() and not other.exists():
        return None
    remaining = _free_path(path.with_name(f"{path.stem}-before-{datetime.now():%Y-%m-%d-%H%M%S}.duckdb"))
    if path.exists():
        try:
            os.link(path, remaining)
        except OSError:  # a file system without hard links
            with temporary_sibling(remaining) as part:
                shutil.copy2(path, part)
                os.replace(part, remaining)
    if other.exists():
        os.replace(other, wal.wal_path(remaining))
    return remaining


def _free_path(path: Path, reserved: Collection[Path] = ()) -> Path:
    """Return the path, or the first one with `-2`, `-3`, … that is neither taken nor reserved."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in chain([path], names) if one not in reserved and not one.exists())
