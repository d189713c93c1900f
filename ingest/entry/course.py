"""A match followed as it is read: whose turn it is, and who opens next, where nobody wrote it."""

from collections.abc import Mapping
from typing import Any

from engine.acts import ACT_MASK
from engine.games import game as game_of
from ingest.entry.recorder import Recorder, Refused, Said
from ingest.finding.finding import NOTE, Finding
from schemas.table import Table
from schemas.words import acts


class Lost(Exception):
    """The engine cannot follow the deal: what it says, None where nothing is against the rules."""

    def __init__(self, finding: Finding | None) -> None:
        super().__init__()
        self.finding = finding


class Openers:
    """Who opens each deal of a log that grows: asked for where a deal does not tell."""

    def __init__(self, log: Mapping[str, Any]) -> None:
        self.log = log
        self._recorder: Recorder | None = None
        self._count = 0

    def next(self) -> int | None:
        """The seat, from 1, that opens after the deals so far; None: nothing says."""
        try:
            if self._recorder is None:
                self._recorder = Recorder.of({**self.log, "deals": []})
            for deal in self.log["deals"][self._count :]:
                self._recorder.deal(**deal)
                self._count += 1
        except Refused:
            return None
        flow = self._recorder.explained.flow
        if flow is None or flow["over"]:
            return None
        seats = game_of(self.log["game"]).match.leaders(flow)
        return seats[0] if len(seats) == 1 else None


class Course:
    """One deal on its way."""

    def __init__(self, head: Mapping[str, Any], deal: Mapping[str, Any], table: Table) -> None:
        self.table = table
        self.recorder = Recorder.of({**head, "deals": []})
        try:
            self.said: Said = self.recorder.deal(**deal)
        except Refused as refused:
            raise Lost(refused.findings[0]) from refused
        self.count = 0
        """Actions so far."""

    @property
    def actions(self) -> list[str]:
        """The actions so far."""
        found: list[str] = self.recorder.log()["deals"][-1].get("actions", [])
        return found

    def add(self, seat: int, word: str) -> None:
        """One more action, by a seat from 0. Lost: it cannot have happened."""
        try:
            self.said = self.recorder.act(f"{seat + 1} {word}")
        except Refused as refused:
            raise Lost(refused.findings[0]) from refused
        self.count += 1

    def why(self, seat: int, word: str) -> set[str]:
        """The codes of what would be against the rules if somebody did this now."""
        found = self.recorder.why(f"{seat + 1} {word}")
        return {one.code for one in found if one.severity != NOTE}

    def due(self) -> int | None:
        """The seat whose turn it is; None: the deal is over. Lost: nobody can say."""
        may = {int(action.split(" ")[0]) for action in self.said.legal}
        if len(may) == 1:
            return may.pop() - 1  # who has to decide may be another than whose turn it is
        if self.said.turn is not None:
            return self.said.turn - 1  # also of who may still answer a chouine
        if self.said.over:
            return None
        raise Lost(None)

    def kind(self, word: str) -> str:
        """The kind of act a word is, `play` of a card laid."""
        return kind_of(self.table, word)


def kind_of(table: Table, word: str) -> str:
    """The kind of act a word is at a table, `play` of a card laid."""
    code = acts(table.game.name, table.faces)[word]
    return table.game.acts.kind_of_act(code & ACT_MASK)
