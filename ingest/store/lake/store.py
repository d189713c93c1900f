"""The store that is a lake: any number of programs add to it at once, and read it."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import duckdb
import psycopg

from ingest.i18n import N_
from ingest.store.address import is_lake, parsed, shown, written
from ingest.store.base import Store
from ingest.store.errors import FAILED, NEWER, NO_STORE, NOTHING, OLDER, StoreError
from ingest.store.lake import attach
from ingest.store.lake.catalogue import (
    MAKING,
    Catalogue,
)
from ingest.store.lake.claims import Writer
from schemas.store import migrations

T = TypeVar("T")

TRIES = 20
"""Times a file is begun again whose writer has waited for one that waited for it."""
KEPT = 0.2
"""Seconds for which what others have written is not asked for again."""
NOT_HERE = N_("That cannot be done of a lake: {instead}.")
_LOST = (
    *("server closed the connection", "connection to server", "could not connect", "SSL SYSCALL"),
    *("terminating connection", "Connection refused", "no connection to the server"),
    *("the database system is", "Unable to connect to Postgres"),
)
"""Words of PostgreSQL's client where the catalogue went away."""


class LakeStore(Store):
    """A store in a lake. StoreError: it cannot be opened."""

    in_a_file = False
    together = 64 << 20
    at: datetime | None = None
    """Of which moment it is; None: of now."""

    @classmethod
    def takes(cls, path: str | Path) -> bool:
        return is_lake(path)

    @property
    def folder(self) -> Path:
        return Path(tempfile.gettempdir())

    def _open(self) -> None:
        self.opened += 1
        text = written(self.address) if isinstance(self.address, Path) else self.address
        self.path = shown(text)
        self._lake = parsed(text)
        self._catalogue = Catalogue(self._lake.catalogue, self.path)
        self._asked = Catalogue(self._lake.catalogue, self.path)
        """Of what others have written: whoever stores does not keep who reads waiting."""
        self._asking = threading.Lock()
        self._seen: tuple[float, int, tuple[int, int, int]] | None = None
        self._writer: Writer | None = None
        self._held: list[tuple[int, bool]] = []
        self._tells = set[str]()
        self._catalogue.connect()
        try:
            self._attach()
        except duckdb.Error as error:
            raise self.explained(error) from error

    def _attach(self) -> None:
        self.connection, tables = attach.in_memory()
        try:
            there = self._catalogue.has("retourne", "state")
            if self.read_only and not there:
                raise StoreError(NO_STORE, path=self.path)
            attach.attach(self.connection, self._lake, self.read_only, self.at, not there)
            if not self.read_only:
                self._prepare(tables, there)
            self._check_version()
            attach.show(self.connection, tables)
            if not self.read_only:
                self.connection.execute(f"SET search_path = '{attach.NAME}.main,memory.main'")
        except BaseException:
            self.connection.close()
            raise

    def _prepare(self, tables: attach.Tables, there: bool) -> None:
        """Make it a lake of this version."""
        last = migrations()[-1][0]
        if there and self._migrated() >= last:
            return
        with self._catalogue.locked(MAKING):
            self._catalogue.prepare()
            if self._migrated() >= last:
                return
            ask = self.connection
            ask.begin()
            attach.make(ask, tables)
            ask.execute(f"INSERT INTO {attach.NAME}.migrations VALUES (?, 'lake', now())", [last])
            ask.commit()

    def _migrated(self) -> int:
        try:
            row = self.connection.execute(
                f"SELECT max(number) FROM {attach.NAME}.migrations"
            ).fetchone()
        except duckdb.CatalogException:
            return 0
        return int(row[0] or 0) if row else 0

    def _check_version(self) -> None:
        there, last = self._migrated(), migrations()[-1][0]
        if there > last:
            raise StoreError(NEWER, path=self.path)
        if there < last:
            raise StoreError(OLDER, path=self.path)

    def close(self) -> None:
        self.connection.close()
        self._catalogue.close()
        self._asked.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        found = self.connection.cursor()
        return found

    def explained(self, error: duckdb.Error, left: str = NOTHING) -> StoreError:
        text = shown(str(error))
        reason = text.splitlines()[0].rstrip(".!")
        if any(word in text for word in _LOST):
            self._catalogue.close()
            return self._catalogue.away(Exception(reason))
        return StoreError(FAILED, path=self.path, reason=reason, left=left)

    @contextmanager
    def told(self, left: str = NOTHING) -> Iterator[None]:
        with super().told(left):
            try:
                yield
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                raise self._catalogue.away(error) from error

    @contextmanager
    def replaced(self) -> Iterator[None]:
        with self.alone():
            yield
