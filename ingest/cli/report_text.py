"""Reports of matches as lines of text: what is wrong, where, what led to it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ingest.cli.common import console, folded
from ingest.findings.codes import record
from ingest.findings.finding import ERROR, NOTE, STATUSES, WARNING, Finding
from ingest.findings.fix_text import SEVERAL, UNSEARCHED, speak_candidates, speak_edit
from ingest.findings.rulebook import page_of
from ingest.findings.spoken_notation import (
    COUNTED,
    speak_action,
    speak_seat,
    speak_winner,
    speak_word,
)
from ingest.i18n import N_, Translate
from ingest.reader.escaping import plain
from ingest.reader.files import Text as Log
from ingest.validate.report import MatchReport, Sheet
from ingest.validate.slow_path import Explained

MOST_FINDINGS = 10
"""Findings told of one match in text, unless `--limit` says otherwise."""
BEFORE = 4
"""Actions shown before the one that has a finding."""
STATUS = {
    "legal": N_("legal"),
    "unproven": N_("unproven"),
    "irregular": N_("irregular"),
    "incomplete": N_("incomplete"),
    "broken": N_("broken"),
    "unreadable": N_("unreadable"),
}
STYLE = {
    "legal": "green",
    "unproven": "cyan",
    "irregular": "yellow",
    "incomplete": "yellow",
    "broken": "red",
    "unreadable": "red",
}
SEVERITY = {ERROR: "red", WARNING: "yellow", NOTE: "cyan"}
HAND_OF = N_("Hand of {who}: {hand}")
PREFIX = {WARNING: N_("warning: ")}
Where = Callable[[Finding | None], str]
"""The place of a finding, or of its match, in a file that is no log."""
CUT = "…"
CLEAN = ("legal", "unproven")
"""Statuses of matches in which nothing wrong was found."""
HEAD = N_("From {place} on the sheet reads:")
WRITTEN = N_("(written: {values})")


class Excerpts:
    """Lines of one match's text; each is decoded once, for one may be megabytes long."""

    def __init__(self, log: Log) -> None:
        self.log, self.lines = log, log.text.split(b"\n")
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
        if row not in self.decoded:
            self.decoded[row] = self.lines[row].decode(errors="replace").rstrip("\r")
        line = self.decoded[row]
        margin = min(len(line) - len(line.lstrip()), start)
        room = width - len(number)
        before, itself, after = around(line[margin:], start - margin, end - margin, room)
        shown = Text(number, style="dim")
        shown.append(before).append(itself, style="bold not dim").append(after)
        under = Text(" " * (len(number) - 2) + "│ ", style="dim")
        under.append(" " * cell_len(before))
        return [shown, under.append("^" * max(1, cell_len(itself)), style="bold red not dim")]


