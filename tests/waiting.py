"""Waiting for what is to come, however slow the machine is."""

import time
from collections.abc import Callable

PATIENCE = 60.0
"""Seconds after which it does not come."""


def comes(true: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.05)
