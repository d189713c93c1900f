"""Selects a player's peers: figures of all players of one game, table size and preset.

`docs/statistics.md` explains the methods. A figure is a share of deals or a mean per deal; all come
from rollups, so that a store of ten million deals answers at once.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from dashboard.games import game_view
from dashboard.queries import announcements
from dashboard.queries.intervals import MIN_SAMPLE, with_mean_interval, with_share_interval
from dashboard.queries.pooling import Pooled, PooledMeans, PooledShares, evenly_spaced
from dashboard.queries.scope import MATCHES_OF_PLAYER, Cursor, Scope

MIN_PEERS = 20
"""Below this many other players a place among them is not given."""
PEER_DEALS = MIN_SAMPLE
"""Deals (or hands, or contracts) that make a player a peer in a figure."""
MAX_DOTS = 200
"""Peers that a strip draws; of more it draws some, evenly spaced by value."""
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
    "card_points": FigureSource("decided", total="card_points"),
    "bonus": FigureSource("decided", total="bonus"),
    "announced": FigureSource("decided", total="counted", section="announcements"),
    "contracts": FigureSource("decided", "contracts", section="contracts"),
    "contracts_made": FigureSource("contracts", "contracts_made", section="contracts"),
    "bids_met": FigureSource("decided", "bids_met", section="bid-cards"),
}
"""Figure → its source, in display order; announcements by kind (`kind`) follow."""


def figures_of(game: str) -> list[str]:
    """Return the figures of FIGURES a game has."""
    view = game_view(game)
    optional = {"card_points", "bonus"} - set(view.STATISTICS.averages)
    return [
        name
        for name, source in FIGURES.items()
        if name not in optional and (not source.section or source.section in view.SECTIONS)
    ]


def player_counts(cursor: Cursor, scope: Scope, players: Sequence[int]) -> pl.DataFrame:
    """Return a row per figure and player: `k` of `n`, or the `total` and the sum of squares of `n`.

    They are `players` and those that `with_fitted` chooses; `peers` is how many others have PEER_DEALS.
    """
    sums = _summed(cursor, scope, "d.player_no")
    found = [_among_peers(frame, players) for frame in _counts_of(sums, "player_no", scope)]
    if "announcements" in game_view(scope.game).SECTIONS:
        hands = _among_peers(announcements.hands_by_player(cursor, scope.without_sheets), players)
        kinds = announcements.counted_by_player(cursor, scope.without_sheets, hands)
        kinds = _with_schema(kinds.with_columns(figure=pl.lit("kind")), "player_no")
        about = hands.select("player_no", "fitted", "peers")
        found.append(kinds.join(about, on="player_no", maintain_order="left"))
    return pl.concat(found)


def with_fitted(counts: pl.DataFrame, players: Sequence[int] | None = None) -> pl.DataFrame:
    """Return the rows of `players`, by default all, and those that `pooled` fits to, which are `fitted`.

    It fits to at most MAX_FITTED players with PEER_DEALS or more (to all if there is none), spread
    evenly, the same for every player: so an estimate is the same wherever a page shows it.
    """
    enough = counts.filter(pl.col("n") >= PEER_DEALS)
    enough = enough if enough.height else counts
    # whatever the players' numbers are, the same figures get the same answers
    values = [name for name in ("n", "k", "total", "squared") if name in counts.columns]
    enough = enough.sort(*(name for name in values if enough[name].null_count() == 0), "player_no")
    fitted = enough[evenly_spaced(enough.height)]
    others = counts if players is None else counts.filter(pl.col("player_no").is_in(players))
    others = others.join(fitted, on="player_no", how="anti", maintain_order="left")
    rows = ((fitted, True), (others, False))
    return pl.concat([frame.with_columns(fitted=pl.lit(is_fitted)) for frame, is_fitted in rows])


def _among_peers(counts: pl.DataFrame, players: Sequence[int]) -> pl.DataFrame:
    peers = counts.filter(pl.col("n") >= PEER_DEALS, ~pl.col("player_no").is_in(players)).height
    return with_fitted(counts, players).with_columns(peers=pl.lit(peers))


def counts_by_match(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a player's rows as `player_counts`, a row per figure and dated match, with its `month`."""
    found = _counts_of(_summed(cursor, scope, "d.match_no", player_no), "match_no", scope)
    if "announcements" in game_view(scope.game).SECTIONS:
        kinds = announcements.counted_by_match(cursor, scope.without_sheets, player_no)
        found.append(_with_schema(kinds.with_columns(figure=pl.lit("kind")), "match_no"))
    month = announcements.MATCH_KEYS["month"]
    query = f"""
        SELECT m.match_no, {month} AS month
        FROM (FROM matches SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)) m
        WHERE m.played_on IS NOT NULL
    """
    months = cursor.execute(query, [player_no]).pl()
    return pl.concat(found).join(months, on="match_no", maintain_order="left")


