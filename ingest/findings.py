"""What was found in a log: code, rule, place, what stood there, what was legal."""

from dataclasses import asdict, dataclass, field
from typing import Any

from ingest.i18n import Translate
from ingest.messages import say

ERROR, WARNING = "error", "warning"
STATUSES = ("legal", "irregular", "incomplete", "broken", "unreadable")
"""From best to worst; a match has the worst of its deals."""


@dataclass(slots=True)
class Finding:
    """One thing wrong with a match. `deal` and `action` count from 0, `seat` from 1."""

    code: str
    rule: str
    severity: str
    path: str
    """JSON pointer into the match."""
    deal: int | None = None
    action: int | None = None
    seat: int | None = None
    found: Any = None
    legal: Any = None
    detail: dict[str, Any] = field(default_factory=dict)
    """What a sentence needs besides: the player's name, the suit led …"""

    def message(self, t: Translate) -> str:
        """A sentence a player understands."""
        return say(t, self)

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """The finding as `--format jsonl` writes it."""
        plain = asdict(self)
        del plain["detail"]
        return plain | {"message": self.message(t)}


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

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """One object of `--format jsonl`."""
        return {
            "file": self.file,
            "line": self.line,
            "id": self.id,
            "status": self.status,
            "findings": [finding.as_dict(t) for finding in self.findings],
        }


def worst(statuses: list[str]) -> str:
    """The worst of some statuses, `legal` of none."""
    return max(statuses, key=STATUSES.index, default="legal")
