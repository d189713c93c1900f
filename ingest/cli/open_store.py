"""The store a command is about: opened here, or asked of the server that has it."""

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

import duckdb
import typer

from ingest.cli.common import Stop, StoreRun, progress
from ingest.cli.params import ServerUrl, Token, cluster_of
from ingest.i18n import N_, Translate
from ingest.operations import Operation, Tell, Told, Work, unheard
from ingest.reader.escaping import json_lines, lines
from ingest.reader.sources import Source
from ingest.redact.log_text import People
from ingest.store import ratings, wal
from ingest.store.backup import clear_begun
from ingest.store.factory import BUSY, NO_STORE, Store, StoreError
from ingest.store.raw_texts import masked

if TYPE_CHECKING:
    from ingest.cli.http_client import Server
    from ingest.store.export import Kept
    from ingest.store.ingest_files import FileReport

LIST = """
SELECT m.match_id, m.log_id, m.played_at, m.status::VARCHAR, m.game,
       (SELECT list(p.name ORDER BY s.seat) FROM seats s JOIN players p USING (player_no)
        WHERE s.match_no = m.match_no),
       (SELECT list(s.player_no) FROM seats s WHERE s.match_no = m.match_no)
FROM matches m ORDER BY m.match_no
"""


@contextmanager
def open_store(
    path: Path, read_only: bool = False, at: datetime | None = None, new: bool = False
) -> Iterator[Store]:
    """The store of a path while this lasts, `at`: as it was then. StoreError: it fails.

    `new`: to put files in; one that is made now for files that do not come is not left.
    """
    made = new and not path.exists()
    with Store(path, read_only, at=at) as store:
        if not read_only and store.in_a_file:
            with suppress(OSError):  # it does no harm
                clear_begun(path.resolve())
        try:
            yield store
        except BaseException:
            # one that failed gravely takes no more questions: what it has stays
            if made and not store.broken:
                if store.cursor().execute("FROM files LIMIT 1").fetchone() is None:
                    path.unlink()  # while it is open, so that it is nobody else's yet
                    wal.beside(path).unlink(missing_ok=True)
            raise


class Opened:
    """A store of this process, asked as a server is."""

    def __init__(self, store: Store, t: Translate) -> None:
        self.store, self._t = store, t

    def work(self, tell: Tell = unheard) -> Work:
        """What an operation is called with."""
        return Work(self.store, self._t, tell, cluster=partial(cluster_of, self._t, quiet=False))

    def do(self, operation: Operation, tell: Tell = unheard, /, **given: object) -> Told:
        """What an operation came to. StoreError: it is not done."""
        return operation(self.work(tell), **given)

    def add(
        self, found: Sequence[Source], hear: Callable[[str, int], None]
    ) -> "Iterator[FileReport]":
        """Store files, a report each as it is done."""
        from ingest.store.ingest_files import ingest  # as little is loaded as is needed

        return ingest(self.store, found, hear)

    def log(self, name: str) -> bytes:
        """A stored match exactly as it came. Stop: there is none of that id."""
        if (number := self.store.find(name, hidden=True)) is None:
            from ingest.operations.matches import NO_MATCH

            raise Stop(NO_MATCH, id=name)
        return self.store.text(number)

    def export(self, name: str, file: IO[bytes], anonymous: bool, keep: "Collection[Kept]") -> None:
        """Write a table, or the logs; on a terminal no sign of a text steers it."""
        from ingest.store.export import EVERYTHING, Format, Table, write_logs, write_table

        table, _, format = name.partition(".")
        if name == "logs.jsonl":
            write_logs(self.store, file, EVERYTHING, anonymous, keep)
            return
        with TemporaryDirectory() as folder:  # through a file, since DuckDB writes no other way
            path = Path(folder) / "table"
            chosen = Table(table), Format(format), path, EVERYTHING
            write_table(self.store, *chosen, anonymous, keep)
            with path.open("rb") as made:
                if file is sys.stdout.buffer and sys.stdout.isatty():
                    safe = lines if format == Format.CSV else json_lines
                    file.writelines(safe(line.decode()).encode() for line in made)
                else:
                    copyfileobj(made, file)

    def listed(self) -> Iterator[list[Any]]:
        """Id, the log's own id, date, status, game and players of every match."""
        ask = self.store.cursor()
        hidden = masked(ask)
        people = People(hidden.values())
        result = ask.execute(LIST)
        while rows := result.fetchmany(10_000):
            for match_id, log_id, played_at, *others, seated in rows:
                hide = people.hide([hidden[one].id for one in seated or () if one in hidden])
                day = played_at.isoformat() if hasattr(played_at, "isoformat") else played_at
                yield [match_id, log_id and hide(log_id, within=True), day, *others]


@contextmanager
def store_at(
    path: Path,
    server: str | None,
    token: str | None,
    t: Translate,
    read_only: bool = False,
    new: bool = False,
    at: datetime | None = None,
) -> "Iterator[Opened | Server]":
    """The store of a path, or the one a server has, while this lasts.

    The server is the one of an address, or of this computer where it has the store of the path.
    `new`: where there is none one is made, to put files in. Stop, StoreError: it cannot be asked.
    """
    with ExitStack() as until:
        if server is not None:
            from ingest.cli.http_client import Server  # HTTP is loaded where it is asked for

            yield until.enter_context(Server(server, token, t))
            return
        if not new and not path.exists():
            raise Stop(NO_STORE, path=path)
        try:
            store = until.enter_context(open_store(path, read_only, at, new))
        except StoreError as error:
            yield until.enter_context(served(error, path, t))
        else:
            if not read_only and at is None:
                until.push(_rating(store, t))
            yield Opened(store, t)


def _rating(store: Store, t: Translate) -> Callable[..., None]:
    """What is done when a command ends well: the ladders rated, if matches came or went.

    A command that is ended otherwise leaves that to the next one.
    """
    before = ratings.written(store)

    def rate(kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not issubclass(kind, typer.Exit):
            return
        # a purge or a backup has put another file in its place, with ladders of its own
        with suppress(duckdb.ConnectionException):
            if ratings.written(store) != before:
                with progress(t, N_("Rating matches…"), 0) as advance:
                    ratings.refresh(store, lambda done, total: advance(done))

    return rate


def served(error: StoreError, path: Path, t: Translate) -> "Server":
    """The server that has a store which cannot be opened. StoreError: there is none."""
    if error.text == BUSY:
        from ingest.cli.http_client import Server

        if (found := Server.beside(path, t)) is not None:
            return found
    raise error


@dataclass
class ServedRun(StoreRun):
    """A command that is about a store, or about one that a server has."""

    server: ServerUrl = None
    token: Token = None

    def asked(
        self, read_only: bool = False, new: bool = False, at: datetime | None = None
    ) -> "AbstractContextManager[Opened | Server]":
        """The store while this lasts, as `store_at`."""
        return store_at(self.store, self.server, self.token, self.t, read_only, new, at)

    def do(self, operation: Operation, **given: object) -> Told:
        """What an operation of it came to. Stop, StoreError: it is not done."""
        with self.asked() as there:
            return there.do(operation, **given)
