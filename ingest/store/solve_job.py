"""Solves the endgames of stored deals after they are stored.

Texts are read and checked like any log. Each batch is a transaction, so an interruption loses only
that batch. Matches deleted or validated again between reading and writing wait for the next run.
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
from ingest.store.batch_stream import map_ahead
from ingest.store.factory import Store
from ingest.store.revalidate import last_change_no
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.worker_pool import run_in_worker
from schemas.migrations import with_tables

BATCH_BYTES = 1 << 20
"""Bytes of text read at a time: explained matches take long."""
SHARED_BATCH_BYTES = 128 << 10
"""The same where other threads wait for this process."""
PARTLY_SOLVED = N_("Values computed so far are stored, the rest is unchanged.")

Ints = NDArray[np.int64]
RowsByTable = dict[str, pa.Table]


class SolveProgress(NamedTuple):
    """The result of a batch; `matches_done` of `matches_total` matches have been processed."""

    matches_done: int
    matches_total: int
    solved_deals: int
    """Deals solved in this batch."""
    unsolved: Counter[str]
    """Reasons for the others (`ingest.store.endgame_rows.NOT_SOLVED_REASONS`)."""


def matches_to_solve(cursor: duckdb.DuckDBPyConnection, include_solved: bool = False) -> Ints:
    """Return the matches without endgame values, in order; `include_solved`: all with a deal."""
    where = "deals > 0 AND (? OR match_no NOT IN (SELECT match_no FROM endgame_values))"
    return trash.select_matches(cursor, f"matches m WHERE {where}", [include_solved])


SolveElsewhere = Callable[[Iterator[StoredBatch]], Iterator[tuple[StoredBatch, list[RowsByTable] | None]]]
"""Solves batches in other processes, in order; None: no process could solve the batch."""


def solve_missing(
    store: Store, all_matches: bool = False, solve_elsewhere: SolveElsewhere | None = None
) -> Generator[SolveProgress, None, None]:
    """Solve missing endgames, or all again; what `solve_elsewhere` cannot solve stays unchanged.

    StoreError: the store cannot be written.
    """
    with store.translate_errors(PARTLY_SOLVED), store.deferred_checkpoints():
        numbers = matches_to_solve(store.cursor(), all_matches)
        before, done = solve_state(store), 0
        coming = read_stored(
            store, numbers, SHARED_BATCH_BYTES if store.is_shared or solve_elsewhere else BATCH_BYTES
        )
        for work, found in (
            solve_elsewhere(coming)
            if solve_elsewhere
            else map_ahead(coming, lambda work: (work, run_in_worker(solve_stored, work)))
        ):
            if found is None:
                done += len(work.match_no)
                continue
            if not write_solved(store, before, [(work, found)], all_matches):
                return  # the store changed after these texts were read
            if all_matches:
                before = solve_state(store)
            done += len(work.match_no)
            yield SolveProgress(done, len(numbers), *count_solved(found))


def count_solved(found: Iterable[RowsByTable]) -> tuple[int, Counter[str]]:
    """Count solved deals, and the others by reason."""
    reasons = [one["endgame_values"]["unsolved"] for one in found]
    fields = Counter(reason for some in reasons for reason in some.drop_null().to_pylist())
    return sum(map(len, reasons)) - fields.total(), fields


def solve_stored(batch: StoredBatch) -> list[RowsByTable]:
    """Return the rows of some matches, game by game; can run in another process."""
    found = endgame_rows.solver_batches_of(check_stored(batch)[1], batch.match_no)
    return [endgame_rows.endgame_rows(one) for one in found if len(one.deal_index)]


# writing to the store


def solve_state(store: Store) -> tuple[int, int]:
    """Return values that differ after stored matches may have changed."""
    return store.file_generation, last_change_no(store)


def write_solved(
    store: Store,
    expected_state: tuple[int, int],
    solved: list[tuple[StoredBatch, list[RowsByTable]]],
    replace: bool = False,
) -> bool:
    """Write rows solved in a state; return False and write nothing if the state has changed.

    A match that has values retains them, unless `replace` is set.
    """
    numbers = np.unique(np.concatenate([work.match_no for work, _ in solved]))
    ends = [int(numbers[0]), int(numbers[-1])]
    these = "match_no BETWEEN ? AND ?"
    with store.transaction(PARTLY_SOLVED):
        if solve_state(store) != expected_state:
            return False
        cursor = store.connection
        if replace:
            with with_tables(cursor, every=pa.table({"match_no": numbers})):
                for table in endgame_rows.VALUE_TABLES:
                    which = f"{these} AND match_no IN (FROM every)"
                    cursor.execute(f"DELETE FROM {table} WHERE {which}", ends)
            store.record_change("solve", len(numbers))
        known = cursor.execute(
            f"SELECT DISTINCT match_no FROM endgame_values WHERE {these}", ends
        ).fetchnumpy()["match_no"]
        there = pa.array(known, pa.int64())
        for _, found in solved:
            for one in found:
                for table, rows in one.items():
                    store.insert_rows(table, rows.filter(pc.invert(pc.is_in(rows["match_no"], there))))
    return True
