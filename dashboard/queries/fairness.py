"""Is this source's shuffle fair? What decks may not show if every order is as likely.

Tests per source of logs, for one game and size of table:

`cards`    how often each card comes to each part of the deal (a hand, counted from the dealer; the
           card after the hands; the rest): χ² with (cards - 1)(parts - 1) degrees of freedom. A
           deck is dealt without putting cards back, so the sum is scaled by (cards - 1) / cards.
`points`   card points of the hand dealt first, against their mean: a normal test; not of a game
           whose cards have no points.
`repeats`  decks dealt before: among fair ones next to impossible.

The p-values of all tests of an answer are corrected together by Holm's method.
"""

import math
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr  # tails of χ² and the normal law, as scipy.stats has them

from dashboard.games import of
from dashboard.queries.player_deals import bare
from dashboard.queries.player_search import seated
from dashboard.queries.scope import Condition, Cursor, Scope
from engine.games import game, names

MOST = 100_000
"""Deals looked at of each source, the newest matches whole; more would not change an answer."""
BLOCK = 10
"""Matches whose numbers differ in so many of the last bits are counted together, to find those."""
ENOUGH = 100
"""Below this many deals a source is not tested."""
ALARM = 0.01
"""A corrected p-value below it is called unfair."""
_SCHEMA = {
    **{"source": pl.String, "test": pl.String},
    **{"n": pl.Int64, "statistic": pl.Float64, "p": pl.Float64},
}


def games() -> tuple[str, ...]:
    """The games whose decks can be tested, as registered."""
    return tuple(name for name in names() if of(name).STATISTICS.fairness)


def worth(name: str) -> NDArray[np.int64]:
    """The points of each card of a game's pack while nothing is trump; empty: cards have none."""
    return np.array(of(name).STATISTICS.worth, np.int64)


def parts(name: str, players: int) -> tuple[int, ...]:
    """The part of the deal each place of a deck belongs to: hands from 0, next card, the rest."""
    this = game(name)
    assert this.dealing is not None  # no other shuffle is tested
    hands = int(this.dealing.hand_size(players)) * players
    first = int(this.dealing.receiver(players, 0, 0))
    after = [(int(this.dealing.receiver(players, 0, k)) - first) % players for k in range(hands)]
    rest = [players + (k > 0) for k in range(len(this.pack) - hands)]
    return (*after, *rest)


