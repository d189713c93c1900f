"""A checked batch → the rows of every table that is derived from its texts."""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.findings.finding import STATUSES
from ingest.store import rollups
from ingest.store.rows import DealRows, finding_rows, match_rows, records_of, seat_rows, words
from ingest.validate.batch import Checked
from ingest.validate.fast_path import decode as decoding
from ingest.validate.fast_path.deal_arrays import Numbers, Verdicts, from_explained, judge
from ingest.validate.fast_path.decode import Head
from ingest.validate.parse_document import is_date
from ingest.validate.slow_path import Explained

BASE = ("matches", "seats", "deals", "deal_seats", "announcements", "findings")
TABLES = (*BASE, *rollups.TABLES)
"""Everything of a match that can be made again from its text; of BASE the rest is counted."""

TIME = pa.timestamp("us", tz="UTC")

Names = Callable[[NDArray[np.int64]], dict[str, Any]]
"""Places in the batch → the columns of `matches` that name those matches, `match_no` first."""
Players = Callable[[list[str], list[str]], NDArray[np.int64]]
"""Ids and names of players → their numbers."""
Rows = tuple[str, pa.Table]
"""A table's name and rows for it."""


def derive(
    checked: Checked,
    names: Names,
    players: Players,
    left_out: Collection[int] = (),
    counted: bool = True,
) -> Iterator[Rows]:
    """Rows for TABLES, group by group, of all matches of a batch but those at some places.

    `names` is called once for each group, in the order their rows come; not `counted`: for BASE.
    """
    legal = STATUSES.index("legal")
    for group in checked.clean:
        keep = group.keep
        if left_out:
            keep = np.array([k for k in keep if int(group.places[k]) not in left_out], np.int64)
        decoded, verdicts = group.decoded, group.verdicts
        statuses, per_deal = np.full(len(keep), legal, np.uint8), None
        if group.status is not None and group.deal_status is not None:
            statuses = group.status[keep]
            owner = np.repeat(np.arange(len(group.places)), np.diff(decoded.numbers.first))
            per_deal = group.deal_status[np.isin(owner, keep)]
        base = names(group.places[keep]) | {
            "status": words(statuses, STATUSES),
            "findings": pa.array(np.zeros(len(keep), np.int32)),
        }
        yield from rows_of(
            base, decoded.head, decoded.numbers, verdicts, players, keep, per_deal, counted
        )
    games: dict[str | None, dict[int, Explained]] = {}
    for place, one in checked.explained.items():
        if place not in left_out:
            games.setdefault(None if one.match is None else one.match.game, {})[place] = one
    for game in sorted(games, key=lambda name: (name is None, name or "")):
        found, places = [*games[game].values()], np.array([*games[game]], np.int64)
        verdict = np.array([STATUSES.index(one.status) for one in found], np.uint8)
        base = names(places) | {
            "status": words(verdict, STATUSES),
            "findings": pa.array([len(one.findings) for one in found], pa.int32()),
        }
        head, keep = _head_of(found), np.arange(len(found))
        if game is None:
            yield "matches", match_rows(head, keep, None, None, base)
        else:
            numbers = from_explained(game, found)
            of_deals = [STATUSES.index(status) for one in found for status in one.deal_status]
            per_deal = np.array(of_deals, np.uint8)
            yield from rows_of(
                base, head, numbers, judge(numbers), players, keep, per_deal, counted
            )
        yield "findings", finding_rows(base["match_no"].tolist(), [one.findings for one in found])


def rows_of(
    base: dict[str, Any],
    head: Head,
    numbers: Numbers,
    verdicts: Verdicts,
    players: Players,
    keep: NDArray[np.int64],
    deal_statuses: NDArray[np.uint8] | None = None,
    counted: bool = True,
) -> Iterator[Rows]:
    """Every row of the kept matches of one game; `base` has the columns that name them."""
    if not len(keep):
        return
    kept, match_no = keep.tolist(), base["match_no"]
    ids = list(chain.from_iterable(map(head.ids.__getitem__, kept)))
    called = list(chain.from_iterable(map(head.names.__getitem__, kept)))
    player_no, seats = players(ids, called), head.players[keep]
    records = records_of(verdicts, keep)
    yield "seats", seat_rows(numbers.game.name, match_no, seats, player_no, records)
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
    if counted:
        yield from rollups.totals(matches, deals, at_seats, announced)


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
