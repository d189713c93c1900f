"""Two players, or two pairs, against each other."""

from typing import Literal

import polars as pl

from dashboard.queries.intervals import (
    with_difference_interval,
    with_mean_interval,
    with_share_interval,
)
from dashboard.queries.player_deals import PLAY_ORDER
from dashboard.queries.scope import KIND_ORDER, MATCHES_OF_PLAYER, Condition, Cursor, Scope
from engine.games import game

Side = tuple[int, ...]
"""The numbers of one player, or of two partners."""
FigureKey = tuple[str, bool] | Literal["score", "margin"]
"""A figure that counts deals: a kind of announcement, trump or plain, or one of these."""


def _common_matches(scope: Scope, one: Side, other: Side, together: bool = False) -> Condition:
    """Matches with both sides at the table, `a` and `b` their seats: apart, or partners."""
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
    query = f"""SELECT m.match_no, m.match_id, m.game, m.status, m.sheet, m.played_at, m.winner,
            a.seat AS a, b.seat AS b
        FROM (FROM matches SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)) m
            JOIN seats a ON a.match_no = m.match_no AND a.player_no = ?
            JOIN seats b ON b.match_no = m.match_no AND b.player_no = ?
        WHERE {" AND ".join(clauses)}"""
    return query, [one[0], one[0], other[0], *values]


def opposed_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Their matches on different sides, in the order of play: `match_no`, `match_id`, `played_at`.

    `won` is `one`, `other`, `third`, `nobody` where the match was drawn, `unfinished`.
    """
    sides = game(scope.game).side_count(scope.players)
    won = f""", CASE WHEN winner IS NULL THEN 'unfinished'
        WHEN winner = 0 THEN 'nobody' WHEN (a::INTEGER - winner) % {sides} = 0 THEN 'one'
        WHEN (b::INTEGER - winner) % {sides} = 0 THEN 'other' ELSE 'third' END AS won"""
    return _ordered_matches(cursor, scope, _common_matches(scope, one, other), won)


def partnered_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Their matches on one side, in the order of play, with the columns of `opposed_matches` but
    `won`.
    """
    return _ordered_matches(cursor, scope, _common_matches(scope, one, other, together=True))