def tests(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """A row per source (null: none said) and test; none for a source with fewer than ENOUGH deals.

    Void deals and faulty ones count: their cards were dealt like any others.
    """
    rows: list[tuple[Any, ...]] = []
    if scope.game in games():
        for source, n, distinct, counts in _counted(cursor, scope):
            rows.append((source, "cards", n, *_cards(counts)))
            if len(worth(scope.game)):
                rows.append((source, "points", n, *_points(n, counts, scope)))
            rows.append((source, "repeats", n, *_repeats(n, n - distinct, scope)))
    frame = pl.DataFrame(rows, _SCHEMA, orient="row")
    corrected = holm(frame["p"].to_list())
    return frame.with_columns(
        pl.Series("corrected", corrected, dtype=pl.Float64),
        pl.Series("fair", [p >= ALARM for p in corrected], dtype=pl.Boolean),
    )


def holm(values: list[float]) -> list[float]:
    """p-values corrected for how many there are, by Holm's step-down method."""
    order = sorted(range(len(values)), key=values.__getitem__)
    each = (min(1.0, values[place] * (len(values) - rank)) for rank, place in enumerate(order))
    corrected = dict(zip(order, accumulate(each, max), strict=True))
    return [corrected[place] for place in range(len(values))]


def _counted(cursor: Cursor, scope: Scope) -> list[tuple[str | None, int, int, NDArray[np.int64]]]:
    """Of each source: its name, its deals, how many of their decks differ, cards × parts."""
    places = parts(scope.game, scope.players)
    size = len(places)
    counts: dict[str | None, NDArray[np.int64]] = {}
    own_decks: dict[str | None, list[pl.Series]] = {}
    chosen, values = decks(scope)
    dealt = cursor.execute(f"{chosen} SELECT source, deck, same FROM dealt", values)
    for batch in dealt.to_arrow_reader(100_000):
        for (source,), own in pl.DataFrame(batch).drop_nulls("deck").group_by("source"):
            counts.setdefault(source, np.zeros((size, max(places) + 1), np.int64))
            cards = own["deck"].explode().to_numpy().reshape(-1, size)
            for place, part in enumerate(places):
                counts[source][:, part] += np.bincount(cards[:, place], minlength=size)
            own_decks.setdefault(source, []).append(own["same"])
    found = [
        (source, sum(map(len, own)), pl.concat(own).n_unique(), counts[source])
        for source, own in own_decks.items()
    ]
    order = sorted(found, key=lambda one: (-one[1], one[0] is None, one[0] or ""))
    return [one for one in order if one[1] >= ENOUGH]


def decks(scope: Scope) -> Condition:
    """The decks of each source's `newest` matches, as `dealt`; NULL with an unknown card.

    No condition on decks: it would be asked of all decks in the store before these are chosen.
    """
    newest, values = _newest(scope)
    query = f"""
        WITH {newest}, dealt AS (
            SELECT n.source, d.match_no, d.deal, CASE WHEN {known(scope)} THEN d.deck END AS deck,
                CASE WHEN {known(scope)} THEN hash(d.deck) END AS same
            FROM deals d JOIN newest n USING (match_no)
        )
    """
    return (query, values)


def _newest(scope: Scope) -> Condition:
    """The matches looked at, as `newest`: MOST deals of each source, those added last."""
    where, values = scope.where()
    query = f"""blocks AS (
            SELECT m.source, m.match_no >> {BLOCK} AS block, sum(m.deals) AS deals
            FROM matches m WHERE {where} GROUP BY ALL
        ), before AS (
            SELECT source, block, sum(deals) OVER (PARTITION BY source ORDER BY block DESC)
                - deals AS newer FROM blocks QUALIFY newer < {MOST}
        ), newest AS MATERIALIZED (
            SELECT m.source, m.match_no
            FROM matches m JOIN before b ON b.block = m.match_no >> {BLOCK}
                AND b.source IS NOT DISTINCT FROM m.source
            WHERE {where}
            QUALIFY b.newer - m.deals + sum(m.deals)
                OVER (PARTITION BY m.source, b.block ORDER BY m.match_no DESC) < {MOST}
        )"""
    return query, [*values, *values]


def known(scope: Scope) -> str:
    """The condition on `d`, NULL without a deck: that every card of it is known."""
    size = len(parts(scope.game, scope.players))
    return f"list_count(d.deck) = {size} AND list_max(d.deck) < {size}"


def behind(
    cursor: Cursor, scope: Scope, source: str | None, limit: int = 25, offset: int = 0
) -> pl.DataFrame:
    """The `n` deals a source is tested on, as `played.bare`."""
    chosen, values = decks(scope)
    told = f"""{chosen} SELECT match_no, deal FROM dealt
        WHERE deck IS NOT NULL AND source IS NOT DISTINCT FROM ?"""
    return bare(cursor, (told, [*values, source]), limit, offset)


def left_out(cursor: Cursor, scope: Scope) -> pl.DataFrame:
    """How many `deals` are not tested by each `reason`, most first.

    `undated` where days are asked for; `older` than those looked at; `hidden`, cards that are not
    all known; `few`, a source that has less than ENOUGH of the others. No row: a game that is not
    tested.
    """
    if scope.game not in games():
        return pl.DataFrame({"reason": [], "deals": []}, {"reason": pl.String, "deals": pl.Int64})
    looked, values = _looked(scope)
    older, more = _older(scope)
    query = f"""
        WITH {looked}, older AS ({older})
        SELECT reason, count(*) AS deals FROM untested GROUP BY 1
        UNION ALL SELECT reason, sum(deals)::BIGINT FROM older GROUP BY 1 HAVING sum(deals) > 0
        ORDER BY deals DESC, reason
    """
    return cursor.execute(query, [*values, *more]).pl()


def untested(cursor: Cursor, scope: Scope, limit: int = 25, offset: int = 0) -> pl.DataFrame:
    """The deals that `left_out` counts, as `played.bare`, each with its `reason`."""
    looked, values = _looked(scope)
    older, more = _older(scope)
    left = f"""
        WITH {looked}, older AS (
            {older} AND m.deals > 0
            ORDER BY m.played_at DESC NULLS LAST, m.match_no DESC LIMIT ?
        )
        FROM untested UNION ALL
        SELECT match_no, deal, reason FROM deals JOIN older USING (match_no)"""
    # whoever lists the last deals needs no more matches than deals
    return bare(cursor, (left, [*values, *more, limit + offset]), limit, offset)


def _looked(scope: Scope) -> Condition:
    """Deals among those looked at, as `untested`: `match_no`, `deal`, `reason`; and `newest`."""
    newest, values = _newest(scope)
    query = f"""{newest}, looked AS (
            SELECT n.source, match_no, d.deal, coalesce({known(scope)}, false) AS known
            FROM deals d JOIN newest n USING (match_no)
        ), few AS (
            SELECT source FROM looked GROUP BY source HAVING count(*) FILTER (known) < {ENOUGH}
        ), untested AS (
            SELECT match_no, deal, CASE WHEN known THEN 'few' ELSE 'hidden' END AS reason
            FROM looked l WHERE NOT known
                OR EXISTS (SELECT 1 FROM few WHERE few.source IS NOT DISTINCT FROM l.source)
        )"""
    return (query, values)


def _older(scope: Scope) -> Condition:
    """Matches that are not looked at, beside `newest`: `match_no`, `deals`, `reason`."""
    where, values = replace(scope, since=None, until=None).where()
    within, days = scope.days()
    undated = "m.played_at IS NULL" if days else "false"
    query = f"""SELECT m.match_no, m.deals,
                CASE WHEN {undated} THEN 'undated' ELSE 'older' END AS reason
            FROM matches m WHERE {where} AND coalesce({within}, true)
                AND m.match_no NOT IN (SELECT match_no FROM newest)"""
    return query, [*values, *days]


def repeated(cursor: Cursor, scope: Scope, limit: int = 100) -> pl.DataFrame:
    """The deals whose decks a source dealt more than once, deck by deck, most often dealt first.

    `source`, `deck` (numbered from 1), `times`, `match_id`, `log_id`, `game`, `number` (of the
    deal, from 1), `played_at`, `names` and `ids`; at most `limit` rows. No row: a game that is
    not tested.
    """
    if scope.game not in games():
        return pl.DataFrame()
    chosen, values = decks(scope)
    query = f"""
        {chosen}, hashed AS MATERIALIZED (
            SELECT source, match_no, deal, same FROM dealt
        ), again AS (
            SELECT source, same, count(same) AS times, min((match_no << 16) | deal) AS first
            FROM hashed GROUP BY ALL HAVING times > 1
        ), page AS (
            SELECT dense_rank() OVER (ORDER BY times DESC, first, a.source) AS deck, a.source,
                times, match_no, deal
            FROM hashed d JOIN again a ON a.same = d.same
                AND a.source IS NOT DISTINCT FROM d.source
            ORDER BY deck, match_no, deal LIMIT ?
        ), {seated("page")}
        SELECT page.source, page.deck, times, match_id, log_id, game,
            page.deal::INTEGER + 1 AS number, played_at, names, ids
        FROM page JOIN matches USING (match_no) LEFT JOIN seated USING (match_no)
        ORDER BY page.deck, match_no, page.deal
    """
    return cursor.execute(query, [*values, limit]).pl()


def _cards(counts: NDArray[np.int64]) -> tuple[float, float]:
    cards, width = counts.shape
    expected = counts.sum(axis=0) / cards
    total = float((((counts - expected) ** 2) / expected).sum()) * (cards - 1) / cards
    return total, float(chdtrc((cards - 1) * (width - 1), total))


def _points(n: int, counts: NDArray[np.int64], scope: Scope) -> tuple[float, float]:
    pack = worth(scope.game)
    cards, size = len(pack), parts(scope.game, scope.players).count(0)
    deviation = math.sqrt(n * size * float(pack.var()) * (cards - size) / (cards - 1))
    z = (float(counts[:, 0] @ pack) - n * size * float(pack.mean())) / deviation
    return z, float(2 * ndtr(-abs(z)))


def _repeats(n: int, repeats: int, scope: Scope) -> tuple[float, float]:
    if not repeats:
        return 0.0, 1.0
    pairs = math.lgamma(len(parts(scope.game, scope.players)) + 1)
    return float(repeats), -math.expm1(-math.exp(math.log(n * (n - 1) / 2) - pairs))