def around(line: str, start: int, end: int, room: int) -> tuple[str, str, str]:
    """What a line has before, at and after a place, in as many cells as there is room for.

    What is cut off is marked, and is cut between words where there are any.
    """
    half = max(room // 2, 8)
    itself = _cut(line[start : min(end, start + half + 1)], half)
    left = max(room - max(cell_len(itself), 1), 0)  # past the end of the line is a place too
    after_room = max(left // 3, left - cell_len(plain(line[max(0, start - left) : start])))
    after = _cut(line[end : end + after_room + 1], after_room)
    room = left - cell_len(after)
    before = _cut(line[max(0, start - room - 1) : start], room, end=True)
    return before, itself, after


def _cut(text: str, room: int, end: bool = False) -> str:
    """The beginning of a text, or its end; what has room is shown whole."""
    shown = plain(text)
    if cell_len(shown) <= room:
        return shown
    if not room:
        return ""
    while shown and cell_len(shown) > room - 1:
        shown = shown[1:] if end else shown[:-1]
    for mark in (", ", " "):  # where a line is best cut
        at = shown.find(mark) if end else shown.rfind(mark)
        if end and 0 <= at < len(shown) // 2:
            return CUT + shown[at + len(mark) - 1 :]
        if not end and at > len(shown) // 2:
            return shown[: at + len(mark)] + CUT
    return CUT + shown if end else shown + CUT


def block(
    t: Translate,
    report: MatchReport,
    explained: Explained | None = None,
    log: Log | None = None,
    most: int = MOST_FINDINGS,
    where: Where | None = None,
) -> Iterator[Text]:
    """A match that is not clean: a head line, then its findings, 0 for all of them.

    Of each place, sentence, what led there and source: that wants what it was explained with, and
    the text of the log. `where` is of a match that was written down otherwise.
    """
    yield head(t, report, where)
    told, out = report.findings[: most or None], console()
    source = None if log is None else Excerpts(log)
    margin = len(str(min(len(report.findings), 99))) + 3
    for number, finding in enumerate(told, 1):
        place = Text(finding.place(t))
        if finding.column is not None or place:  # else the head line says where
            if where is not None:
                at = where(finding)
            else:  # `club.jsonl:3:1245`, which terminals open at a click
                column = "" if finding.column is None else f":{finding.column}"
                at = f"{report.file}:{finding.line or report.line}{column}"
            line = Text(f"{number:>{margin - 2}} ", style=SEVERITY[finding.severity])
            line.append(" ").append(plain(at), "bold")
            beside = line.cell_len + place.cell_len + 2 <= out.width or not out.is_read
            yield line.append("  ").append(place) if place and beside else line
            if place and not beside:
                yield from wrapped(place, " " * margin, out.width)
        for piece in _about(t, finding, explained):
            yield from wrapped(piece, " " * margin, out.width)
        for line in source.of(finding, out.width - margin) if source is not None else ():
            yield Text(" " * margin).append(line)
        if finding.follows is not None:
            comes_of = t("May come of finding {n}.", n=finding.follows + 1)
            yield from wrapped(Text(comes_of, style="dim"), " " * margin, out.width)
    if more := len(report.findings) - len(told):
        yield Text("  " + t("… and {n} more; --limit 0 tells all.", n=more), style="dim")


def _about(t: Translate, finding: Finding, explained: Explained | None) -> Iterator[Text]:
    """What is said of a finding: its sentence, what led there, the hand, what mends it."""
    yield sentence(t, finding)
    if explained is not None and (led := context(t, finding, explained)) is not None:
        yield led
    if finding.hand is not None and "{hand}" not in record(finding.code, finding.game).sentence:
        game = finding.game or None
        hand = " ".join(speak_word(t, card, game) for card in finding.hand) or "–"
        turn = finding.detail.get("turn")
        who = speak_seat(t, turn, finding.detail.get("names", [])) if turn else ""
        told = t(HAND_OF, who=who, hand=hand) if turn else t("Hand: {hand}", hand=hand)
        yield Text(plain(told), style="dim")
    if finding.edit is not None:
        yield Text("→ " + plain(speak_edit(t, finding)), style="green")
    if finding.candidates:
        yield Text(t(SEVERAL), style="green")
        for number, said in enumerate(speak_candidates(t, finding), 1):
            yield Text(f"  {number}. " + plain(said))
    if not finding.searched:
        yield Text(t(UNSEARCHED), style="dim")


def sentence(t: Translate, finding: Finding) -> Text:
    """`Jean plays 9♥ but can follow suit and must. Legal: 7♦, 10♦. [CH-8]`, the id a link."""
    line = Text()
    if prefix := PREFIX.get(finding.severity):
        line.append(t(prefix), style=SEVERITY[finding.severity])
    line.append(plain(finding.message(t))).append(" ")
    link = page_of(finding.rule, t.language)
    style = Style(dim=True, link=f"{link.as_uri()}#{finding.rule.lower()}" if link else None)
    return line.append(f"[{finding.rule}]", style=style)


def wrapped(text: Text, indent: str, width: int) -> Iterator[Text]:
    """A text in the lines of a terminal, each indented; where there is none it is one line."""
    if not console().is_read:
        yield Text(indent).append(text)
        return
    yield from folded(text, width, indent)


def head(t: Translate, report: MatchReport, where: Where | None = None) -> Text:
    """`club.jsonl:3 lavardin-t12-r3 irregular`."""
    at = f"{report.file}:{report.line}" if where is None else where(None)
    line = Text(plain(at), style="bold")
    if report.id is not None:
        line.append(" " + plain(report.id), style="not bold")
    return line.append(" ").append(t(STATUS[report.status]), style=STYLE[report.status])


def finding_line(t: Translate, finding: Finding) -> Text:
    """`manche 1, partie 2, trick 7, card 2: Jean plays … [CH-8]`."""
    line = Text("  ")
    if where := finding.place(t):
        line.append(t("{where}: ", where=where), style="bold")
    return line.append(sentence(t, finding))


def context(t: Translate, finding: Finding, explained: Explained) -> Text | None:
    """The few actions before a finding, and its own, by who acted."""
    if explained.match is None or finding.deal is None or finding.action is None:
        return None
    actions = explained.match.deals[finding.deal].actions
    if not 0 < finding.action < len(actions):
        return None
    names = [player.called for player in explained.match.players]
    game = explained.match.game
    first = max(0, finding.action - BEFORE)
    line = Text("… " if first else "", style="dim")
    for at in range(first, finding.action):
        line.append(acted(t, actions[at], names, game) + " · ")
    return line.append("▸ " + acted(t, actions[finding.action], names, game), style="not dim")


def acted(t: Translate, action: str, names: Sequence[str], game: str | None = None) -> str:
    """`Jean R♦`: who did what, as an action is told where little room is."""
    seat, _, _ = action.partition(" ")
    if seat.isascii() and seat.isdigit() and 0 < int(seat[:9]) <= len(names):
        said = speak_action(t, action, game)
        return plain(f"{names[int(seat) - 1]} {said.removeprefix(seat + ' ')}")
    return plain(action)


def summary(t: Translate, counts: Mapping[str, int], warnings: int) -> Text:
    """`Matches: 12 · legal: 10 · irregular: 2`."""
    line = Text(t("Matches: {n}", n=sum(counts.values())), style="bold")
    for status in STATUSES:
        if counts.get(status):
            line.append(" · ").append(t(COUNTED[status], n=counts[status]), style=STYLE[status])
    if warnings:
        line.append(" · ").append(t("warnings: {n}", n=warnings), style="yellow")
    return line


class Tally:
    """What a run came to, and the exit code that says so."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.warnings = 0
        self.unread = 0
        """Files that could not even be read."""

    def add(self, report: MatchReport) -> None:
        self.statuses[report.status] += 1
        self.warnings += sum(finding.severity == WARNING for finding in report.findings)
        self.unread += any(finding.code == "cannot-read" for finding in report.findings)

    @property
    def clean(self) -> bool:
        """Nothing wrong was found in any match, whether or not all of it could be checked."""
        return not sum(self.statuses.values()) - sum(self.statuses[one] for one in CLEAN)


def sheet_lines(t: Translate, sheet: Sheet, most: int) -> Iterator[Text]:
    """A head line, then of `most` deals, 0 for all, place, points, who takes it, score after it."""

    def points(some: list[int] | None) -> str:
        return "–" if some is None else " – ".join(map(str, some))

    def winner(side: int | None) -> str:
        return plain(speak_winner(t, side, sheet.detail))

    width, told = console().width, sheet.rows[: most or None]
    yield from wrapped(Text(t(HEAD, place=sheet.rows[0].place(t)), style="bold"), "  ", width)
    cells = []
    for row in told:
        takes = "–" if row.points is None else winner(row.winner)
        cells.append([row.place(t), points(row.points), takes, points(row.score)])
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row, texts in zip(told, cells, strict=True):
        padded = (text + " " * (w - cell_len(text)) for text, w in zip(texts, widths, strict=True))
        line = Text("  ".join(padded))
        if row.differs:
            deal = [] if row.written_points is None else [points(row.written_points)]
            deal += [] if row.written_winner is None else [winner(row.written_winner)]
            line.append("  " + plain(t(WRITTEN, values=", ".join(deal))), style="yellow")
        line.rstrip()
        yield from wrapped(line, "    ", width)
    if more := len(sheet.rows) - len(told):
        yield Text("  " + t("… and {n} more; --limit 0 tells all.", n=more), style="dim")
