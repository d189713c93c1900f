"""Exports tables (CSV, Parquet, JSONL) and logs, whole or filtered."""

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

from ingest.cancellation import cancellation_checker
from ingest.escaping import FORMULA_GUARD, FORMULA_START, PLAIN_NUMBER
from ingest.reader.files import is_named_as_lines
from ingest.redact import anonymize_log
from ingest.store.aliases import declared_by_player
from ingest.store.errors import NOTHING_CHANGED
from ingest.store.factory import STORE_FAILED, Store, StoreError
from ingest.store.pseudonyms import known_names, pseudonyms
from ingest.store.raw_texts import masked_players, read_texts
from schemas.migrations import (
    NewerStoreError,
    OutdatedStoreError,
    connect,
    pending_migrations,
    table_names,
    with_tables,
)
from schemas.player_key import fold_sql

ROWS_PER_BATCH = 2000
"""Texts in memory at a time."""
TEXT_SCHEMA = pa.schema([("match_no", pa.int64()), ("text", pa.string()), ("bytes", pa.binary())])
"""The columns exported for `raw`, which the store holds in compressed blocks."""
REPLACEMENT_SCHEMA = pa.schema([(name, pa.string()) for name in ("place", "was", "replacement")])
"""A column, one of its values and the replacement for it."""


class Table(StrEnum):
    """The tables and views that can be exported."""

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
    """The file format of an exported table, also the end of the file's name."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"
    ENGLISH_CSV = "en.csv"
    FRENCH_CSV = "fr.csv"


SPREADSHEET_FORMATS = {"en": Format.ENGLISH_CSV, "fr": Format.FRENCH_CSV}
"""By language, the CSV that spreadsheet programs of it open as it is: with a byte order mark of UTF-8."""
UTF_8_MARK = "\ufeff"


_COPY_OPTIONS = {
    Format.PARQUET: "FORMAT parquet, COMPRESSION zstd",
    Format.CSV: "FORMAT csv, HEADER true",
    Format.JSONL: "FORMAT json",
    Format.ENGLISH_CSV: "FORMAT csv, HEADER true",
    Format.FRENCH_CSV: "FORMAT csv, HEADER true, DELIMITER ';'",
}


class KeepField(StrEnum):
    """Free text that an anonymous export includes on request, with the names removed."""

    EVENT = "event"
    SOURCE = "source"
    ID = "id"
    COMMENTS = "comments"
    NOTES = "notes"
    FILE = "file"


FREE_TEXT_COLUMNS: dict[Table, dict[str, tuple[KeepField, ...]]] = {
    Table.FILES: {"name": (KeepField.FILE,)},
    Table.MATCHES: {
        "log_id": (KeepField.ID,),
        "event": (KeepField.EVENT,),
        "source": (KeepField.SOURCE,),
        "details": (KeepField.EVENT, KeepField.SOURCE),
        "preset": (),
        "options": (),
    },
    Table.FINDINGS: {"path": (), "found": (), "legal": ()},
}
"""Columns with free text from logs → the KeepFields that must all be given for a column to stay;
if empty, a value stays if it consists of the game's notation only."""


class MatchSelection(NamedTuple):
    """Some matches: a query's part after FROM, where `m` is `matches`, and values for its `?`."""

    where: str = "matches m"
    values: Sequence[Any] = ()

    def numbers_query(self) -> str:
        return f"SELECT m.match_no FROM {self.where}"


ALL_MATCHES = MatchSelection()


