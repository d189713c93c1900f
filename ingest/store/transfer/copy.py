"""A copy from store to store: from a file or a lake into a file or a lake, beside what that has.

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
from ingest.redact.log_text import seats
from ingest.store import endgame_rows, raw_texts, webhooks
from ingest.store.derived_rows import TABLES
from ingest.store.factory import Store, StoreError
from ingest.store.pseudonyms import PLAYERS, is_masked, pseudonym
from ingest.store.tombstones import gone_among, still_gone
from schemas import compressed_blocks
from schemas.migrations import with_tables

BLOCK = 1 << 13
"""Matches whose rows are in memory together, and stored in one transaction."""
ROWS = (*TABLES, *endgame_rows.TABLES)
"""Tables with rows of a match, by its number."""
NOT_WHOLE = N_("The store {path} is not whole. See: retourne verify {path!w}")

T = TypeVar("T")
Ask = duckdb.DuckDBPyConnection


@dataclass(slots=True)
class Copied:
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


def copy(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> Copied:
    """Add what one store has to another; `progress` hears how many matches have been looked at.

    StoreError: one of them cannot be read or written; what was done is there, and is known again.
    """
    came = Copied()
    # so that no match is there before who may read it is decided, and who is masked is
    came.same_key, came.access = _decide(source, target)
    came.masked = _mask(source, target)
    done = 0
    for low, high in ranges(source):
        query = "SELECT match_no, match_id FROM matches WHERE match_no BETWEEN ? AND ? ORDER BY 1"
        numbers, ids = table_of(source, query, [low, high]).to_pydict().values()
        known = known_in(target, ids)
        came.known += len(known)
        if new := [no for no, one in zip(numbers, ids, strict=True) if one not in known]:
            block = block_of(source, new)
            left_out = purged_in(target, block)
            came.purged += len(left_out)
            added = target.written(lambda: _add(target, block, left_out))  # noqa: B023
            came.added += added
            came.known += len(block.ids) - len(left_out) - added
        done += len(ids)
        progress(done)
    came.masked += _mask(source, target)  # who was meanwhile
    drafts = table_of(source, "FROM drafts")
    files = table_of(source, "FROM files ORDER BY 1")  # of which no match is there, too
    target.written(lambda: _file_numbers(target, files))
    _copy_trash(source, target, came)
    came.drafts = target.written(lambda: _add_new(target, drafts, "drafts", "hash"))
    if came.access:
        _copy_acts(source, target)
    return came


# how stores are asked


def at_once(store: Store, read: Callable[[Ask], T]) -> T:
    """What is read of a store as it is at one moment, once it lets itself be read."""

    def act() -> T:
        with store.told():
            return store.at_once(read)

    return store.stored(act)


def table_of(store: Store, query: str, values: Sequence[object] = ()) -> pa.Table:
    """What a query says, likewise."""
    return at_once(store, lambda ask: ask.execute(query, list(values)).to_arrow_table())


def known_in(store: Store, ids: Sequence[str]) -> set[str]:
    """Those of some matches that a store has, by their hashes."""
    query = "SELECT match_id FROM matches WHERE match_id IN (SELECT unnest(?::VARCHAR[]))"
    return set(table_of(store, query, [ids])["match_id"].to_pylist())


def ranges(store: Store) -> Iterator[tuple[int, int]]:
    """The first and the last number of some thousand matches after the other."""
    ends = table_of(store, "SELECT min(match_no), max(match_no) FROM matches")
    [first], [last] = ends.to_pydict().values()
    if first is not None:
        for low in range(first, last + 1, BLOCK):
            yield low, low + BLOCK - 1


def _new(ask: Ask, rows: pa.Table, there: str, *keys: str) -> pa.Table:
    """The rows whose keys none has that is there."""
    with with_tables(ask, theirs=rows):
        query = f"FROM theirs ANTI JOIN {there} USING ({', '.join(keys)})"
        return ask.execute(query).to_arrow_table()


def _add_new(target: Store, rows: pa.Table, table: str, key: str) -> int:
    """Add those of them to a table; how many."""
    new = _new(target.connection, rows, table, key)
    target.insert(table, new)
    return int(new.num_rows)


# matches


class Block(NamedTuple):
    """Some matches of a store, in the order of their numbers, with all that belongs to them."""

    numbers: list[int]
    ids: list[str]
    rows: dict[str, pa.Table]
    """Of each table of ROWS."""
    texts: list[bytes]
    files: pa.Table
    people: pa.Table
    """Number, true id and name."""


def block_of(store: Store, numbers: Sequence[int]) -> Block:
    """Matches by their numbers, but for those that are there no more.

    StoreError: a text or a file of one is missing.
    """
    chosen = pa.table({"match_no": pa.array(numbers, pa.int64())})
    these = f"match_no BETWEEN {min(numbers)} AND {max(numbers)} AND match_no IN (FROM chosen)"

    def read(ask: Ask) -> Block:
        rows = dict[str, pa.Table]()
        for table in ROWS:
            with with_tables(ask, chosen=chosen):
                rows[table] = ask.execute(f"FROM {table} WHERE {these}").to_arrow_table()
        matches = rows["matches"].sort_by("match_no")
        found = matches["match_no"].to_pylist()
        came, seated = matches.select(["file_no"]), rows["seats"].select(["player_no"])
        with with_tables(ask, came=came, seated=seated):
            people = f"FROM ({PLAYERS}) SEMI JOIN seated USING (player_no) ORDER BY 1"
            return Block(
                found,
                matches["match_id"].to_pylist(),
                rows,
                raw_texts.at_once(ask, found),
                ask.execute("FROM files SEMI JOIN came USING (file_no)").to_arrow_table(),
                ask.execute(people).to_arrow_table(),
            )

    block = at_once(store, read)
    came = block.rows["matches"]["file_no"].unique()
    if len(block.texts) != len(block.ids) or len(came) != block.files.num_rows:
        raise StoreError(NOT_WHOLE, path=store.path)
    return block


def purged_in(target: Store, block: Block) -> set[str]:
    """The ids of matches that were purged there, or somebody who sits in them: they stay away."""
    people = dict(zip(*block.people.drop_columns("name").to_pydict().values(), strict=True))
    gone = set(gone_among(target, [*block.ids, *people.values()]))
    ids = dict(zip(block.numbers, block.ids, strict=True))
    seated = block.rows["seats"].select(["match_no", "player_no"]).to_pydict()
    sat = {ids[no] for no, player in zip(*seated.values(), strict=True) if people[player] in gone}
    return sat | gone.intersection(block.ids)


def _add(target: Store, block: Block, left_out: Collection[str]) -> int:
    """Store matches but for some and those that others have stored meanwhile; how many."""
    ask, (_, players, names) = target.connection, block.people.to_pydict().values()
    wanted = [one for one in block.ids if one not in left_out]
    target.claim(wanted, dict(zip(players, names, strict=True)))
    known = target.known(wanted).union(left_out)
    new = [place for place, one in enumerate(block.ids) if one not in known]
    if not new:
        return 0
    numbers = target.number(len(new))
    seated = target.players(players, names).astype(np.int32)
    told = {
        "match_no": pa.table({"match_no": [block.numbers[at] for at in new], "ours": numbers}),
        "player_no": pa.table({"player_no": block.people["player_no"], "ours": seated}),
        "file_no": _file_numbers(target, block.files),
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
    target.insert("raw", compressed_blocks.rows(numbers, [block.texts[at] for at in new]))
    target.change("copy", len(new))
    return len(new)


def _file_numbers(target: Store, rows: pa.Table) -> pa.Table:
    """The numbers of files and theirs in the target, new ones added; call within a transaction.

    A file is known by its name and the moment it came.
    """
    ask = target.connection
    new = _new(ask, rows, "files", "name", "added_at")
    numbers = pa.array([target.file_number() for _ in range(new.num_rows)], pa.int64())
    target.insert("files", new.set_column(new.column_names.index("file_no"), "file_no", numbers))
    with with_tables(ask, theirs=rows):
        return ask.execute(
            "SELECT t.file_no, min(f.file_no) AS ours FROM theirs t"
            " JOIN files f USING (name, added_at) GROUP BY 1"
        ).to_arrow_table()


# people and programs


def _decide(source: Store, target: Store) -> tuple[bool, bool | None]:
    """Take over who may do what, and what makes pseudonyms, where the target has none.

    Whether a player has the same pseudonym in both, and whether tokens and who may read are the
    same; None: there are none.
    """
    secret, purged = table_of(source, "FROM secret"), at_once(source, still_gone)
    known = """SELECT token_no::VARCHAR, hash FROM tokens UNION ALL
        SELECT name, value FROM settings"""
    own = f"WHERE NOT starts_with(name, '{webhooks.PREFIX}')"
    same = f"FROM ({known}) t(name, value) {own}"
    theirs = table_of(source, same).to_pylist()
    tokens, settings = table_of(source, "FROM tokens"), table_of(source, f"FROM settings {own}")

    def write() -> tuple[bool, bool | None]:
        ask = target.connection
        keys = [bytes(key) for (key,) in ask.execute("FROM secret").fetchall()]
        if not keys:
            target.insert("secret", secret)
        same_key = not keys or secret["key"].to_pylist() in ([], keys)
        if same_key:
            _add_new(target, purged, "purged", "address")
        if ask.execute(known).fetchone() is not None:
            here = ask.execute(same).to_arrow_table().to_pylist()
            return same_key, {*map(repr, theirs)} == {*map(repr, here)}
        target.insert("tokens", tokens)
        target.insert("settings", settings)
        return same_key, True if theirs else None

    return target.written(write)


def _mask(source: Store, target: Store) -> int:
    """Mask whom the source masks, whether there are matches with them or not yet; how many."""
    theirs = table_of(source, "FROM masked").to_pylist()
    people = {one["player_id"]: one["name"] for one in theirs}
    told = {one: pseudonym(target, one) for one in people}

    def write() -> int:
        ask, done = target.connection, 0
        target.claim([], people)
        numbers = target.players([*people], [*people.values()]).tolist()
        target.write_players()
        for number, (player, name) in zip(numbers, people.items(), strict=True):
            if not is_masked(ask, number):
                ask.execute("INSERT INTO masked VALUES (?, ?, ?)", [number, player, name])
                ask.execute(
                    "UPDATE players SET player_id = $1, name = $1 WHERE player_no = $2",
                    [told[player], number],
                )
                done += 1
        if done:
            target.change("mask", done)
        return done

    return target.written(write) if people else 0


# the trash, and who did what


def _copy_trash(source: Store, target: Store, said: Copied) -> None:
    """The deleted matches, each under its deletion, but for those that are there not deleted."""
    last = -1
    query = """SELECT t.*, c.changed_at FROM trash t JOIN changes c USING (change)
               WHERE match_no > ? ORDER BY match_no LIMIT ?"""
    while (rows := table_of(source, query, [last, BLOCK])).num_rows:
        last = max(rows["match_no"].to_pylist())
        gone = purged_texts(target, rows)
        said.purged += len(gone)
        rows = rows.filter(pa.array([one not in gone for one in rows["match_id"].to_pylist()]))
        files = "FROM files WHERE file_no IN (SELECT unnest(?))"
        came = table_of(source, files, [rows["file_no"].to_pylist()])
        said.deleted += target.written(lambda: _throw(target, rows, came))  # noqa: B023


def purged_texts(target: Store, rows: pa.Table) -> set[str]:
    """The ids of deleted matches that were purged there, or somebody who sits in them."""
    people = dict[str, list[str]]()
    for match, text, data in zip(*rows.select(["match_id", "text", "bytes"]), strict=True):
        try:
            log = orjson.loads(data.as_py() or text.as_py().encode())
        except (ValueError, RecursionError):
            log = None
        people[match.as_py()] = [one["id"] for one in seats(log)]
    gone = set(gone_among(target, {*people, *chain.from_iterable(people.values())}))
    return {match for match, some in people.items() if gone.intersection([match, *some])}


def _throw(target: Store, rows: pa.Table, came: pa.Table) -> int:
    """Put matches into the trash that are there nowhere; how many."""
    ask = target.connection
    there = "(SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash)"
    rows = _new(ask, rows, there, "match_id").sort_by("match_no")
    if not rows.num_rows:
        return 0
    deletions = "(SELECT changed_at, change FROM changes WHERE what = 'delete')"
    moments = rows.select(["changed_at"]).group_by("changed_at").aggregate([])
    for at in sorted(_new(ask, moments, deletions, "changed_at")["changed_at"].to_pylist()):
        last = "SELECT coalesce(max(change), 0) + 1, ?, 'delete' FROM changes"
        ask.execute(f"INSERT INTO changes {last}", [at])
    numbers = pa.table({"match_no": rows["match_no"], "ours": target.number(rows.num_rows)})
    with with_tables(ask, theirs=rows, numbers=numbers, came=_file_numbers(target, came)):
        ask.execute(
            f"""INSERT INTO trash BY NAME
                SELECT t.* EXCLUDE (changed_at)
                    REPLACE (c.change AS change, n.ours AS match_no, f.ours AS file_no)
                FROM theirs t JOIN {deletions} c USING (changed_at)
                JOIN numbers n USING (match_no) JOIN came f USING (file_no) ORDER BY n.ours"""
        )
    target.change("copy", rows.num_rows)
    return int(rows.num_rows)


def _copy_acts(source: Store, target: Store) -> None:
    """Who did what, where tokens are the same: a contributor may take back what they added."""
    theirs = table_of(
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
