"""Data that the workers of a test run share: the first that needs it makes it, the others wait."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import environ
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

WORKER = environ.get("PYTEST_XDIST_WORKER")
"""Of pytest-xdist, such as gw0; None when one process runs all tests."""

address: Callable[[Path], str] = str
"""What another process opens where a test names a file for a store; where stores are lakes, one."""


def folder(temporary: pytest.TempPathFactory) -> Path:
    """A folder of this run, the same one for every worker of it."""
    own = temporary.getbasetemp()
    shared = (own.parent if WORKER else own) / "shared"
    shared.mkdir(exist_ok=True)
    return shared


def folder_of(config: pytest.Config) -> Path:
    """The same, before there are fixtures to ask."""
    return folder(config._tmp_path_factory)  # type: ignore[attr-defined]


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """While this lasts, no other process does what it does alone under the same path."""
    with FileLock(path.with_name(path.name + ".lock")):
        yield


def once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A file of the run that `make` writes; who changes it must copy it first.

    A `make` that raises leaves no file: the next caller tries again and fails of itself.
    """
    path = folder(temporary) / name
    with alone(path):
        if not path.exists():
            part = path.with_name(f"part-{name}")
            part.unlink(missing_ok=True)
            make(part)
            part.rename(path)
    return path


@contextmanager
def begun(temporary: pytest.TempPathFactory) -> Iterator[None]:
    """While this lasts a new store is a copy of the run's first one, which was empty.

    To make its tables and their comments takes a tenth of a second of processor, and the tests make
    a thousand stores.
    """
    from ingest.store import base
    from ingest.store.factory import Store
    from schemas.migrations import connect

    def make(part: Path) -> None:
        with Store(part):
            pass

    def copied(path: str, read_only: bool, config: Any) -> Any:
        if not read_only and path != str(part) and not Path(path).exists():
            with suppress(OSError):  # as DuckDB says it
                shutil.copyfile(first(), path)
        return connect(path, read_only, config)

    part = folder(temporary) / "part-empty.duckdb"

    def first() -> Path:
        return once(temporary, "empty.duckdb", make)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "connect", copied)
        yield


def another(path: Path) -> Path:
    """A store made at another time than all others, which `begun` has made at one."""
    from ingest.store.factory import Store

    with Store(path) as store, store.transaction():
        store.connection.execute("UPDATE migrations SET applied_at = '2020-02-20'")
    return path
