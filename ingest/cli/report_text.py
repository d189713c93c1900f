"""Prints findings as text."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ingest.cli.terminal_tables import console, wrap_text
from ingest.escaping import escape_line
from ingest.findings import spoken_notation
from ingest.findings.codes import code_info
from ingest.findings.edit_texts import (
    SEARCH_STOPPED_TEXT,
    candidates_heading,
    describe_candidates,
    describe_edit,
)
from ingest.findings.finding import ERROR, NOTE, STATUSES, WARNING, Finding, finding_count
from ingest.findings.rulebook import page_of
from ingest.games import game_support
from ingest.i18n import N_, Translate
from ingest.reader.files import MatchText as Log
from ingest.validate.report import CorrectedSheet, MatchReport
from ingest.validate.slow_path import ValidationResult

DEFAULT_MAX_FINDINGS = 10
"""Findings shown per match in text, unless `--limit` is given."""
CONTEXT_ACTIONS = 4
"""Actions shown before the one with a finding."""
STATUS_TEXTS = {
    "legal": N_("legal"),
    "unverified": N_("unverified"),
    "result-only": N_("result only"),
    "irregular": N_("irregular"),
    "incomplete": N_("incomplete"),
    "broken": N_("broken"),
    "unreadable": N_("unreadable"),
}
STATUS_STYLES = {
    "legal": "green",
    "unverified": "cyan",
    "result-only": "cyan",
    "irregular": "yellow",
    "incomplete": "yellow",
    "broken": "red",
    "unreadable": "red",
}
SEVERITY_STYLES = {ERROR: "red", WARNING: "yellow", NOTE: "cyan"}
HAND_TEXT = N_("Hand of {who}: {hand}")
SEVERITY_PREFIXES = {WARNING: N_("warning: ")}
PlaceOf = Callable[[Finding | None], str]
"""Returns the place of a finding, or with None of its match, in an imported file."""
ELLIPSIS = "…"
CLEAN_STATUSES = ("legal", "unverified", "result-only")
"""Statuses of matches without errors."""
SHEET_HEADING = N_("Corrected from {place} on (points, winner, running score):")


class SourceSnippets:
    """Lines of one match's text, each decoded once: a line may have megabytes."""

    def __init__(self, log: Log) -> None:
        self.log, self.lines = log, log.text.split(b"\n")
        self.decoded_lines: dict[int, str] = {}

    def snippet(self, finding: Finding, width: int) -> list[Text]:
        """Return a finding's line and an underline below its place; empty without a column."""
        if finding.line is None or finding.column is None:
            return []
        row = finding.line - self.log.line
        if not 0 <= row < len(self.lines):
            return []
        start = finding.column - (self.log.column if row == 0 else 1)
        end = start + (finding.end or finding.column + 1) - finding.column
        number = f"{finding.line} │ "
        if row not in self.decoded_lines:
            self.decoded_lines[row] = self.lines[row].decode(errors="replace").rstrip("\r")
        line = self.decoded_lines[row]
        margin = min(len(line) - len(line.lstrip()), start)
        room = width - len(number)
        before, itself, after = truncate_around(line[margin:], start - margin, end - margin, room)
        shown = Text(number, style="dim")
        shown.append(before).append(itself, style="bold not dim").append(after)
        under = Text(" " * (len(number) - 2) + "│ ", style="dim")
        under.append(" " * cell_len(before))
        return [shown, under.append("^" * max(1, cell_len(itself)), style="bold red not dim")]


NONE_APPLIED = N_("Retourne changed nothing: edit the file, then check it again.")
EXPLAIN_COMMAND = N_("More: retourne explain {code}")


