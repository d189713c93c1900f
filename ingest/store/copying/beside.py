"""What a store has besides matches, into another: people, files, deletions, drafts, who did what.

Of programs the tokens go, as hashes, where the other store has none and has not said who may read.
Sign-ins hold at one store alone, and programs are told of new matches by one. Ladders and simulated
deals are made anew when they are asked for.
"""

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ingest.store import audit, hooks
from ingest.store.copying.reading import BLOCK, ints, table_of, written
from ingest.store.gone import gone_among
from ingest.store.pseudonyms import is_masked, pseudonym
from ingest.store.store import Store
from ingest.text.json import value_of
from ingest.text.names import seats
from schemas.store import with_tables

# people and programs


def decided(source: Store, target: Store) -> tuple[bool, bool | None]:
    """Take over who may do what, and what makes pseudonyms, where the target has none.

    Whether a player has the same pseudonym in both, and whether tokens and who may read are the
    same; None: there are none.
    """
    secret, purged = table_of(source, "FROM secret"), table_of(source, "FROM purged")
    tokens, settings = table_of(source, "FROM tokens"), table_of(source, "FROM settings")

    def write() -> tuple[bool, bool | None]:
        return _key(target, secret, purged), _access(target, tokens, settings)

    return written(target, write)


def _key(target: Store, secret: pa.Table, purged: pa.Table) -> bool:
    own = target.connection.execute("FROM secret").fetchall()
    theirs = secret["key"].to_pylist()
    if not own:
        target.insert("secret", secret)
    elif theirs and theirs != [bytes(key) for (key,) in own]:
        return False
    known = {one for (one,) in target.connection.execute("FROM purged").fetchall()}
    target.insert("purged", _without(purged, "address", known))
    return True


def _access(target: Store, tokens: pa.Table, settings: pa.Table) -> bool | None:
    told = [one for one in settings["name"].to_pylist() if one.startswith(hooks.PREFIX)]
    settings = _without(settings, "name", told)
    ask = target.connection
    own = ask.execute("SELECT hash FROM tokens UNION ALL SELECT name FROM settings").fetchall()
    if not own:
        target.insert("tokens", tokens)
        target.insert("settings", settings)
        return True if tokens.num_rows or settings.num_rows else None
    theirs = {*_pairs(tokens, "token_no", "hash"), *_pairs(settings, "name", "value")}
    there = {
        *_pairs(ask.execute("FROM tokens").to_arrow_table(), "token_no", "hash"),
        *_pairs(ask.execute("FROM settings").to_arrow_table(), "name", "value"),
    }
    return theirs == {one for one in there if not str(one[0]).startswith(hooks.PREFIX)}


def _pairs(rows: pa.Table, *columns: str) -> list[tuple[Any, ...]]:
    return list(zip(*(rows[name].to_pylist() for name in columns), strict=True))


def masked(source: Store, target: Store) -> int:
    """Mask whom the source masks, whether there are matches with them or not yet; how many."""
    theirs = table_of(source, "FROM masked").to_pylist()
    people = {one["player_id"]: one["name"] for one in theirs}
    told = {one: pseudonym(target, one) for one in people}

    def write() -> int:
        ask = target.connection
        target.claim([], people)
        numbers = target.players([*people], [*people.values()]).tolist()
        target.write_players()
        new = [
            (number, player, name)
            for number, (player, name) in zip(numbers, people.items(), strict=True)
            if not is_masked(ask, number)
        ]
        for number, player, name in new:
            ask.execute("INSERT INTO masked VALUES (?, ?, ?)", [number, player, name])
            ask.execute(
                "UPDATE players SET player_id = $1, name = $1 WHERE player_no = $2",
                [told[player], number],
            )
        if new:
            target.change("mask", len(new))
        return len(new)

    return written(target, write) if people else 0


# files


def files(source: Store, target: Store) -> None:
    """The files of which no match is there, too."""
    every = table_of(source, "FROM files ORDER BY 1")
    written(target, lambda: file_numbers(target, every))


def file_numbers(target: Store, rows: pa.Table) -> NDArray[np.int64]:
    """The numbers of files in the target, new ones added; call within a transaction.

    A file is known by its name and the moment it came.
    """
    there = _files(target)
    found, new = list[int](), list[dict[str, Any]]()
    for one in rows.to_pylist():
        number = there.get((one["name"], one["added_at"]))
        if number is None:
            number = target.file_number()
            new.append(one | {"file_no": number})
        found.append(number)
    target.insert("files", pa.Table.from_pylist(new, rows.schema))
    return np.array(found, np.int64)


def _files(target: Store) -> dict[tuple[str, Any], int]:
    rows = target.connection.execute("SELECT name, added_at, file_no FROM files").to_arrow_table()
    return {(one["name"], one["added_at"]): one["file_no"] for one in rows.to_pylist()}


# the trash


