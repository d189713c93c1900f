"""Copies matches from store to store in batches.

Matches go some thousand in a transaction, as rows of columns: nothing is judged again. A match is
known by the hash of its content, a file by its name and the moment it came, so a copy that was
ended goes on where it was, and the same twice adds nothing. Numbers are the other store's own.

People, files, deletions, drafts and who did what go along. Of programs the tokens go, as hashes,
where the other store has none and has not said who may read. Sign-ins hold at one store alone, and
programs are told of new matches by one. Ladders and simulated deals are made anew.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

import duckdb
import numpy as np
import orjson
import pyarrow as pa

from ingest.i18n import N_
from ingest.redact.log_text import players_with_id
from ingest.store import endgame_rows, raw_texts, webhooks
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store, StoreError
from ingest.store.pseudonyms import PLAYERS, is_masked, pseudonym
from ingest.store.tombstones import purged_ids, still_gone
from schemas import compressed_blocks
from schemas.migrations import with_tables

MATCHES_PER_BLOCK = 1 << 13
"""Matches whose rows are in memory together, and stored in one transaction."""
COPIED_TABLES = (*DERIVED_TABLES, *endgame_rows.VALUE_TABLES)
"""Tables with rows of a match, by its number."""
SOURCE_NOT_CONSISTENT = N_("The store {path} is not whole. See: retourne verify {path!w}")

T = TypeVar("T")
Connection = duckdb.DuckDBPyConnection


@dataclass(slots=True)
class CopyResult:
    """What a copy came to, this time."""

    added: int = 0
    known: int = 0
    """Matches that were there already."""
    purged: int = 0
    """Left out, deleted ones too: the match was purged there, or somebody who sits in it."""
    deleted: int = 0
    """Of the trash."""
    masked: int = 0
    """Players who were not, there."""
    drafts: int = 0
    access: bool | None = None
    """Tokens and who may read are the same in both; None: there is nothing of that."""
    same_key: bool = True
    """A player has the same pseudonym in both."""


def copy_store(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> CopyResult:
    """Add what one store has to another; `progress` hears how many matches have been looked at.

    StoreError: one of them cannot be read or written; what was done is there, and is known again.
    """
    came = CopyResult()
    # so that no match is there before who may read it is decided, and who is masked is
    came.same_key, came.access = _copy_access_and_key(source, target)
    came.masked = _copy_masks(source, target)
    done = 0
    for low, high in block_ranges(source):
        query = "SELECT match_no, match_id FROM matches WHERE match_no BETWEEN ? AND ? ORDER BY 1"
        numbers, ids = query_table(source, query, [low, high]).to_pydict().values()
        known = stored_among(target, ids)
        came.known += len(known)
        if new := [no for no, one in zip(numbers, ids, strict=True) if one not in known]:
            block = read_block(source, new)
            left_out = purged_in_target(target, block)
            came.purged += len(left_out)
            added = target.written(lambda: _add_block(target, block, left_out))  # noqa: B023
            came.added += added
            came.known += len(block.match_ids) - len(left_out) - added
        done += len(ids)
        progress(done)
    came.masked += _copy_masks(source, target)  # who was meanwhile
    drafts = query_table(source, "FROM drafts")
    files = query_table(source, "FROM files ORDER BY 1")  # of which no match is there, too
    target.written(lambda: _target_file_numbers(target, files))
    _copy_trash(source, target, came)
    came.drafts = target.written(lambda: _insert_missing(target, drafts, "drafts", "hash"))
    if came.access:
        _copy_audit_log(source, target)
    return came


# how stores are asked


def read_consistently(store: Store, read: Callable[[Connection], T]) -> T:
    """What is read of a store as it is at one moment, once it lets itself be read."""

    def act() -> T:
        with store.translate_errors():
            return store.read_consistently(read)

    return store.run_with_retry(act)


def query_table(store: Store, query: str, values: Sequence[object] = ()) -> pa.Table:
    """What a query says, likewise."""
    return read_consistently(store, lambda ask: ask.execute(query, list(values)).to_arrow_table())


def stored_among(store: Store, ids: Sequence[str]) -> set[str]:
    """Those of some matches that a store has, by their hashes."""
    query = "SELECT match_id FROM matches WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
    return set(query_table(store, query, [ids])["match_id"].to_pylist())


def block_ranges(store: Store) -> Iterator[tuple[int, int]]:
    """The first and the last number of some thousand matches after the other."""
    ends = query_table(store, "SELECT min(match_no), max(match_no) FROM matches")
    [first], [last] = ends.to_pydict().values()
    if first is not None:
        for low in range(first, last + 1, MATCHES_PER_BLOCK):
            yield low, low + MATCHES_PER_BLOCK - 1


def _rows_not_there(ask: Connection, rows: pa.Table, there: str, *keys: str) -> pa.Table:
    """The rows whose keys none has that is there."""
    with with_tables(ask, theirs=rows):
        query = f"FROM theirs ANTI JOIN {there} USING ({', '.join(keys)})"
        return ask.execute(query).to_arrow_table()


def _insert_missing(target: Store, rows: pa.Table, table: str, key: str) -> int:
    """Add those of them to a table; how many."""
    new = _rows_not_there(target.connection, rows, table, key)
    target.insert_rows(table, new)
    return int(new.num_rows)


# matches


class MatchBlock(NamedTuple):
    """Some matches of a store, in the order of their numbers, with all that belongs to them."""

    match_numbers: list[int]
    match_ids: list[str]
    rows: dict[str, pa.Table]
    """Of each table of ROWS."""
    texts: list[bytes]
    files: pa.Table
    people: pa.Table
    """Number, true id and name."""


def read_block(store: Store, numbers: Sequence[int]) -> MatchBlock:
    """Matches by their numbers, but for those that are there no more.

    StoreError: a text or a file of one is missing.
    """
    chosen = pa.table({"match_no": pa.array(numbers, pa.int64())})
    these = f"match_no BETWEEN {min(numbers)} AND {max(numbers)} AND match_no IN (FROM chosen)"

    def read(ask: Connection) -> MatchBlock:
        rows = dict[str, pa.Table]()
        for table in COPIED_TABLES:
            with with_tables(ask, chosen=chosen):
                rows[table] = ask.execute(f"FROM {table} WHERE {these}").to_arrow_table()
        matches = rows["matches"].sort_by("match_no")
        found = matches["match_no"].to_pylist()
        came, seated = matches.select(["file_no"]), rows["seats"].select(["player_no"])
        with with_tables(ask, came=came, seated=seated):
            people = f"FROM ({PLAYERS}) SEMI JOIN seated USING (player_no) ORDER BY 1"
            return MatchBlock(
                found,
                matches["match_id"].to_pylist(),
                rows,
                raw_texts.read_text_list(ask, found),
                ask.execute("FROM files SEMI JOIN came USING (file_no)").to_arrow_table(),
                ask.execute(people).to_arrow_table(),
            )

    block = read_consistently(store, read)
    came = block.rows["matches"]["file_no"].unique()
    if len(block.texts) != len(block.match_ids) or len(came) != block.files.num_rows:
        raise StoreError(SOURCE_NOT_CONSISTENT, path=store.path)
    return block


def purged_in_target(target: Store, block: MatchBlock) -> set[str]:
    """The ids of matches that were purged there, or somebody who sits in them: they stay away."""
    people = dict(zip(*block.people.drop_columns("name").to_pydict().values(), strict=True))
    gone = set(purged_ids(target, [*block.match_ids, *people.values()]))
    ids = dict(zip(block.match_numbers, block.match_ids, strict=True))
    seated = block.rows["seats"].select(["match_no", "player_no"]).to_pydict()
    sat = {ids[no] for no, player in zip(*seated.values(), strict=True) if people[player] in gone}
    return sat | gone.intersection(block.match_ids)


def _add_block(target: Store, block: MatchBlock, excluded_ids: Collection[str]) -> int:
    """Store matches but for some and those that others have stored meanwhile; how many."""
    ask, (_, players, names) = target.connection, block.people.to_pydict().values()
    wanted = [one for one in block.match_ids if one not in excluded_ids]
    target.claim(wanted, dict(zip(players, names, strict=True)))
    known = target.stored_ids(wanted).union(excluded_ids)
    new = [place for place, one in enumerate(block.match_ids) if one not in known]
    if not new:
        return 0
    numbers = target.next_match_numbers(len(new))
    seated = target.player_numbers(players, names).astype(np.int32)
    told = {
        "match_no": pa.table(
            {"match_no": [block.match_numbers[at] for at in new], "ours": numbers}
        ),
        "player_no": pa.table({"player_no": block.people["player_no"], "ours": seated}),
        "file_no": _target_file_numbers(target, block.files),
    }
    for table, rows in block.rows.items():
        own = [name for name in told if name in rows.column_names]
        keys = [name for name in ("match_no", "deal", "seat") if name in rows.column_names]
        with with_tables(ask, theirs=rows, **{f"by_{name}": told[name] for name in own}):
            ask.execute(
                f"INSERT INTO {table} BY NAME SELECT t.* REPLACE ("
                + ", ".join(f"by_{name}.ours AS {name}" for name in own)
                + ") FROM theirs t"
                + "".join(f" JOIN by_{name} USING ({name})" for name in own)
                + f" ORDER BY {', '.join(f't.{name}' for name in keys)}"
            )
    target.insert_rows("raw", compressed_blocks.raw_rows(numbers, [block.texts[at] for at in new]))
    target.record_change("copy", len(new))
    return len(new)


def _target_file_numbers(target: Store, rows: pa.Table) -> pa.Table:
    """The numbers of files and theirs in the target, new ones added; call within a transaction.

    A file is known by its name and the moment it came.
    """
    ask = target.connection
    new = _rows_not_there(ask, rows, "files", "name", "added_at")
    numbers = pa.array([target.next_file_number() for _ in range(new.num_rows)], pa.int64())
    target.insert_rows(
        "files", new.set_column(new.column_names.index("file_no"), "file_no", numbers)
    )
    with with_tables(ask, theirs=rows):
        return ask.execute(
            "SELECT t.file_no, min(f.file_no) AS ours FROM theirs t"
            " JOIN files f USING (name, added_at) GROUP BY 1"
        ).to_arrow_table()


# people and programs


def _copy_access_and_key(source: Store, target: Store) -> tuple[bool, bool | None]:
    """Take over who may do what, and what makes pseudonyms, where the target has none.

    Whether a player has the same pseudonym in both, and whether tokens and who may read are the
    same; None: there are none.
    """
    secret, purged = query_table(source, "FROM secret"), read_consistently(source, still_gone)
    known = """SELECT token_no::VARCHAR, hash FROM tokens UNION ALL
        SELECT name, value FROM settings"""
    own = f"WHERE NOT starts_with(name, '{webhooks.SETTING_PREFIX}')"
    same = f"FROM ({known}) t(name, value) {own}"
    theirs = query_table(source, same).to_pylist()
    tokens, settings = (
        query_table(source, "FROM tokens"),
        query_table(source, f"FROM settings {own}"),
    )

    def write() -> tuple[bool, bool | None]:
        ask = target.connection
        keys = [bytes(key) for (key,) in ask.execute("FROM secret").fetchall()]
        if not keys:
            target.insert_rows("secret", secret)
        same_key = not keys or secret["key"].to_pylist() in ([], keys)
        if same_key:
            _insert_missing(target, purged, "purged", "address")
        if ask.execute(known).fetchone() is not None:
            here = ask.execute(same).to_arrow_table().to_pylist()
            return same_key, {*map(repr, theirs)} == {*map(repr, here)}
        target.insert_rows("tokens", tokens)
        target.insert_rows("settings", settings)
        return same_key, True if theirs else None

    return target.written(write)


def _copy_masks(source: Store, target: Store) -> int:
    """Mask whom the source masks, whether there are matches with them or not yet; how many."""
    theirs = query_table(source, "FROM masked").to_pylist()
    people = {one["player_id"]: one["name"] for one in theirs}
    told = {one: pseudonym(target, one) for one in people}

    def write() -> int:
        ask, done = target.connection, 0
        target.claim([], people)
        numbers = target.player_numbers([*people], [*people.values()]).tolist()
        target.flush_players()
        for number, (player, name) in zip(numbers, people.items(), strict=True):
            if not is_masked(ask, number):
                ask.execute("INSERT INTO masked VALUES (?, ?, ?)", [number, player, name])
                ask.execute(
                    "UPDATE players SET player_id = $1, name = $1 WHERE player_no = $2",
                    [told[player], number],
                )
                done += 1
        if done:
            target.record_change("mask", done)
        return done

    return target.written(write) if people else 0


# the trash, and who did what


def _copy_trash(source: Store, target: Store, result: CopyResult) -> None:
    """The deleted matches, each under its deletion, but for those that are there not deleted."""
    last = -1
    query = """SELECT t.*, c.changed_at FROM trash t JOIN changes c USING (change)
               WHERE match_no > ? ORDER BY match_no LIMIT ?"""
    while (rows := query_table(source, query, [last, MATCHES_PER_BLOCK])).num_rows:
        last = max(rows["match_no"].to_pylist())
        gone = purged_deleted_texts(target, rows)
        result.purged += len(gone)
        rows = rows.filter(pa.array([one not in gone for one in rows["match_id"].to_pylist()]))
        files = "FROM files WHERE file_no IN (SELECT unnest(?))"
        came = query_table(source, files, [rows["file_no"].to_pylist()])
        result.deleted += target.written(lambda: _insert_into_trash(target, rows, came))  # noqa: B023


def purged_deleted_texts(target: Store, rows: pa.Table) -> set[str]:
    """The ids of deleted matches that were purged there, or somebody who sits in them."""
    people = dict[str, list[str]]()
    for match, text, data in zip(*rows.select(["match_id", "text", "bytes"]), strict=True):
        try:
            log = orjson.loads(data.as_py() or text.as_py().encode())
        except (ValueError, RecursionError):
            log = None
        people[match.as_py()] = [one["id"] for one in players_with_id(log)]
    gone = set(purged_ids(target, {*people, *chain.from_iterable(people.values())}))
    return {match for match, some in people.items() if gone.intersection([match, *some])}


def _insert_into_trash(target: Store, rows: pa.Table, origins: pa.Table) -> int:
    """Put matches into the trash that are there nowhere; how many."""
    ask = target.connection
    there = "(SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash)"
    rows = _rows_not_there(ask, rows, there, "match_id").sort_by("match_no")
    if not rows.num_rows:
        return 0
    deletions = "(SELECT changed_at, change FROM changes WHERE what = 'delete')"
    moments = rows.select(["changed_at"]).group_by("changed_at").aggregate([])
    for at in sorted(
        _rows_not_there(ask, moments, deletions, "changed_at")["changed_at"].to_pylist()
    ):
        last = "SELECT coalesce(max(change), 0) + 1, ?, 'delete' FROM changes"
        ask.execute(f"INSERT INTO changes {last}", [at])
    numbers = pa.table(
        {"match_no": rows["match_no"], "ours": target.next_match_numbers(rows.num_rows)}
    )
    with with_tables(ask, theirs=rows, numbers=numbers, came=_target_file_numbers(target, origins)):
        ask.execute(
            f"""INSERT INTO trash BY NAME
                SELECT t.* EXCLUDE (changed_at)
                    REPLACE (c.change AS change, n.ours AS match_no, f.ours AS file_no)
                FROM theirs t JOIN {deletions} c USING (changed_at)
                JOIN numbers n USING (match_no) JOIN came f USING (file_no) ORDER BY n.ours"""
        )
    target.record_change("copy", rows.num_rows)
    return int(rows.num_rows)


def _copy_audit_log(source: Store, target: Store) -> None:
    """Who did what, where tokens are the same: a contributor may take back what they added."""
    theirs = query_table(
        source,
        """SELECT a.*, f.name, coalesce(f.added_at, c.changed_at) AS moment
            FROM audit a LEFT JOIN files f ON a.what = 'add' AND f.file_no = a.about
            LEFT JOIN changes c ON a.what = 'delete' AND c.what = 'delete' AND c.change = a.about
            ORDER BY done_at""",
    )

    def write() -> None:
        with with_tables(target.connection, theirs=theirs):
            # the number of an act is one of the source's changes, which do not go along
            target.connection.execute(
                """INSERT INTO audit BY NAME SELECT t.done_at, t.token_no, t.what, CASE
                    WHEN t.what = 'add' THEN f.file_no
                    WHEN t.what = 'delete' THEN c.change
                    WHEN t.what IN ('undelete', 'empty', 'mask', 'unmask', 'purge', 'revalidate',
                        'copy') THEN NULL
                    ELSE t.about END AS about, t.n
                FROM theirs t
                LEFT JOIN files f ON t.what = 'add' AND f.name = t.name AND f.added_at = t.moment
                LEFT JOIN changes c
                    ON t.what = 'delete' AND c.what = 'delete' AND c.changed_at = t.moment
                WHERE (t.done_at, t.what) NOT IN (SELECT (done_at, what) FROM audit)
                ORDER BY t.done_at"""
            )

    target.written(write)
