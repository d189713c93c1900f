"""How a copy asks stores and writes to them: at one moment, some thousand matches at a time."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.i18n import N_
from ingest.store import texts, values
from ingest.store.derive import TABLES
from ingest.store.gone import gone_among
from ingest.store.store import Store, StoreError
from schemas.store import with_tables

BLOCK = 1 << 13
"""Matches whose rows are in memory together, and stored in one transaction."""
ROWS = (*TABLES, *values.TABLES)
"""Tables with rows of a match, by its number."""
KEYS = ("match_no", "deal", "seat")
NOT_WHOLE = N_("The store {path} is not whole. See: retourne verify --store {path!q}")
PEOPLE = """
SELECT p.player_no, coalesce(k.player_id, p.player_id) AS player, coalesce(k.name, p.name) AS name
FROM players p LEFT JOIN masked k USING (player_no)
"""
"""Every player, by their true id and name."""

T = TypeVar("T")
Ask = duckdb.DuckDBPyConnection
Ints = NDArray[np.int64]


def patiently(store: Store, act: Callable[[], T]) -> T:
    """Do something once a store lets it be done. StoreError: it does not for long."""
    while True:
        try:
            with store.told():
                return act()
        except StoreError as error:
            if not store.awaits(error):
                raise


def at_once(store: Store, read: Callable[[Ask], T]) -> T:
    """What is read of a store as it is at one moment, once it lets itself be read."""
    return patiently(store, lambda: store.at_once(read))


def table_of(store: Store, query: str, values: Sequence[object] = ()) -> pa.Table:
    """What a query says."""
    return at_once(store, lambda ask: ask.execute(query, list(values)).to_arrow_table())


def written(store: Store, act: Callable[[], T]) -> T:
    """What is done in one transaction of a store, while nobody else changes what it has."""

    def whole() -> T:
        with store.adding():
            return act()

    return patiently(store, whole)


def known_in(store: Store, ids: Sequence[str]) -> set[str]:
    """Those of some matches that a store has, by their hashes."""

    def act(ask: Ask) -> set[str]:
        with with_tables(ask, asked=pa.table({"match_id": pa.array(ids, pa.string())})):
            found = ask.execute("SELECT match_id FROM matches SEMI JOIN asked USING (match_id)")
            return {str(one) for (one,) in found.fetchall()}

    return at_once(store, act)


def ranges(store: Store) -> Iterator[tuple[int, int]]:
    """The first and the last number of some thousand matches after the other."""
    [found] = table_of(
        store, "SELECT min(match_no) AS a, max(match_no) AS z FROM matches"
    ).to_pylist()
    if found["a"] is not None:
        for low in range(found["a"], found["z"] + 1, BLOCK):
            yield low, low + BLOCK - 1


def ints(rows: pa.Table, name: str) -> Ints:
    """A column of whole numbers."""
    found: Ints = rows[name].to_numpy().astype(np.int64)
    return found


class Block(NamedTuple):
    """Some matches of a store, in the order of their numbers, with all that belongs to them."""

    rows: dict[str, pa.Table]
    """Of each table of ROWS."""
    texts: list[bytes]
    files: pa.Table
    people: pa.Table
    """Number, true id and name."""

    @property
    def numbers(self) -> Ints:
        return ints(self.rows["matches"], "match_no")

    @property
    def ids(self) -> list[str]:
        found: list[str] = self.rows["matches"]["match_id"].to_pylist()
        return found


def block_of(store: Store, numbers: Sequence[int]) -> Block:
    """Matches by their numbers, but for those that are there no more.

    StoreError: a text or a file of one is missing.
    """
    found = at_once(store, lambda ask: _read(ask, numbers))
    came = np.unique(ints(found.rows["matches"], "file_no"))
    if len(found.texts) != len(found.numbers) or len(came) != found.files.num_rows:
        raise StoreError(NOT_WHOLE, path=store.path)
    return found


def _read(ask: Ask, numbers: Sequence[int]) -> Block:
    chosen = pa.table({"match_no": pa.array(numbers, pa.int64())})
    rows = dict[str, pa.Table]()
    for table in ROWS:
        there = {name for name, *_ in ask.execute(f"DESCRIBE {table}").fetchall()}
        order = ", ".join(key for key in KEYS if key in there)
        with with_tables(ask, chosen=chosen):
            rows[table] = ask.execute(
                f"FROM {table} WHERE match_no BETWEEN ? AND ? AND match_no IN (FROM chosen)"
                f" ORDER BY {order}",
                [min(numbers), max(numbers)],
            ).to_arrow_table()
    came, seated = rows["matches"].select(["file_no"]), rows["seats"].select(["player_no"])
    with with_tables(ask, came=came, seated=seated):
        people = f"FROM ({PEOPLE}) SEMI JOIN seated USING (player_no) ORDER BY 1"
        return Block(
            rows,
            texts.at_once(ask, ints(rows["matches"], "match_no")),
            ask.execute("FROM files SEMI JOIN came USING (file_no) ORDER BY 1").to_arrow_table(),
            ask.execute(people).to_arrow_table(),
        )


def purged_in(target: Store, block: Block) -> set[str]:
    """The ids of matches that were purged there, or somebody who sits in them: they stay away."""
    people = dict(zip(*block.people.drop_columns("name").to_pydict().values(), strict=True))
    gone = set(gone_among(target, [*block.ids, *people.values()]))
    ids = dict(zip(block.numbers.tolist(), block.ids, strict=True))
    seats = block.rows["seats"].select(["match_no", "player_no"]).to_pydict()
    sat = {ids[no] for no, player in zip(*seats.values(), strict=True) if people[player] in gone}
    return sat | gone.intersection(block.ids)
