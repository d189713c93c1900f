"""Stored matches judged again: by newer rules, to stay so, or under others.

First from their columns (`ingest.store.from_columns`), which can only say that nothing moves; the
text of every other match is read, and what it comes to is what is told and stored.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine import RULES_VERSION
from ingest.judge.batch import Checked
from ingest.store import from_columns, texts, values
from ingest.store.add import ahead
from ingest.store.derive import TABLES, Named, Seated, check_stored, derive
from ingest.store.from_columns import Rules, Stored
from ingest.store.kept import with_same_rows
from ingest.store.moved import Moved, changes, named
from ingest.store.ready import with_players
from ingest.store.store import PART, Store
from ingest.text.files import Batch, Text

SIZE = 1 << 22
"""Bytes of text judged at a time; a match that has to be explained takes 200 kB meanwhile."""
WINDOW = 50_000
"""Matches whose texts are measured at a time, to cut them into batches of a size."""
SHORT = 1 << 20
"""The same where others judge them."""
AT_ONCE = 100_000
"""Deals whose columns are judged at a time."""
READ_ALIKE_SINCE = 2
"""The first version of the rules since which texts are read, and rows made of them, as today.

What was judged before is judged from its text. A newer version of the rules that changes more than
what kernels make of a deal (a key read otherwise, another default preset, a column that is new or
has another meaning) is this version, too.
"""
Ints = NDArray[np.int64]
_NO_OTHER_TEXT = ["revalidate", "reckon", "mask", "unmask", "copy"]
"""Changes of a store after which each match has the text it had."""


class Left(NamedTuple):
    """Matches that stay as they are by their columns, or texts of some that columns leave open."""

    same: Ints
    """Their numbers."""
    texts: Named | None = None

    @property
    def numbers(self) -> Ints:
        """Of either."""
        return self.same if self.texts is None else self.texts.match_no


def called(numbers: Ints) -> str:
    """How some matches, in order, are named to people: by their numbers in the store."""
    return f"matches {numbers[0]}–{numbers[-1]}"


class Now(NamedTuple):
    """What some stored matches come to by the rules of today, before the store is asked."""

    numbers: Ints
    rows: dict[str, pa.Table] | None = None
    """By table, with the numbers players have among `players`; None: they are what is stored."""
    players: dict[str, str] = {}  # noqa: RUF012 (nobody writes into it)
    """Id → name; the first has number 0."""


Elsewhere = Callable[[Iterator[Left]], Iterator[tuple[Left, Now | None]]]
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


# newer rules


def refresh(
    store: Store, everything: bool = False, elsewhere: Elsewhere | None = None
) -> Generator[Judged, None, None]:
    """Judge old matches again and replace all that is derived from the texts of those it changes.

    Of a match whose columns, every one of them, are what it comes to now, the version of the rules
    alone is written. `everything`: every text is read, whatever columns say; `elsewhere`: by
    others, and what they could not do stays old. A batch is a transaction: whatever stops it, what
    is done is done and the rest still old. Matches keep number, id, file and line. StoreError: the
    store cannot take it.
    """
    with store.told(PART), store.alone(), store.journaled():
        since, left = last_change(store), chosen(store, everything)
        total, again = len(left), True
        while again and len(left):
            again = False
            with closing(_judged(store, left, everything, elsewhere)) as batches:
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
    store: Store, numbers: Ints, everything: bool, elsewhere: Elsewhere | None
) -> Generator[tuple[Ints, Now | None], None, None]:
    """What matches come to, some at a time."""
    coming = _to_judge(store, numbers, everything, SIZE if elsewhere is None else SHORT)
    done = ahead(coming, _with_rows) if elsewhere is None else elsewhere(coming)
    for left, now in done:
        yield left.numbers, now


def _to_judge(store: Store, numbers: Ints, everything: bool, size: int) -> Iterator[Left]:
    if everything:
        return _texts_of(store, numbers, size)
    return unsettled(store, numbers, same_rows, size)


def _with_rows(left: Left) -> tuple[Left, Now | None]:
    return left, now(left)


def now(left: Left) -> Now:
    """What matches come to; it can be done by others."""
    if left.texts is None:
        return Now(left.same)
    seated = Seated()
    rows = by_table(check_stored(left.texts)[1], left.texts, seated)
    return Now(left.numbers, rows, seated.names)


# beside others who change a store


def last_change(store: Store) -> int:
    """The number of the last change of a store."""
    [(number,)] = store.cursor().execute("SELECT coalesce(max(change), 0) FROM changes").fetchall()
    return int(number)


def judge(store: Store, numbers: Ints, everything: bool = False) -> list[Now]:
    """What those of some matches, in order, come to that are there and not yet judged."""
    numbers = still_chosen(store, numbers, everything)
    return [now(one) for one in _to_judge(store, numbers, everything, SIZE)]


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


def _write(store: Store, now: Now) -> list[Moved]:
    if now.rows is None:
        _keep(store, now.numbers)
        return []
    return _replace(store, now, now.rows)


def would_move(store: Store, everything: bool = False) -> Iterator[Judged]:
    """What `refresh` would move; nothing is written. StoreError: the store cannot be read."""
    with store.told():
        numbers = chosen(store, everything)
    left = _texts_of(store, numbers) if everything else unsettled(store, numbers, same_verdicts)
    yield from moving(store, left, _check_left, len(numbers))


def _check_left(left: Left) -> tuple[Left, Checked | None]:
    """Texts with their verdicts by the rules they name."""
    return left, None if left.texts is None else check_stored(left.texts)[1]


def _keep(store: Store, same: Ints) -> None:
    """Say of matches that they were judged by the rules of today."""
    chosen = pa.table({"match_no": same})  # noqa: F841 (found by its name)
    store.connection.execute(
        "UPDATE matches SET rules_version = $3"
        " WHERE match_no BETWEEN $1 AND $2 AND match_no IN (FROM chosen)",
        [int(same[0]), int(same[-1]), RULES_VERSION],
    )
    store.change("revalidate", len(same))


def moving(
    store: Store,
    left: Iterator[Left],
    check: Callable[[Left], tuple[Left, Checked | None]],
    total: int,
) -> Iterator[Judged]:
    """Batch by batch, what moves."""
    done = 0
    with store.told(), store.read_by_one():
        ask = store.cursor()
        for (same, stored), checked in ahead(left, check):
            moved: list[Moved] = []
            if stored is not None and checked is not None:
                rows = by_table(checked, stored, _nobody)
                moved = named(ask, changes(ask, rows, stored.match_no))
            done += len(same if stored is None else stored.match_no)
            yield Judged(done, total, moved)


def _replace(store: Store, now: Now, rows: dict[str, pa.Table]) -> list[Moved]:
    """The derived rows of a batch, put where the old ones were; what that moves."""
    found = changes(store.connection, rows, now.numbers)
    number = store.players([*now.players], [*now.players.values()])
    these = pa.table({"match_no": now.numbers})  # noqa: F841 (found by its name)
    ends = [int(now.numbers[0]), int(now.numbers[-1])]
    for table in (*TABLES, *values.TABLES):
        store.connection.execute(
            f"DELETE FROM {table} WHERE match_no BETWEEN ? AND ? AND match_no IN (FROM these)",
            ends,
        )
        if table in rows:
            store.insert(table, with_players(rows[table], number))
    store.change("revalidate", len(now.numbers))
    return named(store.connection, found)


def moves(ask: duckdb.DuckDBPyConnection, now: Now) -> list[Moved]:
    """What would move if what some matches come to were written."""
    return [] if now.rows is None else named(ask, changes(ask, now.rows, now.numbers))


def by_table(checked: Checked, stored: Named, players: Any) -> dict[str, pa.Table]:
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


def _nobody(ids: Sequence[str], names: Sequence[str]) -> Ints:
    """Numbers of players for rows that are compared and not kept."""
    return np.zeros(len(ids), np.int64)


# out of the store


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


_HEADS = """
SELECT m.match_no, m.match_id, m.file_no, m.line, r.size::BIGINT AS size
FROM matches m JOIN raw r USING (match_no)
WHERE m.match_no BETWEEN $1 AND $2 AND r.match_no BETWEEN $1 AND $2
  AND m.match_no IN (FROM chosen)
