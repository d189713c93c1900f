"""Players: what they played and won. Only deals that somebody won count."""

import duckdb
import polars as pl

from dashboard.queries import ladder
from dashboard.queries.intervals import with_interval, with_mean
from dashboard.queries.scope import Scope

_FROM = "deal_seats ds JOIN deals d USING (match_no, deal) JOIN matches m USING (match_no)"
_SEATED = "deals d JOIN matches m USING (match_no) JOIN seats s USING (match_no)"
"""Who sat at a deal, at half the price: a seat won or lost exactly where a deal has a winner."""
_EXACT = "lower(strip_accents({})) = lower(strip_accents(?)) DESC"
"""Who is named exactly as is searched for comes first."""


def table(
    cursor: duckdb.DuckDBPyConnection,
    scope: Scope | None = None,
    words: str = "",
    limit: int = 50,
    offset: int = 0,
    player_no: int | None = None,
    ranked: bool = False,
) -> pl.DataFrame:
    """Players, who played most first: `matches`, `parties`, `wins` with their share, averages.

    Who has `words` for a name comes first. `bonus` and `announced` are of games with
    announcements, `contracts` bid and `made` of those with an auction, `met` of those with bid
    cards. Of partners, points and cards are the side's. Each average has its interval
    (`points_low`), and so has the share `met`. With `player_no` that player alone. `ranked`: each
    has the `rank` of `ladder.ranks`, by which they come, then by name. Who is on the page is
    settled first: all but that is worked out for these only.
    """
    scope = scope or Scope()
    ranks = ladder.ranks(cursor, scope) if ranked else {}
    order = "rank NULLS LAST" if ranked else "parties DESC"
    where, values = scope.chosen("ds.seat")
    seated, some = scope.chosen("s.seat")
    said, more = scope.proven.chosen("a.seat")
    frame = cursor.execute(
        f"""
        WITH named AS (
            SELECT player_no, player_id, name, rank FROM players LEFT JOIN (
                SELECT unnest(?::INTEGER[]) AS player_no, unnest(?::INTEGER[]) AS rank
            ) USING (player_no)
            WHERE contains(lower(strip_accents(name)), lower(strip_accents(?)))
                AND (?::INTEGER IS NULL OR player_no = ?)
        ), page AS MATERIALIZED (
            SELECT n.* FROM named n JOIN (
                SELECT s.player_no, count(*) AS parties FROM {_SEATED}
                WHERE {seated} AND d.winner > 0 GROUP BY s.player_no
            ) USING (player_no)
            ORDER BY {_EXACT.format("name")}, {order}, lower(name), player_no LIMIT ? OFFSET ?
        ), counted AS (
            SELECT ds.*, d.bidder = ds.seat AS bids, d.made, d.told
            FROM {_FROM} SEMI JOIN page n USING (player_no)
            WHERE {where} AND ds.won IS NOT NULL
        ), played AS (
            SELECT player_no, count(DISTINCT match_no) AS matches, count(*) AS parties,
                count(*) FILTER (won) AS wins, avg(points) AS points,
                stddev_samp(points) AS deviation, avg(cards) AS cards,
                stddev_samp(cards) AS cards_deviation, avg(bonus) AS bonus,
                stddev_samp(bonus) AS bonus_deviation, count(*) FILTER (bids) AS contracts,
                count(*) FILTER (bids AND made) AS made, count(*) FILTER (met) AS met,
                count(points) AS pointed, count(*) FILTER (told) AS told,
                count(*) FILTER (NOT told) AS played
            FROM counted GROUP BY player_no
        ), announced AS (
            SELECT player_no, sum(said)::BIGINT AS said, sum(said * said)::BIGINT AS squares
            FROM (
                SELECT a.player_no, count(*) AS said
                FROM announcements a JOIN deals d USING (match_no, deal)
                    JOIN matches m USING (match_no) SEMI JOIN page n USING (player_no)
                WHERE {said} AND d.winner > 0 AND a.counted
                GROUP BY a.player_no, match_no, a.deal
            ) GROUP BY player_no
        )
        SELECT player_no, page.player_id, page.name, matches, parties, wins, points, deviation,
            cards, cards_deviation, bonus, bonus_deviation, contracts, made, met,
            coalesce(said, 0) / nullif(p.played, 0) AS announced,
            CASE WHEN p.played > 1 THEN sqrt(greatest(0, coalesce(squares, 0)
                - coalesce(said, 0) ** 2 / p.played) / (p.played - 1)) END AS announced_deviation,
            pointed, told, p.played, rank
        FROM played p JOIN page USING (player_no) LEFT JOIN announced USING (player_no)
        ORDER BY {_EXACT.format("page.name")}, {order}, lower(page.name), player_no
        """,
        [
            *(list(ranks), list(ranks.values()), words.strip(), player_no, player_no),
            *(*some, words.strip(), limit, offset),
            *(*values, *more, words.strip()),
        ],
    ).pl()
    frame = with_interval(with_interval(frame, "wins", "parties"), "met", "played", "met_")
    frame = with_mean(frame, "points", "deviation", "pointed")
    for name in ("cards", "bonus", "announced"):
        frame = with_mean(frame, name, f"{name}_deviation", "played")
    return scope.told(frame.drop("pointed", "played", *([] if ranked else ["rank"])))


def count(cursor: duckdb.DuckDBPyConnection, scope: Scope | None = None, words: str = "") -> int:
    """How many players of that name have a partie that counts."""
    where, values = (scope or Scope()).chosen("s.seat")
    row = cursor.execute(
        f"""
        SELECT count(*) FROM players p SEMI JOIN
            (SELECT DISTINCT s.player_no FROM {_SEATED} WHERE {where} AND d.winner > 0) c
            USING (player_no)
        WHERE contains(lower(strip_accents(p.name)), lower(strip_accents(?)))
        """,
        [*values, words.strip()],
    ).fetchone()
    return int(row[0]) if row else 0
