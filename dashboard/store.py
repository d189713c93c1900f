"""The open store of this process and its cached answers; no Streamlit."""

import os
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import duckdb
from cachetools import LRUCache, cachedmethod

from dashboard.queries.scope import Cursor
from ingest.cancellation import check_cancelled
from ingest.i18n import N_, Translate
from ingest.store import backup
from ingest.store.errors import STORE_REPLACED, CatalogUnavailable, FileMissing, StoreError
from ingest.store.factory import Store
from ingest.store.store_url import is_lake_url, store_from_environment
from ingest.validate.slow_path import ValidationResult, validate


def store_version(store: Store) -> tuple[int, int, int]:
    """Return the store's version: (newest file, newest change, solved deals plus rating updates).

    It differs once matches are added, deleted, renamed or rated. A lake's files are written by many
    programs in no fixed order, so there its newest snapshot replaces the file number. StoreError:
    the store does not answer.
    """
    if not store.is_single_file:
        files = store.version
        [(change,)] = store.cursor().execute("SELECT coalesce(max(change), -1) FROM change_log").fetchall()
        return files, int(change), 0
    change, files, deals = _version_row(store)
    return files, change, deals + store.rating_generation


_PREPARE_VERSION = """PREPARE version AS SELECT
    (SELECT coalesce(max(change), -1) FROM change_log WHERE change >= $1),
    (SELECT coalesce(max(file_no), -1) FROM files WHERE file_no >= $1),
    (SELECT count(*) FROM endgame_values WHERE deal_index >= $1)"""
"""With a parameter: without one, DuckDB may take the newest numbers from statistics when it prepares
the query of a file that holds rows, and answer them ever after."""
_version_cursors: WeakKeyDictionary[Store, Cursor] = WeakKeyDictionary()
"""Open store → a cursor that has its version's query prepared: planning takes most of its time."""
_version_lock = threading.Lock()


def _version_row(store: Store) -> tuple[int, int, int]:
    """Return the newest change, the newest file and the number of solved deals of a single file."""
    with _version_lock, suppress(duckdb.ConnectionException):  # closed: the store's file was replaced
        if (cursor := _version_cursors.get(store)) is not None:
            [(change, files, deals)] = cursor.execute("EXECUTE version(-1)").fetchall()
            return change, files, deals
    cursor = store.cursor().execute(_PREPARE_VERSION)  # may wait for the new file: not within the lock
    with _version_lock:
        _version_cursors[store] = cursor
    return _version_row(store)


P = ParamSpec("P")
T = TypeVar("T")


STORE_NOT_ANSWERING = N_("The store does not answer at the moment. Try again in a few seconds.")
"""For a lake whose catalogue is unavailable; the cause and its address are not for every reader."""
LAKE_PLACEHOLDER = "ducklake:…"
"""Shown instead of a lake's address where readers may not see it."""
RETRY_AFTER_SECONDS = 5
"""Seconds until a page retries, or a program may retry."""


def unavailable_reason(error: StoreError, t: Translate) -> str:
    """Return why the store is unavailable, without the address of a lake or the folder of a file."""
    if isinstance(error, CatalogUnavailable):
        return t(STORE_NOT_ANSWERING)
    if not is_lake_url(path := store_path()):
        return error.message(t).replace(f"{path.parent}{os.sep}", "")
    if "path" in error.values:
        error = StoreError(error.text, **error.values | {"path": LAKE_PLACEHOLDER})
    return error.message(t)


class LruCache(Generic[T]):
    """A thread-safe cache that drops the least recently used values."""

    def __init__(self, max_entries: int) -> None:
        self._entries: LRUCache[object, T] = LRUCache(max_entries)
        self._lock = threading.Condition()

    @cachedmethod(
        lambda self: self._entries, key=lambda self, key, make: key, condition=lambda self: self._lock
    )
    def get(self, key: object, make: Callable[[], T]) -> T:
        """Return a cached value; if it is missing, one thread makes it and others wait."""
        return make()

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()


