"""All there is of one player, section by section: what the page and the terminal show."""

from collections.abc import Callable

import duckdb
import polars as pl

from dashboard.queries import announcements, bids, left_out, luck, players, points, records, results
from dashboard.queries.scope import Scope
from engine.games import names

Query = Callable[[duckdb.DuckDBPyConnection, Scope, int], pl.DataFrame]


def player(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """The player's row of `queries.players.table`."""
    return players.table(cursor, scope, player_no=player_no)


def undecided(cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int) -> pl.DataFrame:
    """The player's deals that figures of winning leave out, as `queries.left_out.reasons`."""
    return left_out.reasons(cursor, scope, player_no, decided=True)


SECTIONS: dict[str, Query] = {
    "player": player,
    "left-out": undecided,
    "tables": results.tables,
    "results": results.results,
    "manches": results.manches,
    "averages": points.averages,
    "distribution": points.distribution,
    "events": points.events,
    "announcements": announcements.frequencies,
    "contracts": bids.contracts,
    "partners": results.partners,
    "bid-cards": bids.bid_cards,
    "reserve": bids.reserve,
    "luck": luck.luck,
    "trend": points.trend,
    "records": records.records,
}
ONLY = {
    "announcements": ("chouine",),
    "contracts": ("coinche",),
    "partners": ("coinche",),
    "bid-cards": ("chouineurs",),
    "reserve": ("chouineurs",),
    "luck": tuple(name for name in names() if len(luck.worth(name))),
}
"""Sections that only some games have."""


def sections(
    cursor: duckdb.DuckDBPyConnection, scope: Scope, player_no: int
) -> dict[str, pl.DataFrame]:
    """The sections of the scope's game, in the order of SECTIONS; one of no rows is left out."""
    found = {
        name: query(cursor, scope, player_no)
        for name, query in SECTIONS.items()
        if scope.game in ONLY.get(name, (scope.game,))
    }
    return {name: frame for name, frame in found.items() if frame.height}
