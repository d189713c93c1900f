"""`retourne copy`: what one store has, put into another and held against it afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli.console import show
from ingest.cli.open_store import Opened, store_at
from ingest.cli.params import AsFormat, Format, write
from ingest.cli.terminal import FOUND, LEGAL, Bar, Lang, Quiet, Stop, console, leave
from ingest.i18n import N_, Translate, count_of
from ingest.operations import unheard
from ingest.operations.whole import copy as operation
from ingest.store import backup
from ingest.store.address import address
from ingest.store.store import Store
from ingest.store.transfer.copy import copy as copied
from ingest.text.signs import plain

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

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
BESIDES = ("access", "same_key", "by_themselves")
"""What people alone are told."""
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
    with ExitStack() as until:
        one = until.enter_context(store_at(source, None, None, t, read_only=True))
        other = until.enter_context(store_at(target, None, None, t, new=True))
        bar = until.enter_context(Bar(t, quiet))
        if isinstance(one, Opened) and isinstance(other, Opened):
            done = other.do(operation, bar, source=one.store)
        else:
            file = until.enter_context(_as_file(one))
            if isinstance(other, Opened):
                copied_from = until.enter_context(Store(file, read_only=True))
                done = other.do(operation, bar, source=copied_from)
            else:
                done = other.send_store(operation, file, bar)
    if format is Format.JSONL:
        write([{name: value for name, value in done.items() if name not in BESIDES}])
    elif not quiet or not done["same"]:
        _say(t, done, plain(str(source)), plain(str(target)))
    leave(LEGAL if done["same"] else FOUND)


@contextmanager
def _as_file(asked: "Opened | Server") -> Iterator[Path]:
    """What a store has now, in a file of its own while this lasts."""
    with TemporaryDirectory(prefix="retourne-copy-") as folder:
        path = Path(folder, "store.duckdb")
        if not isinstance(asked, Opened):
            backup.receive(path, partial(asked.backup, unheard))
        elif asked.store.in_a_file:
            backup.backup(asked.store, path)
        else:
            with Store(path) as made:
                copied(asked.store, made, lambda done: None)
        yield path


def _say(t: Translate, done: dict[str, Any], source: str, target: str) -> None:
    """What was copied, what it came to, and what is not as it should be."""
    out = console()
    for one in _copied(t, done, target):
        out.print(one)
    rows = [(one["table"], count_of(one["rows"], t), one["checksum"]) for one in done["tables"]]
    show(out, [t(N_("Table")), t(N_("Rows")), t(N_("Checksum"))], rows)
    if done["by_themselves"]:
        out.print(t(BY_THEMSELVES, n=done["by_themselves"]))
    if done["same"]:
        out.print(t(SAME))
        return
    for table, count in done["missing"].items():
        out.print(t(MISSING, table=table, n=count))
    if done["differing"]:
        out.print(t(DIFFERENT, ids=", ".join(done["differing"][:FEW])))
    out.print(t(AGAIN, path=source))


def _copied(t: Translate, done: dict[str, Any], target: str) -> Iterator[str]:
    yield t(ADDED, n=count_of(done["added"], t), known=count_of(done["known"], t))
    beside = {name: done[name] for name in ("deleted", "masked", "drafts")}
    if any(beside.values()):
        yield t(BESIDE, **beside)
    if done["purged"]:
        yield t(PURGED, n=done["purged"])
    if done["access"] is not None:
        yield t(ACCESS) if done["access"] else t(OWN_ACCESS, path=target)
    if not done["same_key"]:
        yield t(OTHER_KEY, path=target)
