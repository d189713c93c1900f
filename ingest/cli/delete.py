"""`retourne delete` and `retourne undelete`: matches out of the store, and back."""

import sys
from typing import Annotated, Any

import typer

from ingest.cli import complete
from ingest.cli.open_store import store_at
from ingest.cli.params import AsFormat, Format, ServerUrl, Token, write
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.operations import matches
from ingest.text.signs import plain

DELETED = N_("Deleted: {n}. They come back with: retourne undelete {number}")
FORMAT_ALONE = N_("--format goes with --list.")
BACK = N_("Restored: {n} · already there: {known}")
FORGOTTEN = N_("Forgotten for good: {n}")


def delete(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID…",
            autocompletion=complete.matches,
            help=N_("A match’s id in the log, or in the store."),
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar=N_("NAME"),
            autocompletion=complete.files,
            help=N_("All matches of files of this name."),
        ),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Delete matches by id or by file."""
    t: Translate = ctx.obj
    if bool(ids) == (file is not None):
        raise Stop(matches.WHICH)
    with store_at(store, server, token, t) as asked:
        done = asked.do(matches.delete, ids=ids or [], file=file)
    console().print(t(DELETED, n=done["deleted"], number=done["deletion"]))


def undelete(
    ctx: typer.Context,
    number: Annotated[
        int | None, typer.Argument(metavar="N", help=N_("A deletion’s number in --list."))
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", "-l", help=N_("List what can be undone, the last first."))
    ] = False,
    empty: Annotated[
        bool, typer.Option("--empty", help=N_("Forget for good all that was deleted."))
    ] = False,
    store: StorePath = DEFAULT_STORE,
    format: AsFormat = Format.TEXT,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Undo a deletion, list them, or forget them."""
    t: Translate = ctx.obj
    if format is Format.JSONL and not list_:
        raise Stop(FORMAT_ALONE)
    with store_at(store, server, token, t) as asked:
        if empty:
            done = asked.do(matches.empty_trash)
            console().print(t(FORGOTTEN, n=done["forgotten"]))
        elif list_:
            _list(asked.do(matches.deletions)["deletions"], format)
        else:
            done = asked.do(matches.undelete, deletion=number)
            console().print(t(BACK, n=done["restored"], known=done["known"]))


def _list(deletions: list[dict[str, Any]], format: Format) -> None:
    """A line a deletion; the tabs of a text are no spaces, as Rich would have them."""
    if format is Format.JSONL:
        return write(deletions)
    for one in deletions:
        files = plain(", ".join(one.pop("files")))
        sys.stdout.write("\t".join([*map(str, one.values()), files]) + "\n")
