"""Selects a player's peers: figures of all players of one game, table size and preset.

`docs/statistics.md` explains the methods. A figure is a share of deals or a mean per deal; all come
from rollups, so that a store of ten million deals answers at once.
"""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from dashboard.games import game_view
from dashboard.queries import announcements
from dashboard.queries.intervals import MIN_SAMPLE, with_mean_interval, with_share_interval
from dashboard.queries.pooling import Pooled, PooledMeans, PooledShares
from dashboard.queries.scope import MATCHES_OF_PLAYER, Cursor, Scope

MIN_PEERS = 20
"""Below this many other players a place among them is not given."""
PEER_DEALS = MIN_SAMPLE
"""Deals (or hands, or contracts) that make a player a peer in a figure."""
FIGURE_KEYS = ("figure", "kind", "trump")
"""The columns that identify a figure; `kind` and `trump` are null except for announcements."""
COUNTS_SCHEMA = {
    **{"figure": pl.String, "kind": pl.String, "trump": pl.Boolean},
    **{"n": pl.Int64, "k": pl.Int64, "total": pl.Float64, "squared": pl.Float64},
}
PLACE_SCHEMA = {
    **{"figure": pl.String, "kind": pl.String, "trump": pl.Boolean, "n": pl.Int64, "k": pl.Int64},
    **dict.fromkeys(("value", "low", "high", "probable", "probable_low", "probable_high"), pl.Float64),
    **{"peers": pl.Int64, "place_low": pl.Float64, "place_high": pl.Float64},
}


class FigureSource(NamedTuple):
    """The sums of a player's deals that make a figure: a share if it has `successes`."""

    n: str
    successes: str = ""
    total: str = ""
    section: str = ""
    """Only games with this section of a profile have it."""


FIGURES = {
    "won": FigureSource("decided", "wins"),
    "points": FigureSource("deals_with_points", total="points"),
    "cards": FigureSource("decided", total="cards"),
    "bonus": FigureSource("decided", total="bonus"),
    "announced": FigureSource("decided", total="counted", section="announcements"),
    "contracts": FigureSource("decided", "contracts", section="contracts"),
    "contracts-made": FigureSource("contracts", "contracts_made", section="contracts"),
    "bids-met": FigureSource("decided", "bids_met", section="bid-cards"),
}
"""Figure → its source, in display order; announcements by kind (`kind`) follow."""


def figures_of(game: str) -> list[str]:
    """Return the figures of FIGURES a game has."""
    view = game_view(game)
    optional = {"cards", "bonus"} - set(view.STATISTICS.averages)
    return [
        name
        for name, source in FIGURES.items()
        if name not in optional and (not source.section or source.section in view.SECTIONS)
    ]


