"""Permanently deletes by rewriting the store file.

DuckDB leaves what was deleted in the blocks that are free, so nothing is deleted: what stays is
copied, row by row, and what has to be said otherwise is read again by the road of every log. The
new file is moved into place when it is whole; until then the old one is untouched.
"""

import os
import secrets
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from ingest.i18n import N_, Translate
from ingest.redact.free_text import text_redactor
from ingest.redact.log_text import unescape
from ingest.store import endgame_rows as worth
from ingest.store import ratings, raw_texts, trash, wal
from ingest.store.backup import (
    CHUNK_BYTES,
    check_checkpointed,
    remove_spill_files,
    replace_durably,
    temporary_sibling,
)
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import STORE_IN_USE, LockMode, Store, StoreError
from ingest.store.ingest_files import map_ahead
from ingest.store.name_scan import (
    NameMatcher,
    RemainingMentions,
    StoredText,
    remaining_mentions,
    stored_texts,
)
from ingest.store.pseudonyms import PSEUDONYM_DIGITS, known_names, pseudonym_key
from ingest.store.rows import trash_texts
from ingest.store.stored_texts import batch_rows, check_stored
from ingest.store.tombstones import tombstone
from schemas.migrations import connect, number, with_tables

PURGE_PREVIEW = N_(
    "Matches that go: {n} · rewritten: {rewritten} · of these, without the player at the table: "
    "{others}"
)
WAL_NOT_CHECKPOINTED = N_(
    "The journal of the store {path} cannot be put into it: nothing was purged. Make room on the "
    "disk and try again."
)
TOKENS_RENAMED = N_("Tokens that had the name in theirs are called by their number now: {names}")


class PurgeResult(NamedTuple):
    """What a purge came to."""

    deleted_matches: int
    """Matches that are there no more."""
    rewritten_matches: int
    """Matches that tell what they told without the name."""
    pseudonym: str | None = None
    """Whom they tell of instead; nobody knows who that was, the store neither."""
    tokens: tuple[str, ...] = ()
    """What tokens are called now that had the name in theirs."""
    remaining: RemainingMentions = RemainingMentions()
    """What of the name is still there, looked for in the new file."""


class PurgePreview(NamedTuple):
    """What a purge of a player would come to."""

    gone: int
    rewritten: int
    others: int
    """Of these, matches that the player did not sit in."""

    def say(self, t: Translate) -> str:
        """What whoever is asked has to know."""
        return t(PURGE_PREVIEW, n=self.gone, rewritten=self.rewritten, others=self.others)


def purge_matches(store: Store, match_numbers: Collection[int]) -> PurgeResult:
    """Purge matches by number, and close the store; nothing else of it is another.

    StoreError: it cannot be done, and nothing was.
    """
    return _Purge(store, set(match_numbers)).run()


def purge_player(store: Store, player_no: int, with_matches: bool = False) -> PurgeResult:
    """Purge a player, whose matches stay under a pseudonym drawn by lot, and close the store.

    KeyError: the store has no such player. StoreError: it cannot be done, and nothing was.
    """
    player, gone = _purge_target(store, player_no, with_matches)
    return _Purge(store, gone, player_no, player, with_matches).run()


def finish_purge(store: Store) -> None:
    """Remove what a purge that was interrupted has left. StoreError: it cannot be done."""
    if not store.is_single_file:  # a file is put in the place of another, or not
        _with_hard_delete(store)


def _with_hard_delete(store: Store, action: Callable[[], int] = lambda: 0) -> int:
    """What an act says, done while no other program writes to a lake, and then wiped away."""
    from ingest.store.lake import compaction
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    with store.translate_errors(), compaction.exclusive_access(store):
        found = action()
        compaction.hard_delete(store)
    return found


def preview_purge(store: Store, player_no: int, with_matches: bool = False) -> PurgePreview:
    """What purging a player would come to; nothing is done. KeyError: there is no such player."""
    player, gone = _purge_target(store, player_no, with_matches)
    going = rewritten = others = 0
    for row in _affected_texts(store.cursor(), gone, player, with_matches):
        if row.change is None:
            stays = row.match_no not in gone and bool(player.redact(row.text))
            going, rewritten = going + (not stays), rewritten + stays
            others += not player.is_seated_in(row.text)
    return PurgePreview(going, rewritten, others)


def _purge_target(store: Store, player_no: int, with_matches: bool) -> tuple[NameMatcher, set[int]]:
    """A player under a pseudonym drawn by lot, and the matches that go too."""
    player, name = known_names(store)[player_no]
    ask = store.cursor().execute("SELECT match_no FROM seats WHERE player_no = ?", [player_no])
    told = f"Joueur {secrets.token_hex(PSEUDONYM_DIGITS // 2)}"
    gone = {int(number) for (number,) in ask.fetchall()} if with_matches else set()
    return NameMatcher(player, name, told), gone


