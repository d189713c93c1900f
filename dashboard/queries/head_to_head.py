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


def _common_matches(scope: Scope, one: Side, other: Side, together: bool = False) -> Condition:
    """Return SQL for matches with both sides seated (`a`, `b`): as opponents, or `together`."""
    where, values = scope.match_condition()
    sides = game(scope.game).side_count(scope.players)
    clauses = [where, f"(a.seat::INTEGER - b.seat) % {sides} {'=' if together else '<>'} 0"]
    for seat, partners in (("a", one[1:]), ("b", other[1:])):
        for partner in partners:
            clauses.append(
                f"(m.match_no, {seat}.seat % {sides}) IN"
                f" (SELECT (match_no, seat % {sides}) FROM seats WHERE player_no = ?)"
            )
            values.append(partner)
    query = f"""SELECT m.match_no, m.match_id, m.game, m.status, m.sheet, m.played_at, m.played_on, m.winner,
            a.seat AS a, b.seat AS b
        FROM (FROM matches SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)) m
            JOIN seats a ON a.match_no = m.match_no AND a.player_no = ?
            JOIN seats b ON b.match_no = m.match_no AND b.player_no = ?
        WHERE {" AND ".join(clauses)}"""
    return query, [one[0], one[0], other[0], *values]


def opposed_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return the matches between them, in order of play: `match_no`, `match_id`, `played_at`, `played_on`.

    `won` is `one`, `other`, `third`, `nobody` for a drawn match, or `unfinished`.
    """
    sides = game(scope.game).side_count(scope.players)
    won = f""", CASE WHEN winner IS NULL THEN 'unfinished'
        WHEN winner = 0 THEN 'nobody' WHEN (a::INTEGER - winner) % {sides} = 0 THEN 'one'
        WHEN (b::INTEGER - winner) % {sides} = 0 THEN 'other' ELSE 'third' END AS won"""
    return _ordered_matches(cursor, scope, _common_matches(scope, one, other), won)


def partnered_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return the matches they played as partners: the same columns without `won`."""
    return _ordered_matches(cursor, scope, _common_matches(scope, one, other, together=True))


def excluded_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return matches between them whose verdict does not count, with their `reason`."""
    met = _common_matches(scope, one, other)
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


def series_counts(cursor: Cursor, scope: Scope, one: Side, other: Side) -> dict[str, int]:
    """Count their matches won by `one`, `other`, a `third` or `nobody`, and `unfinished` ones.

    `partners` counts `partnered_matches`, `left_out` counts `excluded_matches`.
    """
    won = opposed_matches(cursor, scope, one, other)["won"].to_list()
    counts = {name: won.count(name) for name in ("one", "other", "third", "nobody", "unfinished")}
    others = excluded_matches(cursor, scope, one, other).height
    return counts | {"partners": partnered_matches(cursor, scope, one, other).height, "left_out": others}


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
    ours = pl.col("side").is_in(["one", "other"])
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


def score_table(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return matches, then deals: `k` won by one, `other_k` by the other, `n` by either."""
    won = opposed_matches(cursor, scope, one, other)["won"]
    [deals] = margins(cursor, scope, one, other).rows(named=True)
    rows = [
        ("matches", int((won == "one").sum()), int((won == "other").sum())),
        ("deals", deals["one"], deals["other"]),
    ]
    frame = pl.DataFrame(rows, {"what": pl.String, "k": pl.Int64, "other_k": pl.Int64}, orient="row")
    return with_share_interval(frame.with_columns(n=pl.col("k") + pl.col("other_k")), "k", "n")


def _common_deals(scope: Scope, one: Side, other: Side) -> Condition:
    """Return SQL for the counted deals between them, with the winner and the point margin."""
    met, values = _common_matches(scope, one, other)
    counted, some = scope.deal_condition()
    query = f"""SELECT t.match_no, t.match_id, t.played_at, t.played_on, d.deal, t.a, t.b, x.won AS one,
            y.won AS other, (x.points - y.points)::INTEGER AS margin, d.is_score_line
        FROM ({met}) t JOIN deals d USING (match_no)
            JOIN deal_seats x ON x.match_no = d.match_no AND x.deal = d.deal AND x.seat = t.a
            JOIN deal_seats y ON y.match_no = d.match_no AND y.deal = d.deal AND y.seat = t.b
        WHERE {counted} AND x.won IS NOT NULL"""
    return query, [*values, *some]


