"""Stored matches judged again from their columns, without their texts: those that stay as they are.

The text is the authority, and columns follow from it. So from columns one thing alone is said: that
nothing moves. Whatever moves, or is not certain, is left to the text.

A match can be asked (`matches.by_columns`) where the bulk side vouched for its text when it was
stored: it is legal, without any remark, has no line of a score sheet and no card that nobody wrote
down, and each figure its sheets declare is literally the one in its rows. What else it is judged
by stands beside it: cuts, start, declared result, deck and bid cards, as the log has them. Its
columns are given to the same kernels, *and the stored points, winner and manche of each deal as
what its sheet declares*: the log declares these or fewer, so where the kernel has nothing against
all of them it has nothing against those. A match stays as it is when no deal has a fault, every
outcome, winner, manche, partie and all points are the stored ones, so is the match's winner, and
the declared result holds.

That is as good as reading the text again as long as texts are read as they were when they were
stored; what has been judged before `ingest.store.revalidate.READ_ALIKE_SINCE` is left to its text.
Of a column that somebody else changed: where it is one of those compared, or makes a deal another
one, the text is read and tells. Whether all columns are what the texts give is for
`ingest.store.verify` to say.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import duckdb
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.acts import ACT_MASK, SEAT_SHIFT
from engine.compiled import compiled
from engine.games import TOLD, UNSAID, game
from engine.options import dtype
from engine.start import NOTHING
from ingest.games import of
from ingest.judge.batch import result_holds
from ingest.judge.decode import UNFIT, Parts, dealers_by, laid_by, part_of
from ingest.judge.numbers import VOIDS, Numbers, Verdicts, judge, openings
from ingest.judge.tables import Laid, drawing

Rules = Callable[[Any], Any]
ALL = 1 << 62
"""Past every match."""
SEATS = 9
"""No action has a higher seat, whoever sits there."""


class Stored(NamedTuple):
    """Columns of matches of one game, in the order of their numbers, all rows of theirs there."""

    name: str
    matches: pa.Table
    deals: pa.Table
    seats: pa.Table
    """Seats of deals."""

    def only(self, numbers: NDArray[np.int64]) -> "Stored":
        """The same of some of them."""
        chosen = pa.array(numbers)
        tables = (
            table.filter(pc.is_in(table["match_no"], chosen))
            for table in (self.matches, self.deals, self.seats)
        )
        return Stored(self.name, *tables)


class Again(NamedTuple):
    """Matches that were judged from their columns; those of `same` come out as they are stored."""

    stored: Stored
    numbers: Numbers
    verdicts: Verdicts
    same: NDArray[np.bool_]

    @property
    def match_no(self) -> NDArray[np.int64]:
        found: NDArray[np.int64] = self.stored.matches["match_no"].to_numpy()
        return found


# out of the store

_MATCHES = """
SELECT match_no, game, preset, options, players, deals, winner, cuts, start, result, equipment
FROM matches
WHERE match_no BETWEEN {} AND {} AND match_no IN (FROM chosen)
  AND by_columns AND status = 'legal' AND findings = 0 AND NOT sheet AND rules_version >= {}
"""
_DEALS = """
SELECT match_no, deal, status = 'legal' AND NOT told AS legal, manche, partie, dealer, void,
       outcome, winner, deck, actions
