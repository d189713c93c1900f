"""Solves the endgames of stored deals after they are stored.

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
from ingest.store.ingest_files import map_ahead
from ingest.store.revalidate import last_change_no
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.worker_pool import run_in_worker
from schemas.migrations import with_tables

BATCH_BYTES = 1 << 20
"""Bytes of texts that are read at a time: what is explained takes long."""
SHARED_BATCH_BYTES = 128 << 10
"""The same where others wait for the process that does it."""
PARTLY_SOLVED = N_("What was reckoned before is kept, the rest is as it was.")

Ints = NDArray[np.int64]
RowsByTable = dict[str, pa.Table]


class SolveProgress(NamedTuple):
    """What a batch came to; `matches_done` of `matches_total` matches have been looked at with
    it.
    """

    matches_done: int
    matches_total: int
    solved_deals: int
    """That are solved."""
    unsolved: Counter[str]
    """Why others are not (`ingest.store.endgame_rows.NOT_SOLVED_REASONS`)."""


def matches_to_solve(ask: duckdb.DuckDBPyConnection, include_solved: bool = False) -> Ints:
    """The matches of which no deal was looked at, in order; `include_solved`: all that have a
    deal.
    """
    where = "deals > 0 AND (? OR match_no NOT IN (SELECT match_no FROM deal_values))"
    return trash.select_matches(ask, f"matches m WHERE {where}", [include_solved])


SolveElsewhere = Callable[
    [Iterator[StoredBatch]], Iterator[tuple[StoredBatch, list[RowsByTable] | None]]
]
"""Has work done by others, in order; None is what nobody could do."""


def solve_missing(
    store: Store, everything: bool = False, solve_elsewhere: SolveElsewhere | None = None
) -> Generator[SolveProgress, None, None]:
    """Reckon what is missing, or all anew, here or elsewhere; what nobody could do stays as it is.

    StoreError: the store cannot take it.
    """
    with store.translate_errors(PARTLY_SOLVED), store.deferred_checkpoints():
        numbers = matches_to_solve(store.cursor(), everything)
        before, done = solve_state(store), 0
        coming = read_stored(
            store,
            numbers,
            SHARED_BATCH_BYTES if store.is_shared or solve_elsewhere else BATCH_BYTES,
        )
        for work, found in (
            solve_elsewhere(coming)
            if solve_elsewhere
            else map_ahead(coming, lambda work: (work, run_in_worker(solve_stored, work)))
        ):
            if found is None:
                done += len(work.match_no)
                continue
            if not write_solved(store, before, [(work, found)], everything):
                return  # what is left is not what was read
            if everything:
                before = solve_state(store)
            done += len(work.match_no)
            yield SolveProgress(done, len(numbers), *count_solved(found))


def count_solved(found: Iterable[RowsByTable]) -> tuple[int, Counter[str]]:
    """How many deals are solved, and why others are not."""
    reasons = [one["deal_values"]["unsolved"] for one in found]
    told = Counter(reason for some in reasons for reason in some.drop_null().to_pylist())
    return sum(map(len, reasons)) - told.total(), told


def solve_stored(batch: StoredBatch) -> list[RowsByTable]:
    """The rows of some matches, a game at a time; it can be done by another process."""
    found = endgame_rows.solver_batches_of(check_stored(batch)[1], batch.match_no)
    return [endgame_rows.endgame_rows(one) for one in found if len(one.deal)]


# into the store


def solve_state(store: Store) -> tuple[int, int]:
    """What is another when a stored match is no longer what it was."""
    return store.file_generation, last_change_no(store)


def write_solved(
    store: Store,
    expected_state: tuple[int, int],
    solved: list[tuple[StoredBatch, list[RowsByTable]]],
    replace: bool = False,
) -> bool:
    """Write what was read in a state; False, and nothing is written: it is another by now.

    A match that has values by now keeps these, unless they are made `replace`.
    """
    numbers = np.unique(np.concatenate([work.match_no for work, _ in solved]))
    ends = [int(numbers[0]), int(numbers[-1])]
    these = "match_no BETWEEN ? AND ?"
    with store.transaction(PARTLY_SOLVED):
        if solve_state(store) != expected_state:
            return False
        ask = store.connection
        if replace:
            with with_tables(ask, every=pa.table({"match_no": numbers})):
                for table in endgame_rows.VALUE_TABLES:
                    which = f"{these} AND match_no IN (FROM every)"
                    ask.execute(f"DELETE FROM {table} WHERE {which}", ends)
            store.record_change("reckon", len(numbers))
        known = ask.execute(
            f"SELECT DISTINCT match_no FROM deal_values WHERE {these}", ends
        ).fetchnumpy()["match_no"]
        there = pa.array(known, pa.int64())
        for _, found in solved:
            for one in found:
                for table, rows in one.items():
                    store.insert_rows(
                        table, rows.filter(pc.invert(pc.is_in(rows["match_no"], there)))
                    )
    return True
