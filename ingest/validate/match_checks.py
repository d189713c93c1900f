"""Checks across a match: dealer, score lines, totals, result.

A played deal's sheet is checked against its replay, a score sheet line against its possible ends, a
partly recorded deal against each possible outcome.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from engine.faults import NOTE, Fault
from engine.games import DECLARED_COLUMNS, NOT_DECLARED
from engine.hidden import HiddenReplay
from engine.hidden.solve import public_bytes
from engine.match import NOBODY, winner_in_log
from engine.replay import Replay
from engine.score_sheet_line import IMPOSSIBLE_POINTS, DealEnd, PossibleEnds, ScoreLine, points_waiting
from ingest.cancellation import check_cancelled
from ingest.findings.codes import code_info
from ingest.findings.finding import ERROR, MAX_FINDINGS, MORE_FINDINGS, STATUSES, Finding
from ingest.games import game_support
from ingest.i18n import N_
from ingest.reader.json_text import json_pointer
from ingest.validate.score_line_points import possible_totals
from schemas.deal_decoder import decode_score_line, is_score_line, opener_problems, opening_seat
from schemas.match_models import AnyMatch, match_setup
from schemas.match_setup import DealProblem

NOT_CHECKABLE = "not-checkable"
DECLARED_CODES = ("points-differ", "winner-differs")
"""Errors on a deal's sheet: a wrong final score refers to the first deal with one of them."""
RESULT_CODES = {"score": "score-differs", "winner": "result-differs"}
"""The finding code for a wrong value of each key of `result`."""
SCORE_SHEET_RULE = "score-sheet"
UNCERTAIN_SHEET_TEXT = N_(
    "the sheet has {found}; the score of the deal depends on cards that were not recorded."
)
UNCERTAIN_END_TEXT = N_("the end of the deal depends on cards that were not recorded.")
UNCERTAIN_RESULT_TEXT = N_(
    "the sheet has {found}; the result of an earlier deal depends on cards that were not recorded."
)


