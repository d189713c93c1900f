"""What became of files, in four numbers that add up to all that was in them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ingest.finding.finding import STATUSES
from ingest.i18n import N_
from ingest.store.add import FileReport


class Part(NamedTuple):
    """One of the numbers, as pages and terminal say it."""

    label: str
    about: str
    n: int
    verdicts: Mapping[str, int] = MappingProxyType({})
    """Of those kept although something is wrong, how many of each verdict."""


class Outcome(NamedTuple):
    """What some files came to: each match, and each text that is none, is in one of the parts."""

    added: Part
    known: Part
    kept: Part
    refused: Part


def outcome(reports: Iterable[FileReport]) -> Outcome:
    """The reports of some files, counted together."""
    verdicts, known, refused = Counter[str](), 0, 0
    for report in reports:
        verdicts += report.by_status
        known += report.duplicates
        refused += report.refused
    legal = verdicts.pop("legal", 0)
    wrong = {verdict: verdicts[verdict] for verdict in STATUSES if verdicts[verdict]}
    return Outcome(
        Part(N_("added"), N_("Legal matches now in the store, to replay and to count."), legal),
        Part(N_("already there"), N_("Matches the store already had: nothing was added."), known),
        Part(
            N_("kept, not counted"),
            N_(
                "In the store with what is wrong, to replay as far as they go. No ladder counts "
                "them, and no figure their faulty deals."
            ),
            sum(wrong.values()),
            wrong,
        ),
        Part(N_("refused"), N_("Files and texts that are no logs: nothing is kept."), refused),
    )
