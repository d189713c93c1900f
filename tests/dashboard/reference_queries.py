"""Reference queries: statistics counted from the tables of play, without rollups.

Slow and plain: `test_rollups.py` holds today's queries to the same answers.
"""

from typing import Any

import duckdb
import polars as pl

from dashboard.games import game_view
from dashboard.queries.announcements import RowHands
from dashboard.queries.intervals import newcombe_interval, with_mean_interval, with_share_interval
from dashboard.queries.player_deals import list_hands
from dashboard.queries.scope import KIND_ORDER, Condition, Scope

FACTS = ("held", "announced", "shown", "counted")
MOMENTS = {
    "trick": "a.trick",
    "phase": "CASE WHEN a.closed THEN 'closed' WHEN NOT a.closed THEN 'open' END",
    "lead": "a.lead",
}
"""What only an announcement that was made has; `lead`: by the player who led that trick."""
OF_DEALS = {"event": "event", "month": "date_trunc('month', played_on)::DATE"}
KEYS = (*MOMENTS, "player", *OF_DEALS)
"""What frequencies may be split by."""


def announcement_frequencies(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int | None = None
) -> pl.DataFrame:
    """One row per kind, trump or plain: hands `held`, `announced`, `shown`, `counted` in, of `n`
    hands in `deals` deals.

    `made` is how many announcements that is: a hand may say one kind in two suits. `share`, `low`,
    `high` are those of `counted`; `points` is the mean when it counts.
    """
    return _frequencies(cursor, scope, None, player_no).drop("value")


def frequencies_by(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, key: str, player_no: int | None = None
) -> pl.DataFrame:
    """`frequencies` split by one of KEYS, in a column of that name; zero where none came.

    A `trick` (from 1), `phase` (`open`, `closed`) or `lead` has only announcements that were
    made, of all hands. An event, month or player has hands of its own; events and players
    (`player_no` and `player`, the name) with most of them come first. KeyError: another key.
    """
    if key not in KEYS:
        raise KeyError(key)
    frame = _frequencies(cursor, scope, key, player_no)
    if key != "player":
        return frame.rename({"value": key})
    names = cursor.execute("SELECT player_no, name AS player FROM players").pl()
    named = frame.rename({"value": "player_no"}).join(
        names, on="player_no", how="left", maintain_order="left"
    )
    return named.select("kind", "trump", "player", pl.exclude("kind", "trump", "player"))


def _frequencies(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, key: str | None, player_no: int | None
) -> pl.DataFrame:
    """Rows of `frequencies` for each `value` of the key; null where nothing is split."""
    chosen, values = _chosen(scope, key)
    whose = "?::INTEGER IS NULL OR {}player_no = ?"
    if key == "player" or player_no is not None:
        # of one player a deal has one hand
        value = "player_no" if key == "player" else "c.value"
        hands = f"""
            SELECT {value} AS value, count(*) AS n, n AS deals
            FROM deal_seats JOIN chosen c USING (match_no, deal_index)
            WHERE {whose.format("")} GROUP BY 1"""
        values += [player_no] * 2
    else:
        hands = f"""
            SELECT value, count(*) * {scope.player_count} AS n, count(*) AS deals
            FROM chosen GROUP BY value"""
    text = "CROSS JOIN (SELECT DISTINCT value FROM one)" if key in MOMENTS else ""
    order = "n DESC, value" if key in ("player", "event") else "value"
    frame = cursor.execute(
        f"""
        WITH {chosen}, hands AS ({hands}
        ), one AS (
            SELECT a.kind, a.trump, {_value(key)} AS value, a.match_no, a.deal_index, a.seat,
                bool_or(a.held) AS held, bool_or(a.announced) AS announced,
                count(*) FILTER (a.announced) AS made,
                bool_or(a.shown) AS shown, bool_or(a.counted) AS counted,
                sum(a.points) FILTER (a.counted) AS points
            FROM announcements a JOIN chosen c USING (match_no, deal_index)
            WHERE ({whose.format("a.")}) AND {"a.announced" if key in MOMENTS else "true"}
            GROUP BY ALL
        ), counts AS (
            SELECT kind, trump, value, count(*) FILTER (held) AS held,
                count(*) FILTER (announced) AS announced, sum(made)::BIGINT AS announcements_made,
                count(*) FILTER (shown) AS shown, count(*) FILTER (counted) AS counted,
                avg(points) AS points
            FROM one GROUP BY ALL
        ), places AS (
            FROM (SELECT DISTINCT kind, trump FROM counts)
            CROSS JOIN (SELECT {"* EXCLUDE (value)" if text else "*"} FROM hands) {text}
        )
        SELECT p.kind::VARCHAR AS kind, p.trump, p.value, coalesce(held, 0) AS held,
            coalesce(announced, 0) AS announced, coalesce(announcements_made, 0) AS announcements_made,
            coalesce(shown, 0) AS shown, coalesce(counted, 0) AS counted, points, n, deals
        FROM places p LEFT JOIN counts c
            ON p.kind = c.kind AND p.trump = c.trump AND p.value IS NOT DISTINCT FROM c.value
        ORDER BY {KIND_ORDER.format("p.kind")}, p.trump, {order}
        """,
        [*values, *[player_no] * 2, scope.announcement_kinds()],
    ).pl()
    return with_share_interval(frame, "counted", "n")


