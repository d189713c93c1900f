"""What is deleted from a lake leaves its files and its catalogue too, for whoever purges."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import sql

from ingest.store.lake.attach import NAME, quoted
from ingest.store.lake.catalogue import ADDITIONS, CHANGES
from ingest.store.lake.claims import let_go
from ingest.store.lake.store import LakeStore
from ingest.store.lake.tidy import call, remove_orphans


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
    call(store, f"ducklake_rewrite_data_files({lake}, delete_threshold => 0)")
    call(store, f"ducklake_expire_snapshots({lake}, older_than => now())")
    call(store, f"ducklake_cleanup_old_files({lake}, cleanup_all => true)")
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
        few = sql.Identifier("public", table)
        ask(sql.SQL("DELETE FROM {} WHERE end_snapshot IS NOT NULL").format(few).as_string())
    # last what PostgreSQL itself has noted of frequent values
    for schema, table in ask(
        "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'retourne')"
        " UNION ALL SELECT 'pg_catalog', 'pg_statistic'"
    ):
        # what was deleted from it is in its file until the file is another one
        query = sql.SQL("VACUUM (FULL, ANALYZE) {}").format(sql.Identifier(schema, table))
        ask(query.as_string())
    store.opened += 1
