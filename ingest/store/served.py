"""By whom the pages of a store are reached: who sits at this computer, unless it is said."""

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

LOCAL = "localhost"
ANY = ("0.0.0.0", "::")
RATE = 20.0
"""Requests a second of one client of the API, which may ask as many at once after a pause."""


@dataclass(frozen=True)
class Served:
    """Where to listen, the names one is asked for by, and whose word to take for who asks."""

    address: str = LOCAL
    names: Sequence[str] = ()
    proxies: Sequence[str] = ()

    @property
    def alone(self) -> bool:
        """Whether only whoever sits at this computer reaches it."""
        return is_local(self.address) and all(map(is_local, self.names)) and not self.proxies

    def answers(self, host: str) -> bool:
        """Whether a request for a host is for us.

        A name that somebody else's server gave our address for is not: by it, a page of theirs
        would read ours. An address made of numbers has no such server.
        """
        name = hostname(host)
        if name in self.names or name == self.address or is_local(name):
            return True
        return self.address in ANY and _number(name) is not None

    def words(self) -> Iterator[str]:
        """The same for the command line of the server."""
        yield from ("--address", self.address)
        for name in self.names:
            yield from ("--host", name)
        for proxy in self.proxies:
            yield from ("--trusted-proxy", proxy)

    @property
    def shown(self) -> str:
        """The name to open in a browser."""
        if self.names:
            return self.names[0]
        named = LOCAL if self.address in ANY else self.address
        return f"[{named}]" if ":" in named else named


def address(served: Served, port: int) -> str:
    """Where people find the pages; behind a proxy, which has the certificate, by its name."""
    if served.proxies and served.names:
        return f"https://{served.names[0]}"
    return f"http://{served.shown}:{port}"


def is_local(host: str) -> bool:
    """Whether a host is this computer itself, for nobody but those who sit at it."""
    number = _number(host)
    return host == LOCAL or (number is not None and number.is_loopback)


def hostname(host: str) -> str:
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


def _number(host: str) -> "ipaddress.IPv4Address | ipaddress.IPv6Address | None":
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None
