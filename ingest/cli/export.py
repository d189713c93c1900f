"""`retourne export`: logs back out of the store exactly as they came, or its tables."""

import json
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from ingest.cli.output import Output, check_output, written
from ingest.cli.terminal import DEFAULT_STORE, LEGAL, Lang, Stop, StorePath, leave, plain
from ingest.i18n import N_
from ingest.store import Store

HELP = N_(
    """Take matches or tables out of the store.

A single match comes back byte for byte as it was stored. Several come one a line, or as a JSON
array where one of them has line breaks of its own; each is still exactly as it was."""
)
EXAMPLES = (
    "retourne export --list",
    "retourne export lavardin-2026-t12-r3 --output match.json",
    "retourne export --table deal_seats --format parquet --output deal_seats.parquet",
)

NO_MATCH = N_("The store has no match {id}. See: retourne export --list")
WHAT = N_("Say what to export: ids of matches, --list or --table.")
NO_ARRAY = N_("The match {id} is no JSON and cannot stand beside others: export it alone.")
NOT_HERE = N_("Parquet is not for the terminal: name a file with --output.")


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
    RAW = "raw"


class Format(StrEnum):
    """How a table is written."""

    PARQUET = "parquet"
    CSV = "csv"


COPY = {
    Format.PARQUET: "COPY (FROM {table}) TO $path (FORMAT parquet, COMPRESSION zstd)",
    Format.CSV: "COPY (FROM {table}) TO $path (FORMAT csv, HEADER true)",
}
LIST = """
SELECT m.match_id, m.log_id, m.played_at, m.status::VARCHAR, m.game,
       (SELECT list(p.name ORDER BY s.seat) FROM seats s JOIN players p USING (player_no)
        WHERE s.match_no = m.match_no)
FROM matches m ORDER BY m.match_no
"""


def export(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID…", help=N_("A match’s id in the log, or in --list.")),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    list_: Annotated[
        bool, typer.Option("--list", "-l", help=N_("List the matches, one a line, tabs between."))
    ] = False,
    table: Annotated[
        Table | None, typer.Option("--table", help=N_("Write a table of the store."))
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help=N_("How a table is written."))
    ] = Format.CSV,
    output: Output = None,
    lang: Lang = None,
) -> None:
    """Take matches or tables out of the store."""
    if sum((bool(ids), list_, table is not None)) != 1:
        raise Stop(WHAT)
    check_output(output)
    if table is not None and format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise Stop(NOT_HERE)
    with Store(store, read_only=True) as opened:
        if ids:
            text = together([(name, text_of(opened, name)) for name in ids])
            with written(output) as file:
                file.write(text)
            leave(LEGAL)
        with written(output) as file:
            if table is None:
                write_list(opened, file)
            else:
                write_table(opened, table, format, file)


def text_of(store: Store, name: str) -> bytes:
    """A stored match exactly as it came. Stop: there is none of that id."""
    number = store.find(name)
    if number is None:
        raise Stop(NO_MATCH, id=name)
    return store.text(number)


def together(texts: list[tuple[str, bytes]]) -> bytes:
    """Some matches as one file that can be read again, each exactly as it was."""
    if len(texts) == 1:
        return texts[0][1]
    if not any(b"\n" in text for _, text in texts):
        return b"".join(text + b"\n" for _, text in texts)
    for name, text in texts:
        try:
            json.loads(text)
        except ValueError:
            raise Stop(NO_ARRAY, id=name) from None
    return b"[" + b",\n".join(text for _, text in texts) + b"]\n"


def write_list(store: Store, file: IO[bytes]) -> None:
    """Id, the log's own id, date, status, game and players of every match."""
    result = store.cursor().execute(LIST)
    while rows := result.fetchmany(10_000):
        file.write("".join("\t".join(map(_column, row)) + "\n" for row in rows).encode())


def _column(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_column, value))
    return plain(value.isoformat() if hasattr(value, "isoformat") else str(value))


def write_table(store: Store, table: Table, format: Format, file: IO[bytes]) -> None:
    """A table through DuckDB's own writer; the name is one of `Table`, the path is bound."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        store.cursor().execute(COPY[format].format(table=table.value), {"path": str(path)})
        with path.open("rb") as made:
            while block := made.read(1 << 20):
                file.write(block)
