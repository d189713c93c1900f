"""Whose names a reader of the store may not read."""

from collections.abc import Iterator
from contextlib import suppress

import duckdb

from ingest.store.texts import read
from ingest.text.json import value_of
from ingest.text.names import Person, seats


def masked(ask: duckdb.DuckDBPyConnection, logs: bool = True) -> dict[int, Person]:
    """The masked players by number; `logs`: with every name a log has for them, all of which it
    reads.
    """
    rows = ask.execute(
        "SELECT player_no, k.player_id, k.name, p.name"
        " FROM masked k JOIN players p USING (player_no)"
    ).fetchall()
    names = {number: {player, name} for number, player, name, _ in rows}
    if rows and logs:
        numbers = {player: number for number, player, *_ in rows}
        for player, name in _called(ask):
            if player in numbers:
                names[numbers[player]].add(name)
    return {number: Person(id, told, frozenset(names[number])) for number, id, _, told in rows}


def _called(ask: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Ids and names that logs of matches with a masked player have for who sits there."""
    seated = "SELECT DISTINCT match_no FROM seats SEMI JOIN masked USING (player_no)"
    for _, text in read(ask.cursor(), [number for (number,) in ask.execute(seated).fetchall()]):
        with suppress(ValueError):
            for one in seats(value_of(text)):
                if isinstance(name := one.get("name"), str):
                    yield one["id"], name
