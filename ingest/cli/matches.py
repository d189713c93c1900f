"""`retourne export`, `versions`, `delete`, `undelete` and `purge`."""

import json
import sys
from collections.abc import Iterable
from itertools import islice
from typing import IO, Any

from engine.games import game_names, game_title
from ingest.cli import common as cli
from ingest.cli import params, shell_completion
from ingest.cli.open_store import StoreOrServerRun, open_store
from ingest.cli.report_text import STATUS_TEXTS
from ingest.cli.revalidate import print_outdated_hint
from ingest.cli.terminal_tables import console, print_table
from ingest.escaping import escape_line, to_escaped_json
from ingest.i18n import N_, Translate
from ingest.operations import matches
from ingest.store.export import Format, KeepField, Table
from ingest.store.match_comparison import DIFFERENCE_TEXTS
from ingest.store.outputs import Kind
from ingest.store.pseudonyms import pseudonym_key
from ingest.store.purge import TOKENS_RENAMED, VERSIONS_DELETED

MATCHES_DELETED = N_("Deleted: {n}. They come back with: retourne undelete {number}")
MATCHES_RESTORED = N_("Restored: {n} · already there: {known}")
MATCH_PURGED = N_(
    "Deleted permanently: no byte of it is in {path}. Matches deleted: {n} · rewritten: {rewritten}"
)
PLAYER_NOW_PSEUDONYM = N_("The player is now {name}; the store does not know who that was.")
BACKUPS_STILL_HAVE_IT = N_(
    "Older backups, copies and exports still have it. Remove them, and make a new backup: "
    "retourne backup FILE {path!w}"
)
DUMPS_STILL_HAVE_IT = N_(
    "Older database dumps, copies of the folder and exports still have it. Remove them. "
    "PostgreSQL’s journal (WAL) has it until it is overwritten."
)
STORE_COPIES_FOUND = N_("Copies of the store in {folder} and in the folders there: {n}")
EARLIER_PUT_BACK = N_("Earlier versions put back: {n}")
COPIES_THERE = N_("Copies on the server’s computer, next to the store and in its folders: {n}")
FILES_STILL_HAVE_IT = N_("Files in {folder} that still have it: {n}. Remove them too.")
NOT_JSON_EXPORT_ALONE = N_(
    "The match {id} is not JSON and cannot be combined with others: export it separately."
)
LIST_COLUMNS = ("match_id", "log_id", "played_on", "status", "game", "players")
LIST_HEADINGS = (N_("Match"), N_("Played on"), N_("Verdict"), N_("Game"), N_("Id and players"))
SHORT_ID_DIGITS = 12
"""Digits of a match's id that are shown: 8 suffice for `find_match`, 12 distinguish millions."""
ROWS_PER_TABLE = 1000
"""Matches that share column widths, so that a long list is printed as it comes."""


def delete(
    run: StoreOrServerRun,
    ids: list[str] | None = cli.argument(
        N_("A match’s id in the log, or in the store."), "ID…", None, shell_completion.complete_matches
    ),
    file: str | None = cli.option(
        N_("All matches of files of this name."), N_("NAME"), complete=shell_completion.complete_files
    ),
) -> None:
    """Delete matches by id or by file."""
    if bool(ids) == (file is not None):
        raise cli.CommandError(matches.NOTHING_SELECTED)
    given, all_ = {"ids": ids or [], "file": file}, False
    several = run.run_operation(matches.delete, **given, dry_run=True)["several"] if ids else {}
    if several and sys.stdin.isatty():
        for name, known in several.items():
            run.print(N_("{id} is the id of several matches: {matches}"), id=name, matches=", ".join(known))
        if not cli.confirm(run.t(N_("Delete all of them?")), run.t):
            raise cli.CommandError(N_("Nothing was deleted."))
        all_ = True
    done = run.run_operation(matches.delete, **given, all=all_)
    run.print(MATCHES_DELETED, n=done["deleted"], number=done["deletion"])
    if done["put_back"]:
        run.print(EARLIER_PUT_BACK, n=done["put_back"])