def _summed(cursor: Cursor, scope: Scope, key: str, player_no: int | None = None) -> pl.DataFrame:
    """Return the sums that FIGURES names for each value of a key, in the column `key`."""
    chosen, values = scope.without_sheets.conditions("d.seat", "true")
    sources = [FIGURES[name] for name in figures_of(scope.game)]
    names = {one for source in sources for one in (source.n, source.successes, source.total) if one}
    names |= {f"{source.total}_squared" for source in sources if source.total}
    # exact below 2⁵³, and the fastest type to sum very many groups in
    sums = [f"coalesce(sum(d.{name}::DOUBLE), 0) AS {name}" for name in sorted(names)]
    of_player = "" if player_no is None else " AND d.player_no = ?"
    query = f"""
        SELECT {key} AS key, {", ".join(sums)}
        FROM match_seats d JOIN matches m USING (match_no)
        WHERE {chosen} AND d.decided > 0{of_player} GROUP BY 1 ORDER BY 1
    """
    return cursor.execute(query, [*values, *([] if player_no is None else [player_no])]).pl()


def _counts_of(sums: pl.DataFrame, key: str, scope: Scope) -> list[pl.DataFrame]:
    """Return the rows of each of FIGURES from sums by key."""
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
        named = some.select(pl.col("key").alias(key), pl.lit(name).alias("figure"), n=source.n, **columns)
        found.append(_with_schema(named, key))
    return found


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
    """Return the model of one figure, from its rows of `with_fitted`."""
    n, fitted = counts["n"].to_numpy(), np.flatnonzero(counts["fitted"])
    if counts["k"].null_count() == 0:
        return PooledShares(counts["k"].to_numpy(), n, fitted)
    squares = counts["squared"] - counts["total"] ** 2 / counts["n"]
    within, freedom = max(0.0, squares.to_numpy()[fitted].sum()), max(1, int((n[fitted] - 1).sum()))
    return PooledMeans(counts["total"].to_numpy() / n, n, math.sqrt(within / freedom), fitted)


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

    `values` are ascending and without any name, at most MAX_DOTS; below MIN_PEERS there are none: a
    single one could be a masked player's. `probable` is the pooled estimate, `place_low` to
    `place_high` the range of the share of the `peers` whose true figure is lower: null below MIN_PEERS.
    Peers have PEER_DEALS or more.
    """
    scope = with_players_preset(cursor, scope, player_no)
    counts = player_counts(cursor, scope, [player_no])
    rows = list[dict[str, Any]]()
    is_own = pl.col("player_no") == player_no
    figures = counts.partition_by(FIGURE_KEYS, as_dict=True)
    for row in with_values(counts.filter(is_own)).iter_rows(named=True):
        among = figures[tuple(row[name] for name in FIGURE_KEYS)]
        own, model = among["player_no"].to_list().index(player_no), pooled(among)
        probable = model.range_of(own)
        place = model.place_of(own) if row["peers"] >= MIN_PEERS else None
        rows.append(
            row
            | {"probable": model.estimates([own])[0]}
            | {"probable_low": probable.low, "probable_high": probable.high}
            | {"place_low": place and place.low, "place_high": place and place.high}
            | {"values": _dots(among.filter(~is_own)) if place else []}
        )
    schema: dict[str, Any] = {**PLACE_SCHEMA, "values": pl.List(pl.Float64)}
    return pl.DataFrame({name: [row[name] for row in rows] for name in schema}, schema)


def _dots(peers: pl.DataFrame) -> list[float]:
    """Return the values of peers in ascending order, of many the evenly spaced ones."""
    values = peers.select(pl.coalesce("k", "total") / pl.col("n")).to_series().sort()
    places = np.linspace(0, len(values) - 1, min(len(values), MAX_DOTS)).astype(np.intp)
    return values.gather(places).to_list()
