"""Counts what became of ingested files: added, already stored, rejected."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ingest.findings.finding import STATUSES
from ingest.i18n import N_, Translate
from ingest.store.ingest_files import FileReport, RelatedMatch
from ingest.store.match_comparison import DIFFERENCE_TEXTS, OnConflict, Relation
from ingest.validate.report import MatchReport
from ingest.validate.result_checks import RESULT_ONLY


class OutcomePart(NamedTuple):
    """One of the four counts, as pages and terminal show it."""

    label: str
    tooltip: str
    n: int
    verdicts: Mapping[str, int] = MappingProxyType({})
    """Matches stored with findings, per verdict."""
    details: Mapping[str, int] = MappingProxyType({})
    """Further counts: a text, which may contain `{n}` → its number."""


class IngestSummary(NamedTuple):
    """The outcome of some files: each match and each refused text counts in exactly one part."""

    added: OutcomePart
    already_stored: OutcomePart
    stored_with_findings: OutcomePart
    rejected: OutcomePart


UPLOAD_UNDONE = N_("undone with the upload: {n}")
DETAIL_TEXTS = {
    Relation.SAME_MATCH: N_("the same match in another log: {n}"),
    Relation.BEGINNING: N_("beginnings of others: {n}"),
    Relation.PART: N_("parts of others: {n}"),
    Relation.CONFLICT: N_("not added, another play has their id: {n}"),
}
"""Counters of the matches that were not added."""
RELATION_TEXTS = {
    Relation.SAME_MATCH: N_("the same match as {id}; it differs in: {differences}"),
    Relation.BEGINNING: N_("already there: the beginning of {id}"),
    Relation.PART: N_("already there: a part of {id}"),
    Relation.CONTINUED: N_("goes on where {id} stops, and takes its place"),
    Relation.WHOLE: N_("has all deals of {id} and those before them, and takes its place"),
    Relation.CONFLICT: N_("has the log id of {id}, and its source or its players, but another play"),
    Relation.OTHER_NAMES: N_("may be the same match as {id}, whose players are named otherwise"),
    Relation.SAME_RESULT: N_("may be the same match as {id}: of one or both, no card was written down"),
    Relation.OVERLAP: N_("may be the same match as {id}: some of its deals are there"),
    Relation.SHEET_OF_LOG: N_("the sheet or result of {id}, whose log counts in its place"),
    Relation.OTHER_VIEW: N_(
        "has the same acts as {id}, and may be another view of it: retourne merge makes one log of both"
    ),
}
LIKELY_TEXTS = {
    Relation.SAME_RESULT: N_("One or both have no cards."),
    Relation.OVERLAP: N_("They have deals in common."),
    Relation.OTHER_VIEW: N_(
        "All acts are the same, and one does not know all cards: retourne merge makes one log of both."
    ),
    Relation.OTHER_NAMES: N_("The play is the same, the players are not."),
}
"""Why two stored matches may be one."""
SHEET_COUNTS = N_("the sheet or result of {id}, whose log is not rated: this one counts in results")
OTHER_POINTS = N_("other points in deals: {deals}")
DECISION_TEXTS = {
    OnConflict.KEEP: N_("not added"),
    OnConflict.REPLACE: N_("added in its place"),
    OnConflict.BOTH: N_("added next to it"),
}
NO_DIFFERENCE = N_("nothing that is shown")
SHEET_TEXTS = {
    RESULT_ONLY: N_("results only: {n}"),
    "unverified": N_("score sheets: {n}"),
    "incomplete": N_("noted in part, counted by their results: {n}"),
}
REPLACED = N_("in the place of earlier versions: {n}")

MERGES_UNDONE = N_("merges of players undone, since both sit at one table: {n}")


def summarize(reports: Iterable[FileReport], is_undone: bool = False) -> IngestSummary:
    """Count the reports of some files together; `is_undone`: the matches they added were deleted."""
    every = FileReport("")
    for report in reports:
        every.add_counts(report)
    rejected, sheets = every.rejected, +every.sheets
    counted = {one: every.by_status[one] - sheets[one] for one in STATUSES}
    good = counted.pop("legal") + sheets.total()
    wrong = {one: n for one, n in counted.items() if n}
    parts = IngestSummary(
        OutcomePart(
            N_("added"),
            N_("Legal matches now in the store, results and score sheets among them."),
            good,
            details=({REPLACED: every.replaced} if every.replaced else {})
            | ({MERGES_UNDONE: len(every.merges_undone)} if every.merges_undone else {})
            | {text: sheets[one] for one, text in SHEET_TEXTS.items() if sheets[one]},
        ),
        OutcomePart(
            N_("already there"),
            N_("Matches the store had before, or from these files: nothing was added."),
            every.duplicates,
            details={DETAIL_TEXTS[one]: n for one, n in every.not_added.items() if n and one in DETAIL_TEXTS}
            | ({N_("of these, twice in these files: {n}"): every.repeated} if every.repeated else {}),
        ),
        OutcomePart(
            N_("added with findings"),
            N_(
                "In the store with their findings, to replay as far as possible. Ladders and matches "
                "won exclude them; their legal deals count."
            ),
            sum(wrong.values()),
            wrong,
        ),
        OutcomePart(
            N_("refused"),
            N_("Files and texts that are not logs: not stored."),
            rejected,
            details={N_("files or texts, not matches"): rejected} if rejected else {},
        ),
    )
    if not is_undone:
        return parts
    return parts._replace(
        added=_as_undone(parts.added), stored_with_findings=_as_undone(parts.stored_with_findings)
    )


def _as_undone(part: OutcomePart) -> OutcomePart:
    """Return a part whose matches were deleted from the store again."""
    return part._replace(n=0, verdicts={}, details={UPLOAD_UNDONE: part.n} if part.n else {})


def report_as_json(t: Translate, report: FileReport) -> dict[str, Any]:
    """Return a file as `--format jsonl` writes it: its counts and its refused texts."""
    found = summarize([report])
    return {
        "file": report.name,
        "added": found.added.n,
        "score_sheets": dict(+report.sheets),
        "already_stored": found.already_stored.n,
        "repeated": report.repeated,
        "stored_with_findings": dict(found.stored_with_findings.verdicts),
        "relations": {str(one): n for one, n in report.relations.items()},
        "replaced": report.replaced,
        "merges_undone": report.merges_undone,
        "related": [related_as_json(t, one) for one in report.related],
        "rejected": found.rejected.n,
        "rejected_texts": [one.as_dict(t) for one in rejected_texts(report)],
    }


def related_sentence(t: Translate, one: RelatedMatch, name: str = "") -> str:
    """Return how a match relates to a stored one, and whether it was stored.

    `name` denotes the stored one, by default the beginning of its id.
    """
    found = one.duplicate
    differing = ", ".join(t(DIFFERENCE_TEXTS.get(key, key)) for key in found.differences) or t(NO_DIFFERENCE)
    own = RELATION_TEXTS[found.relation] if found.log_counts is not False else SHEET_COUNTS
    text = t(own, id=name or found.other_id[:8], differences=differing)
    if found.deals:
        text = f"{text} – {t(OTHER_POINTS, deals=', '.join(map(str, found.deals)))}"
    if found.relation in (Relation.SAME_MATCH, Relation.CONFLICT):
        text = f"{text} – {t(DECISION_TEXTS[found.decision])}"
    return text


def related_as_json(t: Translate, one: RelatedMatch) -> dict[str, Any]:
    """Return what a match is to a stored one as `--format jsonl` writes it."""
    found = one.duplicate
    return {
        "line": one.line,
        "log_id": one.log_id,
        "match_id": one.match_id,
        "relation": str(found.relation),
        "other_id": found.other_id,
        "differences": list(found.differences),
        "deals": list(found.deals),
        "log_counts": found.log_counts,
        "added": found.is_added,
        "decision": str(found.decision),
        "text": related_sentence(t, one),
    }


def rejected_texts(report: FileReport) -> list[MatchReport]:
    """Return reports of a file's texts that are not matches: too long a line, an empty file."""
    return [item for item in report.reports if not item.match_id]
