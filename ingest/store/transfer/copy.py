"""Copies matches from store to store in batches.

Each transaction copies some thousand matches as columns; nothing is validated again. Matches are
identified by their content hash, files by name and time, so an interrupted copy resumes, and a
repeated one adds nothing. The target assigns its own numbers.

Players with the answers about them, files, deletions, drafts and the audit log are copied too. Tokens are
copied, as hashes, only if the target has neither tokens nor access settings. Sessions and webhooks stay
with the source. Ratings and simulated deals are computed again.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeVar

import duckdb
import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from ingest.i18n import N_
from ingest.redact.anonymize_log import players_with_id
from ingest.store import endgame_rows, raw_texts, saved_searches, webhooks
from ingest.store.aliases import Declared, Tables
from ingest.store.derived_rows import DERIVED_TABLES
from ingest.store.factory import Store, StoreError
from ingest.store.match_parts import join_parts
from ingest.store.pseudonyms import PLAYERS, is_masked, pseudonym
from ingest.store.tombstones import current_tombstones, purged_ids
from ingest.store.transfer import player_answers
from ingest.store.upload_duplicates import replace_beginnings
from schemas import compressed_blocks
from schemas.migrations import with_tables

MATCHES_PER_BLOCK = 1 << 13
"""Matches whose rows are in memory together and stored in one transaction."""
COPIED_TABLES = (*DERIVED_TABLES, *endgame_rows.VALUE_TABLES)
"""Tables with the rows of a match, by its number."""

T = TypeVar("T")
Connection = duckdb.DuckDBPyConnection


@dataclass(slots=True)
class CopyResult:
    """The result of one run of a copy."""

    added: int = 0
    already_stored: int = 0
    """Matches that the target had already."""
    purged: int = 0
    """Matches that were not copied, deleted ones too: the target purged them or one of their players."""
    deleted: int = 0
    """Matches copied into the trash."""
    masked: int = 0
    """Players newly masked in the target."""
    drafts: int = 0
    answers: int = 0
    """Chosen names, changes of players that can be undone, answers about equal players and matches."""
    access: bool | None = None
    """Whether tokens and access are the same in both; None: the source has none."""
    same_key: bool = True
    """Whether a player has the same pseudonym in both."""


def copy_store(
    source: Store, target: Store, progress: Callable[[int], object] = lambda done: None
) -> CopyResult:
    """Add a store's contents to another; `progress` receives how many matches were compared.

    StoreError: a store cannot be read or written; a later copy finds what was stored and goes on.
    """
    came = CopyResult()
    # first, so that access and masks are in place before any match is readable
    came.same_key, came.access = _copy_access_and_key(source, target)
    came.masked = _copy_masks(source, target)
    done = 0
    for low, high in block_ranges(source):
        query = "SELECT match_no, match_id FROM matches WHERE match_no BETWEEN ? AND ? ORDER BY 1"
        numbers, ids = query_table(source, query, [low, high]).to_pydict().values()
        known = stored_among(target, ids)
        came.already_stored += len(known)
        if new := [no for no, one in zip(numbers, ids, strict=True) if one not in known]:
            block = read_block(source, new)
            left_out = purged_in_target(target, block)
            came.purged += len(left_out)
            added = target.written(lambda: _add_block(target, block, left_out))  # noqa: B023
            came.added += added
            came.already_stored += len(block.match_ids) - len(left_out) - added
        done += len(ids)
        progress(done)
    came.masked += _copy_masks(source, target)  # players masked meanwhile
    drafts = query_table(source, "FROM drafts")
    files = query_table(source, "FROM files ORDER BY 1")  # also those without matches
    target.written(lambda: _target_file_numbers(target, files))
    _copy_trash(source, target, came)
    answers = {name: query_table(source, query) for name, query in player_answers.QUERIES.items()}
    came.answers = target.written(lambda: player_answers.insert_answers(target, answers))
    mappings = query_table(source, "FROM sheet_mappings")
    target.written(lambda: _insert_missing(target, mappings, "sheet_mappings", "fingerprint"))
    came.drafts = target.written(lambda: _insert_missing(target, drafts, "drafts", "hash"))
    if came.access:
        _copy_audit_log(source, target)
    return came


# reading stores


def read_consistently(store: Store, read: Callable[[Connection], T]) -> T:
    """Return what `read` reads from one snapshot of a store; retry while it is busy."""

    def act() -> T:
        with store.translate_errors():
            return store.read_consistently(read)

    return store.run_with_retry(act)


def query_table(store: Store, query: str, values: Sequence[object] = ()) -> pa.Table:
    """Return the result of a query, read the same way."""
    return read_consistently(store, lambda cursor: cursor.execute(query, list(values)).to_arrow_table())


def stored_among(store: Store, ids: Sequence[str]) -> set[str]:
    """Return those of some match ids that a store has, also as the earlier version of a match."""
    query = """SELECT match_id FROM matches WHERE match_id IN (SELECT unnest($1::VARCHAR[]))
        UNION SELECT match_id FROM trash WHERE replaced_by IS NOT NULL
            AND match_id IN (SELECT unnest($1::VARCHAR[]))"""
    return set(query_table(store, query, [ids])["match_id"].to_pylist())


def block_ranges(store: Store) -> Iterator[tuple[int, int]]:
    """Yield ranges of match numbers, first and last, for blocks of MATCHES_PER_BLOCK."""
    ends = query_table(store, "SELECT min(match_no), max(match_no) FROM matches")
    [first], [last] = ends.to_pydict().values()
    if first is not None:
        for low in range(first, last + 1, MATCHES_PER_BLOCK):
            yield low, low + MATCHES_PER_BLOCK - 1


def _rows_not_there(cursor: Connection, rows: pa.Table, there: str, *keys: str) -> pa.Table:
    """Return the rows whose keys no row of `there` has."""
    with with_tables(cursor, theirs=rows):
        return cursor.execute(f"FROM theirs ANTI JOIN {there} USING ({', '.join(keys)})").to_arrow_table()


def _insert_missing(target: Store, rows: pa.Table, table: str, key: str) -> int:
    """Insert the rows whose key a table lacks; return how many."""
    new = _rows_not_there(target.connection, rows, table, key)
    target.insert_rows(table, new)
    return int(new.num_rows)


# matches


class MatchBlock(NamedTuple):
    """Some matches of a store in the order of their numbers, with all their rows."""

    match_numbers: list[int]
    match_ids: list[str]
    rows: dict[str, pa.Table]
    """By table of COPIED_TABLES."""
    texts: list[bytes]
    files: pa.Table
    people: pa.Table
    """Every alias of their players: number, player, id and name, the player's own id first."""