def missed_announcements(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int | None = None
) -> pl.DataFrame:
    """One row per kind, trump or plain: `missed` ones, of `n` that were held and said or missed.

    Missed is the best of its suit in hand when none of that suit was announced. `share`, `low`, `high`
    are of those; `points` is what they would have brought in all, null for kinds that win the deal
    at once. `lost` is how many were missed by a player who lost; `would_have_won`, how many of them would
    have won, all else as it was played: the game's rules say (`GameView.would_have_won`).
    `would_have_won_share` with its interval is of the missed.
    """
    chances, values = _chances(scope, player_no)
    frame = cursor.execute(
        f"""
        WITH {chances}
        SELECT kind, trump, count(*) AS n, count(*) FILTER (missed) AS missed,
            sum(worth) FILTER (missed AND NOT list_contains(?::VARCHAR[], kind))::BIGINT AS points,
            count(*) FILTER (lost) AS lost
        FROM chances GROUP BY kind, trump ORDER BY {KIND_ORDER.format("kind")}, trump
        """,
        [*values, list(game_view(scope.game).STATISTICS.winning), scope.announcement_kinds()],
    ).pl()
    turned = _turned(cursor, scope, player_no)
    frame = frame.join(turned, on=["kind", "trump"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("would_have_won").fill_null(0))
    return with_share_interval(
        with_share_interval(frame, "missed", "n"), "would_have_won", "missed", "would_have_won_"
    )


def _turned(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int | None) -> pl.DataFrame:
    """How many of the missed ones (`would_have_won`) would have won the deal, by `kind` and `trump`."""
    chances, values = _chances(scope, player_no)
    lost = cursor.execute(
        f"""
        WITH {chances}, missed AS (
            SELECT kind, trump, match_no, deal_index, seat - 1 AS seat, worth, outcome FROM chances
            WHERE lost
        ), told AS (
            SELECT match_no, deal_index, list(points ORDER BY seat) AS points FROM deal_seats
            SEMI JOIN missed USING (match_no, deal_index) GROUP BY ALL
        )
        SELECT kind, trump, outcome, seat, worth, points
        FROM missed JOIN told USING (match_no, deal_index)
        """,
        values,
    ).pl()
    points = lost["points"].explode().to_numpy().reshape(lost.height, -1 if lost.height else 0)
    items = (lost[name].to_numpy() for name in ("seat", "worth"))
    turned = game_view(scope.game).would_have_won(
        lost["kind"].to_list(), lost["outcome"].to_numpy(), points, *items
    )
    return (
        lost.with_columns(pl.Series("would_have_won", turned, dtype=pl.Boolean))
        .group_by("kind", "trump")
        .agg(pl.col("would_have_won").sum().cast(pl.Int64))
    )


def _chances(scope: Scope, player_no: int | None) -> Condition:
    """Announcements that were made or missed, a row each, as `chances`; `lost` by who missed it."""
    chosen, values = _chosen(scope)
    return (
        f"""{chosen}, chances AS (
            SELECT a.kind::VARCHAR AS kind, a.trump, match_no, deal_index, a.seat, a.missed, a.worth,
                c.outcome, a.missed AND c.winning_side > 0 AND c.winning_side <> a.seat AS lost
            FROM announcements a JOIN chosen c USING (match_no, deal_index)
            WHERE a.held AND (a.missed OR a.announced) AND a.missed IS NOT NULL
                AND (?::INTEGER IS NULL OR a.player_no = ?)
        )""",
        [*values, *[player_no] * 2],
    )


def wins_with_announcements(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, fact: str = "counted"
) -> pl.DataFrame:
    """One row per kind, trump or plain: `k` of `n` hands won with it, `k_without` of `n_without`
    without, both shares (`share`, `other`), `difference` with Newcombe's interval `low` to `high`.

    `fact` is one of FACTS. Only deals that somebody won; with and without are hands of the same
    deals, so nothing else differs but the cards. KeyError: another fact.
    """
    if fact not in FACTS:
        raise KeyError(fact)
    chosen, values = _chosen(scope)
    frame = cursor.execute(
        f"""
        WITH {chosen}, won AS (
            SELECT count(*) AS deals FROM chosen WHERE winning_side > 0
        ), one AS (
            SELECT a.kind, a.trump, match_no, deal_index, a.seat, any_value(a.seat = c.winning_side) AS won
            FROM announcements a JOIN chosen c USING (match_no, deal_index)
            WHERE a.{fact} AND c.winning_side > 0 GROUP BY ALL
        )
        SELECT kind::VARCHAR AS kind, trump, count(*) AS n, count(*) FILTER (won) AS k,
            any_value(deals) * {scope.player_count} - n AS n_without, any_value(deals) - k AS k_without
        FROM one CROSS JOIN won GROUP BY one.kind, one.trump
        ORDER BY {KIND_ORDER.format("one.kind")}, one.trump
        """,
        [*values, scope.announcement_kinds()],
    ).pl()
    bounds = [newcombe_interval(*row) for row in frame.select("k", "n", "k_without", "n_without").iter_rows()]
    return frame.with_columns(
        (pl.col("k") / pl.col("n")).alias("share"),
        pl.when(pl.col("n_without") > 0)
        .then(pl.col("k_without") / pl.col("n_without"))
        .alias("share_without"),
        pl.Series("low", [low for low, _ in bounds], dtype=pl.Float64),
        pl.Series("high", [high for _, high in bounds], dtype=pl.Float64),
    ).with_columns((pl.col("share") - pl.col("share_without")).alias("difference"))


def deals_behind(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, row: RowHands, limit: int = 25, offset: int = 0
) -> pl.DataFrame:
    """The deals behind a row, last played first: `match_id`, `log_id`, `game`, `number` (of the
    deal, from 1), `played_on`, `names` in seat order, `player`, `points` and `won` of who had it.
    KeyError: another fact.
    """
    having, values = _having(scope, *row)
    return list_hands(cursor, (f"{having} FROM hands", values), limit, offset)


def count_deals_behind(cursor: duckdb.DuckDBPyConnection, scope: Scope, of: RowHands) -> int:
    """How many rows `behind` has."""
    having, values = _having(scope, *of)
    row = cursor.execute(f"{having} SELECT count(*) FROM hands", values).fetchone()
    return int(row[0]) if row else 0


def _having(
    scope: Scope, kind: str, trump: bool, fact: str, key: str | None, value: Any, decided: bool
) -> Condition:
    """Hands that have an announcement, as `hands`, a row each."""
    if fact not in (*FACTS, "missed"):
        raise KeyError(fact)
    chosen, values = _chosen(scope, key)
    won = "AND c.winning_side > 0" if decided else ""
    result, more = ("", []) if key is None else (f"AND {_value(key)} IS NOT DISTINCT FROM ?", [value])
    return (
        f"""
        WITH {chosen}, hands AS (
            SELECT DISTINCT match_no, deal_index, a.seat
            FROM announcements a JOIN chosen c USING (match_no, deal_index)
            WHERE a.{fact} AND a.kind::VARCHAR = ? AND a.trump = ? {result} {won}
        )""",
        [*values, kind, trump, *more],
    )


def _chosen(scope: Scope, key: str | None = None) -> Condition:
    """The deals of a scope that were dealt, with their `value` where the key is of deals."""
    where, values = scope.conditions()
    value = OF_DEALS.get(key or "", "NULL")
    return (
        f"""chosen AS (
            SELECT d.match_no, d.deal_index, d.winning_side, d.outcome, m.value
            FROM deals d JOIN (SELECT *, {value} AS value FROM matches) m USING (match_no)
            WHERE {where} AND d.dealer IS NOT NULL
        )""",
        values,
    )


def _value(key: str | None) -> str:
    """The key of an announcement `a` in a deal `c`."""
    return "a.player_no" if key == "player" else MOMENTS.get(key or "", "c.value")


# players

_FROM = "deal_seats ds JOIN deals d USING (match_no, deal_index) JOIN matches m USING (match_no)"
_SEATED = "deals d JOIN matches m USING (match_no) JOIN seats s USING (match_no)"
"""Who sat at a deal, at half the price: a seat won or lost exactly where a deal has a winner."""
_KNOWN_AS = """player_no IN (
    SELECT player_no FROM (
        SELECT player_no, name FROM aliases ANTI JOIN masked USING (player_no)
        UNION ALL SELECT player_no, name FROM players SEMI JOIN masked USING (player_no)
    ) WHERE contains(lower(strip_accents(name)), lower(strip_accents(?))))"""
"""By any name that logs have for a player, of a masked one by the pseudonym alone."""
_EXACT = "lower(strip_accents({})) = lower(strip_accents(?)) DESC"
"""Who is named exactly as is searched for comes first."""


def players_table(
    cursor: duckdb.DuckDBPyConnection,
    scope: Scope | None = None,
    words: str = "",
    limit: int = 50,
    offset: int = 0,
    player_no: int | None = None,
) -> pl.DataFrame:
    """Players, who played most first: `matches`, `decided_deals`, `wins` with their share, averages.

    Who has `words` for a name comes first. `bonus` and `announced` are of games with
    announcements, `contracts` bid and `made` of those with an auction, `met` of those with bid
    cards. Of partners, points and cards are the side's. Each average has its interval
    (`points_low`), and so has the share `met`. With `player_no` that player alone. `ranked`: each
    has the `rank` of `ladder.ranks`, by which they come, then by name. Who is on the page is
    settled first: all but that is worked out for these only.
    """
    scope = scope or Scope()
    order = "decided_deals DESC"
    where, values = scope.conditions("ds.seat")
    seated, some = scope.conditions("s.seat")
    result, more = scope.without_sheets.conditions("a.seat")
    frame = cursor.execute(
        f"""
        WITH named AS (
            SELECT player_no, player_id, name, rank FROM players LEFT JOIN (
                SELECT unnest(?::INTEGER[]) AS player_no, unnest(?::INTEGER[]) AS rank
            ) USING (player_no)
            WHERE {_KNOWN_AS}
                AND (?::INTEGER IS NULL OR player_no = ?)
        ), page AS MATERIALIZED (
            SELECT n.* FROM named n JOIN (
                SELECT s.player_no, count(*) AS decided_deals FROM {_SEATED}
                WHERE {seated} AND d.winning_side > 0 GROUP BY s.player_no
            ) USING (player_no)
            ORDER BY {_EXACT.format("name")}, {order}, lower(strip_accents(name)), player_no LIMIT ? OFFSET ?
        ), counted AS (
            SELECT ds.*, d.declarer = ds.seat AS bids, d.contract_made AS made, d.is_score_line
            FROM {_FROM} SEMI JOIN page n USING (player_no)
            WHERE {where} AND ds.won IS NOT NULL
        ), played AS (
            SELECT player_no, count(DISTINCT match_no) AS matches, count(*) AS decided_deals,
                count(*) FILTER (won) AS wins, avg(points) AS points,
                stddev_samp(points) AS deviation, avg(card_points) AS card_points,
                stddev_samp(card_points) AS card_points_deviation, avg(bonus) AS bonus,
                stddev_samp(bonus) AS bonus_deviation, count(*) FILTER (bids) AS contracts,
                count(*) FILTER (bids AND made) AS contracts_made, count(*) FILTER (bid_met) AS bids_met,
                count(points) AS deals_with_points, count(*) FILTER (is_score_line) AS from_sheets,
                count(*) FILTER (NOT is_score_line) AS played
            FROM counted GROUP BY player_no
        ), announced AS (
            SELECT player_no, sum(said)::BIGINT AS said, sum(said * said)::BIGINT AS squares
            FROM (
                SELECT a.player_no, count(*) AS said
                FROM announcements a JOIN deals d USING (match_no, deal_index)
                    JOIN matches m USING (match_no) SEMI JOIN page n USING (player_no)
                WHERE {result} AND d.winning_side > 0 AND a.counted
                GROUP BY a.player_no, match_no, a.deal_index
            ) GROUP BY player_no
        )
        SELECT player_no, page.player_id, page.name, matches, decided_deals, wins, points, deviation,
            card_points, card_points_deviation, bonus, bonus_deviation, contracts, contracts_made, bids_met,
            coalesce(said, 0) / nullif(p.played, 0) AS announced,
            CASE WHEN p.played > 1 THEN sqrt(greatest(0, coalesce(squares, 0)
                - coalesce(said, 0) ** 2 / p.played) / (p.played - 1)) END AS announced_deviation,
            deals_with_points, from_sheets, p.played, rank
        FROM played p JOIN page USING (player_no) LEFT JOIN announced USING (player_no)
        ORDER BY {_EXACT.format("page.name")}, {order}, lower(strip_accents(page.name)), player_no
        """,
        [
            *([], [], words.strip(), player_no, player_no),
            *(*some, words.strip(), limit, offset),
            *(*values, *more, words.strip()),
        ],
    ).pl()
    frame = with_share_interval(
        with_share_interval(frame, "wins", "decided_deals"), "bids_met", "played", "bids_met_"
    )
    frame = with_mean_interval(frame, "points", "deviation", "deals_with_points")
    for name in ("card_points", "bonus", "announced"):
        frame = with_mean_interval(frame, name, f"{name}_deviation", "played")
    return scope.with_sheet_counts(frame.drop("deals_with_points", "played", "rank"))


def count_players(cursor: duckdb.DuckDBPyConnection, scope: Scope | None = None, words: str = "") -> int:
    """How many players of that name have a partie that counts."""
    where, values = (scope or Scope()).conditions("s.seat")
    row = cursor.execute(
        f"""
        SELECT count(*) FROM players p SEMI JOIN
            (SELECT DISTINCT s.player_no FROM {_SEATED} WHERE {where} AND d.winning_side > 0) c
            USING (player_no)
        WHERE {_KNOWN_AS}
        """,
        [*values, words.strip()],
    ).fetchone()
    return int(row[0]) if row else 0


# scopes

LEGAL = "d.status = 'legal' AND d.void IS NULL AND NOT d.is_score_line"


def scopes(cursor: duckdb.DuckDBPyConnection, *seated: int) -> pl.DataFrame:
    """Each `game`, `players` and `preset` of the store with how many `deals` count, most first.

    `sheets`: lines of score sheets there, which count where they are asked for.

    With players' numbers only of matches all of them sat at.
    """
    at_table = " AND m.match_no IN (SELECT match_no FROM seats WHERE player_no = ?)"
    return cursor.execute(
        f"""
        SELECT m.game, m.player_count, m.preset, count(*) FILTER ({LEGAL}) AS deals,
            count(*) FILTER (d.is_score_line) AS sheets, 0::BIGINT AS results
        FROM matches m JOIN deals d USING (match_no)
        WHERE m.game IS NOT NULL AND m.preset IS NOT NULL {at_table * len(seated)}
        GROUP BY ALL ORDER BY deals DESC, sheets DESC, m.game, m.player_count, m.preset
        """,
        list(seated),
    ).pl()


def deals(cursor: duckdb.DuckDBPyConnection, scope: Scope) -> tuple[int, int]:
    """(deals counted, deals left out) at those tables under those rules."""
    counted, some = scope.deal_condition()
    where, more = scope.match_condition()
    row = cursor.execute(
        f"""
        SELECT count(*) FILTER ({counted}), count(*)
        FROM deals d JOIN matches m USING (match_no) WHERE {where}
        """,
        [*some, *more],
    ).fetchone()
    chosen, every = row or (0, 0)
    return int(chosen), int(every) - int(chosen)
