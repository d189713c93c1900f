"""One player's row among all players, and what is left out of it; `tables.profile` has the rest."""

import duckdb
import polars as pl

from dashboard.queries import left_out, players
from dashboard.queries.scope import Scope


def player(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """The player's row of `queries.players.table`."""
    return players.table(cursor, scope, player_no=player_no)


def undecided(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """The player's deals that figures of winning leave out, as `queries.left_out.reasons`."""
    return left_out.reasons(cursor, scope, player_no, decided=True)
