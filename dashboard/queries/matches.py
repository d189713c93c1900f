"""Matches: the list, its filters, what a match is called."""

from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl


@dataclass(frozen=True)
class Filter:
    """Which matches; empty means any. `words`: part of a name, of the event or of an id."""

    words: str = ""
    statuses: tuple[str, ...] = ()
    preset: str | None = None
    game: str | None = None
    player: int | None = None
    files: tuple[int, int] | None = None
    """Numbers of the first and the last file they came with."""

    def where(self) -> tuple[str, list[Any]]:
        """The condition on `m` and its parameters."""
        clauses, values = ["true"], list[Any]()
        if self.words.strip():
            clauses.append(
                "(contains(lower(strip_accents(coalesce(m.event, ''))), w.words)"
                " OR contains(lower(coalesce(m.log_id, '')), w.words)"
                " OR starts_with(m.match_id, w.words)"
                " OR EXISTS (SELECT 1 FROM seats s JOIN players p USING (player_no)"
                " WHERE s.match_no = m.match_no"
                " AND contains(lower(strip_accents(p.name)), w.words)))"
            )
        if self.statuses:
            clauses.append("list_contains(?::VARCHAR[], m.status::VARCHAR)")
            values.append(list(self.statuses))
        if self.preset is not None:
            clauses.append("m.preset = ?")
            values.append(self.preset)
        if self.game is not None:
            clauses.append("m.game = ?")
            values.append(self.game)
        if self.player is not None:
            clauses.append(
                "EXISTS (SELECT 1 FROM seats s WHERE s.match_no = m.match_no AND s.player_no = ?)"
            )
            values.append(self.player)
        if self.files is not None:
            clauses.append("m.file_no BETWEEN ? AND ?")
            values += self.files
        return " AND ".join(clauses), [self.words.strip(), *values]


# `w` holds the searched words once, lower case and without accents, as names are compared
_FROM = "matches m CROSS JOIN (SELECT lower(strip_accents(?)) AS words) w"


def count(cursor: duckdb.DuckDBPyConnection, which: Filter | None = None) -> int:
    """How many matches."""
    where, values = (which or Filter()).where()
    row = cursor.execute(f"SELECT count(*) FROM {_FROM} WHERE {where}", values).fetchone()
    return int(row[0]) if row else 0


def page(
    cursor: duckdb.DuckDBPyConnection,
    which: Filter | None = None,
    limit: int = 25,
    offset: int = 0,
) -> pl.DataFrame:
    """Matches, last played first: one row each, `names` and `score` lists in seat order.

    A score is parties won, in Coinche the side's marks, in Chouineurs points.
    """
    where, values = (which or Filter()).where()
    return cursor.execute(
        f"""
        WITH chosen AS (
            SELECT m.* FROM {_FROM} WHERE {where}
            ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC LIMIT ? OFFSET ?
        ), seated AS (
            SELECT s.match_no, list(p.name ORDER BY s.seat) AS names,
                list(s.score ORDER BY s.seat) AS score
            FROM seats s JOIN players p USING (player_no)
            WHERE s.match_no IN (SELECT match_no FROM chosen) GROUP BY s.match_no
        )
        SELECT c.match_no, c.match_id, c.log_id, c.played_at, c.event, c.game, c.preset,
            c.status::VARCHAR AS status, c.findings, c.deals, c.winner, s.names, s.score
        FROM chosen c LEFT JOIN seated s USING (match_no)
        ORDER BY c.played_at DESC NULLS LAST, c.match_no DESC
        """,
        [*values, limit, offset],
    ).pl()


def presets(cursor: duckdb.DuckDBPyConnection, game: str | None = None) -> list[str]:
    """The presets that occur, in one game or in all."""
    rows = cursor.execute(
        "SELECT DISTINCT preset FROM matches WHERE preset IS NOT NULL"
        " AND (?::VARCHAR IS NULL OR game = ?) ORDER BY preset",
        [game, game],
    ).fetchall()
    return [row[0] for row in rows]


def totals(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Matches by status, and how many `matches`, `deals`, `players` and `files` there are."""
    by_status = cursor.execute("SELECT status::VARCHAR, count(*) FROM matches GROUP BY 1")
    found = dict(by_status.fetchall())
    row = cursor.execute(
        "SELECT (SELECT count(*) FROM matches), (SELECT count(*) FROM deals),"
        " (SELECT count(*) FROM players), (SELECT count(*) FROM files)"
    ).fetchone()
    return found | dict(zip(("matches", "deals", "players", "files"), row or (), strict=True))


def by_game(cursor: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """One row a game, null for unreadable logs: `matches`, `legal`, `deals`, `players`, `last`."""
    return cursor.execute(
        """
        WITH seated AS (
            SELECT m.game, count(DISTINCT s.player_no) AS players
            FROM seats s JOIN matches m USING (match_no) GROUP BY m.game
        )
        SELECT m.game, count(*) AS matches, count(*) FILTER (m.status = 'legal') AS legal,
            sum(m.deals)::BIGINT AS deals, any_value(s.players) AS players,
            max(m.played_at) AS last
        FROM matches m LEFT JOIN seated s USING (game)
        GROUP BY m.game ORDER BY deals DESC, m.game NULLS LAST
        """
    ).pl()


def files(cursor: duckdb.DuckDBPyConnection, limit: int = 5) -> pl.DataFrame:
    """The files added last."""
    return cursor.execute(
        "SELECT name, added_at, matches, duplicates FROM files ORDER BY file_no DESC LIMIT ?",
        [limit],
    ).pl()