def margins(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return one row: `n` deals, those `one` and `other` won, the mean `margin`, its interval."""
    chosen, values = _common_deals(scope, one, other)
    query = f"""
        SELECT count(*) AS n, count(*) FILTER (one) AS one, count(*) FILTER (other) AS other,
            avg(margin) AS margin, stddev_samp(margin) AS deviation, count(margin) AS deals_with_points,
            count(*) FILTER (is_score_line) AS from_sheets
        FROM ({chosen})
    """
    frame = cursor.execute(query, values).pl()
    return scope.with_sheet_counts(
        with_mean_interval(frame, "margin", "deviation", "deals_with_points").drop("deals_with_points")
    )


def widest_margins(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Return each side's widest win: `side`, `margin`, `played_on`, `match_id`, `number`."""
    chosen, values = _common_deals(scope, one, other)
    query = f"""
        WITH played AS MATERIALIZED ({chosen} AND x.points IS NOT NULL), best AS (
            (SELECT 'one' AS side, * FROM played WHERE one
                ORDER BY margin DESC, {PLAY_ORDER} LIMIT 1)
            UNION ALL
            (SELECT 'other', * FROM played WHERE other ORDER BY margin, {PLAY_ORDER} LIMIT 1)
        )
        SELECT side, abs(margin) AS margin, played_on, match_id, deal::INTEGER + 1 AS number
        FROM best ORDER BY side
    """
    return cursor.execute(query, values).pl()


def announcement_counts(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Count announcements per kind, trump or plain: `k` and `other_k` of `n` hands per side.

    The `difference` of the shares has Newcombe's interval `low` to `high`; `leads` is `one`,
    `other`, or null if the interval contains zero.
    """
    met, values = _common_matches(scope, one, other)
    counted, some = scope.without_sheets.deal_condition()
    query = f"""
        WITH chosen AS (
            SELECT match_no, d.deal, t.a, t.b FROM ({met}) t JOIN deals d USING (match_no)
            WHERE {counted} AND d.dealer IS NOT NULL
        ), hands AS (
            SELECT match_no, c.deal, an.seat = c.a AS one, an.kind, an.trump
            FROM chosen c JOIN announcements an USING (match_no, deal)
            WHERE an.counted AND an.seat IN (c.a, c.b) GROUP BY ALL
        )
        SELECT kind::VARCHAR AS kind, trump, count(*) FILTER (one) AS k,
            count(*) FILTER (NOT one) AS other_k, (SELECT count(*) FROM chosen) AS n
        FROM hands GROUP BY hands.kind, trump ORDER BY {KIND_ORDER.format("hands.kind")}, trump
    """
    frame = cursor.execute(query, [*values, *some, scope.announcement_kinds()]).pl()
    differ = ((pl.col("k") - pl.col("other_k")) / pl.col("n")).alias("difference")
    found = with_difference_interval(frame.with_columns(differ), "k", "n", "other_k", "n")
    first = pl.when(pl.col("low") > 0).then(pl.lit("one"))
    return found.with_columns(leads=first.when(pl.col("high") < 0).then(pl.lit("other")))


def hands_behind(scope: Scope, one: Side, other: Side, of: FigureKey = "score") -> Condition:
    """Return SQL for the hands behind a figure, for `player_deals.list_hands`.

    `score`: the winner's hand in deals either side won; `margin`: the first side's hand in every
    deal with a winner; a kind, trump or plain: hands of either side in which it counted.
    """
    if of in ("score", "margin"):
        deals, values = _common_deals(scope, one, other)
        hands = "SELECT match_no, deal, CASE WHEN one OR {every} THEN a ELSE b END AS seat"
        every = of == "margin"
        return f"{hands.format(every=every)} FROM ({deals}) WHERE one OR other OR {every}", values
    met, values = _common_matches(scope, one, other)
    counted, some = scope.without_sheets.deal_condition()
    query = f"""SELECT DISTINCT match_no, d.deal, an.seat
        FROM ({met}) t JOIN deals d USING (match_no) JOIN announcements an USING (match_no, deal)
        WHERE {counted} AND d.dealer IS NOT NULL AND an.counted AND an.seat IN (t.a, t.b)
            AND an.kind::VARCHAR = ? AND an.trump = ?"""
    return query, [*values, *some, *of]
