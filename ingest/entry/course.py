"""A deal followed as it is read: whose turn it is, asked of the engine, where nobody wrote it."""

from collections.abc import Mapping
from typing import Any

import orjson

from engine.acts import ACT_MASK
from engine.partial import PartialReplay
from engine.replay import Replay
from ingest.finding.finding import ERROR, Finding
from ingest.judge.explain import explain
from schemas.deal import decode, first_seat
from schemas.games import of
from schemas.table import Table

Item = tuple[str, Any]
"""A word of an action and where it was written."""


class Lost(Exception):
    """The engine cannot follow the deal: what it says, None where nothing is against the rules."""

    def __init__(self, finding: Finding | None) -> None:
        super().__init__()
        self.finding = finding


class Course:
    """One deal on its way; `deal` has its actions so far."""

    def __init__(self, head: Mapping[str, Any], deal: dict[str, Any], table: Table) -> None:
        self.head, self.deal, self.table = head, deal, table
        deal["actions"] = []

    @property
    def actions(self) -> list[str]:
        """The actions so far."""
        found: list[str] = self.deal["actions"]
        return found

    def add(self, seat: int, word: str) -> None:
        """One more action, by a seat from 0."""
        self.actions.append(f"{seat + 1} {word}")

    def due(self) -> int | None:
        """The seat whose turn it is; None: the deal is over. Lost: nobody can say."""
        replay = self._replay()
        if replay is None or replay.stop is not None or replay.unread:
            raise Lost(self._finding())
        last = replay.last
        if last.over:
            return None
        may = {act.seat for act in last.legal}
        if len(may) == 1:
            return may.pop()  # who has to decide may be another than whose turn it is
        if not last.sure("turn"):
            raise Lost(None)
        return last.turn

    def faults(self) -> set[str]:
        """The codes of what is against the rules in the last action."""
        replay = self._replay()
        if replay is None:
            return set()
        if replay.stop is not None:
            return {fault.code for fault in replay.stop.faults}
        return {fault.code for at, fault in replay.faults if at == len(self.actions) - 1}

    def kind(self, word: str) -> str:
        """The kind of act a word is, `play` of a card laid."""
        code = of(self.table.game.name).words(self.table.faces)[word]
        return self.table.game.acts.kind_of_act(code & ACT_MASK)

    def _replay(self) -> Replay | None:
        match = of(self.table.game.name).MATCH.model_validate({**self.head, "deals": [self.deal]})
        [deal] = match.deals
        decoded = decode(deal, self.table)
        if decoded.deck is None:
            return None
        kind = PartialReplay if decoded.partial else Replay
        dealt = (first_seat(deal)[0] - 1, decoded.deck, decoded.codes, decoded.explicit)
        return kind(self.table.game, self.table.rules, self.table.players, *dealt)

    def _finding(self) -> Finding | None:
        """The first error of the deal as it stands."""
        found = explain(orjson.dumps({**self.head, "deals": [self.deal]})).findings
        return next((one for one in found if one.severity == ERROR), None)
