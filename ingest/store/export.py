"""The store's tables and logs, whole or some matches of them, streamed into a file."""

import json
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from io import BufferedReader, RawIOBase
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb
import orjson
import pyarrow as pa

from ingest.reader.escaping import FORMULA, GUARD, NUMBER
from ingest.reader.files import named_lines
from ingest.redact.log_text import Hide, People, Person, is_plain, nameless, renamed
from ingest.store.cancellation import watched
from ingest.store.errors import NOTHING
from ingest.store.factory import FAILED, Store, StoreError
from ingest.store.pseudonyms import known_names, pseudonyms
from ingest.store.raw_texts import masked, read
from schemas.migrations import EarlierStore, NewerStore, connect, pending, with_tables

ROWS = 2000
"""Texts held at a time."""
TEXTS = pa.schema([("match_no", pa.int64()), ("text", pa.string()), ("bytes", pa.binary())])
"""What is exported of `raw`, where the store has blocks."""
INSTEAD = pa.schema([(name, pa.string()) for name in ("place", "was", "told")])
"""A column, a value of it and what is told in its place."""


class Table(StrEnum):
    """The tables and views of a store that may be exported."""

    FILES = "files"
    MATCHES = "matches"
    PLAYERS = "players"
    SEATS = "seats"
    DEALS = "deals"
    DEAL_SEATS = "deal_seats"
    ANNOUNCEMENTS = "announcements"
    TRICKS = "tricks"
    FINDINGS = "findings"
    RATINGS = "ratings"
    RAW = "raw"


class Format(StrEnum):
    """How a table is written."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


_WRITE = {
    Format.PARQUET: "FORMAT parquet, COMPRESSION zstd",
    Format.CSV: "FORMAT csv, HEADER true",
    Format.JSONL: "FORMAT json",
}


class Kept(StrEnum):
    """What of a log's own words an anonymous export may be asked to keep, without the names."""

    EVENT = "event"
    SOURCE = "source"
    ID = "id"
    COMMENTS = "comments"
    NOTES = "notes"
    FILE = "file"


OWN_WORDS: dict[Table, dict[str, tuple[Kept, ...]]] = {
    Table.FILES: {"name": (Kept.FILE,)},
    Table.MATCHES: {
        "log_id": (Kept.ID,),
        "event": (Kept.EVENT,),
        "source": (Kept.SOURCE,),
        "details": (Kept.EVENT, Kept.SOURCE),
        "preset": (),
        "options": (),
    },
    Table.FINDINGS: {"path": (), "found": (), "legal": ()},
}
"""Columns with a log's own words, and what is to be kept for them to stay; where it is nothing,
they stay as far as they have words of the game alone."""


class Chosen(NamedTuple):
    """Some matches: what follows FROM in a query where `m` is a match, and its `?`."""

    where: str = "matches m"
    values: Sequence[Any] = ()

    def numbers(self) -> str:
        return f"SELECT m.match_no FROM {self.where}"


EVERYTHING = Chosen()


def write_table(
    store: Store,
    table: Table,
    format: Format,
    path: Path,
    chosen: Chosen = EVERYTHING,
    anonymous: bool = False,
    keep: Collection[Kept] = (),
) -> int:
    """Write a table, or its rows of some matches; how many rows.

    `anonymous` puts every player's pseudonym for the name and the id, and leaves out what logs say
    in words of their own, but for what is to be kept. StoreError: the store cannot be read, or has
    no key and takes none.
    """
    ask = store.cursor()
    known = pseudonyms(store) if anonymous else {}
    other = _other_words(store, table, anonymous, keep)
    told = {"player_no": pa.array(known, pa.int32()), "told": pa.array(known.values(), pa.string())}
    # as they are called in the query below; a path is bound, and beside it no other value can be
    found: dict[str, Any] = {
        "wanted": ask.execute(chosen.numbers(), list(chosen.values)).to_arrow_table(),
        "told": pa.table(told),
        "instead": pa.Table.from_pylist(
            [dict(zip(INSTEAD.names, one, strict=True)) for one in other], INSTEAD
        ),
    }
    if table is Table.RAW:
        texts = _texts(store, chosen, anonymous, keep)
        blocks = iter(lambda: list(islice(texts, ROWS)), [])
        batches = (pa.record_batch([*zip(*some, strict=True)], schema=TEXTS) for some in blocks)
        found["readable"] = pa.RecordBatchReader.from_batches(TEXTS, batches)
    query = _rows(table, chosen is EVERYTHING, anonymous, sorted({place for place, *_ in other}))
    with store.told(), with_tables(ask, **found):
        if format is Format.CSV:
            query = _guarded(ask, query)
        row = ask.execute(f"COPY ({query}) TO ? ({_WRITE[format]})", [str(path)]).fetchone()
    return int(row[0]) if row else 0


