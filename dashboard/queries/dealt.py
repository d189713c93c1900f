"""Announcements in the hands as they are dealt, beside their exact probability.

Nobody has chosen anything yet, so a fair shuffle alone decides. The probability is counted, not
simulated: every hand there is, each with every card that may be turned up with it. What hands and
which card a pack gives is asked of the game's kernel, and what a hand holds of the game.
"""

from functools import cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from dashboard.games import of
from dashboard.queries import fairness
from dashboard.queries.intervals import with_interval
from dashboard.queries.scope import Scope
from engine.games import game
from ingest.finding.words import KINDS
from schemas.simulated import lay

Ints = NDArray[np.int64]
SCHEMA = {
    **{"kind": pl.String, "trump": pl.Boolean, "k": pl.Int64, "n": pl.Int64},
    **{"share": pl.Float64, "low": pl.Float64, "high": pl.Float64},
    **{"ways": pl.Int64, "of": pl.Int64, "chance": pl.Float64, "difference": pl.Float64},
}


class Laid(NamedTuple):
    """The places of a pack: those dealt to each hand, and that of the card turned up."""

    hands: list[list[int]]
    turned_up: int | None


@cache
def laid(name: str, preset: str, players: int) -> Laid:
    """As the kernel deals a pack whose cards are numbered as they lie."""
    this = game(name)
    state = np.zeros(1, this.kernel.State)[0]
    this.kernel.start(state, rules(name, preset, players), players, 0, np.arange(len(this.pack)), 0)
    hands = [list(this.pack.members(state["hand"][seat])) for seat in range(players)]
    up = int(state["retourne"]) if "retourne" in (state.dtype.names or ()) else -1
    return Laid(hands, None if up < 0 else up)


@cache
def probabilities(name: str, preset: str, players: int) -> dict[tuple[str, bool | None], Any]:
    """(kind, in trump) → (in how many ways, of how many) one hand is dealt it.

    In trump is None where no card is turned up: there is no trump yet. Empty: a game in which
    hands announce nothing, or none that its kernel deals from one pack.
    """
    if name not in fairness.games() or not of(name).dealt(np.zeros(0, np.int64), players):
        return {}
    pack, places = game(name).pack, laid(name, preset, players)
    size, ranks = len(places.hands[0]), len(pack.ranks)
    cards = every_hand(name, size)
    held = of(name).dealt(masks(cards), players)
    if places.turned_up is None:
        total = comb(len(pack), size)
        return {(kind, None): (int((suits > 0).sum()), total) for kind, suits in held.items()}
    total = comb(len(pack), size) * (len(pack) - size)
    found = dict[tuple[str, bool | None], tuple[int, int]]()
    for suit in range(len(pack) // ranks):
        # so many cards of the suit are left to be turned up
        left = ranks - (cards // ranks == suit).sum(axis=1)
        for kind, suits in held.items():
            for trump, has in ((True, suits >> suit & 1), (False, (suits & ~(1 << suit)) > 0)):
                ways, _ = found.get((kind, trump), (0, 0))
                found[kind, trump] = ways + int((left * has).sum()), total
    return found


@cache
def rules(name: str, preset: str, players: int) -> np.void:
    """The rules of a preset, as the kernel reads them."""
    found: np.void = lay(name, preset, players).rules
    return found


def every_hand(name: str, size: int) -> Ints:
    """Every hand of so many cards that a game's pack has, a row each."""
    return np.array(list(combinations(range(len(game(name).pack)), size)), np.int64)


def masks(cards: Ints) -> Ints:
    """Hands, a row of cards each, as bit masks."""
    found: Ints = np.bitwise_or.reduce(np.int64(1) << cards, axis=1)
    return found


def dealt(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> pl.DataFrame:
    """One row per kind, trump or plain: `k` of `n` hands were dealt it, `ways` of `of` deals would.

    `share` with `low` to `high`, `chance`, the exact probability, and their `difference`. The hands
    are those of the decks a shuffle is tested on (`queries.fairness`), void and faulty deals with
    them: they were dealt like any others. The scope has one preset.
    """
    chances = probabilities(scope.game, str(scope.preset), scope.players)
    counts, n = _counts(cursor, scope) if chances else ({}, 0)
    rows = [
        {"kind": kind, "trump": trump, "k": counts.get((kind, trump), 0), "n": n}
        | {"ways": ways, "of": every, "chance": ways / every}
        for (kind, trump), (ways, every) in chances.items()
        if n and ways
    ]
    order = list(KINDS)
    rows.sort(key=lambda row: (order.index(row["kind"]), bool(row["trump"])))
    frame = pl.DataFrame(rows, {name: SCHEMA[name] for name in ("kind", "trump", "k", "n")} | _OF)
    told = with_interval(frame, "k", "n")
    return told.with_columns((pl.col("share") - pl.col("chance")).alias("difference")).select(
        pl.col(name).cast(kind) for name, kind in SCHEMA.items()
    )


_OF = {name: SCHEMA[name] for name in ("ways", "of", "chance")}


def _counts(
    cursor: duckdb.DuckDBPyConnection, scope: Scope
) -> tuple[dict[tuple[str, bool | None], int], int]:
    """(kind, in trump) → in how many hands it was dealt; and how many hands were."""
    pack, lies = game(scope.game).pack, laid(scope.game, str(scope.preset), scope.players)
    counts, n = dict[tuple[str, bool | None], int](), 0
    chosen, values = fairness.decks(scope)
    found = cursor.execute(f"{chosen} SELECT deck FROM dealt WHERE deck IS NOT NULL", values)
    for batch in found.to_arrow_reader(100_000):
        series = pl.DataFrame(batch)["deck"]
        decks = series.explode().to_numpy().reshape(-1, len(pack)).astype(np.int64)
        up = None if lies.turned_up is None else decks[:, lies.turned_up] // len(pack.ranks)
        for places in lies.hands:
            n += len(decks)
            for kind, suits in of(scope.game).dealt(masks(decks[:, places]), scope.players).items():
                sides = (
                    [(None, suits > 0)]
                    if up is None
                    else [(True, suits >> up & 1 > 0), (False, suits & ~(1 << up) > 0)]
                )
                for trump, has in sides:
                    counts[kind, trump] = counts.get((kind, trump), 0) + int(has.sum())
    return counts, n
