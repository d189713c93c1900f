"""Verifies a store against its own texts (`retourne verify`).

Nothing is written. Rows are compared as stored, so verdicts of older rules are skipped:
`ingest.store.revalidate` renews them. Backups are verified by `ingest.store.backup`, copies by
`ingest.store.transfer`.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from engine import RULES_VERSION
from ingest.i18n import N_, Translate
from ingest.store import endgame_rows, ratings, trash
from ingest.store.aliases import PLAYED_TABLES, AliasIndex, duplicate_aliases
from ingest.store.batch_stream import map_ahead
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store
from ingest.store.revalidate import derive_tables, merge_tables
from ingest.store.stored_texts import StoredBatch, check_stored, read_stored
from ingest.store.verdict_diff import differing_matches
from ingest.validate.batch import CheckedBatch


class Inconsistency(NamedTuple):
    """One problem in a store: a message, and the match it concerns."""

    text: str
    match: str | None = None
    """Its hash."""
    table: str | None = None
    rows: int = 1

    def message(self, t: Translate) -> str:
        return t(self.text, table=self.table, n=self.rows)


class VerifyProgress(NamedTuple):
    """The problems in a batch; `texts_done` of `texts_total` texts have been read so far."""

    texts_done: int
    texts_total: int
    inconsistencies: list[Inconsistency]


TEXT_CHANGED = N_("Its text is not the one it was stored with.")
TRASH_TEXT_CHANGED = N_("In the trash, its text is not the one it was stored with.")
ROWS_DIFFER = N_("{table}: rows that differ from their text: {n}")
TEXT_MISSING = N_("It has no text, or more than one.")
DUPLICATE_MATCH = N_("It is stored twice.")
DELETION_MISSING = N_("It is in the trash without a deletion.")
ROWS_WITHOUT_MATCH = N_("{table}: rows of no match: {n}")
RATINGS_DIFFER = N_("{table}: ratings that do not follow from the matches: {n}")

_ORPHAN_QUERIES = {
    TEXT_MISSING: """SELECT m.match_id FROM matches m LEFT JOIN raw r USING (match_no)
        GROUP BY m.match_no, m.match_id HAVING count(r.match_no) <> 1""",
    DUPLICATE_MATCH: """SELECT any_value(match_id) FROM matches GROUP BY match_id HAVING count(*) > 1
        UNION ALL
        SELECT any_value(match_id) FROM matches GROUP BY match_no HAVING count(*) > 1""",
    N_("It came with a file that is not listed."): """SELECT match_id FROM matches
        WHERE file_no NOT IN (SELECT file_no FROM files)""",
    DELETION_MISSING: "SELECT match_id FROM trash WHERE change NOT IN (SELECT change FROM change_log)",
}
# rows of a duplicate match cannot be assigned to either copy
_STORED_ONCE = """(SELECT match_no FROM matches GROUP BY match_no HAVING count(*) = 1) m
    SEMI JOIN (SELECT match_no FROM raw GROUP BY match_no HAVING count(*) = 1) r USING (match_no)"""
_CURRENT_VERDICTS = """SELECT match_no FROM matches
    WHERE rules_version = ? AND match_no IN (SELECT unnest(?)) ORDER BY match_no"""


def verify_store(store: Store) -> Generator[VerifyProgress, None, None]:
    """Read every text of a store, trash included, and report rows that do not follow from it.

    StoreError: the store cannot be read.
    """
    # concurrent changes would look like problems
    with store.translate_errors(), store.write_lock():
        cursor = store.cursor()
        chosen = trash.select_matches(cursor, _STORED_ONCE, [])
        deletions = cursor.execute("SELECT change, count(*) FROM trash GROUP BY 1 ORDER BY 1").fetchall()
        total = len(chosen) + sum(count for _, count in deletions)
        yield VerifyProgress(0, total, _orphaned_rows(cursor))
        done = 0
        known = AliasIndex(cursor)

        for stored, checked in map_ahead(read_stored(store, chosen), check_stored):
            wrong = _changed_texts(checked, stored.match_id, TEXT_CHANGED)
            rows = derive_tables(checked, stored, known.seat_numbers, with_rollups=True)
            wrong += _differing_rows(cursor, DERIVED_TABLES, rows, stored, ROWS_DIFFER)
            wrong += _differing_rows(
                cursor,
                endgame_rows.VALUE_TABLES,
                _fresh_endgame_values(cursor, checked, stored),
                stored,
                N_("{table}: rows that differ from their deals: {n}"),
            )
            done += len(checked.ids)
            yield VerifyProgress(done, total, wrong)
        for change, _ in deletions:
            read = trash.read_deletion(store, change)
            for deleted, checked in map_ahead(read, check_stored):
                done += len(checked.ids)
                yield VerifyProgress(
                    done, total, _changed_texts(checked, deleted.match_id, TRASH_TEXT_CHANGED)
                )
        ladders = (
            (which, *ladder)
            for which in ratings.ALL_LADDERS
            for ladder in sorted(
                {*ratings.list_ladders(store, which)} - {*ratings.stale_ladders(store, which)}
            )
        )  # the next writer rates stale ladders
        wrong = [
            Inconsistency(RATINGS_DIFFER, None, f"{name}, {preset}", count)
            for which, name, preset in ladders
            if (count := ratings.count_wrong_ratings(store, name, preset, which))
        ]
        yield VerifyProgress(done, total, wrong)


def _orphaned_rows(cursor: duckdb.DuckDBPyConnection) -> list[Inconsistency]:
    """Return missing, orphaned and duplicate rows."""
    wrong = [
        Inconsistency(text, match)
        for text, query in _ORPHAN_QUERIES.items()
        for (match,) in cursor.execute(f"{query} ORDER BY 1").fetchall()
    ]
    for text, tables, column, of in (
        (ROWS_WITHOUT_MATCH, (*DERIVED_TABLES[1:], *endgame_rows.VALUE_TABLES, "raw"), "match_no", "matches"),
        (N_("{table}: rows of no player: {n}"), (*PLAYED_TABLES, "aliases"), "player_no", "players"),
        (N_("{table}: rows of no player: {n}"), ("seats",), "alias_no", "aliases"),
    ):
        for table in tables:
            sql = f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT {column} FROM {of})"
            [(count,)] = cursor.execute(sql).fetchall()
            if count:
                wrong.append(Inconsistency(text, None, table, count))
    return wrong


def _changed_texts(found: CheckedBatch, stored: Sequence[str], text: str) -> list[Inconsistency]:
    """Return the texts of which no hash is the stored match id."""
    hashes = zip(found.ids, found.content_ids, stored, strict=True)
    return [Inconsistency(text, known) for *now, known in hashes if known not in now]


def _differing_rows(
    cursor: duckdb.DuckDBPyConnection,
    tables: Sequence[str],
    rows: Mapping[str, pa.Table],
    stored: StoredBatch,
    text: str,
) -> list[Inconsistency]:
    """Return matches with current verdicts whose stored rows differ from those of their texts."""
    wrong = list[Inconsistency]()
    # aliases that two writers of a lake made at once are one, which the next writer joins
    names = rows["seats"].column_names if "seats" in rows and duplicate_aliases(cursor) else []
    columns = {"seats": [one for one in names if one != "alias_no"]}
    ids = dict(zip(stored.match_no.tolist(), stored.match_id, strict=True))
    for table in tables:
        if found := differing_matches(
            cursor, table, rows.get(table), stored.match_no, columns.get(table, ())
        ):
            today = cursor.execute(_CURRENT_VERDICTS, [RULES_VERSION, [*found]]).fetchall()
            wrong += [Inconsistency(text, ids[number], table, found[number]) for (number,) in today]
    return wrong


def _fresh_endgame_values(
    cursor: duckdb.DuckDBPyConnection, checked: CheckedBatch, stored: StoredBatch
) -> dict[str, pa.Table]:
    """Compute endgame values again for the matches that have stored ones."""
    numbers = stored.match_no
    these = f"match_no BETWEEN {int(numbers[0])} AND {int(numbers[-1])}"
    there = cursor.execute(f"SELECT DISTINCT match_no FROM endgame_values WHERE {these}").fetchnumpy()
    found = (
        endgame_rows.filter_deals(one, np.isin(one.match_no, there["match_no"].astype(np.int64)))
        for one in endgame_rows.solver_batches_of(checked, numbers)
    )
    return merge_tables(
        row for one in found if len(one.deal_index) for row in endgame_rows.endgame_rows(one).items()
    )
