"""A store as a whole: `backup` and `restore`, `copy`, `verify`, and `lake compact`."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import orjson
from rich.text import Text

from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import Opened, ServedRun, open_store, served, store_at
from ingest.i18n import N_, Translate, count_of, decimal_of
from ingest.operations import unheard, whole_store
from ingest.reader.escaping import plain
from ingest.store import backup as copies
from ingest.store.errors import NO_COPY, StoreError, standing_for
from ingest.store.factory import Store
from ingest.store.store_url import address, is_lake
from ingest.store.transfer.copy import copy as copied

if TYPE_CHECKING:
    from ingest.cli.http_client import Server

ONLY_FOLDER = N_("--keep goes with a folder: end its name with /, and each backup has its date.")
FORCE = N_("Write over another file, or another store that nobody has open.")
MADE = N_("The backup has all that the store has, and reads back: {path}. Matches: {n}")
THERE = N_("Interrupted. The backup is whole and in its place: {path}")
REMOVED = N_("Older backups removed: {n}")
SPOILT = N_("Not counted and left there, since it cannot be read: {path}")
READS = N_("It reads back. Whether it is in order: retourne verify {path!w}")
ACCESS = N_("Tokens, sign-ins and who may read are those of the store that stood there.")
BACK = N_(
    "What was purged there is in it again: matches {n}, players {players}. To purge a player "
    "again: retourne purge PLAYER {path!w}"
)
UNREAD = N_(
    "What stood there cannot be read: tokens, who may read and who is masked are as the backup has "
    "them. See: retourne token list {path!w}"
)
KEPT = N_("What stood there is kept. To undo: retourne restore {kept!q} {path!w}")
KEPT_THERE = N_("What stood there is kept on the server’s computer: {kept}")
ADDED = N_("Matches added: {n} · there already: {known}")
BESIDE = N_("Deleted matches added: {deleted} · players masked: {masked} · drafts: {drafts}")
PURGED = N_("Left out, since they or somebody who sits in them were purged there: {n}")
WENT_ALONG = N_(
    "Tokens and who may read went along. Whoever was signed in signs in again, and programs that "
    "are told of matches are named anew with retourne webhook add."
)
OWN_ACCESS = N_("Tokens and who may read stay those of {path}.")
SAME = N_("Read again and compared: what was copied is the same.")
BY_THEMSELVES = N_("Of the matches there, had come by themselves, and are as they came: {n}")
DIFFERENT = N_("The copy differs from what was copied. Matches: {ids}")
AGAIN = N_(
    "What was written to {path} meanwhile comes when the command is given again. Whether a store "
    "is whole: retourne verify {path!w}"
)
BESIDES = ("access", "same_key", "by_themselves")
"""What people alone are told."""
FEW = 8
"""Ids of matches that are told."""
WHOLE = N_("The store is whole: every text is as it came, and every row is what its text gives.")
MEND_ROWS = N_("Texts are as they came: retourne revalidate --all makes the rows of each anew.")
MEND_TEXTS = N_("A text that has changed comes back from a backup: retourne restore BACKUP")
MEND_LAKE = N_("A text that has changed comes back from a backup of the lake’s database and files.")
OLD = N_("Left out, as verdicts of older rules: {n}. Refresh them: retourne revalidate")
VerifyFormat = StrEnum("VerifyFormat", {"TEXT": "text", "JSON": "json", "JSONL": "jsonl"})
NO_LAKE = N_("{path} is no lake: a store that is one file has nothing to compact.")
LAKE_REMOVED = N_("Files removed, which nothing needs any more: {n}")
WAITING = N_(
    "Files that somebody may still be reading: {n}. They are removed by the next "
    "`retourne lake compact`, an hour from now or later."
)
PARTS = 1000
"""In so many parts progress is told."""


@dataclass
class FileRun(ServedRun):
    """A command that copies the file of a store."""

    store: cli.FilePath = cli.DEFAULT_STORE


def backup(
    run: FileRun,
    file: str = cli.argument(
        N_("The file to write; in a folder it is named by the date."), N_("FILE")
    ),
    keep: int | None = cli.option(N_("Of a folder: keep the last N backups."), "N", min=1),
    force: bool = cli.flag(FORCE),
    quiet: params.CronQuiet = False,
) -> None:
    """Write a backup, and remove old ones."""
    t, store, target = run.t, run.store, Path(file)
    folder = target if target.is_dir() or file.endswith("/") else None
    if file == params.STDIN:
        raise cli.Stop(N_("A backup is not written to standard output: name a file, or a folder."))
    if keep is not None and folder is None:
        raise cli.Stop(ONLY_FOLDER)
    with ExitStack() as using:
        asked = using.enter_context(run.asked())
        bar = using.enter_context(cli.bar(t, N_("Writing the backup"), quiet, octets=True))
        if folder is not None:
            folder.mkdir(exist_ok=True)
            if run.server is not None and not isinstance(asked, Opened):
                store = asked.called()
            target = using.enter_context(copies.dated_in(folder, store, datetime.now()))
        if not target.parent.is_dir():
            raise cli.Stop(params.NO_FOLDER, path=target.parent)
        using.enter_context(_told_if_there(t, target))
        if isinstance(asked, Opened):
            made = copies.backup(asked.store, target, whole_store.parts(bar), force)
        else:
            here = None if run.server is not None else store
            made = copies.receive(target, partial(asked.backup, bar), here, force)
    said = [t(MADE, path=target, n=made)]
    if folder is not None and keep is not None:
        thinned = copies.thin(target, store, keep)
        said += [t(REMOVED, n=len(thinned.removed))] if thinned.removed else []
        for spoilt in thinned.spoilt:
            cli.remark(t(SPOILT, path=spoilt))
    if not quiet:
        for one in said:
            cli.console().print(plain(one))


@contextmanager
def _told_if_there(t: Translate, target: Path) -> Iterator[None]:
    """Whoever ends the command when the backup is in its place reads that it is."""

    def file() -> tuple[int, int] | None:
        return (target.stat().st_ino, target.stat().st_mtime_ns) if target.exists() else None

    before = file()
    try:
        yield
    except KeyboardInterrupt:
        if file() == before:
            raise
        raise KeyboardInterrupt(t(THERE, path=plain(str(target)))) from None


def restore(
    run: FileRun, file: Path = cli.argument(N_("The backup; it stays there."), N_("FILE"))
) -> None:
    """Put a backup in the place of the store."""
    t, store, server = run.t, run.store, run.server
    if server is None and is_lake(store):
        raise StoreError(NO_COPY)
    if server is None and not store.parent.is_dir():
        raise cli.Stop(params.NO_FOLDER, path=store.parent)
    with ExitStack() as using:
        bar = using.enter_context(cli.bar(t, N_("Reading the backup"), octets=True))
        if server is not None:
            from ingest.cli.http_client import Server

            done = using.enter_context(Server(server, run.token, t)).restore(file, bar)
        else:
            try:
                done = whole_store.restored(copies.restore(store, file, whole_store.parts(bar)))
            except StoreError as error:
                done = using.enter_context(served(error, store, t)).restore(file, bar)
    run.say(N_("The store {path} is that of {backup}."), path=server or store, backup=file)
    run.say(READS, path=server or store)
    if done["kept"] is None:
        return
    # what the store that was replaced had decided, and what of it no longer holds
    if (carried := done["carried"]) is None:
        run.say(UNREAD, path=server or store)
    else:
        if carried["access"]:
            run.say(ACCESS)
        if carried["masked"]:
            run.say(N_("Players who were masked there are masked again: {n}"), n=carried["masked"])
        if carried["back"] or carried["matches"]:
            names = ", ".join(carried["back"]) or "–"
            run.say(BACK, n=carried["matches"], players=names, path=server or store)
    run.say(KEPT if server is None else KEPT_THERE, kept=done["kept"], path=store)


def copy(
    run: cli.Run,
    source: Path = cli.argument(
        N_("The store that is copied; it stays as it is."), N_("FROM"), parser=address
    ),
    target: Path = cli.argument(
        N_("The store it is added to; made where it is not."), N_("TO"), parser=address
    ),
    format: params.AsFormat = params.Format.TEXT,
    quiet: cli.Quiet = False,
) -> None:
    """Add what one store has to another, and compare."""
    t = run.t
    if source.resolve() == target.resolve():
        raise cli.Stop(N_("{path} is both stores: name two."), path=target)
    with ExitStack() as until:
        one = until.enter_context(store_at(source, None, None, t, read_only=True))
        other = until.enter_context(store_at(target, None, None, t, new=True))
        bar = until.enter_context(cli.bar(t, quiet=quiet))
        if isinstance(one, Opened) and isinstance(other, Opened):
            done = other.do(whole_store.copy, bar, source=one.store)
        else:
            file = until.enter_context(_as_file(one))
            until.enter_context(standing_for(file, source))
            if isinstance(other, Opened):
                copied_from = until.enter_context(Store(file, read_only=True))
                done = other.do(whole_store.copy, bar, source=copied_from)
            else:
                done = other.send_store(whole_store.copy, file, bar, name=str(source))
    if format is params.Format.JSONL:
        params.write([{name: value for name, value in done.items() if name not in BESIDES}])
    elif not quiet or not done["same"]:
        _say_copied(run, done, plain(str(source)), plain(str(target)))
    cli.leave(cli.LEGAL if done["same"] else cli.FOUND)


@contextmanager
def _as_file(asked: "Opened | Server") -> Iterator[Path]:
    """What a store has now, in a file of its own while this lasts."""
    with TemporaryDirectory(prefix="retourne-copy-") as folder:
        path = Path(folder, "store.duckdb")
        if not isinstance(asked, Opened):
            copies.receive(path, partial(asked.backup, unheard))
        elif asked.store.in_a_file:
            copies.backup(asked.store, path)
        else:
            with Store(path) as made:
                copied(asked.store, made, lambda done: None)
        yield path


def _say_copied(run: cli.Run, done: dict[str, Any], source: str, target: str) -> None:
    """What was copied, what it came to, and what is not as it should be."""
    t = run.t
    run.say(ADDED, n=count_of(done["added"], t), known=count_of(done["known"], t))
    beside = {name: done[name] for name in ("deleted", "masked", "drafts")}
    if any(beside.values()):
        run.say(BESIDE, **beside)
    if done["purged"]:
        run.say(PURGED, n=done["purged"])
    if done["access"] is not None:
        run.say(WENT_ALONG if done["access"] else OWN_ACCESS, path=target)
    if not done["same_key"]:
        run.say(N_("Pseudonyms stay those of {path}, and are others than before."), path=target)
    rows = [(one["table"], count_of(one["rows"], t), one["checksum"]) for one in done["tables"]]
    cli.show(cli.console(), [t("Table"), t("Rows"), t("Checksum")], rows)
    if done["by_themselves"]:
        run.say(BY_THEMSELVES, n=done["by_themselves"])
    if done["same"]:
        run.say(SAME)
        return
    for table, count in done["missing"].items():
        run.say(N_("Not there: {table} {n}"), table=table, n=count)
    if done["differing"]:
        run.say(DIFFERENT, ids=", ".join(done["differing"][:FEW]))
    run.say(AGAIN, path=source)


def verify(
    run: ServedRun,
    format: VerifyFormat = cli.option(
        N_("text for people; json and jsonl: one object, on one line as jsonl."),
        default=VerifyFormat.TEXT,
    ),
    quiet: cli.Quiet = False,
) -> None:
    """Read every text of a store again and compare every row."""
    label = N_("Reading again")
    with run.asked(read_only=True) as asked, cli.bar(run.t, label, quiet) as bar:
        found = asked.do(whole_store.verify, bar)
    if format is not VerifyFormat.TEXT:
        told = {name: found[name] for name in ("whole", "texts", "old", "wrong")}
        if format is VerifyFormat.JSONL:
            params.write([told])
        else:
            sys.stdout.write(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif found["wrong"] or not quiet:
        cli.console().print(Text("\n").join(_verify_lines(run.t, found)))
    cli.leave(cli.FOUND if found["wrong"] else cli.LEGAL)


def _verify_lines(t: Translate, found: dict[str, Any]) -> Iterator[Text]:
    """What is wrong, match by match, and the answer below it."""
    wrong = found["wrong"]
    for one in wrong:
        line = Text(f"{one['match']}  " if one["match"] else "", style="bold")
        yield line.append(plain(one["text"]), style="not bold")
    yield Text(t("Texts read again: {n}", n=found["texts"]))
    if found["old"]:
        yield Text(t(OLD, n=found["old"]), style="yellow")
    if not wrong:
        yield Text(t(WHOLE), style="green")
        return
    yield Text(t("The store is not whole. What is wrong: {n}", n=len(wrong)), style="bold red")
    mend = MEND_TEXTS if found["in_a_file"] else MEND_LAKE
    yield Text(t(mend if found["texts_changed"] else MEND_ROWS))


def lake_compact(
    run: cli.StoreRun,
    keep: int | None = cli.option(
        N_("Let go of what the lake was more than so many days ago; nothing if absent."),
        N_("DAYS"),
        min=1,
    ),
    quiet: params.CronQuiet = False,
) -> None:
    """Merge the small files of a lake."""
    t = run.t
    if not is_lake(run.store):
        raise cli.Stop(NO_LAKE, path=run.store)
    with open_store(run.store) as opened:
        from ingest.store.lake.compaction import compact
        from ingest.store.lake.store import LakeStore, asked  # of packages that not everybody has

        assert isinstance(opened, LakeStore)
        past = None if keep is None else timedelta(days=keep)
        with cli.progress(t, N_("Merging files"), PARTS, octets=True, quiet=quiet) as advance:
            done = compact(opened, past, lambda done, of: advance(done * PARTS // of))
    if quiet:
        return
    before, after = done.before, done.after
    run.say(
        N_("Files of the lake: {before} → {after} · {octets} MB → {left} MB"),
        before=count_of(before.files, t),
        after=count_of(after.files, t),
        octets=decimal_of(before.octets / 1e6, 1, t),
        left=decimal_of(after.octets / 1e6, 1, t),
    )
    if keep is not None:
        run.say(N_("Older states let go: {n}"), n=count_of(done.expired, t))
    for text, count in ((LAKE_REMOVED, done.removed), (WAITING, done.waiting)):
        if count:
            run.say(text, n=count_of(count, t))
    run.say(N_("What it was can be asked from then on: {at}"), at=asked(done.oldest))
