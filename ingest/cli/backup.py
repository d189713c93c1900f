"""`retourne backup` and `retourne restore`: a copy of the store known to be whole, and back."""

from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from ingest.cli.opening import is_served, open_store, replacing, there
from ingest.cli.params import NO_FOLDER, STDIN, CronQuiet
from ingest.cli.terminal import DEFAULT_STORE, FilePath, Lang, Stop, console, progress, remark
from ingest.i18n import N_, Translate
from ingest.store import backup as copies
from ingest.store.address import is_lake
from ingest.store.carried import Carried
from ingest.store.errors import NO_COPY, StoreError
from ingest.text.signs import plain

ONLY_FOLDER = N_("--keep goes with a folder: end its name with /, and each backup has its date.")
NO_STREAM = N_("A backup is not written to standard output: name a file, or a folder.")
MADE = N_("The backup has all that the store has, and reads back: {path}. Matches: {n}")
REMOVED = N_("Older backups removed: {n}")
SPOILT = N_("Not counted and left there, since it cannot be read: {path}")
RESTORED = N_("The store {path} is that of {backup}.")
READS = N_("It reads back. Whether it is in order: retourne verify --store {path!q}")
ACCESS = N_("Tokens, sign-ins and who may read are those of the store that stood there.")
MASKED = N_("Players who were masked there are masked again: {n}")
BACK = N_(
    "What was purged there is in it again: matches {n}, players {players}. To purge a player "
    "again: retourne purge PLAYER --store {path!q}"
)
UNREAD = N_(
    "What stood there cannot be read: tokens, who may read and who is masked are as the backup has "
    "them. See: retourne token list --store {path!q}"
)
KEPT = N_("What stood there is kept. To undo: retourne restore {kept!q} --store {path!q}")
PARTS = 1000
"""In so many parts progress is told."""


def backup(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar=N_("FILE"), help=N_("The file to write; in a folder it is named by the date.")
        ),
    ],
    store: FilePath = DEFAULT_STORE,
    keep: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help=N_("Of a folder: keep the last N backups.")),
    ] = None,
    quiet: CronQuiet = False,
    lang: Lang = None,
) -> None:
    """Write a backup, and remove old ones."""
    t: Translate = ctx.obj
    target = Path(file)
    folder = target if target.is_dir() or file.endswith("/") else None
    if file == STDIN:
        raise Stop(NO_STREAM)
    if keep is not None and folder is None:
        raise Stop(ONLY_FOLDER)
    with ExitStack() as using:
        opened = using.enter_context(there(store))
        if folder is not None:
            folder.mkdir(exist_ok=True)
            target = using.enter_context(copies.dated_in(folder, store, datetime.now()))
        if not target.parent.is_dir():
            raise Stop(NO_FOLDER, path=target.parent)
        with progress(t, N_("Writing the backup"), PARTS, octets=True, quiet=quiet) as advance:
            made = copies.backup(opened, target, lambda done: advance(int(done * PARTS)))
    said = [t(MADE, path=target, n=made)]
    if folder is not None and keep is not None:
        thinned = copies.thin(target, store, keep)
        said += [t(REMOVED, n=len(thinned.removed))] if thinned.removed else []
        for spoilt in thinned.spoilt:
            remark(t(SPOILT, path=spoilt))
    if not quiet:
        for one in said:
            console().print(plain(one))


def restore(
    ctx: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar=N_("FILE"), help=N_("The backup; it stays there."))
    ],
    store: FilePath = DEFAULT_STORE,
    lang: Lang = None,
) -> None:
    """Put a backup in the place of the store."""
    t: Translate = ctx.obj
    if is_lake(store):
        raise StoreError(NO_COPY)
    if not store.parent.is_dir():
        raise Stop(NO_FOLDER, path=store.parent)
    with ExitStack() as using, progress(t, N_("Reading the backup"), PARTS, octets=True) as advance:
        aside = None
        if is_served(store):
            using.enter_context(open_store(store))
            aside = replacing(store, close=True)
        done = copies.restore(store, file, lambda part: advance(int(part * PARTS)), aside)
    console().print(plain(t(RESTORED, path=store, backup=file)))
    console().print(plain(t(READS, path=store)))
    if done.kept is not None:
        _carried(done.carried, store, t)
        console().print(plain(t(KEPT, kept=done.kept, path=store)))


def _carried(carried: Carried | None, path: Path, t: Translate) -> None:
    """What the store that was replaced had decided, and what of it no longer holds."""
    said = list[str]()
    if carried is None:
        said.append(t(UNREAD, path=path))
    else:
        said += [t(ACCESS)] if carried.access else []
        said += [t(MASKED, n=carried.masked)] if carried.masked else []
        if carried.back or carried.matches:
            names = ", ".join(carried.back) or "–"
            said.append(t(BACK, n=carried.matches, players=names, path=path))
    for one in said:
        console().print(plain(one))
