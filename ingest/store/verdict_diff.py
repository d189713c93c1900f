"""What is another of stored matches than what they come to: verdict, points, winner."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engine.games import game
from ingest.judge.otherwise import Change
from ingest.store.row_diff import differing
from schemas.store import with_tables


@dataclass(slots=True)
class Moved:
    """A stored match of which something is another; `game` is None of a text that is no match."""

    match_no: int
    match_id: str
    log_id: str | None = None
    game: str | None = None
    players: list[str] = field(default_factory=list)
    """Names in seat order."""
    changes: list[Change] = field(default_factory=list)


_MATCHES_MOVED = """
SELECT o.match_no, o.status::VARCHAR, n.status, o.winner, n.winner
FROM matches o JOIN matches_now n USING (match_no)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winner IS DISTINCT FROM n.winner)
"""
# a deal without a dealer was never dealt, and has no winner to compare
_DEALS_MOVED = """
SELECT match_no, deal, o.status::VARCHAR, n.status,
       o.dealer IS NOT NULL AND n.dealer IS NOT NULL, o.winner, n.winner
FROM deals o JOIN deals_now n USING (match_no, deal)
WHERE o.match_no BETWEEN $1 AND $2
  AND (o.status::VARCHAR <> n.status OR o.winner IS DISTINCT FROM n.winner)
"""
_POINTS_MOVED = """
WITH differing AS (
    SELECT DISTINCT match_no, deal
    FROM deal_seats o JOIN seats_now n USING (match_no, deal, seat)
    WHERE o.match_no BETWEEN $1 AND $2 AND o.points <> n.points
)
SELECT match_no, deal, list(o.points ORDER BY seat), list(n.points ORDER BY seat)
FROM differing
JOIN deal_seats o USING (match_no, deal)
JOIN seats_now n USING (match_no, deal, seat)
WHERE o.match_no BETWEEN $1 AND $2
GROUP BY match_no, deal
"""
_COMPARED = {
    "matches": ("match_no", "status", "winner"),
    "deals": ("match_no", "deal", "status", "winner"),
    "deal_seats": ("match_no", "deal", "seat", "points"),
}
_ABOUT = """
SELECT m.match_no, m.match_id, m.log_id, m.game,
       coalesce(list(p.name ORDER BY s.seat) FILTER (s.seat IS NOT NULL), [])
FROM matches m LEFT JOIN seats s USING (match_no) LEFT JOIN players p USING (player_no)
WHERE m.match_no BETWEEN $1 AND $2 AND m.match_no IN (FROM chosen)
GROUP BY ALL
"""

Found = dict[int, list[tuple[int, int, Change]]]
"""Match number → changes with the deal and the place among its own they are told at."""
_END = 1 << 32


def changes(
    ask: duckdb.DuckDBPyConnection, rows: Mapping[str, pa.Table], numbers: NDArray[np.int64]
) -> Found:
    """What differs between the stored rows of some matches and others of the same matches.

    The same differences as `ingest.judge.otherwise.changes` tells of two explanations.
    """
    found: Found = {}
    if not any(differing(ask, one, rows.get(one), numbers, of) for one, of in _COMPARED.items()):
        return found
    ends = [int(numbers[0]), int(numbers[-1])]

    def add(number: int, deal: int | None, place: int, what: str, before: Any, after: Any) -> None:
        at = _END if deal is None else deal
        found.setdefault(number, []).append((at, place, Change(what, deal, before, after)))

    with with_tables(ask, matches_now=rows["matches"]):
        moved = ask.execute(_MATCHES_MOVED, ends).fetchall()
    for number, was, now, old_winner, new_winner in moved:
        if old_winner != new_winner:
            add(number, None, 0, "result", old_winner, new_winner)
        if was != now:
            add(number, None, 1, "status", was, now)
    if "deals" in rows:
        with with_tables(ask, deals_now=rows["deals"], seats_now=rows["deal_seats"]):
            deals = ask.execute(_DEALS_MOVED, ends).fetchall()
            points = ask.execute(_POINTS_MOVED, ends).fetchall()
        for number, deal, was, now, dealt, *winners in deals:
            if was != now:
                add(number, deal, 0, "status", was, now)
            if dealt and winners[0] != winners[1]:
                add(number, deal, 2, "winner", *winners)
        for number, deal, before, after in points:
            add(number, deal, 1, "points", before, after)
    return found


def named(ask: duckdb.DuckDBPyConnection, found: Found) -> list[Moved]:
    """The matches of some changes, as they are stored, in the order of their numbers."""
    if not found:
        return []
    with with_tables(ask, chosen=pa.table({"match_no": sorted(found)})):
        about = ask.execute(_ABOUT, [min(found), max(found)]).fetchall()
    moved = []
    for number, match_id, log_id, name, players in about:
        changes = [change for *_, change in sorted(found[number], key=lambda one: one[:2])]
        for change in changes:
            if change.what == "points":
                sides = game(name).sides(len(players))
                change.before, change.after = change.before[:sides], change.after[:sides]
        moved.append(Moved(number, match_id, log_id, name, players, changes))
    return sorted(moved, key=lambda one: one.match_no)
