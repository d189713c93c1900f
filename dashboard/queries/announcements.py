"""How often each announcement comes, per hand played.

Counts only the deals of a scope; a drawn partie was played, so its hands count.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from dashboard.games import game_view
from dashboard.queries.intervals import with_difference_interval, with_share_interval
from dashboard.queries.player_deals import count_hands, list_hands
from dashboard.queries.scope import KIND_ORDER, Condition, Cursor, Scope, number, status_condition
from engine.games import game

ANNOUNCEMENT_FACTS = ("held", "announced", "shown", "counted")
MOMENT_COLUMNS = {
    "trick": "m.trick",
    "phase": "CASE WHEN m.closed THEN 'closed' WHEN NOT m.closed THEN 'open' END",
    "lead": "m.lead",
}
"""Columns that only announcements that were made have; `lead`: its player led that trick."""
_ROLLUP_MOMENTS = dict(zip(MOMENT_COLUMNS, ("trick", "closed", "lead"), strict=True))
MATCH_KEYS = {"event": "m.event", "month": "date_trunc('month', m.played_on)::DATE"}
GROUP_KEYS = (*MOMENT_COLUMNS, "player", *MATCH_KEYS)
"""Columns by which frequencies can be grouped."""


def announcement_frequencies(
    cursor: Cursor, scope: Scope, player_no: int | None = None, key: str | None = None
) -> pl.DataFrame:
    """Count the hands with each kind, trump or plain, of `n` hands in `deals` deals.

    A `key` of GROUP_KEYS adds a column of that name. By `trick` (from 1), `phase` (`open`,
    `closed`) or `lead`, only announcements that were made count, of all hands. An event, month or
    player has its own `n`; events and players are ordered by it, most first, then by their first
    match in the store. KeyError: another key.
    """
    if key not in (None, *GROUP_KEYS):
        raise KeyError(key)
    hands, values = _hands_query(scope, key, player_no)
    counts, more = (_moments_query if key in MOMENT_COLUMNS else _totals_query)(scope, key, player_no)
    text = "CROSS JOIN (SELECT DISTINCT value FROM counts)" if key in MOMENT_COLUMNS else ""
    order = "n DESC, first" if key in ("player", "event") else "p.value"
    own = "w.name AS player, p.value AS player_no," if key == "player" else f'p.value AS "{key}",'
    named = "LEFT JOIN players w ON w.player_no = p.value" if key == "player" else ""
    query = f"""
        WITH hands AS ({hands}), counts AS ({counts}), places AS (
            FROM (SELECT DISTINCT kind, trump FROM counts)
            CROSS JOIN (SELECT {"* EXCLUDE (value)" if text else "*"} FROM hands) {text}
        )
        SELECT p.kind, p.trump, {own if key else ""} coalesce(held, 0)::BIGINT AS held,
            coalesce(announced, 0)::BIGINT AS announced,
            coalesce(announcements_made, 0)::BIGINT AS announcements_made,
            coalesce(shown, 0)::BIGINT AS shown, coalesce(counted, 0)::BIGINT AS counted,
            points / nullif(counted, 0) AS points, n, deals
        FROM places p LEFT JOIN counts c
            ON p.kind = c.kind AND p.trump = c.trump AND p.value IS NOT DISTINCT FROM c.value
            {named}
        ORDER BY {KIND_ORDER.format("p.kind")}, p.trump, {order}
    """
    frame = cursor.execute(query, [*values, *more, scope.announcement_kinds()]).pl()
    return with_share_interval(frame, "counted", "n")


def frequencies_by(
    cursor: Cursor, scope: Scope, key: str | None, player_no: int | None = None
) -> pl.DataFrame:
    """Return `announcement_frequencies` grouped by one of GROUP_KEYS, or ungrouped."""
    return announcement_frequencies(cursor, scope, player_no, key)


def hands_by_player(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Return each player's hands: `n` by `player_no`."""
    hands, values = _hands_query(scope, "player", None)
    return cursor.execute(f"SELECT value AS player_no, n FROM ({hands}) WHERE n > 0", values).pl()