def truncate_around(line: str, start: int, end: int, room: int) -> tuple[str, str, str]:
    """Return the text before, at and after a place, shortened to `room` cells.

    An ellipsis marks what was cut, between words if possible.
    """
    half = max(room // 2, 8)
    itself = _truncate(line[start : min(end, start + half + 1)], half)
    left = max(room - max(cell_len(itself), 1), 0)  # a place may be past the end of the line
    after_room = max(left // 3, left - cell_len(escape_line(line[max(0, start - left) : start])))
    after = _truncate(line[end : end + after_room + 1], after_room)
    room = left - cell_len(after)
    before = _truncate(line[max(0, start - room - 1) : start], room, keep_end=True)
    return before, itself, after


def _truncate(text: str, room: int, keep_end: bool = False) -> str:
    """Shorten an escaped text to `room` cells, at its end or with `keep_end` at its beginning."""
    shown = escape_line(text)
    if cell_len(shown) <= room:
        return shown
    if not room:
        return ""
    while shown and cell_len(shown) > room - 1:
        shown = shown[1:] if keep_end else shown[:-1]
    for mark in (", ", " "):  # preferred places to cut
        at = shown.find(mark) if keep_end else shown.rfind(mark)
        if keep_end and 0 <= at < len(shown) // 2:
            return ELLIPSIS + shown[at + len(mark) - 1 :]
        if not keep_end and at > len(shown) // 2:
            return shown[: at + len(mark)] + ELLIPSIS
    return ELLIPSIS + shown if keep_end else shown + ELLIPSIS


def match_report_lines(
    t: Translate,
    report: MatchReport,
    explained: ValidationResult | None = None,
    log: Log | None = None,
    max_findings: int = DEFAULT_MAX_FINDINGS,
    place_of: PlaceOf | None = None,
) -> Iterator[Text]:
    """Yield a heading, then `max_findings` findings, 0 for all, of a match that is not clean.

    Context actions need `explained`, source lines need `log`. `place_of` gives the places in an
    imported file.
    """
    yield report_heading(t, report, place_of)
    result, out = report.findings[: max_findings or None], console()
    source = None if log is None else SourceSnippets(log)
    margin = len(str(min(len(report.findings), 99))) + 3
    for number, finding in enumerate(result, 1):
        place = Text(finding.place(t))
        if finding.column is not None or place:  # else the heading has the place
            if place_of is not None:
                at = place_of(finding)
            else:  # `club.jsonl:3:1245` is a link in many terminals
                column = "" if finding.column is None else f":{finding.column}"
                at = f"{report.file}:{finding.line or report.line}{column}"
            line = Text(f"{number:>{margin - 2}} ", style=SEVERITY_STYLES[finding.severity])
            line.append(" ").append(escape_line(at), "bold")
            other = line.cell_len + place.cell_len + 2 <= out.width or not out.is_read
            yield line.append("  ").append(place) if place and other else line
            if place and not other:
                yield from wrap_indented(place, " " * margin, out.width)
        for piece in _finding_details(t, finding, explained):
            yield from wrap_indented(piece, " " * margin, out.width)
        for line in source.snippet(finding, out.width - margin) if source is not None else ():
            yield Text(" " * margin).append(line)
        if finding.follows is not None:
            comes_of = t("May follow from finding {n}.", n=finding.follows + 1)
            yield from wrap_indented(Text(comes_of, style="dim"), " " * margin, out.width)
    if more := (finding_count(report.findings) - len(result) if result != report.findings else 0):
        yield Text("  " + t("… and {n} more; --limit 0 shows all.", n=more), style="dim")


def _finding_details(t: Translate, finding: Finding, explained: ValidationResult | None) -> Iterator[Text]:
    """Yield a finding's message, context, hand and edits."""
    yield finding_message(t, finding)
    if explained is not None and (led := context_line(t, finding, explained)) is not None:
        yield led
    if finding.hand is not None and "{hand}" not in code_info(finding.code, finding.game).sentence:
        game = finding.game or None
        hand = " ".join(spoken_notation.describe_word(t, card, game) for card in finding.hand) or "–"
        turn = finding.detail.get("turn")
        who = spoken_notation.describe_seat(t, turn, finding.detail.get("names", [])) if turn else ""
        text = t(HAND_TEXT, who=who, hand=hand) if turn else t("Hand: {hand}", hand=hand)
        yield Text(escape_line(text), style="dim")
    if finding.edit is not None:
        yield Text("→ " + escape_line(describe_edit(t, finding)), style="green")
    if finding.candidates:
        yield Text("→ " + candidates_heading(t, finding), style="green")
        for number, result in enumerate(describe_candidates(t, finding), 1):
            yield Text(f"  {number}. " + escape_line(result))
        yield Text(t(NONE_APPLIED), style="dim")
    if finding.candidates or finding.code == "incomplete":
        yield Text(t(EXPLAIN_COMMAND, code=finding.code), style="dim")
    if not finding.searched:
        yield Text(t(SEARCH_STOPPED_TEXT), style="dim")


def finding_message(t: Translate, finding: Finding) -> Text:
    """`Jean plays 9♥ but can follow suit and must. Legal: 7♦, 10♦. [CH-8]`, the id as a link."""
    line = Text()
    if prefix := SEVERITY_PREFIXES.get(finding.severity):
        line.append(t(prefix), style=SEVERITY_STYLES[finding.severity])
    line.append(escape_line(finding.message(t))).append(" ")
    link = page_of(finding.rule, t.language)
    style = Style(dim=True, link=f"{link.as_uri()}#{finding.rule.lower()}" if link else None)
    return line.append(f"[{finding.rule}]", style=style)


def wrap_indented(text: Text, indent: str, width: int) -> Iterator[Text]:
    """Yield a text wrapped to the terminal and indented; as one line without a terminal."""
    if not console().is_read:
        yield Text(indent).append(text)
        return
    yield from wrap_text(text, width, indent)


def report_heading(t: Translate, report: MatchReport, place_of: PlaceOf | None = None) -> Text:
    """`club.jsonl:3 lavardin-t12-r3 irregular`."""
    at = f"{report.file}:{report.line}" if place_of is None else place_of(None)
    line = Text(escape_line(at), style="bold")
    if report.log_id is not None:
        line.append(" " + escape_line(report.log_id), style="not bold")
    return line.append(" ").append(t(STATUS_TEXTS[report.status]), style=STATUS_STYLES[report.status])


def finding_line(t: Translate, finding: Finding) -> Text:
    """`manche 1, partie 2, trick 7, card 2: Jean plays … [CH-8]`."""
    line = Text("  ")
    if where := finding.place(t):
        line.append(t("{where}: ", where=where), style="bold")
    return line.append(finding_message(t, finding))


def context_line(t: Translate, finding: Finding, explained: ValidationResult) -> Text | None:
    """Return the actions before a finding and its own, each with its player."""
    if explained.match is None or finding.deal_index is None or finding.action_index is None:
        return None
    actions = explained.match.deals[finding.deal_index].actions
    if not 0 < finding.action_index < len(actions):
        return None
    names = [player.display_name for player in explained.match.players]
    game = explained.match.game
    first = max(0, finding.action_index - CONTEXT_ACTIONS)
    line = Text("… " if first else "", style="dim")
    for at in range(first, finding.action_index):
        line.append(action_text(t, actions[at], names, game) + " · ")
    return line.append("▸ " + action_text(t, actions[finding.action_index], names, game), style="not dim")


def action_text(t: Translate, action: str, names: Sequence[str], game: str | None = None) -> str:
    """`Jean R♦`, `Jean annonce tierce R♦`: a player and an action in short notation."""
    seat, _, word = action.partition(" ")
    if seat.isascii() and seat.isdigit() and 0 < int(seat[:9]) <= len(names):
        result = spoken_notation.describe_action(t, action, game).removeprefix(seat + " ")
        kind = game_support(game).ANNOUNCEMENT_NAMES.get(word.rstrip("~").partition("-")[0]) if game else None
        if kind and result.startswith(t(kind)):
            result = t(N_("announces {what}"), what=result)
        return escape_line(f"{names[int(seat) - 1]} {result}")
    return escape_line(action)


def summary_line(t: Translate, counts: Mapping[str, int], warnings: int) -> Text:
    """`Matches: 12 · legal: 10 · irregular: 2`; an unreadable text need not be a match."""
    unreadable = counts.get("unreadable", 0)
    line = Text(t("Matches: {n}", n=sum(counts.values()) - unreadable), style="bold")
    texts = {**spoken_notation.STATUS_COUNT_TEXTS, "unreadable": N_("unreadable texts: {n}")}
    for status in STATUSES:
        if counts.get(status):
            line.append(" · ").append(t(texts[status], n=counts[status]), style=STATUS_STYLES[status])
    if warnings:
        line.append(" · ").append(t("warnings: {n}", n=warnings), style="yellow")
    return line


class Tally:
    """Counts of one run, which give its exit code."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self.warnings = 0
        self.unread = 0
        """Files that could not be read at all."""

    def add(self, report: MatchReport) -> None:
        self.statuses[report.status] += 1
        self.warnings += sum(finding.severity == WARNING for finding in report.findings)
        self.unread += any(finding.code == "cannot-read" for finding in report.findings)

    @property
    def is_clean(self) -> bool:
        """Whether no match has errors, even if not all could be checked."""
        return not sum(self.statuses.values()) - sum(self.statuses[one] for one in CLEAN_STATUSES)


def sheet_lines(t: Translate, sheet: CorrectedSheet, max_deals: int) -> Iterator[Text]:
    """Yield a heading, then place, points, winner and score of `max_deals` deals, 0 for all."""

    def points(some: list[int] | None) -> str:
        return "–" if some is None else " – ".join(map(str, some))

    def winner(side: int | None) -> str:
        return escape_line(spoken_notation.describe_winner(t, side, sheet.detail))

    width, result = console().width, sheet.rows[: max_deals or None]
    yield from wrap_indented(Text(t(SHEET_HEADING, place=sheet.rows[0].place(t)), style="bold"), "  ", width)
    cells = []
    for row in result:
        takes = "–" if row.points is None else winner(row.winner)
        cells.append([row.place(t), points(row.points), takes, points(row.score)])
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for row, texts in zip(result, cells, strict=True):
        padded = (text + " " * (w - cell_len(text)) for text, w in zip(texts, widths, strict=True))
        line = Text("  ".join(padded))
        if row.differs:
            deal = [] if row.written_points is None else [points(row.written_points)]
            deal += [] if row.written_winner is None else [winner(row.written_winner)]
            line.append("  " + escape_line(t("(recorded: {deal})", deal=", ".join(deal))), style="yellow")
        line.rstrip()
        yield from wrap_indented(line, "    ", width)
    if more := len(sheet.rows) - len(result):
        yield Text("  " + t("… and {n} more; --limit 0 shows all.", n=more), style="dim")