def _rows(table: Table, everything: bool, anonymous: bool, hidden: Sequence[str]) -> str:
    """The rows of a table, all or those of the matches `wanted`; of some columns what is `told`."""
    if table is Table.RAW:
        return "FROM readable"
    columns, source = "*", table.value
    if hidden:  # of each what is told instead of some of its values; no join, it may lose order
        these = "FROM instead WHERE place = '{0}'"
        instead = (
            f"CASE WHEN list_contains((SELECT list(was) {these}), {{0}})"
            f" THEN (SELECT map(list(was), list(told)) {these})[{{0}}] ELSE {{0}} END AS {{0}}"
        )
        columns = f"* REPLACE ({', '.join(map(instead.format, hidden))})"
    if anonymous and table is Table.PLAYERS:
        columns = "player_no, told AS player_id, told AS name"
        source = "players JOIN told USING (player_no)"
    if everything or table is Table.FILES:
        return f"SELECT {columns} FROM {source}"
    seated = "player_no IN (SELECT player_no FROM seats WHERE match_no IN (FROM wanted))"
    these = seated if table is Table.PLAYERS else "match_no IN (FROM wanted)"
    return f"SELECT {columns} FROM {source} WHERE {these}"


def _other_words(
    store: Store, table: Table, anonymous: bool, keep: Collection[Kept]
) -> list[tuple[str, str, str | None]]:
    """A column, a value of it and what is told instead: nothing, or the same without names."""
    ask, everybody = store.cursor(), _people(store, anonymous)
    if table not in OWN_WORDS or not (everybody or anonymous):
        return []
    people = People(everybody.values())
    found = []
    for column, needed in OWN_WORDS[table].items():
        values = ask.execute(
            f"SELECT {column}, list(DISTINCT player_no) FILTER (player_no IS NOT NULL)"
            f" FROM {_SEATED[table]} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
        ).fetchall()
        for value, seated in values:
            told: str | None
            if not needed and is_plain(value):
                told = value
            elif anonymous and not (needed and set(needed) <= set(keep)):
                told = None
            else:
                hide = people.hide([everybody[one].id for one in seated or () if one in everybody])
                told = _hidden(value, column, hide)
            if told != value:
                found.append((column, value, told))
    return found


_SEATED = {
    Table.FILES: "files LEFT JOIN matches USING (file_no) LEFT JOIN seats USING (match_no)",
    Table.MATCHES: "matches LEFT JOIN seats USING (match_no)",
    Table.FINDINGS: "findings LEFT JOIN seats USING (match_no)",
}
"""Tables with a log's own words, and who sat where they were said."""


def _hidden(value: str, column: str, hide: Hide) -> str:
    """A value without the names."""
    if column == "details":
        told = hide.value(was := json.loads(value))
        return value if told == was else json.dumps(told, ensure_ascii=False)
    return hide(value, within=column not in ("event", "source"))


def _guarded(ask: duckdb.DuckDBPyConnection, query: str) -> str:
    """The same rows, no text of which a spreadsheet takes for a formula."""
    formula, guard = (text.replace("'", "''") for text in (FORMULA, GUARD))
    guarded = (
        f"CASE WHEN regexp_full_match({{0}}::VARCHAR, '{NUMBER}') THEN {{0}}::VARCHAR"
        f" ELSE regexp_replace({{0}}::VARCHAR, '{formula}', '{guard}', 'g') END AS {{0}}"
    )
    cells = [
        guarded.replace("{0}", name) if kind in ("VARCHAR", "BLOB") else name
        for name, kind, *_ in ask.execute(f"DESCRIBE {query}").fetchall()
    ]
    return f"SELECT {', '.join(cells)} FROM ({query})"


