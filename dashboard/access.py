"""Who may do what on the pages: by the address they are served on, and by the store's tokens.

No Streamlit and no HTTP: `dashboard.web` asks for each request, `dashboard.widgets.access` for what
a page does.
"""

import ipaddress
from collections import OrderedDict
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

from dashboard.store import store
from ingest.store import tokens
from ingest.store.store import Store
from ingest.store.tokens import Grants, Role

COOKIE = "retourne"
"""What a signed-in browser keeps."""
LOCAL = ("localhost", "127.0.0.1", "::1")
ANY = ("0.0.0.0", "::")


class Who(NamedTuple):
    """Whoever asks: a token's bearer, or somebody without one (`token_no` None)."""

    role: Role | None
    """None: may not even read."""
    token_no: int | None = None
    name: str = ""

    def may(self, role: Role) -> bool:
        """Whether they may do what a role may."""
        return self.role is not None and self.role.covers(role)


@dataclass(frozen=True)
class Served:
    """How this process is reached."""

    address: str = "localhost"
    names: Collection[str] = ()
    """Hosts it is asked for beside its own address."""
    proxied: bool = False
    """What reaches it may come from anywhere, by a proxy that is trusted."""

    @property
    def alone(self) -> bool:
        """Whether only whoever sits at this computer reaches it."""
        return is_local(self.address) and all(map(is_local, self.names)) and not self.proxied

    def answers(self, host: str) -> bool:
        """Whether a request for a host is for us.

        A name that somebody else's server gave our address for is not: by it, a page of theirs
        would read ours. An address made of numbers has no such server.
        """
        name = hostname(host)
        if name in self.names or name == self.address or is_local(name):
            return True
        return self.address in ANY and _number(name) is not None


served = Served()
"""The dashboard of one person at their own computer, until it is started otherwise."""


def serve(how: Served) -> None:
    """Say how this process is reached."""
    global served
    served = how


def is_local(host: str) -> bool:
    """Whether a host is this computer itself, for nobody but those who sit at it."""
    number = _number(host)
    return host in LOCAL or (number is not None and number.is_loopback)


def who(bearer: str | None, session: str | None) -> Who:
    """Whoever shows a token, or a browser's session. StoreError: the store cannot be opened."""
    known = _grants()
    token = known.by_token(bearer) if bearer is not None else None
    if token is None and session:
        token = known.by_session(session)
    if token is not None:
        return Who(token.role, token.number, token.name)
    return anybody(known)


def bearer(header: str) -> str | None:
    """The token in an Authorization header; None: there is none."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def anybody(known: Grants) -> Who:
    """Somebody without a token: everything on a computer of one's own, else at most to read."""
    if served.alone and not known.tokens:
        return Who(Role.STEWARD)
    return Who(None if known.closed else Role.READER)


_known: WeakKeyDictionary[Store, tuple[int, Grants]] = WeakKeyDictionary()
"""Open store → what it says of who may do what, and the version of that."""


def _grants() -> Grants:
    """What the store says, asked anew when that has changed."""
    opened, now = store(), tokens.version()
    before, found = _known.get(opened, (-1, None))
    if found is None or before != now:
        found = tokens.grants(opened)
        _known[opened] = now, found
    return found


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


_of: OrderedDict[str, int | None] = OrderedDict()
"""Streamlit's sessions → the token each is of, None: nobody's."""
KEPT = 10_000


def remember(session: str, token_no: int | None) -> None:
    """Note whose a session of Streamlit's is."""
    _of[session] = token_no
    _of.move_to_end(session)
    while len(_of) > KEPT:
        _of.popitem(last=False)


def is_of(session: str, token_no: int | None) -> bool:
    """Whether a session of Streamlit's is of a token, or of nobody."""
    return session in _of and _of[session] == token_no
