"""Players of one match who are purged: every place of the store that mentions them, in rows and bytes.

A guest's matches are numbered behind those that `tests.ingest.kills` uploads again and again, and
nobody is called like anybody else, so that each name is looked for by itself.
"""

import json
import random
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

import duckdb

from tests.ingest.logs import documents
from tests.ingest.raw_texts import blocks, raw

BEGIN = 100
"""The first number that is a guest's match."""
EACH = 4
"""Matches there are of a guest: at two they sit, of one only others speak, one goes to the trash"""
SEATED = frozenset({0, 1, 3})
THROWN = 3
_LETTERS = "bcdfghjklmnpqrstvwxz"
_WORDS = (9, 8, 10)


def matches(guest: int) -> range:
    """The numbers of a guest's matches."""
    return range(BEGIN + EACH * guest, BEGIN + EACH * (guest + 1))


def seated(guest: int) -> frozenset[int]:
    """Those a guest sits at."""
    return frozenset(matches(guest)[place] for place in SEATED)


def thrown(guest: int) -> int:
    """The one that is deleted."""
    return matches(guest)[THROWN]


def words(guest: int) -> tuple[str, str, str]:
    """What a guest is called: the id, and two names."""
    lot = random.Random(guest)
    first, second, third = ("".join(lot.choices(_LETTERS, k=length)) for length in _WORDS)
    return first, second.capitalize(), third.capitalize()


def other(guest: int) -> str:
    """The id of somebody who sits at all of a guest's matches."""
    return f"{guest}-1"


@cache
def texts(guest: int) -> dict[int, bytes]:
    """Number → text of a guest's matches."""
    player, first, last = words(guest)
    her = {"id": player, "name": f"{first} {last}"}
    others = [{"id": other(guest), "name": f"Table {guest}"}, {"id": "x", "name": "x"}]
    found = {}
    for place, (number, one) in enumerate(zip(matches(guest), documents(16 + EACH)[-EACH:], strict=True)):
        one |= {"id": str(number), "players": others.copy()}
        if place in SEATED:
            one["players"][1] = her
            one["deals"][0]["comments"] = [{"after": 0, "text": f"Bravo {first} !", "by": player}]
        one["event"] = {"name": f"Chez {first} {last.upper()}"}
        found[number] = json.dumps(one, ensure_ascii=False).encode()
    return found


def of(number: int) -> int:
    """Whose match it is."""
    return (number - BEGIN) // EACH


def forgotten(store: duckdb.DuckDBPyConnection, numbers: Collection[int]) -> frozenset[int]:
    """Of the guests of some matches those who were purged.

    AssertionError: of somebody some is left, and some is not.
    """
    known = {of(number) for number in numbers if number >= BEGIN}
    rows = everything(store) if known else ""
    purged = set[int]()
    for guest in known:
        left = [word for word in words(guest) if word.lower() in rows]
        if not left:
            purged.add(guest)
            continue
        player, first, last = words(guest)
        [(name,)] = store.execute("SELECT name FROM players WHERE player_id = ?", [player]).fetchall()
        assert name == f"{first} {last}", f"{guest} is {name}"
        thrown = store.execute("SELECT text FROM trash").fetchall()
        found = {*raw(store).values(), *(text.encode() for (text,) in thrown)}
        here = [number for number in numbers if number >= BEGIN and of(number) == guest]
        assert all(texts(guest)[number] in found for number in here), f"{guest} is half renamed"
    return frozenset(purged)


def everything(store: duckdb.DuckDBPyConnection) -> str:
    """All rows of all tables, in small letters."""
    tables = store.execute("SELECT schema_name, table_name FROM duckdb_tables()").fetchall()
    rows = [store.execute(f"FROM {schema}.{table}").fetchall() for schema, table in tables]
    return str([rows, [text.decode() for text in blocks(store)]]).lower()


def in_bytes(path: Path, wanted: Collection[str]) -> list[str]:
    """Words that are in a store's file, its journal or whatever else has its name and more."""
    files = [one for one in path.parent.rglob("*") if one.is_file()]
    adjacent = [one for one in files if str(one).startswith(str(path))]
    found = {one: one.read_bytes().lower() for one in adjacent}
    return [
        f"{word} in {one.name}"
        for word in wanted
        for one, data in found.items()
        # not the first part of another match's id
        if re.search(re.escape(word.lower().encode()) + rb"(?![a-z0-9])", data)
    ]
