"""The store that is one file: one process owns it, and a transaction is in it when it is over.

The file alone is the store: what a transaction commits is in it when the transaction is over, so a
copy of it lacks nothing. Only where somebody still reads what an update has changed, the journal
beside it keeps that until they have done.
"""

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.compat import failure, holder, may_be_journal
from ingest.i18n import N_
from ingest.store import journal
from ingest.store.base import AGAIN, MEMORY, PATIENCE, Among, Store
from ingest.store.errors import (
    BUSY,
    EARLIER,
    FAILED,
    FULL,
    NEWER,
    NO_PAST,
    NO_STORE,
    NOTHING,
    OLDER,
    StoreError,
    listeners,
)
from schemas.comments import COMMENTS, VIEWS
from schemas.store import EarlierStore, NewerStore, connect, migrate, migrations, pending

SHARE = 4
"""Where others read meanwhile, what they hold is within it too: a share of the machine's memory, or
their queries fail, and the commit that cannot put its blocks anywhere ends the store."""
AT_ONCE, JOURNAL, NEVER = "0B", "64MB", "1TB"
"""How much a commit leaves in the journal: nothing; while rows are replaced by others, since less
makes the whole half as long again; and while the disk is full."""
ROOM = 32 << 20
"""Bytes without which nothing is put into the file: DuckDB gives a store up where that fails."""
PRIVATE = 0o600
"""The rights of a new store: it has names behind pseudonyms, and hashes of tokens."""


