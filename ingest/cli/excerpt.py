"""The line of a file a finding is about, cut to the terminal, its place underlined."""

from rich.cells import cell_len
from rich.text import Text

from ingest.finding.finding import Finding
from ingest.text.files import Text as Log
from ingest.text.signs import plain

CUT = "…"
BETWEEN = (", ", " ")
"""Where a line is best cut."""


class Excerpts:
    """Lines of one match's text; each is decoded once, for one may be megabytes long."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.lines = log.text.split(b"\n")
        self.decoded: dict[int, str] = {}

    def of(self, finding: Finding, width: int) -> list[Text]:
        """The line, after its number, and what underlines the place; nothing without a column."""
        if finding.line is None or finding.column is None:
            return []
        row = finding.line - self.log.line
        if not 0 <= row < len(self.lines):
            return []
        start = finding.column - (self.log.column if row == 0 else 1)
        end = start + (finding.end or finding.column + 1) - finding.column
        number = f"{finding.line} │ "
        line = self._line(row)
        margin = min(len(line) - len(line.lstrip()), start)
        room = width - len(number)
        before, itself, after = around(line[margin:], start - margin, end - margin, room)
        shown = Text(number, style="dim")
        shown.append(before).append(itself, style="bold not dim").append(after)
        under = Text(" " * (len(number) - 2) + "│ ", style="dim")
        under.append(" " * cell_len(before))
        return [shown, under.append("^" * max(1, cell_len(itself)), style="bold red not dim")]

    def _line(self, row: int) -> str:
        if row not in self.decoded:
            self.decoded[row] = self.lines[row].decode(errors="replace").rstrip("\r")
        return self.decoded[row]


def around(line: str, start: int, end: int, room: int) -> tuple[str, str, str]:
    """What a line has before, at and after a place, in as many cells as there is room for.

    What is cut off is marked, and is cut between words where there are any.
    """
    half = max(room // 2, 8)
    itself = _head(line[start : min(end, start + half + 1)], half)
    left = max(room - max(cell_len(itself), 1), 0)  # past the end of the line is a place too
    after_room = max(left // 3, left - cell_len(plain(line[max(0, start - left) : start])))
    after = _head(line[end : end + after_room + 1], after_room)
    room = left - cell_len(after)
    before = _tail(line[max(0, start - room - 1) : start], room)
    return before, itself, after


def _head(text: str, room: int) -> str:
    """The beginning of a text; what has room is shown whole."""
    shown = plain(text)
    if cell_len(shown) <= room:
        return shown
    while shown and cell_len(shown) > room - 1:
        shown = shown[:-1]
    for mark in BETWEEN:
        if (at := shown.rfind(mark)) > len(shown) // 2:
            shown = shown[: at + len(mark)]
            break
    return shown + CUT if room else ""


def _tail(text: str, room: int) -> str:
    """The end of a text, in the same way."""
    shown = plain(text)
    if cell_len(shown) <= room:
        return shown
    while shown and cell_len(shown) > room - 1:
        shown = shown[1:]
    for mark in BETWEEN:
        if 0 <= (at := shown.find(mark)) < len(shown) // 2:
            shown = shown[at + len(mark) - 1 :]
            break
    return CUT + shown if room else ""
