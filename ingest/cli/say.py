"""Reports of matches as lines of text: what is wrong, where, what led to it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from ingest.cli.terminal import plain
from ingest.explain import Explained
from ingest.findings import STATUSES, WARNING, Finding, MatchReport
from ingest.i18n import N_, Translate
from ingest.messages import speak_action

MOST_FINDINGS = 10
"""Findings told of one match in text; `--format jsonl` tells all."""
BEFORE = 4
"""Actions shown before the one that has a finding."""

STATUS = {
    "legal": N_("legal"),
    "irregular": N_("irregular"),
    "incomplete": N_("incomplete"),
    "broken": N_("broken"),
    "unreadable": N_("unreadable"),
}
COUNTED = {
    "legal": N_("legal: {n}"),
    "irregular": N_("irregular: {n}"),
    "incomplete": N_("incomplete: {n}"),
    "broken": N_("broken: {n}"),
    "unreadable": N_("unreadable: {n}"),
}
STYLE = {
    "legal": "green",
    "irregular": "yellow",
    "incomplete": "yellow",
    "broken": "red",
    "unreadable": "red",
}


def block(t: Translate, report: MatchReport, explained: Explained | None) -> Iterator[Text]:
    """A match that is not clean: a head line, then its findings with what led to each."""
    yield head(t, report)
    for finding in report.findings[:MOST_FINDINGS]:
        yield finding_line(t, finding)
        if explained is not None and (led := context(t, finding, explained)) is not None:
            yield led
    if more := len(report.findings) - MOST_FINDINGS:
        if more > 0:
            yield Text("  " + t("… and {n} more; --format jsonl tells all.", n=more), style="dim")


def head(t: Translate, report: MatchReport) -> Text:
    """`club.jsonl:3 lavardin-t12-r3 irregular`."""
    line = Text(plain(f"{report.file}:{report.line}"), style="bold")
    if report.id is not None:
        line.append(" " + plain(report.id), style="not bold")
    return line.append(" ").append(t(STATUS[report.status]), style=STYLE[report.status])


def place(t: Translate, finding: Finding) -> str:
    """Where a finding is, deal and action counted from 1 as people count."""
    if finding.code == "schema":
        return ""  # its sentence says where
    if finding.deal is None:
        return finding.path
    if finding.action is None:
        return t("deal {deal}", deal=finding.deal + 1)
    return t("deal {deal}, action {action}", deal=finding.deal + 1, action=finding.action + 1)


def finding_line(t: Translate, finding: Finding) -> Text:
    """`deal 2, action 14: Jean plays … [CH-8]`."""
    line = Text("  ")
    if where := place(t, finding):
        line.append(t("{where}: ", where=plain(where)), style="bold")
    if finding.severity == WARNING:
        line.append(t("warning: "), style="yellow")
    return line.append(plain(finding.message(t))).append(f" [{finding.rule}]", style="dim")


def context(t: Translate, finding: Finding, explained: Explained) -> Text | None:
    """The few actions before a finding, and its own, by who acted."""
    if explained.match is None or finding.deal is None or finding.action is None:
        return None
    actions = explained.match.deals[finding.deal].actions
    if not 0 < finding.action < len(actions):
        return None
    names = [player.name or player.id for player in explained.match.players]
    first = max(0, finding.action - BEFORE)
    line = Text("    " + ("… " if first else ""), style="dim")
    for at in range(first, finding.action):
        line.append(acted(t, actions[at], names) + " · ")
    return line.append("▸ " + acted(t, actions[finding.action], names), style="not dim")


def acted(t: Translate, action: str, names: Sequence[str]) -> str:
    """`Jean R♦`: who did what, as an action is told where little room is."""
    seat, _, _ = action.partition(" ")
    if seat.isascii() and seat.isdigit() and 0 < int(seat[:9]) <= len(names):
        said = speak_action(t, action)
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
        """Every match is legal."""
        return not sum(self.statuses.values()) - self.statuses["legal"]