def write_table(
    store: Store,
    table: Table,
    format: Format,
    path: Path,
    selection: MatchSelection = ALL_MATCHES,
    anonymous: bool = False,
    keep_fields: Collection[KeepField] = (),
) -> int:
    """Write a table, or its rows of some matches, to a file; return the number of rows.

    `anonymous` replaces each player's name and id by a pseudonym, and drops free text except for
    `keep_fields`. StoreError: the store cannot be read, or has no key for pseudonyms and cannot
    store one.
    """
    cursor = store.cursor()
    known = pseudonyms(store) if anonymous else {}
    other = _replacements(store, table, anonymous, keep_fields)
    fields = {"player_no": pa.array(known, pa.int32()), "replacement": pa.array(known.values(), pa.string())}
    # tables for the query below: COPY TO binds its path, and no other values besides
    found: dict[str, Any] = {
        "wanted": cursor.execute(selection.numbers_query(), list(selection.values)).to_arrow_table(),
        "replacement": pa.table(fields),
        "instead": pa.Table.from_pylist(
            [dict(zip(REPLACEMENT_SCHEMA.names, one, strict=True)) for one in other], REPLACEMENT_SCHEMA
        ),
    }
    if table is Table.RAW:
        texts = _log_texts(store, selection, anonymous, keep_fields)
        blocks = iter(lambda: list(islice(texts, ROWS_PER_BATCH)), [])
        batches = (pa.record_batch([*zip(*some, strict=True)], schema=TEXT_SCHEMA) for some in blocks)
        found["readable"] = pa.RecordBatchReader.from_batches(TEXT_SCHEMA, batches)
    query = _rows_query(table, selection is ALL_MATCHES, anonymous, sorted({place for place, *_ in other}))
    with store.translate_errors(), with_tables(cursor, **found):
        if format.endswith(Format.CSV):
            query = _escape_csv_cells(cursor, query, format)
        row = cursor.execute(
            f"COPY ({query}) TO ? ({_COPY_OPTIONS[format]}, USE_TMP_FILE false)", [str(path)]
        ).fetchone()
    return int(row[0]) if row else 0


def _rows_query(table: Table, all_matches: bool, anonymous: bool, redacted_columns: Sequence[str]) -> str:
    """Return a query for a table's rows, of all or the `wanted` matches, with replacements."""
    if table is Table.RAW:
        return "FROM readable"
    columns, source = "*", table.value
    if redacted_columns:  # replaced by map lookups: a join might lose the order of rows
        these = "FROM instead WHERE place = '{0}'"
        instead = (
            f"CASE WHEN list_contains((SELECT list(was) {these}), {{0}})"
            f" THEN (SELECT map(list(was), list(replacement)) {these})[{{0}}] ELSE {{0}} END AS {{0}}"
        )
        columns = f"* REPLACE ({', '.join(map(instead.format, redacted_columns))})"
    if anonymous and table is Table.PLAYERS:
        columns = "player_no, replacement AS player_id, replacement AS name"
        source = "players JOIN replacement USING (player_no)"
    these = "" if all_matches or table is Table.FILES else " WHERE match_no IN (FROM wanted)"
    if table is not Table.PLAYERS:
        return f"SELECT {columns} FROM {source}{these}"
    seated = these and f" WHERE player_no IN (SELECT player_no FROM seats{these})"
    return f"FROM (SELECT {columns} FROM {source}{seated}) ORDER BY {fold_sql('name')}, name, player_id"


def _replacements(
    store: Store, table: Table, anonymous: bool, keep_fields: Collection[KeepField]
) -> list[tuple[str, str, str | None]]:
    """Return (column, value, replacement): None, or the value without names."""
    cursor, everybody = store.cursor(), _players_to_mask(store, anonymous)
    if table not in FREE_TEXT_COLUMNS or not (everybody or anonymous):
        return []
    people = anonymize_log.MaskedPlayers(everybody.values())
    seatless = cursor.execute("SELECT match_no FROM matches ANTI JOIN seats USING (match_no)").fetchall()
    texts = read_texts(cursor, [number for (number,) in seatless])  # unreadable logs
    names = {number: own for number, text in texts if (own := people.names_in_text(text))}
    found = []
    for column, needed in FREE_TEXT_COLUMNS[table].items():
        values = cursor.execute(
            f"SELECT {column}, list(DISTINCT player_no) FILTER (player_no IS NOT NULL),"
            " list(DISTINCT match_no) FILTER (player_no IS NULL)"
            f" FROM {_SEATED_JOINS[table]} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
        ).fetchall()
        for value, seated, others in values:
            text: str | None
            if not needed and anonymize_log.is_notation_text(value):
                text = value
            elif anonymous and not (needed and set(needed) <= set(keep_fields)):
                text = None
            else:
                own = [everybody[one].id for one in seated or () if one in everybody]
                hide = people.redactor_for(own, set().union(*(names.get(one, ()) for one in others or ())))
                text = _redact(value, column, hide)
            if text != value:
                found.append((column, value, text))
    return found


