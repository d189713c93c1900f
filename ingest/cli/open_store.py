"""Opens a command's store, or connects to the server that holds it."""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from typing import IO, TYPE_CHECKING, Any

import duckdb
import typer

from ingest.cli.common import CommandError, StoreRun, progress_bar
from ingest.cli.params import ServerUrl, Token, connect_cluster
from ingest.escaping import escape_json_lines, escape_lines
from ingest.i18n import N_, Translate
from ingest.operations import Operation, OperationContext, OperationResult, ProgressCallback, ignore_progress
from ingest.reader.sources import Source
from ingest.redact.anonymize_log import MaskedPlayers
from ingest.store import ratings, wal
from ingest.store.factory import NO_STORE, STORE_IN_USE, Store, StoreError
from ingest.store.raw_texts import masked_players
from ingest.store.store_url import is_lake_url
from ingest.store.temporary_files import (
    private_files,
    remove_abandoned_folders,
    remove_leftovers,
    write_unlinked,
)

if TYPE_CHECKING:
    from ingest.cli.http_client import ServerClient
    from ingest.store.export import KeepField
    from ingest.store.ingest_files import FileReport
    from ingest.store.match_comparison import OnConflict

LIST_MATCHES = """
SELECT m.match_id, m.log_id, m.played_on, m.status::VARCHAR, m.game,
       (SELECT list(p.name ORDER BY s.seat) FROM seats s JOIN players p USING (player_no)
        WHERE s.match_no = m.match_no),
       (SELECT list(s.player_no) FROM seats s WHERE s.match_no = m.match_no)
FROM matches m ORDER BY m.match_no
"""


@contextmanager
def open_store(
    path: Path, read_only: bool = False, as_of: datetime | None = None, create: bool = False
) -> Iterator[Store]:
    """Open the store at a path, as it was at `as_of` if given. StoreError: it fails.

    `create`: files will be added; a store made for files that then fail is removed.
    """
    made = create and not path.exists()
    # other users read the files of a lake
    rights = nullcontext() if is_lake_url(path) else private_files()
    with rights, Store(path, read_only, as_of=as_of) as store:
        if not read_only and store.is_single_file:
            remove_leftovers(path.resolve())
        else:
            remove_abandoned_folders()
        try:
            yield store
        except BaseException:
            # after a fatal error the store answers no query: leave it
            if made and not store.needs_reopen:
                if store.cursor().execute("FROM files LIMIT 1").fetchone() is None:
                    path.unlink()  # still open, so that no other process has it yet
                    wal.wal_path(path).unlink(missing_ok=True)
            raise


