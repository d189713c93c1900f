"""Addresses of programs that are told of new matches, kept beside what else an admin decides."""

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa

from ingest.store import audit
from ingest.store.factory import Store
from schemas.migrations import number as one_number
from schemas.migrations import with_tables

PREFIX = "webhook "
"""How the name of such a setting begins; its number follows."""
LATE = timedelta(days=1)
"""How long after a file came to a lake it may get more matches, or one before it may still come."""
MOST = 1000
"""Matches of a file that are told of: those of some game."""


Ranges = Sequence[tuple[int, int]]
"""Numbers of files, from and until."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """One address."""

    number: int
    url: str
    secret: str
    """What both sides sign with: it lets nobody in."""
    private: bool
    """Whether the address may be one of this computer, or of its network."""
    told: int
    """Up to this file it was told of all that came, or they were there before it."""
    apart: Ranges = ()
    """Of a lake, where files come in any order: others it was told of."""


def webhooks(ask: duckdb.DuckDBPyConnection) -> list[Webhook]:
    """Every address, the first one first."""
    rows = ask.execute(
        "SELECT name, value FROM settings WHERE starts_with(name, ?)", [PREFIX]
    ).fetchall()
    found = []
    for name, value in rows:
        kept = json.loads(value)
        apart = [(first, last) for first, last in kept.pop("apart", ())]
        found.append(Webhook(int(name.removeprefix(PREFIX)), **kept, apart=apart))
    return sorted(found, key=lambda one: one.number)


def add(store: Store, url: str, private: bool = False) -> Webhook:
    """Have an address told of every file from now on. StoreError: the store cannot be written."""
    with store.adding():
        ask = store.connection
        number = max((one.number for one in webhooks(ask)), default=0) + 1
        made = Webhook(number, url, secrets.token_urlsafe(32), private, -1)
        made = _told(store, made, _untold(store, ask, made))
        _write(ask, made)
        audit.note(ask, "webhook", number)
    return made


def remove(store: Store, number: int) -> None:
    """Tell an address nothing more. KeyError: there is none of that number."""
    with store.adding():
        if not any(one.number == number for one in webhooks(store.connection)):
            raise KeyError(number)
        store.connection.execute(_DROP, [f"{PREFIX}{number}"])
        audit.note(store.connection, "remove-webhook", number)


def tell(store: Store, number: int, files: Sequence[int]) -> None:
    """Note of which files an address was told; one that was removed meanwhile stays so."""
    with store.adding():
        for one in webhooks(store.connection):
            if one.number == number:
                _write(store.connection, _told(store, one, files))


News = tuple[int, list[dict[str, object]]]
"""The number of a file, and its matches as programs are told of them."""


def newest(ask: duckdb.DuckDBPyConnection) -> int:
    """The number of the last file; of a backup that was put back it is a lower one again."""
    return one_number(ask, "SELECT coalesce(max(file_no), -1) FROM files")


def news(store: Store, one: Webhook, most: int) -> Iterator[News]:
    """The files an address was not told of, at most so many, each with its matches."""
    ask = store.cursor()
    for file_no in _untold(store, ask, one, most):
        rows = ask.execute(
            "SELECT match_id, status::VARCHAR, game, played_at FROM matches"
            " WHERE file_no = ? AND game IS NOT NULL ORDER BY match_no LIMIT ?",
            [file_no, MOST],
        ).fetchall()
        matches: list[dict[str, object]] = [
            {"id": id, "status": status, "game": game, "played_at": at and at.isoformat()}
            for id, status, game, at in rows
        ]
        yield file_no, matches


_DROP = "DELETE FROM settings WHERE name = ?"
_UNTOLD = """
FROM files f WHERE file_no > $told
    AND NOT EXISTS (FROM apart a WHERE f.file_no BETWEEN a.first AND a.last)
"""


def _untold(
    store: Store, ask: duckdb.DuckDBPyConnection, one: Webhook, most: int | None = None
) -> list[int]:
    """Files that are whole and of which an address was not told, in the order of their numbers.

    In a lake a file whose parts are still coming counts no match (`ingest.store.lake_part`).
    """
    values = {
        "told": min(one.told, newest(ask)),
        "in_order": store.in_a_file,
        "late": datetime.now(UTC) - LATE,
        "most": most,
    }
    with with_tables(ask, apart=_as_table(one.apart)):
        found = ask.execute(
            f"SELECT file_no {_UNTOLD} AND ($in_order OR matches > 0 OR added_at < $late)"
            " ORDER BY file_no LIMIT $most",
            values,
        ).fetchall()
    return [int(file_no) for (file_no,) in found]


def _told(store: Store, one: Webhook, files: Sequence[int]) -> Webhook:
    """An address that was told of some files more; call within `adding`."""
    told = min(one.told, newest(store.connection))
    if store.in_a_file:
        return replace(one, told=max([told, *files]))
    ranges = list[tuple[int, int]]()  # the same numbers in as few as can be, in order
    for first, last in sorted([*one.apart, *((file_no, file_no) for file_no in files)]):
        if ranges and first <= ranges[-1][1] + 1:
            first, last = ranges[-1][0], max(ranges.pop()[1], last)
        ranges.append((first, last))
    with with_tables(store.connection, apart=_as_table(ranges)):
        [(before,)] = store.connection.execute(
            f"SELECT coalesce(min(file_no) - 1, (SELECT max(file_no) FROM files)) {_UNTOLD}",
            {"told": told},
        ).fetchall()
    [(old,)] = store.connection.execute(
        "SELECT max(file_no) FROM files WHERE added_at < ?", [datetime.now(UTC) - LATE]
    ).fetchall()
    if old is not None and before is not None:
        told = max(told, min(int(old), int(before)))
    for first, last in ranges:
        if first <= told + 1:
            told = max(told, last)
    return replace(one, told=told, apart=[(first, last) for first, last in ranges if last > told])


def _as_table(ranges: Ranges) -> pa.Table:
    first, last = ([one[end] for one in ranges] for end in (0, 1))
    return pa.table({"first": pa.array(first, pa.int64()), "last": pa.array(last, pa.int64())})


def _write(ask: duckdb.DuckDBPyConnection, one: Webhook) -> None:
    """Keep an address, in the place of what was kept of it."""
    name, kept = f"{PREFIX}{one.number}", asdict(one)
    del kept["number"]
    ask.execute(_DROP, [name])
    ask.execute("INSERT INTO settings VALUES (?, ?)", [name, json.dumps(kept)])
