"""A match being explained, and each deal held against it: who deals, what its sheet says, what it
brings; and the result.

A deal that was played is held against its sheet as it was played, a line of a score sheet as the
ends it may stand for. Of a deal told in part that is each way it may have come out.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.faults import NOTE, Fault
from engine.games import TOLD, UNSAID
from engine.hidden import PartialReplay
from engine.hidden.solve import shown
from engine.match import winner_word
from engine.replay import Replay
from engine.score_line import End
from ingest.findings.codes import record
from ingest.findings.finding import STATUSES, Finding
from ingest.games import of
from ingest.i18n import N_
from ingest.reader.json_text import pointer
from schemas.deal_codec import first_seat, line, seat_problems
from schemas.match_models import AnyMatch, table
from schemas.match_setup import Problem

NOT_CHECKABLE = "not-checkable"
DECLARED = ("points-differ", "winner-differs")
"""What a deal's sheet may have wrong: the first such deal is pointed at when the score is too."""
RESULTS = {"score": "score-differs", "winner": "result-differs"}
"""The codes of what a result declares, by its key."""
SHEET = "score-sheet"
SAID = N_("the sheet says {found}, and the deal comes to that or not by cards nobody wrote down.")
END = N_("whether the deal is at its end depends on cards that nobody wrote down.")
RESULT = N_("the sheet says {found}, and a deal before came out by cards that nobody wrote down.")


