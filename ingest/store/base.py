"""The store in one file, and what every kind of store shares.

One process owns the file. It alone is the store: what a transaction commits is in it when the
transaction is over, so a copy of it lacks nothing. Only where somebody still reads what an update
has changed, the journal beside it keeps that until they have done. A lake does some of it in
another way; `ingest.store.factory` knows the kinds, and the address of a store says which it is.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import Any, Self, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.compat import may_be_wal
from ingest.redact.log_text import MaskedPlayers, redact_log
from ingest.store import audit, file_errors, raw_texts, wal
from ingest.store.cancellation import check_cancelled
from ingest.store.errors import (
    NO_HISTORY,
    NO_STORE,
    NOTHING_CHANGED,
    PRERELEASE_STORE,
    STORE_OUTDATED,
    STORE_TOO_NEW,
    CatalogUnavailable,
    StoreError,
    name_given,
    warning_listeners,
)
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
    with_tables,
)

T = TypeVar("T")

WRITE_MEMORY_LIMIT = "150MB"
"""What DuckDB may hold while a file is stored, whatever the file's size; the rest goes to disk."""
RETRY_SECONDS = 0.5
"""Seconds until what could not be done is tried again."""
CLOSE_TIMEOUT_SECONDS = 5.0
"""Seconds a store waits, before it is closed, for what is being written."""