def _affected_texts(
    ask: duckdb.DuckDBPyConnection, gone: set[int], player: NameMatcher | None, with_matches: bool
) -> Iterator[StoredText]:
    """The texts that do not stay as they are, as they were; those of the trash join `gone`."""
    if player is not None:
        player.collect_names(ask)
    for row in stored_texts(ask):
        if player is not None and with_matches and player.is_seated_in(row.text):
            gone.add(row.match_no)
        if row.match_no in gone or (player and player.redact(row.text) != row.text):
            yield row


@dataclass
class _Purge:
    """One purge: what is gone, and who is somebody else."""

    store: Store
    removed: set[int]
    player_no: int | None = None
    player: NameMatcher | None = None
    with_matches: bool = False

    def __post_init__(self) -> None:
        self.key = pseudonym_key(self.store)
        self.tombstones = {self.player.id} - {""} if self.player else set[str]()
        self.tokens, self.remaining = tuple[str, ...](), RemainingMentions()
        self.own_words = set[str]()  # of a lake: the ids of what was touched
        self.texts_to_insert = list[str]()  # those it came again by

    def run(self) -> PurgeResult:
        if not self.store.is_single_file:
            # where it lies; then what held it is removed. Away: half of that may be done
            gone = _with_hard_delete(self.store, self._purge_in_place)
            if self.player is not None:
                self.remaining = remaining_mentions(self.store.cursor(), self.player.names)
            return self._result(gone)
        path = Path(self.store.path).resolve()
        with temporary_sibling(path) as part:
            with self.store.translate_errors(), self.store.frozen() as (_, ask):
                Store(part).close()
                os.chmod(part, stat.S_IMODE(path.stat().st_mode))
                known = number(ask, "SELECT count(*) FROM matches")
                rows = list(_affected_texts(ask, self.removed, self.player, self.with_matches))
                self._copy_rest(ask, part, {row.match_no for row in rows})
                files, tokens = self._file_rows(ask, rows), self._token_rows(ask)
                version = _next_version(ask)
                ask.close()
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
                        self.remaining = remaining_mentions(fresh.cursor(), self.player.names)
            check_checkpointed(part)
            self.store.close()
            with path.open("r+b") as old:
                with self.store.translate_errors(), _exclusive_file(path) as held:
                    if _next_version(held) != version:
                        raise StoreError(STORE_IN_USE, path=path, pid="")
                    replace_durably(part, path)
                _overwrite_with_zeros(old)
        return self._result(known - left)

    def _result(self, gone: int) -> PurgeResult:
        kept = None if self.with_matches or self.player is None else self.player.replacement
        return PurgeResult(gone, len(self.texts_to_insert), kept, self.tokens, self.remaining)

    # in a lake, whose files are not one

    def _purge_in_place(self) -> int:
        """Everything that is touched goes, what stays of it comes again; how many are gone."""
        ask = self.store.cursor()
        known = number(ask, "SELECT count(*) FROM matches")
        rows = list(_affected_texts(ask, self.removed, self.player, self.with_matches))
        touched = sorted({row.match_no for row in rows})
        these = pa.table({"match_no": pa.array(touched, pa.int64())})
        with self.store.transaction(lock_mode=LockMode.EXCLUSIVE):
            write = self.store.connection
            self._add_tombstones(ask)
            files, tokens = self._file_rows(ask, rows), self._token_rows(ask)
            sat = ask.execute(
                "SELECT DISTINCT player_no FROM seats WHERE list_contains(?::BIGINT[], match_no)",
                [touched],
            ).fetchall()
            raw_texts.remove_texts(write, touched)
            with with_tables(write, these=these):
                for table in (*DERIVED_TABLES, *worth.VALUE_TABLES, "trash"):
                    write.execute(f"DELETE FROM {table} WHERE match_no IN (FROM these)")
            for table in ("files", "tokens", *RATING_TABLES):
                write.execute(f"DELETE FROM {table}")
            write.execute(f"DELETE FROM drafts WHERE hash IN {self._draft_hashes(ask)}")
            self.own_words = {row.match_id for row in rows if row.change is None}
            left = self._insert_rewritten(self.store, rows, files, tokens)
            gone = write.execute(
                """SELECT player_no FROM players WHERE player_no = ? OR (
                       player_no NOT IN (SELECT player_no FROM seats)
                       AND player_no IN (SELECT unnest(?::BIGINT[])))""",
                [self.player_no, [number for (number,) in sat]],
            ).fetchall()
            alone = [int(one) for (one,) in gone]
            for table in ("players", "masked"):
                write.execute(f"DELETE FROM {table} WHERE list_contains(?, player_no)", [alone])
            self.store.release_claims(sorted(self.own_words - {*self.texts_to_insert}), alone)
        return known - left

    # what stays as it is

    def _copy_rest(
        self, ask: duckdb.DuckDBPyConnection, part: Path, touched: Collection[int]
    ) -> None:
        """Everything else, into the new file."""
        these = pa.table({"match_no": pa.array(sorted(touched), pa.int64())})
        gone = pa.table({"match_no": pa.array(sorted(self.removed), pa.int64())})
        self._add_tombstones(ask)
        there = str(part).replace("'", "''")
        ask.execute(f"ATTACH '{there}' AS fresh")
        untouched = "WHERE match_no NOT IN (FROM these)"
        # who sat at a table that is gone, and at no other
        left = """WHERE player_no NOT IN (SELECT player_no FROM seats
                      WHERE match_no IN (FROM gone) AND player_no NOT IN (
                          SELECT player_no FROM seats WHERE match_no NOT IN (FROM gone)))"""
        where = dict.fromkeys((*DERIVED_TABLES, *worth.VALUE_TABLES, "trash"), untouched)
        # of a block that has one of them no byte is copied
        where["raw"] = """WHERE block NOT IN (
            SELECT block FROM raw WHERE match_no IN (FROM these))"""
        where |= {"players": left, "masked": left}
        if self.player_no is not None:
            where["masked"] += f" AND player_no <> {self.player_no}"
            if self.with_matches:
                where["players"] += f" AND player_no <> {self.player_no}"
        where["drafts"] = f"WHERE hash NOT IN {self._draft_hashes(ask)}"
        tables = ask.execute(
            "SELECT schema_name, table_name FROM duckdb_tables()"
            " WHERE database_name = current_database() AND NOT temporary ORDER BY ALL"
        ).fetchall()
        for schema, table in tables:
            if (schema, table) in _REBUILT_TABLES:
                continue
            rule = where.get(table, "") if schema == "main" else ""
            columns, values = "*", list[str]()
            if (schema, table) == ("main", "players") and self.player is not None:
                # at once: what an update replaces stays in the file
                own = f"CASE WHEN player_no = {self.player_no} THEN $1 ELSE"
                columns = f"* REPLACE ({own} player_id END AS player_id, {own} name END AS name)"
                values = [self.player.replacement]
            with with_tables(ask, these=these, gone=gone):
                ask.execute(
                    f"INSERT INTO fresh.{schema}.{table} BY NAME"
                    f" SELECT {columns} FROM {schema}.{table} {rule}",
                    values,
                )
        # it is the same store: by when it was made its backups are known
        ask.execute(
            "UPDATE fresh.main.migrations SET applied_at = old.applied_at"
            " FROM main.migrations old WHERE migrations.number = old.number"
        )
        for _, kept in raw_texts.blocks_without(ask, touched):
            with with_tables(ask, kept=kept):
                ask.execute("INSERT INTO fresh.main.raw BY NAME SELECT * FROM kept")
        ask.execute("DETACH fresh")

    def _draft_hashes(self, ask: duckdb.DuckDBPyConnection) -> list[str]:
        """The drafts that name the player, by their hashes, as SQL has a list of them."""
        whole = text_redactor(self.player.names if self.player else ())
        found = ask.execute("SELECT hash, head FROM drafts").fetchall()
        return [str(hash) for hash, head in found if whole.has_name(unescape(head))]

    def _add_tombstones(self, ask: duckdb.DuckDBPyConnection) -> None:
        """The addresses of the matches that are gone."""
        found = ask.execute(
            "SELECT match_id, log_id FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))",
            [sorted(self.removed)],
        ).fetchall()
        for match, log in found:
            self.tombstones |= {match, match[:8], *([log] if log else [])}

    def _file_rows(self, ask: duckdb.DuckDBPyConnection, touched: list[StoredText]) -> pa.Table:
        """The files, in order, without the name; one the player may be in, without any part."""
        files = ask.execute("FROM files ORDER BY 1").to_arrow_table()
        if self.player is None:
            return files
        own = {row.file_no for row in touched if self.player.is_seated_in(row.text)}
        here, elsewhere = (
            self.player.as_masked_players.redactor_for([self.player.id]),
            self.player.as_masked_players.redactor_for([]),
        )
        names = [
            # one of which nothing was new may have anybody's matches
            (here if one["file_no"] in own or one["matches"] == one["duplicates"] else elsewhere)(
                one["name"], within=True
            )
            for one in files.to_pylist()
        ]
        return _with_names(files, names)

    def _token_rows(self, ask: duckdb.DuckDBPyConnection) -> pa.Table:
        """The tokens; one that has a whole name in its own is called by its number.

        A part is not enough, and not by the pseudonym: a token is somebody whom admins know.
        """
        known = ask.execute("FROM tokens ORDER BY 1").to_arrow_table()
        whole = text_redactor(self.player.names if self.player else ())
        named = list[str]()
        for one in known.to_pylist():
            hit = whole.has_name(one["name"])
            named.append(f"token {one['token_no']}" if hit else one["name"])
            self.tokens += (named[-1],) if hit else ()
        return _with_names(known, named)

    # what is said otherwise

    def _insert_rewritten(
        self, fresh: Store, rows: list[StoredText], files: pa.Table, tokens: pa.Table
    ) -> int:
        """The texts without the name, read again; how many matches there are then."""
        ask = fresh.connection
        kept = [
            row._replace(text=told)
            for row in rows
            if row.match_no not in self.removed
            and (told := self.player.redact(row.text) if self.player else row.text)
        ]
        for row in rows:
            self.tombstones |= {row.match_id, row.match_id[:8]}
        still = batch_rows(fresh.path, [row for row in kept if row.change is None])
        judged = map_ahead(still, check_stored)
        named = ((replace(stored, match_id=checked.ids), checked) for stored, checked in judged)
        self.texts_to_insert = trash.restore_texts(fresh, named, self.own_words)
        self._rewrite_trash(fresh, [row for row in kept if row.change is not None])
        there = "SELECT file_no FROM matches UNION SELECT file_no FROM trash"
        alive = {file for (file,) in ask.execute(there).fetchall()}
        # one of which nothing was new is still told
        left = [
            one["file_no"] in alive or one["matches"] == one["duplicates"]
            for one in files.to_pylist()
        ]
        fresh.insert_rows("files", files.filter(pa.array(left, pa.bool_())))
        logs = ask.execute("SELECT log_id FROM matches WHERE log_id IS NOT NULL").fetchall()
        self.tombstones |= {row.log_id for row in rows if row.log_id}
        self.tombstones -= {log for (log,) in logs}
        hashed = [tombstone(self.key, one) for one in sorted(self.tombstones)]
        fresh.insert_rows("purged", pa.table({"address": pa.array(hashed, pa.string())}))
        fresh.insert_rows("tokens", tokens)
        fresh.record_change("purge", len(self.removed) + len(self.texts_to_insert))
        return number(ask, "SELECT count(*) FROM matches")

    def _rewrite_trash(self, fresh: Store, rows: list[StoredText]) -> None:
        left = iter(rows)
        for stored, checked in map_ahead(batch_rows(fresh.path, rows), check_stored):
            every = np.arange(len(checked.ids))
            named = replace(stored, match_id=checked.ids).id_columns(every)
            change = {"change": [row.change for row in islice(left, len(every))]}
            told = trash_texts([one.text for one in stored.batch.texts])
            fresh.insert_rows("trash", pa.table(named | change | told))


