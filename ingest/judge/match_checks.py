"""A deal held against its match: who deals, what the sheet says, what it brings; and the result.

A deal that was played is held against its sheet as it was played, a line of a score sheet as the
ends it may stand for.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from engine import cut
from engine.faults import Fault
from engine.games import UNSAID
from engine.match import winner_word
from engine.partial import PartialReplay
from engine.replay import Replay
from engine.told import End, Line
from ingest.finding.codes import record
from ingest.finding.finding import ERROR, Finding
from ingest.games import of
from ingest.judge import partial
from ingest.judge.case import Case, clipped, told_array
from ingest.judge.partial import Counted, Note
from ingest.text.json import pointer
from schemas.deal import first_seat, is_line, line, seat_problems

DECLARED = ("points-differ", "winner-differs")
"""What a deal's sheet may have wrong: the first such deal is pointed at when the score is too."""
RESULTS = {"score": "score-differs", "winner": "result-differs"}
"""The codes of what a result declares, by its key."""
SHEET = "score-sheet"


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
    return Said(
        bool(deal.void),
        told_array(points),
        len(points),
        UNSAID if deal.winner is None else clipped(deal.winner),
        UNSAID if manche is None else clipped(manche),
    )


# what comes before the first deal


def cuts(case: Case) -> tuple[int, int, int]:
    """Who deals first, who cut highest, who deals the belle; the faults of the cuts (CH-2)."""
    told = case.match.known("cuts") or []
    if not told:
        return -1, -1, -1
    read, faults = cut.read(case.game, told, case.players)
    for code, i, k in faults:
        fault = case.game.match_faults.by_code[code]
        case.add(fault, pointer("cuts", i, k), found=told[i][k])
    return cut.dealers(case.game, read)


def start(case: Case) -> tuple[int, ...]:
    """Where a log begins that holds the tail of a match; what of it cannot be."""
    told = case.match.known("start")
    if told is None:
        return ()
    row, wrong = case.game.match.read_start(dict(told), case.players, case.table.rules)
    fault = case.game.match_faults.by_code["start-impossible"]
    for path, found in wrong:
        case.add(fault, "/start" + path, found=found)
    return tuple(row)


# a deal


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


def told_beside(case: Case, index: int, deal: Any) -> None:
    """Warn of what is told of a deal that has cards or actions, or does not count."""
    if deal.told is not None:
        fault = case.game.match_faults.by_code["told-beside"]
        case.add(fault, pointer("deals", index, "told"), deal=index)


def count(case: Case, index: int, deal: Any, replay: Replay | None) -> None:
    """Hold a deal against the match so far and against its sheet, and add what it brings."""
    match, flow = case.game.match, case.flow
    if replay is None:
        replay = _undealt(case, deal)
        if replay is None:
            match.lose_track(flow)
            return
    state = replay.last.state
    open_deal(case, index, deal, int(state["dealer"]))
    said = said_of(deal)
    counted = partial.count(case.game, case.table.rules, flow, replay, said)
    found = match.check_declared(flow, state, *said) & counted.certain
    right = _right(case, list(replay.last.points), partial.winner(case.game, replay))
    for finding, fault, legal in _differ(case, index, deal, state, found, right):
        if isinstance(replay, PartialReplay) and _certain(case, fault, replay, said, legal):
            finding.detail["certain"] = True
    _doubt(case, index, deal, counted)
    if _settled(case, deal, state, said, found | counted.doubtful):
        case.settled.add(index)
    _end(case, index, deal, replay)
    if counted.flow is None:
        match.lose_track(flow)
        case.lost.add(index)
    else:
        match.close_deal(flow, case.table.rules, state, bool(deal.void))


def _undealt(case: Case, deal: Any) -> Replay | None:
    """A void deal whose cards nobody wrote down, with a blank deck; None of any other."""
    dealer = first_seat(deal)[0] - 1
    if not deal.void or not 0 <= dealer < case.players:
        return None
    return Replay(case.game, case.table.rules, case.players, dealer, case.game.blank, ())


def _right(case: Case, points: list[Any], winner: Any) -> Mapping[str, Any]:
    """What a sheet should say of a deal, by the key it says it in."""
    return {"points": points, "winner": winner, "manche": int(case.flow["manche"]) + 1}


def _differ(
    case: Case, index: int, deal: Any, end: np.void, found: int, right: Mapping[str, Any]
) -> Iterator[tuple[Finding, Fault, Any]]:
    """What the sheet says otherwise than the deal came out; of what could be written, with that."""
    path = pointer("deals", index)
    for fault in case.game.match_faults.of(found):
        seated = of(case.game.name).at_seats(case.table, case.flow, end, deal, fault.code)
        for seat, where, told, left in seated:
            case.add(fault, path + where, deal=index, seat=seat + 1, found=told, legal=left)
        if seated:
            continue
        key = record(fault.code, case.game.name).declares
        where, told, legal = path + pointer(key), deal.known(key), right[key]
        if key == "winner" and (deal.void or legal is None):
            case.nobody(fault, where, deal=index, found=told)
        else:
            yield case.add(fault, where, deal=index, found=told, legal=legal), fault, legal


