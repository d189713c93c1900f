"""Builds rows of endgame values."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.games import game
from engine.replay import Replay
from engine.solver import NO_ACTION, EndgameArrays, solve_deals
from engine.solver_results import HIDDEN_CARDS
from engine.solver_results import REASONS as OF_ENGINE
from ingest.store.arrow_rows import nullable_column
from ingest.validate.batch import CheckedBatch
from ingest.validate.fast_path.deal_arrays import DealArrays, arrays_from_results, replay_and_count
from ingest.validate.slow_path import ValidationResult
from ingest.validate.solver_report import remaining_bids_by_deal

VALUE_TABLES = ("endgame_values", "endgame_seat_values")
"""Tables that are filled by the solver, later than the rows derived from a match's text."""
NOT_SOLVED_REASONS = (*OF_ENGINE, "dealt", "line")
"""Reasons why a deal is not solved; texts in `ingest.validate.solver_report.NOT_SOLVED_REASONS`."""
DEALT_REASON, SCORE_LINE_REASON = len(OF_ENGINE), len(OF_ENGINE) + 1

Ints = NDArray[np.int64]
_PER_DEAL_FIELDS = ("rule_of", "players", "dealers", "decks", "explicit")


class SolverBatch(NamedTuple):
    """n deals of one game, as arrays for `Kernel.replay_deals`, with their matches and numbers."""

    game: str
    match_no: Ints
    deal_index: Ints
    rules: NDArray[np.void]
    rule_of: Ints
    players: Ints
    dealers: Ints
    decks: NDArray[np.uint8]
    explicit: Ints
    codes: NDArray[np.uint16]
    offsets: Ints
    not_solved_reason: NDArray[np.uint8]
    """Per deal, an index into NOT_SOLVED_REASONS; 0: the solver decides."""
    remaining_bids: Ints | None = None
    """Per deal and seat, a mask of the bid cards left (CR-7); -1: unknown. None: no such game."""


def solver_batch_of_arrays(
    numbers: DealArrays,
    match_no: Ints,
    keep: NDArray[np.bool_] | None = None,
    remaining_bids: Ints | None = None,
) -> SolverBatch:
    """Return the deals of faultless matches; `keep`: a mask, per match, of those to return."""
    counts = np.diff(numbers.first)
    # computed before filtering, since they depend on a match's earlier deals
    if remaining_bids is None and numbers.game.bid_regret is not None:
        values = numbers.rules, numbers.rule_of, numbers.cuts, numbers.first, numbers.voids
        remaining_bids = numbers.game.bid_regret.remaining_bids_of_deals(
            replay_and_count(numbers).states, *values
        )
    found = SolverBatch(
        game=numbers.game.name,
        match_no=np.repeat(match_no, counts),
        deal_index=np.arange(counts.sum()) - np.repeat(numbers.first[:-1], counts),
        **{name: getattr(numbers, name) for name in ("rules", *_PER_DEAL_FIELDS, "codes", "offsets")},
        not_solved_reason=np.zeros(len(numbers.dealers), np.uint8),
        remaining_bids=remaining_bids,
    )
    return found if keep is None or keep.all() else filter_deals(found, np.repeat(keep, counts))


def filter_deals(deals: SolverBatch, keep: NDArray[np.bool_]) -> SolverBatch:
    """Return the deals where `keep` is true."""
    lengths = np.diff(deals.offsets)
    per_deal = ("match_no", "deal_index", *_PER_DEAL_FIELDS, "not_solved_reason")
    values = np.repeat(keep, lengths)
    return deals._replace(
        codes=deals.codes[deals.offsets[0] : deals.offsets[-1]][values],
        offsets=np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64),
        remaining_bids=None if deals.remaining_bids is None else deals.remaining_bids[keep],
        **{name: getattr(deals, name)[keep] for name in per_deal},
    )


