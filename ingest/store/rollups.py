"""Rows of matches → what statistics ask of them, counted beforehand, as Arrow.

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
from ingest.store.rows import nullable, words

TABLES = ("match_deals", "match_seats", "match_kinds", "said_or_missed")
"""What `totals` counts."""

VALUES = ("points", "cards", "bonus")
"""What seats are summed up by, beside how many there are."""
FACTS = ("held", "announced", "shown", "counted")
"""The bits of `firsts`, from the lowest; four each of trick, phase and lead."""
SAID = (
    *("match_no", "deal", "seat", "kind", "trump"),
    *("announced", "trick", "closed", "lead", "missed"),
)
"""What `said_or_missed` has as `announcements` have it."""
OF_MATCH = ("game", "players", "preset", "event", "source")
NO_SUIT = 255

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Alike:
    """Rows put together where they have the same numbers, in the order of these."""

    def __init__(self, *columns: NDArray[Any]) -> None:
        key = np.zeros(len(columns[0]), np.int64)
        for column in columns:
            key = key * (int(column.max(initial=0)) + 1) + column
        _, self.row, self.of = np.unique(key, return_index=True, return_inverse=True)
        """The first row of each group, and the group of each row."""

    def sum(self, values: NDArray[Any]) -> Ints:
        """What some values, or yes as 1 and no as 0, come to in each group."""
        return np.bincount(self.of, values, len(self.row)).astype(np.int64)


class _Deals:
    """The columns of deals that others are counted by, and where each of them lies."""

    def __init__(self, deals: pa.Table) -> None:
        self.match_no = deals["match_no"].to_numpy()
        self.match = np.cumsum(np.diff(self.match_no, prepend=self.match_no[:1]) != 0)
        self.number = deals["deal"].to_numpy().astype(np.int64)
        self.status = _places(deals["status"], pa.array(STATUSES))
        self.void, self.dealt = _known(deals, "void"), _known(deals, "dealer")
        self.told, self.made = _flags(deals, "told"), _flags(deals, "made")
        self.winner, self.bidder = _ints(deals, "winner", -1), _ints(deals, "bidder", 0)
        self.outcome = _ints(deals, "outcome", 0)

    def of(self, rows: pa.Table) -> Ints:
        """The place of the deal of each row; both lie in order."""
        return np.searchsorted(self.match_no, rows["match_no"].to_numpy()) + rows["deal"].to_numpy()


def totals(
    matches: pa.Table, deals: pa.Table, seats: pa.Table, announced: pa.Table | None
) -> Iterator[tuple[str, pa.Table]]:
    """Rows of TABLES for the matches of one game, from all their other rows, which lie in order."""
    of = _Deals(deals)
    alike = Alike(of.match, of.status, of.void, of.told, of.dealt)
    columns = {
        "match_no": of.match_no[alike.row],
        "status": words(of.status[alike.row], STATUSES),
        **{name: getattr(of, name)[alike.row] for name in ("void", "told", "dealt")},
        "deals": np.bincount(alike.of),
        "decided": alike.sum(of.winner > 0),
        "drawn": alike.sum(of.winner == 0),
    }
    yield "match_deals", pa.table(columns)
    if announced is not None and announced.num_rows:
        said = _Said(of, announced)
        yield "match_kinds", said.match_kinds()
        yield "said_or_missed", said.said_or_missed(matches, seats)
    yield "match_seats", _match_seats(of, seats, announced)


def _match_seats(of: _Deals, rows: pa.Table, announced: pa.Table | None) -> pa.Table:
    """What each seat came to in the deals of a match that were not void."""
    every = of.of(rows)
    rows, deal = rows.filter(pa.array(~of.void[every])), every[~of.void[every]]
    seat = rows["seat"].to_numpy()
    alike = Alike(of.match[deal], seat, of.status[deal], of.told[deal])
    decided = _known(rows, "won")
    bid = decided & (of.bidder[deal] == seat)
    counted = np.zeros(len(deal))
    if announced is not None:
        wide = int(seat.max(initial=0)) + 1
        at = (of.of(announced) * wide + announced["seat"].to_numpy())[_flags(announced, "counted")]
        here = deal * wide + seat
        counted = np.bincount(at, minlength=int(here.max(initial=0)) + 1)[here] * decided
    columns = {
        "match_no": of.match_no[deal[alike.row]],
        "seat": seat[alike.row],
        "player_no": rows["player_no"].to_numpy()[alike.row],
        "status": words(of.status[deal[alike.row]], STATUSES),
        "told": of.told[deal[alike.row]],
        "deals": np.bincount(alike.of),
        "decided": alike.sum(decided),
        "wins": alike.sum(_flags(rows, "won")),
        "contracts": alike.sum(bid),
        "made": alike.sum(bid & of.made[deal]),
        "met": alike.sum(decided & _flags(rows, "met")),
        "counted": alike.sum(counted),
        "counted_squared": alike.sum(counted * counted),
    }
    for name in (one for one in VALUES if one in rows.column_names):
        known, values = decided & _known(rows, name), _ints(rows, name, 0) * decided
        pointed = alike.sum(known)
        if name == VALUES[0]:
            columns["pointed"] = pointed
        columns[name] = nullable(alike.sum(values), pointed == 0, pa.int64())
        columns[f"{name}_squared"] = nullable(alike.sum(values * values), pointed == 0, pa.int64())
    return pa.table(columns)


class _Said:
    """The announcements of deals that were dealt and are not void, and what they are by hand."""

    def __init__(self, of: _Deals, announced: pa.Table) -> None:
        deal = of.of(announced)
        counts = ~of.void[deal] & ~of.told[deal] & of.dealt[deal]
        self.of, self.deal, self.rows = of, deal[counts], announced.filter(pa.array(counts))
        rows = self.rows
        kinds = pc.unique(rows["kind"].combine_chunks())
        self.kinds = kinds.cast(pa.string()).sort()  # in the same order in every batch
        self.kind = _places(rows["kind"], self.kinds)
        self.seat, self.trump = rows["seat"].to_numpy(), _flags(rows, "trump")
        self.facts = {name: _flags(rows, name) for name in FACTS}
        self.missed, self.worth = _flags(rows, "missed"), _ints(rows, "worth", 0)
        self.points = _ints(rows, "points", 0) * self.facts["counted"]
        winner = of.winner[self.deal]
        self.won = np.where(winner > 0, 1 + (winner == self.seat), 0)
        """0: nobody won the deal, 1: another did, 2: who sits here."""
        self.hand = Alike(self.deal, self.seat, self.kind, self.trump)

    def match_kinds(self) -> pa.Table:
        """Hands of a match that had a kind, and what was said of them and missed."""
        match, player = self.of.match[self.deal], self.rows["player_no"].to_numpy()
        seated = Alike(match, player)
        seat = self.seat[seated.row][seated.of]  # as one, wherever the player sat
        alike = Alike(match, seat, self.of.status[self.deal], self.kind, self.trump, self.won)
        missed = self.missed & self.facts["held"]
        chances = (missed | self.facts["announced"]) & self.facts["held"]
        of_hand = alike.of[self.hand.row]
        hands = {
            name: np.bincount(of_hand, self.hand.sum(fact) > 0, len(alike.row)).astype(np.int64)
            for name, fact in self.facts.items()
        }
        return pa.table(
            {
                "match_no": self.of.match_no[self.deal[alike.row]],
                "player_no": player[alike.row],
                "status": words(self.of.status[self.deal[alike.row]], STATUSES),
                "kind": words(self.kind[alike.row], self.kinds),
                "trump": self.trump[alike.row],
                "won": self._is_won(alike.row),
                **hands,
                "made": alike.sum(self.facts["announced"]),
                "points": alike.sum(self.points),
                "chances": alike.sum(chances & _known(self.rows, "missed")),
                "missed": alike.sum(missed),
                "worth": alike.sum(self.worth * missed),
            }
        )

    def said_or_missed(self, matches: pa.Table, seats: pa.Table) -> pa.Table:
        """Every announcement that was said or missed, beside what its deal and its match are."""
        row = np.flatnonzero(self.facts["announced"] | self.missed)
        deal = self.deal[row]
        own = self.rows.select(SAID).take(pa.array(row))
        lost = (self.missed & self.facts["held"] & (self.won == 1))[row]
        match = pa.array(np.searchsorted(matches["match_no"].to_numpy(), self.of.match_no[deal]))
        return pa.table(
            {
                **{name: own[name] for name in SAID},
                "status": words(self.of.status[deal], STATUSES),
                "points": self.points[row].astype(np.int16),
                "firsts": self._firsts()[row].astype(np.uint16),
                "won": self._is_won(row),
                "outcome": nullable(self.of.outcome[deal], ~lost, pa.int64()),
                "short": nullable(self._short(seats, row), ~lost, pa.int64()),
                "worth": nullable(self.worth[row], ~lost, pa.int64()),
                # a number a row instead of a text
                **{name: _encoded(matches[name]).take(match) for name in OF_MATCH},
                "day": matches["played_at"].cast(pa.date32()).take(match),
            }
        )

    def _is_won(self, row: Ints) -> pa.Array:
        return nullable(self.won[row] == 2, self.won[row] == 0, pa.bool_())

    def _firsts(self) -> Ints:
        """In what each is the first of its hand and kind: a hand may say one kind in two suits."""
        facts = sum(fact.astype(np.int64) << bit for bit, fact in enumerate(self.facts.values()))
        found = np.where(self.facts["announced"], facts * (1 + (1 << 4) + (1 << 8)), 0)
        several = self.hand.sum(self.facts["announced"])[self.hand.of] > 1
        some = np.flatnonzero(several & self.facts["announced"])
        some = some[np.argsort(_ints(self.rows, "suit", NO_SUIT)[some], kind="stable")]
        found[some] = 0
        either = [
            np.where(_known(self.rows, name), _flags(self.rows, name), 2)
            for name in ("closed", "lead")
        ]
        for turn, moment in enumerate((_ints(self.rows, "trick", 0), *either)):
            for bit, fact in enumerate(self.facts.values()):
                these = some[fact[some]]
                _, first = np.unique(self.hand.of[these] * 256 + moment[these], return_index=True)
                found[these[first]] |= 1 << 4 * turn + bit
        return found

    def _short(self, seats: pa.Table, row: Ints) -> Ints:
        """How many points the best of the others had more than who announced."""
        seat, deal = seats["seat"].to_numpy(), self.of.of(seats)
        points = np.full((len(self.of.match), int(seat.max(initial=0)) + 1), np.iinfo(np.int32).min)
        points[deal, seat] = _ints(seats, "points", 0)
        these, place = points[self.deal[row]], np.arange(len(row))
        own = these[place, self.seat[row]]
        these[place, self.seat[row]] = np.iinfo(np.int32).min
        best: Ints = these.max(axis=1, initial=np.iinfo(np.int32).min)
        return best - own


def _encoded(column: pa.ChunkedArray) -> pa.Array:
    """A column as numbers of its different values."""
    whole = column.combine_chunks()
    return whole if pa.types.is_dictionary(whole.type) else whole.dictionary_encode()


def _places(column: pa.ChunkedArray, names: pa.Array) -> Ints:
    """Where each word of a column stands among some; all of them are."""
    whole = _encoded(column)
    known = pc.index_in(whole.dictionary, names).to_numpy(zero_copy_only=False)
    found: Ints = known[whole.indices.to_numpy()].astype(np.int64)
    return found


def _ints(rows: pa.Table, name: str, unknown: int) -> Ints:
    """A column of whole numbers; `unknown` stands for those that are not known, or all."""
    if name not in rows.column_names:
        return np.full(rows.num_rows, unknown, np.int64)
    found: Ints = rows[name].cast(pa.int64()).fill_null(unknown).to_numpy()
    return found


def _flags(rows: pa.Table, name: str) -> Flags:
    """A column of yes and no; what is not known is no."""
    if name not in rows.column_names:
        return np.zeros(rows.num_rows, np.bool_)
    found: Flags = rows[name].fill_null(False).to_numpy()
    return found


def _known(rows: pa.Table, name: str) -> Flags:
    """Where a column of a table has a value."""
    found: Flags = rows[name].is_valid().to_numpy()
    return found
