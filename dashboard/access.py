"""Who may do what on the pages: by the address they are served on, and by the store's tokens.

No Streamlit and no HTTP: `dashboard.web` asks for each request, `dashboard.widgets.current_store`
for what a page does.
"""

from hmac import compare_digest
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cachetools import FIFOCache

from dashboard.store import reached, steady
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.server_hosts import Served
from ingest.store.tokens import Grants, Role

COOKIE = "retourne"
"""What a signed-in browser keeps."""
TO_CHECK = 8 << 20
"""Bytes that somebody may upload who may add nothing, to have them checked."""
TO_ADD = 2 << 30
"""Bytes of what somebody may upload who adds games; Streamlit's pages are told in its settings."""


class Who(NamedTuple):
    """Whoever asks: a token's bearer, or somebody without one (`token_no` None)."""

    role: Role | None
    """None: may not even read."""
    token_no: int | None = None
    name: str = ""
    here: bool = False
    """Whether it is a program of whoever serves the store, on the same computer."""

    def may(self, role: Role) -> bool:
        """Whether they may do what a role may."""
        return self.role is not None and self.role.covers(role)


served = Served()
"""The dashboard of one person at their own computer, until it is started otherwise."""


address: str | None = None
"""Where people find the pages."""
key = ""
"""What lets in programs of whoever serves, through the API alone (`ingest.store.server_hosts`)."""


def serve(how: Served) -> None:
    """Say how this process is reached."""
    global served
    served = how


def let_in(by: str, pages: str | None) -> None:
    """Say by which key programs of whoever serves are let in, "" by none, and where pages are."""
    global key, address
    key, address = by, pages


def has_key(bearer: str | None) -> bool:
    """Whether that key is shown."""
    return bool(key) and compare_digest(key.encode(), (bearer or "").encode())


def who(bearer: str | None, session: str | None) -> Who:
    """Whoever shows a token, or a browser's session. StoreError: the store cannot be asked."""
    known = steady(_grants)
    token = known.by_token(bearer) if bearer is not None else None
    if token is None and session:
        token = known.by_session(session)
    if token is not None:
        return Who(token.role, token.number, token.name)
    return anybody(known)


def bearer_of(token_no: int | None) -> Who:
    """Whoever has a token, or none, as far as they may still do anything. StoreError: as `who`."""
    known = steady(_grants)
    if token_no is None:
        return anybody(known)
    found = (one for one in known.tokens if one.number == token_no and one.works)
    return next((Who(one.role, one.number, one.name) for one in found), Who(None))


def bearer(header: str) -> str | None:
    """The token in an Authorization header; None: there is none."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def anybody(known: Grants) -> Who:
    """Somebody without a token: everything on a computer of one's own, else at most to read."""
    if served.alone and not known.tokens:
        return Who(Role.ADMIN)
    return Who(None if known.private else Role.READER)


_known: WeakKeyDictionary[Store, tuple[tuple[int, int, int], Grants]] = WeakKeyDictionary()
"""Open store → what it says of who may do what, and of which file and version that is."""


def _grants() -> Grants:
    """What the store says, asked anew when that has changed."""
    opened = reached()  # what is kept may be over by now
    # of a lake another program may change that
    now = opened.opened, tokens.version(), 0 if opened.in_a_file else opened.commits
    before, found = _known.get(opened, (None, None))
    if found is None or before != now:
        found = tokens.grants(opened)
        _known[opened] = now, found
    return found


KEPT = 10_000
_of: FIFOCache[str, int | None] = FIFOCache(KEPT)
"""Streamlit's sessions → the token each is of, None: nobody's."""


def remember(session: str, token_no: int | None) -> None:
    """Note whose a session of Streamlit's is."""
    _of[session] = token_no


def is_of(session: str, token_no: int | None) -> bool:
    """Whether a session of Streamlit's is of a token, or of nobody."""
    return session in _of and _of[session] == token_no
