"""Where a match was written down before it was a log: places of its file by those of the log."""

from collections.abc import Mapping
from typing import NamedTuple

from ingest.finding.finding import Finding


class Part(NamedTuple):
    """A deal, or what stands above the deals: the line it begins at, and the cells it has."""

    line: str
    cells: Mapping[str, str] = {}
    """Column by its key → address; none in notes."""


class Origin(NamedTuple):
    """The places of one match."""

    head: Part
    deals: tuple[Part, ...]

    def of(self, finding: Finding | None) -> str:
        """The cell or line a finding is about; of the match as a whole, where that begins."""
        if finding is None:
            return self.head.line
        deal = finding.deal
        part = self.head if deal is None or deal >= len(self.deals) else self.deals[deal]
        return part.cells.get(_column(finding.path, part), part.line)


def _column(path: str, part: Part) -> str:
    """The column a place of a log was read from; empty: several may be meant, or none."""
    keys = [key for key in path.split("/") if key]
    if keys[:1] == ["deals"]:
        keys = keys[2:]
    if keys[:1] == ["told"]:
        keys = keys[1:]
    if not keys:
        return ""
    own = [one for one in part.cells if one.split(" ")[0] == keys[0]]
    if keys[0] in ("points", "players") and own:
        return f"{keys[0]} {int(keys[1]) + 1}" if keys[1:] and keys[1].isdigit() else own[0]
    return own[0] if len(own) == 1 else ""
