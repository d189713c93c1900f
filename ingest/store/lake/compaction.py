"""Merges small files of a lake and drops old snapshots.

DuckLake merges files and expires snapshots; this module decides when that is safe. A file no longer
needed is removed only after an hour, as queries may still read it. An orphan, a file not in the
catalogue, may belong to a writer that has not committed yet: it is removed only when that writer
can never commit. `hard_delete` removes deleted rows from files and catalogue for good.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from psycopg import sql

from ingest.cancellation import check_cancelled
from ingest.store.errors import StoreError
from ingest.store.lake.attach import LAKE_CATALOG, sql_quote
from ingest.store.lake.catalogue import APPEND_LOCK, CHANGE_LOCK, CatalogConnection, writer_lock_key
from ingest.store.lake.claims import prevent_commit, release_freed_claims
from ingest.store.lake.storage_location import DATA_FILE_GLOB
from ingest.store.lake.store import LakeStore

READ_GRACE = timedelta(hours=1)
"""How long a query may still read a file that is no longer needed."""
_REWRITE_THRESHOLD = 0.3
"""Fraction of deleted rows from which a file is rewritten without them."""
_IS_CURRENT = "end_snapshot IS NULL"


class LakeSize(NamedTuple):
    """Number and size of a lake's current files."""

    files: int
    total_bytes: int


class Compacted(NamedTuple):
    """The outcome of `compact`."""

    before: LakeSize
    after: LakeSize
    expired: int
    """Snapshots dropped, which can no longer be read."""
    oldest: datetime
    """Time of the oldest snapshot left."""
    removed: int
    """Files removed from the folder."""
    waiting: int
    """Files to be removed when `compact` runs again, an hour from now or later."""


StepProgress = Callable[[int, int], object]
"""Called with the number of steps done and of all steps."""


def compact(
    store: LakeStore, keep: timedelta | None = None, advance: StepProgress = lambda done, of: None
) -> Compacted:
    """Merge the small files of a lake, and drop snapshots older than `keep`.

    StoreError: a step failed after others had succeeded.
    """
    ask = store.catalog.query
    before = _lake_size(store.catalog)
    # tables in several files, or with deleted rows
    tables = ask(
        f"""SELECT schema_name, table_name FROM public.ducklake_table t
            JOIN public.ducklake_schema s USING (schema_id)
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_data_file f
                WHERE f.table_id = t.table_id AND f.{_IS_CURRENT}) f ON true
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_delete_file d
                WHERE d.table_id = t.table_id AND d.{_IS_CURRENT}) d ON true
            WHERE t.{_IS_CURRENT} AND (f.files > 1 OR d.files > 0) ORDER BY 1, 2"""
    )
    for done, (schema, table) in enumerate(tables):
        advance(done, len(tables) + 1)
        where = f"{sql_quote(LAKE_CATALOG)}, {sql_quote(table)}, schema => {sql_quote(schema)}"
        _call_ducklake(
            store, f"ducklake_rewrite_data_files({where}, delete_threshold => {_REWRITE_THRESHOLD})"
        )
        _call_ducklake(store, f"ducklake_merge_adjacent_files({where})")
    advance(len(tables), len(tables) + 1)
    [(now,)] = ask("SELECT now()")
    expired = 0
    if keep is not None:
        old = f"{sql_quote(LAKE_CATALOG)}, older_than => {_timestamp_literal(now - keep)}"
        expired = len(_call_ducklake(store, f"ducklake_expire_snapshots({old})"))
    old = f"{sql_quote(LAKE_CATALOG)}, older_than => {_timestamp_literal(now - READ_GRACE)}"
    removed = len(_call_ducklake(store, f"ducklake_cleanup_old_files({old})"))
    removed += remove_orphans(store, now - READ_GRACE)
    [(waiting,)] = ask("SELECT count(*) FROM public.ducklake_files_scheduled_for_deletion")
    _, oldest = store.catalog.snapshot_at(now)
    advance(len(tables) + 1, len(tables) + 1)
    return Compacted(before, _lake_size(store.catalog), expired, oldest, removed, waiting)


