"""A line of a score sheet held against the match: what of it no deal can have, what it brings."""

from typing import Any

import numpy as np

from engine.told import End, Line
from ingest.finding.finding import ERROR
from ingest.games import of
from ingest.judge import across, partial
from ingest.judge.case import Case
from ingest.text.json import pointer
from schemas.deal import is_line, line, seat_problems

SHEET = "score-sheet"


def beside(case: Case, index: int, deal: Any) -> None:
    """Warn of what is told of a deal that has cards or actions, or does not count."""
    if deal.told is not None:
        fault = case.game.match_faults.by_code["told-beside"]
        case.add(fault, pointer("deals", index, "told"), deal=index)


def unproven(case: Case) -> None:
    """Say once of a match in which nothing is wrong that it is told, not proven."""
    lines = [index for index, deal in enumerate(case.match.deals) if is_line(deal)]
    if lines and all(finding.severity != ERROR for finding in case.findings):
        fault = case.game.match_faults.by_code[SHEET]
        case.add(fault, pointer("deals", lines[0]), deal=lines[0], found=len(lines))


def read(case: Case, index: int, deal: Any) -> End | None:
    """Count a line; how its deal ended, None where that is not known."""
    path = pointer("deals", index)
    problems = seat_problems(deal, case.table)
    told = line(deal, case.table, problems)
    for problem in problems:
        case.problem(problem, path, deal=index)
    end = None if problems or case.table.problems else _end(case, index, deal, told)
    if end is None:
        case.game.match.lose_track(case.flow)
        case.lost.add(index)
    return end


def _end(case: Case, index: int, deal: Any, told: Line) -> End | None:
    """The findings of a line that can be read, and the end it brings to the match."""
    game, flow, rules = case.game, case.flow, case.table.rules
    path = pointer("deals", index)
    across.open_deal(case, index, deal, path, told.dealer)
    ends = game.told.ends(told, case.players, rules)
    for code, where, may in ends.wrong:
        legal = may[0] if len(may) == 1 else list(may) or None
        fault = game.match_faults.by_code[code]
        case.add(fault, path + where, deal=index, found=_at(deal, where), legal=legal)
    if not ends.states:
        return None
    said = across.said_of(deal)
    # a side that stopped the game may have marked nothing, which the score before it says
    wrong = game.match_faults.bit("points-differ") | game.match_faults.bit("winner-differs")
    found = [game.match.check_declared(flow, end.copy(), *said) & wrong for end in ends.states]
    good = [end for end, fault in zip(ends.states, found, strict=True) if not fault]
    counted = partial.count_ends(game, rules, flow, good or ends.states, said)
    end: np.void = (good or ends.states)[0].copy()
    _differ(case, index, deal, path, end, counted.certain & ~(wrong if ends.wrong else 0))
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


def _differ(case: Case, index: int, deal: Any, path: str, end: np.void, found: int) -> None:
    """What the line says against the deals before it."""
    for fault in case.game.match_faults.of(found):
        seated = of(case.game.name).at_seats(case.table, case.flow, end, deal, fault.code)
        for seat, where, told, left in seated:
            case.add(fault, path + where, deal=index, seat=seat + 1, found=told, legal=left)
        if not seated:
            where, told = across.declared(deal, fault.code)
            legal = _as_counted(case, end, fault.code)
            case.add(fault, path + where, deal=index, found=told, legal=legal)


def _as_counted(case: Case, end: np.void, code: str) -> Any:
    """What the line should say there."""
    if code == "points-differ":
        sides = range(case.game.sides(case.players))
        return [int(case.game.kernel.total(end, side)) for side in sides]
    if code == "winner-differs":
        return case.game.match.winner_word(end)
    return int(case.flow["manche"]) + 1
