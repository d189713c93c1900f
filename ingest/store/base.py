"""The store that is one file, and what every kind has in common: a transaction a file of logs.

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

from ingest.compat import may_be_journal
from ingest.redact.log_text import People, renamed
from ingest.store import audit, file_errors, raw_texts, wal
from ingest.store.cancellation import go_on
from ingest.store.errors import (
    EARLIER,
    NEWER,
    NO_PAST,
    NO_STORE,
    NOTHING,
    OLDER,
    Away,
    StoreError,
    listeners,
    name_given,
)
from ingest.store.raw_texts import called, masked
from schemas.column_docs import COMMENTS, VIEWS
from schemas.migrations import (
    EarlierStore,
    NewerStore,
    connect,
    migrate,
    migrations,
    number,
    pending,
    with_tables,
)

T = TypeVar("T")

MEMORY = "150MB"
"""What DuckDB may hold while a file is stored, whatever the file's size; the rest goes to disk."""
AGAIN = 0.5
"""Seconds until what could not be done is tried again."""
PATIENCE = 5.0
"""Seconds a store waits, before it is closed, for what is being written."""

SHARE = 4
"""Where others read meanwhile, what they hold is within it too: a share of the machine's memory, or
their queries fail, and the commit that cannot put its blocks anywhere ends the store."""
AT_ONCE, JOURNAL, NEVER = "0B", "64MB", "1TB"
"""How much a commit leaves in the journal: nothing; while rows are replaced by others, since less
makes the whole half as long again; and while the disk is full."""
ROOM = 32 << 20
"""Bytes without which nothing is put into the file: DuckDB gives a store up where that fails."""
CONFIG: dict[str, Any] = {
    "storage_compatibility_version": "latest",
    # of a new store: a tenth less a deal than in blocks of 256 kB, one of which every small table
    # takes, and than in those of 32 kB; a store keeps those it was made with
    "default_block_size": str(64 << 10),
    # whatever is committed goes straight into the file: that takes half as long again for a small
    # upload, however large the store
    "checkpoint_threshold": AT_ONCE,
    # a file of another kind is refused, and nothing is fetched to read it
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

NUMBERS = """SELECT player_id, player_no FROM players
    UNION ALL SELECT player_id, player_no FROM masked"""
"""Those of all players, by what they were called before anybody was masked, too."""
FILE_TABLES = {table.rpartition(".")[2] for table in COMMENTS if table not in VIEWS}


def _most() -> str:
    """What DuckDB may hold while others read, or what is there is changed."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{max(500, whole // SHARE // 10**6)}MB"


class Among(Enum):
    """Whom a transaction leaves to work beside it, where several programs may write."""

    ADDING = auto()
    """It only adds: whoever adds or changes."""
    CHANGING = auto()
    """It changes or removes what is there: whoever adds."""
    ALONE = auto()
    """It removes what others might refer to: nobody."""


changed: list[Callable[["Store"], object]] = []
"""Who hears, in this process, that more than a file has changed a store that threads share: what it
shows, who may do what, or which file it is."""


class Store:
    """A store of games, in a file of its own; a context manager. StoreError: it cannot be opened.

    Of which kind it is, its address says, as a path says which kind of `pathlib.Path` it is.
    """

    kind: Callable[[str | Path], type["Store"]]
    """Which one an address is of. StoreError: one that is not installed."""
    connection: duckdb.DuckDBPyConnection
    opened = 0
    """How many files it has been, one in the place of the other."""
    rated = 0
    """How often its ladders were rated since it was opened."""
    broken = False
    """DuckDB has given it up, and it has to be opened again."""
    away: Away | None = None
    """Why its catalogue did not answer when `commits` asked last; None: it did, or has none."""
    in_a_file = True
    """It is a file that one process has, so that commands are done by whoever serves it."""
    together = 2 << 20
    """Bytes of rows inserted in one go: an insertion takes 1 to 2 ms, however few they are."""

    def __new__(cls, path: str | Path, *_: object, **__: object) -> "Store":
        """A store of the kind that takes the address."""
        return object.__new__(Store.kind(path) if cls is Store else cls)

    def __init__(
        self,
        path: str | Path,
        read_only: bool = False,
        shared: bool = False,
        at: datetime | None = None,
    ) -> None:
        self.path = str(path)
        """As it may be shown."""
        self.address = path
        self.read_only = read_only
        self.shared = shared
        """Several threads write: nobody waits for what another has still to read or to check."""
        self.at = at
        """It is read as it was then; None: as it is."""
        self._writing = threading.RLock()
        self._written = 0
        self._changed = False
        self._open()

    # the file

    def _open(self) -> None:
        path, read_only = self.path, self.read_only
        self.opened += 1
        if self.at is not None:
            raise StoreError(NO_PAST, path=path)
        if not file_errors.is_text(path):
            raise StoreError(file_errors.BAD_NAME, path=path)
        if read_only and not Path(path).exists():
            raise StoreError(NO_STORE, path=self.path)
        if Path(path).is_dir():
            raise StoreError(file_errors.FOLDER, path=path)
        if not self.folder.is_dir():
            raise StoreError(file_errors.NO_FOLDER, folder=self.folder)
        new = not Path(path).exists()
        if not new and not os.access(path, os.R_OK):
            raise StoreError(file_errors.NOT_YOURS, path=self.path)
        if not read_only and not new and not os.access(path, os.W_OK):
            raise StoreError(file_errors.ONLY_READ, path=self.path)
        if Path(path).is_file() and not Path(path).stat().st_size:
            raise StoreError(file_errors.EMPTY, path=self.path)
        left = wal.size(path)
        if not may_be_journal(wal.beginning(path)):
            raise StoreError(file_errors.NO_JOURNAL, path=path)
        try:
            self.connection = connect(self.path, read_only, CONFIG)
        except duckdb.Error as error:
            raise file_errors.explain_error(self.path, error) from error
        if new:
            os.chmod(path, file_errors.PRIVATE)
        try:
            cut = self._made_ready(left)
        except BaseException as error:
            self.connection.close()
            if isinstance(error, duckdb.Error):
                raise file_errors.explain_error(self.path, error) from error
            raise
        self._players: dict[str, int] | None = None
        self._next: int | None = None
        self._closed = threading.Event()
        self._settling = self._journaled = False
        self._file: int | None = None
        self.broken = False
        self.settle()
        if cut:
            for hear in listeners:
                hear(StoreError(file_errors.JOURNAL_CUT, path=self.path))

    def _made_ready(self, left: int) -> bool:
        """Make what is opened a store of this version, or see that it is one.

        True: of a journal of so many bytes that was left there, some could not be read.
        """
        self.connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        [place] = self.connection.execute(
            "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        ).fetchall()
        if place[0] is None:  # DuckDB shows CSV, JSON and Parquet as views of a store in memory
            raise StoreError(file_errors.OTHER_FILE, path=self.path)
        rows = self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        tables = {name for (name,) in rows}
        if tables and "migrations" not in tables:
            raise StoreError(file_errors.OTHER_TABLES, path=self.path)
        cut = not wal.is_read(self.connection, left)  # what is written now is in it too
        try:
            wanted = pending(self.connection)
        except EarlierStore:
            new = Path(name_given(self.path)).with_suffix(".new.duckdb")
            raise StoreError(EARLIER, path=self.path, new=new) from None
        except NewerStore:
            raise StoreError(NEWER, path=self.path) from None
        if tables and (wanted == migrations() or not (wanted or tables >= FILE_TABLES)):
            raise StoreError(file_errors.INCOMPLETE, path=self.path)
        if wanted and self.read_only:
            raise StoreError(OLDER if tables else file_errors.UNFINISHED, path=self.path)
        if wanted:
            migrate(self.connection)
        return cut

    @property
    def folder(self) -> Path:
        """Where what is laid aside meanwhile lies."""
        return Path(self.path).resolve().parent

    def close(self) -> None:
        """Let go of it, once what is being written is; what takes longer is given up."""
        self._closed.set()
        if not self._writing.acquire(timeout=PATIENCE):
            return  # the end of the process is the end of that transaction
        try:
            self.settle()
            self.connection.close()
            if self._file is not None:
                os.close(self._file)
                self._file = None
        finally:
            self._writing.release()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same store, for a query in another thread.

        It waits while another file is put in the place of the store.
        """
        try:
            return self.connection.cursor()
        except duckdb.ConnectionException:
            with self._writing:
                return self.connection.cursor()

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """While this lasts another file may be put in its place, which is then opened.

        Whoever wants to write waits, and writes into that one. StoreError: it cannot be opened.
        """
        with self.alone():
            try:
                yield
            finally:
                self.close()
                self.broken = True  # until it is open
                self._open()

    def settle(self) -> bool:
        """Put into the file what the journal has.

        False: there is no room, or somebody reads what was before it.
        """
        with self._writing:
            if self.read_only or wal.is_empty(self.path):
                return True
            if self._has_room() and not self.broken:
                try:
                    self.connection.cursor().execute("CHECKPOINT")
                except duckdb.Error as error:
                    self.broken = isinstance(error, duckdb.FatalException)
            return wal.is_empty(self.path)

    @contextmanager
    def still(self) -> Iterator[tuple[int, duckdb.DuckDBPyConnection]]:
        """While this lasts nothing is written: the open file, to copy it, and a cursor."""
        with self._writing:
            self.settle()
            if self._file is None:
                # Kept: when a process closes a file, the system forgets that it had locked it.
                self._file = os.open(self.path, os.O_RDONLY)
            yield self._file, self.cursor()

    def _has_room(self) -> bool:
        return shutil.disk_usage(self.folder).free > ROOM

    def _settle_soon(self) -> None:
        """Settle now, or else as soon as it can be done, on a thread of its own."""
        closed = self._closed

        def try_again() -> None:
            while not closed.wait(AGAIN):
                with self._writing:
                    if self.settle():
                        self._settling = False
                        return

        with self._writing:
            if not self.settle() and not self._settling:
                self._settling = True
                threading.Thread(target=try_again, daemon=True, name="settle").start()

    def explained(self, error: duckdb.Error, left: str = NOTHING) -> StoreError:
        """What a DuckDB error means for the user; `left` says what is left of the work."""
        return file_errors.explain_error(self.path, error, left)

    @contextmanager
    def journaled(self) -> Iterator[None]:
        """Many transactions that put rows in the place of others, in the file now and then.

        A row group is written whole into the file however little of it has changed.
        """
        self._journaled = True
        try:
            yield
        finally:
            self._journaled = False
            self._settle_soon()

    # a transaction

    def _limit(self, memory: str | None) -> None:
        """Keep what is stored small; others who read are left what they have.

        Threads that are ended while one of them reads Python's objects would wait for each other.
        """
        if self.shared:
            self.connection.execute(f"SET memory_limit = '{_most()}'")
        elif memory is None:
            self.connection.execute("RESET memory_limit; RESET threads")
        else:  # one thread: the others check the next batches
            self.connection.execute(f"SET memory_limit = '{memory}'; SET threads = 1")

    def _begin(self, among: Among) -> None:
        # who changes what is there may have to sort all of it
        self._limit(MEMORY if among is Among.ADDING else _most())
        self.connection.begin()

    def _ended(self, done: bool) -> None:
        """After a transaction, however it ended, while nobody else may write yet."""
        with suppress(duckdb.Error):  # a store that failed gravely takes no more orders
            self._limit(None)
        if done and not self._journaled:
            self._settle_soon()

    def _forget(self) -> None:
        """Ask for numbers anew: what was given is not stored, or something else has changed."""
        self._players = self._next = None

    def _commit(self) -> None:
        """End the transaction: what it wrote is in the file, or in the journal where it cannot be.

        DuckDB writes the journal first, so all is kept even where the store is given up after it.
        """
        most = (JOURNAL if self._journaled else AT_ONCE) if self._has_room() else NEVER
        self.connection.execute(f"SET checkpoint_threshold = '{most}'")
        try:
            self.connection.commit()
        except duckdb.FatalException as error:
            self.broken = True
            if "COMMIT succeeded" not in str(error):
                raise
        finally:
            self._written += 1

    def number(self, count: int) -> NDArray[np.int64]:
        """Free match numbers, in order; call within `adding`."""
        if self._next is None:
            # a deleted match may come back under its own number
            both = "SELECT match_no FROM matches UNION ALL SELECT match_no FROM trash"
            self._next = number(self.connection, f"SELECT max(match_no) + 1 FROM ({both})")
        self._next += count
        return np.arange(self._next - count, self._next)

    def file_number(self) -> int:
        """The next file's."""
        return number(self.connection, "SELECT nextval('file_numbers')")

    def players(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        """The numbers of players, new ones added."""
        if self._players is None:
            self._players = dict(self.connection.execute(NUMBERS).fetchall())
        known = self._players
        before = max(known.values(), default=-1) + 1
        added = dict[str, str]()  # by the name each has first
        for player, name in zip(ids, names, strict=True):
            if player not in known:
                known[player] = before + len(added)
                added[player] = name
        if added:
            numbers = np.arange(before, before + len(added), dtype=np.int32)
            rows = {"player_no": numbers, "player_id": [*added], "name": [*added.values()]}
            self.insert("players", pa.table(rows))
        return np.array([known[player] for player in ids], np.int64)

    def write_players(self) -> None:
        """Have the rows of new players be there within the transaction, to change them."""

    def claim(self, ids: Iterable[str], people: dict[str, str]) -> None:
        """Have no other program store these matches, and new players (id → name), meanwhile.

        Call within `adding`, before anything else; one file needs nobody's leave.
        """

    def free(self, match_ids: Sequence[str] = (), players: Sequence[int] = ()) -> None:
        """Have matches and players, by number, be new again; call within `adding`."""

    def awaits(self, error: StoreError) -> bool:
        """Whether what failed so may be tried again, once this returns."""
        return False

    def stored(self, work: Callable[[], T]) -> T:
        """What a transaction gives, begun anew as often as it is worth while."""
        while True:
            try:
                return work()
            except StoreError as error:
                if not self.awaits(error):
                    raise

    def written(
        self, act: Callable[[], T], left: str = NOTHING, among: Among = Among.CHANGING
    ) -> T:
        """What is done in one transaction of its own, as `adding`, begun anew likewise."""

        def whole() -> T:
            with self.adding(left, among):
                return act()

        return self.stored(whole)

    # of whatever kind it is

    @property
    def commits(self) -> int:
        """Another number whenever something was written to it, as far as this process knows."""
        return self._written

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close it. StoreError: DuckDB refused something within."""
        self.close()
        if isinstance(error, duckdb.Error):
            raise self.explained(error) from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While this lasts only this thread of the process writes; whoever else wants to waits."""
        while not self._writing.acquire(timeout=AGAIN):
            go_on()
        try:
            go_on()
            yield
        finally:
            self._writing.release()

    def text(self, match_no: int) -> bytes:
        """A match exactly as it came, but for the names of masked players.

        KeyError: there is no such match.
        """
        ask = self.cursor()
        found = raw_texts.at_once(ask, [match_no])
        if not found:
            raise KeyError(match_no)
        return renamed(found[0], People(masked(ask, logs=False).values()))

    def find(self, name: str, hidden: bool = False) -> int | None:
        """The number of the match with this id, its first digits (8 at least) or its log's id.

        `hidden`: by an id that names who is masked too, for whoever has the store itself.
        """
        found = called(self.cursor(), name, hidden=hidden)
        return found[0][0] if found else None

    def at_once(self, read: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """What is read of it as it is at one moment, whoever writes to it meanwhile."""
        with self.cursor() as ask:
            ask.begin()
            try:
                return read(ask)
            finally:
                with suppress(duckdb.Error):  # it may be gone already
                    ask.rollback()

    @contextmanager
    def told(self, left: str = NOTHING) -> Iterator[None]:
        """Whatever DuckDB refuses within, told as a StoreError; `left` says what is left of it."""
        try:
            yield
        except duckdb.Error as error:
            raise self.explained(error, left) from error

    @contextmanager
    def adding(self, left: str = NOTHING, among: Among = Among.CHANGING) -> Iterator[None]:
        """A transaction: all that is inserted within is stored, or nothing of it.

        `left` says of what this is a part, for a StoreError; `among`, beside whom it may be.
        """
        with self.alone():
            self._changed = done = False
            try:
                with self.told(left):
                    self._begin(among)
                    yield
                    self._commit()
                    done = True
            except BaseException:
                self._forget()
                with suppress(duckdb.Error):  # the transaction may be gone already
                    self.connection.rollback()
                raise
            finally:
                self._ended(done)
            heard = self._changed
        if heard:
            self.tell_changed()

    def tell_changed(self) -> None:
        """Have those in `changed` hear of it, who may ask the store."""
        if self.shared:
            for hear in changed:
                hear(self)

    def insert(self, table: str, rows: pa.Table) -> None:
        """Append rows, by column name; call within `adding`."""
        if rows.num_rows:
            with with_tables(self.connection, rows=rows.to_reader()):
                self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows")

    def is_empty(self) -> bool:
        """Whether it has no match."""
        return self.connection.execute("FROM matches LIMIT 1").fetchone() is None

    def known(self, ids: list[str]) -> set[str]:
        """Those of some match ids that are stored already."""
        if not ids:
            return set()
        with with_tables(self.connection, asked=pa.table({"id": ids}).to_reader()):
            found = self.connection.execute(
                "SELECT match_id FROM matches WHERE match_id IN (SELECT id FROM asked)"
            ).fetchall()
        return {row[0] for row in found}

    def change(self, what: str, n: int | None = None) -> int:
        """Write down that something else than an upload changes what pages show; its number.

        `n`: how many matches or players. Call within `adding`.
        """
        self._forget()
        self._changed = True
        change = number(self.connection, "SELECT max(change) FROM changes") + 1
        self.connection.execute("INSERT INTO changes VALUES (?, now(), ?)", [change, what])
        audit.note(self.connection, what, change, n)
        return change
