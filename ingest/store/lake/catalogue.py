"""The lake's PostgreSQL catalogue: reconnecting, locks, snapshots.

A lock here is PostgreSQL's advisory one, held by a connection: whoever dies lets go of it.
"""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib.resources import files
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import errors as refused
from psycopg.conninfo import make_conninfo

from ingest.compat import connection_refusal
from ingest.i18n import N_
from ingest.store.cancellation import check_cancelled
from ingest.store.errors import (
    NOTHING_CHANGED,
    STORE_FAILED,
    CatalogUnavailable,
    StoreError,
    warning_listeners,
)
from ingest.store.store_url import redact_secrets

LOGIN_REFUSED = N_(
    "PostgreSQL refuses the user or the password of the lake {path}. A password is told by the "
    "variable PGPASSWORD, or by a line of ~/.pgpass."
)
NO_DATABASE = N_(
    "PostgreSQL answers, and has no database {name} for the lake {path}. To make it there: "
    "createdb {name!q}"
)
POSTGRES_NOT_LISTENING = N_(
    "Nobody listens at {where}, where PostgreSQL should be with the catalogue of the lake {path}: "
    "is it running, and is that its port?"
)
UNKNOWN_HOST = N_(
    "No machine of the name {host} is known, where PostgreSQL should be with the catalogue of the "
    "lake {path}."
)
PERMISSION_DENIED = N_(
    "PostgreSQL gives the user of the lake {path} no right to {name}: a lake is for the user who "
    "owns its database."
)
CATALOG_UNREACHABLE = N_("The catalogue of the lake {path} cannot be reached: {reason}.")
WAITING_FOR_CATALOG = N_("The catalogue of the lake {path} does not answer: waiting for it.")
WAITING_FOR_WRITER = N_("Another program is at work on the lake {path}: waiting until it is done.")
WAITING_FOR_CLAIM = N_(
    "Another program is storing some of the same matches or players: waiting until it is done."
)
CONFLICTING_WRITE = N_(
    "Another program was at work on the same matches of the lake {path}, and nothing was changed: "
    "try again."
)

LOCK_WAIT_SLICE_SECONDS = 2.0
"""Seconds of waiting after which somebody is told, and asked whether to go on; more than the second
after which PostgreSQL looks whether those who wait wait for each other."""
RECONNECT_TIMEOUT_SECONDS = 300.0
"""Seconds a catalogue that does not answer is waited for."""
RETRY_SECONDS = 0.5
CONNECT_TIMEOUT_SECONDS = 2.0
"""Seconds a machine has to say whether somebody listens there."""
_LOCK_NAMESPACE = 0x5245544F << 32
"""What our advisory locks begin with: `RETO`."""
COMMIT_LOCK, CHANGE_LOCK, APPEND_LOCK, CREATE_LOCK = (
    _LOCK_NAMESPACE | 0xFFFFFFF0 | one for one in range(4)
)
"""Locks: of a commit; of whoever changes what is there; of those who add; of who makes the lake."""
_MISSING_PRIVILEGES = """SELECT name FROM (
    SELECT nspname AS schema, nspname::text AS name, CASE WHEN has_schema_privilege(oid, 'USAGE')
        THEN has_schema_privilege(oid, 'CREATE') ELSE false END AS given FROM pg_namespace
    UNION ALL SELECT nspname, relname::text, has_table_privilege(c.oid, 'SELECT, INSERT')
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r'
) asked WHERE schema IN ('public', 'retourne') AND NOT given
ORDER BY schema = 'public', name <> schema"""
"""What of a lake is not for who asks: schemas, and tables in them."""
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_SERVER_KEEPALIVE = (
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
)


class LoginRefused(CatalogUnavailable):
    """The catalogue answers that it lets nobody in who asks so: no waiting helps."""


class WriteConflict(StoreError):
    """Two writers wanted the same: this one lets go of what it has, and may begin again."""


def writer_lock_key(writer: int) -> int:
    """The lock that a writer holds as long as it lives."""
    return _LOCK_NAMESPACE | writer % 0xFFFFFFF0


def notify_waiting(text: str, **values: Any) -> None:
    """Say what is waited for, to whoever hears what is said of a store."""
    for hear in warning_listeners:
        hear(StoreError(text, **values))


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in redact_secrets(str(error)).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0].rstrip(".:!")


