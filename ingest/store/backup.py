"""A store's file copied while it is open, read again before it counts, and put back.

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

from ingest.compat import failure
from ingest.i18n import N_
from ingest.reader.file_type import is_duckdb
from ingest.store import errors, file_errors, outputs, server_hosts, wal
from ingest.store.factory import Store, StoreError
from ingest.store.restore_policy import Carried, carry
from ingest.store.server_hosts import is_running
from ingest.store.store_url import is_lake
from schemas.migrations import connect

BLOCK = 1 << 22
"""Bytes copied at a time."""
SAME = N_("{path} is the store itself: name another file.")
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
DIFFERENT = N_("The backup {path} is not what the store holds: nothing was kept of it.")
NO_BACKUP = N_("There is no backup {path}.")
REFUSED = N_("{path} cannot be put in the place of the store: {reason}. The store is as it was.")
_WHY = {
    file_errors.EMPTY: N_("it is empty"),
    file_errors.NOT_A_STORE: N_("it is not a store of this program"),
    file_errors.SQLITE: N_("it is a SQLite database"),
    file_errors.OTHER_FILE: N_("it is a file of something else"),
    file_errors.OTHER_TABLES: N_("it is a database of something else"),
    errors.NEWER: N_("it was made by a newer version of Retourne: update this one"),
    file_errors.INCOMPLETE: N_("some of its tables are missing"),
    file_errors.DAMAGED: N_("it is damaged, or its end is missing"),
    file_errors.JOURNAL_DAMAGED: N_("the journal beside it is damaged or of another store"),
    file_errors.NO_JOURNAL: N_("the journal beside it is damaged or of another store"),
}

_ANOTHERS = (errors.BUSY, file_errors.ONLY_READ, file_errors.OTHER_TABLES, file_errors.SQLITE)
"""What is said of a store that another program has, or of another's database."""

Progress = Callable[[float], object]
"""Hears how much of it is done, up to 1."""


def backup(
    store: Store,
    target: Path,
    progress: Progress = lambda done: None,
    force: bool = False,
) -> int:
    """Copy an open store to a file, which replaces an earlier backup; how many matches it has.

    Whoever writes waits while the bytes are copied, nobody while they are read again. `force`: it
    replaces whatever nobody has open. StoreError: the store or the copy cannot be read, or there is
    something else. OSError: the file cannot be written.
    """
    if not store.in_a_file:
        raise StoreError(errors.NO_COPY)
    _check_target(Path(store.path), target, force)
    if not force:
        _check_earlier(target, store.cursor())
    with becoming(target) as part:
        with store.told(), store.still() as (file, now):
            now.begin()  # what is written after this is not asked for
            now.execute("FROM migrations LIMIT 1").fetchall()  # with which it has really begun
            _copy(file, Path(store.path), part, lambda done: progress(done / 2))
        with store.told():
            expected = contents(now)
            now.close()
        try:
            with Store(part) as copy:
                found = contents(copy.cursor(), lambda done: progress(0.5 + done / 2))
        except StoreError as error:
            raise StoreError(DIFFERENT, path=target) from error
        if found != expected:
            raise StoreError(DIFFERENT, path=target)
        check_settled(part)
        put(part, target)
    return expected["main.matches"][0]


def receive(
    target: Path,
    fetch: Callable[[Path], bytes],
    store: Path | None = None,
    force: bool = False,
) -> int:
    """Have a backup come from elsewhere, read it again, and put it in its place; its matches.

    `fetch` writes it to a file and says the SHA-256 of its bytes. StoreError: it is not what was
    sent, or there is something else; `force` as for `backup`.
    """
    _check_target(store, target, force)
    with becoming(target) as part:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, file_errors.PRIVATE))
        expected = fetch(part)
        if sha256_of(part) != expected:
            raise StoreError(DIFFERENT, path=target)
        with errors.standing_for(part, target), Store(part, read_only=True) as copy:
            [(count,)] = copy.cursor().execute("SELECT count(*) FROM matches").fetchall()
            if not force:
                _check_earlier(target, copy.cursor())
        put(part, target)
    return int(count)


