"""Statistics per player: deals, win rate, points."""

import polars as pl

from dashboard.queries import ladder, peers
from dashboard.queries.intervals import with_mean_interval, with_share_interval
from dashboard.queries.scope import Condition, Cursor, Scope
from schemas.player_key import fold_sql, search_key

_SEAT_SOURCE = "match_seats d JOIN matches m USING (match_no)"
_EXACT_FIRST = f"{fold_sql('{}')} = {fold_sql('?')} DESC"
"""Sorts an exact match of the search first."""


def players_table(
    cursor: Cursor,
    scope: Scope | None = None,
    words: str = "",
    limit: int = 50,
    offset: int = 0,
    player_no: int | None = None,
    ranked: bool = False,
    by_probable: bool = False,
    with_probable: bool = True,
) -> pl.DataFrame:
    """Return players by deals played; exact matches of `words` come first.

    In pairs, points and cards are the side's. `ranked` adds `rank` of `ladder.player_ranks` and
    sorts by it, then by name; `by_probable` sorts by `probable`, the pooled share of deals won, which
    needs the figures of all players; it is null if not `with_probable`. The query selects
    the page first and computes the other columns for its players only.
    """
    scope = scope or Scope()
    ranks = ladder.player_ranks(cursor, scope) if ranked else {}
    order = "rank NULLS LAST" if ranked else "decided_deals DESC"
    order = "probable DESC" if by_probable else order
    seated, some = _counted_seats(scope)
    probable = probable_shares(cursor, scope) if with_probable else {}
    query = f"""
        WITH named AS (
            SELECT player_no, player_id, name, rank, probable FROM players LEFT JOIN (
                SELECT unnest(?::INTEGER[]) AS player_no, unnest(?::INTEGER[]) AS rank
            ) USING (player_no) LEFT JOIN (
                SELECT unnest(?::INTEGER[]) AS player_no, unnest(?::DOUBLE[]) AS probable
            ) USING (player_no)
            WHERE (?::VARCHAR = '' OR player_no IN (
                SELECT player_no FROM player_names WHERE contains(search_name, ?)
            )) AND (?::INTEGER IS NULL OR player_no = ?)
        ), page AS MATERIALIZED (
            SELECT n.* FROM named n JOIN (
                SELECT d.player_no, sum(d.decided) AS decided_deals FROM {seated} GROUP BY d.player_no
            ) USING (player_no)
            ORDER BY {_EXACT_FIRST.format("name")}, {order}, {fold_sql("name")}, player_no
            LIMIT ? OFFSET ?
        ), played AS (
            SELECT player_no, count(DISTINCT match_no) AS matches, sum(decided) AS decided_deals,
                sum(wins) AS wins, sum(deals_with_points) AS deals_with_points, sum(contracts) AS contracts,
                sum(contracts_made) AS contracts_made, sum(bids_met) AS bids_met,
                coalesce(sum(decided) FILTER (NOT is_score_line), 0) AS played,
                sum(points) AS points, sum(points_squared) AS points_squared,
                sum(card_points) AS card_points, sum(card_points_squared) AS card_points_squared,
                sum(bonus) AS bonus, sum(bonus_squared) AS bonus_squared,
                sum(counted) AS counted, sum(counted_squared) AS counted_squared
            FROM (SELECT match_no, d.* EXCLUDE (match_no) FROM {seated})
                SEMI JOIN page USING (player_no)
            GROUP BY player_no
        )
        SELECT player_no, page.player_id, page.name, matches, decided_deals::BIGINT AS decided_deals,
            wins::BIGINT AS wins, {_average_sql("points", "deals_with_points")},
            {_average_sql("card_points")}, {_average_sql("bonus")}, contracts::BIGINT AS contracts,
            contracts_made::BIGINT AS contracts_made, bids_met::BIGINT AS bids_met, {_average_sql("counted")},
            deals_with_points::BIGINT AS deals_with_points, (decided_deals - played)::BIGINT AS from_sheets,
            played::BIGINT AS played, probable, rank
        FROM played p JOIN page USING (player_no)
        ORDER BY {_EXACT_FIRST.format("page.name")}, {order}, {fold_sql("page.name")}, player_no
    """
    frame = cursor.execute(
        query,
        [
            *(list(ranks), list(ranks.values()), list(probable), list(probable.values())),
            *(*[search_key(words)] * 2, player_no, player_no),
            *(*some, words.strip(), limit, offset),
            *(*some, words.strip()),
        ],
    ).pl()
    names = {"points_deviation": "deviation", "counted": "announced"}
    frame = frame.rename(names | {"counted_deviation": "announced_deviation"})
    frame = with_share_interval(
        with_share_interval(frame, "wins", "decided_deals"), "bids_met", "played", "bids_met_"
    )
    frame = with_mean_interval(frame, "points", "deviation", "deals_with_points")
    for name in ("card_points", "bonus", "announced"):
        frame = with_mean_interval(frame, name, f"{name}_deviation", "played")
    return scope.with_sheet_counts(frame.drop("deals_with_points", "played", *([] if ranked else ["rank"])))


def probable_shares(cursor: Cursor, scope: Scope) -> dict[int, float]:
    """Return player → the pooled share of deals won, of all players of a scope, as `peers` fits it."""
    seated, values = _counted_seats(scope)
    query = (
        f"SELECT d.player_no, sum(d.wins)::BIGINT AS k, sum(d.decided)::BIGINT AS n FROM {seated} GROUP BY 1"
    )
    counts = cursor.execute(f"{query} ORDER BY 1", values).pl()
    if not counts.height:
        return {}
    counts = peers.with_fitted(counts)
    return dict(zip(counts["player_no"], peers.pooled(counts).estimates(), strict=True))


def count_players(cursor: Cursor, scope: Scope | None = None, words: str = "") -> int:
    """Count the players of that name who have a partie that counts."""
    seated, values = _counted_seats(scope or Scope())
    return ladder.count_named(cursor, (f"SELECT d.player_no FROM {seated}", values), words)


def _counted_seats(scope: Scope) -> Condition:
    """Return a FROM clause for `d`, the seats in counted deals that have a winner."""
    chosen, values = scope.conditions("d.seat", "true")
    return f"{_SEAT_SOURCE} WHERE {chosen} AND d.decided > 0", values


def _average_sql(name: str, n: str = "played") -> str:
    """Return SQL for a mean over `n` deals and the sample standard deviation, from exact sums."""
    spread = f"{name}_squared::HUGEINT * {n}::HUGEINT - {name}::HUGEINT * {name}::HUGEINT"
    return f"""{name} / nullif({n}, 0) AS {name}, CASE WHEN {n} > 1
                THEN sqrt(({spread}) / ({n}::DOUBLE * ({n} - 1))) END AS {name}_deviation"""
