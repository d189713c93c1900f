"""Finds a client's address for rate limits; uvicorn has applied X-Forwarded-For of trusted proxies."""

import ipaddress

from starlette.types import Scope


def visitor_address(scope: Scope) -> str:
    """Return the address of a visitor.

    For IPv6 it is the network of 64 bits that one customer has; texts from a proxy that are not addresses
    count as one visitor.
    """
    try:
        address = ipaddress.ip_address(scope["client"][0] if scope.get("client") else "")
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or ipaddress.ip_address(int(address) >> 64 << 64)
    return str(address)
