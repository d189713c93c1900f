"""Deals as arrays, validated by the kernel at once."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games import DECLARED_COLUMNS, NOT_DECLARED, Game, game
from engine.match import MAX_SCORE, NO_DEALS_BEFORE
from engine.options import rules_dtype
from engine.score_sheet_line import DealEnd
from ingest.validate.result_checks import RESULT_ONLY
from ingest.validate.slow_path import ValidationResult
from schemas.deal_decoder import opening_seat
from schemas.games import schemas_of

VOID_WORDS = (None, "maldonne", "replay", "abandoned")


class DeclaredResult(NamedTuple):
    """The result of a match without deals."""

    score: tuple[int, ...]
    """By side; empty if it is not known, or has not one number for each side."""
    winner: int | None
    """From 0, -1 if it was drawn; None: not known."""
    is_possible: bool


def declared_result(result: ValidationResult) -> DeclaredResult | None:
    """Return the result of a match without deals; None if it has deals or no result."""
    match = result.match
    if match is None or match.result is None or not match.is_result_only or result.setup is None:
        return None
    score = match.result.score or []
    good = len(score) == result.setup.game.side_count(len(match.players)) and (
        0 <= min(score) <= max(score) <= MAX_SCORE
    )
    return DeclaredResult(tuple(score) if good else (), result.winner, result.status == RESULT_ONLY)


class DealArrays(NamedTuple):
    """n deals of m matches of one game; match i owns deals `first[i]:first[i + 1]`.

    `codes[offsets[d]:offsets[d + 1]]` are deal d's actions; `declared[d]` are the values of its
    sheet, as described at `engine.games.DECLARED_COLUMNS`.
    """

    game: Game
    first: NDArray[np.int64]
    cuts: NDArray[np.int64]  # first dealer, highest, dealer of the belle; then the start
    rules: NDArray[np.void]
    rule_of: NDArray[np.int64]  # per deal
    players: NDArray[np.int64]  # per deal
    dealers: NDArray[np.int64]
    decks: NDArray[np.uint8]
    is_dealt: NDArray[np.bool_]  # the deck is valid; else decks[d] is an example deck
    explicit: NDArray[np.int64]
    codes: NDArray[np.uint16]
    offsets: NDArray[np.int64]
    voids: NDArray[np.int64]  # index into VOID_WORDS
    declared: NDArray[np.int64]
    has_hidden_cards: NDArray[np.bool_] | None = None
    """Cards of `decks` that are not recorded; `decks` has those of one possible deal."""
    recorded_codes: NDArray[np.uint16] | None = None
    """The original `codes`, before unrecorded drawn cards were filled in."""
    is_score_line: NDArray[np.bool_] | None = None
    """Deals that are score sheet lines."""
    score_line_ends: Mapping[int, DealEnd] | None = None  # index of such a deal → its end, if known
    is_outcome_unknown: NDArray[np.bool_] | None = None
    """Deals whose outcome depends on hidden cards, but not their effect on the match."""
    is_order_unknown: NDArray[np.bool_] | None = None
    """Deals whose hands are recorded, but not which cards of them were dealt first."""
    declared_results: Mapping[int, DeclaredResult] = {}
    """Index of each match of which only the result is known → its result."""


class Verdicts(NamedTuple):
    """The kernel's results for `DealArrays`: one record per deal and one per match."""

    states: NDArray[np.void]
    faults: NDArray[np.int64]
    applied: NDArray[np.int64]
    match_faults: NDArray[np.int64]  # per deal
    matches: NDArray[np.void]
    positions: NDArray[np.int16]  # per deal: manche and partie, from 0