class CatalogConnection:
    """One connection to the catalogue of a lake; for one thread at a time."""

    def __init__(self, conninfo: str, path: str) -> None:
        self.path = path
        self._conninfo = conninfo
        self.session: psycopg.Connection[Any] | None = None
        """What may have been cut since."""

    def connect(self) -> psycopg.Connection[Any]:
        """The open connection. Away: there is none to be had."""
        if self.session is None or self.session.closed or self.session.broken:
            self.close()
            try:
                info = make_conninfo(self._conninfo, options=_SERVER_KEEPALIVE, **_KEEPALIVE)
                self.session = psycopg.connect(
                    info, autocommit=True, connect_timeout=10, application_name="retourne"
                )
            except psycopg.Error as error:
                raise self.unavailable_error(error) from error
        return self.session

    def unavailable_error(self, error: Exception) -> CatalogUnavailable:
        """What is said of a catalogue that does not answer: it is asked once more why."""
        why = connection_refusal(self._conninfo)
        if why.code == "3D000":
            return LoginRefused(NO_DATABASE, path=self.path, name=redact_secrets(why.database))
        if why.needs_password or why.code[:2] == "28" or why.code == "42501":
            return LoginRefused(LOGIN_REFUSED, path=self.path)
        socket_file = f"{why.host}/.s.PGSQL.{why.port}"
        where = socket_file if why.host.startswith("/") else f"{why.host}:{why.port}"
        try:
            if why.host.startswith("/"):
                with socket.socket(socket.AF_UNIX) as asked:
                    asked.connect(socket_file)
            elif why.host:
                socket.create_connection((why.host, int(why.port)), CONNECT_TIMEOUT_SECONDS).close()
        except socket.gaierror:
            return CatalogUnavailable(UNKNOWN_HOST, path=self.path, host=redact_secrets(why.host))
        except (ConnectionRefusedError, FileNotFoundError):
            return CatalogUnavailable(
                POSTGRES_NOT_LISTENING, path=self.path, where=redact_secrets(where)
            )
        except OSError:  # it does not answer, which the client has said too
            pass
        return CatalogUnavailable(CATALOG_UNREACHABLE, path=self.path, reason=_first_line(error))

    def privilege_error(self) -> StoreError | None:
        """What is said where something of the lake is not for who asks."""
        found = self.query(_MISSING_PRIVILEGES)
        return (
            StoreError(PERMISSION_DENIED, path=self.path, name=redact_secrets(found[0][0]))
            if found
            else None
        )

    def close(self) -> None:
        """Let go of it, and of all its locks."""
        if self.session is not None:
            with suppress(psycopg.Error):
                self.session.close()
            self.session = None

    def wait_until_available(self) -> None:
        """Wait until it answers. Away: it does not for long."""
        until, told = time.monotonic() + RECONNECT_TIMEOUT_SECONDS, False
        while True:
            try:
                self.close()
                self.query("SELECT 1")
                return
            except CatalogUnavailable as error:
                if isinstance(error, LoginRefused) or time.monotonic() > until:
                    raise
            if not told:
                notify_waiting(WAITING_FOR_CATALOG, path=self.path)
                told = True
            check_cancelled()
            time.sleep(RETRY_SECONDS)

    def query(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query answers, in a transaction of its own. Away: nobody answers."""
        with self.translated_errors() as session:
            found = session.execute(query, values or None)
            return found.fetchall() if found.description else []

    @contextmanager
    def translated_errors(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for what is asked within. Away: it does not answer."""
        session = self.connect()
        try:
            yield session
        except (refused.DeadlockDetected, refused.SerializationFailure) as error:
            raise WriteConflict(CONFLICTING_WRITE, path=self.path) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if isinstance(error, refused.LockNotAvailable):
                raise
            self.close()
            raise self.unavailable_error(error) from error
        except psycopg.Error as error:  # it answers, and does not do it: rights, what is there
            if isinstance(error, refused.InsufficientPrivilege) and (no := self.privilege_error()):
                raise no from error
            reason = _first_line(error)
            raise StoreError(
                STORE_FAILED, path=self.path, reason=reason, left=NOTHING_CHANGED
            ) from error

    # locks

    def lock(self, key: int, shared: bool = False, wait_message: str = WAITING_FOR_WRITER) -> None:
        """Take a lock, once those who have it let go of it."""
        kind = "_shared" if shared else ""
        told = False
        while True:
            with self.translated_errors() as session:
                session.execute(f"SET lock_timeout = '{int(LOCK_WAIT_SLICE_SECONDS * 1000)}ms'")
                try:
                    with suppress(refused.LockNotAvailable):
                        session.execute(f"SELECT pg_advisory_lock{kind}(%s)", [key])
                        return
                finally:
                    if not session.closed:
                        session.execute("SET lock_timeout = 0")
            if not told:
                notify_waiting(wait_message, path=self.path)
                told = True
            check_cancelled()

    def unlock(self, key: int, shared: bool = False) -> None:
        """Let go of it; a connection that is gone has done so."""
        with suppress(StoreError):
            self.query(f"SELECT pg_advisory_unlock{'_shared' if shared else ''}(%s)", key)

    @contextmanager
    def locked(self, key: int, shared: bool = False) -> Iterator[None]:
        """A lock while this lasts."""
        self.lock(key, shared)
        try:
            yield
        finally:
            self.unlock(key, shared)

    # numbers

    def next_numbers(self, sequence: str, count: int) -> NDArray[np.int64]:
        """So many numbers nobody else has, in order."""
        query = f"SELECT nextval('retourne.{sequence}') FROM generate_series(1, %s)"
        found = self.query(query, count)
        return np.sort(np.fromiter((one for (one,) in found), np.int64, count))

    # what there is

    def has_table(self, schema: str, table: str) -> bool:
        """Whether there is a table."""
        return bool(self.query("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", f"{schema}.{table}"))

    def create_claim_tables(self) -> None:
        """Make what claims need, where it is not there yet; DuckLake's own tables are."""
        if self.has_table("retourne", "writers"):
            return
        with self.translated_errors() as session, session.transaction():
            session.execute(files("ingest.store.lake").joinpath("claims.sql").read_bytes())

    def latest_snapshot(self) -> int:
        """The newest one of the lake."""
        return int(self.query("SELECT max(snapshot_id) FROM public.ducklake_snapshot")[0][0])

    def snapshot_at(self, moment: datetime) -> tuple[int | None, datetime]:
        """The newest one of a time, of those whose tables are today's, and since when there are."""
        [found] = self.query(
            "SELECT max(snapshot_id) FILTER (WHERE snapshot_time <= %s), min(snapshot_time)"
            " FROM public.ducklake_snapshot WHERE schema_version ="
            " (SELECT max(schema_version) FROM public.ducklake_snapshot)",
            moment,
        )
        return found