def read_block(store: Store, numbers: Sequence[int]) -> MatchBlock:
    """Read matches by number, without those deleted since.

    StoreError: a text or a file of a match is missing.
    """
    chosen = pa.table({"match_no": pa.array(numbers, pa.int64())})
    these = f"match_no BETWEEN {min(numbers)} AND {max(numbers)} AND match_no IN (FROM chosen)"

    def read(cursor: Connection) -> MatchBlock:
        rows = dict[str, pa.Table]()
        for table in COPIED_TABLES:
            with with_tables(cursor, chosen=chosen):
                rows[table] = cursor.execute(f"FROM {table} WHERE {these}").to_arrow_table()
        matches = rows["matches"].sort_by("match_no")
        found = matches["match_no"].to_pylist()
        came, seated = matches.select(["file_no"]), rows["seats"].select(["player_no"])
        with with_tables(cursor, came=came, seated=seated):
            people = f"""SELECT alias_no, player_no, a.player_id, a.name FROM aliases a
                JOIN ({PLAYERS}) USING (player_no) SEMI JOIN seated USING (player_no)
                ORDER BY player_no, a.player_id <> player, alias_no"""
            return MatchBlock(
                found,
                matches["match_id"].to_pylist(),
                rows,
                raw_texts.read_text_list(cursor, found),
                cursor.execute("FROM files SEMI JOIN came USING (file_no)").to_arrow_table(),
                cursor.execute(people).to_arrow_table(),
            )

    block = read_consistently(store, read)
    came = block.rows["matches"]["file_no"].unique()
    if len(block.texts) != len(block.match_ids) or len(came) != block.files.num_rows:
        raise StoreError(N_("The store {path} is not whole. See: retourne verify {path!w}"), path=store.path)
    return block


