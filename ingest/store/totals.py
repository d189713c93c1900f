"""Rows of matches → what statistics ask of them, counted beforehand, as Arrow.

`schemas/sql/0013_statistics.sql` says what each table counts, and counts it for stores that were
made before; a test holds the two to the same rows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.finding.finding import STATUSES
from ingest.store.columns import encoded, indices, nullable, words

TABLES = ("match_deals", "match_seats", "match_kinds", "said_or_missed")
"""What `totals` counts."""

FACTS = ("held", "announced", "shown", "counted")
"""The bits of `firsts`, from the lowest; four each of trick, phase and lead."""
_EACH = 1 << 4 * 0 | 1 << 4 * 1 | 1 << 4 * 2
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
    """Rows of TABLES for the matches of one game, from all their other rows."""
    played = _Deals(matches, deals)
    yield "match_deals", played.rows()
    place = played.at(seats)
    said = np.zeros(len(place), np.int64)
    if announced is not None and announced.num_rows:
        own = _Announced(played, announced, seats, place)
        said = own.counted()
        yield "match_kinds", own.kinds()
        yield "said_or_missed", own.said_or_missed()
    yield "match_seats", _seat_rows(played, seats, place, said)


class _Groups:
    """Rows in groups of those that are alike in some columns of small numbers, the first major."""

    def __init__(self, *columns: NDArray[Any]) -> None:
        code, size = np.zeros(len(columns[0]), np.int64), 1
        for column in columns:
            most = int(column.max(initial=0)) + 1
            code, size = code * most + column, size * most
        if size <= 8 * len(code):
            there = np.flatnonzero(np.bincount(code, minlength=size))
            number = np.empty(size, np.int64)
            number[there] = np.arange(len(there))
            self.of = number[code]
            self.count = len(there)
        else:
            there, self.of = np.unique(code, return_inverse=True)
            self.count = len(there)
        self.some = np.empty(self.count, np.int64)
        """A row of each group, to read there what is alike."""
        self.some[self.of] = np.arange(len(code))

    def sum(self, values: NDArray[Any]) -> Ints:
        """The sum of a column in each group; of flags, how many."""
        if values.dtype == np.bool_:
            return np.bincount(self.of[values], minlength=self.count)
        # exact as long as it is below 2⁵³
        return np.bincount(self.of, values, self.count).astype(np.int64)


class _Deals:
    """The deals of some matches, as columns of numbers."""

    def __init__(self, matches: pa.Table, deals: pa.Table) -> None:
        self.matches = matches
        self.match_no = deals["match_no"].to_numpy()
        self.match = np.searchsorted(matches["match_no"].to_numpy(), self.match_no)
        """Of each deal, its match's place among the matches."""
        self.code = self._coded(deals)
        self.status = indices(deals["status"], pa.array(STATUSES))
        self.void = deals["void"].is_valid().to_numpy()
        self.told = _flags(deals, "told")
        self.dealt = deals["dealer"].is_valid().to_numpy()
        self.winner = _ints(deals, "winner", -1)
        self.bidder = _ints(deals, "bidder", 0)
        self.made = _flags(deals, "made")
        self.outcome = _ints(deals, "outcome", 0)

    @staticmethod
    def _coded(rows: pa.Table) -> Ints:
        code: Ints = rows["match_no"].to_numpy() << 16 | rows["deal"].to_numpy().astype(np.int64)
        return code

    def at(self, rows: pa.Table) -> Ints:
        """The place of each row's deal among the deals."""
        return np.searchsorted(self.code, self._coded(rows))

    def rows(self) -> pa.Table:
        """Rows of `match_deals`."""
        groups = _Groups(self.match, self.status, self.void, self.told, self.dealt)
        some = groups.some
        return pa.table(
            {
                "match_no": self.match_no[some],
                "status": words(self.status[some], STATUSES),
                "void": self.void[some],
                "told": self.told[some],
                "dealt": self.dealt[some],
                "deals": np.bincount(groups.of, minlength=groups.count),
                "decided": groups.sum(self.winner > 0),
                "drawn": groups.sum(self.winner == 0),
            }
        )


