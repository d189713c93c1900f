"""Who did what to the store, and when: numbers, never names of players."""

import duckdb
import polars as pl


def count(cursor: duckdb.DuckDBPyConnection) -> int:
    """How many acts were written down."""
    [(found,)] = cursor.execute("SELECT count(*) FROM audit").fetchall()
    return int(found)


def acts(cursor: duckdb.DuckDBPyConnection, limit: int, offset: int = 0) -> pl.DataFrame:
    """`done_at`, `name` of the token or null, `what`, the number it is `about`, `n`; last first."""
    return cursor.execute(
        """
        SELECT a.done_at, t.name, a.what, a.about, a.n
        FROM audit a LEFT JOIN tokens t USING (token_no)
        ORDER BY a.done_at DESC, a.rowid DESC LIMIT ? OFFSET ?
        """,
        [limit, offset],
    ).pl()
