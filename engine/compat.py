"""Undocumented parts of numba that the engine uses (tried with 0.68).

`tests/engine/test_compat.py` fails where a later version has changed it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba import config
from numba.core.caching import InTreeCacheLocator, UserProvidedCacheLocator, UserWideCacheLocator

try:
    import fcntl
except ImportError:  # a system without these locks: there, two may save at the same moment
    fcntl = None  # type: ignore[assignment]

ENGINE_FOLDER = Path(__file__).parent


def outermost_package(file: Path) -> Path:
    """The outermost package of a module; the module alone where it is in none."""
    found = file
    while (found.parent / "__init__.py").exists():
        found = found.parent
    return found


def module_files(package: Path) -> list[Path]:
    """The files of a package, or the one of a module."""
    return sorted(package.rglob("*.py")) if package.is_dir() else [package]


@cache
def _source_hash(of: Path) -> str:
    """When each module of a package was changed, and its size."""
    state = blake2b(digest_size=16)
    for module in filter(Path.is_file, module_files(of)):  # what came another way has no file
        seen, name = module.stat(), module.relative_to(of).as_posix()
        state.update(repr((name, seen.st_mtime_ns, seen.st_size)).encode())
    return state.hexdigest()


class _SourceStampedLocator:
    """A place for what is compiled that knows of every file it may be made of.

    What: `numba.core.caching` has a locator for each place; `NUMBA_CACHE_LOCATOR_CLASSES` names
    others. Why: numba looks at the file of a function alone, and what is put into it of other files
    would stay as old as it is, so any change in the engine or in its own package counts.
    """

    package: Path

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Any:
        made = super().from_function(py_func, py_file)  # type: ignore[misc]
        if made is not None:
            made.package = outermost_package(Path(py_file))
        return made

    def get_source_stamp(self) -> Any:
        return super().get_source_stamp(), _source_hash(ENGINE_FOLDER), _source_hash(self.package)  # type: ignore[misc]


class Provided(_SourceStampedLocator, UserProvidedCacheLocator):
    """In the folder that NUMBA_CACHE_DIR names."""


class InTree(_SourceStampedLocator, InTreeCacheLocator):
    """Beside the module."""


class UserWide(_SourceStampedLocator, UserWideCacheLocator):
    """Among the user's caches."""


_DECORATING_LOCK = threading.RLock()


@contextmanager
def source_stamped_cache() -> Iterator[None]:
    """Within, what is decorated is kept by the locators above, a thread at a time.

    The setting is one for all threads; and while numba compiles what calls itself, it finds that
    function by its bare name, whichever thread gave the name.
    """
    asked: Any = config
    with _DECORATING_LOCK:
        before = asked.CACHE_LOCATOR_CLASSES
        asked.CACHE_LOCATOR_CLASSES = ",".join(
            f"{__name__}.{one.__name__}" for one in (Provided, InTree, UserWide)
        )
        try:
            yield
        finally:
            asked.CACHE_LOCATOR_CLASSES = before


def lock_cache_saves(function: Any) -> None:
    """Have no other process save what is compiled of a function at the same moment.

    What: `_cache.save_overload` of a dispatcher. Why: numba reads the list of what there is, and
    writes it with one more. Two that do it at once may give one file to two signatures, and code of
    the one is then run with arguments of the other.
    """
    kept = function._cache
    save = kept.save_overload

    def saved(signature: Any, data: Any) -> None:
        with (Path(kept.cache_path) / "saving.lock").open("ab") as file:
            if fcntl is not None:
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(file, fcntl.LOCK_EX)  # let go of as the file is closed
            save(signature, data)

    kept.save_overload = saved
