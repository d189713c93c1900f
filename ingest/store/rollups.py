"""Builds the rollup tables that statistics read.

`schemas/sql/0001_schema.sql` defines what each table counts; a test compares them with SQL over the
tables of play.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.findings.finding import STATUSES
from ingest.store.arrow_rows import dictionary_column, nullable_column

ROLLUP_TABLES = ("match_deals", "match_seats", "match_kinds", "announcement_rollup")
"""The tables that `rollup_rows` builds."""

SUMMED_COLUMNS = ("points", "card_points", "bonus")
"""Columns summed per seat, with their squares."""
FACTS = ("held", "announced", "shown", "counted")
"""The bits of `first_mentions`, lowest first; four each for trick, phase and lead."""
ANNOUNCEMENT_COLUMNS = (
    *("match_no", "deal_index", "seat", "kind", "trump"),
    *("announced", "trick", "closed", "lead", "missed"),
)
"""Columns that `announcement_rollup` copies from `announcements`."""
MATCH_COLUMNS = ("game", "player_count", "preset", "event", "source")
NO_SUIT_RANK = 255

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class RowGroups:
    """Groups of rows with equal numbers, ordered by these numbers."""

    def __init__(self, *columns: NDArray[Any]) -> None:
        key = np.zeros(len(columns[0]), np.int64)
        for column in columns:
            key = key * (int(column.max(initial=0)) + 1) + column
        _, self.first_row, self.group_of_row = np.unique(key, return_index=True, return_inverse=True)
        """The first row of each group, and the group of each row."""

    def sum(self, values: NDArray[Any]) -> Ints:
        """Return the sum of `values` in each group; True counts as 1."""
        return np.bincount(self.group_of_row, values, len(self.first_row)).astype(np.int64)


_SEATS = 16
"""More than any table has."""


class _DealColumns:
    """Columns of deals that rollups group by, and the row of each deal."""

    def __init__(self, deals: pa.Table) -> None:
        self.match_no = deals["match_no"].to_numpy()
        self.match_index = np.cumsum(np.diff(self.match_no, prepend=self.match_no[:1]) != 0)
        self.number = deals["deal_index"].to_numpy().astype(np.int64)
        self.status = _indices_in(deals["status"], pa.array(STATUSES))
        self.void, self.dealt = _has_value(deals, "void"), _has_value(deals, "outcome")
        self.is_score_line = _bool_column(deals, "is_score_line")
        self.is_contract_made = _bool_column(deals, "contract_made")
        self.winner, self.declarer = _int_column(deals, "winning_side", -1), _int_column(deals, "declarer", 0)
        self.outcome = _int_column(deals, "outcome", 0)

    def deal_index(self, rows: pa.Table) -> Ints:
        """Return the deal's index for each row; deals and rows are sorted."""
        return np.searchsorted(self.match_no, rows["match_no"].to_numpy()) + rows["deal_index"].to_numpy()


def rollup_rows(
    matches: pa.Table, deals: pa.Table, seats: pa.Table, announcements: pa.Table | None
) -> Iterator[tuple[str, pa.Table]]:
    """Yield rows of ROLLUP_TABLES for the matches of one game, given their other rows in order."""
    of = _DealColumns(deals)
    alike = RowGroups(of.match_index, of.status, of.void, of.is_score_line, of.dealt)
    columns = {
        "match_no": of.match_no[alike.first_row],
        "status": dictionary_column(of.status[alike.first_row], STATUSES),
        "void": of.void[alike.first_row],
        "is_score_line": of.is_score_line[alike.first_row],
        "dealt": of.dealt[alike.first_row],
        "deals": np.bincount(alike.group_of_row),
        "decided": alike.sum(of.winner > 0),
        "drawn": alike.sum(of.winner == 0),
    }
    yield "match_deals", pa.table(columns)
    if announcements is not None and announcements.num_rows:
        result = _Announcements(of, seats, announcements)
        yield "match_kinds", result.kind_rollups()
        yield "announcement_rollup", result.announcement_rollup(matches, seats)
    yield "match_seats", _seat_rollups(of, seats, announcements)


