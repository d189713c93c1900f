"""Deals that may be counted together: of one game, at tables of one size."""

from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

COUNTED = "d.status = 'legal' AND d.void IS NULL"
"""The condition on `d` for a deal that statistics count."""


@dataclass(frozen=True)
class Scope:
    """Points mean another thing in each game and size of table, so both are always one."""

    game: str = "chouine"
    players: int = 2
    preset: str | None = None
    """None: any rules of the game."""

    def where(self) -> tuple[str, list[Any]]:
        """The condition on `m` and its parameters."""
        values = [self.game, self.players, self.preset, self.preset]
        return "m.game = ? AND m.players = ? AND (?::VARCHAR IS NULL OR m.preset = ?)", values


def scopes(cursor: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Each `game`, `players` and `preset` of the store with how many `deals` count, most first."""
    return cursor.execute(
        f"""
        SELECT m.game, m.players, m.preset, count(*) FILTER ({COUNTED}) AS deals
        FROM matches m JOIN deals d USING (match_no)
        WHERE m.game IS NOT NULL AND m.preset IS NOT NULL
        GROUP BY ALL ORDER BY deals DESC, m.game, m.players, m.preset
        """
    ).pl()


def deals(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> tuple[int, int]:
    """(deals counted, deals left out) at those tables under those rules."""
    where, values = scope.where()
    row = cursor.execute(
        f"""
        SELECT count(*) FILTER ({COUNTED}), count(*)
        FROM deals d JOIN matches m USING (match_no) WHERE {where}
        """,
        values,
    ).fetchone()
    counted, every = row or (0, 0)
    return int(counted), int(every) - int(counted)
