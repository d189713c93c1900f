"""Stored matches judged again by the rules of today: their texts are read, as of any log.

Of a match whose rows are all what they were, the version of the rules alone is written.
"""

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine import RULES_VERSION
from ingest.judge.batch import Checked
from ingest.store import values
from ingest.store.add import AHEAD, ahead
from ingest.store.derive import TABLES, Seated, derive
from ingest.store.ready import with_players
from ingest.store.row_diff import differing
from ingest.store.store import PART, Store
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.verdict_diff import Moved, changes, named
from schemas.store import with_tables

SHORT = 1 << 20
"""Bytes of text judged at a time where others do it."""
THREADS = max(AHEAD, min(os.cpu_count() or 1, 16))
"""Batches judged at once: scanner and kernels leave Python the processor."""

Ints = NDArray[np.int64]
_NO_OTHER_TEXT = ["revalidate", "reckon", "mask", "unmask", "copy"]
"""Changes of a store after which each match has the text it had."""


class Now(NamedTuple):
    """What some stored matches come to by the rules of today, before the store is asked."""

    numbers: Ints
    rows: dict[str, pa.Table]
    """By table, with the numbers players have among `players`."""
    players: dict[str, str]
    """Id → name; the first has number 0."""


Elsewhere = Callable[[Iterator[StoredBatch]], Iterator[tuple[StoredBatch, Now | None]]]
"""Has matches judged by others, in order; None is what nobody could do."""


class Judged(NamedTuple):
    """What a batch came to; `done` of `total` matches have been judged with it."""

    done: int
    total: int
    moved: list[Moved]


# what is old


