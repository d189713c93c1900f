"""The lake as a store."""

import re
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ingest.compat import file_error_kind, lake_error_kind
from ingest.i18n import N_
from ingest.reader import object_storage
from ingest.store import aliases, errors
from ingest.store.aliases import AliasIndex, Declared
from ingest.store.base import LockMode, Store
from ingest.store.lake import attach, catalogue
from ingest.store.lake.claims import WriteTransaction
from ingest.store.lake.storage_location import StorageLocation
from ingest.store.store_url import parse_lake_url, redact_secrets, url_with_secrets, without_password
from schemas import migrations as schema
from schemas.player_key import player_key

FOLDER_OF_OTHER_LAKE = N_(
    "The folder {path} has files of another lake, or of one whose database is gone: name an "
    "empty folder for this lake only."
)
NO_SUCH_SNAPSHOT = N_("The lake {path} no longer has its state of {at}: the oldest one is of {oldest}.")
WRONG_DATA_PATH = N_(
    "The files of the lake {path} are in {there}, not in {here}: write data={there} in its address."
)
LAKE_FILE_MISSING = N_(
    "A file of the lake is missing: {file}. If matches were deleted permanently just now, try "
    "again; otherwise restore it from a backup. {left}"
)
MAX_TRIES = 20
"""How often a write that conflicts with other writers, or loses the catalogue, is retried."""
VERSION_CACHE_SECONDS = 0.2
"""Seconds for which `version` is cached before the catalogue is queried again."""
_DATA_FILE = re.compile(r"[\w.-]+/[\w.-]+/ducklake-[\w.-]+\.parquet")
_INSERT_MIGRATION = schema.INSERT_MIGRATION_SQL.format(table=f"{attach.LAKE_CATALOG}.migrations")
_LOCKS = {
    LockMode.SHARED_APPEND: [(catalogue.APPEND_LOCK, True)],
    LockMode.UPDATE: [(catalogue.CHANGE_LOCK, False)],
    LockMode.EXCLUSIVE: [(catalogue.CHANGE_LOCK, False), (catalogue.APPEND_LOCK, False)],
}
"""The locks each mode takes; True: shared, so that other transactions may hold it too."""


def local_time_text(moment: datetime) -> str:
    """Return a local time to the second, rounded up, so that a user can enter it as `as_of`."""
    here = moment.replace(microsecond=0) + timedelta(seconds=moment.microsecond > 0)
    here = here.astimezone()
    plain = here.replace(tzinfo=None)
    # without an offset, an hour repeated when clocks go back means its first occurrence
    return (plain if plain.astimezone() == here else here).isoformat()


