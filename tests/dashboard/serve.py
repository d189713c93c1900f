"""The dashboard's server, which shows one store after another: each line of its input names one.

`python -m tests.dashboard.serve --store PATH --port N` takes what `python -m dashboard` takes. A
server takes seconds to start and to have its first page ready, so the tests start one a worker.
"""

import os
import runpy
import sys
from threading import Thread

SHOWS = "the next page shows "  # as tests.dashboard.browser, which loads what drives Chromium


def follow() -> None:
    """Each page asks RETOURNE_STORE which store it shows, and keeps what it read of each apart."""
    for line in sys.stdin:
        os.environ["RETOURNE_STORE"] = line.rstrip("\n")
        print(SHOWS + line, end="", flush=True)


if __name__ == "__main__":
    Thread(target=follow, daemon=True).start()
    # as `python -m dashboard`: Streamlit looks for its settings beside the module that is run
    runpy.run_module("dashboard", run_name="__main__", alter_sys=True)