class LocalStore:
    """A store opened in this process, with the interface of `ServerClient`."""

    def __init__(self, store: Store, t: Translate) -> None:
        self.store, self._t = store, t

    def operation_context(self, progress: ProgressCallback = ignore_progress) -> OperationContext:
        return OperationContext(
            self.store, self._t, progress, join_cluster=partial(connect_cluster, self._t, quiet=False)
        )

    def run_operation(
        self, operation: Operation, progress: ProgressCallback = ignore_progress, /, **given: object
    ) -> OperationResult:
        """Return the result of an operation. StoreError: it failed."""
        return operation(self.operation_context(progress), **given)

    def ingest_files(
        self,
        sources: Sequence[Source],
        progress: Callable[[str, int], None],
        on_conflict: "OnConflict | None" = None,
    ) -> "Iterator[FileReport]":
        """Store files; yield a report as each is done."""
        from ingest.store.ingest_files import ingest
        from ingest.store.match_comparison import OnConflict  # imported only if needed

        decided = on_conflict or OnConflict.KEEP
        return ingest(self.store, sources, progress, on_conflict=decided)

    def read_log(self, match_ref: str) -> bytes:
        """Return a match exactly as it was stored. CommandError: the store has no such id."""
        if (number := self.store.find_match(match_ref, include_masked=True)) is None:
            from ingest.operations.matches import UNKNOWN_MATCH

            raise CommandError(UNKNOWN_MATCH, id=match_ref)
        return self.store.read_match_text(number)

    def write_export(
        self, name: str, file: IO[bytes], anonymous: bool, keep: "Collection[KeepField]"
    ) -> None:
        """Write a table, or the logs, to `file`; on a terminal, control characters are escaped."""
        from ingest.store.export import ALL_MATCHES, Format, Table, write_logs, write_table

        table, _, format = name.partition(".")
        if name == "logs.jsonl":
            write_logs(self.store, file, ALL_MATCHES, anonymous, keep)
            return

        def write(path: Path) -> int:  # DuckDB writes only to files
            return write_table(self.store, Table(table), Format(format), path, ALL_MATCHES, anonymous, keep)

        with write_unlinked(write)[0] as made:
            if file is sys.stdout.buffer and sys.stdout.isatty():
                safe = escape_lines if format.endswith(Format.CSV) else escape_json_lines
                file.writelines(safe(line.decode()).encode() for line in made)
            else:
                copyfileobj(made, file)

    def list_matches(self) -> Iterator[list[Any]]:
        """Yield id, id in the log, date, status, game and players of every match."""
        cursor = self.store.cursor()
        hidden = masked_players(cursor)
        people = MaskedPlayers(hidden.values())
        result = cursor.execute(LIST_MATCHES)
        while rows := result.fetchmany(10_000):
            for match_id, log_id, played_on, *others, seated in rows:
                hide = people.redactor_for([hidden[one].id for one in seated or () if one in hidden])
                day = played_on and played_on.isoformat()
                yield [match_id, log_id and hide(log_id, within=True), day, *others]


@contextmanager
def open_local_or_server(
    path: Path,
    server: str | None,
    token: str | None,
    t: Translate,
    read_only: bool = False,
    create: bool = False,
    as_of: datetime | None = None,
) -> "Iterator[LocalStore | ServerClient]":
    """Open the store at a path, or connect to the server that has it.

    The server is the one at the URL `server`, or the one on this computer that has the store open.
    `create`: make a missing store, to add files. CommandError, StoreError: it cannot be used.
    """
    with ExitStack() as until:
        if server is not None:
            from ingest.cli.http_client import ServerClient  # imports HTTP only if needed

            yield until.enter_context(ServerClient(server, token, t))
            return
        if not create and not path.exists():
            raise CommandError(NO_STORE, path=path)
        try:
            store = until.enter_context(open_store(path, read_only, as_of, create))
        except StoreError as error:
            yield until.enter_context(serving_client(error, path, t))
        else:
            if not read_only and as_of is None:
                until.push(_rate_on_success(store, t))
            yield LocalStore(store, t)


def _rate_on_success(store: Store, t: Translate) -> Callable[..., None]:
    """Return an exit callback that updates the ratings if a successful command changed matches.

    After any other command the next one updates them.
    """
    before = ratings.source_version(store)

    def rate(kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, typer.Exit):
            return
        # a purge or restore replaced the file, which has ratings of its own
        with suppress(duckdb.ConnectionException):
            if ratings.source_version(store) != before:
                with progress_bar(t, N_("Rating matches…"), 0) as advance:
                    ratings.refresh_ratings(store, lambda done, total: advance(done))

    return rate


def serving_client(error: StoreError, path: Path, t: Translate) -> "ServerClient":
    """Return a client of the server that has the store open, or re-raise `error`."""
    if error.text == STORE_IN_USE:
        from ingest.cli.http_client import ServerClient

        if (found := ServerClient.running_for(path, t)) is not None:
            return found
    raise error


@dataclass
class StoreOrServerRun(StoreRun):
    """One run of a command that uses a store, here or on a server."""

    server: ServerUrl = None
    token: Token = None

    def open(
        self, read_only: bool = False, create: bool = False, as_of: datetime | None = None
    ) -> "AbstractContextManager[LocalStore | ServerClient]":
        return open_local_or_server(self.store, self.server, self.token, self.t, read_only, create, as_of)

    def run_operation(self, operation: Operation, **given: object) -> OperationResult:
        """Return the result of an operation. CommandError, StoreError: it failed."""
        with self.open() as there:
            return there.run_operation(operation, **given)
