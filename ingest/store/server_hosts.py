"""Which hosts the server answers on; localhost by default.

Before it answers, the server writes a file next to the store with its URL and a key for its own
user, readable only by that user; it removes the file at its end. A command that finds the store in
use reads the file and asks that server (`ingest.cli.http_client`).
"""

import hashlib
import ipaddress
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

LOCALHOST = "localhost"
WILDCARD_ADDRESSES = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses that listen on every interface → the loopback address that reaches them."""
MAX_HOST_CHARS = 200
"""Bytes of a file name; leaves space for the suffix added while it is written."""
MAX_HOSTNAME_CHARS = 253
_HOST_LABEL = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)")
"""A part of a name between dots (RFC 1123; containers use the underscore, too)."""
_BASE_SEGMENT = re.compile(r"[A-Za-z0-9_-]{1,63}")
SERVER_FOLDERS = ("r", "api", "static", "app", "component", "media", "exports", "_stcore")
"""First folders of the server's own addresses."""
DEFAULT_REQUESTS_PER_SECOND = 20.0
"""Rate limit of one API client, which may send as many requests at once after a pause."""


@dataclass(frozen=True)
class ServerHosts:
    """The address to listen on, the host names to accept, and the proxies to trust."""

    address: str = LOCALHOST
    host_names: Sequence[str] = ()
    proxies: Sequence[str] = ()
    base_path: str = ""
    """The path below which a proxy serves the pages, `/retourne`; usually empty."""

    @property
    def is_local_only(self) -> bool:
        """Whether only this computer can reach the server."""
        return is_local(self.address) and all(map(is_local, self.host_names)) and not self.proxies

    def accepts_host(self, host: str) -> bool:
        """Return whether the server accepts a Host header.

        Rejects other names: a foreign DNS server could point one here, and its pages could then
        read ours. A numeric address needs no DNS.
        """
        name = parse_hostname(host)
        if not name:
            return False
        if name in self.host_names or name == self.address or is_local(name):
            return True
        return self.address in WILDCARD_ADDRESSES and _parse_ip(name) is not None

    def command_line_args(self) -> Iterator[str]:
        """Yield the command-line arguments of the server for these hosts."""
        yield from ("--host", self.address)
        for name in self.host_names:
            yield from ("--allowed-host", name)
        for proxy in self.proxies:
            yield from ("--trusted-proxy", proxy)
        if self.base_path:
            yield from ("--base-path", self.base_path)

    @property
    def browser_host(self) -> str:
        """The host name to open in a browser."""
        if self.host_names:
            return self.host_names[0]
        named = LOCALHOST if self.address in WILDCARD_ADDRESSES else self.address
        return f"[{named}]" if ":" in named else named


def public_url(hosts: ServerHosts, port: int) -> str:
    """Return the URL of the pages; behind a proxy, which has the certificate, by its name."""
    if hosts.proxies and hosts.host_names:
        return f"https://{hosts.host_names[0]}{hosts.base_path}"
    return f"http://{hosts.browser_host}:{port}{hosts.base_path}"


def is_local(host: str) -> bool:
    """Return whether a host is this computer, reachable only from itself."""
    number = _parse_ip(host)
    return host == LOCALHOST or (number is not None and number.is_loopback)


def parse_hostname(host: str) -> str:
    """Return the name in a Host header, without port and brackets; empty if it is invalid."""
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


def is_hostname(host: str) -> bool:
    """Return whether a text is the name or number of a host, without scheme, port or path."""
    if _parse_ip(host) is not None:
        return True
    labels = host.removesuffix(".").split(".")
    return len(host) <= MAX_HOSTNAME_CHARS and all(map(_HOST_LABEL.fullmatch, labels))


def normalized_host(name: str) -> str:
    """Return the name of a host as `parse_hostname` reads it in a Host header."""
    return name.lower() if _parse_ip(name) is not None else parse_hostname(name)


def suggested_host(text: str) -> str:
    """Return the host's name in a URL or `name:port`, an example where there is none."""
    name = urlsplit(text if "//" in text else f"//{text}").netloc.rpartition("@")[2]
    found = parse_hostname(name) or name.partition(":")[0]
    return found if is_hostname(found) else "club.example"


def is_base_path(path: str) -> bool:
    """Return whether a text is empty or like `/retourne`, beginning with no folder of the server's own."""
    first, *more = path.removeprefix("/").split("/")
    safe = all(map(_BASE_SEGMENT.fullmatch, (first, *more)))
    return not path or (path.startswith("/") and safe and first not in SERVER_FOLDERS)


def is_network(text: str) -> bool:
    """Return whether a text is an IP address or a network of them."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


def _parse_ip(host: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None


# the server file next to the store


class ServerFile(NamedTuple):
    """The contents of a server file."""

    url: str
    key: str
    version: str
    """Version of the program that serves."""
    process: int

    @property
    def is_alive(self) -> bool:
        """Whether the server's process may still run."""
        return is_running(self.process)


def is_running(pid: int) -> bool:
    """Return whether a process may still run."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # another user's process: it exists
    return True


def server_file_path(store: Path) -> Path:
    """Return the path of the server file; links to a store give the same path."""
    store = store.resolve()
    name = f"{store.name}.server"
    if len(os.fsencode(name)) > MAX_HOST_CHARS:
        name = hashlib.sha256(os.fsencode(store.name)).hexdigest()[:32] + ".server"
    return store.with_name(name)


def local_url(hosts: ServerHosts, port: int) -> str:
    """Return the URL by which local programs reach the server without a proxy."""
    host = WILDCARD_ADDRESSES.get(hosts.address, hosts.address)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def server_file(store: Path, url: str, version: str) -> Iterator[str]:
    """Write the server file for this block, and yield its key. OSError: it cannot be written."""
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
    """Read the server file of a store.

    None: the file does not exist, or other users could write or read it.
    """
    try:
        with open(os.open(server_file_path(store), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))) as file:
            what = os.fstat(file.fileno())
            theirs = hasattr(os, "geteuid") and (
                what.st_uid != os.geteuid() or what.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
            )
            if not stat.S_ISREG(what.st_mode) or theirs:
                return None
            return ServerFile(**json.load(file))
    except (OSError, ValueError, TypeError):
        return None
