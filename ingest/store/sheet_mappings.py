"""Remembers the mapping of a sheet by its fingerprint; deletes rows with a player's name along with it."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

import duckdb

from ingest.redact.anonymize_log import unescape
from ingest.redact.free_text import text_redactor
from ingest.store.factory import Store


class StoredMapping(NamedTuple):
    """How sheets of one fingerprint are read."""

    fingerprint: str
    sheet: str
    """The sheet's name, or the file's, when it was confirmed."""
    confirmed_at: datetime
    mapping: str
    """A SheetMapping as JSON."""


def remember_mappings(store: Store, mappings: Mapping[str, tuple[str, str]]) -> None:
    """Store fingerprint → sheet name and mapping as JSON; a later one replaces the one before."""
    if not mappings:
        return
    with store.transaction():
        cursor = store.connection
        for fingerprint, (sheet, mapping) in mappings.items():
            cursor.execute("DELETE FROM sheet_mappings WHERE fingerprint = ?", [fingerprint])
            cursor.execute(
                "INSERT INTO sheet_mappings VALUES (?, ?, now(), ?)", [fingerprint, sheet, mapping]
            )
        store.record_change("sheet-mapping", len(mappings))


def forget_mapping(store: Store, fingerprint: str) -> None:
    """Forget what sheets of a fingerprint are taken for. KeyError: nothing is remembered of it."""
    with store.transaction():
        query = "DELETE FROM sheet_mappings WHERE fingerprint = ? RETURNING 1"
        found = store.connection.execute(query, [fingerprint])
        if not found.fetchall():
            raise KeyError(fingerprint)
        store.record_change("sheet-mapping-forget", 1)


def stored_mappings(cursor: duckdb.DuckDBPyConnection) -> list[StoredMapping]:
    """Return what is remembered, latest first."""
    rows = cursor.execute(
        "SELECT fingerprint, sheet, confirmed_at, mapping FROM sheet_mappings ORDER BY 3 DESC, 1"
    )
    return [StoredMapping(*row) for row in rows.fetchall()]


def fingerprints_with_names(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> list[str]:
    """Return the fingerprints of which the mapping holds one of some names, or a part of one."""
    redactor = text_redactor(names, parts=True)
    return [
        one.fingerprint
        for one in stored_mappings(cursor)
        if redactor.has_name(one.sheet) or redactor.has_name(unescape(one.mapping))
    ]


def delete_with_names(cursor: duckdb.DuckDBPyConnection, names: Collection[str]) -> None:
    """Delete what holds one of some names; call within `transaction`."""
    query = "DELETE FROM sheet_mappings WHERE list_contains(?::VARCHAR[], fingerprint)"
    cursor.execute(query, [fingerprints_with_names(cursor, names)])