def purged_in_target(target: Store, block: MatchBlock) -> set[str]:
    """Return ids of matches not to copy: the target purged them or one of their players."""
    people = dict(zip(*block.people.select(["alias_no", "player_id"]).to_pydict().values(), strict=True))
    removed = set(purged_ids(target, [*block.match_ids, *people.values()]))
    ids = dict(zip(block.match_numbers, block.match_ids, strict=True))
    seated = block.rows["seats"].select(["match_no", "alias_no"]).to_pydict()
    sat = {ids[no] for no, alias in zip(*seated.values(), strict=True) if people[alias] in removed}
    return sat | removed.intersection(block.match_ids)


def _add_block(target: Store, block: MatchBlock, excluded_ids: Collection[str]) -> int:
    """Store matches, except excluded or already stored ones; return how many."""
    cursor, (alias_numbers, owners, ids, names) = target.connection, block.people.to_pydict().values()
    declared = [Declared(*one) for one in zip(ids, names, strict=True)]
    wanted = [one for one in block.match_ids if one not in excluded_ids]
    target.claim(wanted, declared)
    known = target.stored_ids(wanted).union(excluded_ids)
    new = [place for place, one in enumerate(block.match_ids) if one not in known]
    if not new:
        return 0
    numbers = target.next_match_numbers(len(new))
    tables = _tables(block, new, alias_numbers)
    seated = target.player_numbers(declared, tables, owners)
    alias_no = seated.alias_no.astype(np.int32)
    fields = {
        "match_no": pa.table({"match_no": [block.match_numbers[at] for at in new], "ours": numbers}),
        "alias_no": pa.table({"alias_no": pa.array(alias_numbers, pa.int32()), "ours": alias_no}),
        "player_no": _seated_players(block, alias_numbers, seated.player_no),
        "file_no": _target_file_numbers(target, block.files),
    }
    for table, rows in block.rows.items():
        own = [name for name in fields if name in rows.column_names]
        keys = [name for name in ("match_no", "deal_index", "seat") if name in rows.column_names]
        with with_tables(cursor, theirs=rows, **{f"by_{name}": fields[name] for name in own}):
            cursor.execute(
                f"INSERT INTO {table} BY NAME SELECT t.* REPLACE ("
                + ", ".join(f"by_{name}.ours AS {name}" for name in own)
                + ") FROM theirs t"
                + "".join(f" JOIN by_{name} USING ({_KEYS.get(name, name)})" for name in own)
                + f" ORDER BY {', '.join(f't.{name}' for name in keys)}"
            )
    target.insert_rows("raw", compressed_blocks.raw_rows(numbers, [block.texts[at] for at in new]))
    target.record_change("copy", len(new))
    replace_beginnings(target, numbers)
    join_parts(target, numbers, keep_texts=True)
    return len(new)


_KEYS = {"player_no": "match_no, player_no"}
"""The columns that identify the player of a row, if not only its own column."""


def _tables(block: MatchBlock, new: Sequence[int], alias_numbers: Sequence[int]) -> Tables:
    """Return who sits together in the matches at the places `new`, by place in `alias_numbers`."""
    place = {alias: at for at, alias in enumerate(alias_numbers)}
    numbers = {block.match_numbers[at] for at in new}
    seats = zip(*block.rows["seats"].select(["match_no", "alias_no"]).to_pydict().values(), strict=True)
    here = [(match, place[alias]) for match, alias in seats if match in numbers]
    return Tables(*np.array(here, np.int64).reshape(-1, 2).T)


def _seated_players(block: MatchBlock, alias_numbers: Sequence[int], ours: NDArray[np.int64]) -> pa.Table:
    """Return the target's number of each player in each match: of the alias that sits there."""
    own = dict(zip(alias_numbers, ours.tolist(), strict=True))
    seats = block.rows["seats"].select(["match_no", "player_no", "alias_no"])
    return seats.select(["match_no", "player_no"]).append_column(
        "ours", pa.array([own[alias] for alias in seats["alias_no"].to_pylist()], pa.int32())
    )


