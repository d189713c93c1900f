"""The dashboard's server, which shows one store after another: each line of its input names one.

`python -m tests.dashboard.serve --store PATH --port N` takes what `python -m dashboard` takes. A
server takes seconds to start and to have its first page ready, so the tests start one a worker.
"""

import os
import runpy
import sys
from pathlib import Path
from threading import Thread

from dashboard.server import lifecycle
from js import build

# as tests.dashboard.browser, which loads what drives Chromium
SHOWS, LOOKED = "the next page shows ", "looked at the names of "
_looked_at = set[str]()
_names_version = lifecycle._names_version


def follow() -> None:
    """Each page asks RETOURNE_STORE which store it shows, and keeps what it read of each apart."""
    for line in sys.stdin:
        os.environ["RETOURNE_STORE"] = line.rstrip("\n")
        _looked_at.clear()
        print(SHOWS + line, end="", flush=True)


def look() -> tuple[str, tuple[int, int]]:
    """Look for changed names; print a line after the first look at the store that is shown."""
    path, version = _names_version()
    if path not in _looked_at:
        _looked_at.add(path)
        print(f"{LOOKED}{path}", flush=True)
    return path, version


if __name__ == "__main__":
    if package := os.environ.get("TESTS_JS_DIST"):
        build.DIST = Path(package)
    lifecycle._names_version = look
    Thread(target=follow, daemon=True).start()
    # as `python -m dashboard`: Streamlit looks for its settings beside the module that is run
    runpy.run_module("dashboard", run_name="__main__", alter_sys=True)