_stores: dict[Path, Store] = {}
_open_lock = threading.Lock()
_query_cache: LruCache[Any] = LruCache(1000)
_validated_cache: LruCache[ValidationResult] = LruCache(64)


def store_path() -> Path:
    """Return the path of the store, from RETOURNE_STORE."""
    return store_from_environment()


def open_store() -> Store:
    """Return the open store, once no other file is about to take its place.

    StoreError: it cannot be opened; the next call tries again.
    """
    file = store_path()
    while True:
        with _open_lock:
            if file not in _stores:
                _stores[file] = Store(file, is_shared=True)
            found = _stores[file]
        with found.file_lock:  # not within the other: the thread that holds it may ask for the store, too
            if not found.needs_reopen:
                return found
            with _open_lock:
                if _stores.get(file) is found:
                    _stores.pop(file).close()


def store_if_open() -> Store | None:
    """Return the store if it is already open; never waits."""
    found = _stores.get(store_path())
    return None if found is None or found.needs_reopen else found


def clear_query_cache() -> None:
    """Clear the query cache; the store stays open."""
    _query_cache.clear()


def close_store() -> None:
    """Close the store; the next `open_store` opens it again."""
    clear_query_cache()
    _validated_cache.clear()
    with _open_lock:
        while _stores:
            _stores.popitem()[1].close()


@contextmanager
def replacing_store() -> Iterator[Store]:
    """Yield the store to replace its file, by `Store.replacing_file`; `open_store` waits for the block's end.

    Threads that have the store read on. DuckDB may wait without end for a query that runs while its file is
    closed: making the new file takes longer than most queries.
    """
    opened = open_store()
    try:
        # the write lock first, so that readers do not wait while this waits for a writer
        with opened.write_lock(), opened.file_lock:
            yield opened
    finally:
        clear_query_cache()
        _validated_cache.clear()
        opened.notify_changed()


def store_generation() -> tuple[Store, int]:
    """Return the open store and a number that changes when its file is replaced. StoreError."""
    opened = open_store()
    return opened, opened.file_generation


def retry_on_reopen(read: Callable[[], T]) -> T:
    """Call `read`, again if the store's file was replaced during the call.

    StoreError: as `open_store`. CatalogUnavailable: no answer. FileMissing: a file is missing.
    """
    before = store_generation()
    try:
        with translate_duckdb_errors():
            return read()
    except duckdb.Error:
        if store_generation() == before:
            raise
    return retry_on_reopen(read)


@contextmanager
def translate_duckdb_errors() -> Iterator[None]:
    """Raise CatalogUnavailable or FileMissing for DuckDB errors that have these causes.

    Neither is an error of the caller. Other DuckDB errors are raised unchanged.
    """
    try:
        yield
    except duckdb.Error as error:
        opened = store_if_open()
        result = None if opened is None else opened.store_error(error)
        if isinstance(result, CatalogUnavailable | FileMissing):
            raise result from error
        raise


def reachable_store() -> Store:
    """Return the store, its catalogue checked. StoreError: as `open_store`, or no answer."""
    opened = open_store()
    _ = opened.version  # reading it queries a lake's catalogue
    if opened.catalog_error is not None:
        raise opened.catalog_error
    return opened


COMMANDS_TIMEOUT_SECONDS = 5.0
"""Seconds to wait for other commands, before the store is replaced or the server ends."""
OTHER_COMMANDS_RUNNING = N_(
    "Other commands are at work on the store {path}: wait for them, or end them, and try again."
)


