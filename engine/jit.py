"""How functions are compiled with numba and where their code is cached."""

from pathlib import Path
from typing import Any

from numba import njit

from engine import compat


def compiled(function: Any, **options: Any) -> Any:
    """Compile a function, and keep it for the processes that follow.

    What is kept is of the files as they are: any change in the engine or in the function's own
    package has it compiled anew.
    """
    with compat.source_stamped_cache():
        made = njit(cache=True, nogil=True, **options)(function)
    compat.lock_cache_saves(made)
    return made


def inlined(function: Any) -> Any:
    """The same, put into its callers by force: a third faster in bulk."""
    return compiled(function, forceinline=True)


def recursive(signature: str) -> Any:
    """Compile what calls itself: with its types told, or the next process could not load it."""

    def told(function: Any) -> Any:
        with compat.source_stamped_cache():
            return njit(signature, cache=True, nogil=True)(function)

    return told


def is_compiled(function: Any, *others: str) -> bool:
    """Whether a function lies compiled of the files as they are, or others of its folder instead.

    Each of those is a `module.function`, which is not imported for that: what has its signature
    told is compiled when it is.
    """
    file, name = Path(function.py_func.__code__.co_filename), function.py_func.__qualname__
    parts = (compat.ENGINE_FOLDER, compat.outermost_package(file))
    changed = max(one.stat().st_mtime for part in parts for one in compat.module_files(part))
    folder = Path(function.stats.cache_path)
    return all(
        any(kept.stat().st_mtime >= changed for kept in folder.glob(f"{other}-*.nbi"))
        for other in others or (f"{file.stem}.{name}",)
    )
