"""Builds Arrow rows of the store's tables from kernel results."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine import RULES_VERSION
from engine.actions import ACT_MASK, SEAT_SHIFT
from engine.jit import compiled
from ingest.findings.finding import STATUSES, Finding
from ingest.games import game_support
from ingest.games.base import Categories
from ingest.store.aliases import SeatNumbers
from ingest.validate.fast_path.deal_arrays import VOID_WORDS, DealArrays, DeclaredResult, Verdicts
from ingest.validate.fast_path.decode import MatchColumns

_LEGAL, _UNVERIFIED = STATUSES.index("legal"), STATUSES.index("unverified")
_HEAD_COLUMNS = ("game", "preset", "options", "event", "details", "source")
"""Columns of text from the head of a match."""
_FINDING_TYPES = {
    **dict.fromkeys(("code", "rule", "severity", "path"), pa.string()),
    **{"deal_index": pa.uint16(), "action_index": pa.int32(), "seat": pa.uint8()},
}
"""Columns that `findings` copies from a finding unchanged."""
_UNREPLAYABLE = [STATUSES.index(status) for status in ("broken", "unreadable")]


def nullable_column(values: NDArray[Any], null: NDArray[np.bool_], kind: pa.DataType) -> pa.Array:
    """Return a column of a type, null where `null` is set."""
    return pa.array(values.astype(kind.to_pandas_dtype(), copy=False), kind, mask=null)


def dictionary_column(index: NDArray[Any], names: Sequence[str | None] | pa.Array) -> pa.Array:
    """Return a dictionary-encoded column from indices into `names`."""
    return pa.DictionaryArray.from_arrays(pa.array(index, pa.uint8()), pa.array(names, pa.string()))


def list_column(values: NDArray[Any], offsets: NDArray[np.int64], null: NDArray[np.bool_]) -> pa.Array:
    """Return a column of lists; a null row must have no items."""
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values), mask=pa.array(null))


def match_rows(
    head: MatchColumns,
    keep: NDArray[np.int64],
    numbers: DealArrays | None,
    verdicts: Verdicts | None,
    id_columns: dict[str, Any],
    deal_statuses: NDArray[np.uint8] | None = None,
) -> pa.Table:
    """Return rows of `matches` for the matches in `keep`; `id_columns` identify them."""
    count = len(keep)
    if numbers is None or verdicts is None:
        deals, winner = np.zeros(count, np.int64), pa.nulls(count, pa.uint8())
        sheets = results = np.zeros(count, np.bool_)
    else:
        deals = np.diff(numbers.first)[keep]
        results = np.isin(keep, [*numbers.declared_results])
        possible = [place for place, one in numbers.declared_results.items() if one.is_possible]
        sheets = _is_legal_score_sheet(numbers, deal_statuses)[keep] | np.isin(keep, possible)
        records = records_of(verdicts, keep)
        winner = nullable_column(records["winner"] + 1, records["over"] == 0, pa.uint8())
    fields = {
        **{name: pa.array(getattr(head, name)[keep], pa.string()) for name in _HEAD_COLUMNS},
        "log_id": head.log_id.take(pa.array(keep)),
        "player_count": nullable_column(head.players[keep], head.players[keep] == 0, pa.uint8()),
        "played_at": head.played_at.take(pa.array(keep)),
        "played_on": head.played_on.take(pa.array(keep)),
        "deals": deals.astype(np.int32),
        "winning_side": winner,
        "rules_version": np.full(count, RULES_VERSION, np.uint16),
        "is_score_sheet": sheets,
        "result_only": results,
    }
    return pa.table(id_columns | fields)


def records_of(verdicts: Verdicts, keep: NDArray[np.int64]) -> NDArray[np.void]:
    """Return the match records in `keep`, without a copy if that is all of them."""
    matches = verdicts.matches
    return matches if len(keep) == len(matches) else matches[keep]


def _is_legal_score_sheet(numbers: DealArrays, statuses: NDArray[np.uint8] | None) -> NDArray[np.bool_]:
    """Return the matches that only lines of a score sheet leave unverified."""
    matches = len(numbers.first) - 1
    if numbers.is_score_line is None or statuses is None or not numbers.is_score_line.any():
        return np.zeros(matches, np.bool_)
    owner = np.repeat(np.arange(matches), np.diff(numbers.first))
    lines = np.bincount(owner[numbers.is_score_line], minlength=matches) > 0
    other = np.where(numbers.is_score_line, statuses != _UNVERIFIED, statuses != _LEGAL)
    found: NDArray[np.bool_] = lines & (np.bincount(owner[other], minlength=matches) == 0)
    return found


def seat_rows(
    game: str,
    match_no: NDArray[np.int64],
    seats: NDArray[np.int64],
    seated: SeatNumbers,
    records: NDArray[np.void],
    declared: Mapping[int, DeclaredResult],
) -> pa.Table:
    """Return rows of `seats`: one per seat of each match of a game, in order.

    `declared`: index in `records` → the result of a match of which nothing else is known.
    """
    match = np.repeat(np.arange(len(seats)), seats)
    seat = _positions_within(seats)

    unknown = np.isin(match, [*declared])

    def of_seats(name: str) -> pa.Array:
        """Return a field of the match record by seat or side; null where it is unknown."""
        if name not in (records.dtype.names or ()):
            return pa.nulls(len(match), pa.int16())
        values = records[name]
        return pa.array(values[match, seat % values.shape[1]].astype(np.int16), mask=unknown)

    score = of_seats("score")
    if scores := {place: one.score for place, one in declared.items() if one.score}:
        at = zip(match.tolist(), seat.tolist(), strict=True)
        written = [scores[i][k % len(scores[i])] if i in scores else None for i, k in at]
        score = pc.coalesce(score, pa.array(written, pa.int16()))

    return pa.table(
        {
            "match_no": match_no[match],
            "seat": (seat + 1).astype(np.uint8),
            "player_no": seated.player_no.astype(np.int32),
            "alias_no": seated.alias_no.astype(np.int32),
            "score": score,
            "manches": of_seats("manches"),
            "shutout_manches": of_seats("under"),
        }
    )


def _positions_within(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return 0, 1 … count - 1 for each count in turn."""
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    return np.arange(len(starts)) - starts


