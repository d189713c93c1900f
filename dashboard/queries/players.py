"""Players: what they played and won. Only legal deals that count (no void, no null partie)."""

import duckdb
import polars as pl

from dashboard.queries.intervals import with_interval

_COUNTED = """
    deal_seats ds JOIN deals d USING (match_no, deal)
    WHERE d.status = 'legal' AND d.void IS NULL AND ds.won IS NOT NULL
"""


def table(
    cursor: duckdb.DuckDBPyConnection, words: str = "", limit: int = 50, offset: int = 0
) -> pl.DataFrame:
    """Players by parties played: `matches`, `parties`, `wins` with share and interval, averages."""
    frame = cursor.execute(
        f"""
        WITH played AS (
            SELECT ds.player_no, count(DISTINCT ds.match_no) AS matches, count(*) AS parties,
                count(*) FILTER (ds.won) AS wins, avg(ds.points) AS points,
                avg(ds.cards) AS cards, avg(ds.bonus) AS bonus
            FROM {_COUNTED} GROUP BY ds.player_no
        ), announced AS (
            SELECT a.player_no, count(*) AS announcements
            FROM announcements a SEMI JOIN (SELECT ds.match_no, ds.deal FROM {_COUNTED}) c
                USING (match_no, deal)
            WHERE a.counted GROUP BY a.player_no
        )
        SELECT p.player_no, p.player_id, p.name, matches, parties, wins, points, cards, bonus,
            coalesce(announcements, 0) / parties AS announced
        FROM played JOIN players p USING (player_no) LEFT JOIN announced USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        ORDER BY parties DESC, lower(p.name), p.player_no LIMIT ? OFFSET ?
        """,
        [words.strip(), limit, offset],
    ).pl()
    return with_interval(frame, "wins", "parties")


def count(cursor: duckdb.DuckDBPyConnection, words: str = "") -> int:
    """How many players of that name have a partie that counts."""
    row = cursor.execute(
        f"""
        SELECT count(*) FROM players p SEMI JOIN (SELECT ds.player_no FROM {_COUNTED}) c
            USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        """,
        [words.strip()],
    ).fetchone()
    return int(row[0]) if row else 0


def left_out(cursor: duckdb.DuckDBPyConnection) -> int:
    """Deals the statistics leave out: irregular, incomplete, broken, void or without a winner."""
    row = cursor.execute(
        "SELECT count(*) FROM deals d WHERE NOT"
        " (d.status = 'legal' AND d.void IS NULL AND coalesce(d.winner, 0) > 0)"
    ).fetchone()
    return int(row[0]) if row else 0


def points(cursor: duckdb.DuckDBPyConnection, player_no: int) -> pl.DataFrame:
    """One player's points: one row for each partie that counts, `points` and `won`."""
    return cursor.execute(
        f"SELECT ds.points, ds.won FROM {_COUNTED} AND ds.player_no = ?", [player_no]
    ).pl()


def find(cursor: duckdb.DuckDBPyConnection, player_no: int) -> str | None:
    """A player's name."""
    row = cursor.execute("SELECT name FROM players WHERE player_no = ?", [player_no]).fetchone()
    return str(row[0]) if row else None