class CommandGate:
    """Lock between commands: many may use the store at a time, but only one may replace it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._user_count, self._is_exclusive = 0, False
        self.is_cancelled = False
        """Whether all running commands must stop."""

    @contextmanager
    def shared_use(self) -> Iterator[Store]:
        """Yield the store for a command that shares it with others."""
        with self._changed:
            while self._is_exclusive:
                self._changed.wait(COMMANDS_TIMEOUT_SECONDS)
                check_cancelled()
            self._user_count += 1
        try:
            yield open_store()
        finally:
            with self._changed:
                self._user_count -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive_use(self) -> Iterator[Store]:
        """Yield the store for a running command that replaces it.

        StoreError: other commands use it, or have replaced it, so that its numbers are outdated.
        """
        before = open_store().file_generation
        with self._changed:
            self._user_count -= 1  # a waiting command does not use the store
            try:
                if not self._changed.wait_for(self.is_free, COMMANDS_TIMEOUT_SECONDS):
                    raise StoreError(OTHER_COMMANDS_RUNNING, path=store_path())
                if open_store().file_generation != before:
                    raise StoreError(STORE_REPLACED, path=store_path())
                self._is_exclusive = True
            finally:
                self._user_count += 1
        try:
            with replacing_store() as opened:
                yield opened
        finally:
            with self._changed:
                self._is_exclusive = False
                self._changed.notify_all()

    def is_free(self) -> bool:
        return not self._user_count and not self._is_exclusive

    def cancel_all(self) -> None:
        """Ask all running commands to stop, and wait for them."""
        with self._changed:
            self.is_cancelled = True
            self._changed.wait_for(lambda: not self._user_count, COMMANDS_TIMEOUT_SECONDS)


command_gate = CommandGate()


def replace_store(action: Callable[[Store], T]) -> T:
    """Call an action of a page that replaces the store's file; return its result.

    StoreError: the store cannot be opened, or commands are at work on it.
    """
    with command_gate.shared_use(), command_gate.exclusive_use() as opened:
        return action(opened)


def restore_backup(file: Path) -> backup.Restored:
    """Replace the store with a backup. StoreError: as `replace_store`, or the backup is not a valid store."""

    @contextmanager
    def closed() -> Iterator[None]:
        with command_gate.exclusive_use() as opened, opened.replacing_file():
            opened.close()
            yield

    with command_gate.shared_use() as opened:
        return backup.restore_backup(Path(opened.path), file, while_replacing=closed())


_cached_version: tuple[str, int, tuple[int, ...]] | None = None
"""The path, file and version of the store that the query cache belongs to."""


def cursor() -> Cursor:
    """Return a new cursor for `dashboard.queries`. StoreError: as `open_store`."""
    return open_store().cursor()


def cached_query(query: Callable[Concatenate[Cursor, P], T], *args: P.args, **named: P.kwargs) -> T:
    """Return the result of a query, cached until the store changes; callers must not modify it.

    The key is the `repr` of its arguments: numbers, texts, dates, `Scope`, `MatchFilter`.
    """
    global _cached_version
    with translate_duckdb_errors():
        opened, generation = store_generation()
        now = (opened.path, generation, store_version(opened))
        cursor = opened.cursor()
        if now != _cached_version:
            # results of the old version are not needed again, and uploads change it often
            _cached_version = now
            _query_cache.clear()
        requested = f"{query.__module__}.{query.__qualname__} {args!r} {named!r}"

        def made() -> T:
            # pickled to copy it at its real size: DuckDB reserves a million rows in every column of
            # a frame and Polars keeps them: 1 MB of memory and 60 of address space for a page of 25
            # matches
            fresh = query(cursor, *args, **named)
            slim: T = pickle.loads(pickle.dumps(fresh, pickle.HIGHEST_PROTOCOL))
            return slim

        found: T = _query_cache.get((*now, requested), made)
        if opened.file_generation != generation:  # stored after the others were forgotten
            clear_query_cache()
        return found


def validated_match(match_no: int) -> ValidationResult:
    """Return a match replayed, cached as its page needs it again for each deal."""
    # masking a player changes the version, and thus the key
    with translate_duckdb_errors():
        opened, generation = store_generation()
        key = (opened.path, generation, match_no, store_version(opened)[:2])
        found = _validated_cache.get(key, lambda: validate(opened.read_match_text(match_no)))
        if opened.file_generation != generation:
            _validated_cache.clear()
        return found