class MatchContext:
    """A match with its setup, its record so far and its findings."""

    def __init__(self, match: AnyMatch, findings: list[Finding]) -> None:
        self.match, self.findings = match, findings
        self.setup = match_setup(match)
        self.game, self.players = self.setup.game, self.setup.players
        self.player_names = [player.display_name for player in match.players]
        sides = self.game.side_count(self.players)
        self.side_names = [" + ".join(self.player_names[side::sides]) for side in range(sides)]
        self.match_record = np.zeros(1, self.game.match.Match)[0]
        """The engine's match record after the deals counted so far."""
        self.uncertain_deals: set[int] = set()
        """Deals whose effect on the match depends on hidden cards."""
        self.harmless_findings: set[int] = set()
        """Indices of findings whose act changed no player's legal acts."""
        self.settled_deals: set[int] = set()
        """Deals that are void, or whose declared points and winner are right."""
        counted = [one for one in findings if one.code == MORE_FINDINGS]
        self.findings[:] = [one for one in findings if one.code != MORE_FINDINGS][:MAX_FINDINGS]
        self.more_findings = {one.severity: int(one.found) for one in counted}
        """Severity → the findings beyond MAX_FINDINGS, which are only counted."""
        self.has_errors = any(one.severity == ERROR for one in findings)
        self.deal_codes: set[tuple[str, str]] = set()
        """Severity and code of each finding in the deal at hand."""

    def copy(self) -> Self:
        """Return an independent copy of the state so far."""
        other = copy(self)
        other.match = self.match.model_copy(update={"deals": list(self.match.deals)})
        copied = "findings", "more_findings", "deal_codes", "match_record"
        for name in (*copied, "uncertain_deals", "harmless_findings", "settled_deals"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def add_finding(self, fault: Fault, path: str, **values: Any) -> Finding:
        """Add a fault of the engine's tables as a finding."""
        check_cancelled()
        # beyond MAX_FINDINGS it is counted, and the returned finding is in no report
        parts = fault.code, fault.rule, fault.severity, path
        finding = Finding(*parts, game=self.game.name, **values)
        finding.detail |= {"names": self.player_names, "sides": self.side_names}
        self.deal_codes.add((fault.severity, fault.code))
        self.has_errors = self.has_errors or fault.severity == ERROR
        if self.explains_more:
            self.findings.append(finding)
        else:
            self.more_findings[fault.severity] = self.more_findings.get(fault.severity, 0) + 1
        return finding

    @property
    def explains_more(self) -> bool:
        """Whether the next finding is explained, not only counted."""
        return len(self.findings) < MAX_FINDINGS

    def add_problem(self, problem: DealProblem, path: str, **values: Any) -> None:
        """Add a problem that prevents reading a deal, or all deals, as a finding."""
        tables = self.game.match_faults.by_code, self.game.faults.by_code
        fault = next(table[problem.code] for table in tables if problem.code in table)
        legal = list(problem.allowed) or None
        self.add_finding(fault, path + problem.path, found=problem.found, legal=legal, **values)

    def add_note(self, rule: str, problem: str, path: str, **values: Any) -> None:
        """Add a note on something that cannot be checked; `problem` is its sentence."""
        self.add_finding(uncheckable_fault(rule), path, detail={"problem": problem}, **values)


def uncheckable_fault(rule: str) -> Fault:
    """Return the fault for a rule that cannot be checked in a partly recorded deal."""
    return Fault(0, NOT_CHECKABLE, rule, NOTE, False)


def clip_number(number: int) -> int:
    """Clip a declared number to ±10⁹, the kernel's range; clipped numbers are wrong anyway."""
    return max(-(10**9), min(10**9, number))


def declared_array(numbers: list[int]) -> np.ndarray:
    """Return declared numbers, padded or cut to DECLARED_COLUMNS, for the match functions."""
    array = np.zeros(DECLARED_COLUMNS, np.int64)
    array[: min(len(numbers), DECLARED_COLUMNS)] = [
        clip_number(number) for number in numbers[:DECLARED_COLUMNS]
    ]
    return array


def deal_status_codes(impossible: Any, incomplete: Any, wrong: Any) -> NDArray[np.uint8]:
    """Return indices in STATUSES of deals that have something impossible, stop early, or otherwise
    break a rule; each argument is a bool or an array.
    """
    gravest_first = ("broken", "incomplete", "irregular", "legal")
    *places, legal = (np.uint8(STATUSES.index(status)) for status in gravest_first)
    return np.select([impossible, incomplete, wrong], places, legal)


class Declared(NamedTuple):
    """The declared values of a deal: the last arguments of a game's `check_declared`."""

    void: bool
    points: np.ndarray
    seats: int
    winner: int
    manche: int


def declared_of(deal: Any) -> Declared:
    """Return the values a deal of a log declares."""
    points, manche = deal.points or [], deal.known("manche")
    won, manche = (NOT_DECLARED if one is None else clip_number(one) for one in (deal.winner, manche))
    return Declared(bool(deal.void), declared_array(points), len(points), won, manche)


def check_not_over(context: MatchContext, index: int) -> None:
    """Check of a deal whose dealer is not recorded that the match is not over."""
    faults = context.game.match.open_deal(context.match_record.copy(), 0)
    over = context.game.match_faults.by_code["deal-after-match"]
    if faults & over.bit:
        context.add_finding(over, json_pointer("deals", index), deal_index=index)


def check_opening(context: MatchContext, index: int, deal: Any, dealer: int) -> None:
    """Check that the right seat deals or leads, and that the match is not over."""
    rules, flow, path = context.game.match, context.match_record, json_pointer("deals", index)
    legal: Any = int(flow["dealer"]) + 1 or rules.next_openers(flow)
    for fault in context.game.match_faults.in_mask(rules.open_deal(flow, dealer)):
        if fault.code == "deal-after-match":
            context.add_finding(fault, path, deal_index=index)
        else:
            seat, where = opening_seat(deal)
            context.add_finding(fault, path + where, deal_index=index, found=seat, legal=legal)


def count_deal(context: MatchContext, index: int, deal: Any, replay: Replay | None) -> None:
    """Check a deal against the match so far and its sheet, then count it in the match."""
    match, flow, table = context.game.match, context.match_record, context.game.match_faults
    if replay is None:  # a void deal without recorded cards uses an example deck
        dealer = opening_seat(deal)[0] - 1
        if not deal.void or not 0 <= dealer < context.players:
            match.skip_unknown_deal(flow)
            return
        replay = Replay(
            context.game, context.setup.rules, context.players, dealer, context.game.example_deck, ()
        )
    state = replay.last.state
    check_opening(context, index, deal, int(state["dealer"]))
    result = declared_of(deal)
    counted = _count_ends(context, replay.final_states, result)
    found = match.check_declared(flow, state, *result) & counted.certain_faults
    manche = int(flow["manche"]) + 1
    right = {"points": list(replay.last.points), "winner": deal_winner(replay), "manche": manche}
    for finding, fault, legal in _check_declared(context, index, deal, state, found, right):
        if isinstance(replay, HiddenReplay) and _is_certainly_right(context, fault, replay, result, legal):
            finding.detail["certain"] = True
    # one note per rule whose faults depend on hidden cards
    doubtful = {fault.rule: fault for fault in reversed([*table.in_mask(counted.possible_faults)])}
    for fault in doubtful.values():
        key = code_info(fault.code, context.game.name).declared_key
        context.add_note(
            fault.rule,
            UNCERTAIN_SHEET_TEXT,
            json_pointer("deals", index, key),
            deal_index=index,
            found=deal.known(key),
        )
    running = [int(one["outcome"]) == context.game.kernel.RUNNING for one in replay.final_states]
    wrong = (found | counted.possible_faults) & sum(map(table.bit, DECLARED_CODES))
    over = int(state["outcome"]) != context.game.kernel.RUNNING
    if deal.void or (result.seats > 0 and result.winner != NOT_DECLARED and over and not wrong):
        context.settled_deals.add(index)
    if any(running) and not (replay.stop or replay.is_too_ambiguous or deal.void):
        incomplete = table.by_code["incomplete"]
        path, end = json_pointer("deals", index, "actions"), len(deal.actions)
        if all(running):
            context.add_finding(incomplete, path, deal_index=index, action_index=end)
        else:
            context.add_note(incomplete.rule, UNCERTAIN_END_TEXT, path, deal_index=index, action_index=end)
    if counted.match_record is None or replay.is_too_ambiguous:
        match.skip_unknown_deal(flow)
        context.uncertain_deals.add(index)
    else:
        match.close_deal(flow, context.setup.rules, state, bool(deal.void))


class CountedOutcome(NamedTuple):
    """The possible ends of a deal, checked against its sheet and counted."""

    certain_faults: int  # match faults in every possible end
    possible_faults: int  # match faults in some only
    match_record: np.void | None  # after the deal; None: depends on hidden cards


def _count_ends(context: MatchContext, ends: Sequence[np.void], declared: Declared) -> CountedOutcome:
    """Check and count each possible final state of a deal, leaving the match record unchanged."""
    match = context.game.match
    found, flows = [], {}
    for state in ends:
        left, after = state.copy(), context.match_record.copy()
        found.append(int(match.check_declared(after, left, *declared)))
        match.close_deal(after, context.setup.rules, left, declared.void)
        flows[public_bytes(after)] = after
    every, some = np.bitwise_and.reduce(found), np.bitwise_or.reduce(found)
    same = next(iter(flows.values())) if len(flows) == 1 else None
    return CountedOutcome(int(every), int(some & ~every), same)


def deal_winner(replay: Replay) -> int | str | None:
    """Return the winner of a deal as in a log; `?` if it depends on hidden cards."""
    found = {winner_in_log(state) for state in replay.final_states}
    return found.pop() if len(found) == 1 else "?"


def _check_declared(
    context: MatchContext, index: int, deal: Any, end: np.void, found: int, right: Mapping[str, Any]
) -> list[tuple[Finding, Fault, Any]]:
    """Add findings for wrong declared values; return those with a right value, and the value."""
    path, written = json_pointer("deals", index), []
    for fault in context.game.match_faults.in_mask(found):
        seated = game_support(context.game.name).seat_violations(
            context.setup, context.match_record, end, deal, fault.code
        )
        for seat, where, result, left in seated:
            context.add_finding(
                fault, path + where, deal_index=index, seat=seat + 1, found=result, legal=left
            )
        if seated:
            continue
        key = code_info(fault.code, context.game.name).declared_key
        where, result, legal = path + json_pointer(key), deal.known(key), right[key]
        if key == "winner" and (deal.void or legal is None):
            context.add_finding(fault, where, deal_index=index, found=result, detail={"open": True})
        else:
            detail = {"score_sheet": is_score_line(deal)}
            finding = context.add_finding(
                fault, where, deal_index=index, found=result, legal=legal, detail=detail
            )
            written.append((finding, fault, legal))
    return written


def _is_certainly_right(
    context: MatchContext, fault: Fault, replay: HiddenReplay, declared: Declared, legal: Any
) -> bool:
    """Whether the engine's value is right for every possible course of a deal."""
    if replay.is_too_ambiguous or legal == "?" or (isinstance(legal, list) and "?" in legal):
        return False
    key = code_info(fault.code, context.game.name).declared_key
    right: dict[str, Any] = {key: legal}
    if key == "points":
        right = {"points": declared_array(legal), "seats": len(legal)}
    after = _count_ends(context, replay.final_states, declared._replace(**right))
    return not (after.certain_faults | after.possible_faults) & fault.bit


def count_score_line(context: MatchContext, index: int, deal: Any) -> DealEnd | None:
    """Check and count a score sheet line; return the end of its deal, None if unknown."""
    game, flow, path = context.game, context.match_record, json_pointer("deals", index)
    problems = opener_problems(deal, context.setup)
    result = decode_score_line(deal, context.setup, problems)
    for problem in problems:
        context.add_problem(problem, path, deal_index=index)
    if not problems and not context.setup.problems:
        result = result._replace(waiting=points_waiting(flow))
        ends, any_dealer = _possible_ends(context, result), result._replace(dealer=max(result.dealer, 0))
        if ends is None:
            seats = tuple(map(str, range(1, context.players + 1)))
            where = opening_seat(deal)[1]
            context.add_problem(DealProblem("deal-seat", where, None, seats), path, deal_index=index)
            ends = PossibleEnds([], [])
        elif result.dealer == NOBODY:
            check_not_over(context, index)
        else:
            check_opening(context, index, deal, result.dealer)
        for code, where, may in ends.problems:
            legal = may[0] if len(may) == 1 else list(may) or None
            found = deal  # the value at a JSON pointer below the deal
            for key in where.strip("/").split("/"):
                found = found[int(key)] if key.isdigit() else getattr(found, key)
            fault, detail = game.match_faults.by_code[code], dict[str, Any]()
            if code == IMPOSSIBLE_POINTS.code:
                legal = possible_totals(game, any_dealer, context.players, context.setup.rules) or None
                written, *fitting = ("–".join(map(str, one)) for one in (found, *(legal or ())))
                detail = {"where": " / ".join(fitting), "values": {"found": written}}
            context.add_finding(
                fault, path + where, deal_index=index, found=found, legal=legal, detail=detail
            )
        if ends.states:
            output, wrong = declared_of(deal), sum(map(game.match_faults.bit, DECLARED_CODES))
            # whether a side that stopped the game marks nothing depends on the score before
            check = game.match.check_declared
            good = [end for end in ends.states if not check(flow, end.copy(), *output) & wrong]
            counted = _count_ends(context, good or ends.states, output)
            state: np.void = (good or ends.states)[0].copy()
            check(flow, state, *output)
            points, manche = game.points(state, context.players), int(flow["manche"]) + 1
            right = {"points": points, "winner": winner_in_log(state), "manche": manche}
            certain = counted.certain_faults & ~(wrong * bool(ends.problems))
            _check_declared(context, index, deal, state, certain, right)
            if counted.match_record is not None:
                game.match.close_deal(flow, context.setup.rules, state, False)
                if result.dealer == NOBODY:
                    state["dealer"] = flow["dealer"] = NOBODY  # nor who deals next
                return DealEnd(state, ends.has_points)
    game.match.skip_unknown_deal(flow)
    context.uncertain_deals.add(index)
    return None


def _possible_ends(context: MatchContext, line: ScoreLine) -> PossibleEnds | None:
    """Return the possible ends of a line; None: they depend on the dealer, who is not recorded."""
    game, players, rules = context.game, context.players, context.setup.rules
    if line.dealer != NOBODY:
        return game.score_line_rules.possible_ends(line, players, rules)
    every = [
        game.score_line_rules.possible_ends(line._replace(dealer=seat), players, rules)
        for seat in range(players)
    ]
    results = [
        ({(*game.points(end, players), winner_in_log(end)) for end in one.states}, one.problems)
        for one in every
    ]
    return every[0] if all(one == results[0] for one in results) else None


def check_result(context: MatchContext) -> None:
    """Check the declared score and winner of the match against the deals."""
    declared = context.match.result
    if declared is None:
        return
    rules, flow = context.game.match, context.match_record
    score = declared.score or []
    is_announced = "winner" in declared.model_fields_set
    winner = clip_number(declared.winner or 0)
    found = rules.check_result(flow, declared_array(score), len(score), winner, is_announced)
    if context.uncertain_deals and (score or is_announced) and not found:
        key = "score" if score else "winner"
        rule = context.game.match_faults.by_code[RESULT_CODES[key]].rule
        context.add_note(
            rule, UNCERTAIN_RESULT_TEXT, json_pointer("result", key), found=getattr(declared, key)
        )
    right = {"score": rules.score(flow), "winner": int(flow["winner"]) + 1 or None}
    first = next((one for one in context.findings if one.code in DECLARED_CODES), None)
    for fault in context.game.match_faults.in_mask(found):
        key = code_info(fault.code, context.game.name).declared_key
        if not key:
            # score and winner disagree: either may be wrong, so there is no right value
            detail = {"where": ", ".join(map(str, score))}
            context.add_finding(fault, "/result/winner", found=declared.winner, detail=detail)
            continue
        where, result = json_pointer("result", key), getattr(declared, key)
        if key == "winner" and not flow["over"]:
            context.add_finding(fault, where, found=result, detail={"open": True})
        else:
            context.add_finding(fault, where, found=result, legal=right[key], detail={"first": first})
