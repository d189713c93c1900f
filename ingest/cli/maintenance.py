"""`retourne backup`, `restore`, `copy`, `verify` and `lake compact`."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from rich.text import Text

from ingest.cli import common as cli
from ingest.cli import params
from ingest.cli.open_store import (
    LocalStore,
    StoreOrServerRun,
    open_local_or_server,
    open_store,
    serving_client,
)
from ingest.cli.terminal_tables import console, print_table
from ingest.escaping import escape_line
from ingest.i18n import N_, SERVED, Translate, format_count, format_decimal
from ingest.operations import ignore_progress, maintenance
from ingest.store import backup as copies
from ingest.store.errors import LAKE_NOT_COPYABLE, StoreError, show_path_as
from ingest.store.factory import Store
from ingest.store.store_url import is_lake_url, parse_store_url
from ingest.store.temporary_files import temporary_folder
from ingest.store.transfer.copy import copy_store as copied

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient

KEEP_NEEDS_FOLDER = N_("--keep-last needs a folder: end its name with /, and each backup has its date.")
FORCE = N_("Overwrite another file, or another store that is not in use.")
BACKUP_MADE = N_("The backup is complete and was verified: {path}. Matches: {n}")
THERE = N_("Interrupted. The backup is whole and in its place: {path}")
PURGED_PRESENT_AGAIN = N_(
    "The backup brings back deleted data: matches {n}, players {players}. To delete a player "
    "again: retourne purge PLAYER {path!w}"
)
OLD_STORE_UNREADABLE = N_(
    "The replaced store cannot be read: tokens, read access and masked players come from the "
    "backup. See: retourne token list {path!w}"
)
OLD_STORE_PATH = N_("The replaced store is still there. To undo: retourne restore {old!q} {path!w}")
OLD_STORE_ON_SERVER = N_("The replaced store is still on the server’s computer: {old}")
MATCHES_COPIED = N_("Matches added: {n} · there already: {known}")
METADATA_COPIED = N_(
    "Deleted matches added: {deleted} · players masked: {masked} · drafts: {drafts} · names and answers: "
    "{answers}"
)
PURGED_LEFT_OUT = N_("Skipped, because they or one of their players were deleted there: {n}")
ACCESS_COPIED = N_(
    "Tokens and read access were copied. Everyone has to sign in again. Add webhooks again "
    "with: retourne webhook add"
)
ACCESS_OF_TARGET = N_("Tokens and who may read stay those of {path}.")
INDEPENDENTLY_PRESENT = N_("Matches already there, unchanged: {n}")
COPY_DIFFERS = N_("The copy differs from the original. Matches: {ids}")
TWO_SERVERS = N_(
    "One of the two stores must be here: back one up first, retourne backup FILE {path!w}, and copy FILE."
)
COPY_AGAIN_HINT = N_(
    "To copy changes made to {path} in the meantime, run the command again. To check a store: "
    "retourne verify {path!w}"
)
METADATA_KEYS = ("access", "same_key", "by_themselves")
"""Parts of a copy's result that are shown in text only."""
MAX_IDS_LISTED = 8
"""Ids of matches that a message lists."""
STORE_CONSISTENT = N_("The store is intact: every text is as it came, and every row matches its text.")
FIX_ROWS_HINT = N_("Texts are as they came. To rebuild their rows: retourne revalidate --all")
FIX_TEXTS_HINT = N_("A text that has changed comes back from a backup: retourne restore BACKUP")
FIX_LAKE_HINT = N_("To restore a changed text, use a backup of the lake’s database and files.")
OUTDATED_LEFT_OUT = N_("Not compared, checked by older rules: {n}. Refresh them: retourne revalidate")
VerifyFormat = StrEnum("VerifyFormat", {"TEXT": "text", "JSON": "json", "JSONL": "jsonl"})
NOT_A_LAKE = N_("{path} is not a lake: a file store has nothing to compact.")
LAKE_REMOVED = N_("Files removed, which nothing needs any more: {n}")
FILES_PENDING_REMOVAL = N_(
    "Files possibly still in use: {n}. The next `retourne lake compact`, an hour from now or "
    "later, removes them."
)
PROGRESS_PARTS = 1000
"""Number of steps in which progress is reported."""


