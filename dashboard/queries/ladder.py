"""The ladder of a game and preset, and each player's history on it.

A ladder holds every rated match of a game and preset: a scope selects which of them to show and
changes no rating. The scope has a preset and 0 `players` (any table size); statuses are ignored.
"""

from dataclasses import replace

import polars as pl

from dashboard.queries.scope import Condition, Cursor, Scope, number
from engine.games import game_names
from ingest.store.ratings import LEGAL_LADDER, SHEET_LADDER, Ladder
from schemas.player_key import fold_sql, search_key

PROVISIONAL_SIGMA = 6.25
"""A rating is provisional above this σ: three quarters of every player's initial σ."""
MAX_PLAYERS = 1_000_000
"""More players than any store has."""
SURE_SIGMAS = 3
"""The ladder is ordered by μ − 3σ, a skill the player almost certainly has."""


def list_ladders(cursor: Cursor) -> pl.DataFrame:
    """Count `matches` and `players` of each `game` and `preset`, most matches first.

    `sheets` counts the further matches rated from score sheets. Games no longer registered are skipped.
    """
    query = f"""
        SELECT game, preset, count(DISTINCT match_index) FILTER (NOT is_score_line) AS matches,
            count(DISTINCT player_no) AS players,
            greatest(0, count(DISTINCT match_index) FILTER (is_score_line) - matches) AS sheets
        FROM (SELECT *, false AS is_score_line FROM {LEGAL_LADDER.table}
            UNION ALL SELECT *, true FROM {SHEET_LADDER.table})
        WHERE game IN (SELECT unnest(?::VARCHAR[]))
        GROUP BY ALL ORDER BY matches DESC, sheets DESC, game, preset
    """
    return cursor.execute(query, [list(game_names())]).pl()


def whole_ladder(which: Scope) -> Scope:
    """Return the scope of the whole ladder on the last day of a scope."""
    return Scope(which.game, 0, which.preset, until=which.until, score_sheets=which.score_sheets)


def ladders_of(which: Scope) -> Ladder:
    """Return the ladder that a scope selects, with score sheets or without."""
    return SHEET_LADDER if which.score_sheets else LEGAL_LADDER


def ladder_standings(
    cursor: Cursor, which: Scope, words: str = "", limit: int = 50, offset: int = 0
) -> pl.DataFrame:
    """Return the ladder at the end of the last day, best first.

    It lists players with a match in the scope and counts `n`, `wins`, `share` and `last` over
    those matches; rank and rating are those of the whole ladder, whatever the search.
    """
    until, days = whole_ladder(which).date_condition()
    looked, more = which.match_condition("r.seat") if which != whole_ladder(which) else ("true", [])
    query = f"""
        WITH rated AS (
            SELECT r.*, m.played_on, m.is_score_sheet, m.winning_side > 0 AND r.rank = 1 AS won,
                {looked} AS looked
            FROM {ladders_of(which).table} r JOIN matches m USING (match_no)
            WHERE r.game = ? AND r.preset = ? AND {until}
        ), stood AS (
            SELECT player_no, arg_max(mu, match_index) AS mu, arg_max(sigma, match_index) AS sigma,
                count(*) FILTER (looked) AS n, count(*) FILTER (looked AND won) AS wins,
                max(played_on) FILTER (looked) AS last,
                count(*) FILTER (looked AND is_score_sheet) AS from_sheets
            FROM rated GROUP BY player_no
        ), ranked AS (
            SELECT *, mu - {SURE_SIGMAS} * sigma AS value,
                rank() OVER (ORDER BY mu - {SURE_SIGMAS} * sigma DESC) AS rank FROM stood
        )
        SELECT rank, player_no, p.player_id, p.name, mu, sigma, value,
            sigma > {PROVISIONAL_SIGMA} AS provisional, n, wins, wins / n AS share, last, from_sheets
        FROM ranked JOIN players p USING (player_no)
        WHERE n > 0 AND player_no IN (SELECT player_no FROM player_names WHERE contains(search_name, ?))
        ORDER BY rank, {fold_sql("p.name")}, player_no LIMIT ? OFFSET ?
    """
    frame = cursor.execute(
        query, [*more, which.game, which.preset, *days, search_key(words), limit, offset]
    ).pl()
    return which.with_sheet_counts(frame)


