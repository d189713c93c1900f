"""A lake put in order beside whoever writes and reads: small files together, old states let go.

DuckLake merges and lets go; here is when that may be done. A file that is no longer needed is
removed a while later, since somebody may be reading it, and one that nobody speaks of may be a
writer's who has not committed yet: such a file goes only where that writer can never commit.

What is deleted from a lake leaves its files and its catalogue too, for whoever purges.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from psycopg import sql

from ingest.store.cancellation import go_on
from ingest.store.errors import StoreError
from ingest.store.lake.attach import NAME, quoted
from ingest.store.lake.catalogue import ADDITIONS, CHANGES, Catalogue, of_writer
from ingest.store.lake.claims import give_up, let_go
from ingest.store.lake.storage_location import OWN
from ingest.store.lake.store import LakeStore

READING = timedelta(hours=1)
"""How long somebody may be reading a file that is no longer needed."""
_EMPTIED = 0.3
"""A file of which so large a part of the rows was deleted is written without them."""
_NOW = "end_snapshot IS NULL"


class Size(NamedTuple):
    """The files a lake is made of now."""

    files: int
    octets: int


class Compacted(NamedTuple):
    """What putting a lake in order came to."""

    before: Size
    after: Size
    expired: int
    """States of it that nobody can ask for any more."""
    oldest: datetime
    """Since when it can be asked what it was."""
    removed: int
    """Files that are gone from the folder."""
    waiting: int
    """Files that go when it is put in order again, an hour from now or later."""


Advance = Callable[[int, int], object]
"""How many steps are done, and of how many."""


def compact(
    store: LakeStore, keep: timedelta | None = None, advance: Advance = lambda done, of: None
) -> Compacted:
    """Merge the small files of a lake, and drop its states older than `keep`.

    StoreError: it cannot be done; what was done of it stands.
    """
    ask = store.catalogue.ask
    before = _size(store.catalogue)
    # those that lie in several files, or of which rows were deleted
    tables = ask(
        f"""SELECT schema_name, table_name FROM public.ducklake_table t
            JOIN public.ducklake_schema s USING (schema_id)
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_data_file f
                WHERE f.table_id = t.table_id AND f.{_NOW}) f ON true
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_delete_file d
                WHERE d.table_id = t.table_id AND d.{_NOW}) d ON true
            WHERE t.{_NOW} AND (f.files > 1 OR d.files > 0) ORDER BY 1, 2"""
    )
    for done, (schema, table) in enumerate(tables):
        advance(done, len(tables) + 1)
        where = f"{quoted(NAME)}, {quoted(table)}, schema => {quoted(schema)}"
        _call(store, f"ducklake_rewrite_data_files({where}, delete_threshold => {_EMPTIED})")
        _call(store, f"ducklake_merge_adjacent_files({where})")
    advance(len(tables), len(tables) + 1)
    [(now,)] = ask("SELECT now()")
    expired = 0
    if keep is not None:
        old = f"{quoted(NAME)}, older_than => {_time(now - keep)}"
        expired = len(_call(store, f"ducklake_expire_snapshots({old})"))
    old = f"{quoted(NAME)}, older_than => {_time(now - READING)}"
    removed = len(_call(store, f"ducklake_cleanup_old_files({old})"))
    removed += remove_orphans(store, now - READING)
    [(waiting,)] = ask("SELECT count(*) FROM public.ducklake_files_scheduled_for_deletion")
    _, oldest = store.catalogue.snapshot_at(now)
    advance(len(tables) + 1, len(tables) + 1)
    return Compacted(before, _size(store.catalogue), expired, oldest, removed, waiting)


def remove_orphans(store: LakeStore, until: datetime | None) -> int:
    """Remove files of writers that ended before they committed, older than this; how many.

    None: of any age, for whoever keeps all others from writing.

    A writer that lives, or that might commit, began before it wrote a file: no file as young as the
    oldest of them is touched. Who holds nothing any longer is first kept from committing.
    """
    for (writer,) in store.catalogue.ask(
        "SELECT writer FROM retourne.writers"
        " WHERE NOT done AND NOT given_up AND coalesce(begun_at < %s, true)",
        until,
    ):
        lock = of_writer(writer)  # which it holds as long as it lives
        [(free,)] = store.catalogue.ask("SELECT pg_try_advisory_lock(%s)", lock)
        if free:
            store.catalogue.unlock(lock)
            give_up(store.catalogue, writer)
    which = "cleanup_all => true"
    if until is not None:
        [(oldest,)] = store.catalogue.ask(
            "SELECT least(%s, min(begun_at) - %s) FROM retourne.writers"
            " WHERE NOT done AND NOT given_up",
            *(until, READING),
        )
        which = f"older_than => {_time(oldest)}"
    found = store.connection.execute(
        f"CALL ducklake_delete_orphaned_files({quoted(NAME)}, dry_run => true, {which})"
    ).fetchall()
    own = [path for (path,) in found if PurePosixPath(path).match(OWN)]
    store.place.remove(own)
    return len(own)


def _call(store: LakeStore, what: str) -> list[tuple[Any, ...]]:
    """Have DuckLake do something, in a transaction that waits for whoever changes what is there."""
    while True:
        go_on()
        try:
            with store.adding():
                return store.connection.execute(f"CALL {what}").fetchall()
        except StoreError as error:
            if not store.awaits(error):
                raise


@contextmanager
def alone(store: LakeStore) -> Iterator[None]:
    """While this lasts no other program writes to the lake, once those that do are done."""
    with store.catalogue.locked(CHANGES), store.catalogue.locked(ADDITIONS):
        yield


def wipe(store: LakeStore) -> None:
    """Remove every file and row that holds what is deleted; call within `alone`.

    Every earlier state of the lake goes, and whoever is reading one has to ask again. StoreError:
    it cannot be done; to be tried again.
    """
    ask, lake = store.catalogue.ask, quoted(NAME)
    _call(store, f"ducklake_rewrite_data_files({lake}, delete_threshold => 0)")
    _call(store, f"ducklake_expire_snapshots({lake}, older_than => now())")
    _call(store, f"ducklake_cleanup_old_files({lake}, cleanup_all => true)")
    # nobody else writes: whoever began and holds nothing any longer is kept from committing
    remove_orphans(store, None)
    let_go(store.catalogue)
    ask("DELETE FROM retourne.freed_matches; DELETE FROM retourne.freed_players")
    # bounds are of all rows there ever were; these hold for any text
    ask(
        r"""UPDATE public.ducklake_table_column_stats s SET min_value = '',
               max_value = CASE WHEN lower(c.column_type) = 'blob' THEN '\xFF' ELSE %s END
           FROM public.ducklake_column c
           WHERE c.table_id = s.table_id AND c.column_id = s.column_id AND s.min_value IS NOT NULL
               AND lower(c.column_type) IN ('varchar', 'json', 'blob')""",
        chr(sys.maxunicode),
    )
    # few rows lie in the catalogue itself, and DuckLake leaves them there
    for (table,) in ask("SELECT table_name FROM public.ducklake_inlined_data_tables"):
        few = sql.Identifier("public", table).as_string()
        ask(f"DELETE FROM {few} WHERE end_snapshot IS NOT NULL")
    # last what PostgreSQL itself has noted of frequent values
    for schema, table in ask(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'retourne')"
        " UNION ALL SELECT 'pg_catalog', 'pg_statistic'"
    ):
        # what was deleted from it is in its file until the file is another one
        ask(f"VACUUM (FULL, ANALYZE) {sql.Identifier(schema, table).as_string()}")
    store.opened += 1


def _size(catalogue: Catalogue) -> Size:
    [found] = catalogue.ask(
        f"""SELECT count(*), coalesce(sum(file_size_bytes), 0) FROM (
            SELECT file_size_bytes FROM public.ducklake_data_file WHERE {_NOW} UNION ALL
            SELECT file_size_bytes FROM public.ducklake_delete_file WHERE {_NOW}) f"""
    )
    return Size(*map(int, found))


def _time(at: datetime) -> str:
    return f"{quoted(at.isoformat())}::TIMESTAMPTZ"
