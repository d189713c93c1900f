"""One player's results: win rate, by seat, points, tricks, records, contracts as declarer or in defence."""

from dataclasses import replace

import polars as pl

from dashboard.games import game_view
from dashboard.queries.intervals import with_mean_interval, with_share_interval
from dashboard.queries.player_deals import DEFENDED, PLAY_ORDER, SPECIAL_ENDS, counted_deals, deals_of_player
from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import Condition, Cursor, Scope
from engine.games import game, game_names
from schemas.player_key import fold_sql


def win_results(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count deals won of `n`: in all, by preset, by seat, and as dealer or not.

    `by` names the group and `value` its value, as text; `points` is the mean, with an interval.
    """
    chosen, values = counted_deals(scope, player_no)
    query = f"""
        SELECT CASE WHEN grouping(m.preset) = 0 THEN 'preset' WHEN grouping(ds.seat) = 0 THEN 'seat'
            WHEN grouping(ds.dealt) = 0 THEN 'dealer' ELSE 'all' END AS "by",
            coalesce(m.preset, ds.seat::VARCHAR, ds.dealt::VARCHAR) AS value,
            count(DISTINCT match_no) AS matches, count(*) AS n, count(*) FILTER (ds.won) AS wins,
            avg(ds.points) AS points, stddev_samp(ds.points) AS deviation,
            count(ds.points) AS deals_with_points, count(*) FILTER (d.is_score_line) AS from_sheets
        FROM {chosen}
        GROUP BY GROUPING SETS ((), (m.preset), (ds.seat), (ds.dealt))
        HAVING n > 0 AND (grouping(ds.dealt) = 1 OR ds.dealt IS NOT NULL) ORDER BY "by", value
    """
    return _with_point_intervals(scope, cursor.execute(query, values).pl())


def _with_point_intervals(scope: Scope, frame: pl.DataFrame) -> pl.DataFrame:
    """Add intervals to the share won and the mean points; a sheet may record no points."""
    found = with_mean_interval(
        with_share_interval(frame, "wins", "n"), "points", "deviation", "deals_with_points"
    )
    return scope.with_sheet_counts(found.drop("deals_with_points"))


def results_by_table(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count deals won of `n` at every table: each game, number of players and preset.

    The scope's other conditions hold. Games no longer registered are skipped.
    """
    known = cursor.execute(
        "SELECT DISTINCT m.game, m.player_count FROM seats s JOIN matches m USING (match_no)"
        " WHERE s.player_no = ? AND list_contains(?::VARCHAR[], m.game) ORDER BY ALL",
        [player_no, list(game_names())],
    ).fetchall()
    each = [
        replace(scope, game=name, player_count=players, preset=None).conditions("ds.seat")
        for name, players in known
    ]
    clauses = " OR ".join(f"({clause})" for clause, _ in each) or "false"
    chosen, values = deals_of_player(
        player_no, (f"({clauses}) AND ds.won IS NOT NULL", [value for _, values in each for value in values])
    )
    fair = pl.DataFrame(
        [(name, players, 1 / game(name).side_count(players)) for name, players in known],
        {"game": pl.String, "player_count": pl.UInt8, "fair": pl.Float64},
        orient="row",
    )
    query = f"""
        SELECT m.game, m.player_count, m.preset, count(DISTINCT match_no) AS matches, count(*) AS n,
            count(*) FILTER (ds.won) AS wins, count(*) FILTER (d.is_score_line) AS from_sheets
        FROM {chosen}
        GROUP BY ALL ORDER BY n DESC, m.game, m.player_count, m.preset
    """
    frame = cursor.execute(query, values).pl()
    frame = frame.join(fair, on=["game", "player_count"], how="left", maintain_order="left")
    return scope.with_sheet_counts(with_share_interval(frame, "wins", "n"))


def match_results(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count `k` of `n`: each `match` won, and with manches `manche`, `shutouts_given`, `shutouts_taken`.

    Only finished matches and manches count, of matches whose verdict the scope counts. Sous la
    table (CH-30) is given in a manche won and taken in one lost.
    """
    mine, values = _counted_matches(scope, player_no)
    query = f"""
        WITH mine AS ({mine}
        ), others AS (
            SELECT sum(o.manches) AS manches, sum(o.shutout_manches) AS shutout_manches
            FROM seats o JOIN mine USING (match_no) WHERE o.seat <> mine.seat
        )
        SELECT count(*) FILTER (won), count(winning_side), sum(mine.manches)::BIGINT,
            any_value(others.manches)::BIGINT,
            sum(mine.shutout_manches)::BIGINT, any_value(others.shutout_manches)::BIGINT
        FROM mine, others
    """
    won, played, *more = cursor.execute(query, values).fetchone() or (0,) * 6
    rows = [("match", won, played)]
    if game_view(scope.game).STATISTICS.manches:
        taken, lost, given, suffered = (int(one or 0) for one in more)
        rows += [("manche", taken, taken + lost), ("shutouts_given", given, taken)]
        rows.append(("shutouts_taken", suffered, lost))
    columns = {"figure": pl.String, "k": pl.Int64, "n": pl.Int64}
    return with_share_interval(pl.DataFrame(rows, columns, orient="row"), "k", "n")


def recent_form(cursor: Cursor, scope: Scope, *numbers: int) -> dict[int, list[bool | None]]:
    """Return player → the last FORM_MATCHES finished, dated matches of a scope, the latest last.

    True for a win; None for a draw.
    """
    where, values = scope.match_condition("s.seat")
    status, some = scope.result_condition()
    # only tables of one size have partners; elsewhere each seat is a side
    sides = game(scope.game).side_count(scope.player_count or max(game(scope.game).players))
    query = f"""
        SELECT player_no, list(won ORDER BY back DESC) FROM (
            SELECT s.player_no, CASE WHEN m.winning_side > 0
                    THEN (s.seat::INTEGER - m.winning_side) % {sides} = 0 END AS won,
                row_number() OVER (PARTITION BY s.player_no
                    ORDER BY m.played_at DESC, match_no DESC) AS back
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND m.winning_side IS NOT NULL AND m.played_at IS NOT NULL
                AND s.player_no IN (SELECT unnest(?::INTEGER[]))
        ) WHERE back <= {FORM_MATCHES} GROUP BY player_no
    """
    return dict(cursor.execute(query, [*values, *some, list(numbers)]).fetchall())


def matches_behind(cursor: Cursor, scope: Scope, player_no: int, figure: str) -> pl.DataFrame:
    """Return the matches behind a row of `match_results`, in order of play.

    `won` is null for a draw; `manches` won and `lost`, and sous la table `given` and `taken`, are
    null if the game has none. KeyError: no such row.
    """
    counts = RESULT_CONDITIONS[figure]
    chosen, values = _counted_matches(scope, player_no)
    query = f"""
        WITH mine AS ({chosen}
        ), others AS (
            SELECT match_no, sum(o.manches)::BIGINT AS lost, sum(o.shutout_manches)::BIGINT AS taken
            FROM seats o JOIN mine USING (match_no) WHERE o.seat <> mine.seat GROUP BY match_no
        )
        SELECT match_no, match_id, played_on, won, manches, lost, shutout_manches AS given, taken
        FROM mine JOIN others USING (match_no) WHERE {counts}
        ORDER BY played_at NULLS LAST, match_no
    """
    return cursor.execute(query, values).pl()


FORM_MATCHES = 5
"""Matches that count as a player's form."""
RESULT_CONDITIONS = {
    "match": "winning_side IS NOT NULL",
    "manche": "manches + lost > 0",
    "shutouts_given": "shutout_manches > 0",
    "shutouts_taken": "taken > 0",
}
"""A row of `match_results` → the condition on a match behind it."""


def _counted_matches(scope: Scope, player_no: int) -> Condition:
    """Return SQL for one player's matches whose verdict the scope counts, finished or not."""
    where, values = scope.match_condition("s.seat")
    status, some = scope.result_condition()
    sides = game(scope.game).side_count(scope.player_count)
    query = f"""
            SELECT match_no, m.match_id, m.played_at, m.played_on, m.winning_side, s.seat, s.manches,
                s.shutout_manches,
                CASE WHEN m.winning_side > 0
                    THEN (s.seat::INTEGER - m.winning_side) % {sides} = 0 END AS won
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND s.player_no = ?"""
    return query, [*values, *some, player_no]


def count_unfinished(cursor: Cursor, scope: Scope, player_no: int) -> tuple[int, int]:
    """Count the matches that `match_results` skips: (unfinished, of another verdict)."""
    where, values = scope.match_condition("s.seat")
    status, some = scope.result_condition()
    query = f"""
        SELECT count(*) FILTER ({status} AND m.winning_side IS NULL), count(*) FILTER (NOT ({status}))
        FROM seats s JOIN matches m USING (match_no) WHERE {where} AND s.player_no = ?
    """
    row = cursor.execute(query, [*some, *some, *values, player_no]).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def results_by_partner(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return per partner: `player_no`, `name`, deals won of `n`, the side's mean `points`."""
    chosen, values = counted_deals(scope, player_no)
    sides = game(scope.game).side_count(scope.player_count)
    query = f"""
        WITH played AS (
            SELECT match_no, ds.seat, ds.won, ds.points, d.is_score_line FROM {chosen}
        ), paired AS (
            SELECT o.player_no, count(DISTINCT match_no) AS matches, count(*) AS n,
                count(*) FILTER (p.won) AS wins, avg(p.points) AS points,
                stddev_samp(p.points) AS deviation, count(p.points) AS deals_with_points,
                count(*) FILTER (p.is_score_line) AS from_sheets
            FROM played p JOIN seats o USING (match_no)
            WHERE o.seat <> p.seat AND (o.seat::INTEGER - p.seat) % {sides} = 0
            GROUP BY o.player_no
        )
        SELECT p.player_no, p.player_id, p.name, matches, n, wins, points, deviation,
            deals_with_points, from_sheets
        FROM paired JOIN players p USING (player_no)
        ORDER BY n DESC, {fold_sql("p.name")}, p.player_no
    """
    return _with_point_intervals(scope, cursor.execute(query, values).pl())


QUARTERS = ("quarter", "median", "three_quarters")
ROLLING_DEALS = 50
"""Deals in each point of the trend."""


def average_measures(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return a row per `measure`: the `mean` of `n` deals with its interval, and the quartiles.

    `quarter`, `median` and `three_quarters` are values that occurred, not interpolated.
    """
    chosen, values = counted_deals(scope, player_no)
    measures = game_view(scope.game).STATISTICS.averages
    query = f"""
        WITH played AS (SELECT {", ".join(f"ds.{one}" for one in measures)} FROM {chosen}),
        measures AS (UNPIVOT (
            SELECT {", ".join(f"{one}::INTEGER AS {one}" for one in measures)} FROM played
        ) ON {", ".join(measures)} INTO NAME measure VALUE value)
        SELECT measure, count(*) AS n, avg(value) AS mean, stddev_samp(value) AS deviation,
            min(value) AS least, quantile_disc(value, [0.25, 0.5, 0.75]) AS quarters,
            max(value) AS most
        FROM measures GROUP BY measure
    """
    frame = cursor.execute(query, values).pl()
    order = pl.DataFrame({"measure": measures})
    frame = order.join(frame, on="measure", maintain_order="left")
    spread = [pl.col("quarters").list.get(i).alias(name) for i, name in enumerate(QUARTERS)]
    return with_mean_interval(frame.with_columns(spread).drop("quarters"), "mean", "deviation", "n")


def points_distribution(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count deals (`n`) and `wins` by range of points, `least` to `most`."""
    chosen, values = counted_deals(scope, player_no)
    width = game_view(scope.game).STATISTICS.width
    query = f"""
        SELECT ds.points // {width} * {width} AS least, least + {width - 1} AS most, count(*) AS n,
            count(*) FILTER (ds.won) AS wins
        FROM {chosen} GROUP BY least ORDER BY least
    """
    return with_share_interval(cursor.execute(query, values).pl(), "wins", "n")


def deal_events(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count `k` of `n` deals: `der`, the last trick won; `exchanged`, the 7, if the game has it.

    `sept` rows count the exchanges made by the end of each `trick`.
    """
    chosen, values = counted_deals(scope, player_no)
    query = f"""
        SELECT CASE WHEN grouping(ds.sept) = 0 THEN ds.sept END AS trick, count(*),
            count(*) FILTER (ds.der), count(ds.sept)
        FROM {chosen} GROUP BY GROUPING SETS ((), (ds.sept))
        ORDER BY grouping(ds.sept) DESC, trick
    """
    row, *tricks = cursor.execute(query, values).fetchall()
    _, n, der, exchanged = row
    rows: list[tuple[str, int | None, int, int]] = [("der", None, der, n)]
    if game_view(scope.game).STATISTICS.exchange:
        rows.append(("exchanged", None, exchanged, n))
        so_far = 0
        for trick, _, _, some in tricks:
            if trick is not None:
                so_far += some
                rows.append(("sept", trick, so_far, exchanged))
    columns = {"figure": pl.String, "trick": pl.Int64, "k": pl.Int64, "n": pl.Int64}
    return with_share_interval(pl.DataFrame(rows, columns, orient="row").filter(pl.col("n") > 0), "k", "n")


def win_trend(cursor: Cursor, scope: Scope, player_no: int, rolled: int = ROLLING_DEALS) -> pl.DataFrame:
    """Return `wins` and mean `points` of the last `rolled` deals (`n`) after each day of play.

    Deals without a date are skipped.
    """
    chosen, values = counted_deals(scope, player_no)
    query = f"""
        WITH played AS (
            SELECT m.played_at, m.played_on, match_no, ds.deal_index, ds.won, ds.points FROM {chosen}
            AND m.played_at IS NOT NULL
        ), rolled AS (
            SELECT played_on AS day, row_number() OVER (ORDER BY {PLAY_ORDER}) AS place,
                count(*) OVER w AS n, count(*) FILTER (won) OVER w AS wins,
                avg(points) OVER w AS points, stddev_samp(points) OVER w AS deviation
            FROM played
            WINDOW w AS (ORDER BY {PLAY_ORDER} ROWS BETWEEN {rolled - 1:d} PRECEDING
                AND CURRENT ROW)
        )
        SELECT day, max(place) AS played, arg_max(n, place) AS n, arg_max(wins, place) AS wins,
            arg_max(points, place) AS points, arg_max(deviation, place) AS deviation
        FROM rolled GROUP BY day ORDER BY day
    """
    frame = cursor.execute(query, values).pl()
    return with_mean_interval(with_share_interval(frame, "wins", "n"), "points", "deviation", "n")


def player_records(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return the records `points` and `margin` of one deal, `deals` and `matches` won in a row.

    A margin is over the best of the other sides; a streak's `deal_number` is that of its first deal.
    """
    chosen, values = counted_deals(scope, player_no)
    where, more = scope.match_condition("s.seat")
    status, some = scope.result_condition()
    sides = game(scope.game).side_count(scope.player_count)
    query = f"""
        WITH played AS MATERIALIZED (
            SELECT match_no, ds.deal_index, ds.seat, ds.points, ds.won, m.played_at, m.played_on FROM {chosen}
        ), best AS (
            SELECT 1 AS place, 'points' AS record, points::BIGINT AS value, played_on,
                NULL::DATE AS until, match_no, deal_index
            FROM played ORDER BY points DESC, {PLAY_ORDER} LIMIT 1
        ), beaten AS (
            SELECT match_no, p.deal_index, any_value(p.played_at) AS played_at,
                any_value(p.played_on) AS played_on,
                any_value(p.points) - max(o.points) AS margin
            FROM played p JOIN deal_seats o USING (match_no, deal_index)
            WHERE p.won AND (o.seat::INTEGER - p.seat) % {sides} <> 0 GROUP BY match_no, p.deal_index
        ), widest AS (
            SELECT 2, 'margin', margin, played_on, NULL, match_no, deal_index
            FROM beaten ORDER BY margin DESC, {PLAY_ORDER} LIMIT 1
        ), finished AS (
            SELECT match_no, 0 AS deal_index, m.played_at, m.played_on,
                m.winning_side > 0 AND (s.seat::INTEGER - m.winning_side) % {sides} = 0 AS won
            FROM seats s JOIN matches m USING (match_no)
            WHERE {where} AND {status} AND s.player_no = ? AND m.winning_side IS NOT NULL
        ), deal_runs AS ({_longest_run("played")}), match_runs AS ({_longest_run("finished")}),
        every AS (
            FROM best UNION ALL FROM widest
            UNION ALL SELECT 3, 'deals', * FROM deal_runs
            UNION ALL SELECT 4, 'matches', * FROM match_runs
        ), {seated_query("every")}
        SELECT record, value, e.played_on, until, m.match_id, deal_index::INTEGER + 1 AS deal_number, names,
            ids
        FROM every e JOIN matches m USING (match_no) JOIN seated USING (match_no)
        ORDER BY e.place
    """
    return cursor.execute(query, [*values, *more, *some, player_no]).pl()


def _longest_run(table: str) -> str:
    """Return SQL for the longest run of rows won: length, first and last day, first deal."""
    return f"""
        SELECT count(*) AS value, arg_min(played_on, place) AS played_on,
            arg_max(played_on, place) AS until, arg_min(match_no, place) AS match_no,
            arg_min(deal_index, place) AS deal_index
        FROM (
            SELECT *, place - row_number() OVER (PARTITION BY won ORDER BY place) AS run
            FROM (SELECT *, row_number() OVER (ORDER BY {PLAY_ORDER}) AS place FROM {table})
        ) WHERE won GROUP BY run ORDER BY value DESC, min(place) LIMIT 1
    """


def bid_contracts(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count the player's contracts `by` all, level, suit, both, and coinched or not.

    `level` is an index of the game's HEIGHTS, `suit` is as in `deals.trump`.
    """
    return _contracts(cursor, scope, player_no, "d.declarer = ds.seat")


def defended_contracts(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count the contracts of the other team, as `bid_contracts`; the `share` is of those `failed`."""
    return _contracts(cursor, scope, player_no, DEFENDED, "failed")


def _contracts(cursor: Cursor, scope: Scope, player_no: int, whose: str, won: str = "made") -> pl.DataFrame:
    chosen, values = counted_deals(scope, player_no, decided=False)
    query = f"""
        WITH played AS (
            SELECT d.contract AS level, d.trump AS suit, d.coinched > 0 AS coinched, d.contract_made AS made,
                {whose} AND d.contract IS NOT NULL AS chosen, match_no
            FROM {chosen}
        )
        SELECT CASE grouping(level) * 4 + grouping(suit) * 2 + grouping(coinched)
                WHEN 7 THEN 'all' WHEN 3 THEN 'level' WHEN 5 THEN 'suit' WHEN 1 THEN 'both'
                ELSE 'coinched' END AS "by",
            level, suit, CASE WHEN grouping(coinched) = 0 THEN coinched END AS is_coinched,
            count(*) AS taken, (SELECT count(*) FROM played) AS n,
            count(*) FILTER (coinched) AS contracts_coinched, count(*) FILTER (made) AS made,
            count(*) FILTER (NOT made) AS failed, count(made) AS decided
        FROM played WHERE chosen
        GROUP BY GROUPING SETS ((), (level), (suit), (level, suit), (coinched))
        HAVING taken > 0
        ORDER BY CASE "by" WHEN 'all' THEN 0 WHEN 'level' THEN 1 WHEN 'suit' THEN 2
            WHEN 'coinched' THEN 3 ELSE 4 END, level, suit, is_coinched
    """
    frame = cursor.execute(query, values).pl()
    return with_share_interval(with_share_interval(frame, won, "decided"), "taken", "n", "taken_")


def capots_and_litiges(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count `k` of `n` deals with a contract: each `figure` of SPECIAL_ENDS."""
    chosen, values = counted_deals(scope, player_no, decided=False)
    tricks = game_view(scope.game).STATISTICS.tricks
    counts = ", ".join(f"count(*) FILTER ({one.format(tricks=tricks)})" for one in SPECIAL_ENDS.values())
    query = f"""SELECT count(*), {counts}
        FROM {chosen} AND d.contract IS NOT NULL AND d.winning_side IS NOT NULL"""
    n, *found = cursor.execute(query, values).fetchall()[0]
    columns = {"figure": pl.String, "k": pl.Int64, "n": pl.Int64}
    rows = [(figure, k, n) for figure, k in zip(SPECIAL_ENDS, found, strict=True) if n]
    return with_share_interval(pl.DataFrame(rows, columns, orient="row"), "k", "n")


def chosen_bid_cards(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Count per bid card (`bid`, an index of the five) the `n` manches and those met, `bids_met`."""
    chosen, values = counted_deals(scope, player_no, decided=False)
    query = f"""
        SELECT ds.bid, count(*) AS n, count(*) FILTER (ds.bid_met) AS bids_met, avg(ds.points) AS points,
            stddev_samp(ds.points) AS deviation, avg(ds.bonus) AS reserve,
            stddev_samp(ds.bonus) AS spread
        FROM {chosen} AND ds.bid IS NOT NULL GROUP BY ds.bid ORDER BY ds.bid
    """
    frame = cursor.execute(query, values).pl()
    frame = with_mean_interval(with_share_interval(frame, "bids_met", "n"), "points", "deviation", "n")
    return with_mean_interval(frame, "reserve", "spread", "n").drop("spread")


def reserve_share(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return one row: `reserve` points from chouiner, all `points` in `n` manches, and the share.

    `low` and `high` are the normal interval of that ratio of two sums, cut at 0, null below two manches.
    """
    chosen, values = counted_deals(scope, player_no, decided=False)
    query = f"""
        SELECT count(*) AS n, sum(ds.bonus)::BIGINT AS reserve, sum(ds.points)::BIGINT AS points,
            avg(ds.bonus) AS mean, stddev_samp(ds.bonus) AS deviation,
            var_samp(ds.bonus) AS own, var_samp(ds.points) AS whole,
            covar_samp(ds.bonus, ds.points) AS both
        FROM {chosen} HAVING n > 0
    """
    frame = cursor.execute(query, values).pl()
    frame = with_mean_interval(frame, "mean", "deviation", "n")
    share = pl.when(pl.col("points") > 0).then(pl.col("reserve") / pl.col("points"))
    frame = frame.with_columns(share.alias("share"))
    left = pl.col("own") - 2 * share * pl.col("both") + share**2 * pl.col("whole")
    off = 1.96 * (left.clip(0) * pl.col("n")).sqrt() / pl.col("points")
    return frame.with_columns(low=(share - off).clip(0), high=share + off).drop("own", "whole", "both")
