"""`retourne copy`: what one store has, put into another and held against it afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from ingest.cli.console import show
from ingest.cli.opening import open_store, there
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import FOUND, LEGAL, Lang, Quiet, Stop, console, leave, progress
from ingest.i18n import N_, Translate, count_of
from ingest.store.address import address
from ingest.store.copying.compared import Compared, compare
from ingest.store.copying.run import Copied
from ingest.store.copying.run import copy as copied
from ingest.store.store import Store
from ingest.text.signs import plain

SAME_STORE = N_("{path} is both stores: name two.")
ADDED = N_("Matches added: {n} · there already: {known}")
BESIDE = N_("Deleted matches added: {deleted} · players masked: {masked} · drafts: {drafts}")
PURGED = N_("Left out, since they or somebody who sits in them were purged there: {n}")
ACCESS = N_(
    "Tokens and who may read went along. Whoever was signed in signs in again, and programs that "
    "are told of matches are named anew with retourne hook add."
)
OWN_ACCESS = N_("Tokens and who may read stay those of {path}.")
OTHER_KEY = N_("Pseudonyms stay those of {path}, and are others than before.")
SAME = N_("Read again and compared: what was copied is the same.")
BY_THEMSELVES = N_("Of the matches there, had come by themselves, and are as they came: {n}")
MISSING = N_("Not there: {table} {n}")
DIFFERENT = N_("The copy differs from what was copied. Matches: {ids}")
AGAIN = N_(
    "What was written to {path} meanwhile comes when the command is given again. Whether a store "
    "is whole: retourne verify --store {path!q}"
)
FEW = 8
"""Ids of matches that are told."""

Of = Annotated[
    Path,
    typer.Argument(
        metavar=N_("FROM"), help=N_("The store that is copied; it stays as it is."), parser=address
    ),
]
To = Annotated[
    Path,
    typer.Argument(
        metavar=N_("TO"), help=N_("The store it is added to; made where it is not."), parser=address
    ),
]


def copy(
    ctx: typer.Context,
    source: Of,
    target: To,
    format: AsFormat = Format.TEXT,
    quiet: Quiet = False,
    lang: Lang = None,
) -> None:
    """Add what one store has to another, and compare."""
    t: Translate = ctx.obj
    if source.resolve() == target.resolve():
        raise Stop(SAME_STORE, path=target)
    with there(source, read_only=True) as one, open_store(target) as other:
        [(total,)] = one.cursor().execute("SELECT count(*) FROM matches").fetchall()
        with progress(t, N_("Copying"), total, quiet=quiet) as advance:
            came = copied(one, other, advance)
        with progress(t, N_("Comparing"), total, quiet=quiet) as advance:
            found = compare(one, other, advance)
        if format is Format.JSONL:
            write([_as_object(came, found)])
        elif not quiet or not found.same:
            _say(t, came, found, (one, other))
    leave(LEGAL if found.same else FOUND)


def _as_object(came: Copied, found: Compared) -> dict[str, Any]:
    """A copy as `--format jsonl` writes it."""
    tables = [
        {"table": table, "rows": one.rows, "checksum": f"{one.checksum:016x}", "same": one == other}
        for table, (one, other) in found.sums.items()
    ]
    return {
        "added": came.added,
        "known": came.known,
        "purged": came.purged,
        "deleted": came.deleted,
        "masked": came.masked,
        "drafts": came.drafts,
        "same": found.same,
        "missing": found.missing,
        "differing": sorted(found.differing),
        "tables": tables,
    }


def _say(t: Translate, came: Copied, found: Compared, stores: tuple[Store, Store]) -> None:
    """What was copied, what it came to, and what is not as it should be."""
    out = console()
    source, target = (plain(store.path) for store in stores)
    for one in _copied(t, came, target):
        out.print(one)
    rows = [
        (table, count_of(one.rows, t), f"{one.checksum:016x}")
        for table, (one, _) in found.sums.items()
    ]
    show(out, [t(N_("Table")), t(N_("Rows")), t(N_("Checksum"))], rows)
    if found.known:
        out.print(t(BY_THEMSELVES, n=found.known))
    if found.same:
        out.print(t(SAME))
        return
    for table, count in found.missing.items():
        out.print(t(MISSING, table=table, n=count))
    if found.differing:
        out.print(t(DIFFERENT, ids=", ".join(sorted(found.differing)[:FEW])))
    out.print(t(AGAIN, path=source))


def _copied(t: Translate, came: Copied, target: str) -> Iterator[str]:
    yield t(ADDED, n=count_of(came.added, t), known=count_of(came.known, t))
    if came.deleted or came.masked or came.drafts:
        yield t(BESIDE, deleted=came.deleted, masked=came.masked, drafts=came.drafts)
    if came.purged:
        yield t(PURGED, n=came.purged)
    if came.access is not None:
        yield t(ACCESS) if came.access else t(OWN_ACCESS, path=target)
    if not came.same_key:
        yield t(OTHER_KEY, path=target)
