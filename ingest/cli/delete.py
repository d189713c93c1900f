"""`retourne delete` and `retourne undelete`: matches out of the store, and back."""

import sys
from typing import Annotated

import typer

from ingest.cli.opening import there
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, console
from ingest.i18n import N_, Translate
from ingest.store import trash
from ingest.store.store import Store
from ingest.text.signs import plain

EXAMPLES = (
    "retourne delete lavardin-2026-t12-r3",
    "retourne delete --file saison.jsonl --store club.duckdb",
)
UNDELETE_EXAMPLES = (
    "retourne undelete --list",
    "retourne undelete",
    "retourne undelete 3 --store club.duckdb",
)

WHICH = N_("Say what to delete: ids of matches or --file.")
NO_MATCH = N_("The store has no match {id}. See: retourne export --list")
NO_FILE = N_("The store has no match of a file {name}.")
NOTHING = N_("Nothing was deleted that could come back.")
NO_DELETION = N_("There is no deletion {n} to undo. See: retourne undelete --list")
DELETED = N_("Deleted: {n}. They come back with: retourne undelete {number}")
BACK = N_("Restored: {n} · already there: {known}")
FORGOTTEN = N_("Forgotten for good: {n}")


def delete(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID…", help=N_("A match’s id in the log, or in the store.")),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="NAME", help=N_("All matches of files of this name.")),
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
        int | None, typer.Argument(metavar="[N]", help=N_("A deletion’s number in --list."))
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", "-l", help=N_("List what can be undone, the last first."))
    ] = False,
    empty: Annotated[
        bool, typer.Option("--empty", help=N_("Forget for good all that was deleted."))
    ] = False,
    store: StorePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Undo a deletion, list them, or forget them."""
    t: Translate = ctx.obj
    with there(store) as opened:
        if empty:
            console().print(t(FORGOTTEN, n=trash.empty(opened)))
            return
        known = trash.deletions(opened.cursor())
        if list_:
            for one in known:
                files = ", ".join(one.files)
                line = f"{one.number}\t{one.at:%Y-%m-%dT%H:%M:%SZ}\t{one.matches}\t{plain(files)}"
                sys.stdout.write(line + "\n")  # Rich would put spaces for the tabs
            return
        if not known:
            raise Stop(NOTHING)
        try:
            back, again = trash.undelete(opened, known[0].number if number is None else number)
        except KeyError:
            raise Stop(NO_DELETION, n=number) from None
        console().print(t(BACK, n=back, known=again))


def _number(store: Store, name: str) -> int:
    number = store.find(name)
    if number is None:
        raise Stop(NO_MATCH, id=name)
    return number