ORDER BY m.match_no
"""


def read_stored(store: Store, numbers: Ints, size: int | None = None) -> Iterator[Named]:
    """Texts by their numbers, which are in order, about `size` or SIZE bytes at a time.

    Of what another program deletes meanwhile some may be left out.
    """
    size = SIZE if size is None else size
    for start in range(0, len(numbers), WINDOW):
        heads = store.at_once(partial(_heads, numbers=numbers[start : start + WINDOW]))
        match_no = heads["match_no"].to_numpy()
        for low, high in pairwise([0, *cuts(heads["size"].to_numpy(), size), len(match_no)]):
            some = heads.slice(low, high - low)
            found = dict(store.at_once(partial(_texts, numbers=match_no[low:high])))
            if len(found) < high - low:
                some = some.filter(pc.is_in(some["match_no"], pa.array(found, pa.int64())))
            if not found:
                continue
            yield Named(
                some["match_no"].to_numpy(),
                some["match_id"].to_pylist(),
                some["file_no"].to_numpy(),
                Batch(store.path, list(map(Text, some["line"].to_pylist(), found.values())), []),
            )


def _heads(ask: duckdb.DuckDBPyConnection, numbers: Ints) -> pa.Table:
    chosen = pa.table({"match_no": numbers})  # noqa: F841 (found by its name)
    return ask.execute(_HEADS, [int(numbers[0]), int(numbers[-1])]).to_arrow_table()


def _texts(ask: duckdb.DuckDBPyConnection, numbers: Ints) -> list[tuple[int, bytes]]:
    return list(texts.read(ask, numbers))


# from columns


Columns = tuple[Store, Ints, list[Stored]]
"""Numbers of matches, and the columns of those of them that can be judged from columns."""


def unsettled(
    store: Store, numbers: Ints, same: Callable[[Columns], Ints], size: int | None = None
) -> Iterator[Left]:
    """Window by window what `same` says of columns, and then the texts of all other matches."""

    def settle(columns: Columns) -> tuple[Ints, Ints]:
        return columns[1], same(columns)

    for chosen, settled in ahead(_columns(store, numbers), settle):
        if len(settled):
            yield Left(settled)
        yield from _texts_of(store, chosen[~np.isin(chosen, settled, assume_unique=True)], size)


def _columns(store: Store, numbers: Ints) -> Iterator[Columns]:
    for some in windows(store.cursor(), numbers, AT_ONCE):
        yield store, some, store.at_once(partial(_columns_of, numbers=some))


def windows(ask: duckdb.DuckDBPyConnection, numbers: Ints, deals: int) -> Iterator[Ints]:
    """The numbers of those of some matches that are there, about so many deals at a time."""
    chosen = pa.table({"match_no": numbers})  # noqa: F841 (found by its name)
    found = ask.sql("SELECT match_no, deals FROM matches SEMI JOIN chosen USING (match_no)")
    rows = from_columns.in_order(found.to_arrow_table(), ("match_no",))
    for some in np.split(rows["match_no"].to_numpy(), cuts(rows["deals"].to_numpy(), deals)):
        if len(some):
            yield some


def _columns_of(ask: duckdb.DuckDBPyConnection, numbers: Ints) -> list[Stored]:
    return list(from_columns.read(ask, numbers, READ_ALIKE_SINCE))


def same_verdicts(columns: Columns, rules: Rules | None = None) -> Ints:
    """The matches of which nothing that is told moves, by the rules of today or others."""
    judged = (from_columns.again(stored, rules) for stored in columns[2])
    found = [one.match_no[one.same] for one in judged if one is not None]
    return np.sort(np.concatenate([*found, np.zeros(0, np.int64)]))


def same_rows(columns: Columns) -> Ints:
    """The matches of which nothing at all moves by the rules of today."""
    ask = columns[0].cursor()
    judged = map(from_columns.again, columns[2])
    found = [with_same_rows(ask, one) for one in judged if one is not None]
    return np.sort(np.concatenate([*found, np.zeros(0, np.int64)]))


def _texts_of(store: Store, numbers: Ints, size: int | None = None) -> Iterator[Left]:
    none = np.zeros(0, np.int64)
    return (Left(none, stored) for stored in read_stored(store, numbers, size))


def cuts(sizes: NDArray[Any], most: int) -> list[int]:
    """Where to part a list so that a part has about so much; what is more alone is one."""
    filled = (np.cumsum(sizes) - sizes) // most  # by where each begins
    found: list[int] = (np.flatnonzero(np.diff(filled)) + 1).tolist()
    return found
