"""Why a log is not clean: the pydantic models, then each deal replayed step by step.

This side is the authority; the bulk side may only say yes, and a test holds the two to
the same verdict.
"""

from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.faults import IMPOSSIBLE
from engine.partial import PartialReplay
from engine.replay import Replay
from engine.told import End
from ingest.finding.finding import ERROR, NOTE, STATUSES, Finding, worst
from ingest.finding.follows import mark
from ingest.games.code import Marked
from ingest.judge import acts, match_checks, partial
from ingest.judge.case import Case, deal_status
from ingest.judge.document import keys_twice, model, read
from ingest.judge.partial import Note
from ingest.text.json import keys_once, pointer
from ingest.text.places import places, word_at
from schemas.deal import Decoded, first_seat, is_line
from schemas.deal import decode as decode_deal
from schemas.identity import content, digest
from schemas.log import AnyMatch
from schemas.table import Table


@dataclass(slots=True)
class Explained:
    """All there is to know of one match; lists have one entry a deal."""

    match_id: str
    match: AnyMatch | None
    findings: list[Finding]
    status: str
    decoded: list[Decoded] = field(default_factory=list)
    replays: list[Replay | None] = field(default_factory=list)
    deal_status: list[str] = field(default_factory=list)
    flow: np.void | None = None
    """The engine's match record after the last deal."""
    table: Table | None = None
    cuts: tuple[int, ...] = (-1, -1, -1)
    """Three seats, as the cuts name them, and where the log begins if it tells that."""
    scores: list[list[int]] = field(default_factory=list)
    """The match's score after each deal, as a right sheet reads it."""
    numbers: list[tuple[int | None, int | None]] = field(default_factory=list)
    """Each deal's manche and partie, from 1, None where the game counts none or cannot."""
    value: Any = None
    """The JSON value of a text that is no match."""
    lines: dict[int, End | None] = field(default_factory=dict)
    """The deals that are lines of a score sheet, each with how it ended, None: unknown."""


def explain(text: bytes, rules: Callable[[Any], Any] | None = None) -> Explained:
    """Everything about the match a text holds; never raises for what stands in the text.

    `rules` makes other rules of the log's own, to see what they would change.
    """
    value, findings = read(text)
    known_by = content(value, text)
    match_id, match = digest(known_by), None
    once = not isinstance(value, dict) or keys_once(value, text, known_by)
    if rules is not None and isinstance(value, dict):
        value["rules"] = rules(value.get("rules"))
    if not findings:
        match, findings = model(value)
        findings += [] if once else keys_twice(text)
    if match is None:
        explained = Explained(match_id, None, findings, "unreadable", value=value)
    else:
        explained = explained_match(match, match_id, findings)
    _locate(text, explained.findings)
    return explained


def explained_match(match: AnyMatch, match_id: str, findings: list[Finding]) -> Explained:
    """Everything about a match, after what was found in its document."""
    explanation = Explanation(match, match_id, findings)
    for index, deal in enumerate(match.deals):
        explanation.deal(index, deal)
    return explanation.finish()


def _locate(text: bytes, findings: list[Finding]) -> None:
    """Give findings their lines and columns in the text; those that have one keep it."""
    lost = [finding for finding in findings if finding.line is None]
    if not lost:
        return
    found = places(text, {finding.path for finding in lost})
    told: Counter[tuple[str, str]] = Counter()
    for finding in lost:
        place = found.get(finding.path)
        if place is None:
            continue
        marked = finding.record.marked
        if marked is not Marked.WHOLE:
            card = finding.path, str(finding.found)
            nth = -1 if marked is Marked.LAST_WORD else told[card]
            told[card] += 1
            place = word_at(text, place, card[1], nth)
        finding.line, finding.column, finding.end = place


