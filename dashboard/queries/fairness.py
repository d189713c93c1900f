"""Tests whether the shuffles of a source are random.

Each source of logs is tested, for one game and table size:

`cards`    how often each card falls to each part of the deal (a hand, counted from the dealer;
           the card after the hands; the rest): χ² with (cards - 1)(parts - 1) degrees of freedom.
           Cards are dealt without replacement, so the sum is scaled by (cards - 1) / cards. If
           rules deal in another order, each order has its own sum, and the sums are added.
`points`   card points of the hand dealt first, against their mean: a normal test; not for games
           whose cards have no points.
`repeats`  decks dealt before: almost impossible among fair ones.

Holm's method corrects the p-values of all tests of a result together.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
import orjson
import polars as pl
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr  # tails of χ² and the normal law, as scipy.stats has them

from dashboard.games import game_view
from dashboard.queries.player_deals import list_plain_deals
from dashboard.queries.player_search import seated_query
from dashboard.queries.scope import Condition, Cursor, Scope
from engine.games import game, game_names
from engine.options import UnknownRule, encode_rules, resolve_options
from schemas.player_key import search_key

MAX_DEALS = 100_000
"""Deals examined per source, newest matches first; more would not change a result."""
RULES = "coalesce(m.options, m.preset, '')"
"""The rules of a match `m`, in SQL: JSON of a preset and options, or the name of a preset."""
BLOCK_BITS = 10
"""Matches are first counted in blocks of 2^BLOCK_BITS numbers, to find the newest quickly."""
MIN_DEALS = 100
"""Below this many deals a source is not tested."""
ALARM_P_VALUE = 0.01
"""A corrected p-value below this is called unfair."""
_SCHEMA = {
    **{"source": pl.String, "test": pl.String},
    **{"n": pl.Int64, "statistic": pl.Float64, "p": pl.Float64},
}


def testable_games() -> tuple[str, ...]:
    """Return the games whose decks can be tested, in the order registered."""
    return tuple(name for name in game_names() if game_view(name).STATISTICS.fairness)


def card_points(game_name: str) -> NDArray[np.int64]:
    """Return the points of each card of a pack outside trumps; empty if cards have none."""
    return np.array(game_view(game_name).STATISTICS.worth, np.int64)


@lru_cache(maxsize=1000)
def rules_record(game_name: str, rules: str, players: int) -> np.void:
    """Return `RULES` as the kernel reads them; if the game has no such rules, its first preset."""
    written = orjson.loads(rules) if rules.startswith("{") else rules
    try:
        chosen = resolve_options(game_name, written, players)
    except UnknownRule:
        chosen = resolve_options(game_name, None, players)
    return encode_rules(game_name, chosen)


@lru_cache(maxsize=1000)
def deck_parts(game_name: str, rules: str, players: int) -> tuple[int, ...]:
    """Return the part of each place of a deck: hands from 0, the card after them, the rest."""
    this, record = game(game_name), rules_record(game_name, rules, players)
    assert this.dealing_rules is not None  # no other shuffle is tested
    hands = int(this.dealing_rules.hand_size(players)) * players
    seats = [int(this.dealing_rules.receiver(record, players, 0, k)) for k in range(hands)]
    after = [(seat - seats[0]) % players for seat in seats if seat >= 0]
    rest = [players + (k > 0) for k in range(len(this.pack) - len(after))]
    return (*after, *rest)


def fairness_tests(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Return a row per source (null if unnamed) and test; sources below MIN_DEALS have none.

    Void and faulty deals count: their cards were dealt like any others.
    """
    rows: list[tuple[Any, ...]] = []
    if scope.game in testable_games():
        for source, n, distinct, counts in _deck_counts(cursor, scope):
            rows.append((source, "cards", n, *_card_test(counts)))
            if len(card_points(scope.game)):
                rows.append((source, "points", n, *_points_test(counts, scope)))
            rows.append((source, "repeats", n, *_repeats_test(n, n - distinct, scope)))
    frame = pl.DataFrame(rows, _SCHEMA, orient="row")
    corrected = holm_correction(frame["p"].to_list())
    return frame.with_columns(
        pl.Series("corrected", corrected, dtype=pl.Float64),
        pl.Series("fair", [p >= ALARM_P_VALUE for p in corrected], dtype=pl.Boolean),
    )


def holm_correction(values: list[float]) -> list[float]:
    """Correct p-values for their number, by Holm's step-down method."""
    order = sorted(range(len(values)), key=values.__getitem__)
    each = (min(1.0, values[place] * (len(values) - rank)) for rank, place in enumerate(order))
    corrected = dict(zip(order, accumulate(each, max), strict=True))
    return [corrected[place] for place in range(len(values))]


Layouts = Mapping[tuple[int, ...], NDArray[np.int64]]
"""`deck_parts` → how often each card fell to each part, a row per card."""