def _target_file_numbers(target: Store, rows: pa.Table) -> pa.Table:
    """Return the target's file numbers by the source's, adding new files; call in a transaction.

    A file is identified by its name and the time it came.
    """
    cursor = target.connection
    new = _rows_not_there(cursor, rows, "files", "name", "added_at")
    numbers = pa.array([target.next_file_number() for _ in range(new.num_rows)], pa.int64())
    target.insert_rows("files", new.set_column(new.column_names.index("file_no"), "file_no", numbers))
    with with_tables(cursor, theirs=rows):
        return cursor.execute(
            "SELECT t.file_no, min(f.file_no) AS ours FROM theirs t"
            " JOIN files f USING (name, added_at) GROUP BY 1"
        ).to_arrow_table()


# people and programs


def _copy_access_and_key(source: Store, target: Store) -> tuple[bool, bool | None]:
    """Copy access and the pseudonym key where the target has none.

    Returns whether pseudonyms are the same in both, and whether tokens and access are; None: there
    are none.
    """
    secret, purged = query_table(source, "FROM secret"), read_consistently(source, current_tombstones)
    other = f"NOT starts_with(name, '{saved_searches.SETTING_PREFIX}')"
    known = f"""SELECT token_no::VARCHAR, hash FROM tokens UNION ALL
        SELECT name, value FROM settings WHERE {other}"""
    own = f"WHERE NOT starts_with(name, '{webhooks.SETTING_PREFIX}') AND {other}"
    same = f"FROM ({known}) t(name, value) {own}"
    theirs = query_table(source, same).to_pylist()
    tokens, settings = (query_table(source, "FROM tokens"), query_table(source, f"FROM settings {own}"))

    def write() -> tuple[bool, bool | None]:
        cursor = target.connection
        keys = [bytes(key) for (key,) in cursor.execute("FROM secret").fetchall()]
        if not keys:
            target.insert_rows("secret", secret)
        same_key = not keys or secret["key"].to_pylist() in ([], keys)
        if same_key:
            _insert_missing(target, purged, "purged", "address")
        if cursor.execute(known).fetchone() is not None:
            here = cursor.execute(same).to_arrow_table().to_pylist()
            return same_key, {*map(repr, theirs)} == {*map(repr, here)}
        target.insert_rows("tokens", tokens)
        target.insert_rows("settings", settings)
        return same_key, True if theirs else None

    return target.written(write)


def _copy_masks(source: Store, target: Store) -> int:
    """Mask the source's masked players, even those without matches; return how many."""
    query = f"""SELECT a.player_no, a.player_id, a.name, player, p.name AS shown
        FROM aliases a JOIN ({PLAYERS}) p USING (player_no) SEMI JOIN masked USING (player_no)
        ORDER BY a.player_no, a.player_id <> player, alias_no"""
    theirs = query_table(source, query).to_pylist()
    declared = [Declared(one["player_id"], one["name"]) for one in theirs]
    people = {one["player_no"]: (one["player"], one["shown"]) for one in theirs}
    fields = {number: pseudonym(target, player) for number, (player, _) in people.items()}

    def write() -> int:
        cursor, done = target.connection, 0
        target.claim([], declared)
        owners = [one["player_no"] for one in theirs]
        numbers = target.player_numbers(declared, owners=owners).player_no.tolist()
        target.flush_players()
        for number, owner in dict(zip(reversed(numbers), reversed(owners), strict=True)).items():
            if not is_masked(cursor, number):
                cursor.execute("INSERT INTO masked VALUES (?, ?, ?)", [number, *people[owner]])
                cursor.execute(
                    "UPDATE players SET player_id = $1, name = $1 WHERE player_no = $2",
                    [fields[owner], number],
                )
                done += 1
        if done:
            target.record_change("mask", done)
        return done

    return target.written(write) if people else 0


# the trash, and who did what


