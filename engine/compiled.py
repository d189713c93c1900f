"""How the engine is compiled.

The loops over many actions and deals (`trace`, `run`, `count`) look alike in every game and are
written in each all the same: numba does not cache what is compiled from a closure, so one made
here for all would be compiled anew at every start.
"""

from numba import njit

compiled = njit(cache=True, nogil=True)
inlined = njit(cache=True, nogil=True, forceinline=True)  # a third faster in bulk
