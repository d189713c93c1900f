"""Addresses of programs that are told of new matches, kept beside what else a steward decides."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import duckdb

from ingest.store import audit
from ingest.store.store import Store

PREFIX = "hook "
"""How the name of such a setting begins; its number follows."""
MOST = 1000
"""Matches of a file that are told of: those of some game."""


@dataclass(frozen=True, slots=True)
class Hook:
    """One address."""

    number: int
    url: str
    secret: str
    """What both sides sign with: it lets nobody in."""
    private: bool
    """Whether the address may be one of this computer, or of its network."""
    told: int
    """The last file it was told of, or that was there before it."""


def hooks(ask: duckdb.DuckDBPyConnection) -> list[Hook]:
    """Every address, the first one first."""
    rows = ask.execute(
        "SELECT name, value FROM settings WHERE starts_with(name, ?)", [PREFIX]
    ).fetchall()
    found = [Hook(int(name.removeprefix(PREFIX)), **json.loads(value)) for name, value in rows]
    return sorted(found, key=lambda one: one.number)


def add(store: Store, url: str, private: bool = False) -> Hook:
    """Have an address told of every file from now on. StoreError: the store cannot be written."""
    with store.adding():
        ask = store.connection
        number = max((one.number for one in hooks(ask)), default=0) + 1
        made = Hook(number, url, secrets.token_urlsafe(32), private, newest(ask))
        _write(ask, made)
        audit.note(ask, "hook", number)
    return made


def remove(store: Store, number: int) -> None:
    """Tell an address nothing more. KeyError: there is none of that number."""
    with store.adding():
        _known(store.connection, number)
        _drop(store.connection, number)
        audit.note(store.connection, "unhook", number)


def tell(store: Store, number: int, told: int) -> None:
    """Note up to which file an address was told; one that was removed meanwhile stays so."""
    with store.adding():
        for one in hooks(store.connection):
            if one.number == number:
                _drop(store.connection, number)
                _write(store.connection, replace(one, told=told))


News = tuple[int, list[dict[str, object]]]
"""The number of a file, and its matches as programs are told of them."""


def newest(ask: duckdb.DuckDBPyConnection) -> int:
    """The number of the last file; of a backup that was put back it is a lower one again."""
    [(number,)] = ask.execute("SELECT coalesce(max(file_no), -1) FROM files").fetchall()
    return int(number)


def news(ask: duckdb.DuckDBPyConnection, told: int, most: int) -> Iterator[News]:
    """The files after one, at most so many, each with its matches."""
    files = ask.execute(
        "SELECT file_no FROM files WHERE file_no > ? ORDER BY file_no LIMIT ?", [told, most]
    ).fetchall()
    for (file_no,) in files:
        rows = ask.execute(
            "SELECT match_id, status::VARCHAR, game, played_at FROM matches"
            " WHERE file_no = ? AND game IS NOT NULL ORDER BY match_no LIMIT ?",
            [file_no, MOST],
        ).fetchall()
        matches: list[dict[str, object]] = [
            {"id": id, "status": status, "game": game, "played_at": at and at.isoformat()}
            for id, status, game, at in rows
        ]
        yield int(file_no), matches


def _known(ask: duckdb.DuckDBPyConnection, number: int) -> None:
    if not any(one.number == number for one in hooks(ask)):
        raise KeyError(number)


def _drop(ask: duckdb.DuckDBPyConnection, number: int) -> None:
    ask.execute("DELETE FROM settings WHERE name = ?", [f"{PREFIX}{number}"])


def _write(ask: duckdb.DuckDBPyConnection, one: Hook) -> None:
    kept = {key: value for key, value in asdict(one).items() if key != "number"}
    ask.execute("INSERT INTO settings VALUES (?, ?)", [f"{PREFIX}{one.number}", json.dumps(kept)])
