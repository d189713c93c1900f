"""Rows of matches → what statistics ask of them, counted beforehand, as Arrow.

`schemas/sql/0013_statistics.sql` says what each table counts, and counts it for stores that were
made before; a test holds the two to the same rows.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.finding.finding import STATUSES
from ingest.store.columns import encoded, indices, nullable, words
from ingest.store.counted import (
    COUNTED,
    KINDS,
    NOBODY,
    OF_A_SEAT,
    SUMS,
    Deal,
    Deals,
    Kinds,
    Row,
    Said,
    Seat,
    Seats,
    count_deals,
    count_said,
    count_seats,
    places,
)

TABLES = ("match_deals", "match_seats", "match_kinds", "said_or_missed")
"""What `totals` counts."""

VALUES = ("points", "cards", "bonus")
"""What seats are summed up by, beside how many there are."""
FACTS = ("held", "announced", "shown", "counted")
"""The bits of `firsts`, from the lowest; four each of trick, phase and lead."""
_SAID = (
    *("match_no", "deal", "seat", "kind", "trump"),
    *("announced", "trick", "closed", "lead", "missed"),
)
"""What `said_or_missed` has as `announcements` have it."""
_OF_MATCH = ("game", "players", "preset", "event", "source")

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def totals(
    matches: pa.Table, deals: pa.Table, seats: pa.Table, announced: pa.Table | None
) -> Iterator[tuple[str, pa.Table]]:
    """Rows of TABLES for the matches of one game, from all their other rows, which lie in order."""
    played = _Played(matches, deals, seats, announced)
    yield "match_deals", played.match_deals()
    if announced is not None and announced.num_rows:
        kinds, said = played.said()
        yield "match_kinds", kinds
        yield "said_or_missed", said
    yield "match_seats", played.match_seats()


class _Played:
    """The rows of some matches as records of numbers."""

    def __init__(
        self, matches: pa.Table, deals: pa.Table, seats: pa.Table, announced: pa.Table | None
    ) -> None:
        self.matches, self.announced = matches, announced
        self.match_no = deals["match_no"].to_numpy()
        self.outcome = _ints(deals, "outcome", 0)
        self.number = self.match_no, deals["deal"].to_numpy()
        self.with_values = [name for name in VALUES if name in seats.column_names]
        self.deals, self.seats = self._deals(deals), self._seats(seats)
        self.kinds: pa.Array | None = None
        self.acts = np.empty(0, Said) if announced is None else self._said(announced)

    def _at(self, rows: pa.Table) -> Ints:
        """The place of each row's deal among the deals."""
        found = np.empty(rows.num_rows, np.int64)
        places(*self.number, rows["match_no"].to_numpy(), rows["deal"].to_numpy(), found)
        return found

    def _deals(self, deals: pa.Table) -> NDArray[np.void]:
        found = np.empty(deals.num_rows, Deal)
        found["match"] = np.searchsorted(self.matches["match_no"].to_numpy(), self.match_no)
        found["winner"] = _ints(deals, "winner", -1)
        found["bidder"] = _ints(deals, "bidder", 0)
        found["status"] = indices(deals["status"], pa.array(STATUSES))
        found["void"] = deals["void"].is_valid().to_numpy()
        found["told"] = _flags(deals, "told")
        found["dealt"] = deals["dealer"].is_valid().to_numpy()
        found["made"] = _flags(deals, "made")
        return found

    def _seats(self, seats: pa.Table) -> NDArray[np.void]:
        found = np.empty(seats.num_rows, Seat)
        found["deal"] = self._at(seats)
        found["player"] = seats["player_no"].to_numpy()
        found["seat"] = seats["seat"].to_numpy()
        found["decided"] = seats["won"].is_valid().to_numpy()
        for name in ("won", "met"):
            found[name] = _flags(seats, name)
        for place, name in enumerate(VALUES):
            found["known"][:, place] = name in seats.column_names and seats[name].is_valid()
            found["values"][:, place] = _ints(seats, name, 0)
        return found

    def _said(self, rows: pa.Table) -> NDArray[np.void]:
        found = np.empty(rows.num_rows, Said)
        kinds = pc.unique(rows["kind"].combine_chunks())
        self.kinds = kinds.cast(pa.string()).sort()  # in the same order in every batch
        found["kind"] = indices(rows["kind"], self.kinds)
        found["deal"] = self._at(rows)
        found["player"] = rows["player_no"].to_numpy()
        found["seat"] = rows["seat"].to_numpy()
        found["suit"] = _ints(rows, "suit", 255)
        found["points"], found["worth"] = _ints(rows, "points"), _ints(rows, "worth", 0)
        found["trump"], found["missed"] = _flags(rows, "trump"), _flags(rows, "missed")
        found["known"] = rows["missed"].is_valid().to_numpy()
        found["facts"] = 0
        for bit, name in enumerate(FACTS):
            found["facts"] |= _flags(rows, name).astype(np.int8) << bit
        moments = (_ints(rows, "trick", 0), _either(rows, "closed"), _either(rows, "lead"))
        for place, moment in enumerate(moments):
            found["moments"][:, place] = moment
        return found

    def match_deals(self) -> pa.Table:
        """Rows of `match_deals`."""
        found = np.empty(len(self.deals), Deals)
        found = found[: count_deals(self.deals, found)]
        some = found["deal"]
        return pa.table(
            {
                "match_no": self.match_no[some],
                "status": words(self.deals["status"][some], STATUSES),
                **{name: self.deals[name][some] for name in ("void", "told", "dealt")},
                **{name: found[name].copy() for name in ("deals", "decided", "drawn")},
            }
        )

    def match_seats(self) -> pa.Table:
        """Rows of `match_seats`."""
        found = np.empty(len(self.seats), Seats)
        cell = np.full((int(self.seats["seat"].max(initial=0)) + 1) * OF_A_SEAT, -1)
        found = found[: count_seats(self.deals, self.seats, self.acts, cell, found)]
        row, sums = found["row"], found["sums"].T.copy()
        place = self.seats["deal"][row]
        columns = {
            "match_no": self.match_no[place],
            "seat": self.seats["seat"][row].astype(np.uint8),
            "player_no": self.seats["player"][row].astype(np.int32),
            "status": words(self.deals["status"][place], STATUSES),
            "told": self.deals["told"][place],
            **dict(zip(SUMS, sums, strict=True)),
            "pointed": found["pointed"][:, 0].copy(),
        }
        for place, name in enumerate(VALUES):
            if name in self.with_values:
                none = found["pointed"][:, place] == 0
                columns[name] = nullable(found["values"][:, place], none, pa.int64())
                squares = found["squares"][:, place]
                columns[f"{name}_squared"] = nullable(squares, none, pa.int64())
        return pa.table(columns)

    def said(self) -> tuple[pa.Table, pa.Table]:
        """Rows of `match_kinds` and of `said_or_missed`."""
        seated = np.searchsorted(self.seats["deal"], np.arange(len(self.deals) + 1))
        kinds, rows = np.empty(len(self.acts), Kinds), np.empty(len(self.acts), Row)
        many, count = count_said(self.deals, self.seats, seated, self.acts, kinds, rows)
        return self._match_kinds(kinds[:count]), self._said_or_missed(rows[:many])

    def _match_kinds(self, found: NDArray[np.void]) -> pa.Table:
        row, won = found["row"], found["won"]
        place = self.acts["deal"][row]
        return pa.table(
            {
                "match_no": self.match_no[place],
                "player_no": self.acts["player"][row].astype(np.int32),
                "status": words(self.deals["status"][place], STATUSES),
                "kind": words(self.acts["kind"][row], self.kinds),
                "trump": self.acts["trump"][row],
                "won": nullable(won == 2, won == 0, pa.bool_()),
                **dict(zip(KINDS, found["sums"].T.copy(), strict=True)),
            }
        )

    def _said_or_missed(self, found: NDArray[np.void]) -> pa.Table:
        assert self.announced is not None
        row, won, none = found["row"], found["won"], found["short"] == NOBODY
        place = self.acts["deal"][row]
        own = self.announced.select(_SAID).take(pa.array(row))
        match = pa.array(self.deals["match"][place])
        points = np.where(self.acts["facts"][row] & COUNTED, self.acts["points"][row], 0)
        return pa.table(
            {
                **{name: own[name] for name in _SAID},
                "status": words(self.deals["status"][place], STATUSES),
                "points": points.astype(np.int16),
                "firsts": found["firsts"].astype(np.uint16),
                "won": nullable(won == 2, won == 0, pa.bool_()),
                "outcome": nullable(self.outcome[place], none, pa.int64()),
                "short": nullable(found["short"], none, pa.int64()),
                "worth": nullable(self.acts["worth"][row], none, pa.int64()),
                # a number a row instead of a text
                **{name: encoded(self.matches[name]).take(match) for name in _OF_MATCH},
                "day": self.matches["played_at"].cast(pa.date32()).take(match),
            }
        )


def _either(rows: pa.Table, name: str) -> Ints:
    """A column of yes and no as 1 and 0, 2 where it is not known."""
    return np.where(rows[name].is_valid().to_numpy(), _flags(rows, name), 2)


def _ints(rows: pa.Table, name: str, unknown: int | None = None) -> Ints:
    """A column of whole numbers; `unknown` stands for those that are not known, or all."""
    if name not in rows.column_names:
        return np.full(rows.num_rows, unknown, np.int64)
    column = rows[name].cast(pa.int64())
    found: Ints = (column if unknown is None else column.fill_null(unknown)).to_numpy()
    return found


def _flags(rows: pa.Table, name: str) -> Flags:
    """A column of yes and no; what is not known is no."""
    if name not in rows.column_names:
        return np.zeros(rows.num_rows, np.bool_)
    found: Flags = rows[name].fill_null(False).to_numpy()
    return found