def player_counts(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Return a row per figure and player: `k` of `n`, or the `total` and the sum of squares of `n`."""
    found = [_counts_of(_summed(cursor, scope, "d.player_no"), "player_no", scope)]
    if "announcements" in game_view(scope.game).SECTIONS:
        every = announcements.announcement_frequencies(cursor, scope.without_sheets, key="player")
        found.append(_announcement_counts(every, "player_no"))
    return pl.concat(found)


def monthly_counts(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a player's rows as `player_counts`, a row per figure and `month` (its first day)."""
    month = announcements.MATCH_KEYS["month"]
    found = [_counts_of(_summed(cursor, scope, month, player_no), "month", scope)]
    if "announcements" in game_view(scope.game).SECTIONS:
        every = announcements.announcement_frequencies(
            cursor, scope.without_sheets, player_no=player_no, key="month"
        )
        found.append(_announcement_counts(every, "month"))
    return pl.concat(found).filter(pl.col("month").is_not_null())


def _summed(cursor: Cursor, scope: Scope, key: str, player_no: int | None = None) -> pl.DataFrame:
    """Return the sums that FIGURES names for each value of a key, in the column `key`."""
    chosen, values = scope.without_sheets.conditions("d.seat", "true")
    means = ("points", "cards", "bonus", "counted")
    names = ("decided", "wins", "deals_with_points", "contracts", "contracts_made", "bids_met", *means)
    sums = (f"coalesce(sum(d.{name}), 0)::DOUBLE AS {name}" for name in names)
    squares = (f"coalesce(sum(d.{name}_squared), 0)::DOUBLE AS {name}_squared" for name in means)
    of_player = "" if player_no is None else " AND d.player_no = ?"
    query = f"""
        SELECT {key} AS key, {", ".join((*sums, *squares))}
        FROM match_seats d JOIN matches m USING (match_no)
        WHERE {chosen} AND d.decided > 0{of_player} GROUP BY 1 ORDER BY 1
    """
    return cursor.execute(query, [*values, *([] if player_no is None else [player_no])]).pl()


def _counts_of(sums: pl.DataFrame, key: str, scope: Scope) -> pl.DataFrame:
    """Return the rows of FIGURES from sums by key."""
    found = []
    for name in figures_of(scope.game):
        source = FIGURES[name]
        values = {
            "k": source.successes,
            "total": source.total,
            "squared": source.total and f"{source.total}_squared",
        }
        columns = {column: pl.col(of) for column, of in values.items() if of}
        some = sums.filter(pl.col(source.n) > 0)
        found.append(
            some.select(pl.col("key").alias(key), pl.lit(name).alias("figure"), n=source.n, **columns)
        )
    return pl.concat([_with_schema(frame, key) for frame in found])


def _announcement_counts(found: pl.DataFrame, key: str) -> pl.DataFrame:
    """Return the rows of each kind of announcement that counted at all: the hands it counted in."""
    counted = found.filter(pl.col("n") > 0, pl.col("counted").sum().over("kind", "trump") > 0)
    columns = {"figure": pl.lit("kind"), "k": pl.col("counted")}
    return _with_schema(counted.select("kind", "trump", key, "n", **columns), key)


def _with_schema(frame: pl.DataFrame, key: str) -> pl.DataFrame:
    missing = [pl.lit(None).alias(name) for name in COUNTS_SCHEMA if name not in frame.columns]
    return frame.with_columns(missing).select(key, *COUNTS_SCHEMA).cast(COUNTS_SCHEMA)  # type: ignore[arg-type]


def with_players_preset(cursor: Cursor, scope: Scope, player_no: int) -> Scope:
    """Return the scope with its preset, or with the preset of most of the player's deals."""
    if scope.preset is not None:
        return scope
    chosen, values = scope.without_sheets.conditions("d.seat", "true")
    query = f"""
        SELECT m.preset FROM match_seats d JOIN (
            FROM matches SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)
        ) m USING (match_no)
        WHERE d.player_no = ? AND m.preset IS NOT NULL AND {chosen}
        GROUP BY m.preset ORDER BY sum(d.decided) DESC, m.preset LIMIT 1
    """
    row = cursor.execute(query, [player_no, player_no, *values]).fetchone()
    return replace(scope, preset=row[0]) if row else scope


def pooled(counts: pl.DataFrame) -> Pooled:
    """Return the model of one figure, from its rows of `player_counts`."""
    n = counts["n"].to_numpy()
    if counts["k"].null_count() == 0:
        return PooledShares(counts["k"].to_numpy(), n)
    within = counts.select(pl.col("squared") - pl.col("total") ** 2 / pl.col("n")).sum().item()
    freedom = max(1, int((n - 1).sum()))
    return PooledMeans(counts["total"].to_numpy() / n, n, math.sqrt(max(0.0, within) / freedom))


def with_values(counts: pl.DataFrame) -> pl.DataFrame:
    """Add the `value` of each row of counts, its 95% interval, and a mean's standard `deviation`."""
    n, total = pl.col("n"), pl.col("total")
    mean, variance = total / n, ((pl.col("squared") - total * total / n) / (n - 1)).clip(0)
    found = counts.with_columns(mean=mean, deviation=pl.when(n > 1).then(variance.sqrt()))
    found = with_mean_interval(with_share_interval(found, "k", "n"), "mean", "deviation", "n")
    ends = {"value": ("share", "mean"), "low": ("low", "mean_low"), "high": ("high", "mean_high")}
    is_share = pl.col("k").is_not_null()
    values = [
        pl.when(is_share).then(pl.col(share)).otherwise(pl.col(average)).alias(name)
        for name, (share, average) in ends.items()
    ]
    return found.select(*counts.columns, "deviation", *values)


def place_among_peers(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per figure of a player, with PLACE_SCHEMA, as `place_with_values`."""
    return place_with_values(cursor, scope, player_no).drop("values")


def place_with_values(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per figure of a player, with PLACE_SCHEMA and the peers' `values`.

    `values` are ascending and without any name. `probable` is the pooled estimate, `place_low` to
    `place_high` the range of the share of the `peers` whose true figure is lower: null below MIN_PEERS.
    Peers have PEER_DEALS or more.
    """
    scope = with_players_preset(cursor, scope, player_no)
    rows = list[dict[str, Any]]()
    for figure in with_values(player_counts(cursor, scope)).partition_by(FIGURE_KEYS, maintain_order=True):
        own = figure["player_no"] == player_no
        if not own.any():
            continue
        # whatever the players' numbers are, the same figures get the same ranges
        peers_of = figure.filter(~own, pl.col("n") >= PEER_DEALS).sort("n", "k", "total", "squared")
        among = pl.concat([peers_of, figure.filter(own)])
        index, model = among.height - 1, pooled(among)
        peers, probable = among.height - 1, model.range_of(index)
        place = model.place_of(index) if peers >= MIN_PEERS else None
        rows.append(
            among.row(index, named=True)
            | {"probable": model.estimates([index])[0], "peers": peers}
            | {"probable_low": probable.low, "probable_high": probable.high}
            | {"place_low": place and place.low, "place_high": place and place.high}
            | {"values": peers_of["value"].sort().to_list()}
        )
    schema: dict[str, Any] = {**PLACE_SCHEMA, "values": pl.List(pl.Float64)}
    return pl.DataFrame({name: [row[name] for row in rows] for name in schema}, schema)
