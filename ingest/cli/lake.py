"""`retourne lake`: what a store that many write to needs now and then."""

from datetime import timedelta
from typing import Annotated

import typer

from ingest.cli.open_store import open_store
from ingest.cli.params import CronQuiet
from ingest.cli.terminal import (
    DEFAULT_STORE,
    Lang,
    Stop,
    StorePath,
    console,
    progress,
)
from ingest.i18n import N_, Translate, count_of, decimal_of
from ingest.store.address import is_lake
from ingest.text.signs import plain

NO_LAKE = N_("{path} is no lake: a store that is one file has nothing to tidy.")
FILES = N_("Files of the lake: {before} → {after} · {octets} MB → {left} MB")
REMOVED = N_("Files removed, which nothing needs any more: {n}")
WAITING = N_(
    "Files that somebody may still be reading: {n}. They are removed by the next "
    "`retourne lake tidy`, an hour from now or later."
)
EXPIRED = N_("Older states let go: {n}")
OLDEST = N_("What it was can be asked from then on: {at}")
PARTS = 1000
"""In so many parts progress is told."""


def tidy(
    ctx: typer.Context,
    store: StorePath = DEFAULT_STORE,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar=N_("DAYS"),
            help=N_("Let go of what the lake was more than so many days ago; nothing if absent."),
        ),
    ] = None,
    quiet: CronQuiet = False,
    lang: Lang = None,
) -> None:
    """Put a lake in order."""
    t: Translate = ctx.obj
    if not is_lake(store):
        raise Stop(NO_LAKE, path=store)
    with open_store(store) as opened:
        from ingest.store.lake.store import LakeStore, asked  # of packages that not everybody has
        from ingest.store.lake.tidy import tidy as tidied

        assert isinstance(opened, LakeStore)
        past = None if keep is None else timedelta(days=keep)
        with progress(t, N_("Merging files"), PARTS, octets=True, quiet=quiet) as advance:
            done = tidied(opened, past, lambda done, of: advance(done * PARTS // of))
    if quiet:
        return
    before, after = done.before, done.after
    said = [
        t(
            FILES,
            before=count_of(before.files, t),
            after=count_of(after.files, t),
            octets=decimal_of(before.octets / 1e6, 1, t),
            left=decimal_of(after.octets / 1e6, 1, t),
        )
    ]
    said += [t(EXPIRED, n=count_of(done.expired, t))] if keep is not None else []
    said += [t(REMOVED, n=count_of(done.removed, t))] if done.removed else []
    said += [t(WAITING, n=count_of(done.waiting, t))] if done.waiting else []
    said.append(t(OLDEST, at=asked(done.oldest)))
    for one in said:
        console().print(plain(one))
