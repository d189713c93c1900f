"""What the workers of one run make once: the first one that asks makes it, the others wait."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import environ
from pathlib import Path

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

    A `make` that raises leaves no file: whoever asks next tries again and fails of itself.
    """
    path = folder(temporary) / name
    with alone(path):
        if not path.exists():
            part = path.with_name(f"part-{name}")
            part.unlink(missing_ok=True)
            make(part)
            part.rename(path)
    return path