def old(ask: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """How many verdicts are of each version of the rules before the engine's."""
    found = ask.execute(
        "SELECT rules_version, count(*) FROM matches WHERE rules_version < ?"
        " GROUP BY rules_version ORDER BY rules_version",
        [RULES_VERSION],
    )
    return {int(version): int(count) for version, count in found.fetchall()}


def stored(ask: duckdb.DuckDBPyConnection) -> int:
    """How many matches there are."""
    row = ask.execute("SELECT count(*) FROM matches").fetchone()
    return int(row[0]) if row else 0


def chosen(store: Store, everything: bool = False) -> Ints:
    """The numbers of matches judged by older rules, or of all, in order."""
    return numbers_of(store, "? OR rules_version < ?", [everything, RULES_VERSION])


def still_chosen(store: Store, some: Ints, everything: bool = False) -> Ints:
    """Those of some, in order, that are."""
    if not len(some):
        return some
    ends = [int(some[0]), int(some[-1])]
    where = "(? OR rules_version < ?) AND match_no BETWEEN ? AND ?"
    found = numbers_of(store, where, [everything, RULES_VERSION, *ends])
    return np.intersect1d(found, some, assume_unique=True)


def numbers_of(store: Store, where: str, values: list[Any]) -> Ints:
    """The numbers of some matches, in order."""
    found = store.cursor().execute(
        f"SELECT match_no FROM matches WHERE {where} ORDER BY match_no", values
    )
    numbers: Ints = found.fetchnumpy()["match_no"].astype(np.int64)
    return numbers


# what would move


def would_move(store: Store, everything: bool = False) -> Iterator[Judged]:
    """What `refresh` would move; nothing is written. StoreError: the store cannot be read."""
    with store.told():
        numbers = chosen(store, everything)
    yield from moving(store, numbers, check_stored)


def moving(
    store: Store,
    numbers: Ints,
    check: Callable[[StoredBatch], tuple[StoredBatch, Checked]],
) -> Iterator[Judged]:
    """Batch by batch, what of some matches moves by how `check` judges their texts."""
    done = 0
    with store.told():
        ask = store.cursor()
        for batch, checked in ahead(read_stored(store, numbers), check, THREADS):
            rows = by_table(checked, batch, _nobody)
            done += len(batch.match_no)
            moved = named(ask, changes(ask, rows, batch.match_no))
            yield Judged(done, len(numbers), moved)


def _nobody(ids: Sequence[str], names: Sequence[str]) -> Ints:
    """Numbers of players for rows that are compared and not kept."""
    return np.zeros(len(ids), np.int64)


def by_table(checked: Checked, stored: StoredBatch, players: Any) -> dict[str, pa.Table]:
    """The rows of a batch, one table each, in the order of their matches."""
    found: dict[str, list[pa.Table]] = {}
    for table, rows in derive(checked, stored.names, players):
        found.setdefault(table, []).append(rows)
    return {
        table: pa.concat_tables(parts, promote_options="default").sort_by("match_no")
        if len(parts) > 1
        else parts[0]
        for table, parts in found.items()
    }


# newer rules


def refresh(
    store: Store, everything: bool = False, elsewhere: Elsewhere | None = None
) -> Generator[Judged, None, None]:
    """Judge old matches again, or all, and replace what is derived from texts where it differs.

    `elsewhere`: by others, and what they could not do stays old. A batch is a transaction: whatever
    stops it, what is done is done and the rest still old. Matches keep number, id, file and line.
    StoreError: the store cannot take it.
    """
    with store.told(PART), store.alone(), store.journaled():
        since, left = last_change(store), chosen(store, everything)
        total, again = len(left), True
        while again and len(left):
            again = False
            with closing(_judged(store, left, elsewhere)) as batches:
                for numbers, now in batches:
                    left = left[~np.isin(left, numbers, assume_unique=True)]
                    if now is None:
                        continue
                    moved, again = put(store, [now], since, everything)
                    yield Judged(total - len(left), total, moved)
                    if again:  # others have changed the store: what was read ahead is out of date
                        break
            since = last_change(store)
            left = still_chosen(store, left, everything)


def _judged(
    store: Store, numbers: Ints, elsewhere: Elsewhere | None
) -> Generator[tuple[Ints, Now | None], None, None]:
    """What matches come to, some at a time."""
    if elsewhere is None:
        done = ahead(read_stored(store, numbers), judged, THREADS)
        for now in done:
            yield now.numbers, now
    else:
        for batch, found in elsewhere(read_stored(store, numbers, SHORT)):
            yield batch.match_no, found


def judged(stored: StoredBatch) -> Now:
    """What matches come to; it can be done by others."""
    seated = Seated()
    rows = by_table(check_stored(stored)[1], stored, seated)
    return Now(stored.match_no, rows, seated.names)


# beside others who change a store


def last_change(store: Store) -> int:
    """The number of the last change of a store."""
    [(number,)] = store.cursor().execute("SELECT coalesce(max(change), 0) FROM changes").fetchall()
    return int(number)


def judge(store: Store, numbers: Ints, everything: bool = False) -> list[Now]:
    """What those of some matches, in order, come to that are there and not yet judged."""
    return [judged(one) for one in read_stored(store, still_chosen(store, numbers, everything))]


def put(
    store: Store, judged: Sequence[Now], since: int, everything: bool = False
) -> tuple[list[Moved], bool]:
    """Write what matches come to that were read after a change; what that moves.

    If one of them may be another by now, all are judged once more, while nobody can change them;
    whether that was so is told too. StoreError: the store cannot take it.
    """

    def write() -> tuple[list[Moved], bool]:
        with store.adding(PART):
            anew = not store.in_a_file and _changed(store, judged, since, everything)
            these = judge(store, _all_of(judged), everything) if anew else judged
            return [one for some in these for one in _write(store, some)], anew

    return store.stored(write)


def _changed(store: Store, judged: Sequence[Now], since: int, everything: bool) -> bool:
    """Whether some matches are gone, judged by another, or may have another text."""
    others = "SELECT 1 FROM changes WHERE change > ? AND what NOT IN (SELECT unnest(?)) LIMIT 1"
    if store.connection.execute(others, [since, _NO_OTHER_TEXT]).fetchone():
        return True
    numbers = _all_of(judged)
    return len(still_chosen(store, numbers, everything)) < len(numbers)


def _all_of(judged: Sequence[Now]) -> Ints:
    return np.sort(np.concatenate([np.zeros(0, np.int64), *(one.numbers for one in judged)]))


def moves(ask: duckdb.DuckDBPyConnection, now: Now) -> list[Moved]:
    """What would move if what some matches come to were written."""
    return named(ask, changes(ask, now.rows, now.numbers))


def _write(store: Store, now: Now) -> list[Moved]:
    """Put the derived rows of matches of which one differs in the place of the old; what moves."""
    ask, numbers = store.connection, now.numbers
    player_no = store.players([*now.players], [*now.players.values()])
    rows = {table: with_players(some, player_no) for table, some in now.rows.items()}
    others = {one for table in TABLES for one in differing(ask, table, rows.get(table), numbers)}
    found = changes(ask, now.rows, numbers) if others else {}
    differ = np.isin(numbers, np.array([*others], np.int64))
    ends = [int(numbers[0]), int(numbers[-1])]
    of_these = "match_no BETWEEN ? AND ? AND match_no IN (FROM these)"
    if not differ.all():
        with with_tables(ask, these=pa.table({"match_no": numbers[~differ]})):
            ask.execute(
                f"UPDATE matches SET rules_version = ? WHERE {of_these}", [RULES_VERSION, *ends]
            )
    these = pa.table({"match_no": numbers[differ]})
    for table in (*TABLES, *values.TABLES) if others else ():
        with with_tables(ask, these=these):
            ask.execute(f"DELETE FROM {table} WHERE {of_these}", ends)
        if table in rows:
            mask = pc.is_in(rows[table]["match_no"], these["match_no"])
            store.insert(table, rows[table].filter(mask))
    store.change("revalidate", len(numbers))
    return named(ask, found)