def counted_by_player(cursor: Cursor, scope: Scope, hands: pl.DataFrame) -> pl.DataFrame:
    """Return in how many (`k`) of the hands of these players each kind counted, trump or plain.

    `hands` are rows of `hands_by_player`. It omits kinds that counted for none of them.
    """
    of_kinds, values = _kinds_source(scope, "player")
    query = f"""
        WITH seated AS (SELECT unnest(?::INTEGER[]) AS player_no, unnest(?::BIGINT[]) AS n), counts AS (
            SELECT a.kind, a.trump, a.player_no, sum(a.counted)::BIGINT AS k FROM {of_kinds}
                AND a.counted > 0 AND a.player_no IN (SELECT player_no FROM seated) GROUP BY ALL
        )
        SELECT kind, trump, player_no, n, coalesce(k, 0) AS k
        FROM (SELECT DISTINCT kind, trump FROM counts) CROSS JOIN seated
            LEFT JOIN counts USING (kind, trump, player_no)
        ORDER BY {KIND_ORDER.format("kind")}, trump, player_no
    """
    seated = [hands[name].to_list() for name in ("player_no", "n")]
    return cursor.execute(query, [*seated, *values, scope.announcement_kinds()]).pl()


def counted_by_match(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return in how many (`k`) of a player's `n` hands of each match each kind counted, trump or plain.

    It omits kinds that never counted.
    """
    chosen, values = scope.conditions(stood="true")
    of_kinds, more = _kinds_source(scope)
    query = f"""
        WITH hands AS (
            SELECT d.match_no, sum(d.deals)::BIGINT AS n FROM match_seats d JOIN matches m USING (match_no)
            WHERE {chosen} AND d.player_no = ? GROUP BY 1
        ), counts AS (
            SELECT a.kind, a.trump, a.match_no, sum(a.counted)::BIGINT AS k FROM {of_kinds}
                AND a.counted > 0 AND a.player_no = ? GROUP BY ALL
        )
        SELECT kind, trump, match_no, n, coalesce(k, 0) AS k
        FROM (SELECT DISTINCT kind, trump FROM counts) CROSS JOIN hands
            LEFT JOIN counts USING (kind, trump, match_no)
        WHERE n > 0 ORDER BY {KIND_ORDER.format("kind")}, trump, match_no
    """
    bound = [*values, player_no, *more, player_no, scope.announcement_kinds()]
    return cursor.execute(query, bound).pl()


def _hands_query(scope: Scope, key: str | None, player_no: int | None) -> Condition:
    """Return SQL that counts hands (`n`) and deals for each `value` of the key."""
    value = "d.player_no" if key == "player" else MATCH_KEYS.get(key or "", "NULL")
    if key == "player" or player_no is not None:
        # a player has one hand in a deal
        chosen, values = scope.conditions(stood="true")
        query = f"""SELECT {value} AS value, sum(d.deals)::BIGINT AS n, n AS deals,
                min(match_no) AS first
            FROM match_seats d JOIN matches m USING (match_no)
            WHERE {chosen} AND (?::INTEGER IS NULL OR d.player_no = ?) GROUP BY 1"""
        return query, [*values, player_no, player_no]
    chosen, values = scope.conditions(stood="NOT d.void")
    query = f"""SELECT {value} AS value, sum(d.deals)::BIGINT * {scope.player_count} AS n,
            sum(d.deals)::BIGINT AS deals, min(match_no) AS first
        FROM match_deals d JOIN matches m USING (match_no)
        WHERE {chosen} AND d.dealt GROUP BY 1"""
    return query, values


def _totals_query(scope: Scope, key: str | None, player_no: int | None) -> Condition:
    """Return SQL that sums the facts of each kind and `value` from the totals of matches."""
    of_kinds, values = _kinds_source(scope, key)
    value = "a.player_no" if key == "player" else "m.value"
    # exact below 2⁵³, and the fastest type to sum very many groups in
    wide = "::DOUBLE" if key == "player" else ""
    sums = ", ".join(
        f"sum(a.{name}{wide}) AS {name}" for name in (*ANNOUNCEMENT_FACTS, "announcements_made", "points")
    )
    query = f"""SELECT a.kind, a.trump, {value} AS value, {sums} FROM {of_kinds}
        AND (?::INTEGER IS NULL OR a.player_no = ?) GROUP BY ALL"""
    return query, [*values, player_no, player_no]


def _kinds_source(scope: Scope, key: str | None = None) -> Condition:
    """Return a FROM clause for `a`, the kinds of announcements in a scope's matches (`m`).

    `m.value` is the value of a key of MATCH_KEYS: computed once per match, not once per kind.
    """
    where, values = scope.match_condition()
    status, some = status_condition("a.status", scope.statuses)
    value = "NULL" if key in (None, "player") else MATCH_KEYS[key]
    query = f"""match_kinds a JOIN (
            SELECT match_no, played_at, {value} AS value FROM matches m WHERE {where}
        ) m USING (match_no) WHERE {status}"""
    return query, [*values, *some]


def _moments_query(scope: Scope, key: str | None, player_no: int | None) -> Condition:
    """Return SQL that counts announcements made by kind and `value`, each hand once.

    It groups rows with equal `first_mentions` bits first, so each bit is tested only a few times.
    """
    result, values = _rollup_source(scope)
    key = key or ""
    firsts = ", ".join(
        f"sum(m.announcements_made) FILTER (m.first_mentions & {_first_mention_bit(name, key)} > 0) AS {name}"
        for name in ANNOUNCEMENT_FACTS
    )
    query = f"""SELECT m.kind, m.trump, {MOMENT_COLUMNS[key]} AS value, {firsts},
            sum(m.announcements_made) AS announcements_made, sum(m.points) AS points
        FROM (
            SELECT m.kind, m.trump, m.{_ROLLUP_MOMENTS[key]}, m.first_mentions,
                count(*) AS announcements_made, sum(m.points) AS points
            FROM {result} AND m.announced AND {_OF_PLAYER} GROUP BY ALL
        ) m GROUP BY ALL"""
    return query, [*values, player_no, player_no]


_OF_PLAYER = """(?::INTEGER IS NULL
    OR (m.match_no, m.seat) IN (SELECT (match_no, seat) FROM seats WHERE player_no = ?))"""


def _rollup_source(scope: Scope) -> Condition:
    """Return a FROM clause for `m`, all announcements made or missed in a scope's deals."""
    where, values = scope.match_condition()
    status, some = status_condition("m.status", scope.statuses)
    return f"announcement_rollup m WHERE {status} AND {where}", [*some, *values]


def missed_announcements(cursor: Cursor, scope: Scope, player_no: int | None = None) -> pl.DataFrame:
    """Count the `missed` announcements per kind, trump or plain, of `n` made or missed.

    Missed means the best of its suit in hand while none of that suit was announced. `would_have_won`
    counts those that would have won the deal, all else as played (`would_have_won` of the game).
    """
    of_kinds, values = _kinds_source(scope)
    query = f"""
        SELECT a.kind, a.trump, sum(a.chances)::BIGINT AS n, sum(a.missed)::BIGINT AS missed,
            CASE WHEN sum(a.missed) > 0 AND NOT list_contains(?::VARCHAR[], a.kind)
                THEN sum(a.worth)::BIGINT END AS points,
            coalesce(sum(a.missed) FILTER (NOT a.won), 0)::BIGINT AS lost
        FROM {of_kinds} AND (?::INTEGER IS NULL OR a.player_no = ?)
        GROUP BY a.kind, a.trump HAVING n > 0 ORDER BY {KIND_ORDER.format("a.kind")}, a.trump
    """
    winning, whose = list(game_view(scope.game).STATISTICS.winning), [player_no, player_no]
    frame = cursor.execute(query, [winning, *values, *whose, scope.announcement_kinds()]).pl()
    result, values = _rollup_source(scope)
    query = f"""
        SELECT m.kind, m.trump, m.outcome, m.points_short, m.worth, count(*) AS n
        FROM {result} AND m.points_short IS NOT NULL AND {_OF_PLAYER} GROUP BY ALL
    """
    lost = cursor.execute(query, [*values, *whose]).pl()
    outcome, short, worth = (lost[name].to_numpy() for name in ("outcome", "points_short", "worth"))
    seat = np.zeros(lost.height, np.int64)
    # only the distance to the best opponent matters
    points = np.column_stack([seat, short])
    turned = game_view(scope.game).would_have_won(lost["kind"].to_list(), outcome, points, seat, worth)
    would = lost.filter(pl.Series(turned, dtype=pl.Boolean)).group_by("kind", "trump")
    each = would.agg(pl.col("n").sum().alias("would_have_won"))
    frame = frame.join(each, on=["kind", "trump"], how="left", maintain_order="left")
    frame = frame.with_columns(pl.col("would_have_won").fill_null(0))
    return with_share_interval(
        with_share_interval(frame, "missed", "n"), "would_have_won", "missed", "would_have_won_"
    )


def wins_with_announcements(cursor: Cursor, scope: Scope, fact: str = "counted") -> pl.DataFrame:
    """Compare hands won with each kind, trump or plain, and without. KeyError: another fact.

    Only deals that have a winner; both groups are hands of the same deals, so only the cards
    differ.
    """
    if fact not in ANNOUNCEMENT_FACTS:
        raise KeyError(fact)
    of_kinds, values = _kinds_source(scope)
    chosen, some = scope.conditions(stood="NOT d.void")
    winners = scope.player_count // game(scope.game).side_count(scope.player_count)
    query = f"""
        WITH won AS (
            SELECT sum(d.decided)::BIGINT AS deals
            FROM match_deals d JOIN matches m USING (match_no)
            WHERE {chosen} AND d.dealt
        )
        SELECT a.kind, a.trump, sum(a.{fact})::BIGINT AS n,
            coalesce(sum(a.{fact}) FILTER (a.won), 0)::BIGINT AS k,
            (SELECT deals FROM won) * {scope.player_count} - n AS n_without,
            (SELECT deals FROM won) * {winners} - k AS k_without
        FROM {of_kinds} AND a.won IS NOT NULL GROUP BY a.kind, a.trump HAVING n > 0
        ORDER BY {KIND_ORDER.format("a.kind")}, a.trump
    """
    frame = cursor.execute(query, [*some, *values, scope.announcement_kinds()]).pl()
    shares = frame.with_columns(
        (pl.col("k") / pl.col("n")).alias("share"),
        pl.when(pl.col("n_without") > 0)
        .then(pl.col("k_without") / pl.col("n_without"))
        .alias("share_without"),
    )
    differ = with_difference_interval(shares, "k", "n", "k_without", "n_without")
    return differ.with_columns((pl.col("share") - pl.col("share_without")).alias("difference"))


class RowHands(NamedTuple):
    """The hands that a row counts: those with a kind of announcement, in trump or plain."""

    kind: str
    trump: bool
    fact: str = "counted"
    """One of ANNOUNCEMENT_FACTS, or `missed`."""
    key: str | None = None
    value: Any = None
    """The value of the key; for `player`, a player's number."""
    decided: bool = False
    """Only those of deals that have a winner."""

    @property
    def are_rolled_up(self) -> bool:
        """Whether each is in `announcement_rollup` only, not in the totals of matches."""
        return self.key in MOMENT_COLUMNS or self.fact == "missed"


def deals_behind(
    cursor: Cursor, scope: Scope, row: RowHands, limit: int = 25, offset: int = 0
) -> pl.DataFrame:
    """Return the deals of a row's hands, last played first, as `list_hands`. KeyError: another fact."""
    if row.are_rolled_up:
        return list_hands(cursor, _matching_hands(scope, row), limit, offset)
    # the last deals lie in at most as many matches
    of_kinds, values = _matches_having(scope, row)
    status, some = status_condition("d.status", scope.statuses, "d.void IS NULL AND NOT d.is_score_line")
    whose = "AND a.player_no = ?" if row.key == "player" else ""
    hands = f"""
        WITH near AS MATERIALIZED (
            SELECT match_no FROM {of_kinds} GROUP BY match_no, m.played_at
            ORDER BY m.played_at DESC NULLS LAST, match_no DESC LIMIT ?
        )
        SELECT DISTINCT match_no, a.deal_index, a.seat
        FROM announcements a SEMI JOIN near USING (match_no)
            JOIN (FROM deals SEMI JOIN near USING (match_no)) d USING (match_no, deal_index)
        WHERE a.{row.fact} AND a.kind = ? AND a.trump = ? AND {status} AND d.dealer IS NOT NULL
            AND ({not row.decided} OR d.winning_side > 0) {whose}"""
    own = [row.value] if row.key == "player" else []
    values = [*values, limit + offset, row.kind, row.trump, *some, *own]
    return list_hands(cursor, (hands, values), limit, offset)


def count_deals_behind(cursor: Cursor, scope: Scope, row: RowHands) -> int:
    """Count the rows of `deals_behind`."""
    if row.are_rolled_up:
        return count_hands(cursor, _matching_hands(scope, row))
    of_kinds, values = _matches_having(scope, row)
    return number(cursor, f"SELECT sum(a.{row.fact}) FROM {of_kinds}", values)


def _matches_having(scope: Scope, row: RowHands) -> Condition:
    """Return a FROM clause for `a` and `m`, the matches that have hands behind a row."""
    if row.fact not in ANNOUNCEMENT_FACTS:
        raise KeyError(row.fact)
    of_kinds, values = _kinds_source(scope, row.key)
    clauses, more = [f"a.kind = ? AND a.trump = ? AND a.{row.fact} > 0"], [row.kind, row.trump]
    if row.key is not None:
        clauses.append(f"{'a.player_no' if row.key == 'player' else 'm.value'} IS NOT DISTINCT FROM ?")
        more.append(row.value)
    if row.decided:
        clauses.append("a.won IS NOT NULL")
    return f"{of_kinds} AND {' AND '.join(clauses)}", [*values, *more]


def _matching_hands(scope: Scope, row: RowHands) -> Condition:
    """Return SQL for the hands (`match_no`, `deal_index`, `seat`) behind a row, made or missed."""
    result, values = _rollup_source(scope)
    clauses, more = ["m.kind = ?", "m.trump = ?"], [row.kind, row.trump]
    if row.fact == "missed":
        clauses.append("m.missed")
    else:
        bit = _first_mention_bit(row.fact, row.key or "")
        clauses.append(f"m.announced AND m.first_mentions & {bit} > 0")
    if row.key == "player":
        clauses.append(_OF_PLAYER)
        more += [row.value, row.value]
    elif row.key is not None:
        clauses.append(f"{(MOMENT_COLUMNS | MATCH_KEYS)[row.key]} IS NOT DISTINCT FROM ?")
        more.append(row.value)
    if row.decided:
        clauses.append("m.won IS NOT NULL")
    return (
        f"SELECT DISTINCT match_no, deal_index, seat FROM {result} AND {' AND '.join(clauses)}",
        [*values, *more],
    )


def _first_mention_bit(fact: str, key: str) -> int:
    """Return the bit of `first_mentions` for a fact and a key of MOMENT_COLUMNS. KeyError: another fact."""
    if fact not in ANNOUNCEMENT_FACTS:
        raise KeyError(fact)
    return 1 << 4 * list(MOMENT_COLUMNS).index(key) + ANNOUNCEMENT_FACTS.index(fact)
