"""The open store of this process and its cached answers; no Streamlit."""

import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import duckdb
from cachetools import LRUCache, cachedmethod

from dashboard.queries.scope import Cursor
from ingest.i18n import N_, Translate
from ingest.store.cancellation import check_cancelled
from ingest.store.errors import STORE_REPLACED, CatalogUnavailable, FileMissing, StoreError
from ingest.store.factory import Store
from ingest.store.store_url import is_lake_url, store_from_environment
from ingest.validate.slow_path import ValidationResult, validate


def store_version(store: Store) -> tuple[int, int, int]:
    """(the newest file, the newest change, deals whose values were reckoned, and ladders rated).

    It is another one when games come, go, change their names or are rated. Files of a lake come in
    no order, from any number of programs: there its newest snapshot, whoever made it, stands for
    all of it. StoreError: the store does not answer.
    """
    ask = store.cursor()
    newest = "SELECT (SELECT coalesce(max(change), -1) FROM changes)"
    if not store.is_single_file:
        files = store.version
        [(change,)] = ask.execute(newest).fetchall()
        return files, int(change), 0
    [(change, files, deals)] = ask.execute(
        f"{newest}, (SELECT coalesce(max(file_no), -1) FROM files),"
        " (SELECT count(*) FROM deal_values)"
    ).fetchall()
    return int(files), int(change), int(deals) + store.rating_generation


P = ParamSpec("P")
T = TypeVar("T")


STORE_NOT_ANSWERING = N_("The store does not answer at the moment. Ask again in some seconds.")
"""Of a lake whose catalogue is away: why, and where that is, is not everybody's to know."""
LAKE_PLACEHOLDER = "ducklake:…"
"""What a lake is called where its address may not be said."""
RETRY_AFTER_SECONDS = 5
"""Seconds until a page tries again by itself, and a program may."""


def unavailable_reason(error: StoreError, t: Translate) -> str:
    """Why the store cannot be asked, as anybody may read it: a lake's address is not said."""
    if isinstance(error, CatalogUnavailable):
        return t(STORE_NOT_ANSWERING)
    if "path" in error.values and is_lake_url(store_path()):
        error = StoreError(error.text, **error.values | {"path": LAKE_PLACEHOLDER})
    return error.say(t)


