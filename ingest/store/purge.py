"""Permanently deletes by rewriting the store file.

DuckDB leaves deleted rows in free blocks of the file, so a purge deletes nothing in place: it
copies the rows that stay into a new file, and reads rewritten texts again like any other log. The
new file replaces the old one when it is complete; until then the old one is untouched.
"""

import os
import secrets
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from ingest.i18n import N_, Translate
from ingest.redact.anonymize_log import masked_player, unescape
from ingest.redact.free_text import text_redactor
from ingest.store import (
    backup,
    match_versions,
    name_scan,
    ratings,
    raw_texts,
    saved_searches,
    sheet_mappings,
    trash,
    wal,
)
from ingest.store import endgame_rows as worth
from ingest.store.aliases import PSEUDONYM_DIGITS, alias_table, declared_by_player
from ingest.store.arrow_rows import trash_texts
from ingest.store.batch_stream import map_ahead
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import STORE_IN_USE, LockMode, Store, StoreError
from ingest.store.pseudonyms import known_names, pseudonym_key
from ingest.store.stored_texts import StoredBatch, batch_rows, check_stored
from ingest.store.temporary_files import remove_spill_files, temporary_sibling
from ingest.store.tombstones import tombstone
from ingest.validate.batch import CheckedBatch
from schemas.migrations import connect, number, with_tables

PURGE_PREVIEW = N_("Matches to delete: {n} · to rewrite: {rewritten} · of these, matches of others: {others}")
WAL_NOT_CHECKPOINTED = N_(
    "Retourne cannot write the journal into the store {path}: nothing was deleted. Make room "
    "on the disk and try again."
)
VERSIONS_DELETED = N_("Earlier versions and matches in the trash deleted with them: {n}.")
TOKENS_RENAMED = N_("Tokens that had the name in theirs are called by their number now: {names}")


_OTHER_ANSWERS = """NOT EXISTS (
    SELECT 1 FROM (SELECT match_no, match_id FROM matches UNION ALL SELECT match_no, match_id FROM trash) m
    WHERE match_no IN (FROM these) AND m.match_id IN (match_answers.match_id, match_answers.other_id))"""
"""Answers about matches of which none is touched (`these`), since ids are hashes of the purged logs."""


class PurgeResult(NamedTuple):
    """The result of a purge."""

    deleted_matches: int
    """Matches that are no longer in the store."""
    rewritten_matches: int
    """Matches whose text stays, without the name."""
    deleted_versions: int = 0
    """Earlier versions, and matches that were in the trash, that are no longer in the store."""
    pseudonym: str | None = None
    """Replaces the player in these texts; not even the store can map it back to the player."""
    tokens: tuple[str, ...] = ()
    """New names of the tokens whose name contained the player's."""
    remaining: name_scan.RemainingMentions = name_scan.RemainingMentions()
    """Places that still mention the name, as found in the new file."""


class PurgePreview(NamedTuple):
    """The changes that purging a player would make."""

    removed: int
    rewritten: int
    others: int
    """Rewritten or deleted matches in which the player has no seat."""

    def message(self, t: Translate) -> str:
        """Return the sentence to show before the user confirms."""
        return t(PURGE_PREVIEW, n=self.removed, rewritten=self.rewritten, others=self.others)


def purge_matches(store: Store, match_numbers: Collection[int]) -> PurgeResult:
    """Purge matches by number with their earlier versions; close the store, unless threads share it.

    StoreError: the purge failed, and nothing was changed.
    """
    earlier = match_versions.version_numbers(store.cursor(), [*match_numbers])
    return _Purge(store, {*match_numbers, *earlier}).run()


def purge_player(store: Store, player_no: int, with_matches: bool = False) -> PurgeResult:
    """Purge a player, with the matches or leaving them under a pseudonym; close the store as well.

    One that threads share is open again before the old file is overwritten.
    KeyError: no such player. StoreError: the purge failed, and nothing was changed.
    """
    player, removed = _purge_target(store, player_no, with_matches)
    return _Purge(store, removed, player_no, player, with_matches).run()


