"""Ready batches laid aside until the store is free for them: in memory while they are few."""

import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from copyreg import dispatch_table
from dataclasses import replace
from errno import EDQUOT, EFBIG, ENOSPC
from io import BytesIO
from tempfile import SpooledTemporaryFile
from types import MappingProxyType
from typing import IO

from engine.games import Game, game
from ingest.store.ready import Ready
from ingest.store.store import FAILED, FULL, NOTHING_OF_FILE, Store, StoreError

IN_MEMORY = 32 << 20
"""Bytes beyond which they lie in a file without a name beside the store, as private as that is."""


DEEP = 4 * 1024
"""Calls within each other that a value takes as deep as JSON is read, some a level."""


class _Pickler(pickle.Pickler):
    # a game's modules are no data; what nobody may write into is data all the same
    dispatch_table = dispatch_table | {
        Game: lambda one: (game, (one.name,)),
        MappingProxyType: lambda one: (dict, (dict(one),)),
    }


def spooled(store: Store, batches: Iterable[bytes]) -> Iterator[Ready]:
    """All of them, as `laid` has them, are taken before this returns, and come in the same order.

    StoreError: there is no room for them.
    """
    with ExitStack() as failing:
        file = failing.enter_context(SpooledTemporaryFile(IN_MEMORY, dir=str(store.folder)))
        count = _write(store, batches, file)
        failing.pop_all()
    return _once(file, count)


@contextmanager
def aside(store: Store, batches: Iterable[bytes]) -> Iterator[Callable[[], Iterator[Ready]]]:
    """The same, and while this lasts they can be had as often as they are asked for."""
    with SpooledTemporaryFile(IN_MEMORY, dir=str(store.folder)) as file:
        count = _write(store, batches, file)
        yield lambda: _back(file, count)


def _write(store: Store, batches: Iterable[bytes], file: IO[bytes]) -> int:
    count = 0
    for one in batches:
        try:
            file.write(one)
        except OSError as error:
            raise _explained(store, error) from error
        count += 1
    return count


def _explained(store: Store, error: OSError) -> StoreError:
    if error.errno in (ENOSPC, EDQUOT, EFBIG):
        return StoreError(FULL, left=NOTHING_OF_FILE)
    return StoreError(FAILED, path=store.path, reason=str(error), left=NOTHING_OF_FILE)


def laid(checked: Ready) -> bytes:
    """A batch as it is laid aside.

    A match at a time: nothing else in this process goes on while one thing is pickled.
    """
    file = BytesIO()
    _dump((checked.ids, checked.players), file)
    _dump((replace(checked, explained={}), len(checked.explained)), file)
    for one in checked.explained.items():
        _dump(one, file)
    return file.getvalue()


def packed(what: object) -> bytes:
    """Anything a check comes to, for `pickle.loads` of another process."""
    file = BytesIO()
    _dump(what, file)
    return file.getvalue()


def names_in(batch: bytes) -> tuple[list[str], dict[str, str]]:
    """The ids of the matches and the players, id → name, of a batch that was laid aside."""
    ids, players = pickle.loads(batch)
    return ids, players


def loaded(data: bytes) -> Ready:
    """A batch as `laid` has it."""
    return _load(BytesIO(data))


def _dump(what: object, file: IO[bytes]) -> None:
    begins = file.tell()
    try:
        _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(what)
    except RecursionError:  # a text is as deep as whoever wrote it likes, up to what is read at all
        file.seek(begins)
        file.truncate()
        with _deeper():
            _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(what)


@contextmanager
def _deeper() -> Iterator[None]:
    """While this lasts, what lies as deep as a JSON reader goes is no endless recursion."""
    with _deepening:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(before + DEEP)
        try:
            yield
        finally:
            sys.setrecursionlimit(before)


_deepening = threading.Lock()


def _once(file: IO[bytes], count: int) -> Iterator[Ready]:
    with file:
        yield from _back(file, count)


def _back(file: IO[bytes], count: int) -> Iterator[Ready]:
    file.seek(0)
    for _ in range(count):
        yield _load(file)


def _load(file: IO[bytes]) -> Ready:
    pickle.load(file)  # whose they are
    checked: Ready
    checked, explained = pickle.load(file)
    for _ in range(explained):
        place, one = pickle.load(file)
        checked.explained[place] = one
    return checked