def replay_and_count(deals: DealArrays) -> Verdicts:
    """Replay and count every deal with the kernel; reset the states of unknown outcomes."""
    this = deals.game
    n, m = len(deals.dealers), len(deals.first) - 1
    states, matches = np.zeros(n, this.kernel.State), np.zeros(m, this.match.Match)
    faults, stops, match_faults = np.zeros((3, n), np.int64)
    rules = deals.rules, deals.rule_of
    dealt = deals.players, deals.dealers, deals.decks, deals.explicit
    this.kernel.replay_deals(states, faults, stops, *rules, *dealt, deals.codes, deals.offsets)
    for place, end in (deals.score_line_ends or {}).items():
        states[place] = end.state
    values = deals.cuts, deals.first, deals.voids, deals.declared
    lengths = np.diff(deals.offsets)
    place = this.match.count_matches(states, stops, lengths, *rules, matches, *values, match_faults)
    for match_index, one in deals.declared_results.items():
        if one.winner is not None:
            matches[match_index]["over"], matches[match_index]["winner"] = 1, one.winner
    if deals.is_outcome_unknown is not None:
        blank = np.array(this.example_deck, np.uint8)
        for i in np.flatnonzero(deals.is_outcome_unknown):
            rule = deals.rules[deals.rule_of[i]]
            this.kernel.start(states[i], rule, deals.players[i], deals.dealers[i], blank, 0)
    return Verdicts(states, faults, stops, match_faults, matches, place)


def opening_rows(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Pad rows to equal length for `DealArrays.cuts`: only some include the log's start."""
    found = np.full((len(rows), max(map(len, rows), default=3)), NO_DEALS_BEFORE, np.int64)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


def arrays_from_results(name: str, results: Sequence[ValidationResult]) -> DealArrays:
    """Convert slow-path results to arrays, so that their rows in the store come from one kernel.

    A deal that cannot be dealt, or whose effect on the match depends on hidden cards, gets an
    example deck and no actions.
    """
    this, counts = game(name), [len(e.decoded) for e in results]
    n = sum(counts)
    rules = np.zeros(len(results), rules_dtype(name))
    decks = np.tile(np.array(this.example_deck, np.uint8), (n, 1))
    hidden = np.zeros(decks.shape, np.bool_)
    dealers, explicit, voids = np.zeros((3, n), np.int64)
    dealt, unsettled, lines, unordered = np.zeros((4, n), np.bool_)
    codes, written, offsets = list[int](), list[int](), [0]
    ends: dict[int, DealEnd] = {}
    for i, e in enumerate(results):
        if e.match is None or e.setup is None:
            continue
        rules[i] = e.setup.rules
        for index, (deal, decoded) in enumerate(zip(e.match.deals, e.decoded, strict=True)):
            place = len(offsets) - 1
            dealers[place] = min(max(opening_seat(deal)[0] - 1, 0), len(e.match.players) - 1)
            explicit[place] = decoded.explicit
            voids[place] = VOID_WORDS.index(deal.void)
            lines[place] = index in e.score_line_ends
            if (end := e.score_line_ends.get(index)) is not None:
                ends[place] = end
            if decoded.deck is not None and decoded.is_count_known:
                decks[place], hidden[place, list(decoded.hidden)] = decoded.deck, True
                codes += decoded.codes
                written += decoded.recorded_codes or decoded.codes
                dealt[place], unsettled[place] = (decoded.is_outcome_known, not decoded.is_outcome_known)
                if getattr(deal, "hands", None) is not None:
                    unordered[place] = schemas_of(name).row_layout(e.setup).hand_size == 0
            offsets.append(len(codes))
    values = np.zeros((n, DECLARED_COLUMNS), np.int64)
    values[:, 6:] = NOT_DECLARED
    first, cuts = np.cumsum([0, *counts]).astype(np.int64), opening_rows([e.cuts for e in results])
    seats = np.array([len(e.match.players) if e.match else 0 for e in results], np.int64)
    rule_of, players = np.repeat(np.arange(len(results)), counts), np.repeat(seats, counts)
    acts = np.array(codes, np.uint16), np.array(offsets, np.int64)
    results_only = {i: one for i, e in enumerate(results) if (one := declared_result(e)) is not None}
    return DealArrays(
        *(this, first, cuts, rules, rule_of, players, dealers, decks, dealt, explicit),
        *(*acts, voids, values, hidden, np.array(written, np.uint16), lines, ends, unsettled),
        is_order_unknown=unordered,
        declared_results=results_only,
    )