def finish_purge(store: Store) -> None:
    """Remove what an interrupted purge left behind. StoreError: it cannot be removed."""
    if not store.is_single_file:  # a single file is replaced as a whole, or not at all
        _with_hard_delete(store)


def _with_hard_delete(store: Store, action: Callable[[], int] = lambda: 0) -> int:
    """Run `action` while no other program writes to a lake, then delete its old files for good."""
    from ingest.store.lake import compaction
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    with store.translate_errors(), compaction.exclusive_access(store):
        found = action()
        compaction.hard_delete(store)
    return found


def preview_purge(store: Store, player_no: int, with_matches: bool = False) -> PurgePreview:
    """Return what purging a player would change, without changing it. KeyError: no such player."""
    player, removed = _purge_target(store, player_no, with_matches)
    going = rewritten = others = 0
    for row in _affected_texts(store.cursor(), removed, player, with_matches):
        if row.change is None:
            stays = row.match_no not in removed and bool(player.redact(row.text))
            going, rewritten = going + (not stays), rewritten + stays
            others += not player.is_seated_in(row.text)
    return PurgePreview(going, rewritten, others)


def _purge_target(store: Store, player_no: int, with_matches: bool) -> tuple[name_scan.NameMatcher, set[int]]:
    """Return a matcher with a random pseudonym, and the numbers of the matches to delete."""
    both, known = known_names(store)[player_no], declared_by_player(store.cursor())
    every = {pair for pairs in known.values() for pair in pairs}
    cursor = store.cursor().execute("SELECT match_no FROM seats WHERE player_no = ?", [player_no])
    text = f"Joueur {secrets.token_hex(PSEUDONYM_DIGITS // 2)}"
    removed = {int(number) for (number,) in cursor.fetchall()} if with_matches else set()
    player = masked_player(both[0], text, {both, *known.get(player_no, ())}, every)
    return name_scan.NameMatcher(player), removed


def _affected_texts(
    cursor: duckdb.DuckDBPyConnection,
    removed: set[int],
    player: name_scan.NameMatcher | None,
    with_matches: bool,
) -> Iterator[name_scan.StoredText]:
    """Yield the texts that change, as stored; add matches found in the trash to `removed`."""
    if player is not None:
        player.collect_names(cursor)
    for row in name_scan.stored_texts(cursor):
        if player is not None and with_matches and player.is_seated_in(row.text):
            removed.add(row.match_no)
        if row.match_no in removed or (player and player.redact(row.text) != row.text):
            yield row