FROM deals WHERE match_no BETWEEN {} AND {}
"""
_SEATS = "SELECT match_no, deal, seat, points FROM deal_seats WHERE match_no BETWEEN {} AND {}"


def read(
    ask: duckdb.DuckDBPyConnection, numbers: NDArray[np.int64], since: int
) -> Iterator[Stored]:
    """Columns of those of some matches, in order, that can be asked, a game at a time.

    `since`: the first version of the rules of which columns are as good as texts.
    """
    chosen = pa.table({"match_no": numbers})
    ends = [int(numbers[0]), int(numbers[-1])]
    # a relation goes straight to Arrow: a third faster than what is executed first
    found = ask.sql(_MATCHES.format(*ends, since)).to_arrow_table().sort_by("match_no")
    for name in pc.unique(found["game"]).to_pylist():
        matches = found.filter(pc.equal(found["game"], name)).combine_chunks()
        some = matches["match_no"].to_numpy()
        chosen = pa.table({"match_no": some})  # noqa: F841 (found by its name)
        ends = [int(some[0]), int(some[-1])]
        dense = ends[1] - ends[0] + 1 == len(some)
        which = "" if dense else " AND match_no IN (FROM chosen)"
        deals = ask.sql((_DEALS + which).format(*ends)).to_arrow_table()
        seats = ask.sql((_SEATS + which).format(*ends)).to_arrow_table()
        yield Stored(
            name,
            matches,
            in_order(deals, ("match_no", "deal")).combine_chunks(),
            in_order(seats, ("match_no", "deal", "seat")).combine_chunks(),
        )


def in_order(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Rows by their keys. So most lie there, but what was judged again since lies behind.

    What several threads have read may come in another order, too.
    """
    key = [rows[name].to_numpy() for name in reversed(keys)]
    later = np.ones(max(len(rows) - 1, 0), np.bool_)
    for column in key:
        before, behind = column[:-1], column[1:]
        later = (behind > before) | (behind == before) & later
    return rows if later.all() else rows.take(pa.array(np.lexsort(key)))


# columns → numbers

_DECK, _CODES = pa.list_(pa.uint8()), pa.list_(pa.uint16())


def again(stored: Stored, rules: Rules | None = None) -> Again | None:
    """Judge matches from their columns, under other rules if there are; None: none can be.

    Those whose columns do not hang together are left out.
    """
    if (fit := _fit(stored, rules)) is None:
        return None
    found, numbers = fit
    verdicts = judge(numbers)
    return Again(found.stored, numbers, verdicts, found.same(numbers, verdicts))


def numbers_of(stored: Stored) -> tuple[NDArray[np.int64], Numbers] | None:
    """The numbers of the matches whose columns hang together, and these; None: of no match."""
    fit = _fit(stored, None)
    return None if fit is None else (fit[0].match_no, fit[1])


def _fit(stored: Stored, rules: Rules | None) -> "tuple[_Judging, Numbers] | None":
    """Those matches whose columns hang together."""
    while stored.matches.num_rows:
        found = _Judging(stored, rules)
        fit = found.fit_shape()
        numbers = found.numbers() if fit.all() else None
        fit &= found.fit
        if numbers is not None and fit.all():
            return found, numbers
        stored = stored.only(found.match_no[fit])
    return None


