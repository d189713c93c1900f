"""The lake's PostgreSQL catalogue: reconnecting, locks, snapshots.

Locks are PostgreSQL's advisory locks: a connection holds them, so they end with its process.
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

from ingest.cancellation import check_cancelled
from ingest.compat import connection_refusal
from ingest.i18n import N_
from ingest.store.errors import (
    NOTHING_CHANGED,
    STORE_FAILED,
    CatalogUnavailable,
    StoreError,
    warning_listeners,
)
from ingest.store.store_url import redact_secrets

LOGIN_REFUSED = N_(
    "PostgreSQL refuses the user or the password of the lake {path}. Set the password in "
    "PGPASSWORD, or in ~/.pgpass."
)
NO_DATABASE = N_(
    "PostgreSQL has no database {name} for the lake {path}. To create it there: createdb {name!q}"
)
POSTGRES_NOT_LISTENING = N_(
    "Connection refused at {where}, for the catalogue of the lake {path}: is PostgreSQL running on that port?"
)
UNKNOWN_HOST = N_("Unknown host {host} for the catalogue of the lake {path}. Correct it in the address.")
PERMISSION_DENIED = N_(
    "PostgreSQL gives the user of the lake {path} no right to {name}: a lake is for the user who "
    "owns its database."
)
CATALOG_UNREACHABLE = N_("The catalogue of the lake {path} cannot be reached: {reason}.")
WAITING_FOR_CATALOG = N_("The catalogue of the lake {path} does not answer: waiting for it.")
WAITING_FOR_WRITER = N_("Another program is working on the lake {path}: waiting for it.")
WAITING_FOR_CLAIM = N_(
    "Another program is storing some of the same matches or players: waiting until it is done."
)
CONFLICTING_WRITE = N_(
    "Another program was working on the same matches of the lake {path}. Nothing was changed: try again."
)

LOCK_WAIT_SLICE_SECONDS = 2.0
"""Seconds after which a wait is reported and checked for cancellation; longer than the second
after which PostgreSQL looks for deadlocks."""
RECONNECT_TIMEOUT_SECONDS = 300.0
"""Seconds to wait for a catalogue that does not answer."""
RETRY_SECONDS = 0.5
CONNECT_TIMEOUT_SECONDS = 2.0
"""Seconds to wait for a TCP connection when looking for the cause of a failure."""
_LOCK_NAMESPACE = 0x5245544F << 32
"""The upper 32 bits of Retourne's advisory locks: `RETO`."""
COMMIT_LOCK, CHANGE_LOCK, APPEND_LOCK, CREATE_LOCK = (_LOCK_NAMESPACE | 0xFFFFFFF0 | one for one in range(4))
"""Locks for a commit, for updates and deletions, for additions, and for creating the lake."""
_MISSING_PRIVILEGES = """SELECT name FROM (
    SELECT nspname AS schema, nspname::text AS name, CASE WHEN has_schema_privilege(oid, 'USAGE')
        THEN has_schema_privilege(oid, 'CREATE') ELSE false END AS given FROM pg_namespace
    UNION ALL SELECT nspname, relname::text, has_table_privilege(c.oid, 'SELECT, INSERT')
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r'
) required WHERE schema IN ('public', 'retourne') AND NOT given
ORDER BY schema = 'public', name <> schema"""
"""Schemas and tables of a lake for which the user lacks privileges."""
_KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_SERVER_KEEPALIVE = "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"


class LoginRefused(CatalogUnavailable):
    """The catalogue refuses the user, the password or the database: waiting does not help."""


class WriteConflict(StoreError):
    """Two writers changed the same rows: this one's transaction failed and may be retried."""


def writer_lock_key(writer: int) -> int:
    """Return the key of the lock that a writer holds as long as it is alive."""
    return _LOCK_NAMESPACE | writer % 0xFFFFFFF0


def notify_waiting(text: str, **values: Any) -> None:
    """Report to `warning_listeners` what the store is waiting for."""
    for listener in warning_listeners:
        listener(StoreError(text, **values))


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in redact_secrets(str(error)).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[0].rstrip(".:!")


