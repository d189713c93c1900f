"""A checked batch with its rows built, ready to insert.

Only the store knows the numbers of matches, players and the file, and which matches it has already;
these are filled in later. Until then batches are stored in memory, or in a file if they are many.
"""

import copyreg
import pickle
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from io import BytesIO
from tempfile import SpooledTemporaryFile
from types import MappingProxyType
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.games import Game, game
from ingest.reader.files import Batch
from ingest.store.aliases import Declared, NumberPlayers, SeatNumbers, Tables
from ingest.store.derived_rows import LocalPlayerNumbers, TableRows, derive_rows
from ingest.store.errors import NOTHING_STORED, write_error
from ingest.store.factory import Store
from ingest.validate.batch import CheckedBatch, check_batch
from schemas import compressed_blocks

MAX_SPOOL_MEMORY_BYTES = 32 << 20
"""Above this, batches go to an unnamed file next to the store, as private as the store."""
PICKLE_RECURSION_EXTRA = 4 * 1024
"""Extra recursion depth for pickling a value nested as deep as JSON is read, some calls a level."""
LINE_COLUMN = "line"


@dataclass(slots=True)
class PreparedBatch(CheckedBatch):
    """A checked batch; `rows` numbers its matches and players locally."""

    order: NDArray[np.int64]
    """The place of each match in the batch, by its local number."""
    players: list[Declared]
    """The first has number 0."""
    rows: list[TableRows]
    blocks: list[compressed_blocks.Block]
    """The lines of all texts, in the order of the batch."""

    def numbered(
        self,
        next_match_numbers: Callable[[int], NDArray[np.int64]],
        player_numbers: NumberPlayers,
        file_no: int,
        excluded_places: Collection[int],
    ) -> Iterator[TableRows]:
        """Yield rows for all tables with the store's numbers, except matches at excluded places.

        `next_match_numbers` returns that many new match numbers.
        """
        new = ~np.isin(self.order, list(excluded_places))
        match_no = np.full(len(self.order), -1, np.int64)
        match_no[new] = next_match_numbers(int(new.sum()))
        seated = player_numbers(self.players, self._tables(new))
        at = np.empty(len(self.order), np.int64)
        at[self.order] = match_no
        places = np.flatnonzero(at >= 0)
        logs = [one.text for one, number in zip(self.texts, at.tolist(), strict=True) if number >= 0]
        yield ("raw", compressed_blocks.raw_rows(at[places], logs, None if excluded_places else self.blocks))
        for table, rows in self.rows:
            here = rows["match_no"].to_numpy()
            if excluded_places:
                rows = rows.filter(pa.array(new[here]))
                here = rows["match_no"].to_numpy()
            values = {"match_no": match_no[here]}
            if table == "matches":
                values["file_no"] = np.full(len(here), file_no)
                # a second log of the same match has another id now
                own = [self.ids[place] for place in self.order[here].tolist()]
                rows = rows.set_column(rows.column_names.index("match_id"), "match_id", pa.array(own))
            for name, column in values.items():
                rows = rows.set_column(rows.column_names.index(name), name, pa.array(column))
            yield table, with_player_numbers(rows, seated)

    def _tables(self, new: NDArray[np.bool_]) -> Tables:
        """Return who sits together in the matches whose local number is `new`."""
        table, place = tables_of(rows for table, rows in self.rows if table == "seats")
        here = new[table]
        return Tables(table[here], place[here])

    def shift_lines(self, offset: int) -> None:
        """Add `offset` to the line numbers of all texts, findings and rows."""
        if not offset:
            return
        self.texts = [one._replace(line=one.line + offset) for one in self.texts]
        self.troubles = [one._replace(line=one.line + offset) for one in self.troubles]
        for explained in self.results.values():
            for finding in explained.findings:
                if finding.line is not None:
                    finding.line += offset
        for place, (table, rows) in enumerate(self.rows):
            if LINE_COLUMN in rows.column_names:
                column = pc.add(rows[LINE_COLUMN], pa.scalar(offset, rows[LINE_COLUMN].type))
                rows = rows.set_column(rows.column_names.index(LINE_COLUMN), LINE_COLUMN, column)
                self.rows[place] = table, rows


def tables_of(seats: Iterable[pa.Table]) -> Tables:
    """Return who sits together, by rows of `seats` with local numbers of players."""
    parts = [*seats]
    columns = (
        np.concatenate([np.zeros(0, np.int64), *(rows[name].to_numpy() for rows in parts)])
        for name in ("match_no", "player_no")
    )
    return Tables(*columns)