class LakeStore(Store):
    """A store in a lake. StoreError: it cannot be opened."""

    is_single_file = False
    insert_bytes = 64 << 20

    @property
    def temp_folder(self) -> Path:
        return Path(tempfile.gettempdir())

    def _open(self) -> None:
        self.file_generation += 1
        text = url_with_secrets(self.address) if isinstance(self.address, Path) else self.address
        self.path = without_password(text)
        self._lake_url = parse_lake_url(text)
        self.location = StorageLocation(self._lake_url.data, self.path)
        self.catalog = catalogue.CatalogConnection(self._lake_url.catalog, self.path)
        """For writes, on the thread that writes."""
        self._read_catalog = catalogue.CatalogConnection(self._lake_url.catalog, self.path)
        """For `version`, so that readers need not wait for a writer."""
        self._read_lock = threading.Lock()
        self._last_version_check = 0.0, -1
        self.catalog_error = None
        self._transaction: WriteTransaction | None = None
        self._drop_number_cache()
        self._held_locks: list[tuple[int, bool]] = []
        self._retry_count = 0
        try:
            self.catalog.connect()
            self._attach()
        except BaseException as error:
            result = self.store_error(error) if isinstance(error, duckdb.Error) else None
            self.catalog.close()
            if result is not None:
                raise result from error
            raise

    def _attach(self) -> None:
        self.connection, tables = attach.create_template_database()
        try:
            self.location.configure_connection(self.connection)
            self.connection.execute(f"SET temp_directory = {attach.sql_quote(str(self.temp_folder))}")
            there = self.catalog.has_table("retourne", "writers")
            if self.read_only and not there:
                raise errors.StoreError(errors.NO_STORE, path=self.path)
            then = None
            if self.as_of is not None:
                then, oldest = self.catalog.snapshot_at(self.as_of)
                if then is None:
                    at = local_time_text(self.as_of.replace(microsecond=0))
                    raise errors.StoreError(
                        NO_SUCH_SNAPSHOT, path=self.path, at=at, oldest=local_time_text(oldest)
                    )
            with nullcontext() if there else self.catalog.locked(catalogue.CREATE_LOCK):
                made = self.catalog.has_table("public", "ducklake_snapshot")
                if not made:  # check first: a catalogue's data path cannot be changed later
                    if self.location.has_data_files():
                        raise errors.StoreError(FOLDER_OF_OTHER_LAKE, path=self._lake_url.data)
                    self.location.check_writable()
                try:
                    attach.attach_lake(self.connection, self._lake_url, self.read_only, then, create=not made)
                except duckdb.Error as error:
                    if lake_error_kind(error) != "elsewhere":
                        raise
                    where = "SELECT value FROM public.ducklake_metadata WHERE key = 'data_path'"
                    [(lying,)] = self.catalog.query(where)
                    here = self._lake_url.data
                    raise errors.StoreError(WRONG_DATA_PATH, path=self.path, there=lying, here=here) from None
            if not self.read_only:
                self._prepare(tables)
            self.connection.begin()
            if self._missing_migrations():
                raise errors.StoreError(errors.STORE_OUTDATED, path=self.path)
            attach.create_views(self.connection, tables, is_historical=then is not None)
            self.connection.commit()
            if not self.read_only:  # this connection writes to the tables; cursors read the views
                self.connection.execute(f"SET search_path = '{attach.LAKE_CATALOG}.main,memory.main'")
        except BaseException:
            self.connection.close()
            raise

    def _prepare(self, tables: attach.LakeTables) -> None:
        """Create or migrate the lake's tables, if needed."""
        if not self._missing_migrations():
            return
        with self.catalog.locked(catalogue.CREATE_LOCK):
            self.catalog.create_claim_tables()
            if not (lacking := self._missing_migrations()):
                return
            cursor = self.connection
            cursor.begin()
            attach.create_tables(cursor, tables)
            cursor.commit()
            which = f"{attach.RAW_ROW_GROUP_ROWS}, schema => 'main', table_name => 'raw'"
            cursor.execute(f"CALL {attach.LAKE_CATALOG}.set_option('parquet_row_group_size', {which})")
            cursor.begin()
            for number, name, sql in lacking:
                cursor.execute(_INSERT_MIGRATION, [number, name, schema.schema_digest(sql)])
            cursor.commit()

    def _missing_migrations(self) -> list[tuple[int, str, str]]:
        """Return the migrations the lake needs. StoreError: another version of Retourne made it."""
        # queries the catalogue, since DuckDB's list of tables counts the rows of each
        made = "FROM public.ducklake_table WHERE table_name = 'migrations' AND end_snapshot IS NULL"
        if not self.catalog.query(f"SELECT 1 {made}"):
            return schema.all_migrations()
        applied = schema.APPLIED_MIGRATIONS_SQL.format(table=f"{attach.LAKE_CATALOG}.main.migrations")
        try:
            return schema.missing_migrations(self.connection.execute(applied).fetchall())
        except schema.OutdatedStoreError:
            raise errors.StoreError(errors.PRERELEASE_LAKE, path=self.path) from None
        except schema.NewerStoreError:
            raise errors.StoreError(errors.STORE_TOO_NEW, path=self.path) from None

    def close(self) -> None:
        self.connection.close()
        self.catalog.close()
        self._read_catalog.close()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self.connection.cursor()

    def store_error(
        self, error: duckdb.Error, failure_note: str = errors.NOTHING_CHANGED
    ) -> errors.StoreError:
        text = str(error)  # matched before secrets are masked: a password may occur in any word
        file = _DATA_FILE.search(text)
        what = lake_error_kind(error)
        if file and what == "missing":
            return errors.FileMissing(LAKE_FILE_MISSING, file=file[0], left=failure_note)
        if isinstance(error, duckdb.HTTPException) or what == "storage":
            return errors.StoreError(
                errors.STORE_FAILED,
                path=self.path,
                reason=object_storage.failure_reason(text),
                left=failure_note,
            )
        if file_error_kind(error) == "full":
            return errors.StoreError(errors.DISK_FULL, left=failure_note)
        if what == "lost":
            return self.catalog.unavailable_error(error)
        if what == "crossed":
            return catalogue.WriteConflict(catalogue.CONFLICTING_WRITE, path=self.path)
        reason = redact_secrets(text).splitlines()[0].rstrip(".!")
        with suppress(errors.StoreError):
            if no := self.catalog.privilege_error():
                return no
        return errors.StoreError(errors.STORE_FAILED, path=self.path, reason=reason, left=failure_note)

    @contextmanager
    def translate_errors(self, failure_note: str = errors.NOTHING_CHANGED) -> Iterator[None]:
        with super().translate_errors(failure_note):
            try:
                yield
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                raise self.catalog.unavailable_error(error) from error

    def checkpoint(self) -> bool:
        return True  # a lake has no journal

    @contextmanager
    def deferred_checkpoints(self) -> Iterator[None]:
        yield

    replacing_file = deferred_checkpoints  # a lake is changed in place

    # transactions

    def _begin_transaction(self, lock_mode: LockMode) -> None:
        while True:
            try:
                for key, shared in _LOCKS[lock_mode]:
                    self.catalog.lock(key, shared)
                    self._held_locks.append((key, shared))
                self._transaction = WriteTransaction(self.catalog)
                break
            except errors.CatalogUnavailable:  # the locks ended with the connection
                self._held_locks.clear()
                self.catalog.wait_until_available()
        self._drop_number_cache()  # others may have added players
        self.connection.begin()

    def _commit(self) -> None:
        writer = self.current_transaction
        self.flush_players()
        writer.leave_unused_players()
        self.connection.execute(
            f"CALL {attach.LAKE_CATALOG}.set_commit_message('retourne', '',"
            f" extra_info => 'retourne {writer.number}')"
        )
        try:
            with self.catalog.locked(catalogue.COMMIT_LOCK):
                self.connection.commit()
        except (duckdb.Error, errors.CatalogUnavailable):
            # the commit may have succeeded: only the catalogue knows
            self.catalog.wait_until_available()
            if not writer.is_committed():
                raise
        finally:
            self._commit_count += 1

    def _end_transaction(self, committed: bool) -> None:
        if committed:
            self._retry_count = 0
        if self._transaction is not None:
            self._transaction.end()
            self._transaction = None
        while self._held_locks:
            self.catalog.unlock(*self._held_locks.pop())
        with self._read_lock:
            self._last_version_check = 0.0, self._last_version_check[1]

    def should_retry(self, error: errors.StoreError) -> bool:
        """Return whether to retry work that failed with this error; waits for the catalogue."""
        self._retry_count += 1
        again = self._retry_count <= MAX_TRIES and isinstance(
            error, errors.CatalogUnavailable | catalogue.WriteConflict
        )
        if again and isinstance(error, errors.CatalogUnavailable):
            self.catalog.wait_until_available()
        return again

    @property
    def current_transaction(self) -> WriteTransaction:
        assert self._transaction is not None
        return self._transaction

    def url_for_workers(self) -> str:
        """Return the address for workers on other machines, without passwords."""
        result = conninfo_to_dict(self._lake_url.catalog)
        for secret in [key for key in result if "password" in key]:
            del result[secret]
        return f"ducklake:postgres:{make_conninfo('', **result)}?data={self._lake_url.data}"

    # claims: what only one of all writers may store

    def claim(self, match_ids: Iterable[str], players: Sequence[Declared]) -> None:
        new = aliases.new_rows(self._alias_index(players), players)
        self.current_transaction.claim(match_ids, new.players)

    def stored_ids(self, ids: list[str]) -> set[str]:
        return (
            super().stored_ids(ids)
            if self._transaction is None
            else self.current_transaction.already_stored(ids)
        )

    def next_match_numbers(self, count: int) -> NDArray[np.int64]:
        return self.catalog.next_numbers("match_numbers", count)

    def next_file_number(self) -> int:
        return int(self.catalog.next_numbers("file_numbers", 1)[0])

    def _alias_index(self, declared: Sequence[Declared]) -> AliasIndex:
        keys = {player_key(one.id) for one in declared}
        if self._aliases is None or not keys <= self._indexed_keys:
            self._indexed_keys |= keys
            self._aliases = AliasIndex(self.connection, self._indexed_keys)
        return self._aliases

    def _drop_number_cache(self) -> None:
        super()._drop_number_cache()
        self._indexed_keys = set[str]()

    def next_player_number(self) -> int:
        return int(self.catalog.next_numbers("player_numbers", 1)[0])

    def _new_player_numbers(self, declared: Sequence[Declared]) -> list[int]:
        found = self.current_transaction.player_numbers(declared)
        return [found[one.claim_key] for one in declared]

    def _new_alias_numbers(self, count: int) -> Sequence[int]:
        return [int(one) for one in self.catalog.next_numbers("alias_numbers", count)]

    def update_shown_names(self) -> None:
        pass

    def flush_players(self) -> None:
        if new := self.current_transaction.new_players():
            self.insert_players([*new], [*new.values()])

    def release_claims(self, match_ids: Sequence[str] = (), player_numbers: Sequence[int] = ()) -> None:
        self.current_transaction.release_claims(match_ids, player_numbers)

    def release_unstored(self, match_ids: Collection[str]) -> None:
        self.current_transaction.release_unstored(match_ids)

    # what others have written

    @property
    def version(self) -> int:
        """The newest snapshot's id; the last one known while the catalogue does not answer."""
        with self._read_lock:
            requested, found = self._last_version_check
            if time.monotonic() - requested > VERSION_CACHE_SECONDS:
                before, self.catalog_error = self.catalog_error, None
                try:
                    was_open = self._read_catalog.session is not None
                    try:
                        found = self._read_catalog.latest_snapshot()
                    except errors.CatalogUnavailable:  # an idle connection was cut: retry once
                        if not was_open:
                            raise
                        found = self._read_catalog.latest_snapshot()
                except errors.CatalogUnavailable as error:
                    self.catalog_error = error
                    if before is None:
                        catalogue.notify_waiting(catalogue.WAITING_FOR_CATALOG, path=self.path)
                self._last_version_check = time.monotonic(), found
            return found
