"""One match being explained: what it is read with, and what has been found so far."""

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.faults import NOTE, Fault
from engine.games import TOLD
from ingest.finding.finding import STATUSES, Finding
from schemas.log import AnyMatch, table
from schemas.table import Problem

NOT_CHECKABLE = "not-checkable"


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
        other.findings, other.flow = list(self.findings), self.flow.copy()
        other.lost, other.idle = set(self.lost), set(self.idle)
        other.settled = set(self.settled)
        return other

    def add(self, fault: Fault, path: str, **values: Any) -> Finding:
        """A fault of the engine's tables as a finding."""
        finding = Finding(
            fault.code, fault.rule, fault.severity, path, game=self.game.name, **values
        )
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

    def nobody(self, fault: Fault, path: str, **values: Any) -> None:
        """A winner no seat has, where the engine knows of none either."""
        self.add(fault, path, detail={"open": True}, **values)


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
    gravest_first = ("broken", "incomplete", "irregular")
    places = [np.uint8(STATUSES.index(status)) for status in gravest_first]
    legal = np.uint8(STATUSES.index("legal"))
    return np.select([impossible, incomplete, wrong], places, legal)
