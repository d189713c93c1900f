"""The store in one file, and the base class of every kind of store.

One process owns the file. A commit is checkpointed into it at once, so a copy of the file is
complete. Only while a query still reads what an update changed does the change stay in the journal
(WAL) next to it. `LakeStore` overrides some methods; `ingest.store.factory` picks the class by
the store's address.
"""

import os
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import Any, Self, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.cancellation import check_cancelled
from ingest.compat import may_be_wal
from ingest.redact.anonymize_log import MaskedPlayers, redact_log
from ingest.store import audit, errors, file_errors, raw_texts, wal
from ingest.store.aliases import Declared, PlayerNumbering
from ingest.store.raw_texts import find_matches, masked_players
from schemas.column_docs import DOCUMENTED_VIEWS, TABLE_DOCS
from schemas.migrations import (
    NewerStoreError,
    OutdatedStoreError,
    all_migrations,
    connect,
    migrate,
    number,
    pending_migrations,
    table_names,
    with_tables,
)

T = TypeVar("T")

WRITE_MEMORY_LIMIT = "150MB"
"""DuckDB's memory while a file of any size is stored; it spills the rest to disk."""
RETRY_SECONDS = 0.5
"""Seconds between two tries."""
CLOSE_TIMEOUT_SECONDS = 5.0
"""Seconds `close` waits for a running transaction."""