class LruCache(Generic[T]):
    """Values by key, so many of them: those asked for last. Threads may share it."""

    def __init__(self, max_entries: int) -> None:
        self._kept: LRUCache[object, T] = LRUCache(max_entries)
        self._lock = threading.Condition()

    @cachedmethod(
        lambda self: self._kept, key=lambda self, key, make: key, condition=lambda self: self._lock
    )
    def get(self, key: object, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not kept: by one thread, and others wait for it."""
        return make()

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()


_stores: dict[Path, Store] = {}
_open_lock = threading.Lock()
_query_cache: LruCache[Any] = LruCache(1000)
_validated_cache: LruCache[ValidationResult] = LruCache(64)


def store_path() -> Path:
    """Where the store is, from RETOURNE_STORE."""
    return store_from_environment()


def open_store() -> Store:
    """The open store. StoreError: it cannot be opened, and the next call tries again."""
    file = store_path()
    with _open_lock:
        if file in _stores and _stores[file].needs_reopen:
            _stores.pop(file).close()
        if file not in _stores:
            _stores[file] = Store(file, is_shared=True)
        return _stores[file]


def store_if_open() -> Store | None:
    """The store if it is open, and nobody has to wait for it."""
    found = _stores.get(store_path())
    return None if found is None or found.needs_reopen else found


def clear_query_cache() -> None:
    """Ask every query anew; the store stays open."""
    _query_cache.clear()


def close_store() -> None:
    """Let go of the store; whoever asks next opens it again."""
    clear_query_cache()
    _validated_cache.clear()
    with _open_lock:
        while _stores:
            _stores.popitem()[1].close()


@contextmanager
def replacing_store() -> Iterator[Store]:
    """The store, to close it and put another file in its place; nobody asks or writes meanwhile."""
    opened = open_store()
    try:
        with (
            opened.write_lock(),
            _open_lock,
        ):  # first who writes, so that nobody who asks waits for that
            try:
                with opened.replacing_file():
                    yield opened
            finally:
                clear_query_cache()
                _validated_cache.clear()
    finally:
        opened.notify_changed()


def store_generation() -> tuple[Store, int]:
    """The file that is open, another one once it was replaced. StoreError: as `open_store`."""
    opened = open_store()
    return opened, opened.file_generation


def retry_on_reopen(read: Callable[[], T]) -> T:
    """What the store is asked, again where another file was put in its place meanwhile.

    StoreError: as `open_store`. Away: it does not answer. Gone: a file of it is not there.
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
    """While this lasts a store that does not answer is told as Away, one without a file as Gone.

    Neither is a fault of whoever asks. All else that DuckDB refuses stays what it is.
    """
    try:
        yield
    except duckdb.Error as error:
        opened = store_if_open()
        told = None if opened is None else opened.store_error(error)
        if isinstance(told, CatalogUnavailable | FileMissing):
            raise told from error
        raise


def reachable_store() -> Store:
    """The store, whose catalogue answers. StoreError: as `open_store`. Away: it does not."""
    opened = open_store()
    _ = opened.version  # asks, where it has one
    if opened.catalog_error is not None:
        raise opened.catalog_error
    return opened


COMMANDS_TIMEOUT_SECONDS = 5.0
"""Seconds that who replaces the store waits for other commands, and the server's end for all."""
OTHER_COMMANDS_RUNNING = N_(
    "Other commands are at work on the store {path}: wait for them, or end them, and try again."
)


class CommandGate:
    """The commands of programs that use the store at a time, and the one that replaces it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._user_count, self._is_exclusive = 0, False
        self.is_cancelled = False
        """Whether all that are at work are to leave what they have not finished."""

    @contextmanager
    def shared_use(self) -> Iterator[Store]:
        """The store, for a command that uses it beside others."""
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
        """The store, for who replaces it and uses it already.

        StoreError: others use it, or have replaced it, so that its numbers are of something else.
        """
        before = open_store().file_generation
        with self._changed:
            self._user_count -= 1  # whoever waits here asks nothing meanwhile
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
        """Have all that are at work leave what they have not finished."""
        with self._changed:
            self.is_cancelled = True
            self._changed.wait_for(lambda: not self._user_count, COMMANDS_TIMEOUT_SECONDS)


command_gate = CommandGate()


def replace_store(action: Callable[[Store], T]) -> T:
    """What an act of a page says that puts another file in the place of the store.

    StoreError: it cannot be opened, or commands are at work on it.
    """
    with command_gate.shared_use(), command_gate.exclusive_use() as opened:
        return action(opened)


_cached_version: tuple[Path, tuple[int, ...]] | None = None
"""The store and its version that was asked last."""


def cursor() -> Cursor:
    """A cursor of its own for each caller, for `dashboard.queries`. StoreError: as `open_store`."""
    return open_store().cursor()


def cached_query(query: Callable[Concatenate[Cursor, P], T], *args: P.args, **named: P.kwargs) -> T:
    """What a query of `dashboard.queries` says; kept until the store changes, so not to be changed.

    Its arguments are told apart by their `repr`: numbers, texts, dates, `Scope`, `MatchFilter`.
    """
    global _cached_version
    with translate_duckdb_errors():
        now = (store_path(), store_version(open_store()))
        ask = cursor()
        if now != _cached_version:
            # nobody can ask for those before again: while games come, that is nearly all of them
            _cached_version = now
            _query_cache.clear()
        asked = f"{query.__module__}.{query.__qualname__} {args!r} {named!r}"

        def made() -> T:
            # in memory of its own size: DuckDB makes room for a million rows in every column of a
            # frame, however few there are, and Polars keeps it: a megabyte of memory and sixty of
            # addresses for a page of 25 matches
            fresh = query(ask, *args, **named)
            slim: T = pickle.loads(pickle.dumps(fresh, pickle.HIGHEST_PROTOCOL))
            return slim

        found: T = _query_cache.get((*now, asked), made)
        return found


def validated_match(match_no: int) -> ValidationResult:
    """The match, replayed; kept, because stepping through its deals asks for it again."""
    # the version is in the key: players may have been masked since
    with translate_duckdb_errors():
        key = (store_path(), match_no, store_version(open_store())[:2])
        return _validated_cache.get(key, lambda: validate(open_store().read_match_text(match_no)))