def _deck_counts(cursor: Cursor, scope: Scope) -> list[tuple[str | None, int, int, Layouts]]:
    """Return for each source: name, deals, distinct decks, and counts by the order of dealing."""
    size = len(game(scope.game).pack)
    counts: dict[str | None, dict[tuple[int, ...], NDArray[np.int64]]] = {}
    own_decks: dict[str | None, list[pl.Series]] = {}
    chosen, values = decks_query(scope)
    dealt = cursor.execute(f"{chosen} SELECT source, rules, deck, same FROM dealt", values)
    for batch in dealt.to_arrow_reader(100_000):
        for (source, rules), own in pl.DataFrame(batch).drop_nulls("deck").group_by("source", "rules"):
            places = deck_parts(scope.game, rules, scope.player_count)
            empty = np.zeros((size, max(places) + 1), np.int64)
            found = counts.setdefault(source, {}).setdefault(places, empty)
            cards = own["deck"].explode().to_numpy().reshape(-1, size)
            for place, part in enumerate(places):
                found[:, part] += np.bincount(cards[:, place], minlength=size)
            own_decks.setdefault(source, []).append(own["same"])
    sources = [
        (source, sum(map(len, own)), pl.concat(own).n_unique(), counts[source])
        for source, own in own_decks.items()
    ]
    order = sorted(sources, key=lambda one: (-one[1], one[0] is None, search_key(one[0] or "")))
    return [one for one in order if one[1] >= MIN_DEALS]


def decks_query(scope: Scope) -> Condition:
    """Return SQL for `dealt`, the decks of `newest`; `deck` is NULL if a card is unknown.

    It has no WHERE on decks: DuckDB would test every deck of the store before joining.
    """
    newest, values = _newest_matches(scope)
    query = f"""
        WITH {newest}, dealt AS (
            SELECT n.source, n.rules, d.match_no, d.deal_index,
                CASE WHEN {has_known_deck(scope)} THEN d.deck END AS deck,
                CASE WHEN {has_known_deck(scope)} THEN hash(d.deck) END AS same
            FROM deals d JOIN newest n USING (match_no)
        )
    """
    return (query, values)


def _newest_matches(scope: Scope) -> Condition:
    """Return SQL for `newest`: per source, the matches added last with up to MAX_DEALS deals."""
    where, values = scope.match_condition()
    query = f"""blocks AS (
            SELECT m.source, m.match_no >> {BLOCK_BITS} AS block, sum(m.deals) AS deals
            FROM matches m WHERE {where} GROUP BY ALL
        ), before AS (
            SELECT source, block, sum(deals) OVER (PARTITION BY source ORDER BY block DESC)
                - deals AS newer FROM blocks QUALIFY newer < {MAX_DEALS}
        ), newest AS MATERIALIZED (
            SELECT m.source, {RULES} AS rules, m.match_no
            FROM matches m JOIN before b ON b.block = m.match_no >> {BLOCK_BITS}
                AND b.source IS NOT DISTINCT FROM m.source
            WHERE {where}
            QUALIFY b.newer - m.deals + sum(m.deals)
                OVER (PARTITION BY m.source, b.block ORDER BY m.match_no DESC) < {MAX_DEALS}
        )"""
    return query, [*values, *values]


def has_known_deck(scope: Scope) -> str:
    """Return the SQL condition that every card of `d` is known; NULL without a deck."""
    size = len(game(scope.game).pack)
    return f"list_count(d.deck) = {size} AND list_max(d.deck) < {size}"


def examined_deals(
    cursor: Cursor, scope: Scope, source: str | None, limit: int = 25, offset: int = 0
) -> pl.DataFrame:
    """Return the `n` deals a source is tested on, as `list_plain_deals`."""
    chosen, values = decks_query(scope)
    text = f"""{chosen} SELECT match_no, deal_index FROM dealt
        WHERE deck IS NOT NULL AND source IS NOT DISTINCT FROM ?"""
    return list_plain_deals(cursor, (text, [*values, source]), limit, offset)