@dataclass
class _Purge:
    """One purge: which matches are removed, and which player becomes a pseudonym."""

    store: Store
    removed: set[int]
    player_no: int | None = None
    player: name_scan.NameMatcher | None = None
    with_matches: bool = False

    def __post_init__(self) -> None:
        self.key = pseudonym_key(self.store)
        self.tombstones = self._own_ids() - {""}
        self.tokens, self.remaining = tuple[str, ...](), name_scan.RemainingMentions()
        self.replaced_by = dict[int, str]()  # number of an earlier version → id of its match
        self.new_ids = dict[str, str]()  # of rewritten matches
        self.own_words = set[str]()  # in a lake: the ids of the matches it touches
        self.texts_to_insert = list[str]()  # ids of the rewritten matches
        self.deleted_versions = 0

    def _own_ids(self) -> set[str]:
        """Return the ids that no other player has."""
        query = "SELECT player_id FROM aliases WHERE player_no <> ?"
        others = self.store.cursor().execute(query, [self.player_no]).fetchall() if self.player else []
        return self.player.ids - {one for (one,) in others} if self.player else set()

    def run(self) -> PurgeResult:
        if not self.store.is_single_file:
            # In a lake rows are rewritten in place, then the old files are removed. An error may
            # leave that half done.
            with self.store.file_lock:
                removed = _with_hard_delete(self.store, self._purge_in_place)
            if self.player is not None:
                self.remaining = name_scan.remaining_mentions(self.store.cursor(), self.player.names)
            return self._result(removed)
        path = Path(self.store.path).resolve()
        with temporary_sibling(path) as part:
            with self.store.translate_errors(), self.store.frozen() as (_, cursor):
                Store(part).close()
                os.chmod(part, stat.S_IMODE(path.stat().st_mode))
                known = number(cursor, "SELECT count(*) FROM matches")
                rows = list(_affected_texts(cursor, self.removed, self.player, self.with_matches))
                self._copy_rest(cursor, part, {row.match_no for row in rows})
                files, tokens = self._file_rows(cursor, rows), self._token_rows(cursor)
                version = _next_version(cursor)
                cursor.close()
                with Store(part) as fresh:
                    with fresh.transaction():
                        first = int(max(files["file_no"].to_pylist(), default=-1)) + 1
                        fresh.connection.execute(
                            f"CREATE OR REPLACE SEQUENCE file_numbers MINVALUE 0 START {first}"
                        )
                        left = self._insert_rewritten(fresh, rows, files, tokens)
                    if not self.store.is_shared:  # else the server rates in its background
                        ratings.refresh_ratings(fresh)
                    if self.player is not None:
                        self.remaining = name_scan.remaining_mentions(fresh.cursor(), self.player.names)
            backup.check_checkpointed(part)
            with (
                ExitStack() as afterwards,
                self.store.replacing_file() if self.store.is_shared else nullcontext(),
            ):
                self.store.close()
                # if it fails, the old file is closed here: that ends the lock of who has it open
                with self.store.translate_errors(), ExitStack() as meanwhile:
                    old = meanwhile.enter_context(path.open("r+b"))
                    with _exclusive_file(path) as held:
                        if _next_version(held) != version:
                            raise StoreError(STORE_IN_USE, path=path, pid="")
                        backup.replace_durably(part, path)
                    afterwards.enter_context(meanwhile.pop_all())
                    afterwards.callback(_overwrite_with_zeros, old)
        return self._result(known - left)

    def _result(self, removed: int) -> PurgeResult:
        remaining = None if self.with_matches or self.player is None else self.player.replacement
        counts = removed, len(self.texts_to_insert), self.deleted_versions
        return PurgeResult(*counts, remaining, self.tokens, self.remaining)

    # lakes, which are more than one file

    def _purge_in_place(self) -> int:
        """Delete the touched rows and insert those that stay; count the removed matches."""
        cursor = self.store.cursor()
        known = number(cursor, "SELECT count(*) FROM matches")
        rows = list(_affected_texts(cursor, self.removed, self.player, self.with_matches))
        touched = sorted({row.match_no for row in rows})
        these = pa.table({"match_no": pa.array(touched, pa.int64())})
        with self.store.transaction(lock_mode=LockMode.EXCLUSIVE):
            write = self.store.connection
            self._add_tombstones(cursor)
            files, tokens = self._file_rows(cursor, rows), self._token_rows(cursor)
            sat = cursor.execute(
                "SELECT DISTINCT player_no, alias_no FROM seats WHERE list_contains(?::BIGINT[], match_no)",
                [touched],
            ).fetchall()
            raw_texts.remove_texts(write, touched)
            with with_tables(write, these=these):
                write.execute(f"DELETE FROM match_answers WHERE NOT ({_OTHER_ANSWERS})")
                for table in (*DERIVED_TABLES, *worth.VALUE_TABLES, "trash"):
                    write.execute(f"DELETE FROM {table} WHERE match_no IN (FROM these)")
            for table in ("files", "tokens", *RATING_TABLES):
                write.execute(f"DELETE FROM {table}")
            write.execute(f"DELETE FROM drafts WHERE hash IN {self._draft_hashes(cursor)}")
            write.execute(f"DELETE FROM sheet_mappings WHERE fingerprint IN {self._fingerprints(cursor)}")
            saved_searches.delete_with_names(write, self._names)
            self.own_words = {row.match_id for row in rows if row.change is None}
            left = self._insert_rewritten(self.store, rows, files, tokens)
            removed = write.execute(
                """SELECT player_no FROM players WHERE player_no = ? OR (
                       player_no NOT IN (SELECT player_no FROM seats)
                       AND player_no IN (SELECT unnest(?::BIGINT[])))""",
                [self.player_no, [number for number, _ in sat]],
            ).fetchall()
            alone = [int(one) for (one,) in removed]
            for table in ("players", "masked", "aliases"):
                write.execute(f"DELETE FROM {table} WHERE list_contains(?, player_no)", [alone])
            write.execute(
                """DELETE FROM aliases WHERE list_contains(?::INTEGER[], alias_no)
                   AND alias_no NOT IN (SELECT alias_no FROM seats)""",
                [[alias for _, alias in sat]],
            )
            self.store.release_claims(sorted(self.own_words - {*self.texts_to_insert}), alone)
        return known - left

    # what stays unchanged

    def _copy_rest(self, cursor: duckdb.DuckDBPyConnection, part: Path, touched: Collection[int]) -> None:
        """Copy all rows that do not change into the new file."""
        these = pa.table({"match_no": pa.array(sorted(touched), pa.int64())})
        removed = pa.table({"match_no": pa.array(sorted(self.removed), pa.int64())})
        self._add_tombstones(cursor)
        there = str(part).replace("'", "''")
        cursor.execute(f"ATTACH '{there}' AS fresh")
        untouched = "WHERE match_no NOT IN (FROM these)"
        # the players who sat only at tables that are removed
        left = """WHERE player_no NOT IN (SELECT player_no FROM seats
                      WHERE match_no IN (FROM removed) AND player_no NOT IN (
                          SELECT player_no FROM seats WHERE match_no NOT IN (FROM removed)))"""
        where = dict.fromkeys((*DERIVED_TABLES, *worth.VALUE_TABLES, "trash"), untouched)
        # no byte of a block that has a touched match is copied
        where["raw"] = """WHERE block NOT IN (
            SELECT block FROM raw WHERE match_no IN (FROM these))"""
        where |= {"players": left, "masked": left}
        where["aliases"] = f"""{left} AND alias_no NOT IN (SELECT alias_no FROM seats
            WHERE match_no IN (FROM removed) AND alias_no NOT IN (
                SELECT alias_no FROM seats WHERE match_no NOT IN (FROM removed)))"""
        if self.player_no is not None:
            own = f"SELECT alias_no FROM aliases WHERE player_no = {self.player_no}"
            where["player_changes"] = f"""WHERE change NOT IN (SELECT change FROM player_changes
                WHERE player_no = {self.player_no} OR alias_no IN ({own}))"""
            for table in ("masked", "aliases"):
                where[table] += f" AND player_no <> {self.player_no}"
            if self.with_matches:
                where["players"] += f" AND player_no <> {self.player_no}"
        where["match_answers"] = f"WHERE {_OTHER_ANSWERS}"
        where["drafts"] = f"WHERE hash NOT IN {self._draft_hashes(cursor)}"
        where["sheet_mappings"] = f"WHERE fingerprint NOT IN {self._fingerprints(cursor)}"
        where["settings"] = f"WHERE name NOT IN {saved_searches.settings_with_names(cursor, self._names)}"
        tables = cursor.execute(
            "SELECT schema_name, table_name FROM duckdb_tables()"
            " WHERE database_name = current_database() AND NOT temporary ORDER BY ALL"
        ).fetchall()
        for schema, table in tables:
            if (schema, table) in _REBUILT_TABLES:
                continue
            rule = where.get(table, "") if schema == "main" else ""
            columns, values = "*", list[str]()
            if (schema, table) == ("main", "players") and self.player is not None:
                # while copying: DuckDB leaves in the file what an UPDATE replaces
                own = f"CASE WHEN player_no = {self.player_no} THEN $1 ELSE"
                columns = f"* REPLACE ({own} player_id END AS player_id, {own} name END AS name,"
                alias = f"CASE WHEN player_no <> {self.player_no} THEN name_alias_no END"
                columns += f" {alias} AS name_alias_no)"
                values = [self.player.replacement]
            with with_tables(cursor, these=these, removed=removed):
                cursor.execute(
                    f"INSERT INTO fresh.{schema}.{table} BY NAME"
                    f" SELECT {columns} FROM {schema}.{table} {rule}",
                    values,
                )
        if self.player is not None and not self.with_matches:
            first = number(cursor, f"SELECT min(alias_no) FROM aliases WHERE player_no = {self.player_no}")
            shown = self.player.replacement
            row = alias_table([(first, int(self.player_no or 0), shown, shown)])
            with with_tables(cursor, row=row):
                cursor.execute("INSERT INTO fresh.main.aliases BY NAME SELECT * FROM row")
        # it is still the same store: its backups are recognized by these times
        cursor.execute(
            "UPDATE fresh.main.migrations SET applied_at = old.applied_at"
            " FROM main.migrations old WHERE migrations.number = old.number"
        )
        for _, remaining in raw_texts.blocks_without(cursor, touched):
            with with_tables(cursor, remaining=remaining):
                cursor.execute("INSERT INTO fresh.main.raw BY NAME SELECT * FROM remaining")
        cursor.execute("DETACH fresh")

    def _draft_hashes(self, cursor: duckdb.DuckDBPyConnection) -> list[str]:
        """Return the hashes of the drafts that mention the player."""
        whole = text_redactor(self._names)
        found = cursor.execute("SELECT hash, head FROM drafts").fetchall()
        return [str(hash) for hash, head in found if whole.has_name(unescape(head))]

    def _fingerprints(self, cursor: duckdb.DuckDBPyConnection) -> list[str]:
        """Return the fingerprints of sheets of which the mapping holds the player's name."""
        return sheet_mappings.fingerprints_with_names(cursor, self._names)

    @property
    def _names(self) -> Collection[str]:
        """The names of the player to purge; none if matches are purged."""
        return self.player.names if self.player else ()

    def _add_tombstones(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Collect the ids of the removed matches as tombstones."""
        found = cursor.execute(
            "SELECT match_id, log_id FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))",
            [sorted(self.removed)],
        ).fetchall()
        for match, log in found:
            self.tombstones |= {match, match[:8], *([log] if log else [])}
        earlier = cursor.execute("SELECT match_no, replaced_by FROM trash WHERE replaced_by IS NOT NULL")
        self.replaced_by = dict(earlier.fetchall())

    def _file_rows(self, cursor: duckdb.DuckDBPyConnection, touched: list[name_scan.StoredText]) -> pa.Table:
        """Return the files in order, without the name (and its parts, where the player may sit)."""
        files = cursor.execute("FROM files ORDER BY 1").to_arrow_table()
        if self.player is None:
            return files
        own = {row.file_no for row in touched if self.player.is_seated_in(row.text)}
        here, elsewhere = (
            self.player.as_masked_players.redactor_for([self.player.id]),
            self.player.as_masked_players.redactor_for([]),
        )
        names = [
            # a file that brought nothing new may contain any player's matches
            (here if one["file_no"] in own or one["matches"] == one["already_stored"] else elsewhere)(
                one["name"], within=True
            )
            for one in files.to_pylist()
        ]
        return _with_names(files, names)

    def _token_rows(self, cursor: duckdb.DuckDBPyConnection) -> pa.Table:
        """Return the tokens, renamed by number where the name has a whole name of the player.

        A part is not enough, and a pseudonym would not do: admins know the owners of tokens.
        """
        known = cursor.execute("FROM tokens ORDER BY 1").to_arrow_table()
        whole = text_redactor(self._names)
        named = list[str]()
        for one in known.to_pylist():
            hit = whole.has_name(one["name"])
            named.append(f"token {one['token_no']}" if hit else one["name"])
            self.tokens += (named[-1],) if hit else ()
        return _with_names(known, named)

    # rewritten texts

    def _insert_rewritten(
        self, fresh: Store, rows: list[name_scan.StoredText], files: pa.Table, tokens: pa.Table
    ) -> int:
        """Read the texts again without the name; return how many matches the new store has."""
        cursor = fresh.connection
        remaining = [
            row._replace(text=result)
            for row in rows
            if row.match_no not in self.removed
            and (result := self.player.redact(row.text) if self.player else row.text)
        ]
        for row in rows:
            self.tombstones |= {row.match_id, row.match_id[:8]}
        still = batch_rows(fresh.path, [row for row in remaining if row.change is None])
        batches = map_ahead(still, check_stored)

        def renamed() -> Iterator[tuple[StoredBatch, CheckedBatch]]:
            for stored, checked in batches:
                self.new_ids |= zip(stored.match_id, checked.ids, strict=True)
                yield replace(stored, match_id=checked.ids), checked

        self.texts_to_insert = trash.restore_texts(fresh, renamed(), self.own_words)
        in_trash = [row for row in remaining if row.change is not None]
        self._rewrite_trash(fresh, in_trash)
        self.deleted_versions = sum(row.change is not None for row in rows) - len(in_trash)
        there = "SELECT file_no FROM matches UNION SELECT file_no FROM trash"
        alive = {file for (file,) in cursor.execute(there).fetchall()}
        # a file that brought nothing new stays in the list
        was = files.to_pylist()
        left = [one["file_no"] in alive or one["matches"] == one["already_stored"] for one in was]
        fresh.insert_rows("files", files.filter(pa.array(left, pa.bool_())))
        logs = cursor.execute("SELECT log_id FROM matches WHERE log_id IS NOT NULL").fetchall()
        self.tombstones |= {row.log_id for row in rows if row.log_id}
        self.tombstones -= {log for (log,) in logs}
        hashed = [tombstone(self.key, one) for one in sorted(self.tombstones)]
        fresh.insert_rows("purged", pa.table({"address": pa.array(hashed, pa.string())}))
        fresh.insert_rows("tokens", tokens)
        fresh.record_change("purge", len(self.removed) + len(self.texts_to_insert))
        return number(cursor, "SELECT count(*) FROM matches")

    def _rewrite_trash(self, fresh: Store, rows: list[name_scan.StoredText]) -> None:
        left, renamed = iter(rows), dict[str, str]()
        for stored, checked in map_ahead(batch_rows(fresh.path, rows), check_stored):
            every = np.arange(len(checked.ids))
            named = replace(stored, match_id=checked.ids).id_columns(every)
            some = list(islice(left, len(every)))
            renamed |= zip(stored.match_id, checked.ids, strict=True)
            by = (self.replaced_by.get(row.match_no) for row in some)
            change = {
                "change": [row.change for row in some],
                "content_id": checked.content_ids,
                "log_id": pa.array(checked.log_ids(), pa.string()),
                "replaced_by": pa.array([self.new_ids.get(one or "", one) for one in by], pa.string()),
            }
            result = trash_texts([one.text for one in stored.batch.texts])
            fresh.insert_rows("trash", pa.table(named | change | result))
        for old, new in renamed.items():  # versions of versions
            if old != new and old not in self.new_ids:
                fresh.connection.execute("UPDATE trash SET replaced_by = ? WHERE replaced_by = ?", [new, old])


def _with_names(rows: pa.Table, names: list[str]) -> pa.Table:
    return rows.set_column(rows.column_names.index("name"), "name", pa.array(names, pa.string()))


RATING_TABLES = ("ratings", "sheet_ratings")
_REBUILT_TABLES = {("main", table) for table in ("migrations", "files", "tokens", *RATING_TABLES)}
"""Ratings are computed again: ids order matches of the same date, and rewriting changes ids."""


# files


@contextmanager
def _exclusive_file(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the old file once this process no longer reads it, and lock other processes out.

    StoreError: its journal is not empty, so the file is not the whole store.
    """
    with connect(path) as held:  # waits until the last connection is closed
        if not wal.is_wal_empty(path):
            raise StoreError(WAL_NOT_CHECKPOINTED, path=path)
        remove_spill_files(path)
        yield held


def _next_version(cursor: duckdb.DuckDBPyConnection) -> Any:
    """Return values that differ after any change to the store."""
    return cursor.execute(
        "SELECT (SELECT max(change) FROM change_log), (SELECT count(*) FROM files),"
        " (SELECT count(*) FROM audit)"
    ).fetchall()


def _overwrite_with_zeros(file: IO[bytes]) -> None:
    """Overwrite the bytes of a file whose name now belongs to another file."""
    if os.fstat(file.fileno()).st_nlink:
        return  # a hard link: another name still uses this file
    left = os.fstat(file.fileno()).st_size
    while left > 0:
        left -= file.write(bytes(min(backup.CHUNK_BYTES, left)))
    file.flush()
    os.fsync(file.fileno())
