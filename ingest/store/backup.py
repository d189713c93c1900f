"""Backs up an open store, verifies the copy, restores it.

A copy is written under another name and moved into place: it is there whole, or what was there is.
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
from ingest.store.server_hosts import is_running
from ingest.store.store_url import is_lake_url
from schemas.migrations import connect

CHUNK_BYTES = 1 << 22
"""Bytes copied at a time."""
IS_THE_STORE = N_("{path} is the store itself: name another file.")
SERVED = N_(
    "{path} is a store that is served: name another file. If it is not served any more, remove "
    "{beside}."
)
IN_USE = N_(
    "{path} is a store that another program has open, or left before its end: name another file."
)
NO_EARLIER = N_(
    "{path} is no earlier backup of this store, or has what this store has not: name another file, "
    "or say --force."
)
BACKUP_DIFFERS = N_("The backup {path} is not what the store holds: nothing was kept of it.")
NO_BACKUP = N_("There is no backup {path}.")
IS_A_FOLDER = N_("{path} is a folder: name the backup in it.")
NOT_RESTORABLE = N_(
    "{path} cannot be put in the place of the store: {reason}. The store is as it was."
)
_REJECTION_REASONS = {
    file_errors.EMPTY_FILE: N_("it is empty"),
    file_errors.NOT_A_STORE: N_("it is not a store of this program"),
    file_errors.IS_SQLITE: N_("it is a SQLite database"),
    file_errors.NOT_A_DATABASE: N_("it is a file of something else"),
    file_errors.OTHER_DATABASE: N_("it is a database of something else"),
    errors.STORE_TOO_NEW: N_("it was made by a newer version of Retourne: update this one"),
    file_errors.TABLES_MISSING: N_("some of its tables are missing"),
    file_errors.STORE_DAMAGED: N_("it is damaged, or its end is missing"),
    file_errors.WAL_DAMAGED: N_("the journal beside it is damaged or of another store"),
    file_errors.NOT_A_WAL: N_("the journal beside it is damaged or of another store"),
}

_NOT_OURS = (
    errors.STORE_IN_USE,
    file_errors.FILE_READ_ONLY,
    file_errors.OTHER_DATABASE,
    file_errors.IS_SQLITE,
)
"""What is said of a store that another program has, or of another's database."""

BackupProgress = Callable[[float], object]
"""Hears how much of it is done, up to 1."""


def backup(
    store: Store,
    target: Path,
    progress: BackupProgress = lambda done: None,
    force: bool = False,
) -> int:
    """Copy an open store to a file, which replaces an earlier backup; how many matches it has.

    Whoever writes waits while the bytes are copied, nobody while they are read again. `force`: it
    replaces whatever nobody has open. StoreError: the store or the copy cannot be read, or there is
    something else. OSError: the file cannot be written.
    """
    if not store.is_single_file:
        raise StoreError(errors.LAKE_NOT_COPYABLE)
    _check_backup_target(Path(store.path), target, force)
    if not force:
        _check_earlier(target, store.cursor())
    with temporary_sibling(target) as part:
        with store.translate_errors(), store.frozen() as (file, now):
            now.begin()  # what is written after this is not asked for
            now.execute("FROM migrations LIMIT 1").fetchall()  # with which it has really begun
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
    target: Path,
    download: Callable[[Path], bytes],
    store: Path | None = None,
    force: bool = False,
) -> int:
    """Have a backup come from elsewhere, read it again, and put it in its place; its matches.

    `download` writes it to a file and says the SHA-256 of its bytes. StoreError: it is not what was
    sent, or there is something else; `force` as for `backup`.
    """
    _check_backup_target(store, target, force)
    with temporary_sibling(target) as part:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file_errors.PRIVATE_MODE))
        expected = download(part)
        if sha256_of(part) != expected:
            raise StoreError(BACKUP_DIFFERS, path=target)
        with errors.standing_for(part, target), Store(part, read_only=True) as copy:
            [(count,)] = copy.cursor().execute("SELECT count(*) FROM matches").fetchall()
            if not force:
                _check_earlier(target, copy.cursor())
        replace_durably(part, target)
    return int(count)


