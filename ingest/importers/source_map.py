"""Source maps of imports: the spreadsheet cell or the line of notes that each value came from."""

from collections.abc import Mapping
from typing import NamedTuple

from ingest.findings.finding import Finding
from ingest.i18n import N_, Translate


def place_in_sheet(t: Translate, where: str, sheet: str) -> str:
    """Describe a cell or line with its sheet, if the file has several."""
    if not sheet:
        return where
    text = N_("line {where} of “{sheet}”") if where.isdigit() else N_("{where} of “{sheet}”")
    return t(text, where=where, sheet=sheet)


class SourcePart(NamedTuple):
    """The source of a deal or of the match's head: its first line, and its cells."""

    line: str
    cells: Mapping[str, str] = {}  # column key → address; empty for notes
    sheet: str = ""


class SourceMap(NamedTuple):
    """The source positions of one match."""

    head: SourcePart
    deals: tuple[SourcePart, ...]

    def source_of(self, t: Translate, finding: Finding | None) -> str:
        """Describe the cell or line of a finding; the head's line for the whole match."""
        return place_in_sheet(t, *self.cell_of(finding))

    def cell_of(self, finding: Finding | None) -> tuple[str, str]:
        """Return the address of a finding's cell, or its line, and the sheet."""
        deal = None if finding is None else finding.deal_index
        part = self.head if deal is None or deal >= len(self.deals) else self.deals[deal]
        keys = [key for key in finding.path.split("/") if key] if finding else []
        keys = keys[2:] if keys[:1] == ["deals"] else keys
        keys = keys[1:] if keys[:1] == ["score_line"] else keys
        # the column it was read from, the most exact one; none if several are possible
        keys = next(([one] for one in reversed(keys) if one in part.cells), keys)
        own = [one for one in part.cells if keys and one.split(" ")[0] == keys[0]]
        if keys[:1] in (["points"], ["players"]) and keys[1:] and keys[1].isdigit():
            own = own and [f"{keys[0]} {int(keys[1]) + 1}"]
        elif len(own) > 1 and keys[0] not in ("points", "players"):
            own = []
        return part.cells.get(own[0], part.line) if own else part.line, part.sheet
