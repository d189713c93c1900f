"""`retourne backup` and `retourne restore`: a copy of the store known to be whole, and back."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ingest.cli.open_store import Opened, served, store_at
from ingest.cli.params import NO_FOLDER, STDIN, CronQuiet, ServerUrl, Token
from ingest.cli.terminal import DEFAULT_STORE, Bar, FilePath, Lang, Stop, console, remark
from ingest.i18n import N_, Translate
from ingest.operations.whole import PARTS, heard, restored
from ingest.store import backup as copies
from ingest.store.address import is_lake
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
    server: ServerUrl = None,
    token: Token = None,
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
        asked = using.enter_context(store_at(store, server, token, t))
        bar = using.enter_context(Bar(t, quiet, octets=True))
        bar.label = N_("Writing the backup")
        if folder is not None:
            folder.mkdir(exist_ok=True)
            target = using.enter_context(copies.dated_in(folder, store, datetime.now()))
        if not target.parent.is_dir():
            raise Stop(NO_FOLDER, path=target.parent)
        if isinstance(asked, Opened):
            made = copies.backup(asked.store, target, heard(asked.work(bar)))
        else:
            made = copies.receive(target, partial(asked.backup, bar), store)
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
    server: ServerUrl = None,
    token: Token = None,
    lang: Lang = None,
) -> None:
    """Put a backup in the place of the store."""
    t: Translate = ctx.obj
    if server is None and is_lake(store):
        raise StoreError(NO_COPY)
    if server is None and not store.parent.is_dir():
        raise Stop(NO_FOLDER, path=store.parent)
    with ExitStack() as using:
        bar = using.enter_context(Bar(t, octets=True))
        bar.label = N_("Reading the backup")
        if server is not None:
            from ingest.cli.http_client import Server

            done = using.enter_context(Server(server, token, t)).restore(file, bar)
        else:
            try:
                told = copies.restore(
                    store, file, lambda part: bar({"done": int(part * PARTS), "total": PARTS})
                )
                done = restored(told)
            except StoreError as error:
                done = using.enter_context(served(error, store, t)).restore(file, bar)
    where = server or store
    said = [t(RESTORED, path=where, backup=file), t(READS, path=where)]
    if done["kept"] is not None:
        said += [*_carried(done["carried"], where, t), t(KEPT, kept=done["kept"], path=where)]
    for one in said:
        console().print(plain(one))


def _carried(carried: dict[str, Any] | None, where: Path | str, t: Translate) -> Iterator[str]:
    """What the store that was replaced had decided, and what of it no longer holds."""
    if carried is None:
        yield t(UNREAD, path=where)
        return
    if carried["access"]:
        yield t(ACCESS)
    if carried["masked"]:
        yield t(MASKED, n=carried["masked"])
    if carried["back"] or carried["matches"]:
        names = ", ".join(carried["back"]) or "–"
        yield t(BACK, n=carried["matches"], players=names, path=where)
