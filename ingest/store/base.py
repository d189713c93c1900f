"""What every kind of store has in common: one transaction a file of logs, and what is asked of it.

`ingest.store.store` knows the kinds; the address of a store says which it is.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from enum import Enum, auto
from pathlib import Path
from typing import Self, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.store import audit, texts
from ingest.store.asked import go_on
from ingest.store.errors import NOTHING, Away, StoreError
from ingest.store.texts import called, masked
from ingest.text.names import People, renamed
from schemas.store import with_tables

T = TypeVar("T")

MEMORY = "150MB"
"""What DuckDB may hold while a file is stored, whatever the file's size; the rest goes to disk."""
AGAIN = 0.5
"""Seconds until what could not be done is tried again."""
PATIENCE = 5.0
"""Seconds a store waits, before it is closed, for what is being written."""


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
    """A store of games; a context manager. StoreError: it cannot be opened.

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

    def __new__(
        cls,
        path: str | Path,
        read_only: bool = False,
        shared: bool = False,
        at: datetime | None = None,
    ) -> "Store":
        """A store of the kind that takes the address."""
        kind = Store.kind(path) if cls is Store else cls
        return object.__new__(kind)

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

    # what each kind has of its own

    def _open(self) -> None:
        """Open it, and make it one of this version. StoreError: it cannot be."""
        raise NotImplementedError

    @property
    def folder(self) -> Path:
        """Where what is laid aside meanwhile lies."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of it, once what is being written is; what takes longer is given up."""
        raise NotImplementedError

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the same store, for a query in another thread."""
        raise NotImplementedError

    def explained(self, error: duckdb.Error, left: str = NOTHING) -> StoreError:
        """What a DuckDB error means for the user; `left` says what is left of the work."""
        raise NotImplementedError

    def _begin(self, among: Among) -> None:
        raise NotImplementedError

    def _commit(self) -> None:
        raise NotImplementedError

    def _ended(self, done: bool) -> None:
        """After a transaction, however it ended, while nobody else may write yet."""

    def _forget(self) -> None:
        """Ask for numbers anew: what was given is not stored, or something else has changed."""

    def number(self, count: int) -> NDArray[np.int64]:
        """Free match numbers, in order; call within `adding`."""
        raise NotImplementedError

    def file_number(self) -> int:
        """The next file's."""
        raise NotImplementedError

    def players(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        """The numbers of players, new ones added."""
        raise NotImplementedError

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

    def replaced(self) -> AbstractContextManager[None]:
        """While this lasts another file may be put in its place, which is then opened.

        Whoever wants to write waits, and writes into that one. StoreError: it cannot be opened.
        """
        raise NotImplementedError

    def settle(self) -> bool:
        """Put into its file what lies beside it; False: that cannot be done now."""
        return True

    def still(self) -> AbstractContextManager[tuple[int, duckdb.DuckDBPyConnection]]:
        """While this lasts nothing is written: the open file, to copy it, and a cursor."""
        raise NotImplementedError

    @contextmanager
    def journaled(self) -> Iterator[None]:
        """Many transactions that put rows in the place of others."""
        yield

    # what is the same of all

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
        found = texts.at_once(ask, [match_no])
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
        row = self.connection.execute("SELECT coalesce(max(change) + 1, 1) FROM changes").fetchone()
        assert row is not None
        number = int(row[0])
        self.connection.execute("INSERT INTO changes VALUES (?, now(), ?)", [number, what])
        audit.note(self.connection, what, number, n)
        return number
