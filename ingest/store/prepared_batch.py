"""A checked batch with its rows and blocks made: all that can be done before the store is asked.

What only the store can say is put in afterwards: the numbers of matches, players and the file, and
which matches it has already. Meanwhile batches are laid aside, in memory while they are few.
"""

import copyreg
import pickle
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from errno import EDQUOT, EFBIG, ENOSPC
from io import BytesIO
from tempfile import SpooledTemporaryFile
from types import MappingProxyType
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from engine.games import Game, game
from ingest.reader.files import Batch
from ingest.store.derived_rows import Rows, Seated, derive
from ingest.store.factory import FAILED, FULL, NOTHING_OF_FILE, Store, StoreError
from ingest.validate.batch import Checked, check_batch
from schemas import compressed_blocks

IN_MEMORY = 32 << 20
"""Bytes beyond which they lie in a file without a name beside the store, as private as that is."""
DEEP = 4 * 1024
"""Calls within each other that a value takes as deep as JSON is read, some a level."""
PLAYER, LINE = "player_no", "line"


@dataclass(slots=True)
class Ready(Checked):
    """A checked batch; in `rows` its matches and players have the numbers they have here."""

    order: NDArray[np.int64]
    """The place of each match in the batch, by its number here."""
    players: dict[str, str]
    """Id → name; the first has number 0."""
    rows: list[Rows]
    blocks: list[compressed_blocks.Block]
    """Of all texts, in the order of the batch."""

    def numbered(
        self,
        number: Callable[[int], NDArray[np.int64]],
        players: Callable[[list[str], list[str]], NDArray[np.int64]],
        file_no: int,
        left_out: Collection[int],
    ) -> Iterator[Rows]:
        """Rows for all tables, with the numbers of the store, but for matches at some places.

        `number` gives so many matches theirs.
        """
        new = ~np.isin(self.order, list(left_out))
        match_no = np.full(len(self.order), -1, np.int64)
        match_no[new] = number(int(new.sum()))
        player_no = players([*self.players], [*self.players.values()])
        at = np.empty(len(self.order), np.int64)
        at[self.order] = match_no
        places = np.flatnonzero(at >= 0)
        logs = [
            one.text for one, number in zip(self.texts, at.tolist(), strict=True) if number >= 0
        ]
        yield "raw", compressed_blocks.rows(at[places], logs, None if left_out else self.blocks)
        for table, rows in self.rows:
            here = rows["match_no"].to_numpy()
            if left_out:
                rows = rows.filter(pa.array(new[here]))
                here = rows["match_no"].to_numpy()
            told = {"match_no": match_no[here]}
            if table == "matches":
                told["file_no"] = np.full(len(here), file_no)
            for name, column in told.items():
                rows = rows.set_column(rows.column_names.index(name), name, pa.array(column))
            yield table, with_players(rows, player_no)

    def below(self, lines: int) -> None:
        """Say of all that it stands so many lines further down."""
        if not lines:
            return
        self.texts = [one._replace(line=one.line + lines) for one in self.texts]
        self.troubles = [one._replace(line=one.line + lines) for one in self.troubles]
        for explained in self.explained.values():
            for finding in explained.findings:
                if finding.line is not None:
                    finding.line += lines
        for place, (table, rows) in enumerate(self.rows):
            if LINE in rows.column_names:
                column = pc.add(rows[LINE], pa.scalar(lines, rows[LINE].type))
                rows = rows.set_column(rows.column_names.index(LINE), LINE, column)
                self.rows[place] = table, rows


def with_players(rows: pa.Table, numbers: NDArray[np.int64]) -> pa.Table:
    """Rows with the numbers that a store has for players, by those they have here."""
    if PLAYER not in rows.column_names:
        return rows
    told = pa.array(numbers[rows[PLAYER].to_numpy()], pa.int32())
    return rows.set_column(rows.column_names.index(PLAYER), PLAYER, told)


def ready(batch: Batch) -> Ready:
    """Check a batch and make its rows."""
    checked = check_batch(batch)
    order, seated = list[int](), Seated()

    def names(places: NDArray[np.int64]) -> dict[str, Any]:
        first, some = len(order), places.tolist()
        order.extend(some)
        return {
            "match_no": np.arange(first, len(order)),
            "match_id": [checked.ids[place] for place in some],
            "file_no": np.zeros(len(some), np.int64),
            "line": [checked.texts[place].line for place in some],
        }

    rows = list(derive(checked, names, seated))
    # what the rows were made of is large, and some batches wait for the store
    none: Any = None
    checked.clean = [
        one._replace(decoded=one.decoded._replace(numbers=none, results=[]), verdicts=none)
        for one in checked.clean
    ]
    return Ready(
        **{one.name: getattr(checked, one.name) for one in fields(checked)},
        order=np.array(order, np.int64),
        players=seated.names,
        rows=rows,
        blocks=compressed_blocks.pack([one.text for one in checked.texts]),
    )


# a game's modules are no data; what nobody may write into is data all the same
copyreg.pickle(Game, lambda one: (game, (one.name,)))
copyreg.pickle(MappingProxyType, lambda one: (MappingProxyType, (dict(one),)))
_deepening = threading.Lock()


@contextmanager
def aside(store: Store, batches: Iterable[bytes]) -> Iterator[Callable[[], Iterator[Ready]]]:
    """All of them, as `laid` has them, are taken; while this lasts they come as often as asked for.

    StoreError: there is no room for them.
    """
    with SpooledTemporaryFile(IN_MEMORY, dir=str(store.folder)) as file:
        count = 0
        for one in batches:
            try:
                file.write(one)
            except OSError as error:
                if error.errno in (ENOSPC, EDQUOT, EFBIG):
                    raise StoreError(FULL, left=NOTHING_OF_FILE) from error
                told = {"path": store.path, "reason": str(error), "left": NOTHING_OF_FILE}
                raise StoreError(FAILED, **told) from error
            count += 1

        def again() -> Iterator[Ready]:
            file.seek(0)
            for _ in range(count):
                yield _load(file)

        yield again


def laid(checked: Ready) -> bytes:
    """A batch as it is laid aside.

    A match at a time: nothing else in this process goes on while one thing is pickled.
    """
    whose, rest = (checked.ids, checked.players), replace(checked, explained={})
    explained = checked.explained.items()
    return b"".join(map(packed, [whose, (rest, len(explained)), *explained]))


def packed(what: object) -> bytes:
    """Anything a check comes to, for `pickle.loads` of another process."""
    try:
        return pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    except RecursionError:  # a text is as deep as whoever wrote it likes, up to what is read at all
        with _deepening:
            before = sys.getrecursionlimit()
            sys.setrecursionlimit(before + DEEP)
            try:
                return pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
            finally:
                sys.setrecursionlimit(before)


def names_in(batch: bytes) -> tuple[list[str], dict[str, str]]:
    """The ids of the matches and the players, id → name, of a batch that was laid aside."""
    ids, players = pickle.loads(batch)
    return ids, players


def loaded(data: bytes) -> Ready:
    """A batch as `laid` has it."""
    return _load(BytesIO(data))


def _load(file: IO[bytes]) -> Ready:
    pickle.load(file)  # whose they are
    checked: Ready
    checked, explained = pickle.load(file)
    checked.explained.update(pickle.load(file) for _ in range(explained))
    return checked
