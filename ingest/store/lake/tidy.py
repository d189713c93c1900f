"""A lake put in order beside whoever writes and reads: small files together, old states let go.

DuckLake merges and lets go; here is when that may be done. A file that is no longer needed is
removed a while later, since somebody may be reading it, and one that nobody speaks of may be a
writer's who has not committed yet: such a file goes only where that writer can never commit.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ingest.store.asked import go_on
from ingest.store.errors import StoreError
from ingest.store.lake.attach import NAME, quoted
from ingest.store.lake.catalogue import Catalogue, of_writer
from ingest.store.lake.claims import give_up
from ingest.store.lake.place import OWN
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


class Tidied(NamedTuple):
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


def tidy(
    store: LakeStore, keep: timedelta | None = None, advance: Advance = lambda done, of: None
) -> Tidied:
    """Put a lake in order, and let go of its states older than `keep`, where that is said.

    StoreError: it cannot be done; what was done of it stands.
    """
    ask = store.catalogue.ask
    before, tables = _size(store.catalogue), _parted(store.catalogue)
    for done, (schema, table) in enumerate(tables):
        advance(done, len(tables) + 1)
        where = f"{quoted(NAME)}, {quoted(table)}, schema => {quoted(schema)}"
        call(store, f"ducklake_rewrite_data_files({where}, delete_threshold => {_EMPTIED})")
        call(store, f"ducklake_merge_adjacent_files({where})")
    advance(len(tables), len(tables) + 1)
    [(now,)] = ask("SELECT now()")
    expired = 0
    if keep is not None:
        old = f"{quoted(NAME)}, older_than => {_time(now - keep)}"
        expired = len(call(store, f"ducklake_expire_snapshots({old})"))
    old = f"{quoted(NAME)}, older_than => {_time(now - READING)}"
    removed = len(call(store, f"ducklake_cleanup_old_files({old})"))
    removed += remove_orphans(store, now - READING)
    [(waiting,)] = ask("SELECT count(*) FROM public.ducklake_files_scheduled_for_deletion")
    _, oldest = store.catalogue.snapshot_at(now)
    advance(len(tables) + 1, len(tables) + 1)
    return Tidied(before, _size(store.catalogue), expired, oldest, removed, waiting)


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
        if not store.catalogue.is_held(of_writer(writer)):
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


def call(store: LakeStore, what: str) -> list[tuple[Any, ...]]:
    """Have DuckLake do something, in a transaction that waits for whoever changes what is there."""
    while True:
        go_on()
        try:
            with store.adding():
                return store.connection.execute(f"CALL {what}").fetchall()
        except StoreError as error:
            if not store.awaits(error):
                raise


def _parted(catalogue: Catalogue) -> list[tuple[str, str]]:
    """The tables that lie in several files, or of which rows were deleted."""
    found = catalogue.ask(
        f"""SELECT schema_name, table_name FROM public.ducklake_table t
            JOIN public.ducklake_schema s USING (schema_id)
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_data_file f
                WHERE f.table_id = t.table_id AND f.{_NOW}) f ON true
            LEFT JOIN LATERAL (SELECT count(*) AS files FROM public.ducklake_delete_file d
                WHERE d.table_id = t.table_id AND d.{_NOW}) d ON true
            WHERE t.{_NOW} AND (f.files > 1 OR d.files > 0) ORDER BY 1, 2"""
    )
    return [(schema, table) for schema, table in found]


def _size(catalogue: Catalogue) -> Size:
    [(files, octets)] = catalogue.ask(
        f"""SELECT count(*), coalesce(sum(file_size_bytes), 0) FROM (
            SELECT file_size_bytes FROM public.ducklake_data_file WHERE {_NOW} UNION ALL
            SELECT file_size_bytes FROM public.ducklake_delete_file WHERE {_NOW}) f"""
    )
    return Size(int(files), int(octets))


def _time(at: datetime) -> str:
    return f"{quoted(at.isoformat())}::TIMESTAMPTZ"
