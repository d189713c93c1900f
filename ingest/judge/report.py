"""What one match of a file came to, for people and for programs."""

from dataclasses import dataclass, field
from typing import Any

from ingest.finding.finding import Finding
from ingest.i18n import Translate
from ingest.judge.document import document_finding
from ingest.judge.explain import Explained
from ingest.judge.sheet import Sheet, sheet
from ingest.text.files import Text, Trouble


@dataclass(slots=True)
class MatchReport:
    """What one match of a file came to. `line` counts from 1."""

    file: str
    line: int
    id: str | None
    match_id: str
    status: str
    findings: list[Finding] = field(default_factory=list)
    duplicate: bool = False
    sheet: Sheet | None = None
    """What the sheet would read from the first deal that differs, where one does."""

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `--format jsonl`."""
        return {
            "file": self.file,
            "line": self.line,
            "id": self.id,
            "status": self.status,
            "findings": [finding.as_dict(t) for finding in self.findings],
            "sheet": self.sheet.as_dict() if self.sheet else None,
        }


def clean_report(file: str, text: Text, log_id: str | None, match_id: str) -> MatchReport:
    """A match the bulk side vouches for; `log_id` is the id it gives itself."""
    return MatchReport(file, text.line, log_id, match_id, "legal")


def explained_report(file: str, text: Text, explained: Explained) -> MatchReport:
    """A match that was explained, with its sheet where that differs."""
    own = explained.match.id if explained.match else None
    known_by = (own, explained.match_id, explained.status, explained.findings)
    return MatchReport(file, text.line, *known_by, sheet=sheet(explained))


def trouble_report(trouble: Trouble) -> MatchReport:
    """What could not be read, as a report of its own."""
    finding = document_finding(trouble.code, trouble.found, trouble.legal)
    finding.line = trouble.line
    if trouble.problem:
        finding.detail = {"problem": trouble.problem}
    return MatchReport(trouble.file, trouble.line, None, "", "unreadable", [finding])