def _with_names(rows: pa.Table, names: list[str]) -> pa.Table:
    return rows.set_column(rows.column_names.index("name"), "name", pa.array(names, pa.string()))


RATING_TABLES = ("ratings", "sheet_ratings")
_REBUILT_TABLES = {("main", table) for table in ("migrations", "files", "tokens", *RATING_TABLES)}
"""Ladders are rated anew: among equal dates ids decide, now others."""


# files


@contextmanager
def _exclusive_file(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The old file, once nobody of this process reads it, while no other process may open it.

    StoreError: there is still something in its journal, which belongs to it alone.
    """
    with connect(path) as held:  # not opened before the last one is gone
        if not wal.is_wal_empty(path):
            raise StoreError(WAL_NOT_CHECKPOINTED, path=path)
        remove_spill_files(path)
        yield held


def _next_version(ask: duckdb.DuckDBPyConnection) -> Any:
    """Another one after whatever was done to a store."""
    return ask.execute(
        "SELECT (SELECT max(change) FROM changes), (SELECT count(*) FROM files),"
        " (SELECT count(*) FROM audit)"
    ).fetchall()


def _overwrite_with_zeros(file: IO[bytes]) -> None:
    """Put nothing over the bytes of a file that has lost its name."""
    if os.fstat(file.fileno()).st_nlink:
        return  # it has another name, and somebody keeps it under that
    left = os.fstat(file.fileno()).st_size
    while left > 0:
        left -= file.write(bytes(min(CHUNK_BYTES, left)))
    file.flush()
    os.fsync(file.fileno())