def _seat_rollups(deals: _DealColumns, rows: pa.Table, announcements: pa.Table | None) -> pa.Table:
    """Count per match and seat, over deals that are not void."""
    every = deals.deal_index(rows)
    rows, deal = rows.filter(pa.array(~deals.void[every])), every[~deals.void[every]]
    seat = rows["seat"].to_numpy()
    alike = RowGroups(deals.match_index[deal], seat, deals.status[deal], deals.is_score_line[deal])
    decided = _has_value(rows, "won")
    bid = decided & (deals.declarer[deal] == seat)
    counted = np.zeros(len(deal))
    if announcements is not None:
        wide = int(seat.max(initial=0)) + 1
        at = (deals.deal_index(announcements) * wide + announcements["seat"].to_numpy())[
            _bool_column(announcements, "counted")
        ]
        here = deal * wide + seat
        counted = np.bincount(at, minlength=int(here.max(initial=0)) + 1)[here] * decided
    columns = {
        "match_no": deals.match_no[deal[alike.first_row]],
        "seat": seat[alike.first_row],
        "player_no": rows["player_no"].to_numpy()[alike.first_row],
        "status": dictionary_column(deals.status[deal[alike.first_row]], STATUSES),
        "is_score_line": deals.is_score_line[deal[alike.first_row]],
        "deals": np.bincount(alike.group_of_row),
        "decided": alike.sum(decided),
        "wins": alike.sum(_bool_column(rows, "won")),
        "contracts": alike.sum(bid),
        "contracts_made": alike.sum(bid & deals.is_contract_made[deal]),
        "bids_met": alike.sum(decided & _bool_column(rows, "bid_met")),
        "counted": alike.sum(counted),
        "counted_squared": alike.sum(counted * counted),
    }
    for name in (one for one in SUMMED_COLUMNS if one in rows.column_names):
        known, values = decided & _has_value(rows, name), _int_column(rows, name, 0) * decided
        points_known = alike.sum(known)
        if name == SUMMED_COLUMNS[0]:
            columns["deals_with_points"] = points_known
        columns[name] = nullable_column(alike.sum(values), points_known == 0, pa.int64())
        columns[f"{name}_squared"] = nullable_column(
            alike.sum(values * values), points_known == 0, pa.int64()
        )
    return pa.table(columns)