def versions(
    run: StoreOrServerRun,
    match: str = cli.argument(
        N_("A match’s id in the log, or in the store."), "ID", complete=shell_completion.complete_matches
    ),
    restore_version: str | None = cli.option(N_("Put this earlier version in its place."), N_("VERSION")),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """List the earlier versions of a match, or put one back."""
    if restore_version is not None:
        done = run.run_operation(matches.restore_version, match=match, version=restore_version)
        return run.print(N_("Put back: {id}"), id=done["match_id"])
    found = run.run_operation(matches.list_versions, match=match)["versions"]
    if format is params.Format.JSONL:
        return params.write_json_lines(found)
    for one in found:
        keys = ", ".join(run.t(DIFFERENCE_TEXTS.get(key, key)) for key in one["differences"])
        cells = one["match_id"], one["changed_at"], escape_line(one["file"] or "-"), escape_line(keys)
        sys.stdout.write("\t".join(cells) + "\n")


def undelete(
    run: StoreOrServerRun,
    deletion: int | None = cli.argument(N_("A deletion’s number in --list."), "N", None),
    list_: bool = cli.flag(N_("List the deletions that can be undone, newest first."), "-l"),
    empty: bool = cli.flag(N_("Empty the trash permanently.")),
    format: params.FormatOption = params.Format.TEXT,
) -> None:
    """Undo a deletion, list deletions, or empty the trash."""
    if format is params.Format.JSONL and not list_:
        raise cli.CommandError(N_("--format only works with --list."))
    if empty:
        run.print(N_("Forgotten for good: {n}"), n=run.run_operation(matches.empty_trash)["forgotten"])
    elif not list_:
        done = run.run_operation(matches.undelete, deletion=deletion)
        run.print(MATCHES_RESTORED, n=done["undeleted"], known=done["already_stored"])
    else:
        deletions = run.run_operation(matches.deletions)["deletions"]
        if format is params.Format.JSONL:
            return params.write_json_lines(deletions)
        for one in deletions:  # Rich would turn the tabs into spaces
            files = escape_line(", ".join(one.pop("files")))
            sys.stdout.write("\t".join([*map(str, one.values()), files]) + "\n")


def purge(
    run: StoreOrServerRun,
    id: str = cli.argument(
        N_("A player’s id, or a match’s id."),
        N_("PLAYER|MATCH"),
        complete=shell_completion.complete_players_and_matches,
    ),
    with_matches: bool = cli.flag(N_("For a player: remove the matches too.")),
    yes: bool = cli.flag(N_("Do not ask first.")),
) -> None:
    """Purge a player or a match."""
    t, where = run.t, run.server or run.store
    given = {"id": id, "with_matches": with_matches}
    with run.open() as requested:
        if not yes:
            expected = requested.run_operation(matches.purge, **given, dry_run=True)["expected"]
            if expected is not None:
                console().print(expected)
            if not sys.stdin.isatty():
                raise cli.CommandError(N_("This cannot be undone. Pass --yes to confirm."))
            if not cli.confirm(escape_line(t("Delete {id} permanently? This cannot be undone.", id=id)), t):
                raise cli.CommandError(N_("Nothing was deleted."))
        done = requested.run_operation(matches.purge, **given)
    text = (
        N_("Deleted permanently. Matches deleted: {n} · rewritten: {rewritten}")
        if done["left"]
        else MATCH_PURGED
    )
    items = [t(text, path=where, n=done["removed"], rewritten=done["rewritten"])]
    if done["versions"]:
        items.append(t(VERSIONS_DELETED, n=done["versions"]))
    items += done["left"]
    if done["pseudonym"] is not None:
        items.append(t(PLAYER_NOW_PSEUDONYM, name=done["pseudonym"]))
    if done["tokens"]:
        items.append(t(TOKENS_RENAMED, names=", ".join(done["tokens"])))
    # other files that still contain the data, as far as Retourne knows
    if (copies := done["copies"]) is None:
        items.append(t(DUMPS_STILL_HAVE_IT))
    else:
        other = STORE_COPIES_FOUND if run.server is None else COPIES_THERE
        folder = run.store.resolve().parent
        items += [t(BACKUPS_STILL_HAVE_IT, path=where), t(other, folder=folder, n=len(copies)), *copies]
    for folder, files in done["files"].items():
        items += [t(FILES_STILL_HAVE_IT, folder=folder, n=len(files)), *files]
    for one in items:
        console().print(escape_line(one))


def export(
    run: StoreOrServerRun,
    ids: list[str] | None = cli.argument(
        N_("A match’s id in the log, or in --list."), "ID…", None, shell_completion.complete_matches
    ),
    list_: bool = cli.flag(N_("List the matches, one per line, separated by tabs."), "-l"),
    table: Table | None = cli.option(N_("Write a table of the store."), "TABLE"),
    format: Format | None = cli.option(
        N_(
            "Format of a table (default: csv); fr.csv and en.csv are for spreadsheet programs "
            "in French and English; jsonl also works with --list and --logs."
        )
    ),
    logs: bool = cli.flag(N_("Write every log that is JSON, one per line.")),
    anonymous: bool = cli.flag(N_("Write every player’s pseudonym for the name and the id.")),
    keep_fields: list[KeepField] | None = cli.option(
        N_("With --anonymous: words of the logs to keep; repeatable."), N_("WORDS")
    ),
    at: params.AsOfOption = None,
    output: params.Output = None,
    force: params.Force = False,
) -> None:
    """Export matches or tables of the store."""
    t, store, server = run.t, run.store, run.server
    named = {"ID": ids, "--list": list_, "--table": table is not None, "--logs": logs}
    requested = [what for what, wanted in named.items() if wanted]
    if len(requested) > 1:
        raise cli.CommandError(N_("Only one of these goes at a time: {asked}."), asked=", ".join(requested))
    if not requested:
        raise cli.CommandError(N_("Nothing to export. Give ids of matches, --list, --table or --logs."))
    if anonymous and (ids or list_):
        raise cli.CommandError(
            N_("Pseudonyms are for --table and --logs: name one of them with --anonymous.")
        )
    if keep_fields and not anonymous:
        raise cli.CommandError(N_("--keep-fields only works with --anonymous."))
    if table is None and format not in (None, *([] if ids else [Format.JSONL])):
        raise cli.CommandError(N_("--format {format} only works with --table."), format=format)
    params.check_as_of(at, server)
    then = params.parse_time(at)
    kind = Kind.JSON if logs or ids or format is Format.JSONL else Kind.TEXT
    kind = Kind.PARQUET if format is Format.PARQUET else kind
    place = params.place(output, kind, force, store)
    if table is not None and format is Format.PARQUET and output is None and sys.stdout.isatty():
        raise cli.CommandError(N_("Parquet is not for the terminal: name a file with --output."))
    writes = anonymous and store.exists()  # the first pseudonym creates the store's key
    if then is not None and anonymous:
        with open_store(store) as opened:
            pseudonym_key(opened)
    read_only = then is not None or not writes
    with run.open(read_only, as_of=then) as there:
        if server is None and not ids:
            print_outdated_hint(t, there, store)
        with params.open_output(place) as file:
            if ids:
                file.write(join_matches([(name, there.read_log(name)) for name in ids]))
            elif list_:
                write_list(there.list_matches(), file, format is Format.JSONL, t)
            else:
                name = "logs.jsonl" if logs else f"{table}.{format or Format.CSV}"
                there.write_export(name, file, anonymous, keep_fields or ())


def join_matches(texts: list[tuple[str, bytes]]) -> bytes:
    """Join matches to one file that can be read again; each text is unchanged."""
    if len(texts) == 1:
        return texts[0][1]
    if not any(b"\n" in text for _, text in texts):
        return b"".join(text + b"\n" for _, text in texts)
    for name, text in texts:
        try:
            json.loads(text)
        except ValueError:
            raise cli.CommandError(NOT_JSON_EXPORT_ALONE, id=name) from None
    return b"[" + b",\n".join(text for _, text in texts) + b"]\n"


def write_list(matches: Iterable[list[Any]], file: IO[bytes], as_objects: bool, t: Translate) -> None:
    """Write one line per match, with `LIST_COLUMNS`; in a terminal, as a table."""

    def column(value: Any) -> str:
        if value is None:
            return "-"
        return ", ".join(map(column, value)) if isinstance(value, list) else escape_line(str(value))

    out = console()
    if as_objects or file is not sys.stdout.buffer or not out.is_read:
        for one in matches:
            named = dict(zip(LIST_COLUMNS, one, strict=True))
            line = to_escaped_json(named) if as_objects else "\t".join(map(column, one))
            file.write(line.encode() + b"\n")
        return
    heads, left = [t(one) for one in LIST_HEADINGS], iter(matches)
    while some := list(islice(left, ROWS_PER_TABLE)):
        rows = []
        for match_id, log_id, played_on, status, game, players in some:
            called = game_title(game) if game in game_names() else column(game)
            about = " – ".join(column(one) for one in (log_id, players) if one is not None)
            rows.append(
                [match_id[:SHORT_ID_DIGITS], column(played_on), t(STATUS_TEXTS[status]), called, about or "-"]
            )
        print_table(out, heads, rows)