def count_standings(cursor: Cursor, which: Scope, words: str = "") -> int:
    """Count the players of that name that `ladder_standings` lists."""
    looked, values = which.match_condition("r.seat")
    rated = f"SELECT r.player_no FROM {ladders_of(which).table} r JOIN matches m USING (match_no)"
    return count_named(cursor, (f"{rated} WHERE {looked}", values), words)


def count_named(cursor: Cursor, players: Condition, words: str) -> int:
    """Count those of some players (SQL of `player_no`) whose name contains `words`."""
    chosen, values = players
    query = f"""
        SELECT count(*) FROM players p SEMI JOIN ({chosen}) c USING (player_no)
        WHERE player_no IN (SELECT player_no FROM player_names WHERE contains(search_name, ?))
    """
    return number(cursor, query, [*values, search_key(words)])


def player_ranks(cursor: Cursor, which: Scope) -> dict[int, int]:
    """Return player number → rank on the ladder of the scope's preset, on the scope's last day.

    Without a preset, the game's most played ladder is used.
    """
    presets = [
        preset
        for game, preset, *_ in list_ladders(cursor).iter_rows()
        if game == which.game and which.preset in (None, preset)
    ]
    if not presets:
        return {}
    frame = ladder_standings(cursor, replace(whole_ladder(which), preset=presets[0]), limit=MAX_PLAYERS)
    return dict(frame.select("player_no", "rank").iter_rows())


def rating_history(cursor: Cursor, player_no: int, which: Scope) -> pl.DataFrame:
    """Return one player's ratings in a scope, a row after each match, in order of play.

    `played_on`, `match_no`, `match_id`, `rank` in the match, `won` (null if drawn) and the rating
    as in `ladder_standings`.
    """
    looked, values = which.match_condition("r.seat")
    query = f"""
        SELECT m.played_on, match_no, m.match_id, r.rank,
            CASE WHEN m.winning_side > 0 THEN r.rank = 1 END AS won,
            r.mu, r.sigma, r.mu - {SURE_SIGMAS} * r.sigma AS value,
            r.sigma > {PROVISIONAL_SIGMA} AS provisional
        FROM {ladders_of(which).table} r JOIN matches m USING (match_no)
        WHERE r.player_no = ? AND {looked} ORDER BY r.match_index
    """
    return cursor.execute(query, [player_no, *values]).pl()


def unrated_counts(cursor: Cursor, which: Scope) -> dict[str, int]:
    """Count the unrated matches by their first reason, such as `unfinished`."""
    unrated, values = _is_unrated(which)
    rows = cursor.execute(
        f"SELECT {_unrated_reason(which)} AS reason, count(*) FROM matches m WHERE {unrated} GROUP BY ALL",
        values,
    ).fetchall()
    return {"faulty": 0, "unfinished": 0, "undated": 0} | dict(rows)


def unrated_matches(cursor: Cursor, which: Scope) -> pl.DataFrame:
    """Return the matches `unrated_counts` counts, in order of play, each with its `reason`."""
    unrated, values = _is_unrated(which)
    return cursor.execute(
        f"SELECT match_no, match_id, played_on, {_unrated_reason(which)} AS reason FROM matches m"
        f" WHERE {unrated} ORDER BY played_at NULLS LAST, match_no",
        values,
    ).pl()


def _is_unrated(which: Scope) -> Condition:
    """Return the condition on `m` to be unrated; a match without a date passes any date filter."""
    where, values = replace(which, since=None, until=None).match_condition()
    within, days = which.date_condition()
    return f"{where} AND coalesce({within}, true) AND NOT ({ladders_of(which).is_rated})", [*values, *days]


def _unrated_reason(which: Scope) -> str:
    """Return SQL for the reason why a match is not rated."""
    return f"""CASE WHEN m.is_score_sheet AND {not which.score_sheets}
            THEN IF(m.result_only, 'result-only', 'sheet')
        WHEN m.status <> 'legal' AND NOT m.is_score_sheet THEN 'faulty'
        WHEN m.winning_side IS NULL THEN 'unfinished' WHEN m.played_on IS NULL THEN 'undated'
        ELSE 'sheet_with_log' END"""
