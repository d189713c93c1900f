"""Replaces matches by later logs of them, and keeps the earlier versions in the trash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.redact.anonymize_log import MaskedPlayers, redact_log
from ingest.store import endgame_rows, raw_texts
from ingest.store.arrow_rows import trash_texts
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store
from schemas.migrations import with_tables

REPLACE_CHANGE = "replace"


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier version of a match, which a later log replaced."""

    change: int
    """The change that replaced it, by its number in `change_log`."""
    at: datetime
    match_no: int
    match_id: str
    file: str | None
    """Name of the file it came with."""
    text: bytes

    @property
    def place(self) -> str:
        """How addresses name it."""
        return f"{self.change}-{self.match_no}"


def move_to_trash(
    store: Store, numbers: Sequence[int] | NDArray[np.int64], change: int, replaced_by: Mapping[int, str]
) -> None:
    """Move matches by number to the trash; call within `Store.transaction`.

    `replaced_by`: number → id of the match that takes its place.
    """
    cursor = store.connection
    wanted = pa.table({"match_no": np.asarray(numbers, np.int64)})
    with with_tables(cursor, wanted=wanted):
        known = "match_no IN (FROM wanted)"
        found = raw_texts.read_texts(cursor, wanted["match_no"].to_numpy())
        while some := list(islice(found, 1000)):
            fields = {
                "match_no": [no for no, _ in some],
                "replaced_by": pa.array([replaced_by.get(no) for no, _ in some], pa.string()),
                **trash_texts([text for _, text in some]),
            }
            with with_tables(cursor, thrown=pa.table(fields).to_reader()):
                cursor.execute(
                    f"""
                    INSERT INTO trash BY NAME
                    SELECT ? AS change, match_no, match_id, content_id, log_id, replaced_by,
                        file_no, line, text, bytes
                    FROM matches JOIN thrown USING (match_no) WHERE {known} ORDER BY match_no
                    """,
                    [change],
                )
    remove_rows(store, numbers)


def remove_rows(store: Store, numbers: Sequence[int] | NDArray[np.int64]) -> None:
    """Remove the rows and texts of matches by number; call within `Store.transaction`."""
    cursor = store.connection
    wanted = pa.table({"match_no": np.asarray(numbers, np.int64)})
    with with_tables(cursor, wanted=wanted):
        known = "match_no IN (FROM wanted)"
        removed = cursor.execute(f"SELECT match_id FROM matches WHERE {known}").fetchall()
        raw_texts.remove_texts(cursor, wanted["match_no"].to_pylist())
        for table in (*DERIVED_TABLES, *endgame_rows.VALUE_TABLES):
            cursor.execute(f"DELETE FROM {table} WHERE {known}")
    still = cursor.execute(
        "SELECT match_id FROM matches WHERE list_contains(?, match_id)", [[one for (one,) in removed]]
    ).fetchall()
    store.release_claims(match_ids=sorted({one for (one,) in removed} - {one for (one,) in still}))


_LONELY = """
SELECT player_no FROM players WHERE list_contains(?::INTEGER[], player_no) AND name_alias_no IS NULL
    AND player_no NOT IN (
        SELECT player_no FROM seats UNION ALL SELECT player_no FROM masked
        UNION ALL SELECT player_no FROM player_changes
        UNION ALL SELECT player_no FROM aliases JOIN different_players d
            ON aliases.alias_no IN (d.alias_no, d.other_alias_no))
"""
"""Those of some players who have no match, and of whom no admin declared anything."""


def replace_matches(store: Store, replaced: Mapping[int, str], keep_players: bool = False) -> int:
    """Make earlier versions of stored matches; return how many. Call within `Store.transaction`.

    `replaced`: number → id of the match that takes its place. Players who have no match left are
    removed unless `keep_players`, or others may be adding matches of theirs.
    """
    cursor = store.connection
    query = "SELECT match_no FROM matches WHERE list_contains(?::BIGINT[], match_no)"
    numbers = [number for (number,) in cursor.execute(query, [[*replaced]]).fetchall()]
    if not numbers:
        return 0
    seated = "SELECT DISTINCT player_no FROM seats WHERE list_contains(?::BIGINT[], match_no)"
    people = [one for (one,) in cursor.execute(seated, [numbers]).fetchall()]
    change = store.record_change(REPLACE_CHANGE, len(numbers))
    move_to_trash(store, numbers, change, replaced)
    if store.is_single_file and not keep_players:
        lonely = [one for (one,) in cursor.execute(_LONELY, [people]).fetchall()]
        for table in ("players", "aliases") if lonely else ():
            cursor.execute(f"DELETE FROM {table} WHERE list_contains(?::INTEGER[], player_no)", [lonely])
    return len(numbers)


def list_versions(cursor: duckdb.DuckDBPyConnection, match_id: str) -> list[Version]:
    """List the earlier versions of a match, latest first."""
    rows = cursor.execute(
        """SELECT change, c.changed_at, match_no, t.match_id, f.name, coalesce(bytes, encode(text))
           FROM trash t JOIN match_versions v USING (change, match_no)
               JOIN change_log c USING (change) LEFT JOIN files f USING (file_no)
           WHERE v.match_id = ? ORDER BY change DESC, match_no DESC""",
        [match_id],
    ).fetchall()
    return [Version(*row) for row in rows]


def masked_versions(cursor: duckdb.DuckDBPyConnection, match_id: str) -> list[Version]:
    """List the earlier versions of a match as every reader may see them: masked names are hidden."""
    people = MaskedPlayers(raw_texts.masked_players(cursor).values())
    found = list[Version]()
    for one in list_versions(cursor, match_id):
        text = redact_log(one.text, people)
        found.append(one if text == one.text else replace(one, text=text, file=None))
    return found


def version_numbers(cursor: duckdb.DuckDBPyConnection, match_numbers: Sequence[int]) -> list[int]:
    """Return the numbers that earlier versions of some matches had."""
    rows: list[tuple[Any, ...]] = cursor.execute(
        """SELECT match_no FROM match_versions WHERE match_id IN (
               SELECT match_id FROM matches WHERE list_contains($1::BIGINT[], match_no)
               UNION ALL SELECT match_id FROM trash WHERE list_contains($1::BIGINT[], match_no))""",
        [list(match_numbers)],
    ).fetchall()
    return [number for (number,) in rows]