class _Judging:
    """Matches of one game on their way from columns to NumPy; `fit` are those that can go on."""

    def __init__(self, stored: Stored, rules: Rules | None) -> None:
        self.stored, self.rules, self.game = stored, rules, game(stored.name)
        self.match_no = stored.matches["match_no"].to_numpy()
        twice = np.diff(self.match_no) == 0
        self.fit = ~(np.append(twice, False) | np.append(False, twice))
        of_deals = stored.deals["match_no"].to_numpy()
        self.counts = np.diff(np.searchsorted(of_deals, [*self.match_no, ALL]))
        self.owner = np.repeat(np.arange(len(self.match_no)), self.counts)
        self.first = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int64)
        self.players = _column(stored.matches, "players")
        self.seat_counts = self.players[self.owner]

    def _unfit(self, deals: NDArray[np.bool_]) -> None:
        """Leave out the matches of some deals."""
        self.fit[self.owner[deals]] = False

    def fit_shape(self) -> NDArray[np.bool_]:
        """Whether there are all rows of a match, with nothing unknown but what a winner may be."""
        stored, deals = self.stored, self.stored.deals
        self.fit &= self.counts == stored.matches["deals"].to_numpy()
        self.fit &= np.isin(self.players, self.game.players)
        place = np.arange(len(self.owner)) - self.first[self.owner]
        wrong = (deals["deal"].to_numpy() != place) | ~_column(deals, "legal", False)
        for name in ("manche", "partie", "dealer", "outcome", "deck", "actions"):
            wrong |= deals[name].is_null().to_numpy()
        deck = deals["deck"].chunk(0) if len(deals) else pa.array([], _DECK)
        sizes = np.diff(deck.offsets.to_numpy())
        wrong |= sizes != len(self.game.blank)
        if deck.values.null_count:
            cards = np.flatnonzero(deck.values.is_null().to_numpy(zero_copy_only=False))
            wrong[np.searchsorted(deck.offsets.to_numpy(), cards, side="right") - 1] = True
        self._unfit(wrong)
        self._fit_seats()
        return self.fit.copy()

    def _fit_seats(self) -> None:
        """Whether every deal has a row for each of its match's seats, with points."""
        seats = self.stored.seats
        of_seats = seats["match_no"].to_numpy()
        told = np.diff(np.searchsorted(of_seats, [*self.match_no, ALL]))
        self.fit &= told == self.players * self.counts
        if not self.fit.all():
            return
        counts = self.seat_counts
        deal = np.repeat(np.arange(len(self.owner)), counts)
        place = np.arange(len(deal)) - np.repeat(np.cumsum(counts) - counts, counts)
        wrong = seats["deal"].to_numpy() != self.stored.deals["deal"].to_numpy()[deal]
        wrong |= seats["seat"].to_numpy() != place + 1
        wrong |= seats["points"].is_null().to_numpy()
        self._unfit(deals_of(wrong, deal, len(self.owner)))
        self.deal, self.seat = deal, place

    def numbers(self) -> Numbers | None:
        """The arrays that the kernel takes; None where not all matches are fit for it."""
        this, deals, n = self.game, self.stored.deals, len(self.owner)
        laid, table_of = self._tables()
        if not self.fit.all():
            return None
        rules = np.zeros(len(laid), dtype(this.name))
        for k, one in enumerate(laid):
            rules[k] = one.table.rules
        cuts = self._openings(rules, table_of)
        actions = deals["actions"].chunk(0) if n else pa.array([], _CODES)
        deck = deals["deck"].chunk(0) if n else pa.array([], _DECK)
        offsets = actions.offsets.to_numpy().astype(np.int64)
        codes = actions.values.to_numpy()
        at = deck.offsets.to_numpy()
        decks = deck.values.to_numpy()[at[0] : at[-1]].reshape(-1, len(this.blank))
        dealers = _column(deals, "dealer") - 1
        explicit = np.zeros(n, np.int64)
        good = (dealers >= 0) & (dealers < self.seat_counts)
        limits = np.array([_limits(one) for one in laid], np.int64).reshape(-1, 2)
        bits = np.int64(1) << np.arange(this.row.faces * this.row.cards) // this.row.faces
        row = this.row.places, this.row.empty & ACT_MASK, this.acts.ACTS
        told = drawing(this.name), limits, table_of[self.owner], bits, row
        sound(decks, codes, offsets, *told, good, explicit)
        self._unfit(~good)
        return Numbers(
            game=this,
            first=self.first,
            cuts=cuts,
            rules=rules,
            rule_of=table_of[self.owner],
            players=self.seat_counts,
            dealers=dealers,
            decks=decks,
            dealt=np.ones(n, np.bool_),
            explicit=explicit,
            codes=codes,
            offsets=offsets,
            voids=self._voids(),
            told=self._told(),
        )

    def _tables(self) -> tuple[list[Laid], NDArray[np.int64]]:
        """The tables of the matches and which each has."""
        matches = self.stored.matches
        keys = [_coded(matches[name]) for name in ("preset", "options", "equipment")]
        code = self.players.copy()
        for places, texts in keys:
            code = code * len(texts) + places
        _, one_of, table_of = np.unique(code, return_index=True, return_inverse=True)
        found = []
        for k, at in enumerate(one_of.tolist()):
            preset, options, equipment = (texts[places[at]] for places, texts in keys)
            rules = orjson.dumps(preset) if options is None else options.encode()
            told = (("rules", rules), *_members(equipment))
            laid = laid_by(self.game.name, Parts(int(self.players[at]), told), self.rules)
            if laid is None:
                self.fit[table_of == k] = False
            else:
                found.append(laid)
        return found, table_of

    def _openings(self, rules: NDArray[np.void], table_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whom the cuts name, and where each log begins."""
        seats, matches = self.players, self.stored.matches
        places, told = _coded(matches["cuts"])
        code = places * SEATS + seats
        rows = np.full((len(told) * SEATS, 3), NOTHING, np.int64)
        for one in np.flatnonzero(np.bincount(code)).tolist():
            text = told[one // SEATS]
            if text is not None:
                dealers = dealers_by(self.game.name, text.encode(), one % SEATS)
                if dealers is None:
                    self.fit[code == one] = False
                else:
                    rows[one] = dealers
        cuts = rows[code]
        places, told = _coded(matches["start"])
        begun = np.flatnonzero(places < len(told) - 1)
        if not len(begun):
            return cuts
        whole = cuts.tolist()
        for i in begun.tolist():
            start = part_of(self.game.name, "start", (told[places[i]] or "").encode())
            if start is UNFIT:
                self.fit[i] = False
                continue
            row, wrong = self.game.match.read_start(start, int(seats[i]), rules[table_of[i]])
            whole[i] += row
            self.fit[i] &= not wrong
        return openings(whole)

    def _voids(self) -> NDArray[np.int64]:
        told = self.stored.deals["void"]
        if told.null_count == len(told):
            return np.zeros(len(told), np.int64)
        words = pc.index_in(told, pa.array(VOIDS, pa.string()))
        self._unfit(words.is_null().to_numpy())
        return words.fill_null(0).to_numpy().astype(np.int64)

    def _told(self) -> NDArray[np.int64]:
        """What is stored, as if the sheet of each deal declared it."""
        deals, n = self.stored.deals, len(self.owner)
        told = np.zeros((n, TOLD), np.int64)
        sides = np.zeros(SEATS, np.int64)
        for players in self.game.players:
            sides[players] = self.game.sides(players)
        told[:, 5] = sides[self.seat_counts]
        self.points = self.stored.seats["points"].to_numpy()
        if n and (self.seat_counts == self.seat_counts[0]).all():  # as in most stores
            told[:, : told[0, 5]] = self.points.reshape(n, -1)[:, : told[0, 5]]
        else:
            counted = self.seat < told[self.deal, 5]
            told[self.deal[counted], self.seat[counted]] = self.points[counted]
        told[:, 6] = _column(deals, "winner", UNSAID)
        told[:, 7] = _column(deals, "manche")
        return told

    def same(self, numbers: Numbers, verdicts: Verdicts) -> NDArray[np.bool_]:
        """The matches of which all that is compared is what is stored."""
        stored, deals, kernel = self.stored, self.stored.deals, self.game.kernel
        states = verdicts.states
        winner = states["winner"].astype(np.int64) + 1
        winner[states["winner"] == kernel.NULL] = 0
        winner[states["winner"] == kernel.NOBODY] = UNSAID
        moved = (verdicts.faults != 0) | (verdicts.match_faults != 0)
        moved |= winner != numbers.told[:, 6]
        moved |= states["outcome"] != _column(deals, "outcome")
        moved |= verdicts.place[:, 0] + 1 != numbers.told[:, 7]
        moved |= verdicts.place[:, 1] + 1 != _column(deals, "partie")
        points = of(self.game.name).points(states, self.deal, self.seat)
        moved |= deals_of(points != self.points, self.deal, len(moved))
        same = np.bincount(self.owner[moved], minlength=len(self.fit)) == 0
        records = verdicts.matches
        won = np.where(records["over"] != 0, records["winner"].astype(np.int64) + 1, UNSAID)
        same &= won == _column(stored.matches, "winner", UNSAID)
        return same & self._results_hold(verdicts.matches)

    def _results_hold(self, records: NDArray[np.void]) -> NDArray[np.bool_]:
        """The matches whose declared result is what the deals make."""
        holds = np.ones(len(records), np.bool_)
        places, told = _coded(self.stored.matches["result"])
        name = self.game.name
        results = [part_of(name, "result", (text or "{}").encode()) for text in told]
        raw, size = records.tobytes(), records.itemsize
        known: dict[tuple[int, bytes], bool] = {}  # many matches end alike
        for i in np.flatnonzero(places < len(told) - 1).tolist():
            key = int(places[i]), raw[i * size : (i + 1) * size]
            if key not in known:
                result = results[key[0]]
                dealt = self.counts[i] > 0 and result is not UNFIT
                known[key] = dealt and result_holds(self.game.match, records[i], result)
            holds[i] = known[key]
        return holds


def deals_of(wrong: NDArray[np.bool_], deal: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Of so many deals those that something of a seat is wrong with."""
    found = np.zeros(count, np.bool_)
    found[deal[wrong]] = True
    return found


def _column(rows: pa.Table, name: str, unknown: int = 0) -> NDArray[Any]:
    """A column of small numbers as NumPy has them, with a number where nothing is known."""
    column = rows[name]
    if column.null_count or column.type == pa.bool_():
        column = pc.fill_null(column.cast(pa.int64()), int(unknown))
    found: NDArray[Any] = column.to_numpy().astype(np.int64)
    return found.astype(np.bool_) if rows[name].type == pa.bool_() else found


def _coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int64], list[str | None]]:
    """Texts of which many are alike: the place of each among the distinct ones, None the last."""
    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    told = coded.dictionary.to_pylist()
    places = coded.indices.fill_null(len(told)).to_numpy().astype(np.int64)
    return places, [*told, None]