@dataclass
class StoreFileRun(StoreOrServerRun):
    """One run of a command that copies a store's file."""

    store: cli.FilePath = cli.DEFAULT_STORE


def backup(
    run: StoreFileRun,
    file: str = cli.argument(N_("The file to write; in a folder it is named by the date."), N_("FILE")),
    keep_last: int | None = cli.option(N_("For a folder: keep the last N backups."), "N", min=1),
    force: bool = cli.flag(FORCE),
    quiet: params.CronQuiet = False,
) -> None:
    """Write a backup, and remove old ones."""
    t, store, target = run.t, run.store, Path(file)
    folder = target if target.is_dir() or file.endswith("/") else None
    if file == params.STDIN:
        raise cli.CommandError(N_("A backup is not written to standard output: name a file, or a folder."))
    if keep_last is not None and folder is None:
        raise cli.CommandError(KEEP_NEEDS_FOLDER)
    with ExitStack() as using:
        requested = using.enter_context(run.open())
        bar = using.enter_context(
            cli.operation_progress_bar(t, N_("Writing the backup"), quiet, is_bytes=True)
        )
        if folder is not None:
            folder.mkdir(exist_ok=True)
            if run.server is not None and not isinstance(requested, LocalStore):
                store = requested.called()
            target = using.enter_context(copies.reserve_dated_path(folder, store, datetime.now()))
        if not target.parent.is_dir():
            raise cli.CommandError(params.NO_FOLDER, path=target.parent)
        using.enter_context(_report_if_there(t, target))
        if isinstance(requested, LocalStore):
            made = copies.backup(requested.store, target, maintenance.progress_in_parts(bar), force)
        else:
            here = None if run.server is not None else store
            made = copies.download_backup(target, partial(requested.download_backup, bar), here, force)
    items = [t(BACKUP_MADE, path=target, n=made)]
    if folder is not None and keep_last is not None:
        thinned = copies.prune_backups(target, store, keep_last)
        items += [t("Older backups removed: {n}", n=len(thinned.removed))] if thinned.removed else []
        for spoilt in thinned.unreadable:
            cli.print_notice(t("Not counted and left there, since it cannot be read: {path}", path=spoilt))
    if not quiet:
        for one in items:
            console().print(escape_line(one))


@contextmanager
def _report_if_there(t: Translate, target: Path) -> Iterator[None]:
    """If interrupted after the backup is in place, report that it is complete."""

    def file() -> tuple[int, int] | None:
        return (target.stat().st_ino, target.stat().st_mtime_ns) if target.exists() else None

    before = file()
    try:
        yield
    except KeyboardInterrupt:
        if file() == before:
            raise
        raise KeyboardInterrupt(t(THERE, path=escape_line(str(target)))) from None


def restore(
    run: StoreFileRun, file: Path = cli.argument(N_("The backup; it stays there."), N_("FILE"))
) -> None:
    """Replace the store with a backup."""
    t, store, server = run.t, run.store, run.server
    if server is None and is_lake_url(store):
        raise StoreError(LAKE_NOT_COPYABLE)
    if server is None and not store.parent.is_dir():
        raise cli.CommandError(params.NO_FOLDER, path=store.parent)
    with ExitStack() as using:
        bar = using.enter_context(cli.operation_progress_bar(t, N_("Reading the backup"), is_bytes=True))
        if server is not None:
            from ingest.cli.http_client import ServerClient

            done = using.enter_context(ServerClient(server, run.token, t)).upload_backup(file, bar)
        else:
            try:
                done = maintenance.restore_result(
                    copies.restore_backup(store, file, maintenance.progress_in_parts(bar))
                )
            except StoreError as error:
                done = using.enter_context(serving_client(error, store, t)).upload_backup(file, bar)
    run.print(N_("The store {path} is that of {backup}."), path=server or store, backup=file)
    run.print(N_("It was read again. To check it: retourne verify {path!w}"), path=server or store)
    if done["old_store"] is None:
        return
    # tokens, masks and purges of the replaced store
    if (carried := done["carried"]) is None:
        run.print(OLD_STORE_UNREADABLE, path=server or store)
    else:
        if carried["access"]:
            run.print(N_("Tokens, sign-ins and read access are those of the replaced store."))
        if carried["masked"]:
            run.print(N_("Players who were masked there are masked again: {n}"), n=carried["masked"])
        if carried["back"] or carried["matches"]:
            names = ", ".join(carried["back"]) or "–"
            run.print(PURGED_PRESENT_AGAIN, n=carried["matches"], players=names, path=server or store)
    run.print(OLD_STORE_PATH if server is None else OLD_STORE_ON_SERVER, old=done["old_store"], path=store)