def _seat_rows(deals: _Deals, seats: pa.Table, place: Ints, said: Ints) -> pa.Table:
    """Rows of `match_seats`; `place` of each seat's deal, `said` what of it counted."""
    kept = np.flatnonzero(~deals.void[place])
    if len(kept) < len(place):
        place, said, seats = place[kept], said[kept], seats.take(pa.array(kept))
    seat, player = _ints(seats, "seat"), _ints(seats, "player_no")
    status, told = deals.status[place], deals.told[place]
    groups = _Groups(deals.match[place], seat, status, told)
    some = groups.some
    decided = seats["won"].is_valid().to_numpy()
    bids = decided & (deals.bidder[place] == seat)
    found = {
        "match_no": deals.match_no[place[some]],
        "seat": seat[some].astype(np.uint8),
        "player_no": player[some].astype(np.int32),
        "status": words(status[some], STATUSES),
        "told": told[some],
        "deals": np.bincount(groups.of, minlength=groups.count),
        "decided": groups.sum(decided),
        "wins": groups.sum(_flags(seats, "won")),
        "contracts": groups.sum(bids),
        "made": groups.sum(bids & deals.made[place]),
        "met": groups.sum(decided & _flags(seats, "met")),
        "counted": groups.sum(said * decided),
        "counted_squared": groups.sum(said * said * decided),
    }
    for name in ("points", "cards", "bonus"):
        if name not in seats.column_names:
            continue
        known = decided & seats[name].is_valid().to_numpy()
        values = _ints(seats, name, 0) * known
        pointed = groups.sum(known)
        if name == "points":
            found["pointed"] = pointed
        found[name] = nullable(groups.sum(values), pointed == 0, pa.int64())
        found[f"{name}_squared"] = nullable(groups.sum(values * values), pointed == 0, pa.int64())
    return pa.table(found)


