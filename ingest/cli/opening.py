"""The store a command opens: its own, or the one this process has open for other programs."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from ingest.cli.caller import caller
from ingest.cli.terminal import Stop
from ingest.store import journal
from ingest.store.backup import clear_begun
from ingest.store.store import NO_STORE, Store


@contextmanager
def open_store(path: Path, read_only: bool = False, at: datetime | None = None) -> Iterator[Store]:
    """The store of a path while this lasts, `at`: as it was then.

    StoreError: it cannot be opened, or fails within.
    """
    other = caller.get()
    if at is not None or other is None or not other.has(path):
        with Store(path, read_only, at=at) as store:
            if not read_only and store.in_a_file:
                with suppress(OSError):  # it does no harm
                    clear_begun(path.resolve())
            yield store
        return
    with other.lend() as store, store.told():
        yield store


@contextmanager
def filling(path: Path) -> Iterator[Store]:
    """The store of a path, to put files in: one made now for files that do not come is not left."""
    new = not path.exists()
    with open_store(path) as store:
        try:
            yield store
        except BaseException:
            # one that failed gravely takes no more questions: what it has stays
            if new and not store.broken and _has_no_file(store):
                path.unlink()  # while it is open, so that it is nobody else's yet
                journal.beside(path).unlink(missing_ok=True)
            raise


def _has_no_file(store: Store) -> bool:
    return store.cursor().execute("FROM files LIMIT 1").fetchone() is None


def there(path: Path, read_only: bool = False) -> AbstractContextManager[Store]:
    """The store, which must be there: nothing is deleted from one made just now."""
    if not path.exists():
        raise Stop(NO_STORE, path=path)
    return open_store(path, read_only)


def is_served(path: Path) -> bool:
    """Whether this process has the store of a path open for other programs."""
    other = caller.get()
    return other is not None and other.has(path)


@contextmanager
def replacing(path: Path, close: bool = False) -> Iterator[None]:
    """While this lasts another file may be put in the place of a store that `open_store` opened.

    Where others use it too they are kept out; `close` lets go of the file at once.
    """
    other = caller.get()
    if other is None or not other.has(path):
        yield
        return
    with other.alone() as store:
        if close:
            store.close()
        yield