class _Announcements:
    """Announcements of deals that were dealt and are not void, and the hands they belong to."""

    def __init__(self, deals: _DealColumns, seats: pa.Table, announcements: pa.Table) -> None:
        deal = deals.deal_index(announcements)
        counts = ~deals.void[deal] & ~deals.is_score_line[deal] & deals.dealt[deal]
        self.deals, self.deal, self.rows = (deals, deal[counts], announcements.filter(pa.array(counts)))
        rows = self.rows
        kinds = pc.unique(rows["kind"].combine_chunks())
        self.kinds = kinds.cast(pa.string()).sort()  # in the same order in every batch
        self.kind = _indices_in(rows["kind"], self.kinds)
        self.seat, self.trump = rows["seat"].to_numpy(), _bool_column(rows, "trump")
        self.flags = {name: _bool_column(rows, name) for name in FACTS}
        self.missed, self.worth = _bool_column(rows, "missed"), _int_column(rows, "worth", 0)
        self.points = _int_column(rows, "points", 0) * self.flags["counted"]
        of_seats = deals.deal_index(seats) * _SEATS + seats["seat"].to_numpy()
        won = _bool_column(seats, "won")[np.searchsorted(of_seats, self.deal * _SEATS + self.seat)]
        self.won = np.where(deals.winner[self.deal] > 0, 1 + won, 0)
        """0: no seat won the deal, 1: others did, 2: this one, or its side."""
        self.hand = RowGroups(self.deal, self.seat, self.kind, self.trump)

    def kind_rollups(self) -> pa.Table:
        """Count per match the hands that had each kind, and those announced or missed."""
        match, player = self.deals.match_index[self.deal], self.rows["player_no"].to_numpy()
        seated = RowGroups(match, player)
        seat = self.seat[seated.first_row][seated.group_of_row]  # one seat per player
        alike = RowGroups(match, seat, self.deals.status[self.deal], self.kind, self.trump, self.won)
        missed = self.missed & self.flags["held"]
        chances = (missed | self.flags["announced"]) & self.flags["held"]
        of_hand = alike.group_of_row[self.hand.first_row]
        hands = {
            name: np.bincount(of_hand, self.hand.sum(fact) > 0, len(alike.first_row)).astype(np.int64)
            for name, fact in self.flags.items()
        }
        return pa.table(
            {
                "match_no": self.deals.match_no[self.deal[alike.first_row]],
                "player_no": player[alike.first_row],
                "status": dictionary_column(self.deals.status[self.deal[alike.first_row]], STATUSES),
                "kind": dictionary_column(self.kind[alike.first_row], self.kinds),
                "trump": self.trump[alike.first_row],
                "won": self._won_column(alike.first_row),
                **hands,
                "announcements_made": alike.sum(self.flags["announced"]),
                "points": alike.sum(self.points),
                "chances": alike.sum(chances & _has_value(self.rows, "missed")),
                "missed": alike.sum(missed),
                "worth": alike.sum(self.worth * missed),
            }
        )

    def announcement_rollup(self, matches: pa.Table, seats: pa.Table) -> pa.Table:
        """Return every made or missed announcement, with facts about its deal and match."""
        row = np.flatnonzero(self.flags["announced"] | self.missed)
        deal = self.deal[row]
        own = self.rows.select(ANNOUNCEMENT_COLUMNS).take(pa.array(row))
        lost = (self.missed & self.flags["held"] & (self.won == 1))[row]
        match = pa.array(np.searchsorted(matches["match_no"].to_numpy(), self.deals.match_no[deal]))
        return pa.table(
            {
                **{name: own[name] for name in ANNOUNCEMENT_COLUMNS},
                "status": dictionary_column(self.deals.status[deal], STATUSES),
                "points": self.points[row].astype(np.int16),
                "first_mentions": self._first_mentions()[row].astype(np.uint16),
                "won": self._won_column(row),
                "outcome": nullable_column(self.deals.outcome[deal], ~lost, pa.int64()),
                "points_short": nullable_column(self._points_short(seats, row), ~lost, pa.int64()),
                "worth": nullable_column(self.worth[row], ~lost, pa.int64()),
                # a number per row instead of a text
                **{name: _dictionary_encoded(matches[name]).take(match) for name in MATCH_COLUMNS},
                "played_on": matches["played_on"].take(match),
            }
        )

    def _won_column(self, row: Ints) -> pa.Array:
        return nullable_column(self.won[row] == 2, self.won[row] == 0, pa.bool_())

    def _first_mentions(self) -> Ints:
        """Return the bits of `first_mentions`: facts each row is first to have of its hand and kind."""
        facts = sum(fact.astype(np.int64) << bit for bit, fact in enumerate(self.flags.values()))
        found = np.where(self.flags["announced"], facts * (1 + (1 << 4) + (1 << 8)), 0)
        # a hand may announce one kind in two suits
        several = self.hand.sum(self.flags["announced"])[self.hand.group_of_row] > 1
        some = np.flatnonzero(several & self.flags["announced"])
        some = some[np.argsort(_int_column(self.rows, "suit", NO_SUIT_RANK)[some], kind="stable")]
        found[some] = 0
        either = [
            np.where(_has_value(self.rows, name), _bool_column(self.rows, name), 2)
            for name in ("closed", "lead")
        ]
        for turn, moment in enumerate((_int_column(self.rows, "trick", 0), *either)):
            for bit, fact in enumerate(self.flags.values()):
                these = some[fact[some]]
                _, first = np.unique(self.hand.group_of_row[these] * 256 + moment[these], return_index=True)
                found[these[first]] |= 1 << 4 * turn + bit
        return found

    def _points_short(self, seats: pa.Table, row: Ints) -> Ints:
        """Return how many points the best other seat had more than the announcing one."""
        seat, deal = seats["seat"].to_numpy(), self.deals.deal_index(seats)
        points = np.full((len(self.deals.match_index), int(seat.max(initial=0)) + 1), np.iinfo(np.int32).min)
        points[deal, seat] = _int_column(seats, "points", 0)
        these, place = points[self.deal[row]], np.arange(len(row))
        own = these[place, self.seat[row]]
        these[place, self.seat[row]] = np.iinfo(np.int32).min
        best: Ints = these.max(axis=1, initial=np.iinfo(np.int32).min)
        return best - own


def _dictionary_encoded(column: pa.ChunkedArray) -> pa.Array:
    """Return a column with dictionary-encoded values."""
    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _indices_in(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Return the index in `names` of each word of a column; `names` has all of them."""
    whole = _dictionary_encoded(column)
    known = pc.index_in(whole.dictionary, names).to_numpy(zero_copy_only=False)
    found: Ints = known[whole.indices.to_numpy()].astype(np.int64)
    return found


def _int_column(rows: pa.Table, name: str, unknown: int) -> Ints:
    """Return a column of integers, with `unknown` for nulls and for a missing column."""
    if name not in rows.column_names:
        return np.full(rows.num_rows, unknown, np.int64)
    found: Ints = rows[name].cast(pa.int64()).fill_null(unknown).to_numpy()
    return found


def _bool_column(rows: pa.Table, name: str) -> Flags:
    """Return a column of booleans; null and a missing column are False."""
    if name not in rows.column_names:
        return np.zeros(rows.num_rows, np.bool_)
    found: Flags = rows[name].fill_null(False).to_numpy()
    return found


def _has_value(rows: pa.Table, name: str) -> Flags:
    found: Flags = rows[name].is_valid().to_numpy()
    return found
