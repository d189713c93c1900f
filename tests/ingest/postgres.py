"""A PostgreSQL of the tests' own on this machine, with a database for each lake."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from ingest.store.lake import attach
from ingest.store.lake.store import LakeStore
from ingest.store.store_url import parse_lake_url

_DEBIAN = Path("/usr/lib/postgresql")
USER = "postgres"
_numbers = count()


def program(name: str) -> str:
    """One of PostgreSQL's programs, as Debian installs them or from the path."""
    there = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda one: int(one.parts[-3]))
    found = str(there[-1]) if there else shutil.which(name)
    assert found, f"the tests of lakes need PostgreSQL, which lacks {name}: .ci/ready.sh"
    return found


class Server:
    """One that runs in a folder; its files are gone with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._empty: str | None = None
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._run("initdb", "-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8")

    def _run(self, name: str, *words: str) -> None:
        # PostgreSQL does not run as root
        user = {"user": USER, "group": pwd.getpwnam(USER).pw_gid} if os.getuid() == 0 else {}
        done = subprocess.run(
            [program(name), "-D", str(self.folder / "data"), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            **user,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        """Begin, and wait until it answers."""
        text = f"-p {self.port} -k {self.folder} -c fsync=off -c listen_addresses=127.0.0.1"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", text, "start")

    def stop(self) -> None:
        """End at once, as a machine does that is switched off."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def conninfo(self, database: str) -> str:
        """How a database of it is reached."""
        return f"host=127.0.0.1 port={self.port} user={USER} dbname={database}"

    def lake(self, data: Path | str, template: str = "template1") -> str:
        """The address of a new lake, whose files lie there."""
        name = f"lake{next(_numbers)}"
        with psycopg.connect(self.conninfo(USER), autocommit=True) as session:
            session.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"ducklake:postgres:{self.conninfo(name)}?data={data}"

    def empty_lake(self, data: Path | str) -> str:
        """The address of a lake with nothing in it: copying the first one is quicker than making another."""
        if self._empty is None:
            self._empty = self.lake(self.folder / "empty")
            with LakeStore(self._empty):
                pass
        return self.copied(self._empty, data)

    def drop(self, address: str) -> None:
        """Do without a lake that another process has open; its files are left."""
        name = sql.Identifier(str(conninfo_to_dict(parse_lake_url(address).catalog)["dbname"]))
        with psycopg.connect(self.conninfo(USER), autocommit=True) as session:
            session.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))

    def copied(self, address: str, data: Path | str) -> str:
        """The address of a lake that has all another has, which nobody may have open."""
        there = parse_lake_url(address)
        info = conninfo_to_dict(there.catalog)
        made = self.lake(data, str(info["dbname"]))
        lying = Path(there.data)
        if lying.is_dir() and any(lying.iterdir()):
            shutil.copytree(there.data, data)
        with psycopg.connect(parse_lake_url(made).catalog) as session:
            text = "UPDATE ducklake_metadata SET value = %s WHERE key = 'data_path'"
            session.execute(text, [f"{data}/"])
        return made


@contextmanager
def running() -> Iterator[Server]:
    """A server while this lasts, of whose lakes this process trusts DuckDB's extensions unread.

    To see whose they are, DuckDB reads 78 MB at each opening: other processes let it.
    """
    # where pytest lays its own files: in memory, if that has room for them
    within = os.environ.get("PYTEST_DEBUG_TEMPROOT")
    with tempfile.TemporaryDirectory(prefix="lakes", dir=within) as name:
        folder = Path(name)
        if os.getuid() == 0:
            shutil.chown(folder, USER, USER)
        server = Server(folder)
        server.start()
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setitem(attach._SETTINGS, "allow_unsigned_extensions", True)
                yield server
        finally:
            server.stop()


PLAIN = "host=127.0.0.1 sslmode=disable gssencmode=disable"


@contextmanager
def refusing(code: str, message: str) -> Iterator[int]:
    """The port of a server that lets nobody in, with a SQLSTATE and what it says of it."""
    words = (
        b"".join(
            b"%c%s\0" % (kind, text.encode())
            for kind, text in zip(b"SVCM", ("FATAL", "FATAL", code, message), strict=True)
        )
        + b"\0"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    requested, _ = server.accept()
                except OSError:  # it is closed
                    return
                with requested:
                    if requested.recv(4096):
                        requested.sendall(b"E" + (len(words) + 4).to_bytes(4, "big") + words)

        threading.Thread(target=answer, daemon=True).start()
        try:
            yield int(server.getsockname()[1])
        finally:
            server.shutdown(socket.SHUT_RDWR)