@dataclass
class CopyRun(cli.Run):
    """One run of `copy`, which names its two stores itself."""

    token: params.Token = None

    def open_named(
        self, name: str, read_only: bool = False, create: bool = False
    ) -> "AbstractContextManager[LocalStore | ServerClient]":
        """Open the store at a path, or connect to the server at an address."""
        server = name if name.startswith(SERVED) else None
        return open_local_or_server(
            parse_store_url(name), server, self.token, self.t, read_only, create=create
        )


def copy(
    run: CopyRun,
    source: str = cli.argument(
        N_("The store to copy: a file, a lake or the address of a server. It is not changed."), N_("FROM")
    ),
    target: str = cli.argument(
        N_("The target store, in the same form; a file or a lake is created if missing."), N_("TO")
    ),
    format: params.FormatOption = params.Format.TEXT,
    quiet: cli.Quiet = False,
) -> None:
    """Add the content of one store to another, and compare them."""
    t = run.t
    shown_source, shown_target = (
        name if name.startswith(SERVED) else str(parse_store_url(name)) for name in (source, target)
    )
    if source.startswith(SERVED) and target.startswith(SERVED):
        raise cli.CommandError(TWO_SERVERS, path=source)
    if parse_store_url(source).resolve() == parse_store_url(target).resolve():
        raise cli.CommandError(N_("{path} is both stores: name two."), path=shown_target)
    with ExitStack() as until:
        one = until.enter_context(run.open_named(source, read_only=True))
        other = until.enter_context(run.open_named(target, create=True))
        bar = until.enter_context(cli.operation_progress_bar(t, quiet=quiet))
        if isinstance(one, LocalStore) and isinstance(other, LocalStore):
            done = other.run_operation(maintenance.copy, bar, source=one.store)
        else:
            file = until.enter_context(_download_to_file(one))
            until.enter_context(show_path_as(file, shown_source))
            if isinstance(other, LocalStore):
                copied_from = until.enter_context(Store(file, read_only=True))
                done = other.run_operation(maintenance.copy, bar, source=copied_from)
            else:
                done = other.upload_store(maintenance.copy, file, bar, name=shown_source)
    if format is params.Format.JSONL:
        params.write_json_lines([{name: value for name, value in done.items() if name not in METADATA_KEYS}])
    elif not quiet or not done["same"]:
        _print_copy_result(run, done, escape_line(shown_source), escape_line(shown_target))
    cli.exit_with(cli.EXIT_OK if done["same"] else cli.EXIT_FINDINGS)


@contextmanager
def _download_to_file(store: "LocalStore | ServerClient") -> Iterator[Path]:
    """Copy a store to a temporary file, removed afterwards."""
    with temporary_folder() as folder:
        path = folder / "store.duckdb"
        if not isinstance(store, LocalStore):
            copies.download_backup(path, partial(store.download_backup, ignore_progress))
        elif store.store.is_single_file:
            copies.backup(store.store, path)
        else:
            with Store(path) as made:
                copied(store.store, made, lambda done: None)
        yield path


def _print_copy_result(run: cli.Run, done: dict[str, Any], source: str, target: str) -> None:
    """Print the counts of a copy, its checksums, and any differences."""
    t = run.t
    run.print(MATCHES_COPIED, n=format_count(done["added"], t), known=format_count(done["already_stored"], t))
    other = {name: done[name] for name in ("deleted", "masked", "drafts", "answers")}
    if any(other.values()):
        run.print(METADATA_COPIED, **other)
    if done["purged"]:
        run.print(PURGED_LEFT_OUT, n=done["purged"])
    if done["access"] is not None:
        run.print(ACCESS_COPIED if done["access"] else ACCESS_OF_TARGET, path=target)
    if not done["same_key"]:
        run.print(N_("Pseudonyms stay those of {path}, and are others than before."), path=target)
    rows = [(one["table"], format_count(one["rows"], t), one["checksum"]) for one in done["tables"]]
    print_table(console(), [t("Table"), t("Rows"), t("Checksum")], rows)
    if done["by_themselves"]:
        run.print(INDEPENDENTLY_PRESENT, n=done["by_themselves"])
    if done["same"]:
        run.print(N_("Read again and compared: the copy is identical."))
        return
    for table, count in done["missing"].items():
        run.print(N_("Not there: {table} {n}"), table=table, n=count)
    if done["differing"]:
        run.print(COPY_DIFFERS, ids=", ".join(done["differing"][:MAX_IDS_LISTED]))
    run.print(COPY_AGAIN_HINT, path=source)


