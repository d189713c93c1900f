"""What the ends of stored deals were worth, reckoned after they were stored.

Their texts are read, as of any log. A batch is a transaction, so whatever stops it, what is done is
done. What was deleted or judged again between reading and writing is left for another time.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ingest.i18n import N_
from ingest.store import endgame_rows, trash
from ingest.store.factory import Store
from ingest.store.ingest_files import ahead
from ingest.store.revalidate import last_change
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.worker_pool import sent
from schemas.migrations import with_tables

SIZE = 1 << 20
"""Bytes of texts that are read at a time: what is explained takes long."""
SHORT = 128 << 10
"""The same where others wait for the process that does it."""
LEFT = N_("What was reckoned before is kept, the rest is as it was.")

Ints = NDArray[np.int64]
Rows = dict[str, pa.Table]


class Reckoned(NamedTuple):
    """What a batch came to; `done` of `total` matches have been looked at with it."""

    done: int
    total: int
    deals: int
    """That are solved."""
    unsolved: Counter[str]
    """Why others are not (`ingest.store.endgame_rows.REASONS`)."""


def missing(ask: duckdb.DuckDBPyConnection, everything: bool = False) -> Ints:
    """The matches of which no deal was looked at, in order; `everything`: all that have a deal."""
    where = "deals > 0 AND (? OR match_no NOT IN (SELECT match_no FROM deal_values))"
    return trash.numbers(ask, f"matches m WHERE {where}", [everything])


Elsewhere = Callable[[Iterator[StoredBatch]], Iterator[tuple[StoredBatch, list[Rows] | None]]]
"""Has work done by others, in order; None is what nobody could do."""


def reckon(
    store: Store, everything: bool = False, elsewhere: Elsewhere | None = None
) -> Generator[Reckoned, None, None]:
    """Reckon what is missing, or all anew, here or elsewhere; what nobody could do stays as it is.

    StoreError: the store cannot take it.
    """
    with store.told(LEFT), store.journaled():
        numbers = missing(store.cursor(), everything)
        before, done = state(store), 0
        coming = read_stored(store, numbers, SHORT if store.shared or elsewhere else SIZE)
        for work, found in (
            elsewhere(coming)
            if elsewhere
            else ahead(coming, lambda work: (work, sent(reckoned, work)))
        ):
            if found is None:
                done += len(work.match_no)
                continue
            if not write(store, before, [(work, found)], everything):
                return  # what is left is not what was read
            if everything:
                before = state(store)
            done += len(work.match_no)
            yield Reckoned(done, len(numbers), *tally(found))


def tally(found: Iterable[Rows]) -> tuple[int, Counter[str]]:
    """How many deals are solved, and why others are not."""
    reasons = [one["deal_values"]["unsolved"] for one in found]
    told = Counter(reason for some in reasons for reason in some.drop_null().to_pylist())
    return sum(map(len, reasons)) - told.total(), told


def reckoned(stored: StoredBatch) -> list[Rows]:
    """The rows of some matches, a game at a time; it can be done by another process."""
    found = endgame_rows.of_checked(check_stored(stored)[1], stored.match_no)
    return [endgame_rows.rows(one) for one in found if len(one.deal)]


# into the store


def state(store: Store) -> tuple[int, int]:
    """What is another when a stored match is no longer what it was."""
    return store.opened, last_change(store)


def write(
    store: Store,
    before: tuple[int, int],
    done: list[tuple[StoredBatch, list[Rows]]],
    anew: bool = False,
) -> bool:
    """Write what was read in a state; False, and nothing is written: it is another by now.

    A match that has values by now keeps these, unless they are made `anew`.
    """
    numbers = np.unique(np.concatenate([work.match_no for work, _ in done]))
    ends = [int(numbers[0]), int(numbers[-1])]
    these = "match_no BETWEEN ? AND ?"
    with store.adding(LEFT):
        if state(store) != before:
            return False
        ask = store.connection
        if anew:
            with with_tables(ask, every=pa.table({"match_no": numbers})):
                for table in endgame_rows.TABLES:
                    which = f"{these} AND match_no IN (FROM every)"
                    ask.execute(f"DELETE FROM {table} WHERE {which}", ends)
            store.change("reckon", len(numbers))
        known = ask.execute(
            f"SELECT DISTINCT match_no FROM deal_values WHERE {these}", ends
        ).fetchnumpy()["match_no"]
        there = pa.array(known, pa.int64())
        for _, found in done:
            for one in found:
                for table, rows in one.items():
                    store.insert(table, rows.filter(pc.invert(pc.is_in(rows["match_no"], there))))
    return True
