"""The ladder of a game and preset, and each player's history on it.

There is one, of every rated match: a scope chooses which of them are looked at, never a rating. It
has a preset, and 0 `players` for tables of any size; its statuses mean nothing here.
"""

from dataclasses import replace

import polars as pl

from dashboard.queries.scope import Condition, Cursor, Scope, number
from engine.games import game_names
from ingest.store.ratings import LEGAL_LADDER, SHEET_LADDER, Ladder

PROVISIONAL_SIGMA = 6.25
"""A rating is provisional above this σ: three quarters of what everybody begins with."""
MAX_PLAYERS = 1_000_000
"""More players than any store has."""
SURE_SIGMAS = 3
"""A player is worth at least μ − 3σ, as good as certainly: that orders the ladder."""


def list_ladders(cursor: Cursor) -> pl.DataFrame:
    """Each `game` and `preset` with a rated match: `matches` and `players`, most matches first.

    `sheets`: how many more are rated with score sheets. A game that is registered no more is left
    out.
    """
    query = f"""
        SELECT game, preset, count(DISTINCT place) FILTER (NOT told) AS matches,
            count(DISTINCT player_no) AS players,
            greatest(0, count(DISTINCT place) FILTER (told) - matches) AS sheets
        FROM (SELECT *, false AS told FROM {LEGAL_LADDER.table}
            UNION ALL SELECT *, true FROM {SHEET_LADDER.table})
        WHERE game IN (SELECT unnest(?::VARCHAR[]))
        GROUP BY ALL ORDER BY matches DESC, sheets DESC, game, preset
    """
    return cursor.execute(query, [list(game_names())]).pl()


def whole_ladder(which: Scope) -> Scope:
    """The whole ladder as it stood on the last day of a scope."""
    return Scope(which.game, 0, which.preset, until=which.until, sheets=which.sheets)


def ladders_of(which: Scope) -> Ladder:
    """The ladders that a scope looks at."""
    return SHEET_LADDER if which.sheets else LEGAL_LADDER


def ladder_standings(
    cursor: Cursor, which: Scope, words: str = "", limit: int = 50, offset: int = 0
) -> pl.DataFrame:
    """The ladder as it stood at the end of the last day, best first.

    Listed is who sat in a match of the scope, and of those alone are `n`, `wins`, `share` and
    `last`; rank and rating are those of the whole ladder, whatever is searched.
    """
    until, days = whole_ladder(which).date_condition()
    looked, more = which.match_condition("r.seat") if which != whole_ladder(which) else ("true", [])
    query = f"""
        WITH rated AS (
            SELECT r.*, m.played_at, m.sheet, m.winner > 0 AND r.rank = 1 AS won, {looked} AS looked
            FROM {ladders_of(which).table} r JOIN matches m USING (match_no)
            WHERE r.game = ? AND r.preset = ? AND {until}
        ), stood AS (
            SELECT player_no, arg_max(mu, place) AS mu, arg_max(sigma, place) AS sigma,
                count(*) FILTER (looked) AS n, count(*) FILTER (looked AND won) AS wins,
                max(played_at) FILTER (looked) AS last,
                count(*) FILTER (looked AND sheet) AS told
            FROM rated GROUP BY player_no
        ), ranked AS (
            SELECT *, mu - {SURE_SIGMAS} * sigma AS value,
                rank() OVER (ORDER BY mu - {SURE_SIGMAS} * sigma DESC) AS rank FROM stood
        )
        SELECT rank, player_no, p.player_id, p.name, mu, sigma, value,
            sigma > {PROVISIONAL_SIGMA} AS provisional, n, wins, wins / n AS share, last, told
        FROM ranked JOIN players p USING (player_no)
        WHERE n > 0 AND contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        ORDER BY rank, lower(p.name), player_no LIMIT ? OFFSET ?
    """
    frame = cursor.execute(
        query, [*more, which.game, which.preset, *days, words.strip(), limit, offset]
    ).pl()
    return which.with_sheet_counts(frame)


