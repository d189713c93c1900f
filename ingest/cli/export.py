"""`retourne export`: logs back out of the store exactly as they came, or its tables."""

import json
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from engine.games import names, title
from ingest.cli import complete
from ingest.cli.console import show
from ingest.cli.open_store import Opened, open_store, store_at
from ingest.cli.params import (
    At,
    Output,
    ServerUrl,
    Token,
    check_output,
    check_read,
    moment,
    written,
)
from ingest.cli.report_text import STATUS
from ingest.cli.revalidate import old_hint
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.operations.matches import NO_MATCH
from ingest.store.export import EVERYTHING, Format, Kept, Table, write_logs, write_table
from ingest.store.pseudonyms import key_of
from ingest.store.store import Store
from ingest.store.texts import masked
from ingest.text.names import People
from ingest.text.signs import as_json, json_lines, lines, plain

WHAT = N_("Say what to export: ids of matches, --list, --table or --logs.")
ONE_WHAT = N_("Only one of these goes at a time: {asked}.")
NO_ARRAY = N_("The match {id} is no JSON and cannot stand beside others: export it alone.")
NOT_ANONYMOUS = N_("Pseudonyms are for --table and --logs: name one of them with --anonymous.")
NOT_KEPT = N_("--keep goes with --anonymous.")
NO_TABLE = N_("--format {format} goes with --table.")
NOT_HERE = N_("Parquet is not for the terminal: name a file with --output.")


if TYPE_CHECKING:
    from ingest.cli.http_client import Server

LIST = """
SELECT m.match_id, m.log_id, m.played_at, m.status::VARCHAR, m.game,
       (SELECT list(p.name ORDER BY s.seat) FROM seats s JOIN players p USING (player_no)
        WHERE s.match_no = m.match_no),
       (SELECT list(s.player_no) FROM seats s WHERE s.match_no = m.match_no)
FROM matches m ORDER BY m.match_no
"""


def export(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID…",
            autocompletion=complete.matches,
            help=N_("A match’s id in the log, or in --list."),
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    list_: Annotated[
        bool, typer.Option("--list", "-l", help=N_("List the matches, one a line, tabs between."))
    ] = False,
    table: Annotated[
        Table | None,
        typer.Option("--table", metavar="TABLE", help=N_("Write a table of the store.")),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help=N_("How a table is written, csv if absent; jsonl is for --list and --logs too."),
        ),
    ] = None,
    logs: Annotated[
        bool, typer.Option("--logs", help=N_("Write every log that is JSON, one a line."))
    ] = False,
    anonymous: Annotated[
        bool,
        typer.Option(
            "--anonymous", help=N_("Write every player’s pseudonym for the name and the id.")
        ),
    ] = False,
    keep: Annotated[
        list[Kept] | None,
        typer.Option(
            "--keep",
            metavar=N_("WORDS"),
            help=N_("With --anonymous: words of the logs to keep; repeatable."),
        ),
    ] = None,
    at: At = None,
    output: Output = None,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Take matches or tables out of the store."""
    named = {"ID": ids, "--list": list_, "--table": table is not None, "--logs": logs}
    asked = [what for what, wanted in named.items() if wanted]
    if len(asked) > 1:
        raise Stop(ONE_WHAT, asked=", ".join(asked))
    if not asked:
        raise Stop(WHAT)
    if anonymous and (ids or list_):
        raise Stop(NOT_ANONYMOUS)
    if keep and not anonymous:
        raise Stop(NOT_KEPT)
    if table is None and format not in (None, *([] if ids else [Format.JSONL])):
        raise Stop(NO_TABLE, format=format)
    check_read(at, server)
    then = moment(at)
    check_output(output)
    if table is not None and format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise Stop(NOT_HERE)
    writes = anonymous and store.exists()  # the first pseudonym makes the store's key
    if then is not None and anonymous:
        with open_store(store) as opened:
            key_of(opened)
    read_only = then is not None or not writes
    with store_at(store, server, token, ctx.obj, read_only, at=then) as there:
        if server is None and not ids:
            old_hint(ctx.obj, there, store)
        if ids:
            text = together([(name, log_of(there, name)) for name in ids])
            with written(output) as file:
                file.write(text)
        elif list_:
            matches = listed(there.store) if isinstance(there, Opened) else there.listed()
            with written(output) as file:
                write_list(matches, file, format is Format.JSONL, ctx.obj)
        elif not isinstance(there, Opened):
            name = "logs.jsonl" if logs else f"{table}.{format or Format.CSV}"
            with written(output) as file:
                there.export(name, file, anonymous, keep or ())
        else:
            with written(output) as file:
                if table is None:
                    write_logs(there.store, file, EVERYTHING, anonymous, keep or ())
                else:
                    kind = format or Format.CSV
                    copy_table(there.store, table, kind, file, anonymous, keep or ())


def log_of(there: "Opened | Server", name: str) -> bytes:
    """A stored match exactly as it came. Stop: there is none of that id."""
    if not isinstance(there, Opened):
        return there.log(name)
    number = there.store.find(name, hidden=True)
    if number is None:
        raise Stop(NO_MATCH, id=name)
    return there.store.text(number)


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


COLUMNS = ("match", "id", "played_at", "status", "game", "players")
HEADINGS = (N_("Match"), N_("Played on"), N_("Verdict"), N_("Game"), N_("Id and players"))
DIGITS = 12
"""Of a match's id, as many as people are shown: 8 find it, and these tell millions apart."""
AT_ONCE = 1000
"""Matches below each other in columns of one width."""


