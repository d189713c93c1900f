"""The store that is a lake: any number of programs add to it at once, and read it."""

import re
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
from numpy.typing import NDArray
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest.compat import failure, lake_failure
from ingest.i18n import N_
from ingest.reader import object_storage
from ingest.store.base import Among, Store
from ingest.store.errors import (
    EARLIER_LAKE,
    FAILED,
    FULL,
    NEWER,
    NO_STORE,
    NOTHING,
    OLDER,
    Away,
    Gone,
    StoreError,
)
from ingest.store.lake import attach, catalogue
from ingest.store.lake.claims import Writer
from ingest.store.lake.storage_location import Place
from ingest.store.store_url import parsed, shown, unsaid, written
from schemas import migrations as schema

TAKEN = N_(
    "The folder {path} has files of another lake, or of one whose database is gone: name an empty "
    "folder, which is for one lake alone."
)
NOT_THEN = N_("What the lake {path} was then is not kept ({at}): it can be asked from {oldest} on.")
ELSEWHERE = N_(
    "The files of the lake {path} lie in {there}, and not in {here}: say that after data= in its "
    "address."
)
GONE = N_(
    "A file of the lake is gone: {file}. If matches were purged meanwhile, ask again; if not, what "
    "it had is in a backup alone. {left}"
)
TRIES = 20
"""Times a file is begun again that could not be stored beside what others store."""
KEPT = 0.2
"""Seconds for which what others have written is not asked for again."""
_FILE = re.compile(r"[\w.-]+/[\w.-]+/ducklake-[\w.-]+\.parquet")
_APPLY = f"INSERT INTO {attach.NAME}.migrations VALUES (?, ?, now())"
_LOCKS = {
    Among.ADDING: [(catalogue.ADDITIONS, True)],
    Among.CHANGING: [(catalogue.CHANGES, False)],
    Among.ALONE: [(catalogue.CHANGES, False), (catalogue.ADDITIONS, False)],
}
"""What a transaction holds, and whether others may hold it too."""


def asked(at: datetime) -> str:
    """A time here, as one asks for it: never before it, so that what is told can be typed."""
    here = at.replace(microsecond=0) + timedelta(seconds=at.microsecond > 0)
    here = here.astimezone()
    plain = here.replace(tzinfo=None)
    # of an hour that comes twice, when clocks go back, the first one is meant where nothing is said
    return (plain if plain.astimezone() == here else here).isoformat()


