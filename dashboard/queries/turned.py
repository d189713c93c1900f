"""Deals at whose end the winner turned, as their stored values say it."""

from collections.abc import Sequence

import duckdb


def unturned(cursor: duckdb.DuckDBPyConnection, numbers: Sequence[int]) -> set[int]:
    """Of some matches those with a value of every deal, by which the winner turned in none."""
    rows = cursor.execute(
        """
        SELECT m.match_no FROM matches m JOIN deal_values v USING (match_no)
        WHERE m.match_no IN (SELECT unnest(?::BIGINT[]))
        GROUP BY m.match_no, m.deals HAVING count(*) = m.deals AND count(v.turning) = 0
        """,
        [list(numbers)],
    ).fetchall()
    return {number for (number,) in rows}