def sha256_of(path: Path) -> bytes:
    """The hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


class Restored(NamedTuple):
    """What putting a backup back came to."""

    kept: Path | None
    """Where what stood there is, if anything did."""
    carried: Carried | None
    """What of it still holds; None: nothing stood there, or it cannot be read."""


def restore(
    path: Path,
    chosen: Path,
    progress: Progress = lambda done: None,
    replacing: AbstractContextManager[object] | None = None,
) -> Restored:
    """Put a backup in the place of a store; who may do what there, and who is masked, stays so.

    `replacing`: lets go of the store while it lasts, where this process has it open.
    StoreError: another program has the store, or what is there is another's, or the file is none
    that could take its place.
    OSError: it cannot be written.
    """
    if is_lake(path):
        raise StoreError(errors.NO_COPY)
    if not chosen.is_file():
        raise StoreError(NO_BACKUP, path=chosen)
    if path.exists() and os.path.samefile(path, chosen):
        raise StoreError(SAME, path=chosen)
    if replacing is None and path.exists():
        try:
            # a journal that can still be put into the file goes there first
            Store(path, read_only=not wal.beside(path.resolve()).exists()).close()
        except StoreError as error:  # what else is wrong is why it is replaced
            if error.text in _ANOTHERS:
                raise
    path = path.resolve()  # a link to the store goes on leading to it
    with becoming(path) as part, errors.standing_for(part, chosen):
        with chosen.open("rb") as file:
            _copy(file.fileno(), chosen, part, lambda done: progress(done / 2))
        try:
            with Store(part) as copy:
                contents(copy.cursor(), lambda done: progress(0.5 + done / 2))
        except StoreError as error:
            reason = _WHY.get(error.text)
            if reason is None:
                raise
            raise StoreError(REFUSED, path=chosen, reason=reason) from error
        if path.exists():
            os.chmod(part, stat.S_IMODE(path.stat().st_mode))
        with replacing or nullcontext():
            carried = None
            try:
                if path.exists():
                    read_only = not wal.beside(path).exists()
                    with Store(path, read_only=read_only) as old, Store(part) as new:
                        carried = carry(old, new)
            except StoreError as error:
                if error.text == errors.BUSY:
                    raise
            check_settled(part)
            kept = _set_aside(path)
            put(part, path)
    return Restored(kept, carried)


def contents(
    ask: duckdb.DuckDBPyConnection, progress: Progress = lambda done: None
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


def dated(store: Path, now: datetime) -> str:
    """What a backup of a store is called: `club-2026-11-22-031500.duckdb`."""
    return f"{store.stem}-{now:%Y-%m-%d-%H%M%S}.duckdb"


_naming = threading.Lock()
_begun = set[Path]()


@contextmanager
def dated_in(folder: Path, store: Path, now: datetime) -> Iterator[Path]:
    """A dated name in a folder that no other backup has, nor takes while this lasts."""
    with _naming:
        target = _unused(folder / dated(store, now), _begun)
        _begun.add(target)
    try:
        yield target
    finally:
        _begun.discard(target)


class Thinned(NamedTuple):
    """What became of the older backups in a folder."""

    removed: list[Path]
    spoilt: list[Path]
    """Of the name of one, and none that could be put back: left, and not counted."""


def thin(made: Path, store: Path, keep: int) -> Thinned:
    """Remove the oldest dated backups of a store beside one just made, but so many with it.

    That one stays whatever the others are called. What has the name of one and is of another store
    stays, and is not counted.
    """
    found = ((named(store).fullmatch(one.name), one) for one in made.parent.iterdir())
    others = sorted(
        (match[1], int(match[2] or 1), one) for match, one in found if match and one != made
    )
    whole, spoilt = list[Path](), list[Path]()
    with connect(made, read_only=True) as copy:
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
    return Thinned(old, spoilt)


def named(store: Path, before: str = "", end: str = "") -> re.Pattern[str]:
    """What backups of a store are called; the others are patterns of what else is in the name."""
    date = r"(\d{4}-\d\d-\d\d-\d{6})(?:-(\d+))?"
    return re.compile(rf"{re.escape(store.stem)}-{before}{date}\.duckdb{end}")


# files


def _check_target(store: Path | None, target: Path, force: bool) -> None:
    """StoreError: it cannot be called so, or a backup is not written over what is there."""
    if not file_errors.is_text(target):
        raise StoreError(file_errors.BAD_NAME, path=target)
    there = target.exists()  # the store is not read here: whoever closes it has its lock no longer
    if there and store is not None and store.exists() and os.path.samefile(target, store):
        raise StoreError(SAME, path=target)
    if os.path.lexists(beside := server_hosts.place(target)):
        raise StoreError(SERVED, path=target, beside=beside)
    outputs.check(target, outputs.Kind.BACKUP, force)
    if there and is_duckdb(str(target)):
        if not wal.is_empty(target):
            raise StoreError(IN_USE, path=target)
        try:
            connect(target, read_only=True).close()
        except duckdb.Error as error:
            if failure(error) == "locked":
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
def becoming(target: Path) -> Iterator[Path]:
    """A name beside a file for what is to become it; nothing is left under it.

    No other has that name: somebody else may be about to replace the same file.
    """
    clear_begun(target)
    part = target.with_name(f"{target.name}.{os.getpid()}-{next(_numbers)}.part")
    try:
        yield part
    finally:
        _clear(part)


_numbers = count(1)
BEGUN = r"(\.(\d+)-\d+)?\.part"
"""What `becoming` adds to a name: by which process."""


def clear_begun(target: Path) -> None:
    """Remove what processes that were killed had begun to put in the place of a file."""
    ours = re.compile(rf"({re.escape(target.name)}({BEGUN})+)(\.wal|\.tmp)?")
    for one in target.parent.iterdir():
        found = ours.fullmatch(one.name)
        # elsewhere than on POSIX nobody can be asked whether the process is gone
        if found and not (found[4] and (os.name != "posix" or is_running(int(found[4])))):
            _clear(one.with_name(found[1]))


def _clear(part: Path) -> None:
    part.unlink(missing_ok=True)
    wal.beside(part).unlink(missing_ok=True)
    clear_spilled(part)


def clear_spilled(store: Path) -> None:
    """Remove what DuckDB laid beside a store for lack of memory, and a process that ended left."""
    folder = store.with_name(store.name + ".tmp")
    for left in folder.glob("duckdb_temp_*"):
        left.unlink()
    with suppress(OSError):  # there is none, or something of somebody else is in it
        folder.rmdir()


def _copy(source: int, path: Path, target: Path, progress: Progress) -> None:
    """The bytes of an open file, from the first to the last, and of the journal beside its path."""
    size, done = os.fstat(source).st_size, 0
    os.lseek(source, 0, os.SEEK_SET)
    with target.open("wb") as file:
        os.chmod(target, file_errors.PRIVATE)
        while block := os.read(source, BLOCK):
            file.write(block)
            done += len(block)
            progress(done / max(size, done))
    with suppress(FileNotFoundError):
        wal.beside(target).write_bytes(wal.beside(path).read_bytes())


def check_settled(part: Path) -> None:
    """StoreError: some of a new file lies in its journal, which would not go with it."""
    if not wal.is_empty(part):
        raise StoreError(errors.FULL, left=errors.NOTHING)


def put(part: Path, target: Path) -> None:
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


def _set_aside(path: Path) -> Path | None:
    """Give what stands at a place a second name, so that there is never nothing at the place."""
    beside = wal.beside(path)
    if not path.exists() and not beside.exists():
        return None
    kept = _unused(path.with_name(f"{path.stem}-before-{datetime.now():%Y-%m-%d-%H%M%S}.duckdb"))
    if path.exists():
        try:
            os.link(path, kept)
        except OSError:  # a file system without second names
            with becoming(kept) as part:
                shutil.copy2(path, part)
                os.replace(part, kept)
    if beside.exists():
        os.replace(beside, wal.beside(kept))
    return kept


def _unused(path: Path, begun: Collection[Path] = ()) -> Path:
    """The name, or the first one like it with a number that nothing has, nor what is begun."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in chain([path], names) if one not in begun and not one.exists())