def excluded_matches(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """Their matches on different sides of another verdict, their `reason`, in the order of play."""
    met = _common_matches(scope, one, other)
    return _ordered_matches(cursor, scope, met, ", status::VARCHAR AS reason", "NOT")


def _ordered_matches(
    cursor: Cursor, scope: Scope, met: Condition, more: str = "", counts: str = ""
) -> pl.DataFrame:
    """Matches of `_common_matches` that count, or do NOT, in the order of play; `more`: columns in
    SQL.
    """
    chosen, values = met
    status, some = scope.result_condition("")
    return cursor.execute(
        f"SELECT match_no, match_id, played_at{more} FROM ({chosen})"
        f" WHERE {counts} ({status}) ORDER BY played_at NULLS LAST, match_no",
        [*values, *some],
    ).pl()


def series_counts(cursor: Cursor, scope: Scope, one: Side, other: Side) -> dict[str, int]:
    """How many of their matches each won (`one`, `other`), a `third`, `nobody`, or `unfinished`.

    `partnered_matches` they were in so many more, and so many had another verdict
    (`excluded_matches`).
    """
    won = opposed_matches(cursor, scope, one, other)["won"].to_list()
    counts = {name: won.count(name) for name in ("one", "other", "third", "nobody", "unfinished")}
    others = excluded_matches(cursor, scope, one, other).height
    return counts | {
        "partners": partnered_matches(cursor, scope, one, other).height,
        "left_out": others,
    }


def streaks(found: pl.DataFrame) -> pl.DataFrame:
    """Of `opposed_matches`: the longest series each won (`side`) and the one going on now (`now`).

    `n` matches, from `played_at` to `until`, beginning with `match_id`. A match nobody or a third
    won ends a series; one that is unfinished does not.
    """
    runs = (
        found.filter(pl.col("won") != "unfinished")
        .with_columns(pl.col("won").rle_id().alias("run"))
        .group_by("run", maintain_order=True)
        .agg(
            side=pl.col("won").first(),
            length=pl.len().cast(pl.Int64),
            played_at=pl.col("played_at").first(),
            until=pl.col("played_at").last(),
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
    return pl.concat(
        [longest.with_columns(now=pl.lit(False)), now.with_columns(now=pl.lit(True))]
    ).drop("run")


def score_table(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """`k` won by one and `other_k` by the other of `n` that either won: matches, then deals."""
    won = opposed_matches(cursor, scope, one, other)["won"]
    [deals] = margins(cursor, scope, one, other).rows(named=True)
    rows = [
        ("matches", int((won == "one").sum()), int((won == "other").sum())),
        ("deals", deals["one"], deals["other"]),
    ]
    columns = {"what": pl.String, "k": pl.Int64, "other_k": pl.Int64}
    frame = pl.DataFrame(rows, columns, orient="row")
    return with_share_interval(frame.with_columns(n=pl.col("k") + pl.col("other_k")), "k", "n")


def _common_deals(scope: Scope, one: Side, other: Side) -> Condition:
    """Deals that count of their matches, with the points of each and who won."""
    met, values = _common_matches(scope, one, other)
    counted, some = scope.deal_condition()
    query = f"""SELECT t.match_no, t.match_id, t.played_at, d.deal, t.a, t.b, x.won AS one,
            y.won AS other, (x.points - y.points)::INTEGER AS margin, d.told
        FROM ({met}) t JOIN deals d USING (match_no)
            JOIN deal_seats x ON x.match_no = d.match_no AND x.deal = d.deal AND x.seat = t.a
            JOIN deal_seats y ON y.match_no = d.match_no AND y.deal = d.deal AND y.seat = t.b
        WHERE {counted} AND x.won IS NOT NULL"""
    return query, [*values, *some]


def margins(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """One row: of `n` deals `one` and `other` won some, and the mean `margin` with its interval."""
    chosen, values = _common_deals(scope, one, other)
    query = f"""
        SELECT count(*) AS n, count(*) FILTER (one) AS one, count(*) FILTER (other) AS other,
            avg(margin) AS margin, stddev_samp(margin) AS deviation, count(margin) AS pointed,
            count(*) FILTER (told) AS told
        FROM ({chosen})
    """
    frame = cursor.execute(query, values).pl()
    return scope.with_sheet_counts(
        with_mean_interval(frame, "margin", "deviation", "pointed").drop("pointed")
    )


def widest_margins(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """The deal each won by most (`side`): `margin`, `played_at`, `match_id`, `number` from 1."""
    chosen, values = _common_deals(scope, one, other)
    query = f"""
        WITH played AS MATERIALIZED ({chosen} AND x.points IS NOT NULL), best AS (
            (SELECT 'one' AS side, * FROM played WHERE one
                ORDER BY margin DESC, {PLAY_ORDER} LIMIT 1)
            UNION ALL
            (SELECT 'other', * FROM played WHERE other ORDER BY margin, {PLAY_ORDER} LIMIT 1)
        )
        SELECT side, abs(margin) AS margin, played_at, match_id, deal::INTEGER + 1 AS number
        FROM best ORDER BY side
    """
    return cursor.execute(query, values).pl()


def announcement_counts(cursor: Cursor, scope: Scope, one: Side, other: Side) -> pl.DataFrame:
    """One row per kind, trump or plain: counted in `k` of `n` hands of one, in `other_k` of the
    other's as many.

    `difference` of the shares, Newcombe's interval `low` to `high`, and who `leads`: `one`,
    `other`, or nobody (null) where the interval has zero in it.
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
    """The hands behind a figure, as `played.listed` takes them.

    Of the `score_table` those of the winner, where either won; of the `margin` the first's of every
    deal somebody won; of a kind, trump or plain, the hands of either in which it counted.
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
