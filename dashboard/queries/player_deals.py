"""One player's deals, and the list of deals behind a figure."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from dashboard.games import game_view
from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import MATCHES_OF_PLAYER, Condition, Cursor, Scope, number
from engine.games import game

PLAY_ORDER = "played_at NULLS LAST, match_no, deal_index"
"""The order of play; deals without a date come last, as they were added."""

Narrowing = Mapping[str, Any]
"""Names of NARROWING_CONDITIONS → a value, or None for NULL: the deals of one row."""

OWN_CONTRACT = "d.declarer = ds.seat AND "
DEFENDED = "(d.declarer::INTEGER - ds.seat) % 2 <> 0"
"""A contract of the other of two teams."""
_OWN_TRICKS = "list_count(list_filter(d.trick_winners, lambda seat: (seat::INTEGER - ds.seat) % 2 = 0))"
SPECIAL_ENDS = {
    "capot": f"d.tricks = {{tricks}} AND {_OWN_TRICKS} = {{tricks}}",
    "swept": f"d.tricks = {{tricks}} AND {_OWN_TRICKS} = 0",
    "litige": "d.winning_side = 0 AND d.contract_made IS NULL",
}
"""Ends of a deal with a contract: one's own team took all `tricks`, the other did, or neither won it."""
NARROWING_CONDITIONS = {
    "seat": "ds.seat = ?",
    "dealer": "ds.dealt = ?",
    "least": "ds.points >= ?",
    "most": "ds.points <= ?",
    "der": "ds.der = ?",
    "sept": "ds.sept <= ?",
    "exchanged": "(ds.sept IS NOT NULL) = ?",
    "won": "ds.won = ?",
    "known": "(ds.received IS NOT NULL) = ?",
    "bid": "ds.bid = ?",
    "level": OWN_CONTRACT + "d.contract = ?",
    "suit": OWN_CONTRACT + "d.trump = ?",
    "coinched": OWN_CONTRACT + "(d.coinched > 0) = ?",
    "taken": OWN_CONTRACT + "d.contract IS NOT NULL = ?",
    "faced": DEFENDED + " AND d.contract IS NOT NULL = ?",
    "faced_level": DEFENDED + " AND d.contract = ?",
    "faced_suit": DEFENDED + " AND d.trump = ?",
    "faced_coinched": DEFENDED + " AND (d.coinched > 0) = ?",
    **{what: f"(d.contract IS NOT NULL AND {ends}) = ?" for what, ends in SPECIAL_ENDS.items()},
    "preset": "m.preset = ?",
    "event": "m.event = ?",
    "month": "strftime(m.played_on, '%Y-%m') = ?",
    "ended": "EXISTS (SELECT 1 FROM endgame_seat_values v WHERE v.match_no = ds.match_no"
    " AND v.deal_index = ds.deal_index AND v.seat = ds.seat AND v.cards_played > 0) = ?",
    "opponent": "EXISTS (SELECT 1 FROM seats p WHERE p.match_no = ds.match_no AND p.player_no = ?"
    " AND (p.seat::INTEGER - ds.seat) % {sides} <> 0)",
    "partner": "EXISTS (SELECT 1 FROM seats p WHERE p.match_no = ds.match_no AND p.player_no = ?"
    " AND p.seat <> ds.seat AND (p.seat::INTEGER - ds.seat) % {sides} = 0)",
}


def deals_of_player(player_no: int, chosen: Condition) -> Condition:
    """Return a FROM clause for the deals of one player for which `chosen` holds.

    `ds` is the player's seat in a deal, `d` the deal and `m` its match.
    """
    where, values = chosen
    query = f"""deal_seats ds JOIN (FROM deals SEMI JOIN {MATCHES_OF_PLAYER} USING (match_no)) d
        USING (match_no, deal_index) JOIN matches m USING (match_no)
        WHERE ds.player_no = ? AND {where}"""
    return query, [player_no, player_no, *values]


def counted_deals(
    scope: Scope, player_no: int, decided: bool = True, narrow: Narrowing | None = None
) -> Condition:
    """Return a FROM clause for a player's deals that count; `decided`: only with a winner."""
    where, values = scope.conditions("ds.seat")
    clauses = [where]
    sides = game(scope.game).side_count(scope.player_count)
    tricks = game_view(scope.game).STATISTICS.tricks
    if decided:
        clauses.append("ds.won IS NOT NULL")
    for name, value in (narrow or {}).items():
        clauses.append(NARROWING_CONDITIONS[name].format(sides=sides, tricks=tricks))
        values.append(value)
    return deals_of_player(player_no, (" AND ".join(clauses), values))


