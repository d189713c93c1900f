"""Two to four players side by side: their figures under the same rules, and how they differ."""

import math
from collections.abc import Sequence
from typing import Any

import polars as pl

from dashboard.queries.intervals import newcombe_interval
from dashboard.queries.peers import FIGURE_KEYS, player_counts, pooled, with_players_preset, with_values
from dashboard.queries.scope import Cursor, Scope

MAX_COMPARED = 4
COMPARISON_SCHEMA = {
    **{"figure": pl.String, "kind": pl.String, "trump": pl.Boolean, "player_no": pl.Int64},
    **{"player_id": pl.String, "name": pl.String},
    **{"n": pl.Int64, "k": pl.Int64},
    **dict.fromkeys(("value", "low", "high", "probable"), pl.Float64),
    **dict.fromkeys(("difference", "difference_low", "difference_high"), pl.Float64),
}


def compare_players(cursor: Cursor, scope: Scope, players: Sequence[int]) -> pl.DataFrame:
    """Return a row per figure and player, in the order of `players`, with COMPARISON_SCHEMA.

    `difference` is the player's figure less the first player's, with its 95% interval: Newcombe's of
    shares, Welch's of means; null for the first player. Without a preset in the scope, the deals under
    the rules that the first player played most.
    """
    scope = with_players_preset(cursor, scope, players[0])
    query = "SELECT player_no, player_id, name FROM players WHERE player_no IN (SELECT unnest(?::INTEGER[]))"
    found = cursor.execute(query, [list(players)]).fetchall()
    named = {number: {"player_id": player_id, "name": name} for number, player_id, name in found}
    rows = list[dict[str, Any]]()
    for figure in player_counts(cursor, scope, players).partition_by(FIGURE_KEYS, maintain_order=True):
        compared = figure.with_row_index("at").filter(pl.col("player_no").is_in(players))
        if not compared.height:
            continue
        estimates = dict(
            zip(compared["player_no"], pooled(figure).estimates(compared["at"].to_list()), strict=True)
        )
        of_player = {row["player_no"]: row for row in with_values(compared.drop("at")).iter_rows(named=True)}
        first = of_player.get(players[0])
        for player_no in players:
            if (own := of_player.get(player_no)) is None:
                continue
            difference = (None, None, None) if own is first or first is None else difference_of(own, first)
            names = ("difference", "difference_low", "difference_high")
            about = dict(zip(names, difference, strict=True)) | {"probable": estimates[player_no]}
            rows.append({**own, **about, **named[player_no]})
    return pl.DataFrame({name: [row[name] for row in rows] for name in COMPARISON_SCHEMA}, COMPARISON_SCHEMA)


def difference_of(one: dict[str, Any], other: dict[str, Any]) -> tuple[float, float | None, float | None]:
    """Return the difference of two rows' values and the ends of its 95% interval."""
    difference = one["value"] - other["value"]
    if one["k"] is not None:
        return difference, *newcombe_interval(one["k"], one["n"], other["k"], other["n"])
    if one["n"] < 2 or other["n"] < 2:
        return difference, None, None
    error = math.sqrt(one["deviation"] ** 2 / one["n"] + other["deviation"] ** 2 / other["n"])
    return difference, difference - 1.96 * error, difference + 1.96 * error
