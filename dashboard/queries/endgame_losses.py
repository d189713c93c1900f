"""Players' losses in solved endgames; docs/insight.md explains the figures.

A deal counts if the player played a card in its solved part. Matches that are not solved yet
(`ingest.store.solve_job`) give no figures: each figure reports how many such deals there are.
"""

from collections.abc import Sequence

import polars as pl

from dashboard.queries.intervals import with_mean_interval, with_share_interval
from dashboard.queries.player_deals import counted_deals
from dashboard.queries.scope import Cursor, Scope
from engine.games import game

LOSS_COLUMNS = """count(*) FILTER (counts) AS n, avg(lost) FILTER (counts) AS lost,
    stddev_samp(lost) FILTER (counts) AS deviation, count(*) FILTER (counts AND chance) AS chances,
    count(*) FILTER (counts AND chance AND lost = 0) AS perfect,
    count(*) FILTER (counts AND has_turning_point) AS turning_points, count(*) FILTER (pending) AS pending"""
"""Aggregates over hands; `counts` is NULL for a hand that is not solved yet."""
MIN_DEALS = 10
"""Below this many deals a mean loss has no interval: most losses are 0, and a few are large."""
GROUP_ORDER = "list_position(['all', 'opponent', 'event', 'month'], \"by\")"


def endgame_losses(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a player's mean points `lost` per deal: `all`, by `opponent`, `event` and `month`.

    An event has its own column, since its name may have to be hidden. The mean has an interval
    from MIN_DEALS deals on, never below 0; `pending` counts deals that are not solved yet.
    """
    chosen, values = counted_deals(scope, player_no, decided=False)
    sides = game(scope.game).side_count(scope.player_count)
    query = f"""
        WITH own AS MATERIALIZED (
            SELECT match_no, deal_index, ds.seat, m.event,
                strftime(m.played_on, '%Y-%m') AS month
            FROM {chosen}
        ),
        -- of these matches alone, or all that a store has would be hashed first
        seat AS (FROM endgame_seat_values SEMI JOIN own USING (match_no)),
        whole AS (FROM endgame_values SEMI JOIN own USING (match_no)),
        hands AS MATERIALIZED (
            SELECT own.*, v.cards_played > 0 AS counts, v.lost,
                v.cards_played > v.forced OR v.lost > 0 AS chance,
                w.turning_action_index IS NOT NULL AS has_turning_point, w.match_no IS NULL AS pending
            FROM own LEFT JOIN seat v USING (match_no, deal_index, seat)
                LEFT JOIN whole w USING (match_no, deal_index)
        ),
        found AS (
            SELECT CASE WHEN grouping(month) = 0 THEN 'month' WHEN grouping(event) = 0 THEN 'event'
                ELSE 'all' END AS "by",
                month AS value, NULL::INTEGER AS opponent_no, event, min(match_no) AS first,
                {LOSS_COLUMNS}
            FROM hands GROUP BY GROUPING SETS ((), (event), (month))
            UNION ALL BY NAME
            SELECT 'opponent' AS "by", p.name AS value, o.player_no AS opponent_no, {LOSS_COLUMNS}
            FROM hands h JOIN seats o USING (match_no) JOIN players p ON p.player_no = o.player_no
            WHERE (o.seat::INTEGER - h.seat) % {sides} <> 0 GROUP BY p.name, o.player_no
        )
        SELECT * EXCLUDE (first) FROM found
        WHERE "by" = 'all' AND n + pending > 0
            OR n > 0 AND (value IS NOT NULL OR event IS NOT NULL)
        ORDER BY {GROUP_ORDER}, CASE WHEN "by" = 'month' THEN value END,
            n DESC, value, opponent_no, first
    """
    return _with_intervals(cursor.execute(query, values).pl())


def _with_intervals(frame: pl.DataFrame) -> pl.DataFrame:
    result = with_share_interval(with_mean_interval(frame, "lost", "deviation", "n"), "perfect", "chances")
    return result.with_columns(pl.when(pl.col("n") >= MIN_DEALS).then(pl.col("lost_low", "lost_high")))


def losses_of_matches(cursor: Cursor, numbers: Sequence[int]) -> pl.DataFrame:
    """Return the points lost in some matches, by `match_no`; an unsolved match has no row.

    Columns: `solved` deals of `deals`, those with `turning_points`, and `lost`, a list in
    seat order, NULL if no deal is solved.
    """
    query = """
        WITH deals AS (
            SELECT match_no, count(*) AS deals, count(*) FILTER (unsolved IS NULL) AS solved,
                count(turning_action_index) AS turning_points
            FROM endgame_values SEMI JOIN (SELECT unnest($1::BIGINT[]) AS match_no) USING (match_no)
            GROUP BY match_no
        ), seated AS (
            SELECT match_no, seat, sum(lost)::INTEGER AS lost
            FROM endgame_seat_values SEMI JOIN deals USING (match_no) GROUP BY ALL
        )
        SELECT d.match_no, d.deals, d.solved, d.turning_points,
            list(s.lost ORDER BY s.seat) FILTER (s.seat IS NOT NULL) AS lost
        FROM deals d LEFT JOIN seated s USING (match_no) GROUP BY ALL ORDER BY d.match_no
    """
    return cursor.execute(query, [list(numbers)]).pl()


def endgame_values_of(cursor: Cursor, number: int) -> pl.DataFrame:
    """Return the endgame values of each deal of a match, as in `endgame_values`.

    `seats` has a record per seat, in seat order. No row: the match is not solved yet.
    """
    query = """
        SELECT d.deal_index, d.unsolved, d.first_action_index, d.points_lead, d.margin,
            d.best_winning_side, d.turning_action_index,
            list({'seat': v.seat, 'cards_played': v.cards_played, 'forced': v.forced, 'lost': v.lost,
                'costly': v.costly, 'worst_action_index': v.worst_action_index, 'worst_loss': v.worst_loss}
                ORDER BY v.seat) FILTER (v.seat IS NOT NULL) AS seats
        FROM endgame_values d LEFT JOIN endgame_seat_values v USING (match_no, deal_index)
        WHERE d.match_no = ? GROUP BY ALL ORDER BY d.deal_index
    """
    return cursor.execute(query, [number]).pl()


def matches_without_turning_point(cursor: Cursor, numbers: Sequence[int]) -> set[int]:
    """Return those matches, of the ones given, that are wholly solved without a turning point."""
    query = """
        SELECT m.match_no FROM matches m JOIN endgame_values v USING (match_no)
        WHERE m.match_no IN (SELECT unnest(?::BIGINT[]))
        GROUP BY m.match_no, m.deals HAVING count(*) = m.deals AND count(v.turning_action_index) = 0
    """
    rows = cursor.execute(query, [list(numbers)]).fetchall()
    return {number for (number,) in rows}
