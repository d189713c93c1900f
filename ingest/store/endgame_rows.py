"""Deals as arrays → the rows that say what their ends were worth; these can be made elsewhere."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.games import game
from engine.replay import Replay
from engine.solver import NOWHERE, Values, values
from engine.solver_results import PARTIAL
from engine.solver_results import REASONS as OF_ENGINE
from ingest.store.rows import nullable
from ingest.validate.batch import Checked
from ingest.validate.fast_path.deal_arrays import Numbers, from_explained, judge
from ingest.validate.slow_path import Explained
from ingest.validate.solver_report import left_in

TABLES = ("deal_values", "seat_values")
"""What a match has besides what follows from its text at once."""
REASONS = (*OF_ENGINE, "dealt", "line")
"""Why a deal is not solved, as `ingest.validate.solver_report.REASONS` tells it."""
DEALT, LINE = len(OF_ENGINE), len(OF_ENGINE) + 1

Ints = NDArray[np.int64]
_PER_DEAL = ("rule_of", "players", "dealers", "decks", "explicit")


class Deals(NamedTuple):
    """n deals of one game as `Kernel.run` takes them, whose they are, and what is no deal."""

    game: str
    match_no: Ints
    deal: Ints
    """In the match, from 0."""
    rules: NDArray[np.void]
    rule_of: Ints
    players: Ints
    dealers: Ints
    decks: NDArray[np.uint8]
    explicit: Ints
    codes: NDArray[np.uint16]
    offsets: Ints
    unsolved: NDArray[np.uint8]
    """Places in REASONS of those that need not be looked at."""
    left: Ints | None = None
    """What there was to choose from before play, a row a deal, where the game has that."""


def of_numbers(
    numbers: Numbers,
    match_no: Ints,
    keep: NDArray[np.bool_] | None = None,
    left: Ints | None = None,
) -> Deals:
    """The deals of matches in which nothing is wrong; of some of them with `keep`, one a match."""
    counts = np.diff(numbers.first)
    if left is None and numbers.game.chosen is not None:  # which takes the deals before each
        told = numbers.rules, numbers.rule_of, numbers.cuts, numbers.first, numbers.voids
        left = numbers.game.chosen.left_of(judge(numbers).states, *told)
    found = Deals(
        game=numbers.game.name,
        match_no=np.repeat(match_no, counts),
        deal=np.arange(counts.sum()) - np.repeat(numbers.first[:-1], counts),
        **{name: getattr(numbers, name) for name in ("rules", *_PER_DEAL, "codes", "offsets")},
        unsolved=np.zeros(len(numbers.dealers), np.uint8),
        left=left,
    )
    return found if keep is None or keep.all() else only(found, np.repeat(keep, counts))


def only(deals: Deals, keep: NDArray[np.bool_]) -> Deals:
    """Some of the deals."""
    lengths = np.diff(deals.offsets)
    per_deal = ("match_no", "deal", *_PER_DEAL, "unsolved")
    told = np.repeat(keep, lengths)
    return deals._replace(
        codes=deals.codes[deals.offsets[0] : deals.offsets[-1]][told],
        offsets=np.concatenate([[0], np.cumsum(lengths[keep])]).astype(np.int64),
        left=None if deals.left is None else deals.left[keep],
        **{name: getattr(deals, name)[keep] for name in per_deal},
    )


def of_explained(name: str, explained: Mapping[int, Explained]) -> Deals:
    """The deals of matches of one game that were explained, by their numbers."""
    some, left = [*explained.values()], None
    if game(name).chosen is not None:
        rows = [row for one in some for row in left_in(one)]
        left = np.full((len(rows), max(game(name).players)), -1, np.int64)
        for place, row in enumerate(rows):
            left[place, : len(row)] = row
    each = ((one, *deal) for one in some for deal in enumerate(one.replays))
    unsolved = np.array([_reason(*one) for one in each], np.uint8)
    found = of_numbers(from_explained(name, some), np.array([*explained], np.int64), left=left)
    return found._replace(unsolved=unsolved)


def _reason(one: Explained, deal: int, replay: Replay | None) -> int:
    """Why a deal is not even looked at, as a place in REASONS."""
    if deal in one.lines:
        return LINE
    if replay is None:
        return DEALT
    return PARTIAL if replay.unread or type(replay) is not Replay else 0


def of_checked(checked: Checked, match_no: Ints) -> Iterator[Deals]:
    """The deals of a batch, by its matches' numbers."""
    for group in checked.clean:
        keep = np.zeros(len(group.places), np.bool_)
        keep[group.keep] = True
        yield of_numbers(group.decoded.numbers, match_no[group.places], keep)
    explained: dict[str, dict[int, Explained]] = {}
    for place, one in checked.explained.items():
        if one.match is not None:
            explained.setdefault(one.match.game, {})[int(match_no[place])] = one
    for name, some in explained.items():
        yield of_explained(name, some)


def rows(deals: Deals) -> dict[str, pa.Table]:
    """Rows of TABLES, one for each deal, and one for each seat of a deal that is solved."""
    found = values(game(deals.game), *deals[3:])
    unsolved = found.unsolved != 0
    nowhere = unsolved | (found.start == NOWHERE)
    reasons = pa.array(REASONS, pa.string()).take(pa.array(found.unsolved))
    winner = np.select([found.winner > 0, found.winner < 0], [1, 2], 0)

    def known(column: Ints, kind: Any, null: NDArray[np.bool_] = nowhere) -> pa.Array:
        return nullable(column, null, kind)

    of_deals = {
        "match_no": deals.match_no,
        "deal": deals.deal.astype(np.uint16),
        "unsolved": pc.if_else(pa.array(unsolved), reasons, None),
        "begins": known(found.start, pa.uint16()),
        "ahead": known(found.made, pa.int16()),
        "margin": known(found.margin, pa.int16()),
        "best_winner": known(winner, pa.uint8()),
        "turning": known(found.turning, pa.uint16(), unsolved | (found.turning == NOWHERE)),
    }
    return {"deal_values": pa.table(of_deals), "seat_values": _seat_rows(deals, found, ~unsolved)}


def _seat_rows(deals: Deals, found: Values, solved: NDArray[np.bool_]) -> pa.Table:
    counts = np.where(solved, deals.players, 0)
    deal = np.repeat(np.arange(len(counts)), counts)
    seat = np.arange(len(deal)) - np.repeat(np.cumsum(counts) - counts, counts)
    dearest = found.dearest[deal, seat]
    return pa.table(
        {
            "match_no": deals.match_no[deal],
            "deal": deals.deal[deal].astype(np.uint16),
            "seat": (seat + 1).astype(np.uint8),
            "laid": found.cards[deal, seat].astype(np.uint8),
            "forced": found.forced[deal, seat].astype(np.uint8),
            "lost": found.lost[deal, seat].astype(np.int16),
            "costly": found.costly[deal, seat].astype(np.uint8),
            "dearest": nullable(dearest, dearest == NOWHERE, pa.uint16()),
            "dearest_lost": found.dearest_lost[deal, seat].astype(np.int16),
        }
    )
