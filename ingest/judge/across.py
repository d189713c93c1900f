"""Across deals: who deals, what the sheet says, what each deal adds to the match, its result."""

from typing import Any, NamedTuple

import numpy as np

from engine.faults import Fault
from engine.games import UNSAID
from engine.partial import PartialReplay
from engine.replay import Replay
from ingest.games import of
from ingest.judge import partial
from ingest.judge.case import Case, clipped, told_array
from ingest.judge.partial import Counted, Note
from ingest.text.json import pointer
from schemas.deal import first_seat

DECLARED = ("points-differ", "winner-differs")
"""What a deal's sheet may have wrong: the first such deal is pointed at when the score is too."""


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


def count(case: Case, index: int, deal: Any, replay: Replay | None) -> None:
    """Hold a deal against the match so far and against its sheet, and add what it brings."""
    match, flow = case.game.match, case.flow
    if replay is None:
        replay = _undealt(case, deal)
        if replay is None:
            match.lose_track(flow)
            return
    state = replay.last.state
    path = pointer("deals", index)
    open_deal(case, index, deal, path, int(state["dealer"]))
    said = said_of(deal)
    counted = partial.count(case.game, case.table.rules, flow, replay, said)
    found = match.check_declared(flow, state, *said) & counted.certain
    _differ(case, index, deal, replay, said, found)
    _doubt(case, index, deal, counted)
    if _settled(case, deal, state, said, found | counted.doubtful):
        case.settled.add(index)
    _end(case, index, deal, path, replay)
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


def open_deal(case: Case, index: int, deal: Any, path: str, dealer: int) -> None:
    """Whether the deal may be dealt, or led, by that seat and at all."""
    rules, flow = case.game.match, case.flow
    expected = int(flow["dealer"])
    legal: Any = expected + 1 or None
    if legal is None:
        legal = rules.leaders(flow)
    for fault in case.game.match_faults.of(rules.open_deal(flow, dealer)):
        if fault.code == "deal-after-match":
            case.add(fault, path, deal=index)
        else:
            seat, where = first_seat(deal)
            case.add(fault, path + where, deal=index, found=seat, legal=legal)


def declared(deal: Any, code: str) -> tuple[str, Any]:
    """Where in a deal its sheet says what a code is about, and what it says there."""
    if code == "points-differ":
        return "/points", deal.points
    if code == "winner-differs":
        return "/winner", deal.winner
    return "/manche", deal.known("manche")


def _as_played(case: Case, replay: Replay, code: str) -> Any:
    """What the sheet should say there."""
    if code == "points-differ":
        return list(replay.last.points)
    if code == "winner-differs":
        return partial.winner(case.game, replay)
    return int(case.flow["manche"]) + 1


def _differ(case: Case, index: int, deal: Any, replay: Replay, said: Said, found: int) -> None:
    """What the sheet says otherwise than the deal was played, whatever cards are hidden."""
    path = pointer("deals", index)
    at_seats = of(case.game.name).at_seats
    for fault in case.game.match_faults.of(found):
        if seated := at_seats(case.table, case.flow, replay.last.state, deal, fault.code):
            for seat, where, told, left in seated:
                case.add(fault, path + where, deal=index, seat=seat + 1, found=told, legal=left)
            continue
        where, told = declared(deal, fault.code)
        legal = _as_played(case, replay, fault.code)
        if fault.code == "winner-differs" and (deal.void or legal is None):
            case.nobody(fault, path + where, deal=index, found=told)
            continue
        finding = case.add(fault, path + where, deal=index, found=told, legal=legal)
        if isinstance(replay, PartialReplay) and _certain(case, fault, replay, said, legal):
            finding.detail["certain"] = True


def _certain(case: Case, fault: Fault, replay: PartialReplay, said: Said, legal: Any) -> bool:
    """Whether what the engine counts would be right in every way a deal may have gone."""
    if replay.unread or legal == "?" or (isinstance(legal, list) and "?" in legal):
        return False
    if fault.code == "points-differ":
        said = said._replace(points=told_array(legal), seats=len(legal))
    elif fault.code == "winner-differs":
        said = said._replace(winner=legal)
    else:
        said = said._replace(manche=legal)
    after = partial.count(case.game, case.table.rules, case.flow, replay, said)
    return not (after.certain | after.doubtful) & fault.bit


def _doubt(case: Case, index: int, deal: Any, counted: Counted) -> None:
    """What the sheet says that hidden cards decide: one note a rule."""
    faults = case.game.match_faults.of(counted.doubtful)
    for fault in {fault.rule: fault for fault in reversed([*faults])}.values():
        where, told = declared(deal, fault.code)
        path = pointer("deals", index) + where
        case.note(Note(fault.rule, partial.SAID), path, deal=index, found=told)


def _settled(case: Case, deal: Any, state: np.void, said: Said, found: int) -> bool:
    """Whether nothing across deals can come of this one's play."""
    faults = case.game.match_faults
    outcome = faults.bit("points-differ") | faults.bit("winner-differs")
    over = int(state["outcome"]) != case.game.kernel.RUNNING
    known = said.seats > 0 and said.winner != UNSAID and over
    return bool(deal.void) or (known and not found & outcome)


def _end(case: Case, index: int, deal: Any, path: str, replay: Replay) -> None:
    """A deal that stops before its end, or may."""
    running = [int(one["outcome"]) == case.game.kernel.RUNNING for one in replay.lasts]
    if not any(running) or replay.stop or replay.unread or deal.void:
        return
    incomplete, end = case.game.match_faults.by_code["incomplete"], len(deal.actions)
    if all(running):
        case.add(incomplete, path + "/actions", deal=index, action=end)
    else:
        note = Note(incomplete.rule, partial.END)
        case.note(note, path + "/actions", deal=index, action=end)


def cuts(case: Case) -> tuple[int, int, int]:
    """Who deals first, who cut highest, who deals the belle; the faults of the cuts (CH-2)."""
    told = case.match.known("cuts") or []
    if not told:
        return -1, -1, -1
    read, faults = case.game.match.read_cuts(told, case.players)
    for code, i, k in faults:
        fault = case.game.match_faults.by_code[code]
        case.add(fault, pointer("cuts", i, k), found=told[i][k])
    dealers: tuple[int, int, int] = case.game.match.dealers_by_cut(read)
    return dealers


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
    first = next((one for one in case.findings if one.code in DECLARED), None)
    computed = {
        "score-differs": ("/result/score", declared.score, rules.score(flow)),
        "result-differs": ("/result/winner", declared.winner, int(flow["winner"]) + 1 or None),
    }
    if case.lost and (score or said) and not found:
        code = "score-differs" if score else "result-differs"
        where, told, _ = computed[code]
        rule = case.game.match_faults.by_code[code].rule
        case.note(Note(rule, partial.RESULT), where, found=told)
    for fault in case.game.match_faults.of(found):
        if fault.code == "result-contradicts":
            # either may be the slip, so no value is the right one
            said_score = {"where": ", ".join(map(str, score))}
            case.add(fault, "/result/winner", found=declared.winner, detail=said_score)
            continue
        where, told, legal = computed[fault.code]
        if fault.code == "result-differs" and not flow["over"]:
            case.nobody(fault, where, found=told)
            continue
        case.add(fault, where, found=told, legal=legal, detail={"first": first})
