"""Processes that begin with nothing of the program that begins them.

Python has a new process run the main module once more. While a page of the dashboard runs that is
the page, and in a test the test.
"""

import threading
from collections.abc import Callable
from functools import partial
from multiprocessing import spawn
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any

_one = threading.Lock()


def _bare(prepared: Callable[[str], dict[str, Any]], name: str) -> dict[str, Any]:
    """What a new process is told, without the main module."""
    return {key: told for key, told in prepared(name).items() if not key.startswith("init_main_")}


class BareProcess(SpawnProcess):
    """A process that imports what it is asked to do, and nothing else."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802
        with _one:
            prepared = spawn.get_preparation_data
            spawn.get_preparation_data = partial(_bare, prepared)
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                spawn.get_preparation_data = prepared


class Bare(SpawnContext):
    """How processes are begun, for `ProcessPoolExecutor`."""

    Process = BareProcess
