"""The store a command opens: its own, or the one this process has open for other programs."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from ingest.cli.caller import caller
from ingest.cli.terminal import Stop
from ingest.store.store import NO_STORE, Store


@contextmanager
def open_store(path: Path, read_only: bool = False) -> Iterator[Store]:
    """The store of a path while this lasts. StoreError: it cannot be opened, or fails within."""
    other = caller.get()
    if other is None or not other.has(path):
        with Store(path, read_only) as store:
            yield store
        return
    with other.lend() as store, store.told():
        yield store


def there(path: Path) -> AbstractContextManager[Store]:
    """The store, which must be there: nothing is deleted from one made just now."""
    if not path.exists():
        raise Stop(NO_STORE, path=path)
    return open_store(path)


@contextmanager
def replacing(path: Path) -> Iterator[None]:
    """While this lasts the file of a store may be replaced: in this process nobody else uses it."""
    other = caller.get()
    if other is None or not other.has(path):
        yield
        return
    with other.alone():
        yield