SHARED_MEMORY_DIVISOR = 4
"""The machine's memory divided by this is DuckDB's limit where other threads read. Queries count
too: with less they fail, and a commit without memory for its blocks invalidates the database."""
CHECKPOINT_ALWAYS, CHECKPOINT_AT_64MB, CHECKPOINT_NEVER = "0B", "64MB", "1TB"
"""Journal size at which a commit checkpoints: as a rule; while many rows are replaced, which takes
1.5 times as long with a smaller one; and while the disk is full."""
MIN_FREE_BYTES = 32 << 20
"""Free disk space a checkpoint needs: DuckDB invalidates the database if one fails."""
DUCKDB_CONFIG: dict[str, Any] = {
    "storage_compatibility_version": "latest",
    # for new stores only: 64 kB needs a tenth less space per deal than 32 kB, and than 256 kB,
    # where every small table takes a whole block
    "default_block_size": str(64 << 10),
    # checkpoint each commit: a small upload takes 1.5 times as long, however large the store
    "checkpoint_threshold": CHECKPOINT_ALWAYS,
    # refuse files of other kinds instead of downloading an extension that reads them
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

TABLE_NAMES = {table.rpartition(".")[2] for table in TABLE_DOCS if table not in DOCUMENTED_VIEWS}


def _shared_memory_limit() -> str:
    """Return DuckDB's memory limit for shared stores and for updates."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{max(500, whole // SHARED_MEMORY_DIVISOR // 10**6)}MB"


class LockMode(Enum):
    """Which transactions of other programs may run during one, where several programs write."""

    SHARED_APPEND = auto()
    """It only adds rows: others may add or update."""
    UPDATE = auto()
    """It changes or removes rows: others may add."""
    EXCLUSIVE = auto()
    """It removes rows that others might refer to: no other may write."""


store_changed_listeners: list[Callable[["Store"], object]] = []
"""Called when a store that threads of this process share has changed other than by an upload: its
contents, its permissions or the file itself."""


class Store(PlayerNumbering):
    """A store of games; a context manager. StoreError: it cannot be opened.

    `Store(address)` returns the subclass for the address, as `pathlib.Path` does for a platform.
    """

    class_for: Callable[[str | Path], type["Store"]]
    """Return the class for an address. StoreError: its packages are not installed."""
    file_generation = 0
    """Number of times the file was opened or replaced."""
    rating_generation = 0
    """Number of times its ladders were rated since it was opened."""
    rated_version: tuple[int | None, ...] | None = None
    """The matches, as `ratings.are_ladders_current` counts them, that all ladders are known to rate."""
    needs_reopen = False
    """DuckDB has invalidated the database, which has to be opened again."""
    catalog_error: errors.CatalogUnavailable | None = None
    """Why the catalogue did not answer the last `version`; None: it did, or there is none."""
    is_single_file = True
    """It is a file that one process owns: if a server has it open, that runs the commands."""
    insert_bytes = 2 << 20
    """Bytes of rows per insertion: even the smallest insertion takes 1 to 2 ms."""

    def __new__(cls, path: str | Path, *_: object, **__: object) -> "Store":
        """Create an instance of the class for the address."""
        return object.__new__(Store.class_for(path) if cls is Store else cls)

    def __init__(
        self,
        path: str | Path,
        read_only: bool = False,
        is_shared: bool = False,
        as_of: datetime | None = None,
    ) -> None:
        self.path = str(path)
        """The address as it may be shown, without secrets."""
        self.address = path
        self.read_only = read_only
        self.is_shared = is_shared
        """Several threads use it: none holds the write lock while it reads or checks a file."""
        self.as_of = as_of
        """Read the state of this time; None: the current one."""
        self._write_lock = threading.RLock()
        self.file_lock = threading.RLock()
        """Held while another file takes the place of the store's."""
        self._commit_count = 0
        self._has_change = False
        self._open()

    # the file

    def _open(self) -> None:
        path, read_only = self.path, self.read_only
        self.file_generation += 1
        if self.as_of is not None:
            raise errors.StoreError(errors.NO_HISTORY, path=path)
        if not file_errors.is_utf8_path(path):
            raise errors.StoreError(file_errors.NAME_NOT_UTF8, path=path)
        if read_only and not Path(path).exists():
            raise errors.StoreError(errors.NO_STORE, path=self.path)
        if Path(path).is_dir():
            raise errors.StoreError(file_errors.IS_FOLDER, path=path)
        if not self.temp_folder.is_dir():
            raise errors.StoreError(file_errors.NO_FOLDER, folder=self.temp_folder)
        new = not Path(path).exists()
        if not new and not os.access(path, os.R_OK):
            raise errors.StoreError(file_errors.OTHER_OWNER, path=self.path)
        if not read_only and not new and not os.access(path, os.W_OK):
            raise errors.StoreError(file_errors.FILE_READ_ONLY, path=self.path)
        if Path(path).is_file() and not Path(path).stat().st_size:
            raise errors.StoreError(file_errors.EMPTY_FILE, path=self.path)
        left = wal.wal_size(path)
        if not may_be_wal(wal.read_wal_header(path)):
            raise errors.StoreError(file_errors.NOT_A_WAL, path=path)
        try:
            self.connection = connect(self.path, read_only, DUCKDB_CONFIG)
        except duckdb.Error as error:
            raise file_errors.explain_error(self.path, error) from error
        if new:
            os.chmod(path, file_errors.PRIVATE_MODE)
        try:
            cut = self._migrate_or_check(left)
        except BaseException as error:
            self.connection.close()
            if isinstance(error, duckdb.Error):
                raise file_errors.explain_error(self.path, error) from error
            raise
        self._aliases = None
        self._next_match_no: int | None = None
        self._is_closed = threading.Event()
        self._checkpoint_pending = self._defer_checkpoints = False
        self._file_descriptor: int | None = None
        self._file_id = file_errors.file_id(path)
        self.needs_reopen = False
        self.checkpoint()
        if cut:
            for listener in errors.warning_listeners:
                listener(errors.StoreError(file_errors.WAL_TRUNCATED, path=self.path))

    def _migrate_or_check(self, wal_bytes: int) -> bool:
        """Migrate the open database to this version, or check that it has it.

        Returns whether part of a journal of `wal_bytes`, left by an earlier process, is unreadable.
        """
        self.connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        [place] = self.connection.execute(
            "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        ).fetchall()
        if place[0] is None:  # DuckDB opens CSV, JSON and Parquet as views in memory
            raise errors.StoreError(file_errors.NOT_A_DATABASE, path=self.path)
        tables = table_names(self.connection)
        if tables and "migrations" not in tables:
            raise errors.StoreError(file_errors.OTHER_DATABASE, path=self.path)
        # before the migrations, which write to the journal too
        cut = not wal.is_wal_replayed(self.connection, wal_bytes)
        try:
            wanted = pending_migrations(self.connection, tables)
        except OutdatedStoreError:
            new = Path(errors.name_given(self.path)).with_suffix(".new.duckdb")
            raise errors.StoreError(errors.PRERELEASE_STORE, path=self.path, new=new) from None
        except NewerStoreError:
            raise errors.StoreError(errors.STORE_TOO_NEW, path=self.path) from None
        if tables and (wanted == all_migrations() or not (wanted or tables >= TABLE_NAMES)):
            raise errors.StoreError(file_errors.TABLES_MISSING, path=self.path)
        if wanted and self.read_only:
            raise errors.StoreError(
                errors.STORE_OUTDATED if tables else file_errors.UNFINISHED_STORE, path=self.path
            )
        if wanted:
            migrate(self.connection)
        return cut

    @property
    def temp_folder(self) -> Path:
        return Path(self.path).resolve().parent

    def close(self) -> None:
        """Close the store, after a running transaction; one that takes too long is abandoned."""
        self._is_closed.set()
        if not self._write_lock.acquire(timeout=CLOSE_TIMEOUT_SECONDS):
            return  # that transaction ends with the process
        try:
            self.checkpoint()
            self.connection.close()
            if self._file_descriptor is not None:
                os.close(self._file_descriptor)
                self._file_descriptor = None
        finally:
            self._write_lock.release()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a new connection to the same store, for a query in another thread.

        It waits while the store's file is being replaced.
        """
        try:
            return self.connection.cursor()
        except duckdb.ConnectionException:
            with self._write_lock:
                return self.connection.cursor()

    @contextmanager
    def replacing_file(self) -> Iterator[None]:
        """Lock the store while the caller closes it and replaces its file, then open the new file.

        Writers wait, and write into the new file. StoreError: it cannot be opened.
        """
        with self.write_lock(), self.file_lock:
            try:
                yield
            finally:
                self.close()
                self.needs_reopen = True  # until it is open
                self._open()

    def checkpoint(self) -> bool:
        """Move the journal's contents into the file; return whether the journal is empty now.

        It is not if the disk is full or a query still reads an earlier state.
        """
        with self._write_lock:
            if self.read_only or wal.is_wal_empty(self.path):
                return True
            if self._has_free_space() and not self.needs_reopen:
                try:
                    self.connection.cursor().execute("CHECKPOINT")
                except duckdb.Error as error:
                    self.needs_reopen = isinstance(error, duckdb.FatalException)
            return wal.is_wal_empty(self.path)

    @contextmanager
    def frozen(self) -> Iterator[tuple[int, duckdb.DuckDBPyConnection]]:
        """Block writes, and yield the open file's descriptor, to copy it, and a cursor."""
        with self._write_lock:
            self.checkpoint()
            if self._file_descriptor is None:
                # stays open: when a process closes any descriptor of a file, its lock is lost
                self._file_descriptor = os.open(self.path, os.O_RDONLY)
            yield self._file_descriptor, self.cursor()

    def _has_free_space(self) -> bool:
        return shutil.disk_usage(self.temp_folder).free > MIN_FREE_BYTES

    def _checkpoint_soon(self) -> None:
        """Checkpoint now, or else on a background thread as soon as possible."""
        closed = self._is_closed

        def try_again() -> None:
            while not closed.wait(RETRY_SECONDS):
                with self._write_lock:
                    if self.checkpoint():
                        self._checkpoint_pending = False
                        return

        with self._write_lock:
            if not self.checkpoint() and not self._checkpoint_pending:
                self._checkpoint_pending = True
                threading.Thread(target=try_again, daemon=True, name="settle").start()

    def store_error(
        self, error: duckdb.Error, failure_note: str = errors.NOTHING_CHANGED
    ) -> errors.StoreError:
        """Return a StoreError that explains a DuckDB error; `failure_note`: the part that was stored."""
        return file_errors.explain_error(self.path, error, failure_note)

    @contextmanager
    def deferred_checkpoints(self) -> Iterator[None]:
        """Checkpoint only now and then, during many transactions that replace rows.

        Each checkpoint rewrites whole row groups, however few rows have changed.
        """
        self._defer_checkpoints = True
        try:
            yield
        finally:
            self._defer_checkpoints = False
            self._checkpoint_soon()

    # a transaction

    def _set_limits(self, memory: str | None) -> None:
        """Limit DuckDB's memory to `memory`, or lift the limit; a shared store has its own.

        It never ends threads either: ending one that reads Python objects might deadlock.
        """
        if self.is_shared:
            self.connection.execute(f"SET memory_limit = '{_shared_memory_limit()}'")
        elif memory is None:
            self.connection.execute("RESET memory_limit; RESET threads")
        else:  # one thread: the other cores check the next batches
            self.connection.execute(f"SET memory_limit = '{memory}'; SET threads = 1")

    def _begin_transaction(self, lock_mode: LockMode) -> None:
        if self._file_id != file_errors.file_id(self.path):  # a write would be lost with it
            raise errors.StoreError(errors.STORE_FILE_REMOVED, path=self.path)
        # an update may have to sort a whole table
        self._set_limits(
            WRITE_MEMORY_LIMIT if lock_mode is LockMode.SHARED_APPEND else _shared_memory_limit()
        )
        self.connection.begin()

    def _end_transaction(self, committed: bool) -> None:
        """Clean up after a transaction, committed or not, before the write lock is released."""
        with suppress(duckdb.Error):  # an invalidated database refuses every statement
            self._set_limits(None)
        if committed and not self._defer_checkpoints:
            self._checkpoint_soon()

    def _drop_number_cache(self) -> None:
        """Forget cached numbers, after a rollback or a change other than an upload."""
        self._aliases = self._next_match_no = self._next_player_no = self._next_alias_no = None
        self.append_pending = None

    def _commit(self) -> None:
        """Commit into the file, or into the journal if the file cannot take it.

        DuckDB writes the journal first, so a failure after that loses nothing.
        """
        most = (
            (CHECKPOINT_AT_64MB if self._defer_checkpoints else CHECKPOINT_ALWAYS)
            if self._has_free_space()
            else CHECKPOINT_NEVER
        )
        self.connection.execute(f"SET checkpoint_threshold = '{most}'")
        try:
            self.connection.commit()
        except duckdb.FatalException as error:
            self.needs_reopen = True
            if "COMMIT succeeded" not in str(error):
                raise
        finally:
            self._commit_count += 1

    def next_match_numbers(self, count: int) -> NDArray[np.int64]:
        """Return free match numbers, ascending; call within `transaction`."""
        if self._next_match_no is None:
            # a deleted match may be restored under its own number
            both = "SELECT match_no FROM matches UNION ALL SELECT match_no FROM trash"
            self._next_match_no = number(self.connection, f"SELECT max(match_no) + 1 FROM ({both})")
        self._next_match_no += count
        return np.arange(self._next_match_no - count, self._next_match_no)

    def next_file_number(self) -> int:
        return number(self.connection, "SELECT nextval('file_numbers')")

    def claim(self, match_ids: Iterable[str], players: Sequence[Declared]) -> None:
        """Reserve these matches, and new players, against other programs.

        Call within `transaction`, before anything else. A single file needs no claims.
        """

    def release_claims(self, match_ids: Sequence[str] = (), player_numbers: Sequence[int] = ()) -> None:
        """Free matches and players (by number) to be stored again; call within `transaction`."""

    def release_unstored(self, match_ids: Collection[str]) -> None:
        """Free matches that this transaction reserved and will not store."""

    def should_retry(self, error: errors.StoreError) -> bool:
        """Return whether to retry work that failed with this error; may wait first."""
        return False

    def run_with_retry(self, work: Callable[[], T]) -> T:
        """Return the result of `work`, retried as long as `should_retry` allows."""
        while True:
            try:
                return work()
            except errors.StoreError as error:
                if not self.should_retry(error):
                    raise

    def written(
        self, act: Callable[[], T], left: str = errors.NOTHING_CHANGED, among: LockMode = LockMode.UPDATE
    ) -> T:
        """Return the result of `act`, run in a `transaction` and retried if that may help."""

        def whole() -> T:
            with self.transaction(left, among):
                return act()

        return self.run_with_retry(whole)

    # for every kind of store
    @property
    def version(self) -> int:
        """A number that changes with every write this process knows of."""
        return self._commit_count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the store. StoreError: a DuckDB error was raised within."""
        self.close()
        if isinstance(error, duckdb.Error):
            raise self.store_error(error) from error

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """Take the write lock: other threads of this process wait to write."""
        while not self._write_lock.acquire(timeout=RETRY_SECONDS):
            check_cancelled()
        try:
            check_cancelled()
            yield
        finally:
            self._write_lock.release()

    def read_match_text(self, match_no: int) -> bytes:
        """Return a match's log byte for byte, except for the names of masked players.

        KeyError: unknown match.
        """
        cursor = self.cursor()
        found = raw_texts.read_text_list(cursor, [match_no])
        if not found:
            raise KeyError(match_no)
        return redact_log(found[0], MaskedPlayers(masked_players(cursor).values()))

    def find_match(self, match_ref: str, include_masked: bool = False) -> int | None:
        """Return the number of the match with this id, its first 8 or more digits or its log's id.

        `include_masked`: also find ids that name masked players, for the store's owner.
        """
        found = find_matches(self.cursor(), match_ref, include_masked=include_masked)
        return found[0][0] if found else None

    def read_consistently(self, read: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Return the result of `read`, whose queries all see the same state of the store."""
        with self.cursor() as cursor:
            cursor.begin()
            try:
                return read(cursor)
            finally:
                with suppress(duckdb.Error):  # the transaction may have ended already
                    cursor.rollback()

    @contextmanager
    def translate_errors(self, failure_note: str = errors.NOTHING_CHANGED) -> Iterator[None]:
        """Raise DuckDB errors within as StoreError; `failure_note`: the part that was stored."""
        try:
            yield
        except duckdb.Error as error:
            raise self.store_error(error, failure_note) from error

    @contextmanager
    def transaction(
        self, failure_note: str = errors.NOTHING_CHANGED, lock_mode: LockMode = LockMode.UPDATE
    ) -> Iterator[None]:
        """Run a transaction: everything written within is stored, or nothing.

        `failure_note`: the part that was stored, for a StoreError; `lock_mode`: the access that others have.
        """
        with self.write_lock():
            self._has_change = done = False
            self.parted_players = []
            try:
                with self.translate_errors(failure_note):
                    self._begin_transaction(lock_mode)
                    yield
                    self._commit()
                    done = True
            except BaseException:
                self._drop_number_cache()
                with suppress(duckdb.Error):  # the transaction may have ended already
                    self.connection.rollback()
                raise
            finally:
                self._end_transaction(done)
            heard = self._has_change
        if heard:
            self.notify_changed()

    def notify_changed(self) -> None:
        """Call `store_changed_listeners`, which may query the store."""
        if self.is_shared:
            for listener in store_changed_listeners:
                listener(self)

    def insert_rows(self, table: str, rows: pa.Table) -> None:
        """Append rows, matched by column name; call within `transaction`."""
        if rows.num_rows:
            with with_tables(self.connection, rows=rows.to_reader()):
                self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows")

    def is_empty(self) -> bool:
        return self.connection.execute("FROM matches LIMIT 1").fetchone() is None

    def stored_ids(self, ids: list[str]) -> set[str]:
        """Return those of some match ids that are stored already."""
        if not ids:
            return set()
        with with_tables(self.connection, wanted=pa.table({"id": ids}).to_reader()):
            found = self.connection.execute(
                "SELECT match_id FROM matches WHERE match_id IN (SELECT id FROM wanted)"
            ).fetchall()
        return {row[0] for row in found}

    def record_change(
        self, action: str, affected_count: int | None = None, same_numbers: bool = False
    ) -> int:
        """Record a change other than an upload that affects pages; return the change's number.

        `affected_count`: matches or players changed; `same_numbers`: numbers given in this transaction
        stay given. Call within `transaction`.
        """
        if not same_numbers:
            self._drop_number_cache()
        self._has_change = True
        change = number(self.connection, "SELECT max(change) FROM change_log") + 1
        self.connection.execute("INSERT INTO change_log VALUES (?, now(), ?)", [change, action])
        audit.log_action(self.connection, action, change, affected_count)
        return change