def listed(store: Store) -> Iterator[list[Any]]:
    """Id, the log's own id, date, status, game and players of every match."""
    ask = store.cursor()
    hidden = masked(ask)
    people = People(hidden.values())
    result = ask.execute(LIST)
    while rows := result.fetchmany(10_000):
        for match_id, log_id, *others, seated in rows:
            hide = people.hide([hidden[one].id for one in seated or () if one in hidden])
            yield [match_id, log_id and hide(log_id, within=True), *others]


def write_list(
    matches: Iterable[list[Any]], file: IO[bytes], as_objects: bool, t: Translate
) -> None:
    """A line a match, as `listed` has them; in a terminal in columns that it has room for."""
    out = console()
    if not as_objects and file is sys.stdout.buffer and out.is_read:
        heads = [t(one) for one in HEADINGS]
        left = iter(matches)
        while some := list(islice(left, AT_ONCE)):
            show(out, heads, [_row(one, t) for one in some])
        return
    for one in matches:
        file.write(_line(one, as_objects))


def _row(shown: list[Any], t: Translate) -> list[str]:
    """The same for people."""
    match_id, log_id, played_at, status, game, players = shown
    day = _column(played_at).partition("T")[0]
    called = title(game) if game in names() else _column(game)
    about = " – ".join(_column(one) for one in (log_id, players) if one is not None)
    return [match_id[:DIGITS], day, t(STATUS[status]), called, about or _column(None)]


def _line(shown: list[Any], as_objects: bool) -> bytes:
    if as_objects:
        return (as_json(dict(zip(COLUMNS, map(_value, shown), strict=True))) + "\n").encode()
    return ("\t".join(map(_column, shown)) + "\n").encode()


def _value(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def _column(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(map(_column, value))
    return plain(str(_value(value)))


def copy_table(
    store: Store,
    table: Table,
    format: Format,
    file: IO[bytes],
    anonymous: bool,
    keep: Collection[Kept],
) -> None:
    """A table through a file, since DuckDB writes no other way."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        write_table(store, table, format, path, EVERYTHING, anonymous, keep)
        with path.open("rb") as made:
            if file is sys.stdout.buffer and sys.stdout.isatty():
                safe = lines if format is Format.CSV else json_lines
                for line in made:
                    file.write(safe(line.decode()).encode())
            else:
                shutil.copyfileobj(made, file)