def _certain(case: Case, fault: Fault, replay: PartialReplay, said: Said, legal: Any) -> bool:
    """Whether what the engine counts would be right in every way a deal may have gone."""
    if replay.unread or legal == "?" or (isinstance(legal, list) and "?" in legal):
        return False
    key = record(fault.code, case.game.name).declares
    right: dict[str, Any] = {key: legal}
    if key == "points":
        right = {"points": told_array(legal), "seats": len(legal)}
    said = said._replace(**right)
    after = partial.count(case.game, case.table.rules, case.flow, replay, said)
    return not (after.certain | after.doubtful) & fault.bit


def _doubt(case: Case, index: int, deal: Any, counted: Counted) -> None:
    """What the sheet says that hidden cards decide: one note a rule."""
    faults = case.game.match_faults.of(counted.doubtful)
    for fault in {fault.rule: fault for fault in reversed([*faults])}.values():
        key = record(fault.code, case.game.name).declares
        note = Note(fault.rule, partial.SAID)
        case.note(note, pointer("deals", index, key), deal=index, found=deal.known(key))


def _settled(case: Case, deal: Any, state: np.void, said: Said, found: int) -> bool:
    """Whether nothing across deals can come of this one's play."""
    over = int(state["outcome"]) != case.game.kernel.RUNNING
    known = said.seats > 0 and said.winner != UNSAID and over
    return bool(deal.void) or (known and not found & _outcome(case))


def _outcome(case: Case) -> int:
    """The faults that are about how a deal came out."""
    return sum(map(case.game.match_faults.bit, DECLARED))


def _end(case: Case, index: int, deal: Any, replay: Replay) -> None:
    """A deal that stops before its end, or may."""
    running = [int(one["outcome"]) == case.game.kernel.RUNNING for one in replay.lasts]
    if not any(running) or replay.stop or replay.unread or deal.void:
        return
    incomplete = case.game.match_faults.by_code["incomplete"]
    path, end = pointer("deals", index, "actions"), len(deal.actions)
    if all(running):
        case.add(incomplete, path, deal=index, action=end)
    else:
        case.note(Note(incomplete.rule, partial.END), path, deal=index, action=end)


# a line of a score sheet


def read_line(case: Case, index: int, deal: Any) -> End | None:
    """Count a line; how its deal ended, None where that is not known."""
    path = pointer("deals", index)
    problems = seat_problems(deal, case.table)
    told = line(deal, case.table, problems)
    for problem in problems:
        case.problem(problem, path, deal=index)
    end = None if problems or case.table.problems else _line_end(case, index, deal, told)
    if end is None:
        case.game.match.lose_track(case.flow)
        case.lost.add(index)
    return end


def _line_end(case: Case, index: int, deal: Any, told: Line) -> End | None:
    """The findings of a line that can be read, and the end it brings to the match."""
    game, flow, rules = case.game, case.flow, case.table.rules
    open_deal(case, index, deal, told.dealer)
    ends = game.told.ends(told, case.players, rules)
    for code, where, may in ends.wrong:
        legal = may[0] if len(may) == 1 else list(may) or None
        path, found = pointer("deals", index) + where, _at(deal, where)
        case.add(game.match_faults.by_code[code], path, deal=index, found=found, legal=legal)
    if not ends.states:
        return None
    said, wrong = said_of(deal), _outcome(case)
    # a side that stopped the game may have marked nothing, which the score before it says
    found = [game.match.check_declared(flow, end.copy(), *said) & wrong for end in ends.states]
    good = [end for end, fault in zip(ends.states, found, strict=True) if not fault] or ends.states
    counted = partial.count_ends(game, rules, flow, good, said)
    end: np.void = good[0].copy()
    right = _right(case, game.points(end, case.players), winner_word(end))
    for _ in _differ(case, index, deal, end, counted.certain & ~(wrong * bool(ends.wrong)), right):
        pass
    if counted.flow is None:
        return None
    game.match.check_declared(flow, end, *said)
    game.match.close_deal(flow, rules, end, False)
    return End(end, ends.pointed)


def _at(deal: Any, path: str) -> Any:
    """What a deal says at a pointer below it."""
    found = deal
    for key in path.strip("/").split("/"):
        found = found[int(key)] if key.isdigit() else getattr(found, key)
    return found


def unproven(case: Case) -> None:
    """Say once of a match in which nothing is wrong that it is told, not proven."""
    lines = [index for index, deal in enumerate(case.match.deals) if is_line(deal)]
    if lines and all(finding.severity != ERROR for finding in case.findings):
        fault = case.game.match_faults.by_code[SHEET]
        case.add(fault, pointer("deals", lines[0]), deal=lines[0], found=len(lines))


# the match


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
        where, told = pointer("result", key), getattr(declared, key)
        case.note(Note(rule, partial.RESULT), where, found=told)
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
            case.nobody(fault, where, found=told)
        else:
            case.add(fault, where, found=told, legal=right[key], detail={"first": first})
