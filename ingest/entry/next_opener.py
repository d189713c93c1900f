"""Who opens the next deal of a match that is read, where nobody wrote it."""

from collections.abc import Mapping
from typing import Any

from engine.games import game as game_of
from ingest.entry.recorder import Recorder, Refused


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
