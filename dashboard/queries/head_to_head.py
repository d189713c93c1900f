"""Two players, or two pairs, against each other."""

from typing import Literal

import polars as pl

from dashboard.queries.intervals import with_difference_interval, with_mean_interval, with_share_interval
from dashboard.queries.player_deals import PLAY_ORDER
from dashboard.queries.scope import KIND_ORDER, MATCHES_OF_PLAYER, Condition, Cursor, Scope
from engine.games import game

Side = tuple[int, ...]
"""The player number of one player, or those of two partners."""
FigureKey = tuple[str, bool] | Literal["score", "margin"]
"""A figure that counts deals: (kind of announcement, whether in trump), or one of these."""


def _common_matches(scope: Scope, first: Side, second: Side, together: bool = False) -> Condition:
    """Return SQL for matches with both sides seated (`a`, `b`): as opponents, or `together`."""
    where, values = scope.match_condition()
    sides = game(scope.game).side_count(scope.player_count)
    clauses = [where, f"(a.seat::INTEGER - b.seat) % {sides} {'=' if together else '<>'} 0"]
    for seat, partners in (("a", first[1:]), ("b", second[1:])):
        for partner in partners:
            clauses.append(
                f"(m.match_no, {seat}.seat % {sides}) IN"
                f" (SELECT (match_no, seat % {sides}) FROM seats WHERE player_no = ?)"
            )
            values.append(partner)
    query = f"""SELECT m.match_no, m.match_id, m.game, m.status, m.is_score_sheet, m.played_at, m.played_on,
            m.winning_side, a.seat AS a, b.seat AS b
        FROM (FROM matches SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)) m
            JOIN seats a ON a.match_no = m.match_no AND a.player_no = ?
            JOIN seats b ON b.match_no = m.match_no AND b.player_no = ?
        WHERE {" AND ".join(clauses)}"""
    return query, [first[0], first[0], second[0], *values]


