"""One player's results: deals won by rules, seat and dealer, matches, manches, partners."""

from dataclasses import replace

import duckdb
import polars as pl

from dashboard.games import of
from dashboard.queries.intervals import with_interval, with_mean
from dashboard.queries.played import mine, of_player
from dashboard.queries.scope import Condition, Scope
from engine.games import game, names


def results(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """Deals won of `n`, a row for all of them, each preset, each seat, dealer or not.

    `by` says which and `value` what, as text; `points` is the mean, with its own interval.
    """
    chosen, values = mine(scope, player_no)
    frame = cursor.execute(
        f"""
        SELECT CASE WHEN grouping(m.preset) = 0 THEN 'rules' WHEN grouping(ds.seat) = 0 THEN 'seat'
            WHEN grouping(ds.dealt) = 0 THEN 'dealer' ELSE 'all' END AS "by",
            coalesce(m.preset, ds.seat::VARCHAR, ds.dealt::VARCHAR) AS value,
            count(DISTINCT match_no) AS matches, count(*) AS n, count(*) FILTER (ds.won) AS wins,
            avg(ds.points) AS points, stddev_samp(ds.points) AS deviation,
            count(ds.points) AS pointed, count(*) FILTER (d.told) AS told
        FROM {chosen}
        GROUP BY GROUPING SETS ((), (m.preset), (ds.seat), (ds.dealt))
        HAVING n > 0 ORDER BY "by", value
        """,
        values,
    ).pl()
    return _with_points(scope, frame)


def _with_points(scope: Scope, frame: pl.DataFrame) -> pl.DataFrame:
    """The share won and the mean points with their intervals; a sheet may tell no points."""
    found = with_mean(with_interval(frame, "wins", "n"), "points", "deviation", "pointed")
    return scope.told(found.drop("pointed"))


def tables(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """Deals won of `n` at every table: each game, number of players and preset.

    Of the scope all holds but its game, players and preset; `fair` is what a player wins who
    plays like everybody. A game that is registered no more is left out.
    """
    known = cursor.execute(
        "SELECT DISTINCT m.game, m.players FROM seats s JOIN matches m USING (match_no)"
        " WHERE s.player_no = ? AND list_contains(?::VARCHAR[], m.game) ORDER BY ALL",
        [player_no, list(names())],
    ).fetchall()
    each = [
        replace(scope, game=name, players=players, preset=None).chosen("ds.seat")
        for name, players in known
    ]
    clauses = " OR ".join(f"({clause})" for clause, _ in each) or "false"
    chosen, values = of_player(
        player_no,
        (f"({clauses}) AND ds.won IS NOT NULL", [value for _, values in each for value in values]),
    )
    fair = pl.DataFrame(
        [(name, players, 1 / game(name).sides(players)) for name, players in known],
        {"game": pl.String, "players": pl.UInt8, "fair": pl.Float64},
        orient="row",
    )
    frame = cursor.execute(
        f"""
        SELECT m.game, m.players, m.preset, count(DISTINCT match_no) AS matches, count(*) AS n,
            count(*) FILTER (ds.won) AS wins, count(*) FILTER (d.told) AS told
        FROM {chosen}
        GROUP BY ALL ORDER BY n DESC, m.game, m.players, m.preset
        """,
        values,
    ).pl()
    frame = frame.join(fair, on=["game", "players"], how="left", maintain_order="left")
    return scope.told(with_interval(frame, "wins", "n"))


def manches(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """`k` of `n`, a row each: `match` won; of games with manches `manche`, `under-given`, `-taken`.

    Matches and manches that were finished, of matches whose verdict the scope counts. Sous la
    table (CH-30) is given in a manche won and taken in one lost.
    """
    mine, values = _matches(scope, player_no)
    row = cursor.execute(
        f"""
        WITH mine AS ({mine}
        ), others AS (
            SELECT sum(o.manches) AS manches, sum(o.under) AS under
            FROM seats o JOIN mine USING (match_no) WHERE o.seat <> mine.seat
        )
        SELECT count(*) FILTER (won), count(winner), sum(mine.manches)::BIGINT,
            any_value(others.manches)::BIGINT,
            sum(mine.under)::BIGINT, any_value(others.under)::BIGINT
        FROM mine, others
        """,
        values,
    ).fetchone()
    won, played, *more = row or (0,) * 6
    rows = [("match", won, played)]
    if of(scope.game).STATISTICS.manches:
        taken, lost, given, suffered = (int(one or 0) for one in more)
        rows += [
            ("manche", taken, taken + lost),
            ("under-given", given, taken),
            ("under-taken", suffered, lost),
        ]
    columns = {"what": pl.String, "k": pl.Int64, "n": pl.Int64}
    return with_interval(pl.DataFrame(rows, columns, orient="row"), "k", "n")


def form(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, *numbers: int
) -> dict[int, list[bool | None]]:
    """Player → the last FORM finished and dated matches of a scope, the latest last.

    None: nobody won it.
    """
    where, values = scope.where("s.seat")
    status, some = scope.finished()
    # partners sit at tables of one size alone; elsewhere each seat is a side
    sides = game(scope.game).sides(scope.players or max(game(scope.game).players))
    rows = cursor.execute(
        f"""
        SELECT player_no, list(won ORDER BY back DESC) FROM (
            SELECT s.player_no, CASE WHEN m.winner > 0
                    THEN (s.seat::INTEGER - m.winner) % {sides} = 0 END AS won,
                row_number() OVER (PARTITION BY s.player_no
                    ORDER BY m.played_at DESC, match_no DESC) AS back
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND m.winner IS NOT NULL AND m.played_at IS NOT NULL
                AND s.player_no IN (SELECT unnest(?::INTEGER[]))
        ) WHERE back <= {FORM} GROUP BY player_no
        """,
        [*values, *some, list(numbers)],
    ).fetchall()
    return dict(rows)


def behind(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int, what: str
) -> pl.DataFrame:
    """The matches behind a row of `manches`, in the order of play: `match_no`, `match_id`.

    `won` is null where nobody did; `manches` won and `lost`, and under the table `given` and
    `taken`, are null where the game has none. KeyError: no such row.
    """
    counts = COUNTS[what]
    chosen, values = _matches(scope, player_no)
    return cursor.execute(
        f"""
        WITH mine AS ({chosen}
        ), others AS (
            SELECT match_no, sum(o.manches)::BIGINT AS lost, sum(o.under)::BIGINT AS taken
            FROM seats o JOIN mine USING (match_no) WHERE o.seat <> mine.seat GROUP BY match_no
        )
        SELECT match_no, match_id, played_at, won, manches, lost, under AS given, taken
        FROM mine JOIN others USING (match_no) WHERE {counts}
        ORDER BY played_at NULLS LAST, match_no
        """,
        values,
    ).pl()


FORM = 5
"""Matches that are a player's form."""
COUNTS = {
    "match": "winner IS NOT NULL",
    "manche": "manches + lost > 0",
    "under-given": "under > 0",
    "under-taken": "taken > 0",
}
"""A row of `manches` → the condition on a match to be behind it."""


def _matches(scope: Scope, player_no: int) -> Condition:
    """One player's matches of a verdict the scope counts, finished or not."""
    where, values = scope.where("s.seat")
    status, some = scope.finished()
    sides = game(scope.game).sides(scope.players)
    return (
        f"""
            SELECT match_no, m.match_id, m.played_at, m.winner, s.seat, s.manches, s.under,
                CASE WHEN m.winner > 0
                    THEN (s.seat::INTEGER - m.winner) % {sides} = 0 END AS won
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND s.player_no = ?""",
        [*values, *some, player_no],
    )


def unfinished(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> tuple[int, int]:
    """Matches `manches` leaves out: (unfinished ones, those of another verdict)."""
    where, values = scope.where("s.seat")
    status, some = scope.finished()
    row = cursor.execute(
        f"""
        SELECT count(*) FILTER ({status} AND m.winner IS NULL), count(*) FILTER (NOT ({status}))
        FROM seats s JOIN matches m USING (match_no) WHERE {where} AND s.player_no = ?
        """,
        [*some, *some, *values, player_no],
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def partners(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """Each partner: `player_no`, `name`, deals won of `n` together, the side's mean `points`."""
    chosen, values = mine(scope, player_no)
    sides = game(scope.game).sides(scope.players)
    frame = cursor.execute(
        f"""
        WITH played AS (
            SELECT match_no, ds.seat, ds.won, ds.points, d.told FROM {chosen}
        ), paired AS (
            SELECT o.player_no, count(DISTINCT match_no) AS matches, count(*) AS n,
                count(*) FILTER (p.won) AS wins, avg(p.points) AS points,
                stddev_samp(p.points) AS deviation, count(p.points) AS pointed,
                count(*) FILTER (p.told) AS told
            FROM played p JOIN seats o USING (match_no)
            WHERE o.seat <> p.seat AND (o.seat::INTEGER - p.seat) % {sides} = 0
            GROUP BY o.player_no
        )
        SELECT p.player_no, p.player_id, p.name, matches, n, wins, points, deviation, pointed, told
        FROM paired JOIN players p USING (player_no)
        ORDER BY n DESC, lower(p.name), p.player_no
        """,
        values,
    ).pl()
    return _with_points(scope, frame)