class CatalogConnection:
    """A connection to a lake's catalogue, for one thread. CatalogUnavailable: no answer."""

    def __init__(self, conninfo: str, path: str) -> None:
        self.path = path
        self._conninfo = conninfo
        self.session: psycopg.Connection[Any] | None = None
        """The last connection opened, which may have been cut since."""

    def connect(self) -> psycopg.Connection[Any]:
        """Return the open connection; reconnect if it was cut."""
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
        """Return why the catalogue does not answer, found by connecting once more."""
        why = connection_refusal(self._conninfo)
        if why.code == "3D000":
            return LoginRefused(NO_DATABASE, path=self.path, name=redact_secrets(why.database))
        if why.needs_password or why.code[:2] == "28" or why.code == "42501":
            return LoginRefused(LOGIN_REFUSED, path=self.path)
        socket_file = f"{why.host}/.s.PGSQL.{why.port}"
        where = socket_file if why.host.startswith("/") else f"{why.host}:{why.port}"
        try:
            if why.host.startswith("/"):
                with socket.socket(socket.AF_UNIX) as requested:
                    requested.connect(socket_file)
            elif why.host:
                socket.create_connection((why.host, int(why.port)), CONNECT_TIMEOUT_SECONDS).close()
        except socket.gaierror:
            return CatalogUnavailable(UNKNOWN_HOST, path=self.path, host=redact_secrets(why.host))
        except (ConnectionRefusedError, FileNotFoundError):
            return CatalogUnavailable(POSTGRES_NOT_LISTENING, path=self.path, where=redact_secrets(where))
        except OSError:  # no answer: `error`, from the client, has the reason
            pass
        return CatalogUnavailable(CATALOG_UNREACHABLE, path=self.path, reason=_first_line(error))

    def privilege_error(self) -> StoreError | None:
        """Return an error that names a schema or table the user may not use, if there is one."""
        found = self.query(_MISSING_PRIVILEGES)
        return (
            StoreError(PERMISSION_DENIED, path=self.path, name=redact_secrets(found[0][0])) if found else None
        )

    def close(self) -> None:
        """Close the connection, which releases its locks."""
        if self.session is not None:
            with suppress(psycopg.Error):
                self.session.close()
            self.session = None

    def wait_until_available(self) -> None:
        """Wait until the catalogue answers, for RECONNECT_TIMEOUT_SECONDS at most."""
        until, is_known = time.monotonic() + RECONNECT_TIMEOUT_SECONDS, False
        while True:
            try:
                self.close()
                self.query("SELECT 1")
                return
            except CatalogUnavailable as error:
                if isinstance(error, LoginRefused) or time.monotonic() > until:
                    raise
            if not is_known:
                notify_waiting(WAITING_FOR_CATALOG, path=self.path)
                is_known = True
            check_cancelled()
            time.sleep(RETRY_SECONDS)

    def query(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query, run in a transaction of its own."""
        with self.translated_errors() as session:
            found = session.execute(query, values or None)
            return found.fetchall() if found.description else []

    @contextmanager
    def translated_errors(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield the connection, and raise PostgreSQL's errors within as StoreError."""
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
        except psycopg.Error as error:  # PostgreSQL refuses the statement
            if isinstance(error, refused.InsufficientPrivilege) and (no := self.privilege_error()):
                raise no from error
            reason = _first_line(error)
            raise StoreError(STORE_FAILED, path=self.path, reason=reason, left=NOTHING_CHANGED) from error

    # locks

    def lock(self, key: int, shared: bool = False, wait_message: str = WAITING_FOR_WRITER) -> None:
        """Take a lock; while others have it, report `wait_message` and wait."""
        kind = "_shared" if shared else ""
        is_known = False
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
            if not is_known:
                notify_waiting(wait_message, path=self.path)
                is_known = True
            check_cancelled()

    def unlock(self, key: int, shared: bool = False) -> None:
        """Release a lock; does nothing if the connection was cut, which released it."""
        with suppress(StoreError):
            self.query(f"SELECT pg_advisory_unlock{'_shared' if shared else ''}(%s)", key)

    @contextmanager
    def locked(self, key: int, shared: bool = False) -> Iterator[None]:
        self.lock(key, shared)
        try:
            yield
        finally:
            self.unlock(key, shared)

    # numbers

    def next_numbers(self, sequence: str, count: int) -> NDArray[np.int64]:
        """Take `count` numbers from a sequence, ascending."""
        found = self.query(f"SELECT nextval('retourne.{sequence}') FROM generate_series(1, %s)", count)
        return np.sort(np.fromiter((one for (one,) in found), np.int64, count))

    # tables and snapshots

    def has_table(self, schema: str, table: str) -> bool:
        return bool(self.query("SELECT 1 WHERE to_regclass(%s) IS NOT NULL", f"{schema}.{table}"))

    def create_claim_tables(self) -> None:
        """Create the tables for claims, if missing; DuckLake's own tables must exist."""
        if self.has_table("retourne", "writers"):
            return
        with self.translated_errors() as session, session.transaction():
            session.execute(files("ingest.store.lake").joinpath("claims.sql").read_bytes())

    def latest_snapshot(self) -> int:
        return int(self.query("SELECT max(snapshot_id) FROM public.ducklake_snapshot")[0][0])

    def snapshot_at(self, moment: datetime) -> tuple[int | None, datetime]:
        """Return the newest snapshot at a time, None if there is none, and the oldest one's time.

        Only snapshots with the current table definitions count.
        """
        [found] = self.query(
            "SELECT max(snapshot_id) FILTER (WHERE snapshot_time <= %s), min(snapshot_time)"
            " FROM public.ducklake_snapshot WHERE schema_version ="
            " (SELECT max(schema_version) FROM public.ducklake_snapshot)",
            moment,
        )
        return found
