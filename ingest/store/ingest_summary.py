"""What became of files, in four numbers that add up to all that was in them."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ingest.findings.finding import STATUSES
from ingest.i18n import N_, Translate
from ingest.store.ingest_files import FileReport
from ingest.validate.report import MatchReport


class Part(NamedTuple):
    """One of the numbers, as pages and terminal say it."""

    label: str
    about: str
    n: int
    verdicts: Mapping[str, int] = MappingProxyType({})
    """Of those kept although something is wrong, how many of each verdict."""
    besides: Mapping[str, int] = MappingProxyType({})
    """What else is to be known of them: a text that may say `{n}` → how many."""


class Outcome(NamedTuple):
    """What some files came to: each match, and each text that is none, is in one of the parts."""

    added: Part
    known: Part
    kept: Part
    refused: Part


TWICE = N_("twice in these files: {n}")
UNDONE = N_("undone with the upload: {n}")
ON_SHEETS = N_("on score sheets: {n}, for results that count them")
NO_MATCHES = N_("files or texts, not matches")


def outcome(reports: Iterable[FileReport], undone: bool = False) -> Outcome:
    """The reports of some files, counted together; `undone`: what they added was deleted again."""
    every = FileReport("")
    for report in reports:
        every.count(report)
    legal, refused = every.by_status["legal"], every.refused
    wrong = {one: every.by_status[one] for one in STATUSES[1:] if every.by_status[one]}
    parts = Outcome(
        Part(N_("added"), N_("Legal matches now in the store, to replay and to count."), legal),
        Part(
            N_("already there"),
            N_("Matches the store had before, or from these files: nothing was added."),
            every.duplicates,
            besides={TWICE: every.twice} if every.twice else {},
        ),
        Part(
            N_("kept, not counted"),
            N_(
                "In the store with what is wrong, to replay as far as they go. No ladder counts "
                "them, and no figure their faulty deals."
            ),
            sum(wrong.values()),
            wrong,
            {ON_SHEETS: every.sheets} if every.sheets else {},
        ),
        Part(
            N_("refused"),
            N_("Files and texts that are no logs: nothing is kept."),
            refused,
            besides={NO_MATCHES: refused} if refused else {},
        ),
    )
    if not undone:
        return parts
    return parts._replace(added=_undone(parts.added), kept=_undone(parts.kept))


def _undone(part: Part) -> Part:
    """A number of matches that are in the store no longer."""
    return part._replace(n=0, verdicts={}, besides={UNDONE: part.n} if part.n else {})


def as_object(t: Translate, report: FileReport) -> dict[str, Any]:
    """A file as `--format jsonl` writes it: the four numbers, and what could not be stored."""
    found = outcome([report])
    return {
        "file": report.name,
        "added": found.added.n,
        "known": found.known.n,
        "twice": report.twice,
        "kept": dict(found.kept.verdicts),
        "refused": found.refused.n,
        "unstored": [one.as_dict(t) for one in unstored(report)],
    }


def unstored(report: FileReport) -> list[MatchReport]:
    """What in a file was no text of a match: a bomb, a line too long, an empty file."""
    return [told for told in report.reports if not told.match_id]