def verify(
    run: StoreOrServerRun,
    format: VerifyFormat = cli.option(
        N_("text for people; json and jsonl: one object, on one line as jsonl."), default=VerifyFormat.TEXT
    ),
    quiet: cli.Quiet = False,
) -> None:
    """Parse every text of a store again and compare every row."""
    label = N_("Reading again")
    with run.open(read_only=True) as requested, cli.operation_progress_bar(run.t, label, quiet) as bar:
        found = requested.run_operation(maintenance.verify, bar)
    if format is not VerifyFormat.TEXT:
        fields = {name: found[name] for name in ("ok", "texts", "outdated", "differences")}
        if format is VerifyFormat.JSONL:
            params.write_json_lines([fields])
        else:
            sys.stdout.write(orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode() + "\n")
    elif not found["ok"] or not quiet:
        console().print(Text("\n").join(_verify_lines(run.t, found)))
    cli.exit_with(cli.EXIT_OK if found["ok"] else cli.EXIT_FINDINGS)


def _verify_lines(t: Translate, found: dict[str, Any]) -> Iterator[Text]:
    """Yield what is wrong, match by match, then how to fix it."""
    differences = found["differences"]
    for one in differences:
        line = Text(f"{one['match']}  " if one["match"] else "", style="bold")
        yield line.append(escape_line(one["text"]), style="not bold")
    yield Text(t("Texts read again: {n}", n=found["texts"]))
    if found["outdated"]:
        yield Text(t(OUTDATED_LEFT_OUT, n=found["outdated"]), style="yellow")
    if found["ok"]:
        yield Text(t(STORE_CONSISTENT), style="green")
        return
    yield Text(t("The store is damaged. Problems: {n}", n=len(differences)), style="bold red")
    advice = FIX_TEXTS_HINT if found["in_a_file"] else FIX_LAKE_HINT
    yield Text(t(advice if found["texts_changed"] else FIX_ROWS_HINT))


def lake_compact(
    run: cli.StoreRun,
    keep_days: int | None = cli.option(
        N_("Expire snapshots older than N days (default: keep all)."), N_("DAYS"), min=1
    ),
    quiet: params.CronQuiet = False,
) -> None:
    """Merge the small files of a lake."""
    t = run.t
    if not is_lake_url(run.store):
        raise cli.CommandError(NOT_A_LAKE, path=run.store)
    with open_store(run.store) as opened:
        from ingest.store.lake.compaction import compact
        from ingest.store.lake.store import LakeStore, local_time_text  # their packages are optional

        assert isinstance(opened, LakeStore)
        past = None if keep_days is None else timedelta(days=keep_days)
        with cli.progress_bar(t, N_("Merging files"), PROGRESS_PARTS, is_bytes=True, quiet=quiet) as advance:
            done = compact(opened, past, lambda done, of: advance(done * PROGRESS_PARTS // of))
    if quiet:
        return
    before, after = done.before, done.after
    run.print(
        N_("Files of the lake: {before} → {after} · {octets} MB → {left} MB"),
        before=format_count(before.files, t),
        after=format_count(after.files, t),
        octets=format_decimal(before.total_bytes / 1e6, 1, t),
        left=format_decimal(after.total_bytes / 1e6, 1, t),
    )
    if keep_days is not None:
        run.print(N_("Older states let go: {n}"), n=format_count(done.expired, t))
    for text, count in ((LAKE_REMOVED, done.removed), (FILES_PENDING_REMOVAL, done.waiting)):
        if count:
            run.print(text, n=format_count(count, t))
    run.print(N_("Earlier states are available from: {at}"), at=local_time_text(done.oldest))
