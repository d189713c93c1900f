"""The ladder of a game and preset, and each player's way on it; rated by `ingest.ladder`."""

from datetime import date

import duckdb
import polars as pl

from ingest.ladder import RATED

PROVISIONAL = 6.25
"""A rating is provisional above this σ: three quarters of what everybody begins with."""
SURE = 3
"""A player is worth at least μ − 3σ, as good as certainly: that orders the ladder."""


def ladders(cursor: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Each `game` and `preset` with a rated match: `matches` and `players`, most matches first."""
    return cursor.execute(
        """
        SELECT game, preset, count(DISTINCT place) AS matches,
            count(DISTINCT player_no) AS players
        FROM ratings GROUP BY ALL ORDER BY matches DESC, game, preset
        """
    ).pl()


def standings(
    cursor: duckdb.DuckDBPyConnection,
    game: str,
    preset: str,
    until: date | None = None,
    words: str = "",
    limit: int = 50,
    offset: int = 0,
) -> pl.DataFrame:
    """The ladder as it stood at the end of a day, best first.

    `rank`, the player, `mu`, `sigma`, `value` (μ − 3σ), `provisional`, `n` matches rated, `wins`
    and the date of the `last`. `rank` is that on the whole ladder, whatever `words` are searched.
    """
    return cursor.execute(
        f"""
        WITH rated AS (
            SELECT r.player_no, arg_max(r.mu, r.place) AS mu, arg_max(r.sigma, r.place) AS sigma,
                count(*) AS n, count(*) FILTER (r.rank = 1 AND m.winner > 0) AS wins,
                max(m.played_at) AS last
            FROM ratings r JOIN matches m USING (match_no)
            WHERE r.game = ? AND r.preset = ?
                AND (? IS NULL OR m.played_at < ?::DATE + INTERVAL 1 DAY)
            GROUP BY r.player_no
        ), ranked AS (
            SELECT *, mu - {SURE} * sigma AS value,
                rank() OVER (ORDER BY mu - {SURE} * sigma DESC) AS rank FROM rated
        )
        SELECT rank, player_no, p.player_id, p.name, mu, sigma, value,
            sigma > {PROVISIONAL} AS provisional, n, wins, last
        FROM ranked JOIN players p USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        ORDER BY rank, lower(p.name), player_no LIMIT ? OFFSET ?
        """,
        [game, preset, until, until, words.strip(), limit, offset],
    ).pl()


def count(
    cursor: duckdb.DuckDBPyConnection,
    game: str,
    preset: str,
    until: date | None = None,
    words: str = "",
) -> int:
    """How many players of that name stand on the ladder by the end of a day."""
    row = cursor.execute(
        """
        SELECT count(*) FROM players p SEMI JOIN (
            SELECT r.player_no FROM ratings r JOIN matches m USING (match_no)
            WHERE r.game = ? AND r.preset = ?
                AND (? IS NULL OR m.played_at < ?::DATE + INTERVAL 1 DAY)
        ) c USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        """,
        [game, preset, until, until, words.strip()],
    ).fetchone()
    return int(row[0]) if row else 0


def history(
    cursor: duckdb.DuckDBPyConnection,
    player_no: int,
    game: str,
    preset: str,
    until: date | None = None,
) -> pl.DataFrame:
    """One player's ratings to the end of a day, a row after each match, in the order played.

    `played_at`, `match_no`, `match_id`, `rank` in the match, `won` (null where nobody won) and the
    rating as in `standings`.
    """
    return cursor.execute(
        f"""
        SELECT m.played_at, match_no, m.match_id, r.rank,
            CASE WHEN m.winner > 0 THEN r.rank = 1 END AS won,
            r.mu, r.sigma, r.mu - {SURE} * r.sigma AS value,
            r.sigma > {PROVISIONAL} AS provisional
        FROM ratings r JOIN matches m USING (match_no)
        WHERE r.player_no = ? AND r.game = ? AND r.preset = ?
            AND (? IS NULL OR m.played_at < ?::DATE + INTERVAL 1 DAY)
        ORDER BY r.place
        """,
        [player_no, game, preset, until, until],
    ).pl()


def left_out(cursor: duckdb.DuckDBPyConnection, game: str, preset: str) -> dict[str, int]:
    """How many matches are not rated, by the first reason: `faulty`, `unfinished` or `undated`."""
    rows = cursor.execute(
        f"SELECT {REASON} AS reason, count(*) FROM matches m WHERE {UNRATED} GROUP BY ALL",
        [game, preset],
    ).fetchall()
    return {"faulty": 0, "unfinished": 0, "undated": 0} | dict(rows)


def unrated(cursor: duckdb.DuckDBPyConnection, game: str, preset: str) -> pl.DataFrame:
    """The matches `left_out` counts, in the order of play: `match_no`, `match_id`, `reason`."""
    return cursor.execute(
        f"SELECT match_no, match_id, played_at, {REASON} AS reason FROM matches m"
        f" WHERE {UNRATED} ORDER BY played_at NULLS LAST, match_no",
        [game, preset],
    ).pl()


REASON = """CASE WHEN m.status <> 'legal' THEN 'faulty' WHEN m.winner IS NULL THEN 'unfinished'
    ELSE 'undated' END"""
UNRATED = f"m.game = ? AND m.preset = ? AND NOT ({RATED})"
