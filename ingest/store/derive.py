"""A checked batch → the rows of every table that is derived from its texts."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.finding.finding import STATUSES
from ingest.judge import decode as decoding
from ingest.judge.batch import Checked
from ingest.judge.decode import Head
from ingest.judge.document import is_date
from ingest.judge.explain import Explained
from ingest.judge.numbers import Numbers, Verdicts, from_explained, judge
from ingest.store import totals
from ingest.store.rows import DealRows, finding_rows, match_rows, records_of, seat_rows, words

TABLES = (
    *("matches", "seats", "deals", "deal_seats", "announcements"),
    *(*totals.TABLES, "findings"),
)
"""Everything of a match that can be made again from its text."""

TIME = pa.timestamp("us", tz="UTC")

Names = Callable[[NDArray[np.int64]], dict[str, Any]]
"""Places in the batch → the columns of `matches` that name those matches, `match_no` first."""
Players = Callable[[list[str], list[str]], NDArray[np.int64]]
"""Ids and names of players → their numbers."""
Rows = tuple[str, pa.Table]
"""A table's name and rows for it."""


def derive(
    checked: Checked, names: Names, players: Players, left_out: Collection[int] = ()
) -> Iterator[Rows]:
    """Rows for TABLES, group by group, of all matches of a batch but those at some places.

    `names` is called once for each group, in the order their rows come.
    """
    rows = _Rows(names, players)
    for group in checked.clean:
        keep = group.keep
        if left_out:
            keep = np.array([k for k in keep if int(group.places[k]) not in left_out], np.int64)
        decoded, verdicts = group.decoded, group.verdicts
        statuses, per_deal = np.full(len(keep), STATUSES.index("legal"), np.uint8), None
        if group.status is not None and group.deal_status is not None:
            statuses = group.status[keep]
            owner = np.repeat(np.arange(len(group.places)), np.diff(decoded.numbers.first))
            per_deal = group.deal_status[np.isin(owner, keep)]
        base = rows.base(group.places[keep], statuses, np.zeros(len(keep), np.int32))
        yield from rows.group(base, decoded.head, keep, decoded.numbers, verdicts, per_deal)
    games: dict[str | None, dict[int, Explained]] = {}
    for place, found in checked.explained.items():
        if place not in left_out:
            name = None if found.match is None else found.match.game
            games.setdefault(name, {})[place] = found
    for game in sorted(games, key=lambda name: (name is None, name or "")):
        yield from rows.explained(game, games[game])


def rows_of(
    base: dict[str, Any],
    head: Head,
    numbers: Numbers,
    verdicts: Verdicts,
    players: Players,
) -> Iterator[Rows]:
    """Rows for TABLES of legal matches that came from no text; `base` names them as `names`."""
    every = np.arange(len(head.players))
    return _Rows(lambda places: {}, players).group(base, head, every, numbers, verdicts)


class Seated:
    """Players numbered from 0 on as they come, before a store is asked for its numbers."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Id → the name they had first."""
        self._numbers: dict[str, int] = {}

    def __call__(self, ids: list[str], names: list[str]) -> NDArray[np.int64]:
        """The number of each."""
        first = dict(zip(reversed(ids), reversed(names), strict=True))
        for player in dict.fromkeys(ids):
            if player not in self._numbers:
                self.names[player] = first[player]
                self._numbers[player] = len(self._numbers)
        return np.fromiter(map(self._numbers.__getitem__, ids), np.int64, len(ids))


class _Rows:
    """The rows of one group of matches after the other."""

    def __init__(self, names: Names, players: Players) -> None:
        self.names, self.players = names, players

    def base(
        self, places: NDArray[np.int64], statuses: NDArray[np.uint8], findings: NDArray[np.int32]
    ) -> dict[str, Any]:
        """The columns that name some matches, and what their check came to, in STATUSES."""
        verdict = {"status": words(statuses, STATUSES), "findings": pa.array(findings)}
        return self.names(places) | verdict

    def group(
        self,
        base: dict[str, Any],
        head: Head,
        keep: NDArray[np.int64],
        numbers: Numbers,
        verdicts: Verdicts,
        deal_statuses: NDArray[np.uint8] | None = None,
    ) -> Iterator[Rows]:
        """Every row of the kept matches of one game."""
        if not len(keep):
            return
        match_no = base["match_no"]
        kept = keep.tolist()
        ids = list(chain.from_iterable(map(head.ids.__getitem__, kept)))
        called = list(chain.from_iterable(map(head.names.__getitem__, kept)))
        player_no = self.players(ids, called)
        seats = head.players[keep]
        name = numbers.game.name
        yield "seats", seat_rows(name, match_no, seats, player_no, records_of(verdicts, keep))
        played = head.played_at.take(pa.array(keep))
        months = pc.floor_temporal(played, unit="month").cast(pa.date32())
        rows = DealRows(numbers, verdicts, keep, match_no, deal_statuses, months, player_no, seats)
        deals, at_seats, announced = rows.deals(), rows.deal_seats(), rows.announcements()
        matches = match_rows(head, keep, numbers, verdicts, base, deal_statuses)
        yield "matches", matches
        yield "deals", deals
        yield "deal_seats", at_seats
        if announced is not None:
            yield "announcements", announced
        yield from totals.totals(matches, deals, at_seats, announced)

    def explained(self, game: str | None, explained: dict[int, Explained]) -> Iterator[Rows]:
        """Rows of matches of one game that are not clean, or of texts that are no match."""
        found = list(explained.values())
        places = np.array(list(explained), np.int64)
        statuses = np.array([STATUSES.index(e.status) for e in found], np.uint8)
        base = self.base(places, statuses, np.array([len(e.findings) for e in found], np.int32))
        head, keep = _head_of(found), np.arange(len(found))
        if game is None:
            yield "matches", match_rows(head, keep, None, None, base)
        else:
            numbers = from_explained(game, found)
            per_deal = [STATUSES.index(status) for e in found for status in e.deal_status]
            verdicts = judge(numbers)
            yield from self.group(base, head, keep, numbers, verdicts, np.array(per_deal, np.uint8))
        yield "findings", finding_rows(base["match_no"].tolist(), [e.findings for e in found])


def _head_of(found: list[Explained]) -> Head:
    """The match-level columns of explained matches, empty where nothing could be read."""
    matches = [e.match for e in found]

    def column(read: Callable[[Any], Any]) -> NDArray[np.object_]:
        values = np.full(len(matches), None, np.object_)
        for i, match in enumerate(matches):
            values[i] = None if match is None else read(match)
        return values

    def date(match: Any) -> datetime | None:
        told = match.played_at
        return datetime.fromisoformat(told.upper()) if told and is_date(told) else None

    return Head(
        game=column(lambda match: match.game),
        preset=column(decoding.preset_of),
        options=column(decoding.options_of),
        log_id=pa.array([match and match.id for match in matches], pa.string()),
        played_at=pa.array([match and date(match) for match in matches], TIME),
        event=column(lambda match: decoding.name_in(match.event)),
        details=column(lambda match: decoding.details(match.event, match.source)),
        source=column(lambda match: decoding.name_in(match.source)),
        players=np.array([len(match.players) if match else 0 for match in matches], np.int64),
        ids=[[player.id for player in match.players] if match else [] for match in matches],
        names=[[player.called for player in match.players] if match else [] for match in matches],
    )
