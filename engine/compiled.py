"""How the engine is compiled.

The loops over many actions and deals (`trace`, `run`, `count`) look alike in every game and are
written in each all the same: numba does not cache what is compiled from a closure, so one made
here for all would be compiled anew at every start.

Whoever reads a first file waits for all this, so nothing is compiled that nobody asked for: each
function once for all numbers it is called with, and what only other compiled ones call without what
Python would need.
"""

from functools import cached_property
from typing import Any

import numba.np.linalg
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import TargetConfig
from numba.core.typeinfer import register_dispatcher
from numba.core.types import unliteral

from engine.kept import Kept, KeptAsked


class Compiled(CPUDispatcher):
    """A function that Python and other compiled ones call."""

    kept = Kept

    def __init__(self, function: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(function, locals or {}, targetoptions or {})
        self._cache = self.kept(function)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What a compiled caller calls: the same for 3 as for any other whole number."""
        plain = {name: unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(map(unliteral, args)), plain)

    def compile(self, sig: Any) -> Any:
        try:
            return super().compile(sig)
        finally:
            self._cache.release()


class Asked(Compiled):
    """An `Inner` function as Python calls it."""

    kept = KeptAsked


class Inner(Compiled):
    """A function for other compiled ones; what Python needs to call it is made when it does."""

    def __call__(self, *args: Any) -> Any:
        return self.asked(*args)

    @cached_property
    def asked(self) -> Asked:
        return Asked(self.py_func, targetoptions=_ASKED)


_ASKED: dict[str, Any] = {"nopython": True, "boundscheck": None, "nogil": True}
_ASKED["no_cfunc_wrapper"] = True
_INNER: dict[str, Any] = {**_ASKED, "no_cpython_wrapper": True}


def compiled(function: Any) -> Any:
    """For functions that Python calls."""
    return Compiled(function, targetoptions=_ASKED)


def inner(function: Any) -> Any:
    """For functions that as a rule nothing but other compiled ones call."""
    return Inner(function, targetoptions=_INNER)


def inlined(function: Any) -> Any:
    """The same, put into its callers by force: a third faster in bulk."""
    return Inner(function, targetoptions={**_INNER, "forceinline": True})


def recursive(signature: str) -> Any:
    """Compile what calls itself: with its types told, or the next process could not load it."""

    def told(function: Any) -> Any:
        made = CPUDispatcher(function, {}, _ASKED)
        made._cache = kept = Kept(function)  # type: ignore[attr-defined]
        try:
            with register_dispatcher(made):  # it has no name yet by which it could call itself
                made.compile(signature)
        finally:
            kept.release()
        made.disable_compile()
        return made

    return told


def is_compiled(neighbour: Any, *names: str) -> bool:
    """Whether functions lie compiled, of the files as they are, beside another of their folder.

    Each is a `module.function`, which is not imported for that: what has its signature told is
    compiled when it is.
    """
    return all(map(neighbour._cache.is_beside, names))


def _same_options(one: TargetConfig, other: object) -> Any:
    """Whether two have the same options, whichever of them are told."""
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return one._values == other._values or one.values() == other.values()


def _of_options(one: TargetConfig) -> int:
    """The same for all, as it is in numba, which takes the names of all options together for it."""
    return hash(TargetConfig)


# numba looks up by its options each call it has to type, and made a dict of all of them for that: a
# fifth of the time that compiling takes
TargetConfig.__eq__ = _same_options  # type: ignore[method-assign]
TargetConfig.__hash__ = _of_options  # type: ignore[method-assign]


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