class _Announced:
    """What was held, said and missed in some deals, as columns of numbers."""

    def __init__(self, deals: _Deals, rows: pa.Table, seats: pa.Table, seated: Ints) -> None:
        self.deals, self.every = deals, rows
        self.seats, self.seated = seats, seated
        place = deals.at(rows)
        counts = ~deals.void[place] & ~deals.told[place] & deals.dealt[place]
        kept = np.flatnonzero(counts)
        self.place = place[kept]
        self.own = rows if len(kept) == len(place) else rows.take(pa.array(kept))
        kinds = pc.unique(self.own["kind"].combine_chunks())
        self.words = kinds.cast(pa.string()).sort()  # in the same order in every batch
        self.kind = indices(self.own["kind"], self.words)
        self.seat = _ints(self.own, "seat")
        self.trump = _flags(self.own, "trump")
        self.facts = {name: _flags(self.own, name) for name in FACTS}
        self.points = _ints(self.own, "points") * self.facts["counted"]
        self.worth = _ints(self.own, "worth", 0)
        missed = _flags(self.own, "missed")
        self.missed = missed & self.facts["held"]
        self.said_or_missed_here = self.facts["announced"] | missed
        self.known = self.own["missed"].is_valid().to_numpy()
        winner = deals.winner[self.place]
        self.won = np.where(winner > 0, 1 + (winner == self.seat), 0)
        """0: nobody won the deal, 1: another did, 2: who sits here."""
        self.hands = _Groups(self.place, self.seat, self.kind, self.trump)

    def counted(self) -> Ints:
        """How many announcements counted, for each row of the seats."""
        rows = self.every.filter(self.every["counted"])
        most = int(_ints(self.seats, "seat").max(initial=0)) + 1
        at = self.deals.at(rows) * most + _ints(rows, "seat")
        found = np.bincount(at, minlength=len(self.deals.code) * most)
        return found[self.seated * most + _ints(self.seats, "seat")]

    def kinds(self) -> pa.Table:
        """Rows of `match_kinds`."""
        hands, own, place = self.hands, self.hands.some, self.place[self.hands.some]
        player = _ints(self.own, "player_no")[own]
        status, won = self.deals.status[place], self.won[own]
        match = self.deals.match[place]
        # by seats, so that rows lie in one order whatever numbers players have
        people = _Groups(match, player + 1)
        seat = np.full(people.count, np.iinfo(np.int64).max)
        np.minimum.at(seat, people.of, self.seat[own])
        groups = _Groups(*(match, seat[people.of], status, self.kind[own], self.trump[own], won))
        some = groups.some
        chances = self.facts["held"] & (self.missed | self.facts["announced"]) & self.known
        every = {
            "made": self.facts["announced"],
            "points": self.points,
            "chances": chances,
            "missed": self.missed,
            "worth": self.worth * self.missed,
        }
        return pa.table(
            {
                "match_no": self.deals.match_no[place[some]],
                "player_no": player[some].astype(np.int32),
                "status": words(status[some], STATUSES),
                "kind": words(self.kind[own][some], self.words),
                "trump": self.trump[own][some],
                "won": nullable(won[some] == 2, won[some] == 0, pa.bool_()),
                **{name: groups.sum(hands.sum(values) > 0) for name, values in self.facts.items()},
                **{name: groups.sum(hands.sum(values)) for name, values in every.items()},
            }
        )

    def said_or_missed(self) -> pa.Table:
        """Rows of `said_or_missed`."""
        rows = np.flatnonzero(self.said_or_missed_here)
        own, place, won = (
            self.own.select(_SAID).take(pa.array(rows)),
            self.place[rows],
            self.won[rows],
        )
        lost = self.missed[rows] & (won == 1)
        match = pa.array(self.deals.match[place])
        of_match = self.deals.matches
        return pa.table(
            {
                **{name: own[name] for name in _SAID},
                "status": words(self.deals.status[place], STATUSES),
                "points": self.points[rows].astype(np.int16),
                "firsts": self._firsts()[rows].astype(np.uint16),
                "won": nullable(won == 2, won == 0, pa.bool_()),
                "outcome": nullable(self.deals.outcome[place], ~lost, pa.int64()),
                "short": nullable(self._short(place, self.seat[rows], lost), ~lost, pa.int64()),
                "worth": nullable(self.worth[rows], ~lost, pa.int64()),
                # a number a row instead of a text
                **{name: encoded(of_match[name]).take(match) for name in _OF_MATCH},
                "day": of_match["played_at"].cast(pa.date32()).take(match),
            }
        )

    def _firsts(self) -> Ints:
        """Of each announcement made, in what it is the first of its hand and kind."""
        said = self.facts["announced"]
        every = list(enumerate(self.facts.values()))
        facts = sum((flags.astype(np.int64) << bit for bit, flags in every), np.int64(0))
        firsts = np.where(said, facts * _EACH, 0)
        several = np.flatnonzero(said & (self.hands.sum(said)[self.hands.of] > 1))
        several = several[np.argsort(_ints(self.own, "suit", 255)[several], kind="stable")]
        firsts[several] = 0
        trick = _ints(self.own, "trick", 0)
        moments = (trick, self._either("closed"), self._either("lead"))
        for turn, moment in enumerate(moments):
            for bit, flags in every:
                having = several[flags[several]]
                _, first = np.unique(self.hands.of[having] << 8 | moment[having], return_index=True)
                firsts[having[first]] |= 1 << 4 * turn + bit
        return firsts

    def _either(self, name: str) -> Ints:
        """A column of yes and no as 1 and 0, 2 where it is not known."""
        return np.where(self.own[name].is_valid().to_numpy(), _flags(self.own, name), 2)

    def _short(self, place: Ints, seat: Ints, lost: Flags) -> Ints:
        """How many points the best of the others had more, of those who lost."""
        rows = np.flatnonzero(lost)
        most = int(_ints(self.seats, "seat").max(initial=0)) + 1
        points = np.full((len(self.deals.code), most), np.iinfo(np.int64).min // 2)
        points[self.seated, _ints(self.seats, "seat")] = _ints(self.seats, "points", 0)
        at = points[place[rows]]
        own = at[np.arange(len(rows)), seat[rows]]
        at[np.arange(len(rows)), seat[rows]] = np.iinfo(np.int64).min // 2
        short = np.zeros(len(lost), np.int64)
        short[rows] = at.max(axis=1, initial=np.iinfo(np.int64).min // 2) - own
        return short


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