def sha256_of(path: Path) -> bytes:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class Restored(NamedTuple):
    """What putting a backup back came to."""

    old_store: Path | None
    """Where what stood there is, if anything did."""
    carry_over: RestoreCarryOver | None
    """What of it still holds; None: nothing stood there, or it cannot be read."""


def check_backup_path(backup_path: Path, store_path: Path | None) -> None:
    """StoreError: no backup is there that could take the place of the store."""
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
    """Put a backup in the place of a store; who may do what there, and who is masked, stays so.

    `while_replacing`: lets go of the store while it lasts, where this process has it open.
    StoreError: another program has the store, or what is there is another's, or the file is none
    that could take its place.
    OSError: it cannot be written.
    """
    if is_lake_url(store_path):
        raise StoreError(errors.LAKE_NOT_COPYABLE)
    check_backup_path(backup_path, store_path)
    if while_replacing is None and store_path.exists():
        try:
            # a journal that can still be put into the file goes there first
            Store(store_path, read_only=not wal.wal_path(store_path.resolve()).exists()).close()
        except StoreError as error:  # what else is wrong is why it is replaced
            if error.text in _NOT_OURS:
                raise
    store_path = store_path.resolve()  # a link to the store goes on leading to it
    with temporary_sibling(store_path) as part, errors.standing_for(part, backup_path):
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
            kept = _link_old_aside(store_path)
            replace_durably(part, store_path)
    return Restored(kept, carried)


def table_checksums(
    ask: duckdb.DuckDBPyConnection, progress: BackupProgress = lambda done: None
) -> dict[str, tuple[int, int]]:
    """Of every table how many rows it has and what they hash to, so each text is read."""
    tables = ask.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() WHERE NOT temporary"
        " ORDER BY ALL"
    ).fetchall()
    found = dict[str, tuple[int, int]]()
    for done, (table,) in enumerate(tables, 1):
        every = f"SELECT count(*), coalesce(sum(hash(t)), 0) FROM {table} t"
        [(rows, hashed)] = ask.execute(every).fetchall()
        found[table] = int(rows), int(hashed)
        progress(done / len(tables))
    return found


# names


def dated_name(store: Path, now: datetime) -> str:
    """What a backup of a store is called: `club-2026-11-22-031500.duckdb`."""
    return f"{store.stem}-{now:%Y-%m-%d-%H%M%S}.duckdb"


_naming_lock = threading.Lock()
_reserved_paths = set[Path]()


@contextmanager
def reserve_dated_path(folder: Path, store: Path, now: datetime) -> Iterator[Path]:
    """A dated name in a folder that no other backup has, nor takes while this lasts."""
    with _naming_lock:
        target = _free_path(folder / dated_name(store, now), _reserved_paths)
        _reserved_paths.add(target)
    try:
        yield target
    finally:
        _reserved_paths.discard(target)


class PruneResult(NamedTuple):
    """What became of the older backups in a folder."""

    removed: list[Path]
    unreadable: list[Path]
    """Of the name of one, and none that could be put back: left, and not counted."""


def prune_backups(new_backup: Path, store: Path, keep: int) -> PruneResult:
    """Remove the oldest dated backups of a store beside one just made, but so many with it.

    That one stays whatever the others are called. What has the name of one and is of another store
    stays, and is not counted.
    """
    found = (
        (backup_name_pattern(store).fullmatch(one.name), one) for one in new_backup.parent.iterdir()
    )
    others = sorted(
        (match[1], int(match[2] or 1), one) for match, one in found if match and one != new_backup
    )
    whole, spoilt = list[Path](), list[Path]()
    with connect(new_backup, read_only=True) as copy:
        ours = _made_at(copy)
    for *_, one in others:
        try:  # as far as can be told without reading it all
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


def backup_name_pattern(
    store: Path, prefix_pattern: str = "", suffix_pattern: str = ""
) -> re.Pattern[str]:
    """What backups of a store are called; the others are patterns of what else is in the name."""
    date = r"(\d{4}-\d\d-\d\d-\d{6})(?:-(\d+))?"
    return re.compile(rf"{re.escape(store.stem)}-{prefix_pattern}{date}\.duckdb{suffix_pattern}")


# files