def remove_orphans(store: LakeStore, older_than: datetime | None) -> int:
    """Remove files of writers that ended without a commit; return how many.

    `older_than`: remove older files only; None: all, for callers with `exclusive_access`.

    Writers that lost their lock are first barred from committing. The others may still commit: a
    file stays if it may be younger than the oldest of them.
    """
    for (writer,) in store.catalog.query(
        "SELECT writer FROM retourne.writers"
        " WHERE NOT done AND NOT given_up AND coalesce(begun_at < %s, true)",
        older_than,
    ):
        lock = writer_lock_key(writer)  # held as long as the writer is alive
        [(free,)] = store.catalog.query("SELECT pg_try_advisory_lock(%s)", lock)
        if free:
            store.catalog.unlock(lock)
            prevent_commit(store.catalog, writer)
    which = "cleanup_all => true"
    if older_than is not None:
        [(oldest,)] = store.catalog.query(
            "SELECT least(%s, min(begun_at) - %s) FROM retourne.writers WHERE NOT done AND NOT given_up",
            *(older_than, READ_GRACE),
        )
        which = f"older_than => {_timestamp_literal(oldest)}"
    found = store.connection.execute(
        f"CALL ducklake_delete_orphaned_files({sql_quote(LAKE_CATALOG)}, dry_run => true, {which})"
    ).fetchall()
    own = [path for (path,) in found if PurePosixPath(path).match(DATA_FILE_GLOB)]
    store.location.remove_files(own)
    return len(own)


def _call_ducklake(store: LakeStore, procedure: str) -> list[tuple[Any, ...]]:
    """Call a DuckLake procedure in a transaction, after running updates; return its rows."""
    while True:
        check_cancelled()
        try:
            with store.transaction():
                return store.connection.execute(f"CALL {procedure}").fetchall()
        except StoreError as error:
            if not store.should_retry(error):
                raise


@contextmanager
def exclusive_access(store: LakeStore) -> Iterator[None]:
    """Wait for other writers to finish, then block them within."""
    with store.catalog.locked(CHANGE_LOCK), store.catalog.locked(APPEND_LOCK):
        yield


def hard_delete(store: LakeStore) -> None:
    """Remove every file and row that still contains deleted data; call in `exclusive_access`.

    All earlier snapshots are dropped: queries that read one fail and must be repeated. StoreError:
    a step failed; call it again.
    """
    ask, lake = store.catalog.query, sql_quote(LAKE_CATALOG)
    _call_ducklake(store, f"ducklake_rewrite_data_files({lake}, delete_threshold => 0)")
    _call_ducklake(store, f"ducklake_expire_snapshots({lake}, older_than => now())")
    _call_ducklake(store, f"ducklake_cleanup_old_files({lake}, cleanup_all => true)")
    # no other program writes, so files of any age are safe to remove
    remove_orphans(store, None)
    release_freed_claims(store.catalog)
    ask("DELETE FROM retourne.freed_matches; DELETE FROM retourne.freed_players")
    # column bounds include deleted values: replace them by bounds that are true of any text
    ask(
        r"""UPDATE public.ducklake_table_column_stats s SET min_value = '',
               max_value = CASE WHEN lower(c.column_type) = 'blob' THEN '\xFF' ELSE %s END
           FROM public.ducklake_column c
           WHERE c.table_id = s.table_id AND c.column_id = s.column_id AND s.min_value IS NOT NULL
               AND lower(c.column_type) IN ('varchar', 'json', 'blob')""",
        chr(sys.maxunicode),
    )
    # DuckLake stores small insertions in the catalogue, and does not remove their deleted rows
    for (table,) in ask("SELECT table_name FROM public.ducklake_inlined_data_tables"):
        few = sql.Identifier("public", table).as_string()
        ask(f"DELETE FROM {few} WHERE end_snapshot IS NOT NULL")
    # last, PostgreSQL's own statistics of frequent values
    for schema, table in ask(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'retourne')"
        " UNION ALL SELECT 'pg_catalog', 'pg_statistic'"
    ):
        # only VACUUM FULL writes a new file, without the deleted rows
        ask(f"VACUUM (FULL, ANALYZE) {sql.Identifier(schema, table).as_string()}")
    store.file_generation += 1


def _lake_size(catalog: CatalogConnection) -> LakeSize:
    [found] = catalog.query(
        f"""SELECT count(*), coalesce(sum(file_size_bytes), 0) FROM (
            SELECT file_size_bytes FROM public.ducklake_data_file WHERE {_IS_CURRENT} UNION ALL
            SELECT file_size_bytes FROM public.ducklake_delete_file WHERE {_IS_CURRENT}) f"""
    )
    return LakeSize(*map(int, found))


def _timestamp_literal(moment: datetime) -> str:
    return f"{sql_quote(moment.isoformat())}::TIMESTAMPTZ"
