"""Reads and removes stored texts in their compressed blocks.

Texts may contain the true names of masked players (`masked_players`): callers that show a text must
hide them.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import duckdb
import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from ingest.redact.anonymize_log import MaskedPlayer, MaskedPlayers, masked_player
from ingest.store.aliases import declared_by_player
from schemas.compressed_blocks import decompress, raw_rows
from schemas.migrations import with_tables

TEXTS_PER_QUERY = 1 << 12
"""Matches whose blocks are looked up at a time."""
BLOCKS_PER_QUERY = 16
"""Blocks read at a time."""
MAX_MATCHES = 1000
"""Matches searched for a name; no answer lists so many."""

Numbers = Sequence[int] | NDArray[np.int64]


def read_texts(cursor: duckdb.DuckDBPyConnection, numbers: Numbers) -> Iterator[tuple[int, bytes]]:
    """Yield number and text of some matches by number; empty texts for a damaged block."""
    wanted = np.unique(np.asarray(numbers, np.int64))
    for first in range(0, len(wanted), TEXTS_PER_QUERY):
        yield from _slice_texts(
            cursor, _text_locations(cursor, "match_no", wanted[first : first + TEXTS_PER_QUERY])
        )


def read_text_list(cursor: duckdb.DuckDBPyConnection, numbers: Numbers) -> list[bytes]:
    """Return the texts of some matches, in the order of their numbers."""
    return [text for _, text in read_texts(cursor, numbers)]


def blocks_without(
    cursor: duckdb.DuckDBPyConnection, match_numbers: Collection[int]
) -> Iterator[tuple[NDArray[np.int64], pa.Table]]:
    """Yield numbers of blocks with a text of some matches, and new blocks of their other texts."""
    touched = np.unique(_text_locations(cursor, "match_no", np.array(sorted(match_numbers), np.int64))[:, 1])
    left_out = np.array(sorted(match_numbers), np.int64)
    for first in range(0, len(touched), TEXTS_PER_QUERY // 64):
        some = touched[first : first + TEXTS_PER_QUERY // 64]
        places = _text_locations(cursor, "block", some)
        found = list(_slice_texts(cursor, places[~np.isin(places[:, 0], left_out)]))
        yield some, raw_rows([number for number, _ in found], [text for _, text in found])


def remove_texts(cursor: duckdb.DuckDBPyConnection, match_numbers: Collection[int]) -> None:
    """Remove the texts of some matches; call within a transaction."""
    for some, remaining in blocks_without(cursor, match_numbers):
        with with_tables(cursor, these=pa.table({"block": some}), remaining=remaining.to_reader()):
            cursor.execute(
                "DELETE FROM raw WHERE block BETWEEN ? AND ? AND block IN (FROM these)",
                [int(some[0]), int(some[-1])],
            )
            cursor.execute("INSERT INTO raw BY NAME SELECT * FROM remaining")


def _text_locations(
    cursor: duckdb.DuckDBPyConnection, column: str, chosen: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return number, block, start and size of texts, in the order of match numbers."""
    if not len(chosen):
        return np.empty((0, 4), np.int64)
    with with_tables(cursor, these=pa.table({column: chosen})):
        found = cursor.execute(
            f"SELECT match_no, block, start::BIGINT, size::BIGINT FROM raw"
            f" WHERE {column} BETWEEN ? AND ? AND {column} IN (FROM these) ORDER BY match_no",
            [int(chosen.min()), int(chosen.max())],
        ).fetchnumpy()
    return np.stack([np.asarray(one, np.int64) for one in found.values()], axis=1)


def _slice_texts(cursor: duckdb.DuckDBPyConnection, places: NDArray[np.int64]) -> Iterator[tuple[int, bytes]]:
    """Yield the texts at some locations, reading a few blocks at a time."""
    if not len(places):
        return
    # count the blocks where the block number changes
    blocks = np.cumsum(np.diff(places[:, 1], prepend=-1) != 0) // BLOCKS_PER_QUERY
    cuts = [0, *(np.flatnonzero(np.diff(blocks)) + 1).tolist(), len(places)]
    for low, high in pairwise(cuts):
        some = places[low:high]
        with with_tables(cursor, these=pa.table({"block": np.unique(some[:, 1])})):
            found = cursor.execute(
                # a store of an earlier development version calls the column `packed`, without codes of words
                "SELECT match_no, COLUMNS('^(zstd|packed)$') FROM raw"
                " WHERE match_no BETWEEN ? AND ? AND match_no IN (FROM these)",
                [int(some[:, 1].min()), int(some[:, 1].max())],
            )
            has_codes = found.description[1][0] == "zstd"
            whole = {block: decompress(packed, has_codes) for block, packed in found.fetchall()}
        for number, block, start, size in some.tolist():
            yield number, whole.get(block, b"")[start : start + size]


# ids of matches, and masked players in texts


def masked_players(cursor: duckdb.DuckDBPyConnection) -> dict[int, MaskedPlayer]:
    """Return masked players by number, with every id and name that logs have for them."""
    query = "SELECT player_no, k.player_id, k.name, p.name FROM masked k JOIN players p USING (player_no)"
    if not (rows := cursor.execute(query).fetchall()):
        return {}
    known = declared_by_player(cursor)
    every = {pair for pairs in known.values() for pair in pairs}
    return {
        number: masked_player(player, result, {(player, name), *known.get(number, ())}, every)
        for number, player, name, result in rows
    }


_LATER = """
SELECT m.match_no, m.match_id, t.match_id <> $1 AND t.log_id = $1, encode(t.text)
FROM trash t JOIN match_versions v USING (change, match_no) JOIN matches m ON m.match_id = v.match_id
WHERE t.match_id = $1 OR t.log_id = $1 OR (len($1) >= 8 AND starts_with(t.match_id, $1)) ORDER BY 1, 3
"""


def find_matches(
    cursor: duckdb.DuckDBPyConnection, match_ref: str, limit: int = 1, include_masked: bool = False
) -> list[tuple[int, str]]:
    """Return (number, id) of matches with this id, id prefix (at least 8 digits) or log id.

    A full id finds one match. A log id that names a masked player finds nothing, since a reader who
    guesses it would learn the pseudonym; `include_masked` finds it.
    """
    rows = cursor.execute(
        "SELECT match_no, match_id, match_id <> $1 AND log_id = $1 FROM matches"
        " WHERE match_id = $1 OR log_id = $1 OR (len($1) >= 8 AND starts_with(match_id, $1))"
        " ORDER BY match_id = $1 DESC, match_no",
        [match_ref],
    ).fetchmany(MAX_MATCHES)
    if rows and rows[0][1] == match_ref:
        return [rows[0][:2]]
    if not rows:  # an earlier version: the match that took its place
        rows = cursor.execute(_LATER, [match_ref]).fetchmany(MAX_MATCHES)
    people = MaskedPlayers(masked_players(cursor).values())
    found = list[tuple[int, str]]()
    for number, match, by_log, *version in rows:
        if by_log and people.by_id and not include_masked:
            [text] = version or read_text_list(cursor, [number]) or [b""]
            with suppress(ValueError):
                if people.redactor_for_log(orjson.loads(text))(match_ref, within=True) == match_ref:
                    found.append((number, match))
        else:
            found.append((number, match))
    return [*dict.fromkeys(found)][:limit]
