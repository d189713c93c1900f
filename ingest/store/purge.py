"""What is purged is in no byte of the store: a new file without it takes the old one's place.

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
from ingest.redact.free_text import hiding
from ingest.redact.log_text import unescaped
from ingest.store import endgame_rows as worth
from ingest.store import ratings, raw_texts, trash, wal
from ingest.store.backup import BLOCK, becoming, check_settled, clear_spilled, put
from ingest.store.derived_rows import TABLES
from ingest.store.factory import BUSY, Among, Store, StoreError
from ingest.store.ingest_files import ahead
from ingest.store.name_scan import Left, Row, Sought, left_of, rows
from ingest.store.pseudonyms import DIGITS, key_of, known_names
from ingest.store.rows import trash_texts
from ingest.store.stored_texts import batched, check_stored
from ingest.store.tombstones import address
from schemas.migrations import connect, number, with_tables

EXPECTED = N_(
    "Matches that go: {n} · rewritten: {rewritten} · of these, without the player at the table: "
    "{others}"
)
UNSETTLED = N_(
    "The journal of the store {path} cannot be put into it: nothing was purged. Make room on the "
    "disk and try again."
)
TOKENS = N_("Tokens that had the name in theirs are called by their number now: {names}")


class Purged(NamedTuple):
    """What a purge came to."""

    gone: int
    """Matches that are there no more."""
    rewritten: int
    """Matches that tell what they told without the name."""
    pseudonym: str | None = None
    """Whom they tell of instead; nobody knows who that was, the store neither."""
    tokens: tuple[str, ...] = ()
    """What tokens are called now that had the name in theirs."""
    left: Left = Left()
    """What of the name is still there, looked for in the new file."""


class Expected(NamedTuple):
    """What a purge of a player would come to."""

    gone: int
    rewritten: int
    others: int
    """Of these, matches that the player did not sit in."""

    def say(self, t: Translate) -> str:
        """What whoever is asked has to know."""
        return t(EXPECTED, n=self.gone, rewritten=self.rewritten, others=self.others)


def purge_matches(store: Store, chosen: Collection[int]) -> Purged:
    """Purge matches by number, and close the store; nothing else of it is another.

    StoreError: it cannot be done, and nothing was.
    """
    return _Purge(store, set(chosen)).run()


def purge_player(store: Store, player_no: int, with_matches: bool = False) -> Purged:
    """Purge a player, whose matches stay under a pseudonym drawn by lot, and close the store.

    KeyError: the store has no such player. StoreError: it cannot be done, and nothing was.
    """
    player, gone = _chosen(store, player_no, with_matches)
    return _Purge(store, gone, player_no, player, with_matches).run()


def finish(store: Store) -> None:
    """Remove what a purge that was interrupted has left. StoreError: it cannot be done."""
    if not store.in_a_file:  # a file is put in the place of another, or not
        _wiped(store)


def _wiped(store: Store, act: Callable[[], int] = lambda: 0) -> int:
    """What an act says, done while no other program writes to a lake, and then wiped away."""
    from ingest.store.lake import compaction
    from ingest.store.lake.store import LakeStore

    assert isinstance(store, LakeStore)
    with store.told(), compaction.alone(store):
        found = act()
        compaction.wipe(store)
    return found


def expected(store: Store, player_no: int, with_matches: bool = False) -> Expected:
    """What purging a player would come to; nothing is done. KeyError: there is no such player."""
    player, gone = _chosen(store, player_no, with_matches)
    going = rewritten = others = 0
    for row in _touched(store.cursor(), gone, player, with_matches):
        if row.change is None:
            stays = row.match_no not in gone and bool(player.without(row.text))
            going, rewritten = going + (not stays), rewritten + stays
            others += not player.sits(row.text)
    return Expected(going, rewritten, others)


def _chosen(store: Store, player_no: int, with_matches: bool) -> tuple[Sought, set[int]]:
    """A player under a pseudonym drawn by lot, and the matches that go too."""
    player, name = known_names(store)[player_no]
    ask = store.cursor().execute("SELECT match_no FROM seats WHERE player_no = ?", [player_no])
    told = f"Joueur {secrets.token_hex(DIGITS // 2)}"
    gone = {int(number) for (number,) in ask.fetchall()} if with_matches else set()
    return Sought(player, name, told), gone


def _touched(
    ask: duckdb.DuckDBPyConnection, gone: set[int], player: Sought | None, with_matches: bool
) -> Iterator[Row]:
    """The texts that do not stay as they are, as they were; those of the trash join `gone`."""
    if player is not None:
        player.learn(ask)
    for row in rows(ask):
        if player is not None and with_matches and player.sits(row.text):
            gone.add(row.match_no)
        if row.match_no in gone or (player and player.without(row.text) != row.text):
            yield row


@dataclass
class _Purge:
    """One purge: what is gone, and who is somebody else."""

    store: Store
    gone: set[int]
    player_no: int | None = None
    player: Sought | None = None
    with_matches: bool = False

    def __post_init__(self) -> None:
        self.key = key_of(self.store)
        self.addresses = {self.player.id} - {""} if self.player else set[str]()
        self.tokens, self.left = tuple[str, ...](), Left()
        self.own = set[str]()  # of a lake: the ids of what was touched
        self.again = list[str]()  # those it came again by

    def run(self) -> Purged:
        if not self.store.in_a_file:
            # where it lies; then what held it is removed. Away: half of that may be done
            gone = _wiped(self.store, self._in_place)
            if self.player is not None:
                self.left = left_of(self.store.cursor(), self.player.names)
            return self._purged(gone)
        path = Path(self.store.path).resolve()
        with becoming(path) as part:
            with self.store.told(), self.store.still() as (_, ask):
                Store(part).close()
                os.chmod(part, stat.S_IMODE(path.stat().st_mode))
                known = number(ask, "SELECT count(*) FROM matches")
                rows = list(_touched(ask, self.gone, self.player, self.with_matches))
                self._copy(ask, part, {row.match_no for row in rows})
                files, tokens = self._files(ask, rows), self._tokens(ask)
                version = _version(ask)
                ask.close()
                with Store(part) as fresh:
                    with fresh.adding():
                        first = int(max(files["file_no"].to_pylist(), default=-1)) + 1
                        fresh.connection.execute(
                            f"CREATE OR REPLACE SEQUENCE file_numbers MINVALUE 0 START {first}"
                        )
                        left = self._insert(fresh, rows, files, tokens)
                    if not self.store.shared:  # else the server rates in its background
                        ratings.refresh(fresh)
                    if self.player is not None:
                        self.left = left_of(fresh.cursor(), self.player.names)
            check_settled(part)
            self.store.close()
            with path.open("r+b") as old:
                with self.store.told(), _alone(path) as held:
                    if _version(held) != version:
                        raise StoreError(BUSY, path=path, pid="")
                    put(part, path)
                _wipe(old)
        return self._purged(known - left)

    def _purged(self, gone: int) -> Purged:
        kept = None if self.with_matches or self.player is None else self.player.told
        return Purged(gone, len(self.again), kept, self.tokens, self.left)

    # in a lake, whose files are not one

    def _in_place(self) -> int:
        """Everything that is touched goes, what stays of it comes again; how many are gone."""
        ask = self.store.cursor()
        known = number(ask, "SELECT count(*) FROM matches")
        rows = list(_touched(ask, self.gone, self.player, self.with_matches))
        touched = sorted({row.match_no for row in rows})
        these = pa.table({"match_no": pa.array(touched, pa.int64())})
        with self.store.adding(among=Among.ALONE):
            write = self.store.connection
            self._remember(ask)
            files, tokens = self._files(ask, rows), self._tokens(ask)
            sat = ask.execute(
                "SELECT DISTINCT player_no FROM seats WHERE list_contains(?::BIGINT[], match_no)",
                [touched],
            ).fetchall()
            raw_texts.remove(write, touched)
            with with_tables(write, these=these):
                for table in (*TABLES, *worth.TABLES, "trash"):
                    write.execute(f"DELETE FROM {table} WHERE match_no IN (FROM these)")
            for table in ("files", "tokens", *LADDERS):
                write.execute(f"DELETE FROM {table}")
            write.execute(f"DELETE FROM drafts WHERE hash IN {self._drafts(ask)}")
            self.own = {row.match_id for row in rows if row.change is None}
            left = self._insert(self.store, rows, files, tokens)
            gone = write.execute(
                """SELECT player_no FROM players WHERE player_no = ? OR (
                       player_no NOT IN (SELECT player_no FROM seats)
                       AND player_no IN (SELECT unnest(?::BIGINT[])))""",
                [self.player_no, [number for (number,) in sat]],
            ).fetchall()
            alone = [int(one) for (one,) in gone]
            for table in ("players", "masked"):
                write.execute(f"DELETE FROM {table} WHERE list_contains(?, player_no)", [alone])
            self.store.free(sorted(self.own - {*self.again}), alone)
        return known - left

    # what stays as it is

    def _copy(self, ask: duckdb.DuckDBPyConnection, part: Path, touched: Collection[int]) -> None:
        """Everything else, into the new file."""
        these = pa.table({"match_no": pa.array(sorted(touched), pa.int64())})
        gone = pa.table({"match_no": pa.array(sorted(self.gone), pa.int64())})
        self._remember(ask)
        there = str(part).replace("'", "''")
        ask.execute(f"ATTACH '{there}' AS fresh")
        untouched = "WHERE match_no NOT IN (FROM these)"
        # who sat at a table that is gone, and at no other
        left = """WHERE player_no NOT IN (SELECT player_no FROM seats
                      WHERE match_no IN (FROM gone) AND player_no NOT IN (
                          SELECT player_no FROM seats WHERE match_no NOT IN (FROM gone)))"""
        where = dict.fromkeys((*TABLES, *worth.TABLES, "trash"), untouched)
        # of a block that has one of them no byte is copied
        where["raw"] = """WHERE block NOT IN (
            SELECT block FROM raw WHERE match_no IN (FROM these))"""
        where |= {"players": left, "masked": left}
        if self.player_no is not None:
            where["masked"] += f" AND player_no <> {self.player_no}"
            if self.with_matches:
                where["players"] += f" AND player_no <> {self.player_no}"
        where["drafts"] = f"WHERE hash NOT IN {self._drafts(ask)}"
        tables = ask.execute(
            "SELECT schema_name, table_name FROM duckdb_tables()"
            " WHERE database_name = current_database() AND NOT temporary ORDER BY ALL"
        ).fetchall()
        for schema, table in tables:
            if (schema, table) in _MADE_ANEW:
                continue
            rule = where.get(table, "") if schema == "main" else ""
            columns, values = "*", list[str]()
            if (schema, table) == ("main", "players") and self.player is not None:
                # at once: what an update replaces stays in the file
                own = f"CASE WHEN player_no = {self.player_no} THEN $1 ELSE"
                columns = f"* REPLACE ({own} player_id END AS player_id, {own} name END AS name)"
                values = [self.player.told]
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
        for _, kept in raw_texts.without(ask, touched):
            with with_tables(ask, kept=kept):
                ask.execute("INSERT INTO fresh.main.raw BY NAME SELECT * FROM kept")
        ask.execute("DETACH fresh")

    def _drafts(self, ask: duckdb.DuckDBPyConnection) -> list[str]:
        """The drafts that name the player, by their hashes, as SQL has a list of them."""
        whole = hiding(self.player.names if self.player else ())
        found = ask.execute("SELECT hash, head FROM drafts").fetchall()
        return [str(hash) for hash, head in found if whole.finds(unescaped(head))]

    def _remember(self, ask: duckdb.DuckDBPyConnection) -> None:
        """The addresses of the matches that are gone."""
        found = ask.execute(
            "SELECT match_id, log_id FROM matches WHERE match_no IN (SELECT unnest(?::BIGINT[]))",
            [sorted(self.gone)],
        ).fetchall()
        for match, log in found:
            self.addresses |= {match, match[:8], *([log] if log else [])}

    def _files(self, ask: duckdb.DuckDBPyConnection, touched: list[Row]) -> pa.Table:
        """The files, in order, without the name; one the player may be in, without any part."""
        files = ask.execute("FROM files ORDER BY 1").to_arrow_table()
        if self.player is None:
            return files
        own = {row.file_no for row in touched if self.player.sits(row.text)}
        here, elsewhere = self.player.people.hide([self.player.id]), self.player.people.hide([])
        names = [
            # one of which nothing was new may have anybody's matches
            (here if one["file_no"] in own or one["matches"] == one["duplicates"] else elsewhere)(
                one["name"], within=True
            )
            for one in files.to_pylist()
        ]
        return _with_names(files, names)

    def _tokens(self, ask: duckdb.DuckDBPyConnection) -> pa.Table:
        """The tokens; one that has a whole name in its own is called by its number.

        A part is not enough, and not by the pseudonym: a token is somebody whom admins know.
        """
        known = ask.execute("FROM tokens ORDER BY 1").to_arrow_table()
        whole = hiding(self.player.names if self.player else ())
        named = list[str]()
        for one in known.to_pylist():
            hit = whole.finds(one["name"])
            named.append(f"token {one['token_no']}" if hit else one["name"])
            self.tokens += (named[-1],) if hit else ()
        return _with_names(known, named)

    # what is said otherwise

    def _insert(self, fresh: Store, rows: list[Row], files: pa.Table, tokens: pa.Table) -> int:
        """The texts without the name, read again; how many matches there are then."""
        ask = fresh.connection
        kept = [
            row._replace(text=told)
            for row in rows
            if row.match_no not in self.gone
            and (told := self.player.without(row.text) if self.player else row.text)
        ]
        for row in rows:
            self.addresses |= {row.match_id, row.match_id[:8]}
        still = batched(fresh.path, [row for row in kept if row.change is None])
        judged = ahead(still, check_stored)
        named = ((replace(stored, match_id=checked.ids), checked) for stored, checked in judged)
        self.again = trash.bring_back(fresh, named, self.own)
        self._throw(fresh, [row for row in kept if row.change is not None])
        there = "SELECT file_no FROM matches UNION SELECT file_no FROM trash"
        alive = {file for (file,) in ask.execute(there).fetchall()}
        # one of which nothing was new is still told
        left = [
            one["file_no"] in alive or one["matches"] == one["duplicates"]
            for one in files.to_pylist()
        ]
        fresh.insert("files", files.filter(pa.array(left, pa.bool_())))
        logs = ask.execute("SELECT log_id FROM matches WHERE log_id IS NOT NULL").fetchall()
        self.addresses |= {row.log_id for row in rows if row.log_id}
        self.addresses -= {log for (log,) in logs}
        hashed = [address(self.key, one) for one in sorted(self.addresses)]
        fresh.insert("purged", pa.table({"address": pa.array(hashed, pa.string())}))
        fresh.insert("tokens", tokens)
        fresh.change("purge", len(self.gone) + len(self.again))
        return number(ask, "SELECT count(*) FROM matches")

    def _throw(self, fresh: Store, rows: list[Row]) -> None:
        left = iter(rows)
        for stored, checked in ahead(batched(fresh.path, rows), check_stored):
            every = np.arange(len(checked.ids))
            named = replace(stored, match_id=checked.ids).names(every)
            change = {"change": [row.change for row in islice(left, len(every))]}
            told = trash_texts([one.text for one in stored.batch.texts])
            fresh.insert("trash", pa.table(named | change | told))


def _with_names(rows: pa.Table, names: list[str]) -> pa.Table:
    return rows.set_column(rows.column_names.index("name"), "name", pa.array(names, pa.string()))


LADDERS = ("ratings", "sheet_ratings")
_MADE_ANEW = {("main", table) for table in ("migrations", "files", "tokens", *LADDERS)}
"""Ladders are rated anew: among equal dates ids decide, now others."""


# files


@contextmanager
def _alone(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The old file, once nobody of this process reads it, while no other process may open it.

    StoreError: there is still something in its journal, which belongs to it alone.
    """
    with connect(path) as held:  # not opened before the last one is gone
        if not wal.is_empty(path):
            raise StoreError(UNSETTLED, path=path)
        clear_spilled(path)
        yield held


def _version(ask: duckdb.DuckDBPyConnection) -> Any:
    """Another one after whatever was done to a store."""
    return ask.execute(
        "SELECT (SELECT max(change) FROM changes), (SELECT count(*) FROM files),"
        " (SELECT count(*) FROM audit)"
    ).fetchall()


def _wipe(old: IO[bytes]) -> None:
    """Put nothing over the bytes of a file that has lost its name."""
    if os.fstat(old.fileno()).st_nlink:
        return  # it has another name, and somebody keeps it under that
    left = os.fstat(old.fileno()).st_size
    while left > 0:
        left -= old.write(bytes(min(BLOCK, left)))
    old.flush()
    os.fsync(old.fileno())