def count_standings(cursor: Cursor, which: Scope, words: str = "") -> int:
    """How many players of that name `ladder_standings` lists."""
    looked, values = which.match_condition("r.seat")
    rated = f"SELECT r.player_no FROM {ladders_of(which).table} r JOIN matches m USING (match_no)"
    return count_named(cursor, (f"{rated} WHERE {looked}", values), words)


def count_named(cursor: Cursor, players: Condition, words: str) -> int:
    """How many of some players (SQL of `player_no`) have these words in their name."""
    chosen, values = players
    query = f"""
        SELECT count(*) FROM players p SEMI JOIN ({chosen}) c USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
    """
    return number(cursor, query, [*values, words.strip()])


def player_ranks(cursor: Cursor, which: Scope) -> dict[int, int]:
    """Player → rank, on the ladder of a scope's rules; of any rules, on the game's most played one.

    As it stood on the scope's last day.
    """
    presets = [
        preset
        for game, preset, *_ in list_ladders(cursor).iter_rows()
        if game == which.game and which.preset in (None, preset)
    ]
    if not presets:
        return {}
    frame = ladder_standings(
        cursor, replace(whole_ladder(which), preset=presets[0]), limit=MAX_PLAYERS
    )
    return dict(frame.select("player_no", "rank").iter_rows())


def rating_history(cursor: Cursor, player_no: int, which: Scope) -> pl.DataFrame:
    """One player's ratings in a scope, a row after each match, in the order played.

    `played_at`, `match_no`, `match_id`, `rank` in the match, `won` (null where nobody won) and the
    rating as in `ladder_standings`.
    """
    looked, values = which.match_condition("r.seat")
    query = f"""
        SELECT m.played_at, match_no, m.match_id, r.rank,
            CASE WHEN m.winner > 0 THEN r.rank = 1 END AS won,
            r.mu, r.sigma, r.mu - {SURE_SIGMAS} * r.sigma AS value,
            r.sigma > {PROVISIONAL_SIGMA} AS provisional
        FROM {ladders_of(which).table} r JOIN matches m USING (match_no)
        WHERE r.player_no = ? AND {looked} ORDER BY r.place
    """
    return cursor.execute(query, [player_no, *values]).pl()


def unrated_counts(cursor: Cursor, which: Scope) -> dict[str, int]:
    """How many matches are not rated, by the first reason, such as `unfinished`."""
    unrated, values = _is_unrated(which)
    rows = cursor.execute(
        f"SELECT {_unrated_reason(which)} AS reason, count(*) FROM matches m"
        f" WHERE {unrated} GROUP BY ALL",
        values,
    ).fetchall()
    return {"faulty": 0, "unfinished": 0, "undated": 0} | dict(rows)


def unrated_matches(cursor: Cursor, which: Scope) -> pl.DataFrame:
    """The matches `unrated_counts` counts, in the order of play: `match_no`, `match_id`,
    `reason`.
    """
    unrated, values = _is_unrated(which)
    return cursor.execute(
        f"SELECT match_no, match_id, played_at, {_unrated_reason(which)} AS reason FROM matches m"
        f" WHERE {unrated} ORDER BY played_at NULLS LAST, match_no",
        values,
    ).pl()


def _is_unrated(which: Scope) -> Condition:
    """The condition on `m`; one without a date may be of any day."""
    where, values = replace(which, since=None, until=None).match_condition()
    within, days = which.date_condition()
    return f"{where} AND coalesce({within}, true) AND NOT ({ladders_of(which).is_rated})", [
        *values,
        *days,
    ]


def _unrated_reason(which: Scope) -> str:
    """Why a match is not rated, in SQL."""
    return f"""CASE WHEN m.sheet AND {not which.sheets} THEN 'sheet'
        WHEN m.status <> 'legal' AND NOT m.sheet THEN 'faulty'
        WHEN m.winner IS NULL THEN 'unfinished' WHEN m.played_at IS NULL THEN 'undated'
        ELSE 'doubled' END"""