def exclusion_counts(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """Count the `deals` that are not tested by `reason`, most first.

    Reasons: `undated` if the scope has dates; `older` than the deals examined; `hidden` if a card
    is unknown; `few` for a source with fewer than MIN_DEALS known decks. No row: the game is not
    tested.
    """
    if scope.game not in testable_games():
        return pl.DataFrame({"reason": [], "deals": []}, {"reason": pl.String, "deals": pl.Int64})
    looked, values = _examined_deals(scope)
    older, more = _unexamined_matches(scope)
    query = f"""
        WITH {looked}, older AS ({older})
        SELECT reason, count(*) AS deals FROM untested GROUP BY 1
        UNION ALL SELECT reason, sum(deals)::BIGINT FROM older GROUP BY 1 HAVING sum(deals) > 0
        ORDER BY deals DESC, reason
    """
    return cursor.execute(query, [*values, *more]).pl()


def untested_deals(cursor: Cursor, scope: Scope, limit: int = 25, offset: int = 0) -> pl.DataFrame:
    """Return the deals that `exclusion_counts` counts, each with its `reason`."""
    looked, values = _examined_deals(scope)
    older, more = _unexamined_matches(scope)
    left = f"""
        WITH {looked}, older AS (
            {older} AND m.deals > 0
            ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC LIMIT ?
        )
        FROM untested UNION ALL
        SELECT match_no, deal_index, reason FROM deals JOIN older USING (match_no)"""
    # the last deals lie in at most as many matches
    return list_plain_deals(cursor, (left, [*values, *more, limit + offset]), limit, offset)


def _examined_deals(scope: Scope) -> Condition:
    """Return SQL for `newest` and `untested`: examined deals (`match_no`, `deal_index`) and `reason`."""
    newest, values = _newest_matches(scope)
    query = f"""{newest}, looked AS (
            SELECT n.source, match_no, d.deal_index, coalesce({has_known_deck(scope)}, false) AS known
            FROM deals d JOIN newest n USING (match_no)
        ), few AS (
            SELECT source FROM looked GROUP BY source HAVING count(*) FILTER (known) < {MIN_DEALS}
        ), untested AS (
            SELECT match_no, deal_index, CASE WHEN known THEN 'few' ELSE 'hidden' END AS reason
            FROM looked l WHERE NOT known
                OR EXISTS (SELECT 1 FROM few WHERE few.source IS NOT DISTINCT FROM l.source)
        )"""
    return (query, values)


def _unexamined_matches(scope: Scope) -> Condition:
    """Return SQL for matches that are not in `newest`: `match_no`, `deals`, `reason`."""
    where, values = replace(scope, since=None, until=None).match_condition()
    within, days = scope.date_condition()
    undated = "m.played_on IS NULL" if days else "false"
    query = f"""SELECT m.match_no, m.deals,
                CASE WHEN {undated} THEN 'undated' ELSE 'older' END AS reason
            FROM matches m WHERE {where} AND coalesce({within}, true)
                AND m.match_no NOT IN (SELECT match_no FROM newest)"""
    return query, [*values, *days]


def repeated_decks(cursor: Cursor, scope: Scope, limit: int = 100) -> pl.DataFrame:
    """Return the deals whose decks a source dealt more than once, deck by deck, most often first.

    Columns: `source`, `deck` (numbered from 1), `times`, `match_id`, `log_id`, `game`, `deal_number`
    (of the deal, from 1), `played_on`, `names` and `ids`; at most `limit` rows. No row: the game
    is not tested.
    """
    if scope.game not in testable_games():
        return pl.DataFrame()
    chosen, values = decks_query(scope)
    query = f"""
        {chosen}, hashed AS MATERIALIZED (
            SELECT source, match_no, deal_index, same FROM dealt
        ), again AS (
            SELECT source, same, count(same) AS times, min((match_no << 16) | deal_index) AS first
            FROM hashed GROUP BY ALL HAVING times > 1
        ), page AS (
            SELECT dense_rank() OVER (ORDER BY times DESC, first, a.source) AS deck, a.source,
                times, match_no, deal_index
            FROM hashed d JOIN again a ON a.same = d.same
                AND a.source IS NOT DISTINCT FROM d.source
            ORDER BY deck, match_no, deal_index LIMIT ?
        ), {seated_query("page")}
        SELECT page.source, page.deck, times, match_id, log_id, game,
            page.deal_index::INTEGER + 1 AS deal_number, played_on, names, ids
        FROM page JOIN matches USING (match_no) LEFT JOIN seated USING (match_no)
        ORDER BY page.deck, match_no, page.deal_index
    """
    return cursor.execute(query, [*values, limit]).pl()


def _card_test(layouts: Layouts) -> tuple[float, float]:
    total, freedom = 0.0, 0
    for counts in layouts.values():
        cards, width = counts.shape
        expected = counts.sum(axis=0) / cards
        total += float((((counts - expected) ** 2) / expected).sum()) * (cards - 1) / cards
        freedom += (cards - 1) * (width - 1)
    return total, float(chdtrc(freedom, total))


def _points_test(layouts: Layouts, scope: Scope) -> tuple[float, float]:
    pack, difference, variance = card_points(scope.game), 0.0, 0.0
    cards = len(pack)
    for places, counts in layouts.items():
        dealt, size = int(counts[:, 0].sum()), places.count(0)
        difference += float(counts[:, 0] @ pack) - dealt * float(pack.mean())
        variance += dealt * float(pack.var()) * (cards - size) / (cards - 1)
    z = difference / math.sqrt(variance)
    return z, float(2 * ndtr(-abs(z)))


def _repeats_test(n: int, repeats: int, scope: Scope) -> tuple[float, float]:
    if not repeats:
        return 0.0, 1.0
    pairs = math.lgamma(len(game(scope.game).pack) + 1)
    return float(repeats), -math.expm1(-math.exp(math.log(n * (n - 1) / 2) - pairs))