class LakeStore(Store):
    """A store in a lake. StoreError: it cannot be opened."""

    in_a_file = False
    together = 64 << 20

    @property
    def folder(self) -> Path:
        return Path(tempfile.gettempdir())

    def _open(self) -> None:
        self.opened += 1
        text = written(self.address) if isinstance(self.address, Path) else self.address
        self.path = shown(text)
        self._lake = parsed(text)
        self.place = Place(self._lake.data, self.path)
        self.catalogue = catalogue.Catalogue(self._lake.catalogue, self.path)
        """Of whoever writes, on the thread that does."""
        self._asked = catalogue.Catalogue(self._lake.catalogue, self.path)
        """Of what others have written: whoever stores does not keep who reads waiting."""
        self._asking = threading.Lock()
        self._seen = 0.0, -1
        self.away = None
        self._writer: Writer | None = None
        self._held: list[tuple[int, bool]] = []
        self._tries = 0
        try:
            self.catalogue.connect()
            self._attach()
        except BaseException as error:
            told = self.explained(error) if isinstance(error, duckdb.Error) else None
            self.catalogue.close()
            if told is not None:
                raise told from error
            raise

    def _attach(self) -> None:
        self.connection, tables = attach.in_memory()
        try:
            self.place.prepare(self.connection)
            self.connection.execute(f"SET temp_directory = {attach.quoted(str(self.folder))}")
            there = self.catalogue.has("retourne", "writers")
            if self.read_only and not there:
                raise StoreError(NO_STORE, path=self.path)
            then = None
            if self.at is not None:
                then, oldest = self.catalogue.snapshot_at(self.at)
                if then is None:
                    at = asked(self.at.replace(microsecond=0))
                    raise StoreError(NOT_THEN, path=self.path, at=at, oldest=asked(oldest))
            with nullcontext() if there else self.catalogue.locked(catalogue.MAKING):
                made = self.catalogue.has("public", "ducklake_snapshot")
                if not made:  # a catalogue never lets go of the place it was made with
                    if self.place.has_files():
                        raise StoreError(TAKEN, path=self._lake.data)
                    self.place.try_out()
                try:
                    attach.attach(
                        self.connection, self._lake, self.read_only, then, create=not made
                    )
                except duckdb.Error as error:
                    if lake_failure(error) != "elsewhere":
                        raise
                    where = "SELECT value FROM public.ducklake_metadata WHERE key = 'data_path'"
                    [(lying,)] = self.catalogue.ask(where)
                    here = self._lake.data
                    raise StoreError(ELSEWHERE, path=self.path, there=lying, here=here) from None
            if not self.read_only:
                self._prepare(tables)
            self.connection.begin()
            if self._lacking():
                raise StoreError(OLDER, path=self.path)
            attach.show(self.connection, tables, past=then is not None)
            self.connection.commit()
            if not self.read_only:  # what is written goes there; cursors ask the views
                self.connection.execute(f"SET search_path = '{attach.NAME}.main,memory.main'")
        except BaseException:
            self.connection.close()
            raise

    def _prepare(self, tables: attach.Tables) -> None:
        """Make it a lake of this version."""
        if not self._lacking():
            return
        with self.catalogue.locked(catalogue.MAKING):
            self.catalogue.prepare()
            if not (lacking := self._lacking()):
                return
            ask = self.connection
            ask.begin()
            attach.make(ask, tables)
            ask.commit()
            which = f"{attach.TEXTS}, schema => 'main', table_name => 'raw'"
            ask.execute(f"CALL {attach.NAME}.set_option('parquet_row_group_size', {which})")
            ask.begin()
            for number, name, _ in lacking:
                ask.execute(_APPLY, [number, name])
            ask.commit()

    def _lacking(self) -> list[tuple[int, str, str]]:
        """The migrations it still needs. StoreError: it is none of ours."""
        # asked of the catalogue: DuckDB's list of tables counts the rows of each
        made = "FROM public.ducklake_table WHERE table_name = 'migrations' AND end_snapshot IS NULL"
        if not self.catalogue.ask(f"SELECT 1 {made}"):
            return schema.migrations()
        applied = schema.APPLIED.format(table=f"{attach.NAME}.main.migrations")
        try:
            return schema.lacking(self.connection.execute(applied).fetchall())
        except schema.EarlierStore:
            raise StoreError(EARLIER_LAKE, path=self.path) from None
        except schema.NewerStore:
            raise StoreError(NEWER, path=self.path) from None

    def close(self) -> None:
        self.connection.close()
        self.catalogue.close()
        self._asked.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self.connection.cursor()

    def explained(self, error: duckdb.Error, left: str = NOTHING) -> StoreError:
        text = str(error)  # understood as it is: a password may be one of its words
        file = _FILE.search(text)
        what = lake_failure(error)
        if file and what == "missing":
            return Gone(GONE, file=file[0], left=left)
        if isinstance(error, duckdb.HTTPException) or what == "storage":
            return StoreError(FAILED, path=self.path, reason=object_storage.reason(text), left=left)
        if failure(error) == "full":
            return StoreError(FULL, left=left)
        if what == "lost":
            return self.catalogue.away(error)
        if what == "crossed":
            return catalogue.Crossed(catalogue.CROSSED, path=self.path)
        reason = unsaid(text).splitlines()[0].rstrip(".!")
        with suppress(StoreError):
            if no := self.catalogue.no_right():
                return no
        return StoreError(FAILED, path=self.path, reason=reason, left=left)

    @contextmanager
    def told(self, left: str = NOTHING) -> Iterator[None]:
        with super().told(left):
            try:
                yield
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                raise self.catalogue.away(error) from error

    def settle(self) -> bool:
        return True  # nothing lies beside it

    @contextmanager
    def journaled(self) -> Iterator[None]:
        yield

    replaced = journaled  # it is changed where it is

    # transactions

    def _begin(self, among: Among) -> None:
        while True:
            try:
                for key, shared in _LOCKS[among]:
                    self.catalogue.lock(key, shared)
                    self._held.append((key, shared))
                self._writer = Writer(self.catalogue)
                break
            except Away:  # what was held was held by a connection that is gone
                self._held.clear()
                self.catalogue.back()
        self.connection.begin()

    def _commit(self) -> None:
        writer = self.writer
        self.write_players()
        self.connection.execute(
            f"CALL {attach.NAME}.set_commit_message('retourne', '',"
            f" extra_info => 'retourne {writer.number}')"
        )
        try:
            with self.catalogue.locked(catalogue.COMMITS):
                self.connection.commit()
        except (duckdb.Error, Away):
            # whether it is there, the catalogue alone knows
            self.catalogue.back()
            if not writer.is_done():
                raise
        finally:
            self._written += 1

    def _ended(self, done: bool) -> None:
        if done:
            self._tries = 0
        if self._writer is not None:
            self._writer.end()
            self._writer = None
        while self._held:
            self.catalogue.unlock(*self._held.pop())
        with self._asking:
            self._seen = 0.0, self._seen[1]

    def awaits(self, error: StoreError) -> bool:
        """Whether what failed so may be tried again; a catalogue that is away is waited for."""
        self._tries += 1
        again = self._tries <= TRIES and isinstance(error, Away | catalogue.Crossed)
        if again and isinstance(error, Away):
            self.catalogue.back()
        return again

    @property
    def writer(self) -> Writer:
        """The transaction that is under way."""
        assert self._writer is not None
        return self._writer

    def for_others(self) -> str:
        """The address as other machines are told it: the same folder, and no password."""
        told = conninfo_to_dict(self._lake.catalogue)
        for secret in [key for key in told if "password" in key]:
            del told[secret]
        return f"ducklake:postgres:{make_conninfo('', **told)}?data={self._lake.data}"

    # what only one of all writers stores

    def claim(self, ids: Iterable[str], people: dict[str, str]) -> None:
        self.writer.claim(ids, people)

    def known(self, ids: list[str]) -> set[str]:
        return super().known(ids) if self._writer is None else self.writer.taken(ids)

    def number(self, count: int) -> NDArray[np.int64]:
        return self.catalogue.numbers("match_numbers", count)

    def file_number(self) -> int:
        return int(self.catalogue.numbers("file_numbers", 1)[0])

    def players(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        found = self.writer.players(dict(zip(ids, names, strict=True)))
        return np.array([found[player] for player in ids], np.int64)

    def write_players(self) -> None:
        if new := self.writer.new_players():
            numbers = np.fromiter(new, np.int32, len(new))
            ids, names = map(list, zip(*new.values(), strict=True))
            rows = {"player_no": numbers, "player_id": ids, "name": names}
            self.insert("players", pa.table(rows))

    def free(self, match_ids: Sequence[str] = (), players: Sequence[int] = ()) -> None:
        self.writer.free(match_ids, players)

    # what others have written

    @property
    def commits(self) -> int:
        """The newest snapshot, whoever made it; while the catalogue is away, the last one known."""
        with self._asking:
            asked, found = self._seen
            if time.monotonic() - asked > KEPT:
                before, self.away = self.away, None
                try:
                    was_open = self._asked.session is not None
                    try:
                        found = self._asked.snapshot()
                    except Away:  # it was cut: whoever closes what is idle, or a restart
                        if not was_open:
                            raise
                        found = self._asked.snapshot()
                except Away as error:
                    self.away = error
                    if before is None:
                        catalogue.tell(catalogue.AWAY, path=self.path)
                self._seen = time.monotonic(), found
            return found
