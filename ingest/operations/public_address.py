"""The number an address goes by, and whether that is nobody's own network: no hook tells one."""

import ipaddress
import socket
from collections.abc import Iterator


class Private(Exception):
    """An address is of this computer or its network, or there is none."""


def address(host: str, port: int, private: bool) -> str:
    """A number that a host goes by. Private: one of them is no public one, or there is none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Private(host) from error
    numbers = [str(one[4][0]) for one in found]
    if not numbers or (not private and not all(map(_is_public, numbers))):
        raise Private(host)
    return numbers[0]


def _is_public(number: str) -> bool:
    found = ipaddress.ip_address(number.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    return all(one.is_global and not one.is_multicast for one in (found, *_inner(found)))


NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _inner(found: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    """The addresses that a newer one stands for: a gateway passes on what is sent to it."""
    if not isinstance(found, ipaddress.IPv6Address):
        return
    if found in NAT64:
        yield ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    yield from (one for one in (found.sixtofour, *(found.teredo or ())) if one is not None)