def with_player_numbers(rows: pa.Table, seated: SeatNumbers) -> pa.Table:
    """Replace local numbers of players and aliases in rows by those of the store."""
    for name, numbers in seated._asdict().items():
        if name in rows.column_names:
            values = pa.array(numbers[rows[name].to_numpy()], pa.int32())
            rows = rows.set_column(rows.column_names.index(name), name, values)
    return rows


def prepare_batch(batch: Batch) -> PreparedBatch:
    """Check a batch and build its rows."""
    checked = check_batch(batch)
    order, seated = list[int](), LocalPlayerNumbers()

    def names(places: NDArray[np.int64]) -> dict[str, Any]:
        first, some = len(order), places.tolist()
        order.extend(some)
        return {
            "match_no": np.arange(first, len(order)),
            "match_id": [checked.ids[place] for place in some],
            "file_no": np.zeros(len(some), np.int64),
            "line": [checked.texts[place].line for place in some],
        }

    rows = list(derive_rows(checked, names, seated))
    # drop what the rows were built from: it is large, and batches wait for the store
    none: Any = None
    checked.fast_path_groups = [
        one._replace(decoded=one.decoded._replace(deal_arrays=none, results=[]), verdicts=none)
        for one in checked.fast_path_groups
    ]
    return PreparedBatch(
        **{one.name: getattr(checked, one.name) for one in fields(checked)},
        order=np.array(order, np.int64),
        players=seated.declared,
        rows=rows,
        blocks=compressed_blocks.compress_texts([one.text for one in checked.texts]),
    )


# pickle a game by its name, since modules cannot be pickled, and a read-only mapping as a dict
copyreg.pickle(Game, lambda one: (game, (one.name,)))
copyreg.pickle(MappingProxyType, lambda one: (MappingProxyType, (dict(one),)))
_recursion_limit_lock = threading.Lock()


@contextmanager
def spool_batches(store: Store, batches: Iterable[bytes]) -> Iterator[Callable[[], Iterator[PreparedBatch]]]:
    """Store packed batches (`pack_batch`); within, the yielded function reads them repeatedly.

    StoreError: the disk is full.
    """
    with SpooledTemporaryFile(MAX_SPOOL_MEMORY_BYTES, dir=str(store.temp_folder)) as file:
        count = 0
        for one in batches:
            try:
                file.write(one)
            except OSError as error:
                raise write_error(error, store.path, NOTHING_STORED) from error
            count += 1

        def again() -> Iterator[PreparedBatch]:
            file.seek(0)
            for _ in range(count):
                yield _load_batch(file)

        yield again


def pack_batch(batch: PreparedBatch) -> bytes:
    """Pickle a batch for `unpack_batch` or `spool_batches`.

    Match by match: pickling one object blocks all other threads of this process.
    """
    whose = BatchIds(batch.ids, batch.content_ids, batch.players)
    rest = replace(batch, results={})
    explained = batch.results.items()
    return b"".join(map(pickle_nested, [whose, (rest, len(explained)), *explained]))


def pickle_nested(value: object) -> bytes:
    """Pickle any result of a check, however deep, for `pickle.loads` in another process."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except RecursionError:  # a client's text may nest as deep as the reader accepts
        with _recursion_limit_lock:
            before = sys.getrecursionlimit()
            sys.setrecursionlimit(before + PICKLE_RECURSION_EXTRA)
            try:
                return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
            finally:
                sys.setrecursionlimit(before)


class BatchIds(NamedTuple):
    """The ids of a packed batch and its players, which are read without unpacking the rest."""

    match_ids: list[str]
    content_ids: list[str]
    players: list[Declared]


def peek_ids(batch: bytes) -> BatchIds:
    """Return the ids and the players of a packed batch."""
    found: BatchIds = pickle.loads(batch)
    return found


def unpack_batch(data: bytes) -> PreparedBatch:
    """Return the batch that `pack_batch` packed."""
    return _load_batch(BytesIO(data))


def _load_batch(file: IO[bytes]) -> PreparedBatch:
    pickle.load(file)  # skips the ids and players
    checked: PreparedBatch
    checked, explained = pickle.load(file)
    checked.results.update(pickle.load(file) for _ in range(explained))
    return checked
