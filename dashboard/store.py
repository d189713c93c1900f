"""The one open store of this process and what it answered, kept until it changes; no Streamlit."""

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
from ingest.store.cancellation import go_on
from ingest.store.errors import REPLACED, Away, Gone, StoreError
from ingest.store.factory import Store
from ingest.store.store_url import from_environment, is_lake
from ingest.validate.slow_path import Explained, explain


def version(opened: Store) -> tuple[int, int, int]:
    """(the newest file, the newest change, deals whose values were reckoned, and ladders rated).

    It is another one when games come, go, change their names or are rated. Files of a lake come in
    no order, from any number of programs: there its newest snapshot, whoever made it, stands for
    all of it. StoreError: the store does not answer.
    """
    ask = opened.cursor()
    newest = "SELECT (SELECT coalesce(max(change), -1) FROM changes)"
    if not opened.in_a_file:
        files = opened.commits
        [(change,)] = ask.execute(newest).fetchall()
        return files, int(change), 0
    [(change, files, deals)] = ask.execute(
        f"{newest}, (SELECT coalesce(max(file_no), -1) FROM files),"
        " (SELECT count(*) FROM deal_values)"
    ).fetchall()
    return int(files), int(change), int(deals) + opened.rated


P = ParamSpec("P")
T = TypeVar("T")


NO_ANSWER = N_("The store does not answer at the moment. Ask again in some seconds.")
"""Of a lake whose catalogue is away: why, and where that is, is not everybody's to know."""
LAKE = "ducklake:…"
"""What a lake is called where its address may not be said."""
AGAIN = 5
"""Seconds until a page tries again by itself, and a program may."""


def why_not(error: StoreError, t: Translate) -> str:
    """Why the store cannot be asked, as anybody may read it: a lake's address is not said."""
    if isinstance(error, Away):
        return t(NO_ANSWER)
    if "path" in error.values and is_lake(path()):
        error = StoreError(error.text, **error.values | {"path": LAKE})
    return error.say(t)


class Newest(Generic[T]):
    """Values by key, so many of them: those asked for last. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._kept: LRUCache[object, T] = LRUCache(most)
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
_opening = threading.Lock()
_answers: Newest[Any] = Newest(1000)
_explained: Newest[Explained] = Newest(64)


def path() -> Path:
    """Where the store is, from RETOURNE_STORE."""
    return from_environment()


def store() -> Store:
    """The open store. StoreError: it cannot be opened, and the next call tries again."""
    file = path()
    with _opening:
        if file in _stores and _stores[file].broken:
            _stores.pop(file).close()
        if file not in _stores:
            _stores[file] = Store(file, shared=True)
        return _stores[file]


def at_hand() -> Store | None:
    """The store if it is open, and nobody has to wait for it."""
    found = _stores.get(path())
    return None if found is None or found.broken else found


def forget() -> None:
    """Ask every query anew; the store stays open."""
    _answers.clear()


def close() -> None:
    """Let go of the store; whoever asks next opens it again."""
    forget()
    _explained.clear()
    with _opening:
        while _stores:
            _stores.popitem()[1].close()


@contextmanager
def rewriting() -> Iterator[Store]:
    """The store, to close it and put another file in its place; nobody asks or writes meanwhile."""
    opened = store()
    try:
        with opened.alone(), _opening:  # first who writes, so that nobody who asks waits for that
            try:
                with opened.replaced():
                    yield opened
            finally:
                forget()
                _explained.clear()
    finally:
        opened.tell_changed()


def which() -> tuple[Store, int]:
    """The file that is open, another one once it was replaced. StoreError: as `store`."""
    opened = store()
    return opened, opened.opened


def steady(ask: Callable[[], T]) -> T:
    """What the store is asked, again where another file was put in its place meanwhile.

    StoreError: as `store`. Away: it does not answer. Gone: a file of it is not there.
    """
    before = which()
    try:
        with answering():
            return ask()
    except duckdb.Error:
        if which() == before:
            raise
    return steady(ask)


@contextmanager
def answering() -> Iterator[None]:
    """While this lasts a store that does not answer is told as Away, one without a file as Gone.

    Neither is a fault of whoever asks. All else that DuckDB refuses stays what it is.
    """
    try:
        yield
    except duckdb.Error as error:
        opened = at_hand()
        told = None if opened is None else opened.explained(error)
        if isinstance(told, Away | Gone):
            raise told from error
        raise


def reached() -> Store:
    """The store, whose catalogue answers. StoreError: as `store`. Away: it does not."""
    opened = store()
    _ = opened.commits  # asks, where it has one
    if opened.away is not None:
        raise opened.away
    return opened


PATIENCE = 5.0
"""Seconds that who replaces the store waits for other commands, and the server's end for all."""
OTHERS_AT_WORK = N_(
    "Other commands are at work on the store {path}: wait for them, or end them, and try again."
)