_SEATED_JOINS = {
    Table.FILES: "files LEFT JOIN matches USING (file_no) LEFT JOIN seats USING (match_no)",
    Table.MATCHES: "matches LEFT JOIN seats USING (match_no)",
    Table.FINDINGS: "findings LEFT JOIN seats USING (match_no)",
}
"""Tables with free text, joined to the players of its matches."""


def _redact(value: str, column: str, hide: anonymize_log.LogRedactor) -> str:
    """Return a column's value with names replaced."""
    if column == "details":
        result = hide.redact_value(was := json.loads(value))
        return value if result == was else json.dumps(result, ensure_ascii=False)
    return hide(value, within=column not in ("event", "source"))


def _escape_csv_cells(cursor: duckdb.DuckDBPyConnection, query: str, format: Format) -> str:
    """Return a query for the same rows as a CSV has them.

    Texts that a spreadsheet would evaluate are escaped; for spreadsheets the first heading begins
    with the mark of UTF-8, and a French one has decimal commas.
    """
    formula, guard = (text.replace("'", "''") for text in (FORMULA_START, FORMULA_GUARD))
    guarded = (
        f"CASE WHEN regexp_full_match({{0}}::VARCHAR, '{PLAIN_NUMBER}') THEN {{0}}::VARCHAR"
        f" ELSE regexp_replace({{0}}::VARCHAR, '{formula}', '{guard}', 'g') END"
    )
    cells, mark = [], "" if format is Format.CSV else UTF_8_MARK
    for name, kind, *_ in cursor.execute(f"DESCRIBE {query}").fetchall():
        cell = name
        if kind in ("VARCHAR", "BLOB"):
            cell = guarded.replace("{0}", name)
        elif format is Format.FRENCH_CSV and kind in ("FLOAT", "DOUBLE"):
            cell = f"replace({name}::VARCHAR, '.', ',')"
        cells.append(f'{cell} AS "{mark}{name}"')
        mark = ""
    return f"SELECT {', '.join(cells)} FROM ({query})"


def write_logs(
    store: Store,
    file: IO[bytes],
    selection: MatchSelection = ALL_MATCHES,
    anonymous: bool = False,
    keep_fields: Collection[KeepField] = (),
) -> tuple[int, int]:
    """Write logs, one per line; return (logs written, logs skipped because they are not JSON).

    Logs are written byte for byte except for line breaks, surrounding white space and masked names.
    `anonymous` replaces each player by a pseudonym and drops free text except for `keep_fields`.
    """
    written = left_out = 0
    raise_if_cancelled = cancellation_checker()
    for _, text, data in _log_texts(store, selection, anonymous, keep_fields):
        raise_if_cancelled()
        line = b"" if text is None else to_single_line(text.encode())
        if line.startswith(b"{") and line.endswith(b"}") and data is None:
            file.write(line + b"\n")
            written += 1
        else:
            left_out += 1
    return written, left_out


def to_single_line(text: bytes) -> bytes:
    """Return a text with spaces for line breaks; empty if it has line breaks and is not JSON.

    JSON allows line breaks between tokens only: replacing one inside a string would make valid a
    text that was stored as unreadable.
    """
    lines = text.strip().splitlines()
    if len(lines) > 1:
        try:
            orjson.loads(text)
        except ValueError:
            return b""
    return b" ".join(lines)