def trash(source: Store, target: Store) -> tuple[int, int]:
    """The deleted matches, each under its deletion, but for those that are there not deleted.

    (how many, how many were left out since they were purged there)
    """
    added = left_out = 0
    last = -1
    query = """SELECT t.*, c.changed_at FROM trash t JOIN changes c USING (change)
               WHERE match_no > ? ORDER BY match_no LIMIT ?"""
    while (rows := table_of(source, query, [last, BLOCK])).num_rows:
        last = int(ints(rows, "match_no").max())
        gone = purged_texts(target, rows)
        left_out += len(gone)
        rows = _without(rows, "match_id", gone)
        came = table_of(
            source, "FROM files WHERE file_no IN (SELECT unnest(?))", [rows["file_no"].to_pylist()]
        )
        added += written(target, lambda: _throw(target, rows, came))  # noqa: B023
    return added, left_out


def purged_texts(target: Store, rows: pa.Table) -> set[str]:
    """The ids of deleted matches that were purged there, or somebody who sits in them."""
    people = dict[str, list[str]]()
    for match, text, data in zip(*rows.select(["match_id", "text", "bytes"]), strict=True):
        try:
            log = value_of(data.as_py() or text.as_py().encode())
        except (ValueError, RecursionError):
            log = None
        people[match.as_py()] = [one["id"] for one in seats(log)]
    sat = {one for some in people.values() for one in some}
    gone = set(gone_among(target, {*people, *sat}))
    return {match for match, some in people.items() if gone.intersection([match, *some])}


def _throw(target: Store, rows: pa.Table, came: pa.Table) -> int:
    ask = target.connection
    there = "(SELECT match_id FROM matches UNION ALL SELECT match_id FROM trash)"
    with with_tables(ask, ids=pa.table({"match_id": rows["match_id"]})):
        here = ask.execute(f"FROM {there} SEMI JOIN ids USING (match_id)").fetchall()
    rows = _without(rows, "match_id", {one for (one,) in here})
    if not rows.num_rows:
        return 0
    numbers = _deletions(target, rows["changed_at"].unique().to_pylist())
    files = dict(zip(came["file_no"].to_pylist(), file_numbers(target, came).tolist(), strict=True))
    told = {
        "change": [numbers[at] for at in rows["changed_at"].to_pylist()],
        "match_no": target.number(rows.num_rows),
        "file_no": [files[number] for number in rows["file_no"].to_pylist()],
    }
    for name, column in told.items():
        rows = rows.set_column(rows.column_names.index(name), name, pa.array(column, pa.int64()))
    target.insert("trash", rows.drop_columns("changed_at"))
    target.change("copy", rows.num_rows)
    return int(rows.num_rows)


def _deletions(target: Store, moments: Collection[Any]) -> dict[Any, int]:
    """The numbers in the target of deletions of these moments, new ones added."""
    ask = target.connection
    deleted = "SELECT changed_at, change FROM changes WHERE what = 'delete'"
    numbers = dict(ask.execute(deleted).fetchall())
    [(last,)] = ask.execute("SELECT coalesce(max(change), 0) FROM changes").fetchall()
    for number, at in enumerate((at for at in sorted(moments) if at not in numbers), last + 1):
        ask.execute("INSERT INTO changes VALUES (?, ?, 'delete')", [number, at])
        numbers[at] = number
    return numbers


def drafts(source: Store, target: Store) -> int:
    """Matches that somebody is still typing in; how many are new there."""
    theirs = table_of(source, "FROM drafts")

    def write() -> int:
        known = {one for (one,) in target.connection.execute("SELECT hash FROM drafts").fetchall()}
        new = _without(theirs, "hash", known)
        target.insert("drafts", new)
        return int(new.num_rows)

    return written(target, write)


_OF_CHANGES = ("undelete", "empty", "mask", "unmask", "purge", "revalidate", "copy")
"""Acts whose number is one of the source's changes, which do not go along."""


def acts(source: Store, target: Store) -> None:
    """Who did what, where tokens are the same: a contributor may take back what they added."""
    query = """
        SELECT a.*, CASE WHEN a.what = 'add' THEN f.name END AS name,
            CASE a.what WHEN 'add' THEN f.added_at WHEN 'delete' THEN c.changed_at END AS at
        FROM audit a LEFT JOIN files f ON f.file_no = a.about
            LEFT JOIN (FROM changes WHERE what = 'delete') c ON c.change = a.about
        ORDER BY done_at"""
    theirs = table_of(source, query)
    written(target, lambda: _acts(target, theirs.to_pylist(), theirs.schema))


def _acts(target: Store, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    ask = target.connection
    known = set(ask.execute("SELECT done_at, what FROM audit").fetchall())
    new = [one for one in rows if (one["done_at"], one["what"]) not in known]
    came = _files(target)
    deleted = "SELECT changed_at, change FROM changes WHERE what = 'delete'"
    thrown = dict(ask.execute(deleted).fetchall())
    for one in new:
        name, at = one.pop("name"), one.pop("at")
        if one["what"] == audit.ADD:
            one["about"] = came.get((name, at))
        elif one["what"] == "delete":
            one["about"] = thrown.get(at)
        elif one["what"] in _OF_CHANGES:
            one["about"] = None
    kept = pa.schema([schema.field(name) for name in ("done_at", "token_no", "what", "about", "n")])
    target.insert("audit", pa.Table.from_pylist(new, kept))


def _without(rows: pa.Table, column: str, values: Collection[Any]) -> pa.Table:
    """The rows that have none of some values in a column."""
    keep = [one not in values for one in rows[column].to_pylist()]
    return rows.filter(pa.array(keep, pa.bool_()))