class Commands:
    """The commands of programs that use the store at a time, and the one that replaces it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._users, self._alone = 0, False
        self.ended = False
        """Whether all that are at work are to leave what they have not finished."""

    @contextmanager
    def using(self) -> Iterator[Store]:
        """The store, for a command that uses it beside others."""
        with self._changed:
            while self._alone:
                self._changed.wait(PATIENCE)
                go_on()
            self._users += 1
        try:
            yield store()
        finally:
            with self._changed:
                self._users -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[Store]:
        """The store, for who replaces it and uses it already.

        StoreError: others use it, or have replaced it, so that its numbers are of something else.
        """
        before = store().opened
        with self._changed:
            self._users -= 1  # whoever waits here asks nothing meanwhile
            try:
                if not self._changed.wait_for(self.is_free, PATIENCE):
                    raise StoreError(OTHERS_AT_WORK, path=path())
                if store().opened != before:
                    raise StoreError(REPLACED, path=path())
                self._alone = True
            finally:
                self._users += 1
        try:
            with rewriting() as opened:
                yield opened
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()

    def is_free(self) -> bool:
        return not self._users and not self._alone

    def end(self) -> None:
        """Have all that are at work leave what they have not finished."""
        with self._changed:
            self.ended = True
            self._changed.wait_for(lambda: not self._users, PATIENCE)


commands = Commands()


def rewritten(act: Callable[[Store], T]) -> T:
    """What an act of a page says that puts another file in the place of the store.

    StoreError: it cannot be opened, or commands are at work on it.
    """
    with commands.using(), commands.alone() as opened:
        return act(opened)


_asked_at: tuple[Path, tuple[int, ...]] | None = None
"""The store and its version that was asked last."""


def cursor() -> Cursor:
    """A cursor of its own for each caller, for `dashboard.queries`. StoreError: as `store`."""
    return store().cursor()


def answer(query: Callable[Concatenate[Cursor, P], T], *args: P.args, **named: P.kwargs) -> T:
    """What a query of `dashboard.queries` says; kept until the store changes, so not to be changed.

    Its arguments are told apart by their `repr`: numbers, texts, dates, `Scope`, `Filter`.
    """
    global _asked_at
    with answering():
        now = (path(), version(store()))
        ask = cursor()
        if now != _asked_at:
            # nobody can ask for those before again: while games come, that is nearly all of them
            _asked_at = now
            _answers.clear()
        asked = f"{query.__module__}.{query.__qualname__} {args!r} {named!r}"

        def made() -> T:
            # in memory of its own size: DuckDB makes room for a million rows in every column of a
            # frame, however few there are, and Polars keeps it: a megabyte of memory and sixty of
            # addresses for a page of 25 matches
            fresh = query(ask, *args, **named)
            slim: T = pickle.loads(pickle.dumps(fresh, pickle.HIGHEST_PROTOCOL))
            return slim

        found: T = _answers.get((*now, asked), made)
        return found


def explained(match_no: int) -> Explained:
    """The match, replayed; kept, because stepping through its deals asks for it again."""
    # the version is in the key: players may have been masked since
    with answering():
        key = (path(), match_no, version(store())[:2])
        return _explained.get(key, lambda: explain(store().text(match_no)))
