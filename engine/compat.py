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
except ImportError:  # no such locks on this system: concurrent saves are possible
    fcntl = None  # type: ignore[assignment]

ENGINE_FOLDER = Path(__file__).parent


def outermost_package(file: Path) -> Path:
    """Return the folder of a module's outermost package; the module's file if it has none.

    A folder of pytest (`conftest.py`) does not count: kernels contain no code of tests, which
    change often.
    """
    found = file
    while (found.parent / "__init__.py").exists() and not (found.parent / "conftest.py").exists():
        found = found.parent
    return found


def module_files(package: Path) -> list[Path]:
    """Return the Python files of a package, or the file of a single module."""
    return sorted(package.rglob("*.py")) if package.is_dir() else [package]


@cache
def _source_hash(of: Path) -> str:
    """Return a hash of the modification times and sizes of a package's modules."""
    state = blake2b(digest_size=16)
    for module in filter(Path.is_file, module_files(of)):  # other code may not come from a file
        seen, name = module.stat(), module.relative_to(of).as_posix()
        state.update(repr((name, seen.st_mtime_ns, seen.st_size)).encode())
    return state.hexdigest()


class _SourceStampedLocator:
    """A cache locator that checks all files a compiled function may contain code from.

    What: `numba.core.caching` has a locator for each cache folder; `NUMBA_CACHE_LOCATOR_CLASSES`
    names others. Why: numba checks only the function's own file, so code inlined from other files
    would get stale; here any change in the engine or in the function's package counts.
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
    """Caches in the folder that NUMBA_CACHE_DIR names."""


class InTree(_SourceStampedLocator, InTreeCacheLocator):
    """Caches next to the module."""


class UserWide(_SourceStampedLocator, UserWideCacheLocator):
    """Caches in the user's cache folder."""


_DECORATING_LOCK = threading.RLock()


@contextmanager
def source_stamped_cache() -> Iterator[None]:
    """Context in which decorated functions use the locators above; one thread at a time.

    The setting is global to all threads. Also, numba finds a recursive function by its bare name
    while compiling it, even if another thread has defined that name.
    """
    led: Any = config
    with _DECORATING_LOCK:
        before = led.CACHE_LOCATOR_CLASSES
        led.CACHE_LOCATOR_CLASSES = ",".join(
            f"{__name__}.{one.__name__}" for one in (Provided, InTree, UserWide)
        )
        try:
            yield
        finally:
            led.CACHE_LOCATOR_CLASSES = before


def lock_cache_saves(function: Any) -> None:
    """Prevent processes from saving a function's compiled code at the same time.

    What: `_cache.save_overload` of a dispatcher. Why: numba reads the cache index and writes it
    back with one more entry. Two processes doing so at once may give one file to two signatures;
    code for one is then run with arguments of the other.
    """
    remaining = function._cache
    save = remaining.save_overload

    def saved(signature: Any, data: Any) -> None:
        with (Path(remaining.cache_path) / "saving.lock").open("ab") as file:
            if fcntl is not None:
                with suppress(OSError):  # a file system without locks
                    fcntl.flock(file, fcntl.LOCK_EX)  # released when the file is closed
            save(signature, data)

    remaining.save_overload = saved