def _log_texts(
    store: Store, selection: MatchSelection, anonymous: bool, keep_fields: Collection[KeepField]
) -> Iterator[tuple[int, str | None, bytes | None]]:
    """Yield match number, text, or bytes if not UTF-8, in order and with names replaced."""
    cursor = store.cursor()
    people = anonymize_log.MaskedPlayers(_players_to_mask(store, anonymous).values())
    found = cursor.execute(
        f"""
        WITH chosen AS MATERIALIZED ({selection.numbers_query()})
        SELECT r.match_no, r.match_no IN (SELECT match_no FROM seats)
        FROM raw r SEMI JOIN chosen c USING (match_no)
        ORDER BY r.match_no
        """,
        list(selection.values),
    ).fetchall()
    seated = {number for number, sits in found if sits}
    for number, was in read_texts(cursor, [number for number, _ in found]):
        if not anonymous:
            result = anonymize_log.redact_log(was, people)
        else:  # without seats, the names in the text are unknown
            result = anonymize_log.anonymize_log(was, people, keep_fields) if number in seated else b""
        try:
            yield number, result.decode(), None
        except UnicodeDecodeError:
            yield number, None, result


def _players_to_mask(store: Store, anonymous: bool) -> dict[int, anonymize_log.MaskedPlayer]:
    """Return the masked players, or all if `anonymous`, by number, with pseudonym and names."""
    hidden = masked_players(store.cursor())
    if not anonymous:
        return hidden
    result, known = pseudonyms(store), declared_by_player(store.cursor())
    every = {pair for pairs in known.values() for pair in pairs}
    return {
        number: anonymize_log.masked_player(both[0], result[number], {both, *known.get(number, ())}, every)
        for number, both in known_names(store).items()
    }


# stores of earlier development versions


def prerelease_logs(path: str) -> list[tuple[str, IO[bytes]]]:
    """Return (name, logs) for each file in a store of an earlier development version.

    Empty for any other file. Only the last such schemas can be read: their texts have today's
    layout. Masked players stay masked, the trash is skipped. StoreError: it cannot be read.
    """
    try:
        cursor = connect(path, read_only=True)
    except duckdb.Error:
        return []  # the log reader will report the file's type
    try:
        pending_migrations(cursor)
    except OutdatedStoreError:
        return _prerelease_files(path, cursor)
    except (NewerStoreError, duckdb.Error):
        pass
    cursor.close()
    return []


def _prerelease_files(path: str, cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, IO[bytes]]]:
    try:
        if "aliases" not in table_names(cursor):  # each player has one id and one name
            cursor.execute(
                """CREATE TEMP VIEW aliases AS
                   SELECT player_no, coalesce(k.player_id, p.player_id) AS player_id,
                       coalesce(k.name, p.name) AS name
                   FROM players p LEFT JOIN masked k USING (player_no)"""
            )
        people = anonymize_log.MaskedPlayers(masked_players(cursor).values())
        files = cursor.execute(
            "SELECT name, list(match_no) FROM (FROM matches SEMI JOIN raw USING (match_no))"
            " JOIN files USING (file_no) GROUP BY file_no, name ORDER BY file_no"
        ).fetchall()
        cursor.execute("SELECT COLUMNS('^(zstd|packed)$') FROM raw LIMIT 0")
    except duckdb.Error as error:  # a schema older than the last one
        reason = str(error).splitlines()[0]
        raise StoreError(STORE_FAILED, path=path, reason=reason, left=NOTHING_CHANGED) from error

    def lines(numbers: list[int]) -> Iterator[bytes]:
        for _, text in read_texts(cursor.cursor(), numbers):
            result = anonymize_log.redact_log(text, people)
            yield (to_single_line(result) or result) + b"\n"

    return [
        (name if is_named_as_lines(name) else f"{name}.jsonl", BufferedReader(_LineStream(lines(numbers))))
        for name, numbers in files
    ]


class _LineStream(RawIOBase):
    """Lines as a binary stream that can be read once."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self._rest = lines, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._lines, b"")
        some, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(some)] = some
        return len(some)
