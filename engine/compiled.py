"""How the engine is compiled.

The loops over many actions and deals (`trace`, `run`, `count`) look alike in every game and are
written in each all the same: numba does not cache what is compiled from a closure, so one made
here for all would be compiled anew at every start.
"""

from pathlib import Path
from typing import Any

import numba.np.linalg
from numba import njit

compiled = njit(cache=True, nogil=True)
_UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(cache=True, nogil=True, **_UNWRAPPED)
"""For functions that nothing but other compiled ones call: they are compiled sooner."""


def recursive(signature: str) -> Any:
    """Compile what calls itself: with its types told, or the next process could not load it."""
    return njit(signature, cache=True, nogil=True)


inlined = njit(cache=True, nogil=True, forceinline=True)  # a third faster in bulk


def is_compiled(neighbour: Any, name: str) -> bool:
    """Whether a function lies compiled beside another of its folder: `module.function`.

    It is not imported for that: what is compiled by its signature is compiled when it is.
    """
    cache = neighbour.stats.cache_path
    return cache is not None and any(Path(cache).glob(f"{name}-*.nbi"))


def _no_algebra() -> None:
    """Say that SciPy is not there; no kernel has a matrix to multiply."""
    raise ImportError


# numba loads all of scipy.linalg with the first compiled function, a fifth of the time that a
# match takes to be checked by a program of its own
_ensure, numba.np.linalg.ensure_blas = numba.np.linalg.ensure_blas, _no_algebra
try:
    import numba.np.arraymath  # asks once, when it is imported
finally:
    numba.np.linalg.ensure_blas = _ensure
