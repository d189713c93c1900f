"""A fault of this program, for whoever serves it: what asked for the work has a sentence of it."""

import traceback
from collections.abc import Callable


def _printed(error: BaseException) -> None:
    traceback.print_exception(error)


hear: list[Callable[[BaseException], object]] = [_printed]
"""Who is told; a server that keeps a log of lines puts itself in its place."""


def tell(error: BaseException) -> None:
    """Tell of one."""
    for one in hear:
        one(error)
