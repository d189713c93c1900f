"""`retourne purge`: a match, or a player, out of every byte of the store."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ingest.cli import complete
from ingest.cli.opening import replacing, there
from ingest.cli.player import number, unknown
from ingest.cli.terminal import DEFAULT_STORE, Lang, Stop, StorePath, confirm, console
from ingest.i18n import N_, Translate
from ingest.store import elsewhere
from ingest.store import purge as purging
from ingest.store.gone import is_gone
from ingest.store.store import Store
from ingest.text.signs import plain

NEITHER = N_("The store has no match and no player {id}.")
NOBODY = N_("The store has no match and no player {id}. See: retourne export --list")
BOTH = N_("{id} is a player and a match: name the match by its hash. See: retourne export --list")
ALREADY = N_("{id} was purged already.")
NO_MATCHES = N_("--with-matches goes with a player; {id} is a match.")
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
    lang: Lang = None,
) -> None:
    """Purge a player or a match."""
    t: Translate = ctx.obj
    with there(store) as opened:
        match, player = _match(opened, what), number(opened, what)
        if match is not None and player is not None:
            raise Stop(BOTH, id=what)
        if match is None and player is None:
            if is_gone(opened, what):
                purging.finish(opened)
                raise Stop(ALREADY, id=what)
            raise Stop("{sentence}", sentence=unknown(opened, what, t, NEITHER, NOBODY))
        if match is not None and with_matches:
            raise Stop(NO_MATCHES, id=what)
        if not yes:
            if player is not None:
                console().print(purging.expected(opened, player, with_matches).say(t))
            _ask(what, t)
        others = elsewhere.of(opened, player, [] if match is None else [match])
        with replacing(store):
            if player is not None:
                done = purging.purge_player(opened, player, with_matches)
            else:
                assert match is not None
                done = purging.purge_matches(opened, [match])
    left = done.left.say(t)
    said = t(SOME if left else GONE, path=store, n=done.gone, rewritten=done.rewritten)
    console().print(plain(said))
    for one in left:
        console().print(plain(one))
    if done.pseudonym is not None:
        console().print(t(NOW, name=done.pseudonym))
    if done.tokens:
        console().print(t(purging.TOKENS, names=", ".join(done.tokens)))
    _warn(store, opened.in_a_file, others, t)


def _ask(what: str, t: Translate) -> None:
    """Stop: nobody said yes."""
    if not sys.stdin.isatty():
        raise Stop(SURE)
    if not confirm(plain(t(ASK, id=what)), t):
        raise Stop(LEFT)


def _warn(store: Path, in_a_file: bool, others: elsewhere.Elsewhere, t: Translate) -> None:
    """Which other files still have it, as far as anybody can know."""
    said = [t(DUMPS)]
    if in_a_file:
        said = [
            t(BACKUPS, path=store),
            t(COPIES, folder=store.resolve().parent, n=len(others.copies)),
            *map(str, others.copies),
        ]
    for folder in sorted(elsewhere.watched):
        found = [one for one in others.files if one.is_relative_to(folder)]
        said += [t(FILES, folder=folder, n=len(found)), *map(str, found)]
    for one in said:
        console().print(plain(one))


def _match(store: Store, name: str) -> int | None:
    """A match's number by any of its ids, or by its hash where it lies in the trash."""
    if (found := store.find(name, hidden=True)) is not None:
        return found
    row = store.cursor().execute("SELECT match_no FROM trash WHERE match_id = ?", [name]).fetchone()
    return None if row is None else int(row[0])