SHARED_MEMORY_DIVISOR = 4
"""Where others read meanwhile, what they hold is within it too: a share of the machine's memory, or
their queries fail, and the commit that cannot put its blocks anywhere ends the store."""
CHECKPOINT_ALWAYS, CHECKPOINT_AT_64MB, CHECKPOINT_NEVER = "0B", "64MB", "1TB"
"""How much a commit leaves in the journal: nothing; while rows are replaced by others, since less
makes the whole half as long again; and while the disk is full."""
MIN_FREE_BYTES = 32 << 20
"""Bytes without which nothing is put into the file: DuckDB gives a store up where that fails."""
DUCKDB_CONFIG: dict[str, Any] = {
    "storage_compatibility_version": "latest",
    # of a new store: a tenth less a deal than in blocks of 256 kB, one of which every small table
    # takes, and than in those of 32 kB; a store keeps those it was made with
    "default_block_size": str(64 << 10),
    # whatever is committed goes straight into the file: that takes half as long again for a small
    # upload, however large the store
    "checkpoint_threshold": CHECKPOINT_ALWAYS,
    # a file of another kind is refused, and nothing is fetched to read it
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

PLAYER_NUMBERS = """SELECT player_id, player_no FROM players
    UNION ALL SELECT player_id, player_no FROM masked"""
"""Those of all players, by what they were called before anybody was masked, too."""
TABLE_NAMES = {table.rpartition(".")[2] for table in TABLE_DOCS if table not in DOCUMENTED_VIEWS}


def _shared_memory_limit() -> str:
    """What DuckDB may hold while others read, or what is there is changed."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{max(500, whole // SHARED_MEMORY_DIVISOR // 10**6)}MB"


class LockMode(Enum):
    """Whom a transaction leaves to work beside it, where several programs may write."""

    SHARED_APPEND = auto()
    """It only adds: whoever adds or changes."""
    UPDATE = auto()
    """It changes or removes what is there: whoever adds."""
    EXCLUSIVE = auto()
    """It removes what others might refer to: nobody."""


store_changed_listeners: list[Callable[["Store"], object]] = []
"""Who hears, in this process, that more than a file has changed a store that threads share: what it
shows, who may do what, or which file it is."""


class Store:
    """A store of games, in a file of its own; a context manager. StoreError: it cannot be opened.

    Of which kind it is, its address says, as a path says which kind of `pathlib.Path` it is.
    """

    class_for: Callable[[str | Path], type["Store"]]
    """Which one an address is of. StoreError: one that is not installed."""
    connection: duckdb.DuckDBPyConnection
    file_generation = 0
    """How many files it has been, one in the place of the other."""
    rating_generation = 0
    """How often its ladders were rated since it was opened."""
    needs_reopen = False
    """DuckDB has given it up, and it has to be opened again."""
    catalog_error: CatalogUnavailable | None = None
    """Why its catalogue did not answer when `version` asked last; None: it did, or has none."""
    is_single_file = True
    """It is a file that one process has, so that commands are done by whoever serves it."""
    insert_bytes = 2 << 20
    """Bytes of rows inserted in one go: an insertion takes 1 to 2 ms, however few they are."""

    def __new__(cls, path: str | Path, *_: object, **__: object) -> "Store":
        """A store of the kind that takes the address."""
        return object.__new__(Store.class_for(path) if cls is Store else cls)

    def __init__(
        self,
        path: str | Path,
        read_only: bool = False,
        is_shared: bool = False,
        as_of: datetime | None = None,
    ) -> None:
        self.path = str(path)
        """As it may be shown."""
        self.address = path
        self.read_only = read_only
        self.is_shared = is_shared
        """Several threads write: nobody waits for what another has still to read or to check."""
        self.as_of = as_of
        """It is read as it was then; None: as it is."""
        self._write_lock = threading.RLock()
        self._commit_count = 0
        self._has_change = False
        self._open()

    # the file

    def _open(self) -> None:
        path, read_only = self.path, self.read_only
        self.file_generation += 1
        if self.as_of is not None:
            raise StoreError(NO_HISTORY, path=path)
        if not file_errors.is_utf8_path(path):
            raise StoreError(file_errors.NAME_NOT_UTF8, path=path)
        if read_only and not Path(path).exists():
            raise StoreError(NO_STORE, path=self.path)
        if Path(path).is_dir():
            raise StoreError(file_errors.IS_FOLDER, path=path)
        if not self.temp_folder.is_dir():
            raise StoreError(file_errors.NO_FOLDER, folder=self.temp_folder)
        new = not Path(path).exists()
        if not new and not os.access(path, os.R_OK):
            raise StoreError(file_errors.OTHER_OWNER, path=self.path)
        if not read_only and not new and not os.access(path, os.W_OK):
            raise StoreError(file_errors.FILE_READ_ONLY, path=self.path)
        if Path(path).is_file() and not Path(path).stat().st_size:
            raise StoreError(file_errors.EMPTY_FILE, path=self.path)
        left = wal.wal_size(path)
        if not may_be_wal(wal.read_wal_header(path)):
            raise StoreError(file_errors.NOT_A_WAL, path=path)
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
        self._player_numbers: dict[str, int] | None = None
        self._next_match_no: int | None = None
        self._is_closed = threading.Event()
        self._checkpoint_pending = self._defer_checkpoints = False
        self._file_descriptor: int | None = None
        self.needs_reopen = False
        self.checkpoint()
        if cut:
            for hear in warning_listeners:
                hear(StoreError(file_errors.WAL_TRUNCATED, path=self.path))

    def _migrate_or_check(self, wal_bytes: int) -> bool:
        """Make what is opened a store of this version, or see that it is one.

        True: of a journal of so many bytes that was left there, some could not be read.
        """
        self.connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        [place] = self.connection.execute(
            "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        ).fetchall()
        if place[0] is None:  # DuckDB shows CSV, JSON and Parquet as views of a store in memory
            raise StoreError(file_errors.NOT_A_DATABASE, path=self.path)
        rows = self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        tables = {name for (name,) in rows}
        if tables and "migrations" not in tables:
            raise StoreError(file_errors.OTHER_DATABASE, path=self.path)
        cut = not wal.is_wal_replayed(
            self.connection, wal_bytes
        )  # what is written now is in it too
        try:
            wanted = pending_migrations(self.connection)
        except OutdatedStoreError:
            new = Path(name_given(self.path)).with_suffix(".new.duckdb")
            raise StoreError(PRERELEASE_STORE, path=self.path, new=new) from None
        except NewerStoreError:
            raise StoreError(STORE_TOO_NEW, path=self.path) from None
        if tables and (wanted == all_migrations() or not (wanted or tables >= TABLE_NAMES)):
            raise StoreError(file_errors.TABLES_MISSING, path=self.path)
        if wanted and self.read_only:
            raise StoreError(
                STORE_OUTDATED if tables else file_errors.UNFINISHED_STORE, path=self.path
            )
        if wanted:
            migrate(self.connection)
        return cut

    @property
    def temp_folder(self) -> Path:
        """Where what is laid aside meanwhile lies."""
        return Path(self.path).resolve().parent

    def close(self) -> None:
        """Let go of it, once what is being written is; what takes longer is given up."""
        self._is_closed.set()
        if not self._write_lock.acquire(timeout=CLOSE_TIMEOUT_SECONDS):
            return  # the end of the process is the end of that transaction
        try:
            self.checkpoint()
            self.connection.close()
            if self._file_descriptor is not None:
                os.close(self._file_descriptor)
                self._file_descriptor = None
        finally:
            self._write_lock.release()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same store, for a query in another thread.

        It waits while another file is put in the place of the store.
        """
        try:
            return self.connection.cursor()
        except duckdb.ConnectionException:
            with self._write_lock:
                return self.connection.cursor()

    @contextmanager
    def replacing_file(self) -> Iterator[None]:
        """While this lasts another file may be put in its place, which is then opened.

        Whoever wants to write waits, and writes into that one. StoreError: it cannot be opened.
        """
        with self.write_lock():
            try:
                yield
            finally:
                self.close()
                self.needs_reopen = True  # until it is open
                self._open()

    def checkpoint(self) -> bool:
        """Put into the file what the journal has.

        False: there is no room, or somebody reads what was before it.
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
        """While this lasts nothing is written: the open file, to copy it, and a cursor."""
        with self._write_lock:
            self.checkpoint()
            if self._file_descriptor is None:
                # Kept: when a process closes a file, the system forgets that it had locked it.
                self._file_descriptor = os.open(self.path, os.O_RDONLY)
            yield self._file_descriptor, self.cursor()

    def _has_free_space(self) -> bool:
        return shutil.disk_usage(self.temp_folder).free > MIN_FREE_BYTES

    def _checkpoint_soon(self) -> None:
        """Settle now, or else as soon as it can be done, on a thread of its own."""
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

    def store_error(self, error: duckdb.Error, failure_note: str = NOTHING_CHANGED) -> StoreError:
        """What a DuckDB error means for the user; `failure_note` says what is left of the work."""
        return file_errors.explain_error(self.path, error, failure_note)

    @contextmanager
    def deferred_checkpoints(self) -> Iterator[None]:
        """Many transactions that put rows in the place of others, in the file now and then.

        A row group is written whole into the file however little of it has changed.
        """
        self._defer_checkpoints = True
        try:
            yield
        finally:
            self._defer_checkpoints = False
            self._checkpoint_soon()

    # a transaction

    def _set_limits(self, memory: str | None) -> None:
        """Keep what is stored small; others who read are left what they have.

        Threads that are ended while one of them reads Python's objects would wait for each other.
        """
        if self.is_shared:
            self.connection.execute(f"SET memory_limit = '{_shared_memory_limit()}'")
        elif memory is None:
            self.connection.execute("RESET memory_limit; RESET threads")
        else:  # one thread: the others check the next batches
            self.connection.execute(f"SET memory_limit = '{memory}'; SET threads = 1")

    def _begin_transaction(self, lock_mode: LockMode) -> None:
        # who changes what is there may have to sort all of it
        self._set_limits(
            WRITE_MEMORY_LIMIT if lock_mode is LockMode.SHARED_APPEND else _shared_memory_limit()
        )
        self.connection.begin()

    def _end_transaction(self, committed: bool) -> None:
        """After a transaction, however it ended, while nobody else may write yet."""
        with suppress(duckdb.Error):  # a store that failed gravely takes no more orders
            self._set_limits(None)
        if committed and not self._defer_checkpoints:
            self._checkpoint_soon()

    def _drop_number_cache(self) -> None:
        """Ask for numbers anew: what was given is not stored, or something else has changed."""
        self._player_numbers = self._next_match_no = None

    def _commit(self) -> None:
        """End the transaction: what it wrote is in the file, or in the journal where it cannot be.

        DuckDB writes the journal first, so all is kept even where the store is given up after it.
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
        """Free match numbers, in order; call within `transaction`."""
        if self._next_match_no is None:
            # a deleted match may come back under its own number
            both = "SELECT match_no FROM matches UNION ALL SELECT match_no FROM trash"
            self._next_match_no = number(self.connection, f"SELECT max(match_no) + 1 FROM ({both})")
        self._next_match_no += count
        return np.arange(self._next_match_no - count, self._next_match_no)

    def next_file_number(self) -> int:
        """The next file's."""
        return number(self.connection, "SELECT nextval('file_numbers')")

    def player_numbers(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        """The numbers of players, new ones added."""
        if self._player_numbers is None:
            self._player_numbers = dict(self.connection.execute(PLAYER_NUMBERS).fetchall())
        known = self._player_numbers
        before = max(known.values(), default=-1) + 1
        added = dict[str, str]()  # by the name each has first
        for player, name in zip(ids, names, strict=True):
            if player not in known:
                known[player] = before + len(added)
                added[player] = name
        if added:
            numbers = np.arange(before, before + len(added), dtype=np.int32)
            rows = {"player_no": numbers, "player_id": [*added], "name": [*added.values()]}
            self.insert_rows("players", pa.table(rows))
        return np.array([known[player] for player in ids], np.int64)

    def flush_players(self) -> None:
        """Have the rows of new players be there within the transaction, to change them."""

    def claim(self, match_ids: Iterable[str], player_names: dict[str, str]) -> None:
        """Have no other program store these matches, and new players (id → name), meanwhile.

        Call within `transaction`, before anything else; one file needs nobody's leave.
        """

    def release_claims(
        self, match_ids: Sequence[str] = (), player_numbers: Sequence[int] = ()
    ) -> None:
        """Have matches and players, by number, be new again; call within `transaction`."""

    def should_retry(self, error: StoreError) -> bool:
        """Whether what failed so may be tried again, once this returns."""
        return False

    def run_with_retry(self, work: Callable[[], T]) -> T:
        """What a transaction gives, begun anew as often as it is worth while."""
        while True:
            try:
                return work()
            except StoreError as error:
                if not self.should_retry(error):
                    raise

    def written(
        self, act: Callable[[], T], left: str = NOTHING_CHANGED, among: LockMode = LockMode.UPDATE
    ) -> T:
        """What is done in one transaction of its own, as `transaction`, begun anew likewise."""

        def whole() -> T:
            with self.transaction(left, among):
                return act()

        return self.run_with_retry(whole)

    # of whatever kind it is

    @property
    def version(self) -> int:
        """Another number whenever something was written to it, as far as this process knows."""
        return self._commit_count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close it. StoreError: DuckDB refused something within."""
        self.close()
        if isinstance(error, duckdb.Error):
            raise self.store_error(error) from error

    @contextmanager
    def write_lock(self) -> Iterator[None]:
        """While this lasts only this thread of the process writes; whoever else wants to waits."""
        while not self._write_lock.acquire(timeout=RETRY_SECONDS):
            check_cancelled()
        try:
            check_cancelled()
            yield
        finally:
            self._write_lock.release()

    def read_match_text(self, match_no: int) -> bytes:
        """A match exactly as it came, but for the names of masked players.

        KeyError: there is no such match.
        """
        ask = self.cursor()
        found = raw_texts.read_text_list(ask, [match_no])
        if not found:
            raise KeyError(match_no)
        return redact_log(found[0], MaskedPlayers(masked_players(ask, from_logs=False).values()))

    def find_match(self, match_ref: str, include_masked: bool = False) -> int | None:
        """The number of the match with this id, its first digits (8 at least) or its log's id.

        `include_masked`: by an id that names who is masked too, for whoever has the store itself.
        """
        found = find_matches(self.cursor(), match_ref, include_masked=include_masked)
        return found[0][0] if found else None

    def read_consistently(self, read: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """What is read of it as it is at one moment, whoever writes to it meanwhile."""
        with self.cursor() as ask:
            ask.begin()
            try:
                return read(ask)
            finally:
                with suppress(duckdb.Error):  # it may be gone already
                    ask.rollback()

    @contextmanager
    def translate_errors(self, failure_note: str = NOTHING_CHANGED) -> Iterator[None]:
        """Whatever DuckDB refuses within, told as a StoreError; `failure_note` says what is left of
        it.
        """
        try:
            yield
        except duckdb.Error as error:
            raise self.store_error(error, failure_note) from error

    @contextmanager
    def transaction(
        self, failure_note: str = NOTHING_CHANGED, lock_mode: LockMode = LockMode.UPDATE
    ) -> Iterator[None]:
        """A transaction: all that is inserted within is stored, or nothing of it.

        `failure_note` says of what this is a part, for a StoreError; `lock_mode`, beside whom it
        may be.
        """
        with self.write_lock():
            self._has_change = done = False
            try:
                with self.translate_errors(failure_note):
                    self._begin_transaction(lock_mode)
                    yield
                    self._commit()
                    done = True
            except BaseException:
                self._drop_number_cache()
                with suppress(duckdb.Error):  # the transaction may be gone already
                    self.connection.rollback()
                raise
            finally:
                self._end_transaction(done)
            heard = self._has_change
        if heard:
            self.notify_changed()

    def notify_changed(self) -> None:
        """Have those in `store_changed_listeners` hear of it, who may ask the store."""
        if self.is_shared:
            for hear in store_changed_listeners:
                hear(self)

    def insert_rows(self, table: str, rows: pa.Table) -> None:
        """Append rows, by column name; call within `transaction`."""
        if rows.num_rows:
            with with_tables(self.connection, rows=rows.to_reader()):
                self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows")

    def is_empty(self) -> bool:
        """Whether it has no match."""
        return self.connection.execute("FROM matches LIMIT 1").fetchone() is None

    def stored_ids(self, ids: list[str]) -> set[str]:
        """Those of some match ids that are stored already."""
        if not ids:
            return set()
        with with_tables(self.connection, asked=pa.table({"id": ids}).to_reader()):
            found = self.connection.execute(
                "SELECT match_id FROM matches WHERE match_id IN (SELECT id FROM asked)"
            ).fetchall()
        return {row[0] for row in found}

    def record_change(self, action: str, affected_count: int | None = None) -> int:
        """Write down that something else than an upload changes what pages show; its number.

        `affected_count`: how many matches or players. Call within `transaction`.
        """
        self._drop_number_cache()
        self._has_change = True
        change = number(self.connection, "SELECT max(change) FROM changes") + 1
        self.connection.execute("INSERT INTO changes VALUES (?, now(), ?)", [change, action])
        audit.log_action(self.connection, action, change, affected_count)
        return change
