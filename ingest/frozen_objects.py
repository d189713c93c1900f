"""Takes what lives now out of the garbage collector's sight, and knows whether it has.

To ask the collector itself (`gc.get_freeze_count`) counts all that is frozen: for a server's code that
takes tens of milliseconds, which each file stored would take.
"""

import gc

_frozen = False


def are_frozen() -> bool:
    """Return whether `freeze` was called, and `unfreeze` not since then."""
    return _frozen


def freeze() -> None:
    """Have the collector no longer visit what lives now."""
    global _frozen
    gc.freeze()
    _frozen = True


def unfreeze() -> None:
    """Have the collector visit all objects again."""
    global _frozen
    gc.unfreeze()
    _frozen = False