class Case:
    """A match, its table and its players; findings are added to those of the document."""

    def __init__(self, match: AnyMatch, findings: list[Finding]) -> None:
        self.match, self.findings = match, findings
        self.table = table(match)
        self.game, self.players = self.table.game, self.table.players
        self.names = [player.called for player in match.players]
        sides = self.game.sides(self.players)
        self.sides = [" + ".join(self.names[side::sides]) for side in range(sides)]
        self.flow = np.zeros(1, self.game.match.Match)[0]
        """The engine's match record, as it is after the deals counted so far."""
        self.lost: set[int] = set()
        """Deals told in part that may bring this or that to the match."""
        self.idle: set[int] = set()
        """Findings, by their place, whose act changed nobody's legal acts."""
        self.settled: set[int] = set()
        """Deals that are void, or declared and right."""

    def copy(self) -> Self:
        """The same so far; what is found and counted from here on is its own."""
        other = copy(self)
        other.match = self.match.model_copy(update={"deals": list(self.match.deals)})
        for name in ("findings", "flow", "lost", "idle", "settled"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def add(self, fault: Fault, path: str, **values: Any) -> Finding:
        """A fault of the engine's tables as a finding."""
        told = fault.code, fault.rule, fault.severity, path
        finding = Finding(*told, game=self.game.name, **values)
        finding.detail |= {"names": self.names, "sides": self.sides}
        self.findings.append(finding)
        return finding

    def problem(self, problem: Problem, path: str, **values: Any) -> None:
        """What stands in the way of a deal, or of all of them; an act's where no act is done."""
        tables = self.game.match_faults.by_code, self.game.faults.by_code
        fault = next(table[problem.code] for table in tables if problem.code in table)
        legal = list(problem.legal) or None
        self.add(fault, path + problem.path, found=problem.found, legal=legal, **values)

    def note(self, rule: str, problem: str, path: str, **values: Any) -> None:
        """What the sheet says and cannot be checked; `problem` is its sentence."""
        self.add(not_checkable(rule), path, detail={"problem": problem}, **values)


def not_checkable(rule: str) -> Fault:
    """What cannot be checked of a deal told in part, by the rule it is about."""
    return Fault(0, NOT_CHECKABLE, rule, NOTE)


def clipped(number: int) -> int:
    """A declared number within what the kernel counts with; a wild one stays wrong."""
    return max(-(10**9), min(10**9, number))


def told_array(numbers: list[int]) -> np.ndarray:
    """Declared numbers as the match functions take them; more than any table has are cut off."""
    array = np.zeros(TOLD, np.int64)
    array[: min(len(numbers), TOLD)] = [clipped(number) for number in numbers[:TOLD]]
    return array


def deal_status(impossible: Any, incomplete: Any, wrong: Any) -> NDArray[np.uint8]:
    """Places in STATUSES, of deals where something impossible was found, which stop early, and
    where anything else was against the rules; each may be one answer or an array of them.
    """
    gravest_first = ("broken", "incomplete", "irregular", "legal")
    *places, legal = (np.uint8(STATUSES.index(status)) for status in gravest_first)
    return np.select([impossible, incomplete, wrong], places, legal)


class Said(NamedTuple):
    """What the sheet says of a deal, as `check_declared` of a game's match takes it."""

    void: bool
    points: np.ndarray
    seats: int
    winner: int
    manche: int


def said_of(deal: Any) -> Said:
    """What a deal of a log declares."""
    points, manche = deal.points or [], deal.known("manche")
    won, manche = (UNSAID if one is None else clipped(one) for one in (deal.winner, manche))
    return Said(bool(deal.void), told_array(points), len(points), won, manche)


def open_deal(case: Case, index: int, deal: Any, dealer: int) -> None:
    """Whether the deal may be dealt, or led, by that seat and at all."""
    rules, flow, path = case.game.match, case.flow, pointer("deals", index)
    legal: Any = int(flow["dealer"]) + 1 or rules.leaders(flow)
    for fault in case.game.match_faults.of(rules.open_deal(flow, dealer)):
        if fault.code == "deal-after-match":
            case.add(fault, path, deal=index)
        else:
            seat, where = first_seat(deal)
            case.add(fault, path + where, deal=index, found=seat, legal=legal)


def count(case: Case, index: int, deal: Any, replay: Replay | None) -> None:
    """Hold a deal against the match so far and against its sheet, and add what it brings."""
    match, flow, table = case.game.match, case.flow, case.game.match_faults
    if replay is None:  # a void deal whose cards nobody wrote down has a blank deck
        dealer = first_seat(deal)[0] - 1
        if not deal.void or not 0 <= dealer < case.players:
            match.lose_track(flow)
            return
        replay = Replay(case.game, case.table.rules, case.players, dealer, case.game.blank, ())
    state = replay.last.state
    open_deal(case, index, deal, int(state["dealer"]))
    said = said_of(deal)
    counted = _count_ends(case, replay.lasts, said)
    found = match.check_declared(flow, state, *said) & counted.certain
    manche = int(flow["manche"]) + 1
    right = {"points": list(replay.last.points), "winner": winner(replay), "manche": manche}
    for finding, fault, legal in _differ(case, index, deal, state, found, right):
        if isinstance(replay, PartialReplay) and _certain(case, fault, replay, said, legal):
            finding.detail["certain"] = True
    # what hidden cards decide: one note a rule
    doubtful = {fault.rule: fault for fault in reversed([*table.of(counted.doubtful)])}
    for fault in doubtful.values():
        key = record(fault.code, case.game.name).declares
        case.note(fault.rule, SAID, pointer("deals", index, key), deal=index, found=deal.known(key))
    running = [int(one["outcome"]) == case.game.kernel.RUNNING for one in replay.lasts]
    wrong = (found | counted.doubtful) & sum(map(table.bit, DECLARED))  # how the deal came out
    over = int(state["outcome"]) != case.game.kernel.RUNNING
    if deal.void or (said.seats > 0 and said.winner != UNSAID and over and not wrong):
        case.settled.add(index)
    if any(running) and not (replay.stop or replay.unread or deal.void):
        incomplete = table.by_code["incomplete"]
        path, end = pointer("deals", index, "actions"), len(deal.actions)
        if all(running):
            case.add(incomplete, path, deal=index, action=end)
        else:
            case.note(incomplete.rule, END, path, deal=index, action=end)
    if counted.flow is None or replay.unread:
        match.lose_track(flow)
        case.lost.add(index)
    else:
        match.close_deal(flow, case.table.rules, state, bool(deal.void))


class Counted(NamedTuple):
    """What all the ways a deal may have come out have in common, held against its sheet."""

    certain: int  # match faults found in every one,
    doubtful: int  # and in some only
    flow: np.void | None  # the match after the deal, None where that depends on hidden cards


def _count_ends(case: Case, ends: Sequence[np.void], said: Said) -> Counted:
    """Count each state a deal may have ended in, by the match so far, which stays as it was."""
    match = case.game.match
    found, flows = [], {}
    for state in ends:
        left, after = state.copy(), case.flow.copy()
        found.append(int(match.check_declared(after, left, *said)))
        match.close_deal(after, case.table.rules, left, said.void)
        flows[shown(after)] = after
    every, some = np.bitwise_and.reduce(found), np.bitwise_or.reduce(found)
    same = next(iter(flows.values())) if len(flows) == 1 else None
    return Counted(int(every), int(some & ~every), same)


def winner(replay: Replay) -> int | str | None:
    """The winner of a deal as a log writes it, `?` where that depends on hidden cards."""
    found = {winner_word(state) for state in replay.lasts}
    return found.pop() if len(found) == 1 else "?"


def _differ(
    case: Case, index: int, deal: Any, end: np.void, found: int, right: Mapping[str, Any]
) -> list[tuple[Finding, Fault, Any]]:
    """What the sheet says otherwise than the deal came out; of what could be written, with that."""
    path, written = pointer("deals", index), []
    for fault in case.game.match_faults.of(found):
        seated = of(case.game.name).at_seats(case.table, case.flow, end, deal, fault.code)
        for seat, where, told, left in seated:
            case.add(fault, path + where, deal=index, seat=seat + 1, found=told, legal=left)
        if seated:
            continue
        key = record(fault.code, case.game.name).declares
        where, told, legal = path + pointer(key), deal.known(key), right[key]
        if key == "winner" and (deal.void or legal is None):
            case.add(fault, where, deal=index, found=told, detail={"open": True})
        else:
            finding = case.add(fault, where, deal=index, found=told, legal=legal)
            written.append((finding, fault, legal))
    return written


def _certain(case: Case, fault: Fault, replay: PartialReplay, said: Said, legal: Any) -> bool:
    """Whether what the engine counts would be right in every way a deal may have gone."""
    if replay.unread or legal == "?" or (isinstance(legal, list) and "?" in legal):
        return False
    key = record(fault.code, case.game.name).declares
    right: dict[str, Any] = {key: legal}
    if key == "points":
        right = {"points": told_array(legal), "seats": len(legal)}
    after = _count_ends(case, replay.lasts, said._replace(**right))
    return not (after.certain | after.doubtful) & fault.bit


def read_line(case: Case, index: int, deal: Any) -> End | None:
    """Count a line; how its deal ended, None where that is not known."""
    game, flow, path = case.game, case.flow, pointer("deals", index)
    problems = seat_problems(deal, case.table)
    told = line(deal, case.table, problems)
    for problem in problems:
        case.problem(problem, path, deal=index)
    if not problems and not case.table.problems:
        open_deal(case, index, deal, told.dealer)
        ends = game.told.ends(told, case.players, case.table.rules)
        for code, where, may in ends.wrong:
            legal = may[0] if len(may) == 1 else list(may) or None
            found = deal  # what it says at a pointer below it
            for key in where.strip("/").split("/"):
                found = found[int(key)] if key.isdigit() else getattr(found, key)
            fault = game.match_faults.by_code[code]
            case.add(fault, path + where, deal=index, found=found, legal=legal)
        if ends.states:
            said, wrong = said_of(deal), sum(map(game.match_faults.bit, DECLARED))
            # a side that stopped the game may have marked nothing, which the score before it says
            check = game.match.check_declared
            good = [end for end in ends.states if not check(flow, end.copy(), *said) & wrong]
            counted = _count_ends(case, good or ends.states, said)
            state: np.void = (good or ends.states)[0].copy()
            points, manche = game.points(state, case.players), int(flow["manche"]) + 1
            right = {"points": points, "winner": winner_word(state), "manche": manche}
            certain = counted.certain & ~(wrong * bool(ends.wrong))
            _differ(case, index, deal, state, certain, right)
            if counted.flow is not None:
                check(flow, state, *said)
                game.match.close_deal(flow, case.table.rules, state, False)
                return End(state, ends.pointed)
    game.match.lose_track(flow)
    case.lost.add(index)
    return None


def result(case: Case) -> None:
    """Hold the declared score and winner of the match against what the deals make."""
    declared = case.match.result
    if declared is None:
        return
    rules, flow = case.game.match, case.flow
    score = declared.score or []
    said = "winner" in declared.model_fields_set
    winner = clipped(declared.winner or 0)
    found = rules.check_result(flow, told_array(score), len(score), winner, said)
    if case.lost and (score or said) and not found:
        key = "score" if score else "winner"
        rule = case.game.match_faults.by_code[RESULTS[key]].rule
        case.note(rule, RESULT, pointer("result", key), found=getattr(declared, key))
    right = {"score": rules.score(flow), "winner": int(flow["winner"]) + 1 or None}
    first = next((one for one in case.findings if one.code in DECLARED), None)
    for fault in case.game.match_faults.of(found):
        key = record(fault.code, case.game.name).declares
        if not key:
            # either may be the slip, so no value is the right one
            said_score = {"where": ", ".join(map(str, score))}
            case.add(fault, "/result/winner", found=declared.winner, detail=said_score)
            continue
        where, told = pointer("result", key), getattr(declared, key)
        if key == "winner" and not flow["over"]:
            case.add(fault, where, found=told, detail={"open": True})
        else:
            case.add(fault, where, found=told, legal=right[key], detail={"first": first})