def _null_for_score_lines(columns: dict[str, Any], is_score_line: NDArray[np.bool_]) -> dict[str, pa.Array]:
    """Return columns with nulls for the lines of score sheets, which do not record them."""
    if not is_score_line.any():
        return columns
    none = pa.array(is_score_line)
    return {name: pc.if_else(none, None, pa.array(one)) for name, one in columns.items()}


class DealRows:
    """Rows of all tables below a match, for the deals of the matches in `keep`."""

    def __init__(
        self,
        numbers: DealArrays,
        verdicts: Verdicts,
        keep: NDArray[np.int64],
        match_no: NDArray[np.int64],
        statuses: NDArray[np.uint8] | None,
        months: pa.Array,
        player_no: NDArray[np.int64],
        seats: NDArray[np.int64],
    ) -> None:
        """`match_no`, `months`, `seats` and `player_no` (seat by seat) describe these matches.

        `statuses` has an index of STATUSES per deal; None: all are legal.
        """
        counts = np.diff(numbers.first)
        remaining = counts[keep]
        index = np.repeat(numbers.first[keep], remaining) + _positions_within(remaining)
        self.numbers, self.index = numbers, index
        self.game_rows = game_support(numbers.game.name)
        self.match_index = np.repeat(np.arange(len(keep)), remaining)
        self.match_no = match_no[self.match_index]
        self.deal = _positions_within(remaining).astype(np.uint16)
        # a view where all deals are used: a record is large, and most fields are read once
        whole = len(index) == len(verdicts.states)
        self.is_complete = whole
        self.states = verdicts.states if whole else verdicts.states[index]
        self.place = verdicts.positions[index]
        self.dealt = numbers.is_dealt[index]
        lines = numbers.is_score_line
        self.is_score_line = np.zeros(len(index), np.bool_) if lines is None else lines[index]
        self.has_dealer = self.states["dealer"] >= 0
        self.has_ended = self.dealt | np.isin(index, list(numbers.score_line_ends or ()))
        self.statuses = np.zeros(len(index), np.uint8) if statuses is None else statuses
        self.months = months
        players = np.where(self.has_ended, self.states["players"], 0).astype(np.int64)
        self.seat_deal = np.repeat(np.arange(len(index)), players)
        self.seat = _positions_within(players)
        self.player_no = player_no
        self.first_seat = np.cumsum(seats) - seats

    def player_of(self, deal: NDArray[np.int64], seat: NDArray[np.int64]) -> NDArray[np.int32]:
        return self.player_no[self.first_seat[self.match_index[deal]] + seat].astype(np.int32)

    def deals(self) -> pa.Table:
        states, numbers = self.states, self.numbers
        undealt, unknown, unordered = ~self.dealt, ~self.has_ended, self._has_unknown_order()
        codes, offsets = self._action_codes()
        size, hidden = numbers.decks.shape[1], numbers.has_hidden_cards
        decks = pa.array(
            numbers.decks[self.index].reshape(-1),  # an unrecorded card is null
            mask=None if hidden is None else hidden[self.index].reshape(-1),
        )
        tricks = np.where(self.is_score_line, 0, states["trick"]).astype(np.int64)
        hashes = np.zeros(len(self.index), np.uint32)
        _hash_actions(codes, offsets, hashes)
        taken = np.arange(states["trick_winners"].shape[1]) < tricks[:, None]
        kernel = numbers.game.kernel
        winner = np.where(states["winner"] == kernel.NULL, 0, states["winner"] + 1)
        return pa.table(
            {
                "match_no": self.match_no,
                "deal_index": self.deal,
                "status": dictionary_column(self.statuses, STATUSES),
                "manche": nullable_column(self.place[:, 0] + 1, unknown, pa.uint8()),
                "partie": nullable_column(self.place[:, 1] + 1, unknown, pa.uint16()),
                "dealer": nullable_column(states["dealer"] + 1, unknown | ~self.has_dealer, pa.uint8()),
                "void": dictionary_column(numbers.voids[self.index], VOID_WORDS),
                "outcome": nullable_column(states["outcome"], unknown, pa.uint8()),
                "winning_side": nullable_column(winner, states["winner"] == kernel.NOBODY, pa.uint8()),
                "is_score_line": self.is_score_line,
                **_null_for_score_lines(self.game_rows.deal_columns(states), self.is_score_line),
                "tricks": nullable_column(tricks, self.is_score_line, pa.uint8()),
                "deck": list_column(decks, np.arange(len(self.index) + 1) * size, undealt | unordered),
                "actions": list_column(codes, offsets, undealt),
                "actions_hash": nullable_column(hashes, undealt | (tricks < 2), pa.uint32()),
                "trick_winners": list_column(
                    (states["trick_winners"][taken] + 1).astype(np.uint8),
                    np.concatenate([[0], np.cumsum(tricks)]),
                    undealt,
                ),
            }
        )

    def _has_unknown_cards(self) -> NDArray[np.bool_]:
        """Return for each deal whether it has unrecorded cards."""
        hidden = self.numbers.has_hidden_cards
        if hidden is None:
            return np.zeros(len(self.index), np.bool_)
        return np.asarray(hidden[self.index].any(axis=1))

    def _has_unknown_order(self) -> NDArray[np.bool_]:
        """Return for each deal whether its hands do not show in which order they were dealt."""
        unknown = self.numbers.is_order_unknown
        return np.zeros(len(self.index), np.bool_) if unknown is None else unknown[self.index]

    def deal_seats(self) -> pa.Table:
        """Return rows of `deal_seats`: every seat of every deal that was dealt."""
        deal, seat = self.seat_deal, self.seat
        line, found = self.is_score_line[deal], self.game_rows.seat_columns(self.states, deal, seat)
        ends = self.numbers.score_line_ends or {}
        unpointed = np.isin(self.index, [place for place in ends if not ends[place].has_points])
        return pa.table(
            {
                "match_no": self.match_no[deal],
                "deal_index": self.deal[deal],
                "seat": (seat + 1).astype(np.uint8),
                "player_no": self.player_of(deal, seat),
                "dealt": nullable_column(
                    self.states["dealer"][deal] == seat, ~self.has_dealer[deal], pa.bool_()
                ),
                "points": np.ma.masked_array(found.pop("points"), unpointed[deal]),
                "won": found.pop("won"),
                **_null_for_score_lines(found | self._received(deal, seat), line),
            }
        )

    def _received(self, deal: NDArray[np.int64], seat: NDArray[np.int64]) -> dict[str, Any]:
        """Count cards and card points that each seat was dealt or drew, played or not.

        After an exchange of two cards each counts for the other: this measures what a player
        received, not what they made of it.
        """
        worth = self.game_rows.dealt_card_points(self.states)
        if worth is None:
            return {}
        hands = np.ascontiguousarray(self.states["hand"], np.int64)
        points, cards = np.empty(hands.shape, np.int16), np.empty(hands.shape, np.uint8)
        each, numbers, at = np.ascontiguousarray(worth, np.int16), self.numbers, (deal, seat)
        _count_received(hands, each, self.index, numbers.offsets, numbers.codes, points, cards)
        # an action after a stop was never played; cards left in hand may not be recorded
        known = ~self._has_unknown_cards() & ~self._has_unknown_order()
        unknown = (np.isin(self.statuses, _UNREPLAYABLE) | ~known)[deal]
        return {
            "received": nullable_column(points[at], unknown, pa.int16()),
            "received_cards": nullable_column(cards[at], unknown, pa.uint8()),
        }

    def _action_codes(self) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
        """Return the recorded actions of these deals, and the offset where each deal's begin."""
        numbers, ends = self.numbers, self.numbers.offsets
        codes = numbers.codes if numbers.recorded_codes is None else numbers.recorded_codes
        if self.is_complete:
            return codes, ends
        lengths = np.diff(ends)[self.index]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return codes[np.repeat(ends[self.index], lengths) + _positions_within(lengths)], offsets

    def announcements(self) -> pa.Table | None:
        """Return rows of `announcements`, held or made; None: the game has no announcements."""
        numbers = self.numbers
        found = self.game_rows.announcement_rows(
            self.states, numbers.rules, numbers.rule_of[self.index], self._has_unknown_cards()
        )
        if found is None:
            return None
        deal, seat, columns = found
        return pa.table(
            {
                "match_no": self.match_no[deal],
                "deal_index": self.deal[deal],
                "seat": (seat + 1).astype(np.uint8),
                "player_no": self.player_of(deal, seat),
                "month": self.months.take(pa.array(self.match_index[deal])),
                **{
                    name: dictionary_column(*column) if isinstance(column, Categories) else column
                    for name, column in columns.items()
                },
            }
        )