def solver_batch_of_explained(game_name: str, explained: Mapping[int, ValidationResult]) -> SolverBatch:
    """Return the deals of explained matches of one game (match number → result)."""
    some, left = [*explained.values()], None
    if game(game_name).bid_regret is not None:
        rows = [row for one in some for row in remaining_bids_by_deal(one)]
        left = np.full((len(rows), max(game(game_name).players)), -1, np.int64)
        for place, row in enumerate(rows):
            left[place, : len(row)] = row
    each = ((one, *deal) for one in some for deal in enumerate(one.replays))
    unsolved = np.array([_not_solved_reason(*one) for one in each], np.uint8)
    found = solver_batch_of_arrays(
        arrays_from_results(game_name, some), np.array([*explained], np.int64), remaining_bids=left
    )
    return found._replace(not_solved_reason=unsolved)


def _not_solved_reason(explained: ValidationResult, deal: int, replay: Replay | None) -> int:
    """Return why a deal is not solved, as an index into NOT_SOLVED_REASONS; 0: it may be."""
    if deal in explained.score_line_ends:
        return SCORE_LINE_REASON
    if replay is None:
        return DEALT_REASON
    return HIDDEN_CARDS if replay.is_too_ambiguous or type(replay) is not Replay else 0


def solver_batches_of(batch: CheckedBatch, match_no: Ints) -> Iterator[SolverBatch]:
    """Yield the deals of a batch, per game or group; `match_no`: numbers by place in the batch."""
    for group in batch.fast_path_groups:
        keep = np.zeros(len(group.places), np.bool_)
        keep[group.valid_indices] = True
        yield solver_batch_of_arrays(group.decoded.deal_arrays, match_no[group.places], keep)
    explained: dict[str, dict[int, ValidationResult]] = {}
    for place, one in batch.results.items():
        if one.match is not None:
            explained.setdefault(one.match.game, {})[int(match_no[place])] = one
    for name, some in explained.items():
        yield solver_batch_of_explained(name, some)


def endgame_rows(deals: SolverBatch) -> dict[str, pa.Table]:
    """Return rows of VALUE_TABLES: one per deal, and one per seat of each solved deal."""
    found = solve_deals(game(deals.game), *deals[3:])
    unsolved = found.not_solved != 0
    nowhere = unsolved | (found.first_action == NO_ACTION)
    reasons = pa.array(NOT_SOLVED_REASONS, pa.string()).take(pa.array(found.not_solved))
    winner = np.select([found.winner > 0, found.winner < 0], [1, 2], 0)

    def known(column: Ints, kind: Any, null: NDArray[np.bool_] = nowhere) -> pa.Array:
        return nullable_column(column, null, kind)

    of_deals = {
        "match_no": deals.match_no,
        "deal_index": deals.deal_index.astype(np.uint16),
        "unsolved": pc.if_else(pa.array(unsolved), reasons, None),
        "first_action_index": known(found.first_action, pa.uint16()),
        "points_lead": known(found.points_lead, pa.int16()),
        "margin": known(found.margin, pa.int16()),
        "best_winning_side": known(winner, pa.uint8()),
        "turning_action_index": known(
            found.turning_action, pa.uint16(), unsolved | (found.turning_action == NO_ACTION)
        ),
    }
    return {
        "endgame_values": pa.table(of_deals),
        "endgame_seat_values": _endgame_seat_rows(deals, found, ~unsolved),
    }


def _endgame_seat_rows(deals: SolverBatch, found: EndgameArrays, solved: NDArray[np.bool_]) -> pa.Table:
    counts = np.where(solved, deals.players, 0)
    deal = np.repeat(np.arange(len(counts)), counts)
    seat = np.arange(len(deal)) - np.repeat(np.cumsum(counts) - counts, counts)
    worst_action_index = found.worst_action[deal, seat]
    return pa.table(
        {
            "match_no": deals.match_no[deal],
            "deal_index": deals.deal_index[deal].astype(np.uint16),
            "seat": (seat + 1).astype(np.uint8),
            "cards_played": found.cards_played[deal, seat].astype(np.uint8),
            "forced": found.forced_cards[deal, seat].astype(np.uint8),
            "lost": found.points_lost[deal, seat].astype(np.int16),
            "costly": found.costly_cards[deal, seat].astype(np.uint8),
            "worst_action_index": nullable_column(
                worst_action_index, worst_action_index == NO_ACTION, pa.uint16()
            ),
            "worst_loss": found.worst_loss[deal, seat].astype(np.int16),
        }
    )
