"""Matches out of the store: `export`, `delete` and `undelete`, `purge`."""

import json
import sys
from collections.abc import Iterable
from itertools import islice
from typing import IO, Any

from engine.games import names, title
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import ServedRun, open_store
from ingest.cli.report_text import STATUS
from ingest.cli.revalidate import old_hint
from ingest.i18n import N_, Translate
from ingest.operations import matches
from ingest.reader.escaping import as_json, plain
from ingest.store.export import Format, Kept, Table
from ingest.store.outputs import Kind
from ingest.store.pseudonyms import key_of
from ingest.store.purge import TOKENS

DELETED = N_("Deleted: {n}. They come back with: retourne undelete {number}")
BACK = N_("Restored: {n} · already there: {known}")
GONE = N_("Purged: no byte of it is in {path}. Matches gone: {n} · rewritten: {rewritten}")
NOW = N_("The player is now {name}; the store does not know who that was.")
BACKUPS = N_(
    "Backups made before still have it, and so has whoever took a copy or an export. "
    "Remove them, and make a new one: retourne backup FILE {path!w}"
)
DUMPS = N_(
    "Dumps of the database and copies of the folder made before still have it, and so has whoever "
    "took an export. Remove them; PostgreSQL’s own journal (WAL) has it until that is overwritten."
)
COPIES = N_("Copies of the store in {folder} and in the folders there: {n}")
COPIES_THERE = N_("Copies on the server’s computer, beside the store and in the folders there: {n}")
FILES = N_("Files in {folder} that still have it: {n}. Remove them too.")
WHAT = N_("Say what to export: ids of matches, --list, --table or --logs.")
NO_ARRAY = N_("The match {id} is no JSON and cannot stand beside others: export it alone.")
COLUMNS = ("match", "id", "played_at", "status", "game", "players")
HEADINGS = (N_("Match"), N_("Played on"), N_("Verdict"), N_("Game"), N_("Id and players"))
DIGITS = 12
"""Of a match's id, as many as people are shown: 8 find it, and these tell millions apart."""
AT_ONCE = 1000
"""Matches below each other in columns of one width."""


def delete(
    run: ServedRun,
    ids: list[str] | None = cli.argument(
        N_("A match’s id in the log, or in the store."), "ID…", None, shell_completion.matches
    ),
    file: str | None = cli.option(
        N_("All matches of files of this name."), N_("NAME"), complete=shell_completion.files
    ),
) -> None:
    """Delete matches by id or by file."""
    if bool(ids) == (file is not None):
        raise cli.Stop(matches.WHICH)
    done = run.do(matches.delete, ids=ids or [], file=file)
    run.say(DELETED, n=done["deleted"], number=done["deletion"])


def undelete(
    run: ServedRun,
    number: int | None = cli.argument(N_("A deletion’s number in --list."), "N", None),
    list_: bool = cli.flag(N_("List what can be undone, the last first."), "-l"),
    empty: bool = cli.flag(N_("Forget for good all that was deleted.")),
    format: params.AsFormat = params.Format.TEXT,
) -> None:
    """Undo a deletion, list them, or forget them."""
    if format is params.Format.JSONL and not list_:
        raise cli.Stop(N_("--format goes with --list."))
    if empty:
        run.say(N_("Forgotten for good: {n}"), n=run.do(matches.empty_trash)["forgotten"])
    elif not list_:
        done = run.do(matches.undelete, deletion=number)
        run.say(BACK, n=done["restored"], known=done["known"])
    else:
        deletions = run.do(matches.deletions)["deletions"]
        if format is params.Format.JSONL:
            return params.write(deletions)
        for one in deletions:  # the tabs of a text are no spaces, as Rich would have them
            files = plain(", ".join(one.pop("files")))
            sys.stdout.write("\t".join([*map(str, one.values()), files]) + "\n")


def purge(
    run: ServedRun,
    what: str = cli.argument(
        N_("A player’s id, or a match’s id."), N_("PLAYER|MATCH"), complete=shell_completion.either
    ),
    with_matches: bool = cli.flag(N_("Of a player: remove the matches too.")),
    yes: bool = cli.flag(N_("Do not ask first.")),
) -> None:
    """Purge a player or a match."""
    t, where = run.t, run.server or run.store
    given = {"what": what, "with_matches": with_matches}
    with run.asked() as asked:
        if not yes:
            expected = asked.do(matches.purge, **given, dry_run=True)["expected"]
            if expected is not None:
                cli.console().print(expected)
            if not sys.stdin.isatty():
                raise cli.Stop(N_("This cannot be undone. To do it, say --yes."))
            if not cli.confirm(plain(t("Purge {id}? This cannot be undone.", id=what)), t):
                raise cli.Stop(N_("Nothing was purged."))
        done = asked.do(matches.purge, **given)
    text = N_("Purged. Matches gone: {n} · rewritten: {rewritten}") if done["left"] else GONE
    said = [t(text, path=where, n=done["gone"], rewritten=done["rewritten"]), *done["left"]]
    if done["pseudonym"] is not None:
        said.append(t(NOW, name=done["pseudonym"]))
    if done["tokens"]:
        said.append(t(TOKENS, names=", ".join(done["tokens"])))
    # which other files still have it, as far as anybody can know
    if (copies := done["copies"]) is None:
        said.append(t(DUMPS))
    else:
        beside = COPIES if run.server is None else COPIES_THERE
        folder = run.store.resolve().parent
        said += [t(BACKUPS, path=where), t(beside, folder=folder, n=len(copies)), *copies]
    for folder, files in done["files"].items():
        said += [t(FILES, folder=folder, n=len(files)), *files]
    for one in said:
        cli.console().print(plain(one))