def count_deals(
    cursor: Cursor, scope: Scope, player_no: int, narrow: Narrowing | None = None, decided: bool = True
) -> int:
    """Count the deals behind a figure."""
    chosen, values = counted_deals(scope, player_no, decided, narrow)
    return number(cursor, f"SELECT count(*) FROM {chosen}", values)


def decided_matches(cursor: Cursor, scope: Scope, player_no: int) -> pl.DataFrame:
    """Return the matches with a counted deal that has a winner, in order of play.

    `match_no`, `match_id`, `played_on`, and the player's `wins` of `n` such deals.
    """
    chosen, values = counted_deals(scope, player_no)
    query = f"""
        SELECT match_no, m.match_id, m.played_on, count(*) AS n, count(*) FILTER (ds.won) AS wins
        FROM {chosen} GROUP BY match_no, m.match_id, m.played_on, m.played_at
        ORDER BY m.played_at NULLS LAST, match_no
    """
    return cursor.execute(query, values).pl()


def list_deals(
    cursor: Cursor,
    scope: Scope,
    player_no: int,
    narrow: Narrowing | None = None,
    decided: bool = True,
    limit: int = 25,
    offset: int = 0,
) -> pl.DataFrame:
    """Return the deals behind a figure, last played first: `match_id`, `deal_number`.

    `names` and `ids` as in `seated_query`, the `winning_side` of the deal; `points` and `won` are the
    player's.
    """
    chosen, values = counted_deals(scope, player_no, decided, narrow)
    query = f"SELECT ds.match_no, ds.deal_index, d.winning_side, ds.points, ds.won FROM {chosen}"
    return list_plain_deals(cursor, (query, values), limit, offset)


def list_hands(cursor: Cursor, hands: Condition, limit: int = 25, offset: int = 0) -> pl.DataFrame:
    """List hands (SQL of `match_no`, `deal_index`, `seat`) by their deals, last played first.

    Columns of `list_deals`, and the hand's `player` (name) and `player_id` (null if masked).
    """
    chosen, values = hands
    query = f"""
        WITH page AS MATERIALIZED (
            SELECT m.match_no, m.match_id, m.log_id, m.game, m.played_at, m.played_on, h.deal_index, h.seat
            FROM ({chosen}) h JOIN matches m USING (match_no)
            ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC, h.deal_index DESC, h.seat
            LIMIT ? OFFSET ?
        ), {seated_query("page")}
        SELECT match_id, log_id, game, page.deal_index::INTEGER + 1 AS deal_number, played_on, names, ids,
            d.winning_side, p.name AS player, ids[page.seat] AS player_id, ds.points, ds.won
        FROM page JOIN seated USING (match_no) JOIN deal_seats ds USING (match_no, deal_index, seat)
            JOIN deals d USING (match_no, deal_index) JOIN players p USING (player_no)
        ORDER BY played_at DESC NULLS LAST, match_no DESC, page.deal_index DESC, page.seat
    """
    return cursor.execute(query, [*values, limit, offset]).pl()


def count_hands(cursor: Cursor, hands: Condition) -> int:
    """Count the hands `list_hands` lists."""
    chosen, values = hands
    return number(cursor, f"SELECT count(*) FROM ({chosen})", values)


def list_plain_deals(cursor: Cursor, some: Condition, limit: int, offset: int) -> pl.DataFrame:
    """List deals (SQL of `match_no`, `deal_index` and further columns), last played first.

    Columns of `list_deals` without points: a void or faulty deal may have none.
    """
    chosen, values = some
    query = f"""
        WITH page AS MATERIALIZED (
            SELECT m.match_id, m.log_id, m.game, m.played_at, m.played_on, l.*
            FROM ({chosen}) l JOIN matches m USING (match_no)
            ORDER BY m.played_at DESC NULLS LAST, match_no DESC, l.deal_index DESC LIMIT ? OFFSET ?
        ), {seated_query("page")}
        SELECT page.* EXCLUDE (match_no, deal_index, played_at), deal_index::INTEGER + 1 AS deal_number,
            names, ids
        FROM page LEFT JOIN seated USING (match_no)
        ORDER BY played_at DESC NULLS LAST, match_no DESC, deal_index DESC
    """
    return cursor.execute(query, [*values, limit, offset]).pl()