def write_logs(
    store: Store,
    file: IO[bytes],
    chosen: Chosen = EVERYTHING,
    anonymous: bool = False,
    keep: Collection[Kept] = (),
) -> tuple[int, int]:
    """Write logs one a line; (how many were written, how many were no JSON and left out).

    A log stays byte for byte what it was but for line breaks, white space at its ends and masked
    names. With `anonymous` every player has a pseudonym, and what a log says in words of its own is
    left out but for what is to be kept.
    """
    written = left_out = 0
    go_on = watched()
    for _, text, data in _texts(store, chosen, anonymous, keep):
        go_on()
        line = b"" if text is None else one_line(text.encode())
        if line.startswith(b"{") and line.endswith(b"}") and data is None:
            file.write(line + b"\n")
            written += 1
        else:
            left_out += 1
    return written, left_out


def one_line(text: bytes) -> bytes:
    """A text with a space for each line break; nothing where it is no JSON with them.

    JSON has breaks between its words only: a space for one within a word would mend what is stored
    as unreadable.
    """
    lines = text.strip().splitlines()
    if len(lines) > 1:
        try:
            orjson.loads(text)
        except ValueError:
            return b""
    return b" ".join(lines)


def _texts(
    store: Store, chosen: Chosen, anonymous: bool, keep: Collection[Kept]
) -> Iterator[tuple[int, str | None, bytes | None]]:
    """Number, text or bytes of some matches, in order, under the names that may be read."""
    ask = store.cursor()
    people = People(_people(store, anonymous).values())
    found = ask.execute(
        f"""
        WITH chosen AS MATERIALIZED ({chosen.numbers()})
        SELECT r.match_no, r.match_no IN (SELECT match_no FROM seats)
        FROM raw r SEMI JOIN chosen c USING (match_no)
        ORDER BY r.match_no
        """,
        list(chosen.values),
    ).fetchall()
    seated = {number for number, sits in found if sits}
    for number, was in read(ask, [number for number, _ in found]):
        if not anonymous:
            told = renamed(was, people)
        else:  # no seats: nobody knows which names are in it
            told = nameless(was, people, keep) if number in seated else b""
        try:
            yield number, told.decode(), None
        except UnicodeDecodeError:
            yield number, None, told


def _people(store: Store, anonymous: bool) -> dict[int, Person]:
    """Who is masked, or everybody, by number, with the pseudonym and all names."""
    hidden = masked(store.cursor())
    if not anonymous:
        return hidden
    told, none = pseudonyms(store), Person("", "", frozenset())
    return {
        number: Person(names[0], told[number], frozenset(names) | hidden.get(number, none).names)
        for number, names in known_names(store).items()
    }


# out of a store that an earlier development version made


def earlier_logs(path: str) -> list[tuple[str, IO[bytes]]]:
    """Each file that a store of an earlier development version has logs of, by its name.

    None: it is no such store. That version's last schema had the texts as they lie today. Names of
    players who are masked there stay hidden, and what is in its trash stays behind. StoreError: it
    is one, and cannot be read.
    """
    try:
        ask = connect(path, read_only=True)
    except duckdb.Error:
        return []  # whoever reads it as a log is told what it is
    try:
        pending(ask)
    except EarlierStore:
        return _earlier_files(path, ask)
    except (NewerStore, duckdb.Error):
        pass
    ask.close()
    return []


def _earlier_files(path: str, ask: duckdb.DuckDBPyConnection) -> list[tuple[str, IO[bytes]]]:
    try:
        people = People(masked(ask).values())
        files = ask.execute(
            "SELECT name, list(match_no) FROM (FROM matches SEMI JOIN raw USING (match_no))"
            " JOIN files USING (file_no) GROUP BY file_no, name ORDER BY file_no"
        ).fetchall()
        ask.execute("SELECT packed FROM raw LIMIT 0")
    except duckdb.Error as error:  # a schema of long before
        reason = str(error).splitlines()[0]
        raise StoreError(FAILED, path=path, reason=reason, left=NOTHING) from error

    def lines(numbers: list[int]) -> Iterator[bytes]:
        for _, text in read(ask.cursor(), numbers):
            told = renamed(text, people)
            yield (one_line(told) or told) + b"\n"

    return [
        (name if named_lines(name) else f"{name}.jsonl", BufferedReader(_Stream(lines(numbers))))
        for name, numbers in files
    ]


class _Stream(RawIOBase):
    """Lines as a file that is read once."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self._left = lines, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or next(self._lines, b"")
        some, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(some)] = some
        return len(some)