def _memory() -> str:
    """What DuckDB may hold while others read, or what is there is changed."""
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{max(500, whole // SHARE // 10**6)}MB"


NO_FOLDER = N_("There is no folder {folder} for the store. Choose another place with --store.")
NOT_YOURS = N_(
    "The store {path} is another user’s, who alone may read it: work as that user, or ask them "
    "for an export."
)
ONLY_READ = N_("The store {path} may only be read. Choose another place with --store.")
READ_ONLY = N_("The store {path} cannot be written: {reason}. Choose another place with --store.")
NOT_A_STORE = N_(
    "{path} is not a store of this program: it is no DuckDB database. Choose another place with "
    "--store, or bring a backup back: retourne restore BACKUP --store {path!q}"
)
FOLDER = N_(
    "{path} is not a store of this program: it is a folder. Choose another place with --store."
)
SQLITE = N_(
    "{path} is not a store of this program: it is a SQLite database. Choose another place with "
    "--store."
)
EMPTY = N_(
    "{path} is not a store of this program: it is empty. Remove it, or bring a backup back: "
    "retourne restore BACKUP --store {path!q}"
)
BAD_NAME = N_(
    "{path} cannot be the name of a store or of a backup: it is not written in UTF-8. "
    "Choose another."
)
OTHER_FILE = N_("{path} is a file of something else. Choose another place with --store.")
OTHER_TABLES = N_("{path} is the database of another program. Choose another place with --store.")
UNFINISHED = N_(
    "The store {path} is empty: whoever began to make it was stopped. Put logs into it: "
    "retourne ingest FILES --store {path!q}"
)
INCOMPLETE = N_(
    "The store {path} lacks some of its tables. Bring a backup back: "
    "retourne restore BACKUP --store {path!q}"
)
DAMAGED = N_(
    "The store {path} is damaged, or its end is missing. Bring a backup back: "
    "retourne restore BACKUP --store {path!q}"
)
JOURNAL_DAMAGED = N_(
    "The journal {path}.wal is damaged or of another store: {reason}. Move it away, and the store "
    "opens without what was written last; or bring a backup back: "
    "retourne restore BACKUP --store {path!q}"
)
NO_JOURNAL = N_(
    "{path}.wal is not the journal of the store {path}, and DuckDB would write over it. Move it "
    "away: the store itself is whole."
)
JOURNAL_CUT = N_(
    "The journal {path}.wal breaks off, or is none: what was being written when the store was left "
    "is not in it."
)


def _explain_error(path: str, error: Exception, left: str = NOTHING) -> StoreError:
    """What a DuckDB error means for the user; `left` says what is left of the work."""
    reason = str(error).splitlines()[0].removeprefix("IO Error: ").rstrip(".!")
    match failure(error):
        case "locked":
            pid = holder(error)
            return StoreError(BUSY, path=path, pid=f" (PID {pid})" if pid else "")
        case "full":
            return StoreError(FULL, left=left)
        case "journal":
            return StoreError(JOURNAL_DAMAGED, path=path, reason=reason)
        case "shown":
            return StoreError(OTHER_FILE, path=path)
    file = Path(path)
    if not file.exists() or failure(error) == "refused":
        return StoreError(READ_ONLY, path=path, reason=reason)
    if failure(error) == "damaged":
        return StoreError(DAMAGED, path=path)
    if isinstance(error, duckdb.IOException | duckdb.SerializationException):
        with file.open("rb") as opened:
            is_sqlite = opened.read(len(_SQLITE)) == _SQLITE
        return StoreError(SQLITE if is_sqlite else NOT_A_STORE, path=path)
    return StoreError(FAILED, path=path, reason=reason, left=left)


_SQLITE = b"SQLite format 3\0"
"""How its files begin."""


def is_text(path: str | Path) -> bool:
    """Whether a file can be called by its name in UTF-8, as DuckDB calls it."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


_CONFIG: dict[str, Any] = {
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

_TABLES = {table.rpartition(".")[2] for table in COMMENTS if table not in VIEWS}


class Embedded(Store):
    """A store in a file of its own. StoreError: it cannot be opened."""

    @property
    def folder(self) -> Path:
        return Path(self.path).resolve().parent

    def _open(self) -> None:
        path, read_only = self.path, self.read_only
        self.opened += 1
        if self.at is not None:
            raise StoreError(NO_PAST, path=path)
        if not is_text(path):
            raise StoreError(BAD_NAME, path=path)
        if read_only and not Path(path).exists():
            raise StoreError(NO_STORE, path=self.path)
        if Path(path).is_dir():
            raise StoreError(FOLDER, path=path)
        if not self.folder.is_dir():
            raise StoreError(NO_FOLDER, folder=self.folder)
        new = not Path(path).exists()
        if not new and not os.access(path, os.R_OK):
            raise StoreError(NOT_YOURS, path=self.path)
        if not read_only and not new and not os.access(path, os.W_OK):
            raise StoreError(ONLY_READ, path=self.path)
        if Path(path).is_file() and not Path(path).stat().st_size:
            raise StoreError(EMPTY, path=self.path)
        left = journal.size(path)
        if not may_be_journal(journal.beginning(path)):
            raise StoreError(NO_JOURNAL, path=path)
        try:
            self.connection = connect(self.path, read_only, _CONFIG)
        except duckdb.Error as error:
            raise _explain_error(self.path, error) from error
        if new:
            os.chmod(path, PRIVATE)
        try:
            cut = self._prepare(left)
        except BaseException as error:
            self.connection.close()
            if isinstance(error, duckdb.Error):
                raise _explain_error(self.path, error) from error
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
                hear(StoreError(JOURNAL_CUT, path=self.path))

    def _prepare(self, left: int) -> bool:
        """Make what is opened a store of this version, or see that it is one.

        True: of a journal of so many bytes that was left there, some could not be read.
        """
        self.connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
        [place] = self.connection.execute(
            "SELECT path FROM duckdb_databases() WHERE database_name = current_database()"
        ).fetchall()
        if place[0] is None:  # DuckDB shows CSV, JSON and Parquet as views of a store in memory
            raise StoreError(OTHER_FILE, path=self.path)
        rows = self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        tables = {name for (name,) in rows}
        if tables and "migrations" not in tables:
            raise StoreError(OTHER_TABLES, path=self.path)
        cut = not journal.is_read(self.connection, left)  # what is written now is in it too
        try:
            wanted = pending(self.connection)
        except EarlierStore:
            new = Path(self.path).with_suffix(".new.duckdb")
            raise StoreError(EARLIER, path=self.path, new=new) from None
        except NewerStore:
            raise StoreError(NEWER, path=self.path) from None
        if tables and (wanted == migrations() or not (wanted or tables >= _TABLES)):
            raise StoreError(INCOMPLETE, path=self.path)
        if wanted and self.read_only:
            raise StoreError(OLDER if tables else UNFINISHED, path=self.path)
        if wanted:
            migrate(self.connection)
        return cut

    def close(self) -> None:
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

    @contextmanager
    def replaced(self) -> Iterator[None]:
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
            if self.read_only or journal.is_empty(self.path):
                return True
            if self._has_room() and not self.broken:
                try:
                    self.connection.cursor().execute("CHECKPOINT")
                except duckdb.Error as error:
                    self.broken = isinstance(error, duckdb.FatalException)
            return journal.is_empty(self.path)

    @contextmanager
    def still(self) -> Iterator[tuple[int, duckdb.DuckDBPyConnection]]:
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

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same store, for a query in another thread.

        It waits while another file is put in the place of the store.
        """
        try:
            return self.connection.cursor()
        except duckdb.ConnectionException:
            with self._writing:
                return self.connection.cursor()

    def explained(self, error: duckdb.Error, left: str = NOTHING) -> StoreError:
        return _explain_error(self.path, error, left)

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

    def _limit(self, memory: str | None) -> None:
        """Keep what is stored small; others who read are left what they have.

        Threads that are ended while one of them reads Python's objects would wait for each other.
        """
        if self.shared:
            self.connection.execute(f"SET memory_limit = '{_memory()}'")
        elif memory is None:
            self.connection.execute("RESET memory_limit; RESET threads")
        else:  # one thread: the others check the next batches
            self.connection.execute(f"SET memory_limit = '{memory}'; SET threads = 1")

    def _begin(self, among: Among) -> None:
        # who changes what is there may have to sort all of it
        self._limit(MEMORY if among is Among.ADDING else _memory())
        self.connection.begin()

    def _ended(self, done: bool) -> None:
        with suppress(duckdb.Error):  # a store that failed gravely takes no more orders
            self._limit(None)
        if done and not self._journaled:
            self._settle_soon()

    def _forget(self) -> None:
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
        if self._next is None:
            # a deleted match may come back under its own number
            row = self.connection.execute(
                "SELECT max(match_no) + 1"
                " FROM (SELECT match_no FROM matches UNION ALL SELECT match_no FROM trash)"
            ).fetchone()
            self._next = int(row[0] or 0) if row else 0
        first = self._next
        self._next += count
        return np.arange(first, first + count)

    def file_number(self) -> int:
        row = self.connection.execute("SELECT nextval('file_numbers')").fetchone()
        assert row is not None
        return int(row[0])

    def players(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        if self._players is None:
            rows = self.connection.execute(
                "SELECT player_id, player_no FROM players"
                " UNION ALL SELECT player_id, player_no FROM masked"
            ).fetchall()
            self._players = dict(rows)
        known = self._players
        before = max(known.values(), default=-1) + 1
        added = list[tuple[str, str]]()
        for player, name in zip(ids, names, strict=True):
            if player not in known:
                known[player] = before + len(added)
                added.append((player, name))
        if added:
            self.insert(
                "players",
                pa.table(
                    {
                        "player_no": np.arange(before, before + len(added), dtype=np.int32),
                        "player_id": [player for player, _ in added],
                        "name": [name for _, name in added],
                    }
                ),
            )
        return np.array([known[player] for player in ids], np.int64)