def _check_backup_target(store: Path | None, target: Path, force: bool) -> None:
    """StoreError: it cannot be called so, or a backup is not written over what is there."""
    if not file_errors.is_utf8_path(target):
        raise StoreError(file_errors.NAME_NOT_UTF8, path=target)
    there = target.exists()  # the store is not read here: whoever closes it has its lock no longer
    if there and store is not None and store.exists() and os.path.samefile(target, store):
        raise StoreError(IS_THE_STORE, path=target)
    if os.path.lexists(beside := server_hosts.server_file_path(target)):
        raise StoreError(SERVED, path=target, beside=beside)
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
    """StoreError: a store that would be replaced is another, or something was done in it since."""
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


_DONE = "SELECT epoch_us(done_at), what, about FROM audit"
"""What was done to a store: never less."""


def _made_at(ask: duckdb.DuckDBPyConnection) -> int:
    """When a store was made, to the microsecond: its backups have it, and no other store."""
    made = "SELECT epoch_us(applied_at) FROM migrations ORDER BY number LIMIT 1"
    return int(ask.execute(made).fetchall()[0][0])


@contextmanager
def temporary_sibling(target: Path) -> Iterator[Path]:
    """A name beside a file for what is to become it; nothing is left under it.

    No other has that name: somebody else may be about to replace the same file.
    """
    remove_stale_parts(target)
    part = target.with_name(f"{target.name}.{os.getpid()}-{next(_part_numbers)}.part")
    try:
        yield part
    finally:
        _remove_part(part)


_part_numbers = count(1)
PART_SUFFIX_PATTERN = r"(\.(\d+)-\d+)?\.part"
"""What `temporary_sibling` adds to a name: by which process."""


def remove_stale_parts(target: Path) -> None:
    """Remove what processes that were killed had begun to put in the place of a file."""
    ours = re.compile(rf"({re.escape(target.name)}({PART_SUFFIX_PATTERN})+)(\.wal|\.tmp)?")
    for one in target.parent.iterdir():
        found = ours.fullmatch(one.name)
        # elsewhere than on POSIX nobody can be asked whether the process is gone
        if found and not (found[4] and (os.name != "posix" or is_running(int(found[4])))):
            _remove_part(one.with_name(found[1]))


def _remove_part(part: Path) -> None:
    part.unlink(missing_ok=True)
    wal.wal_path(part).unlink(missing_ok=True)
    remove_spill_files(part)


def remove_spill_files(store: Path) -> None:
    """Remove what DuckDB laid beside a store for lack of memory, and a process that ended left."""
    folder = store.with_name(store.name + ".tmp")
    for left in folder.glob("duckdb_temp_*"):
        left.unlink()
    with suppress(OSError):  # there is none, or something of somebody else is in it
        folder.rmdir()


def _copy_store_file(source: int, path: Path, target: Path, progress: BackupProgress) -> None:
    """The bytes of an open file, from the first to the last, and of the journal beside its path."""
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
    """StoreError: some of a new file lies in its journal, which would not go with it."""
    if not wal.is_wal_empty(part):
        raise StoreError(errors.DISK_FULL, left=errors.NOTHING_CHANGED)


def replace_durably(part: Path, target: Path) -> None:
    """Put a file in its place so that it is there after a power cut too."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(part, target)
    with suppress(OSError):  # not every system opens folders
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _link_old_aside(path: Path) -> Path | None:
    """Give what stands at a place a second name, so that there is never nothing at the place."""
    beside = wal.wal_path(path)
    if not path.exists() and not beside.exists():
        return None
    kept = _free_path(path.with_name(f"{path.stem}-before-{datetime.now():%Y-%m-%d-%H%M%S}.duckdb"))
    if path.exists():
        try:
            os.link(path, kept)
        except OSError:  # a file system without second names
            with temporary_sibling(kept) as part:
                shutil.copy2(path, part)
                os.replace(part, kept)
    if beside.exists():
        os.replace(beside, wal.wal_path(kept))
    return kept


def _free_path(path: Path, reserved: Collection[Path] = ()) -> Path:
    """The name, or the first one like it with a number that nothing has, nor what is begun."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in chain([path], names) if one not in reserved and not one.exists())
