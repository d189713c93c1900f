"""The store's tables and logs, whole or some matches of them, streamed into a file."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple

import duckdb
import pyarrow as pa

from ingest.store.pseudonyms import pseudonyms
from ingest.store.store import Store
from ingest.text.names import renamed
from ingest.text.signs import FORMULA, GUARD, NUMBER

ROWS = 2000
"""Texts held at a time."""


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
) -> int:
    """Write a table, or its rows of some matches; how many rows.

    `anonymous` puts every player's pseudonym for the name and the id, and leaves out the ids
    logs gave themselves. StoreError: the store cannot be read, or has no key and takes none.
    """
    ask = store.cursor()
    known = pseudonyms(store) if anonymous else {}
    # a path is bound, and beside it no other value can be
    wanted = ask.execute(chosen.numbers(), list(chosen.values)).to_arrow_table()  # noqa: F841
    texts = pa.schema([("match_no", pa.int64()), ("text", pa.string()), ("bytes", pa.binary())])
    # found by their names in the query below
    told = pa.table(  # noqa: F841
        {"player_no": pa.array(known, pa.int32()), "told": pa.array(known.values(), pa.string())}
    )
    if table is Table.RAW:
        readable = pa.RecordBatchReader.from_batches(  # noqa: F841
            texts, _raw(store, chosen, anonymous, texts)
        )
    query = _rows(table, chosen is EVERYTHING, anonymous)
    with store.told():
        if format is Format.CSV:
            # a reader is read once: its columns are those of the table
            query = _guarded(ask, query, "FROM raw" if table is Table.RAW else query)
        row = ask.execute(f"COPY ({query}) TO ? ({_WRITE[format]})", [str(path)]).fetchone()
    return int(row[0]) if row else 0


def _rows(table: Table, everything: bool, anonymous: bool) -> str:
    """The rows of a table, all or those of the matches `wanted`."""
    if table is Table.RAW:
        return "FROM readable"
    if table is Table.FILES:
        return "FROM files"
    columns = "*"
    if anonymous and table is Table.PLAYERS:
        columns = "player_no, told AS player_id, told AS name"
    elif anonymous and table is Table.MATCHES:
        columns = "* REPLACE (NULL::VARCHAR AS log_id)"
    source = table.value
    if anonymous and table is Table.PLAYERS:
        source = "players JOIN told USING (player_no)"
    if everything:
        return f"SELECT {columns} FROM {source}"
    if table is Table.PLAYERS:
        seated = "SELECT player_no FROM seats WHERE match_no IN (FROM wanted)"
        return f"SELECT {columns} FROM {source} WHERE player_no IN ({seated})"
    return f"SELECT {columns} FROM {source} WHERE match_no IN (FROM wanted)"


def _guarded(ask: duckdb.DuckDBPyConnection, query: str, like: str) -> str:
    """The same rows, with the columns of `like`: no spreadsheet takes a text for a formula."""
    formula, guard = (text.replace("'", "''") for text in (FORMULA, GUARD))
    cells = []
    for name, kind, *_ in ask.execute(f"DESCRIBE {like}").fetchall():
        if kind in ("VARCHAR", "BLOB"):
            text = f"{name}::VARCHAR"
            cells.append(
                f"CASE WHEN regexp_full_match({text}, '{NUMBER}') THEN {text}"
                f" ELSE regexp_replace({text}, '{formula}', '{guard}', 'g') END AS {name}"
            )
        else:
            cells.append(name)
    return f"SELECT {', '.join(cells)} FROM ({query})"


def write_logs(
    store: Store, file: IO[bytes], chosen: Chosen = EVERYTHING, anonymous: bool = False
) -> tuple[int, int]:
    """Write logs one a line; (how many were written, how many were no JSON and left out).

    A log stays byte for byte what it was but for its line breaks and masked names, with
    `anonymous` every player's; comments are left out where a name is hidden.
    """
    written = left_out = 0
    for _, text, data in _texts(store, chosen, anonymous):
        # JSON has line breaks between its words only
        line = b"" if text is None else b" ".join(text.encode().splitlines()).strip()
        if line.startswith(b"{") and line.endswith(b"}") and data is None:
            file.write(line + b"\n")
            written += 1
        else:
            left_out += 1
    return written, left_out


def _raw(
    store: Store, chosen: Chosen, anonymous: bool, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    rows: list[tuple[int, str | None, bytes | None]] = []
    for row in _texts(store, chosen, anonymous):
        rows.append(row)
        if len(rows) == ROWS:
            yield pa.RecordBatch.from_pylist(_named(rows, schema), schema)
            rows = []
    yield pa.RecordBatch.from_pylist(_named(rows, schema), schema)


def _named(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> list[dict[str, Any]]:
    return [dict(zip(schema.names, row, strict=True)) for row in rows]


def _texts(
    store: Store, chosen: Chosen, anonymous: bool
) -> Iterator[tuple[int, str | None, bytes | None]]:
    """Number, text or bytes of some matches, in order, under the names that may be read."""
    ask = store.cursor()
    names = _names(ask, pseudonyms(store) if anonymous else {})
    seats = "list(player_no) FILTER (player_no IN (FROM hidden))"
    hidden = pa.table({"player_no": pa.array(names, pa.int32())})  # noqa: F841 (by its name)
    found = ask.execute(
        f"""
        WITH chosen AS MATERIALIZED ({chosen.numbers()}), seated AS (
            SELECT match_no, {seats} AS players FROM seats SEMI JOIN chosen USING (match_no)
            GROUP BY match_no
        )
        SELECT r.match_no, r.text, r.bytes, coalesce(s.players, [])
        FROM raw r SEMI JOIN chosen c USING (match_no) LEFT JOIN seated s USING (match_no)
        ORDER BY r.match_no
        """,
        list(chosen.values),
    )
    while rows := found.fetchmany(ROWS):
        for number, text, data, players in rows:
            hide = {known: told for one in players for known, told in names[one].items()}
            if hide and text is not None:
                text = renamed(text.encode(), hide).decode()
            elif anonymous and not players:
                text, data = "", None  # no seats: nobody knows which names are in it
            yield number, text, None if data is None else bytes(data)


def _names(
    ask: duckdb.DuckDBPyConnection, everybody: Mapping[int, str]
) -> dict[int, dict[str, str]]:
    """What is read for the names and ids of each hidden player: the masked ones, or all."""
    rows = ask.execute(
        """
        SELECT p.player_no, coalesce(k.player_id, p.player_id), coalesce(k.name, p.name), p.name
        FROM players p LEFT JOIN masked k USING (player_no)
        WHERE k.player_no IS NOT NULL OR ?
        """,
        [bool(everybody)],
    ).fetchall()
    return {
        number: dict.fromkeys((player, name), everybody.get(number, shown))
        for number, player, name, shown in rows
    }