def export(
    run: ServedRun,
    ids: list[str] | None = cli.argument(
        N_("A match’s id in the log, or in --list."), "ID…", None, shell_completion.matches
    ),
    list_: bool = cli.flag(N_("List the matches, one a line, tabs between."), "-l"),
    table: Table | None = cli.option(N_("Write a table of the store."), "TABLE"),
    format: Format | None = cli.option(
        N_("How a table is written, csv if absent; jsonl is for --list and --logs too.")
    ),
    logs: bool = cli.flag(N_("Write every log that is JSON, one a line.")),
    anonymous: bool = cli.flag(N_("Write every player’s pseudonym for the name and the id.")),
    keep: list[Kept] | None = cli.option(
        N_("With --anonymous: words of the logs to keep; repeatable."), N_("WORDS")
    ),
    at: params.At = None,
    output: params.Output = None,
    force: params.Force = False,
) -> None:
    """Take matches or tables out of the store."""
    t, store, server = run.t, run.store, run.server
    named = {"ID": ids, "--list": list_, "--table": table is not None, "--logs": logs}
    asked = [what for what, wanted in named.items() if wanted]
    if len(asked) > 1:
        raise cli.Stop(N_("Only one of these goes at a time: {asked}."), asked=", ".join(asked))
    if not asked:
        raise cli.Stop(WHAT)
    if anonymous and (ids or list_):
        raise cli.Stop(
            N_("Pseudonyms are for --table and --logs: name one of them with --anonymous.")
        )
    if keep and not anonymous:
        raise cli.Stop(N_("--keep goes with --anonymous."))
    if table is None and format not in (None, *([] if ids else [Format.JSONL])):
        raise cli.Stop(N_("--format {format} goes with --table."), format=format)
    params.check_read(at, server)
    then = params.moment(at)
    kind = Kind.JSON if logs or ids or format is Format.JSONL else Kind.TEXT
    kind = Kind.PARQUET if format is Format.PARQUET else kind
    place = params.place(output, kind, force, store)
    if table is not None and format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise cli.Stop(N_("Parquet is not for the terminal: name a file with --output."))
    writes = anonymous and store.exists()  # the first pseudonym makes the store's key
    if then is not None and anonymous:
        with open_store(store) as opened:
            key_of(opened)
    read_only = then is not None or not writes
    with run.asked(read_only, at=then) as there:
        if server is None and not ids:
            old_hint(t, there, store)
        with params.written(place) as file:
            if ids:
                file.write(together([(name, there.log(name)) for name in ids]))
            elif list_:
                write_list(there.listed(), file, format is Format.JSONL, t)
            else:
                name = "logs.jsonl" if logs else f"{table}.{format or Format.CSV}"
                there.export(name, file, anonymous, keep or ())


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
            raise cli.Stop(NO_ARRAY, id=name) from None
    return b"[" + b",\n".join(text for _, text in texts) + b"]\n"


def write_list(
    matches: Iterable[list[Any]], file: IO[bytes], as_objects: bool, t: Translate
) -> None:
    """A line a match, as `listed` has them; in a terminal in columns that it has room for."""

    def column(value: Any) -> str:
        if value is None:
            return "-"
        return ", ".join(map(column, value)) if isinstance(value, list) else plain(str(value))

    out = cli.console()
    if as_objects or file is not sys.stdout.buffer or not out.is_read:
        for one in matches:
            named = dict(zip(COLUMNS, one, strict=True))
            line = as_json(named) if as_objects else "\t".join(map(column, one))
            file.write(line.encode() + b"\n")
        return
    heads, left = [t(one) for one in HEADINGS], iter(matches)
    while some := list(islice(left, AT_ONCE)):
        rows = []
        for match_id, log_id, played_at, status, game, players in some:
            day = column(played_at).partition("T")[0]
            called = title(game) if game in names() else column(game)
            about = " – ".join(column(one) for one in (log_id, players) if one is not None)
            rows.append([match_id[:DIGITS], day, t(STATUS[status]), called, about or "-"])
        cli.show(out, heads, rows)