def opposed_matches(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return the matches between them, in order of play: `match_no`, `match_id`, `played_at`, `played_on`.

    `won` is `first`, `second`, `third`, `nobody` for a drawn match, or `unfinished`.
    """
    sides = game(scope.game).side_count(scope.player_count)
    won = f""", CASE WHEN winning_side IS NULL THEN 'unfinished'
        WHEN winning_side = 0 THEN 'nobody' WHEN (a::INTEGER - winning_side) % {sides} = 0 THEN 'first'
        WHEN (b::INTEGER - winning_side) % {sides} = 0 THEN 'second' ELSE 'third' END AS won"""
    return _ordered_matches(cursor, scope, _common_matches(scope, first, second), won)


def partnered_matches(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return the matches they played as partners: the same columns without `won`."""
    return _ordered_matches(cursor, scope, _common_matches(scope, first, second, together=True))


def excluded_matches(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return matches between them whose verdict does not count, with their `reason`."""
    met = _common_matches(scope, first, second)
    return _ordered_matches(cursor, scope, met, ", status::VARCHAR AS reason", "NOT")


def _ordered_matches(
    cursor: Cursor, scope: Scope, met: Condition, more: str = "", counts: str = ""
) -> pl.DataFrame:
    """Return matches (`met`) that count or, with `counts="NOT"`, do not, in order of play."""
    chosen, values = met
    status, some = scope.result_condition("")
    return cursor.execute(
        f"SELECT match_no, match_id, played_at, played_on{more} FROM ({chosen})"
        f" WHERE {counts} ({status}) ORDER BY played_at NULLS LAST, match_no",
        [*values, *some],
    ).pl()


def series_counts(cursor: Cursor, scope: Scope, first: Side, second: Side) -> dict[str, int]:
    """Count their matches won by `first`, `second`, a `third` or `nobody`, and `unfinished` ones.

    `partners` counts `partnered_matches`, `left_out` counts `excluded_matches`.
    """
    won = opposed_matches(cursor, scope, first, second)["won"].to_list()
    counts = {name: won.count(name) for name in ("first", "second", "third", "nobody", "unfinished")}
    others = excluded_matches(cursor, scope, first, second).height
    return counts | {"partners": partnered_matches(cursor, scope, first, second).height, "left_out": others}


def streaks(found: pl.DataFrame) -> pl.DataFrame:
    """Return each side's longest winning streak in `opposed_matches`, then the current one.

    `length` matches of `side`, from `played_on` to `until`, beginning with `match_id`; `now` marks
    the current streak. A draw or a third player's win ends one; an unfinished match does not.
    """
    runs = (
        found.filter(pl.col("won") != "unfinished")
        .with_columns(pl.col("won").rle_id().alias("run"))
        .group_by("run", maintain_order=True)
        .agg(
            side=pl.col("won").first(),
            length=pl.len().cast(pl.Int64),
            played_on=pl.col("played_on").first(),
            until=pl.col("played_on").last(),
            match_id=pl.col("match_id").first(),
        )
    )
    ours = pl.col("side").is_in(["first", "second"])
    longest = (
        runs.filter(ours)
        .sort("length", descending=True, maintain_order=True)
        .unique("side", keep="first", maintain_order=True)
        .sort("side")
    )
    now = runs.tail(1).filter(ours)
    return pl.concat([longest.with_columns(now=pl.lit(False)), now.with_columns(now=pl.lit(True))]).drop(
        "run"
    )


def score_table(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return matches, then deals: `k` won by the first side, `second_k` by the second, `n` by either."""
    won = opposed_matches(cursor, scope, first, second)["won"]
    [deals] = margins(cursor, scope, first, second).rows(named=True)
    rows = [
        ("matches", int((won == "first").sum()), int((won == "second").sum())),
        ("deals", deals["first"], deals["second"]),
    ]
    frame = pl.DataFrame(rows, {"figure": pl.String, "k": pl.Int64, "second_k": pl.Int64}, orient="row")
    return with_share_interval(frame.with_columns(n=pl.col("k") + pl.col("second_k")), "k", "n")


def _common_deals(scope: Scope, first: Side, second: Side) -> Condition:
    """Return SQL for the counted deals between them, with the winner and the point margin."""
    met, values = _common_matches(scope, first, second)
    counted, some = scope.deal_condition()
    query = f"""SELECT t.match_no, t.match_id, t.played_at, t.played_on, d.deal_index, t.a, t.b,
            x.won AS first, y.won AS second, (x.points - y.points)::INTEGER AS margin, d.is_score_line
        FROM ({met}) t JOIN deals d USING (match_no)
            JOIN deal_seats x ON x.match_no = d.match_no AND x.deal_index = d.deal_index AND x.seat = t.a
            JOIN deal_seats y ON y.match_no = d.match_no AND y.deal_index = d.deal_index AND y.seat = t.b
        WHERE {counted} AND x.won IS NOT NULL"""
    return query, [*values, *some]


def margins(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return one row: `n` deals, those `first` and `second` won, the mean `margin`, its interval."""
    chosen, values = _common_deals(scope, first, second)
    query = f"""
        SELECT count(*) AS n, count(*) FILTER (first) AS first, count(*) FILTER (second) AS second,
            avg(margin) AS margin, stddev_samp(margin) AS deviation, count(margin) AS deals_with_points,
            count(*) FILTER (is_score_line) AS from_sheets
        FROM ({chosen})
    """
    frame = cursor.execute(query, values).pl()
    return scope.with_sheet_counts(
        with_mean_interval(frame, "margin", "deviation", "deals_with_points", None).drop("deals_with_points")
    )


def widest_margins(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Return each side's widest win: `side`, `margin`, `played_on`, `match_id`, `deal_number`."""
    chosen, values = _common_deals(scope, first, second)
    query = f"""
        WITH played AS MATERIALIZED ({chosen} AND x.points IS NOT NULL), best AS (
            (SELECT 'first' AS side, * FROM played WHERE first
                ORDER BY margin DESC, {PLAY_ORDER} LIMIT 1)
            UNION ALL
            (SELECT 'second', * FROM played WHERE second ORDER BY margin, {PLAY_ORDER} LIMIT 1)
        )
        SELECT side, abs(margin) AS margin, played_on, match_id, deal_index::INTEGER + 1 AS deal_number
        FROM best ORDER BY side
    """
    return cursor.execute(query, values).pl()


def announcement_counts(cursor: Cursor, scope: Scope, first: Side, second: Side) -> pl.DataFrame:
    """Count announcements per kind, trump or plain: `k` and `second_k` of `n` hands per side.

    The `difference` of the shares has Newcombe's interval `low` to `high`; `leads` is `first`,
    `second`, or null if the interval contains zero.
    """
    met, values = _common_matches(scope, first, second)
    counted, some = scope.without_sheets.deal_condition()
    query = f"""
        WITH chosen AS (
            SELECT match_no, d.deal_index, t.a, t.b FROM ({met}) t JOIN deals d USING (match_no)
            WHERE {counted} AND d.dealer IS NOT NULL
        ), hands AS (
            SELECT match_no, c.deal_index, an.seat = c.a AS first, an.kind, an.trump
            FROM chosen c JOIN announcements an USING (match_no, deal_index)
            WHERE an.counted AND an.seat IN (c.a, c.b) GROUP BY ALL
        )
        SELECT kind::VARCHAR AS kind, trump, count(*) FILTER (first) AS k,
            count(*) FILTER (NOT first) AS second_k, (SELECT count(*) FROM chosen) AS n
        FROM hands GROUP BY hands.kind, trump ORDER BY {KIND_ORDER.format("hands.kind")}, trump
    """
    frame = cursor.execute(query, [*values, *some, scope.announcement_kinds()]).pl()
    differ = ((pl.col("k") - pl.col("second_k")) / pl.col("n")).alias("difference")
    found = with_difference_interval(frame.with_columns(differ), "k", "n", "second_k", "n")
    leader = pl.when(pl.col("low") > 0).then(pl.lit("first"))
    return found.with_columns(leads=leader.when(pl.col("high") < 0).then(pl.lit("second")))


def hands_behind(scope: Scope, first: Side, second: Side, of: FigureKey = "score") -> Condition:
    """Return SQL for the hands behind a figure, for `player_deals.list_hands`.

    `score`: the winner's hand in deals either side won; `margin`: the first side's hand in every
    deal with a winner; a kind, trump or plain: hands of either side in which it counted.
    """
    if of in ("score", "margin"):
        deals, values = _common_deals(scope, first, second)
        hands = "SELECT match_no, deal_index, CASE WHEN first OR {every} THEN a ELSE b END AS seat"
        every = of == "margin"
        return f"{hands.format(every=every)} FROM ({deals}) WHERE first OR second OR {every}", values
    met, values = _common_matches(scope, first, second)
    counted, some = scope.without_sheets.deal_condition()
    query = f"""SELECT DISTINCT match_no, d.deal_index, an.seat
        FROM ({met}) t JOIN deals d USING (match_no) JOIN announcements an USING (match_no, deal_index)
        WHERE {counted} AND d.dealer IS NOT NULL AND an.counted AND an.seat IN (t.a, t.b)
            AND an.kind::VARCHAR = ? AND an.trump = ?"""
    return query, [*values, *some, *of]
