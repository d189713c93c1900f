"""Which hosts the server answers on; localhost by default.

The server writes a file beside the store that says where it answers, and the key it lets its user
in by: before it answers, for its own user alone, and it removes it at its end. Whoever finds the
store in use reads it, and asks that server (`ingest.cli.http_client`).
"""

import hashlib
import ipaddress
import json
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LOCALHOST = "localhost"
WILDCARD_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Every address, and where somebody here reaches a server that listens on it."""
MAX_HOST_CHARS = 200
"""Bytes of a file's name that leave room for what is added while it is written."""
DEFAULT_REQUESTS_PER_SECOND = 20.0
"""Requests a second of one client of the API, which may ask as many at once after a pause."""


@dataclass(frozen=True)
class ServerHosts:
    """Where to listen, the names one is asked for by, and whose word to take for who asks."""

    address: str = LOCALHOST
    host_names: Sequence[str] = ()
    proxies: Sequence[str] = ()

    @property
    def is_local_only(self) -> bool:
        """Whether only whoever sits at this computer reaches it."""
        return is_local(self.address) and all(map(is_local, self.host_names)) and not self.proxies

    def accepts_host(self, host: str) -> bool:
        """Whether a request for a host is for us.

        A name that somebody else's server gave our address for is not: by it, a page of theirs
        would read ours. An address made of numbers has no such server.
        """
        name = parse_hostname(host)
        if name in self.host_names or name == self.address or is_local(name):
            return True
        return self.address in WILDCARD_ADDRESSES and _parse_ip(name) is not None

    def command_line_args(self) -> Iterator[str]:
        """The same for the command line of the server."""
        yield from ("--address", self.address)
        for name in self.host_names:
            yield from ("--host", name)
        for proxy in self.proxies:
            yield from ("--trusted-proxy", proxy)

    @property
    def browser_host(self) -> str:
        """The name to open in a browser."""
        if self.host_names:
            return self.host_names[0]
        named = LOCALHOST if self.address in WILDCARD_ADDRESSES else self.address
        return f"[{named}]" if ":" in named else named


def public_url(hosts: ServerHosts, port: int) -> str:
    """Where people find the pages; behind a proxy, which has the certificate, by its name."""
    if hosts.proxies and hosts.host_names:
        return f"https://{hosts.host_names[0]}"
    return f"http://{hosts.browser_host}:{port}"


def is_local(host: str) -> bool:
    """Whether a host is this computer itself, for nobody but those who sit at it."""
    number = _parse_ip(host)
    return host == LOCALHOST or (number is not None and number.is_loopback)


def parse_hostname(host: str) -> str:
    """The name in a Host header, without port and brackets; empty where it is none."""
    if host.startswith("["):
        name, end, port = host[1:].partition("]")
        if not end or (port and not port.startswith(":")):
            return ""
        port = port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return ""
    return name.lower().rstrip(".")


def _parse_ip(host: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None


# the file beside the store


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
        return is_running(self.process)


def is_running(pid: int) -> bool:
    """Whether a process may still be there."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # nobody may say: it is another user's
    return True


def server_file_path(store: Path) -> Path:
    """Where it is: a link to the store leads to the same one."""
    store = store.resolve()
    name = f"{store.name}.server"
    if len(os.fsencode(name)) > MAX_HOST_CHARS:
        name = hashlib.sha256(os.fsencode(store.name)).hexdigest()[:32] + ".server"
    return store.with_name(name)


def local_url(hosts: ServerHosts, port: int) -> str:
    """Where a program of this computer asks a server, past every proxy."""
    host = WILDCARD_ADDRESSES.get(hosts.address, hosts.address)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def server_file(store: Path, url: str, version: str) -> Iterator[str]:
    """Within, the file is there: its key. OSError: it cannot be, or something else is there."""
    target, key = server_file_path(store), secrets.token_urlsafe(32)
    if os.path.lexists(target) and read_server_file(store) is None:
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
        if read_server_file(store) == mine:
            target.unlink(missing_ok=True)


def read_server_file(store: Path) -> ServerFile | None:
    """What the file beside a store says.

    None: there is no such file, or others may have written it or can read it.
    """
    try:
        with open(
            os.open(server_file_path(store), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        ) as file:
            what = os.fstat(file.fileno())
            theirs = hasattr(os, "geteuid") and (
                what.st_uid != os.geteuid() or what.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            )
            if not stat.S_ISREG(what.st_mode) or theirs:
                return None
            return ServerFile(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None
