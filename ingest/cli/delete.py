"""`retourne delete` and `retourne undelete`: matches out of the store, and back."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ingest.cli import complete
from ingest.cli.opening import there
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.store import trash
from ingest.store.store import Store
from ingest.text.signs import plain

WHICH = N_("Say what to delete: ids of matches or --file.")
NO_MATCH = N_("The store has no match {id}. See: retourne export --list")
NO_FILE = N_("The store has no match of a file {name}.")
NOTHING = N_("Nothing was deleted that could come back.")
NO_DELETION = N_("There is no deletion {n} to undo. See: retourne undelete --list")
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
    lang: Lang = None,
) -> None:
    """Delete matches by id or by file."""
    t: Translate = ctx.obj
    if bool(ids) == (file is not None):
        raise Stop(WHICH)
    with there(store) as opened:
        chosen = [_number(opened, name) for name in ids or []]
        if file is not None:
            where = "matches m JOIN files f USING (file_no) WHERE f.name = ?"
            chosen = trash.numbers(opened.cursor(), where, [file]).tolist()
        number = trash.delete(opened, chosen)
        if number is None:
            raise Stop(NO_FILE, name=file)
        console().print(t(DELETED, n=len(set(chosen)), number=number))


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
    lang: Lang = None,
) -> None:
    """Undo a deletion, list them, or forget them."""
    t: Translate = ctx.obj
    if format is Format.JSONL and not list_:
        raise Stop(FORMAT_ALONE)
    with there(store) as opened:
        if empty:
            console().print(t(FORGOTTEN, n=trash.empty(opened)))
            return
        known = trash.deletions(opened.cursor())
        if list_:
            return _list(known, format)
        if not known:
            raise Stop(NOTHING)
        try:
            back, again = trash.undelete(opened, known[0].number if number is None else number)
        except KeyError:
            raise Stop(NO_DELETION, n=number) from None
        console().print(t(BACK, n=back, known=again))


def _list(known: Sequence[trash.Deletion], format: Format) -> None:
    """A line a deletion; the tabs of a text are no spaces, as Rich would have them."""
    objects: list[dict[str, Any]] = [
        {
            "number": one.number,
            "at": f"{one.at:%Y-%m-%dT%H:%M:%SZ}",
            "matches": one.matches,
            "files": list(one.files),
        }
        for one in known
    ]
    if format is Format.JSONL:
        return write(objects)
    for one in objects:
        files = plain(", ".join(one.pop("files")))
        sys.stdout.write("\t".join([*map(str, one.values()), files]) + "\n")


def _number(store: Store, name: str) -> int:
    number = store.find(name, hidden=True)
    if number is None:
        raise Stop(NO_MATCH, id=name)
    return number
