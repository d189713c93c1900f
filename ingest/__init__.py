"""From files to the store: read, decode, check in bulk, explain, store; and the command line.

For other programs: the names of `__all__`, which stay. They are loaded when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.api import Source, chance, check, check_text, solve
    from ingest.entry.reading import imported
    from ingest.entry.recorder import Recorder, Refused
    from ingest.finding.finding import Edit, Finding
    from ingest.i18n import Translate, translator
    from ingest.judge.report import MatchReport
    from ingest.judge.solved import SampledCard, SolvedDeal

__all__ = ["Edit", "Finding", "MatchReport", "Recorder", "Refused", "SampledCard", "SolvedDeal"]
__all__ += ["Source", "Translate", "chance", "check", "check_text", "imported", "solve"]
__all__ += ["translator"]

HOMES = {
    "ingest.api": ("Source", "chance", "check", "check_text", "solve"),
    "ingest.entry.reading": ("imported",),
    "ingest.entry.recorder": ("Recorder", "Refused"),
    "ingest.finding.finding": ("Edit", "Finding"),
    "ingest.i18n": ("Translate", "translator"),
    "ingest.judge.report": ("MatchReport",),
    "ingest.judge.solved": ("SampledCard", "SolvedDeal"),
}
"""Where each name is, found by its module's name: importing `ingest` loads none of them."""


def __getattr__(name: str) -> Any:
    for home, names in HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'ingest' has no attribute {name!r}")