@compiled
def _hash_actions(codes: NDArray[np.uint16], offsets: NDArray[np.int64], out: NDArray[np.uint32]) -> None:
    """Fill `out` with a hash of each deal's actions, `codes[offsets[i]:offsets[i + 1]]`."""
    for i in range(len(out)):
        found = np.uint64(14695981039346656037)  # FNV-1a, over actions instead of bytes
        for k in range(offsets[i], offsets[i + 1]):
            found = (found ^ np.uint64(codes[k])) * np.uint64(1099511628211)
        out[i] = (found ^ (found >> np.uint64(32))) & np.uint64(0xFFFFFFFF)


@compiled
def _count_received(
    hands: NDArray[np.int64],
    worth: NDArray[np.int16],
    first: NDArray[np.int64],
    offsets: NDArray[np.int64],
    codes: NDArray[np.uint16],
    points: NDArray[np.int16],
    cards: NDArray[np.uint8],
) -> None:
    """Fill `points[i, seat]` and `cards[i, seat]` with totals of cards played and left in hand.

    Actions of deal i are `codes[offsets[first[i]]:offsets[first[i] + 1]]`; `hands` has a bit mask
    per seat, `worth` a number per card, negative for one that does not count.
    """
    seats, size = hands.shape[1], worth.shape[1]
    for i in range(len(first)):
        for seat in range(seats):
            left = hands[i, seat]
            came = count = 0
            card = 0
            while left:
                if left & 1:
                    if worth[i, card] >= 0:
                        came += worth[i, card]
                        count += 1
                left >>= 1
                card += 1
            points[i, seat], cards[i, seat] = came, count
        for k in range(offsets[first[i]], offsets[first[i] + 1]):
            code = np.int64(codes[k])
            act = code & ACT_MASK
            if act < size and worth[i, act] >= 0:
                holder = min(code >> SEAT_SHIFT, seats - 1)
                points[i, holder] += worth[i, act]
                cards[i, holder] += 1


