"""Builds the rollup tables that statistics read.

`schemas/sql/0001_schema.sql` says what each table counts; a test holds them to SQL that counts it
from the tables of play.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.findings.finding import STATUSES
from ingest.store.rows import dictionary_column, nullable_column

ROLLUP_TABLES = ("match_deals", "match_seats", "match_kinds", "said_or_missed")
"""What `rollup_rows` counts."""

SUMMED_COLUMNS = ("points", "cards", "bonus")
"""What seats are summed up by, beside how many there are."""
FACTS = ("held", "announced", "shown", "counted")
"""The bits of `firsts`, from the lowest; four each of trick, phase and lead."""
ANNOUNCEMENT_COLUMNS = (
    *("match_no", "deal", "seat", "kind", "trump"),
    *("announced", "trick", "closed", "lead", "missed"),
)
"""What `said_or_missed` has as `announcements` have it."""
MATCH_COLUMNS = ("game", "players", "preset", "event", "source")
NO_SUIT_RANK = 255

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class RowGroups:
    """Rows put together where they have the same numbers, in the order of these."""

    def __init__(self, *columns: NDArray[Any]) -> None:
        key = np.zeros(len(columns[0]), np.int64)
        for column in columns:
            key = key * (int(column.max(initial=0)) + 1) + column
        _, self.first_row, self.group_of_row = np.unique(
            key, return_index=True, return_inverse=True
        )
        """The first row of each group, and the group of each row."""

    def sum(self, values: NDArray[Any]) -> Ints:
        """What some values, or yes as 1 and no as 0, come to in each group."""
        return np.bincount(self.group_of_row, values, len(self.first_row)).astype(np.int64)


class _DealColumns:
    """The columns of deals that others are counted by, and where each of them lies."""

    def __init__(self, deals: pa.Table) -> None:
        self.match_no = deals["match_no"].to_numpy()
        self.match_index = np.cumsum(np.diff(self.match_no, prepend=self.match_no[:1]) != 0)
        self.number = deals["deal"].to_numpy().astype(np.int64)
        self.status = _indices_in(deals["status"], pa.array(STATUSES))
        self.void, self.dealt = _has_value(deals, "void"), _has_value(deals, "dealer")
        self.is_score_line, self.is_contract_made = (
            _bool_column(deals, "told"),
            _bool_column(deals, "made"),
        )
        self.winner, self.bidder = _int_column(deals, "winner", -1), _int_column(deals, "bidder", 0)
        self.outcome = _int_column(deals, "outcome", 0)

    def deal_index(self, rows: pa.Table) -> Ints:
        """The place of the deal of each row; both lie in order."""
        return np.searchsorted(self.match_no, rows["match_no"].to_numpy()) + rows["deal"].to_numpy()


def rollup_rows(
    matches: pa.Table, deals: pa.Table, seats: pa.Table, announcements: pa.Table | None
) -> Iterator[tuple[str, pa.Table]]:
    """Rows of TABLES for the matches of one game, from all their other rows, which lie in order."""
    of = _DealColumns(deals)
    alike = RowGroups(of.match_index, of.status, of.void, of.is_score_line, of.dealt)
    columns = {
        "match_no": of.match_no[alike.first_row],
        "status": dictionary_column(of.status[alike.first_row], STATUSES),
        "void": of.void[alike.first_row],
        "told": of.is_score_line[alike.first_row],
        "dealt": of.dealt[alike.first_row],
        "deals": np.bincount(alike.group_of_row),
        "decided": alike.sum(of.winner > 0),
        "drawn": alike.sum(of.winner == 0),
    }
    yield "match_deals", pa.table(columns)
    if announcements is not None and announcements.num_rows:
        said = _Announcements(of, announcements)
        yield "match_kinds", said.kind_rollups()
        yield "said_or_missed", said.announcement_rollup(matches, seats)
    yield "match_seats", _seat_rollups(of, seats, announcements)


def _seat_rollups(deals: _DealColumns, rows: pa.Table, announcements: pa.Table | None) -> pa.Table:
    """What each seat came to in the deals of a match that were not void."""
    every = deals.deal_index(rows)
    rows, deal = rows.filter(pa.array(~deals.void[every])), every[~deals.void[every]]
    seat = rows["seat"].to_numpy()
    alike = RowGroups(deals.match_index[deal], seat, deals.status[deal], deals.is_score_line[deal])
    decided = _has_value(rows, "won")
    bid = decided & (deals.bidder[deal] == seat)
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
        "told": deals.is_score_line[deal[alike.first_row]],
        "deals": np.bincount(alike.group_of_row),
        "decided": alike.sum(decided),
        "wins": alike.sum(_bool_column(rows, "won")),
        "contracts": alike.sum(bid),
        "made": alike.sum(bid & deals.is_contract_made[deal]),
        "met": alike.sum(decided & _bool_column(rows, "met")),
        "counted": alike.sum(counted),
        "counted_squared": alike.sum(counted * counted),
    }
    for name in (one for one in SUMMED_COLUMNS if one in rows.column_names):
        known, values = decided & _has_value(rows, name), _int_column(rows, name, 0) * decided
        pointed = alike.sum(known)
        if name == SUMMED_COLUMNS[0]:
            columns["pointed"] = pointed
        columns[name] = nullable_column(alike.sum(values), pointed == 0, pa.int64())
        columns[f"{name}_squared"] = nullable_column(
            alike.sum(values * values), pointed == 0, pa.int64()
        )
    return pa.table(columns)


class _Announcements:
    """The announcements of deals that were dealt and are not void, and what they are by hand."""

    def __init__(self, deals: _DealColumns, announcements: pa.Table) -> None:
        deal = deals.deal_index(announcements)
        counts = ~deals.void[deal] & ~deals.is_score_line[deal] & deals.dealt[deal]
        self.deals, self.deal, self.rows = (
            deals,
            deal[counts],
            announcements.filter(pa.array(counts)),
        )
        rows = self.rows
        kinds = pc.unique(rows["kind"].combine_chunks())
        self.kinds = kinds.cast(pa.string()).sort()  # in the same order in every batch
        self.kind = _indices_in(rows["kind"], self.kinds)
        self.seat, self.trump = rows["seat"].to_numpy(), _bool_column(rows, "trump")
        self.flags = {name: _bool_column(rows, name) for name in FACTS}
        self.missed, self.worth = _bool_column(rows, "missed"), _int_column(rows, "worth", 0)
        self.points = _int_column(rows, "points", 0) * self.flags["counted"]
        winner = deals.winner[self.deal]
        self.won = np.where(winner > 0, 1 + (winner == self.seat), 0)
        """0: nobody won the deal, 1: another did, 2: who sits here."""
        self.hand = RowGroups(self.deal, self.seat, self.kind, self.trump)

    def kind_rollups(self) -> pa.Table:
        """Hands of a match that had a kind, and what was said of them and missed."""
        match, player = self.deals.match_index[self.deal], self.rows["player_no"].to_numpy()
        seated = RowGroups(match, player)
        seat = self.seat[seated.first_row][seated.group_of_row]  # as one, wherever the player sat
        alike = RowGroups(
            match, seat, self.deals.status[self.deal], self.kind, self.trump, self.won
        )
        missed = self.missed & self.flags["held"]
        chances = (missed | self.flags["announced"]) & self.flags["held"]
        of_hand = alike.group_of_row[self.hand.first_row]
        hands = {
            name: np.bincount(of_hand, self.hand.sum(fact) > 0, len(alike.first_row)).astype(
                np.int64
            )
            for name, fact in self.flags.items()
        }
        return pa.table(
            {
                "match_no": self.deals.match_no[self.deal[alike.first_row]],
                "player_no": player[alike.first_row],
                "status": dictionary_column(
                    self.deals.status[self.deal[alike.first_row]], STATUSES
                ),
                "kind": dictionary_column(self.kind[alike.first_row], self.kinds),
                "trump": self.trump[alike.first_row],
                "won": self._won_column(alike.first_row),
                **hands,
                "made": alike.sum(self.flags["announced"]),
                "points": alike.sum(self.points),
                "chances": alike.sum(chances & _has_value(self.rows, "missed")),
                "missed": alike.sum(missed),
                "worth": alike.sum(self.worth * missed),
            }
        )

    def announcement_rollup(self, matches: pa.Table, seats: pa.Table) -> pa.Table:
        """Every announcement that was said or missed, beside what its deal and its match are."""
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
                "firsts": self._first_mentions()[row].astype(np.uint16),
                "won": self._won_column(row),
                "outcome": nullable_column(self.deals.outcome[deal], ~lost, pa.int64()),
                "short": nullable_column(self._points_short(seats, row), ~lost, pa.int64()),
                "worth": nullable_column(self.worth[row], ~lost, pa.int64()),
                # a number a row instead of a text
                **{name: _dictionary_encoded(matches[name]).take(match) for name in MATCH_COLUMNS},
                "day": matches["played_at"].cast(pa.date32()).take(match),
            }
        )

    def _won_column(self, row: Ints) -> pa.Array:
        return nullable_column(self.won[row] == 2, self.won[row] == 0, pa.bool_())

    def _first_mentions(self) -> Ints:
        """In what each is the first of its hand and kind: a hand may say one kind in two suits."""
        facts = sum(fact.astype(np.int64) << bit for bit, fact in enumerate(self.flags.values()))
        found = np.where(self.flags["announced"], facts * (1 + (1 << 4) + (1 << 8)), 0)
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
                _, first = np.unique(
                    self.hand.group_of_row[these] * 256 + moment[these], return_index=True
                )
                found[these[first]] |= 1 << 4 * turn + bit
        return found

    def _points_short(self, seats: pa.Table, row: Ints) -> Ints:
        """How many points the best of the others had more than who announced."""
        seat, deal = seats["seat"].to_numpy(), self.deals.deal_index(seats)
        points = np.full(
            (len(self.deals.match_index), int(seat.max(initial=0)) + 1), np.iinfo(np.int32).min
        )
        points[deal, seat] = _int_column(seats, "points", 0)
        these, place = points[self.deal[row]], np.arange(len(row))
        own = these[place, self.seat[row]]
        these[place, self.seat[row]] = np.iinfo(np.int32).min
        best: Ints = these.max(axis=1, initial=np.iinfo(np.int32).min)
        return best - own


def _dictionary_encoded(column: pa.ChunkedArray) -> pa.Array:
    """A column as numbers of its different values."""
    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _indices_in(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Where each word of a column stands among some; all of them are."""
    whole = _dictionary_encoded(column)
    known = pc.index_in(whole.dictionary, names).to_numpy(zero_copy_only=False)
    found: Ints = known[whole.indices.to_numpy()].astype(np.int64)
    return found


def _int_column(rows: pa.Table, name: str, unknown: int) -> Ints:
    """A column of whole numbers; `unknown` stands for those that are not known, or all."""
    if name not in rows.column_names:
        return np.full(rows.num_rows, unknown, np.int64)
    found: Ints = rows[name].cast(pa.int64()).fill_null(unknown).to_numpy()
    return found


def _bool_column(rows: pa.Table, name: str) -> Flags:
    """A column of yes and no; what is not known is no."""
    if name not in rows.column_names:
        return np.zeros(rows.num_rows, np.bool_)
    found: Flags = rows[name].fill_null(False).to_numpy()
    return found


def _has_value(rows: pa.Table, name: str) -> Flags:
    """Where a column of a table has a value."""
    found: Flags = rows[name].is_valid().to_numpy()
    return found