def _members(text: str | None) -> list[tuple[str, bytes]]:
    """The members of an object as parts of a log; one that no log has where it is none."""
    try:
        told = orjson.loads(text or "{}")
    except ValueError:
        told = None
    if not isinstance(told, dict):
        return [("", b"")]
    return [(key, orjson.dumps(value)) for key, value in told.items()]


def _limits(laid: Laid) -> tuple[int, int]:
    """How many cards a deal of a table has, and how many bid cards there are."""
    layout = laid.layout
    return layout.hand * laid.table.players + layout.talon, len(layout.bids)


@compiled
def sound(
    decks: NDArray[np.uint8],
    codes: NDArray[np.uint16],
    offsets: NDArray[np.int64],
    drawing: NDArray[np.bool_],
    limits: NDArray[np.int64],
    table_of: NDArray[np.int64],
    bits: NDArray[np.int64],
    row: tuple[int, int, int],
    good: NDArray[np.bool_],
    explicit: NDArray[np.int64],
) -> None:
    """Take `good` from deals that no scanner would have read; fill whether draws are told.

    A kernel counts on cards that are there and on no card twice, and looks at nothing of it. `bits`
    has a bit a card for each face; `row` says how many bytes are places of cards, what no card is,
    and how many acts there are.
    """
    places, empty, acts = row
    for d in range(len(decks)):
        seen = np.int64(0)
        count = 0
        right = good[d]
        for k in range(places):
            card = np.int64(decks[d, k])
            if card == empty:
                continue
            if card >= len(bits):
                right = False
                continue
            bit = bits[card]
            right &= seen & bit == 0
            seen |= bit
            count += 1
        right &= count == limits[table_of[d], 0]
        for k in range(places, decks.shape[1]):
            right &= decks[d, k] == empty or decks[d, k] < limits[table_of[d], 1]
        told = 0
        for k in range(offsets[d], offsets[d + 1]):
            act = np.int64(codes[k]) & ACT_MASK
            right &= act < acts and codes[k] >> SEAT_SHIFT < SEATS
            told |= drawing[act]
        good[d] = right
        explicit[d] = told