class Explanation:
    """One match being explained, deal after deal, which can be left and gone on from (`copy`)."""

    def __init__(self, match: AnyMatch, match_id: str, findings: list[Finding]) -> None:
        self.case = Case(match, findings)
        self.game, self.table = self.case.game, self.case.table
        self.result = Explained(
            match_id, match, findings, "legal", flow=self.case.flow, table=self.table
        )
        for problem in self.table.problems:
            self.case.problem(problem, "")
        cuts, start = match_checks.cuts(self.case), match_checks.start(self.case)
        self.result.cuts = (*cuts, *start)
        flow, rules = self.case.flow, self.table.rules
        self.game.match.open_match(flow, rules, self.case.players, *cuts)
        self.game.match.begin(flow, np.array(start, np.int64))

    def copy(self) -> "Explanation":
        """The match as far as it was explained; what is added to one is not added to the other."""
        other = copy(self)
        other.case = case = self.case.copy()
        other.result = copy(self.result)
        for name in ("decoded", "replays", "deal_status", "scores", "numbers"):
            setattr(other.result, name, list(getattr(self.result, name)))
        other.result.lines = dict(self.result.lines)
        other.result.match, other.result.findings = case.match, case.findings
        other.result.flow = case.flow
        return other

    def finish(self) -> Explained:
        """Hold the result against the deals, and say what the match comes to."""
        case, findings = self.case, self.result.findings
        match_checks.result(case)
        match_checks.unproven(case)
        mark(findings, case.idle, case.settled)
        severe = any(finding.severity == ERROR for finding in findings)
        own = "irregular" if severe else "unproven" if case.lost else "legal"
        self.result.status = worst([own, *self.result.deal_status])
        return self.result

    def deal(self, index: int, deal: Any, so_far: Replay | None = None) -> None:
        """Decode, replay, compare and count one deal; `so_far` it without its last action."""
        case, result = self.case, self.result
        before = len(result.findings)
        result.numbers.append(self.numbers())
        path = pointer("deals", index)
        if is_line(deal):
            self._line(index, deal, before)
            return
        match_checks.told_beside(case, index, deal)
        decoded = decode_deal(deal, self.table)
        for problem in decoded.problems:
            case.problem(problem, path, deal=index)
        replay = self._replay(deal, decoded, so_far)
        if isinstance(replay, PartialReplay):
            decoded = partial.read(decoded, replay)
        if replay is not None:
            acts.faults(case, index, deal, decoded, replay)
        self._times(index, deal, path)
        match_checks.count(case, index, deal, replay)
        known = any(one.severity in (ERROR, NOTE) for one in result.findings[before:])
        if not (decoded.settled or deal.void or known):
            rule = self.game.match_faults.by_code["points-differ"].rule
            case.note(Note(rule, partial.MADE), path, deal=index)
        decoded = decoded._replace(counted=index not in case.lost)
        found = self._counted(index, before, decoded, replay)
        untold = bool(deal.void) and replay is None and not decoded.problems
        result.deal_status.append("legal" if untold else self._status(found, replay))

    def _line(self, index: int, deal: Any, before: int) -> None:
        """The same of a line of a score sheet."""
        self.result.lines[index] = match_checks.read_line(self.case, index, deal)
        self._times(index, deal, pointer("deals", index))
        found = self._counted(index, before, Decoded(None, [], []), None)
        codes = {finding.code for finding in found if finding.severity == ERROR}
        broken = any(self.impossible(code) for code in codes)
        status = "broken" if broken else "irregular" if codes else "unproven"
        self.result.deal_status.append(status)

    def _counted(
        self, index: int, before: int, decoded: Decoded, replay: Replay | None
    ) -> list[Finding]:
        """Keep what a deal came to; its findings, which know now where in the match they are."""
        result = self.result
        result.scores.append(self.game.match.score(self.case.flow))
        found = result.findings[before:]
        for finding in found:
            finding.manche, finding.partie = result.numbers[index]
        result.decoded.append(decoded)
        result.replays.append(replay)
        return found

    def _replay(self, deal: Any, decoded: Decoded, so_far: Replay | None) -> Replay | None:
        """The deal as it was played, None where it cannot be dealt."""
        if decoded.deck is None:
            return None
        codes = decoded.codes
        first = first_seat(deal)[0] - 1
        if decoded.partial and isinstance(so_far, PartialReplay) and codes:
            if so_far.tells(first, decoded.deck, codes[:-1], decoded.explicit):
                return so_far.then(codes[-1])
        kind = PartialReplay if decoded.partial else Replay
        dealt = (first, decoded.deck, codes, decoded.explicit)
        return kind(self.game, self.table.rules, self.case.players, *dealt)

    def numbers(self) -> tuple[int | None, int | None]:
        """The manche and the partie about to be dealt, from 1, where the game counts them."""
        flow, chosen = self.case.flow, self.table.settings
        if flow["unknown"] or flow["over"]:
            return None, None
        manche = int(flow["manche"]) + 1 if "manches" in chosen else None
        return manche, int(flow["partie"]) + 1 if "parties" in chosen else None

    def _status(self, found: list[Finding], replay: Replay | None) -> str:
        """What a deal comes to by its findings."""
        codes = {finding.code for finding in found if finding.severity == ERROR}
        impossible = replay is None or any(self.impossible(code) for code in codes)
        status = STATUSES[int(deal_status(impossible, "incomplete" in codes, bool(codes)))]
        unproven = any(finding.code == partial.NOT_CHECKABLE for finding in found)
        return "unproven" if unproven and status == "legal" else status

    def impossible(self, code: str) -> bool:
        """Whether what a code says cannot have happened."""
        tables = self.game.faults.by_code, self.game.match_faults.by_code
        return any(code in one and one[code].gravity == IMPOSSIBLE for one in tables)

    def _times(self, index: int, deal: Any, path: str) -> None:
        """Times are one an action, and never go back."""
        if deal.times is None:
            return
        faults = self.game.match_faults.by_code
        count, actions = len(deal.times), len(deal.actions)
        if count != actions:
            fault = faults["times-count"]
            self.case.add(fault, path + "/times", deal=index, found=count, legal=actions)
        last = 0.0
        for at, time in enumerate(deal.times):
            if time < last:
                where, fault = path + pointer("times", at), faults["times-order"]
                self.case.add(fault, where, deal=index, action=at, found=time, legal=last)
                return
            last = time
