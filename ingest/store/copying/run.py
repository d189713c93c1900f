"""A copy from store to store: from a file or a lake into a file or a lake, beside what that has.

Matches go some thousand in a transaction, as rows of columns: nothing is judged again. A match is
known by the hash of its content, a file by its name and the moment it came, so a copy that was
ended goes on where it was, and the same twice adds nothing. Numbers are the other store's own.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.store.copying import beside
from ingest.store.copying.reading import (
    Block,
    block_of,
    ints,
    known_in,
    purged_in,
    ranges,
    table_of,
    written,
)
from ingest.store.store import Store
from schemas import blocks


@dataclass(slots=True)
class Copied:
    """What a copy came to, this time."""

    added: int = 0
    known: int = 0
    """Matches that were there already."""
    purged: int = 0
    """Left out, deleted ones too: the match was purged there, or somebody who sits in it."""
    deleted: int = 0
    """Of the trash."""
    masked: int = 0
    """Players who were not, there."""
    drafts: int = 0
    access: bool | None = None
    """Tokens and who may read are the same in both; None: there is nothing of that."""
    same_key: bool = True
    """A player has the same pseudonym in both."""


def copy(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> Copied:
    """Add what one store has to another; `progress` hears how many matches have been looked at.

    StoreError: one of them cannot be read or written; what was done is there, and is known again.
    """
    came = Copied()
    # so that no match is there before who may read it is decided, and who is masked is
    came.same_key, came.access = beside.decided(source, target)
    came.masked = beside.masked(source, target)
    done = 0
    for low, high in ranges(source):
        done += _matches(source, target, low, high, came)
        progress(done)
    came.masked += beside.masked(source, target)  # who was meanwhile
    beside.files(source, target)
    came.deleted, purged = beside.trash(source, target)
    came.purged += purged
    came.drafts = beside.drafts(source, target)
    if came.access:
        beside.acts(source, target)
    return came


def _matches(source: Store, target: Store, low: int, high: int, came: Copied) -> int:
    """Those of a range of numbers; how many there are."""
    query = "SELECT match_no, match_id FROM matches WHERE match_no BETWEEN ? AND ? ORDER BY 1"
    here = table_of(source, query, [low, high])
    ids = dict(zip(here["match_id"].to_pylist(), here["match_no"].to_pylist(), strict=True))
    known = known_in(target, [*ids])
    came.known += len(known)
    if new := [number for one, number in ids.items() if one not in known]:
        block = block_of(source, new)
        left_out = purged_in(target, block)
        came.purged += len(left_out)
        added = written(target, lambda: _add(target, block, left_out))
        came.added += added
        came.known += len(block.ids) - len(left_out) - added
    return len(ids)


def _add(target: Store, block: Block, left_out: Collection[str]) -> int:
    """Store matches but for some and those that others have stored meanwhile; how many."""
    _, players, names = block.people.to_pydict().values()
    wanted = [one for one in block.ids if one not in left_out]
    target.claim(wanted, dict(zip(players, names, strict=True)))
    known = target.known(wanted).union(left_out)
    new = np.array([one not in known for one in block.ids], np.bool_)
    if not new.any():
        return 0
    # numbers of the source → those of the target
    match_no = np.full(len(new), -1, np.int64)
    match_no[new] = target.number(int(new.sum()))
    player_no = target.players(players, names)
    file_no = beside.file_numbers(target, block.files)
    for table, rows in block.rows.items():
        here = np.searchsorted(block.numbers, ints(rows, "match_no"))
        rows = rows.filter(pa.array(new[here]))
        told = {"match_no": match_no[here[new[here]]]}
        if "player_no" in rows.column_names:
            at = np.searchsorted(ints(block.people, "player_no"), ints(rows, "player_no"))
            told["player_no"] = player_no[at].astype(np.int32)
        if table == "matches":
            at = np.searchsorted(ints(block.files, "file_no"), ints(rows, "file_no"))
            told["file_no"] = file_no[at]
        for name, column in told.items():
            rows = rows.set_column(rows.column_names.index(name), name, pa.array(column))
        target.insert(table, rows)
    logs = [text for text, here in zip(block.texts, new.tolist(), strict=True) if here]
    target.insert("raw", blocks.rows(match_no[new], logs))
    target.change("copy", len(logs))
    return len(logs)