def finding_rows(match_no: Sequence[int], findings: Sequence[Sequence[Finding]]) -> pa.Table:
    """Return rows of `findings`, match by match."""
    flat = [
        (number, place, finding)
        for number, found in zip(match_no, findings, strict=True)
        for place, finding in enumerate(found)
    ]

    def text(value: Any) -> str | None:
        return None if value is None else orjson.dumps(value, default=str).decode()

    return pa.table(
        {
            "match_no": pa.array([number for number, _, _ in flat], pa.int64()),
            "finding_index": pa.array([place for _, place, _ in flat], pa.int32()),
            **{
                name: pa.array([getattr(finding, name) for *_, finding in flat], kind)
                for name, kind in _FINDING_TYPES.items()
            },
            "found": pa.array([text(finding.found) for *_, finding in flat], pa.string()),
            "legal": pa.array([text(finding.legal) for *_, finding in flat], pa.string()),
        }
    )


def trash_texts(data: Sequence[bytes]) -> dict[str, pa.Array]:
    """Return columns of `trash`: texts as received, as bytes where they are not UTF-8."""

    def utf8(text: bytes) -> str | None:
        try:
            return text.decode()
        except UnicodeDecodeError:
            return None

    texts = [utf8(text) for text in data]
    others = [text if good is None else None for text, good in zip(data, texts, strict=True)]
    return {"text": pa.array(texts, pa.string()), "bytes": pa.array(others, pa.binary())}
