"""How the engine is compiled.

The loops over many actions and deals (`trace`, `run`, `count`) look alike in every game and are
written in each all the same: numba does not cache what is compiled from a closure, so one made
here for all would be compiled anew at every start.
"""

from typing import Any

import numba.np.linalg
from numba import njit

compiled = njit(cache=True, nogil=True)
_UNWRAPPED: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner = njit(cache=True, nogil=True, **_UNWRAPPED)
"""For functions that nothing but other compiled ones call: they are compiled sooner."""
inlined = njit(cache=True, nogil=True, forceinline=True)  # a third faster in bulk


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
