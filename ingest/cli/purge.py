"""`retourne purge`: a match, or a player, out of every byte of the store."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ingest.cli import complete
from ingest.cli.open_store import store_at
from ingest.cli.params import ServerUrl, Token
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, confirm, console
from ingest.i18n import N_, Translate
from ingest.operations.purge import purge as operation
from ingest.store.purge import TOKENS
from ingest.text.signs import plain

LEFT = N_("Nothing was purged.")
SURE = N_("This cannot be undone. To do it, say --yes.")
ASK = N_("Purge {id}? This cannot be undone.")
GONE = N_("Purged: no byte of it is in {path}. Matches gone: {n} · rewritten: {rewritten}")
SOME = N_("Purged. Matches gone: {n} · rewritten: {rewritten}")
NOW = N_("The player is now {name}; the store does not know who that was.")
BACKUPS = N_(
    "Backups made before still have it, and so has whoever took a copy or an export. "
    "Remove them, and make a new one: retourne backup FILE --store {path!q}"
)
DUMPS = N_(
    "Dumps of the database and copies of the folder made before still have it, and so has whoever "
    "took an export. Remove them; PostgreSQL’s own journal (WAL) has it until that is overwritten."
)
COPIES = N_("Copies of the store in {folder} and in the folders there: {n}")
FILES = N_("Files in {folder} that still have it: {n}. Remove them too.")


def purge(
    ctx: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar=N_("PLAYER|MATCH"),
            autocompletion=complete.either,
            help=N_("A player’s id, or a match’s id."),
        ),
    ],
    with_matches: Annotated[
        bool, typer.Option("--with-matches", help=N_("Of a player: remove the matches too."))
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help=N_("Do not ask first."))] = False,
    store: StorePath = DEFAULT_STORE,
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Purge a player or a match."""
    t: Translate = ctx.obj
    given = {"what": what, "with_matches": with_matches}
    with store_at(store, server, token, t) as asked:
        if not yes:
            expected = asked.do(operation, **given, dry_run=True)["expected"]
            if expected is not None:
                console().print(expected)
            _ask(what, t)
        done = asked.do(operation, **given)
    where = server or store
    text = SOME if done["left"] else GONE
    said = [t(text, path=where, n=done["gone"], rewritten=done["rewritten"]), *done["left"]]
    if done["pseudonym"] is not None:
        said.append(t(NOW, name=done["pseudonym"]))
    if done["tokens"]:
        said.append(t(TOKENS, names=", ".join(done["tokens"])))
    for one in (*said, *_warned(where, store, done, t)):
        console().print(plain(one))


def _ask(what: str, t: Translate) -> None:
    """Stop: nobody said yes."""
    if not sys.stdin.isatty():
        raise Stop(SURE)
    if not confirm(plain(t(ASK, id=what)), t):
        raise Stop(LEFT)


def _warned(where: Path | str, store: Path, done: dict[str, Any], t: Translate) -> Iterator[str]:
    """Which other files still have it, as far as anybody can know."""
    copies = done["copies"]
    if copies is None:
        yield t(DUMPS)
    else:
        yield t(BACKUPS, path=where)
        folder = store.resolve().parent if where == store else where
        yield t(COPIES, folder=folder, n=len(copies))
        yield from copies
    for folder, files in done["files"].items():
        yield t(FILES, folder=folder, n=len(files))
        yield from files