def _copy_trash(source: Store, target: Store, result: CopyResult) -> None:
    """Copy the deleted matches with their deletions, except those that the target has."""
    last = -1
    query = """SELECT t.*, c.changed_at, c.action FROM trash t JOIN change_log c USING (change)
               WHERE match_no > ? ORDER BY match_no LIMIT ?"""
    while (rows := query_table(source, query, [last, MATCHES_PER_BLOCK])).num_rows:
        last = max(rows["match_no"].to_pylist())
        removed = purged_deleted_texts(target, rows)
        result.purged += len(removed)
        rows = rows.filter(pa.array([one not in removed for one in rows["match_id"].to_pylist()]))
        files = "FROM files WHERE file_no IN (SELECT unnest(?))"
        came = query_table(source, files, [rows["file_no"].to_pylist()])
        result.deleted += target.written(lambda: _insert_into_trash(target, rows, came))  # noqa: B023


def purged_deleted_texts(target: Store, rows: pa.Table) -> set[str]:
    """Return ids of deleted matches that the target purged, or one of whose players it purged."""
    people = dict[str, list[str]]()
    for match, text, data in zip(*rows.select(["match_id", "text", "bytes"]), strict=True):
        try:
            log = orjson.loads(data.as_py() or text.as_py().encode())
        except (ValueError, RecursionError):
            log = None
        people[match.as_py()] = [one["id"] for one in players_with_id(log)]
    removed = set(purged_ids(target, {*people, *chain.from_iterable(people.values())}))
    return {match for match, some in people.items() if removed.intersection([match, *some])}


def _insert_into_trash(target: Store, rows: pa.Table, origins: pa.Table) -> int:
    """Insert matches that the target lacks into its trash; return how many."""
    cursor = target.connection
    there = "(SELECT content_id FROM matches UNION ALL SELECT content_id FROM trash)"
    rows = _rows_not_there(cursor, rows, there, "content_id").sort_by("match_no")
    if not rows.num_rows:
        return 0
    deletions = "(SELECT changed_at, action, change FROM change_log WHERE action IN ('delete', 'replace'))"
    moments = rows.select(["changed_at", "action"]).to_pydict().values()
    player_answers.change_numbers(cursor, sorted(zip(*moments, strict=True)))
    numbers = pa.table({"match_no": rows["match_no"], "ours": target.next_match_numbers(rows.num_rows)})
    with with_tables(cursor, theirs=rows, numbers=numbers, came=_target_file_numbers(target, origins)):
        cursor.execute(
            f"""INSERT INTO trash BY NAME
                SELECT t.* EXCLUDE (changed_at, action)
                    REPLACE (c.change AS change, n.ours AS match_no, f.ours AS file_no)
                FROM theirs t JOIN {deletions} c USING (changed_at, action)
                JOIN numbers n USING (match_no) JOIN came f USING (file_no) ORDER BY n.ours"""
        )
    target.record_change("copy", rows.num_rows)
    return int(rows.num_rows)


def _copy_audit_log(source: Store, target: Store) -> None:
    """Copy the audit log where tokens are the same: contributors may undo what they added."""
    theirs = query_table(
        source,
        """SELECT a.*, f.name, coalesce(f.added_at, c.changed_at) AS moment
            FROM audit a LEFT JOIN files f ON a.action = 'add' AND f.file_no = a.about
            LEFT JOIN change_log c ON a.action = 'delete' AND c.action = 'delete' AND c.change = a.about
            ORDER BY done_at""",
    )

    def write() -> None:
        with with_tables(target.connection, theirs=theirs):
            # these actions refer to changes of the source, which are not copied
            target.connection.execute(
                """INSERT INTO audit BY NAME SELECT t.done_at, t.token_no, t.action, CASE
                    WHEN t.action = 'add' THEN f.file_no
                    WHEN t.action = 'delete' THEN c.change
                    WHEN t.action IN ('undelete', 'replace', 'empty', 'mask', 'unmask', 'purge', 'revalidate',
                        'copy', 'player-merge', 'player-rename', 'player-split', 'player-undo', 'player-part',
                        'player-different', 'match-different', 'match-answer-undo')
                        THEN NULL
                    ELSE t.about END AS about, t.n
                FROM theirs t
                LEFT JOIN files f ON t.action = 'add' AND f.name = t.name AND f.added_at = t.moment
                LEFT JOIN change_log c
                    ON t.action = 'delete' AND c.action = 'delete' AND c.changed_at = t.moment
                WHERE (t.done_at, t.action) NOT IN (SELECT (done_at, action) FROM audit)
                ORDER BY t.done_at"""
            )

    target.written(write)
