"""The file beside a store that says where its server answers, and the key it lets its user in by.

The server writes it before it answers, for its own user alone, and removes it at its end. Whoever
finds the store in use reads it, and asks that server (`ingest.cli.http_client`).
"""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ingest.store.served import Served

LONGEST = 200
"""Bytes of a file's name that leave room for what is added while it is written."""
ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Where somebody here reaches a server that listens on every address."""


class ServerFile(NamedTuple):
    """What it says."""

    url: str
    key: str
    version: str
    """Of the program that serves."""
    process: int

    @property
    def is_alive(self) -> bool:
        """Whether that process may still be there."""
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except OSError:
            pass  # nobody may say
        return True


def place(store: Path) -> Path:
    """Where it is: a link to the store leads to the same one."""
    store = store.resolve()
    name = f"{store.name}.server"
    if len(os.fsencode(name)) > LONGEST:
        name = hashlib.sha256(os.fsencode(store.name)).hexdigest()[:32] + ".server"
    return store.with_name(name)


def url_of(served: Served, port: int) -> str:
    """Where a program of this computer asks a server, past every proxy."""
    host = ANY.get(served.address, served.address)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def written(store: Path, url: str, version: str) -> Iterator[str]:
    """Within, the file is there: its key. OSError: it cannot be, or something else is there."""
    target, key = place(store), secrets.token_urlsafe(32)
    if os.path.lexists(target) and _read(target) is None:
        raise FileExistsError(target)
    mine = ServerFile(url, key, version, os.getpid())
    part = target.with_name(f"{target.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        part.unlink()
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(mine._asdict(), file)
        os.replace(part, target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    try:
        yield key
    finally:
        if _read(target) == mine:
            target.unlink(missing_ok=True)


def found(store: Path) -> ServerFile | None:
    """What the file beside a store says; None: there is none that may be trusted."""
    return _read(place(store))


def _read(target: Path) -> ServerFile | None:
    """None: it is no such file, or others may have written it or can read it."""
    try:
        with open(os.open(target, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))) as file:
            what = os.fstat(file.fileno())
            theirs = hasattr(os, "geteuid") and (
                what.st_uid != os.geteuid() or what.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            )
            if not stat.S_ISREG(what.st_mode) or theirs:
                return None
            return ServerFile(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None
