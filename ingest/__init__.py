"""Reads, validates, explains and stores logs; the Python API and the command line.

The names in `__all__` are the public API and stay stable. Each is loaded on first access.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ingest.api import Source, check, check_text, sample, solve
    from ingest.findings.finding import Edit, Finding
    from ingest.i18n import Translate, translator
    from ingest.importers.import_file import convert
    from ingest.recorder import InvalidMatchError, Recorder
    from ingest.validate.report import MatchReport
    from ingest.validate.solver_report import SampledCard, SolvedDeal

__all__ = ["Edit", "Finding", "InvalidMatchError", "MatchReport", "Recorder", "SampledCard", "SolvedDeal"]
__all__ += ["Source", "Translate", "check", "check_text", "convert", "sample", "solve"]
__all__ += ["translator"]

LAZY_EXPORTS = {
    "ingest.api": ("Source", "sample", "check", "check_text", "solve"),
    "ingest.importers.import_file": ("convert",),
    "ingest.recorder": ("Recorder", "InvalidMatchError"),
    "ingest.findings.finding": ("Edit", "Finding"),
    "ingest.i18n": ("Translate", "translator"),
    "ingest.validate.report": ("MatchReport",),
    "ingest.validate.solver_report": ("SampledCard", "SolvedDeal"),
}
"""The public names by defining module; importing `ingest` loads none of these modules."""


def __getattr__(name: str) -> Any:
    for home, names in LAZY_EXPORTS.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'ingest' has no attribute {name!r}")
