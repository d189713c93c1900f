"""The report of one validated match.

If its score sheet is wrong, the report includes the sheet as computed from the play.
"""

from dataclasses import dataclass, field
from typing import Any

from engine.match import winner_in_log
from ingest.findings.finding import MORE_FINDINGS, Finding, describe_place, finding_count
from ingest.i18n import Translate
from ingest.reader.files import MatchText, ReadError
from ingest.validate.match_checks import DECLARED_CODES
from ingest.validate.parse_document import document_finding
from ingest.validate.slow_path import ValidationResult


@dataclass(slots=True)
class MatchReport:
    """The verdict and findings of one match of a file. `line` counts from 1."""

    file: str
    line: int
    log_id: str | None
    match_id: str
    status: str
    findings: list[Finding] = field(default_factory=list)
    duplicate: bool = False
    sheet: "CorrectedSheet | None" = None
    """The right sheet from the first deal that differs; None if no deal does."""

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """Return the match's object in `--format jsonl`."""
        match = {"file": self.file, "line": self.line, "log_id": self.log_id, "status": self.status}
        return match | {
            "finding_count": finding_count(self.findings),
            "findings": [finding.as_dict(t) for finding in self.findings],
            "sheet": self.sheet.as_dict() if self.sheet else None,
        }


def report_of_result(file: str, text: MatchText, result: ValidationResult) -> MatchReport:
    """Return the report of a validated match, with the right sheet if its own differs."""
    own = result.match.id if result.match else None
    known_by = (own, result.match_id, result.status, result.findings)
    return MatchReport(file, text.line, *known_by, sheet=corrected_sheet(result))


def report_of_trouble(trouble: ReadError) -> MatchReport:
    """Return a report for a text that could not be read."""
    detail = {"problem": trouble.problem} if trouble.problem else {}
    values = trouble.code, trouble.found, trouble.legal
    finding = document_finding(*values, line=trouble.line, detail=detail)
    return MatchReport(trouble.file, trouble.line, None, "", "unreadable", [finding])


@dataclass(slots=True, frozen=True)
class CorrectedRow:
    """One deal of a sheet. Winners are as in a log: a seat or side from 1, 0 for none."""

    deal_index: int  # as in a finding
    manche: int | None
    partie: int | None
    written_points: list[int] | None
    written_winner: int | None
    points: list[int] | None  # as played; None if the deal is void or its end unknown
    winner: int | None
    score: list[int] | None  # of the match after this deal; None after an uncountable deal
    differs: bool

    def place(self, t: Translate) -> str:
        return describe_place(t, self.manche, self.partie, self.deal_index)

    def as_dict(self) -> dict[str, Any]:
        place = {"deal_index": self.deal_index, "manche": self.manche, "partie": self.partie}
        return place | {
            "written": {"points": self.written_points, "winner": self.written_winner},
            "played": {"points": self.points, "winner": self.winner},
            "score": self.score,
        }


@dataclass(slots=True, frozen=True)
class CorrectedSheet:
    """The deals of a match from the first one whose written points or winner differ."""

    rows: list[CorrectedRow]
    detail: dict[str, Any] = field(default_factory=dict)
    """The names of players and sides, as in a finding's `detail`."""

    def as_dict(self) -> dict[str, Any]:
        """Return the `sheet` object of `--format jsonl`."""
        return {"first_deal_index": self.rows[0].deal_index, "rows": [row.as_dict() for row in self.rows]}


def corrected_sheet(result: ValidationResult) -> CorrectedSheet | None:
    """Return the right sheet from the first wrong deal; None if no replayed deal is wrong."""
    differ = (one for one in result.findings if one.code in DECLARED_CODES)
    items = [
        one for one in differ if "open" not in one.detail and one.deal_index not in result.score_line_ends
    ]
    if not items or result.match is None or result.setup is None:
        return None
    if any(one.code == MORE_FINDINGS for one in result.findings):
        return None  # which deals differ is known of the explained findings only
    wrong = {finding.deal_index for finding in items}
    running = result.setup.game.kernel.RUNNING
    rows: list[CorrectedRow] = []
    known = True
    for index, deal in enumerate(result.match.deals):
        replay = result.replays[index]
        end = None if replay is None or deal.void else replay.last
        if end is not None and (end.state["outcome"] == running or "?" in end.points):
            end = None  # not over, or partly recorded
        known = known and (bool(deal.void) or end is not None)
        if index < (items[0].deal_index or 0):
            continue
        manche, partie = result.deal_positions[index]
        points = [int(point) for point in end.points] if end else None
        winner = winner_in_log(end.state) if end else None
        score = result.scores[index] if known else None
        written = deal.points, deal.winner
        rows.append(CorrectedRow(index, manche, partie, *written, points, winner, score, index in wrong))
    return CorrectedSheet(rows, items[0].detail)
