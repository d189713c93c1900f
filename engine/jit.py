"""How functions are compiled with numba and where their code is cached."""

from pathlib import Path
from typing import Any

from numba import njit

from engine import compat


def compiled(function: Any, **options: Any) -> Any:
    """Compile a function, and cache it on disk for later processes.

    Any change to a file of the engine or of the function's own package invalidates the cache.
    """
    with compat.source_stamped_cache():
        made = njit(cache=True, nogil=True, **options)(function)
    compat.lock_cache_saves(made)
    return made


def inlined(function: Any) -> Any:
    """Compile a function that is always inlined into its callers: a third faster in bulk."""
    return compiled(function, forceinline=True)


def recursive(signature: str) -> Any:
    """Compile a recursive function, with a signature because numba could not cache it without."""

    def decorate(function: Any) -> Any:
        with compat.source_stamped_cache():
            return njit(signature, cache=True, nogil=True)(function)

    return decorate


def is_compiled(function: Any, *others: str) -> bool:
    """Return whether a function, or `others` from its folder instead, is cached and up to date.

    `others` are names such as `module.function`. They are not imported, because importing a
    function with a signature compiles it.
    """
    file, name = Path(function.py_func.__code__.co_filename), function.py_func.__qualname__
    parts = (compat.ENGINE_FOLDER, compat.outermost_package(file))
    changed = max(one.stat().st_mtime for part in parts for one in compat.module_files(part))
    folder = Path(function.stats.cache_path)
    return all(
        any(remaining.stat().st_mtime >= changed for remaining in folder.glob(f"{other}-*.nbi"))
        for other in others or (f"{file.stem}.{name}",)
    )
