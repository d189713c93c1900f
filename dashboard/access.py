"""Maps requests to roles, by the address served and by the store's tokens.

No Streamlit and no HTTP: `dashboard.web` asks for each request, `dashboard.widgets.current_store`
for what a page does.
"""

from hmac import compare_digest
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cachetools import FIFOCache

from dashboard.store import reachable_store, retry_on_reopen
from ingest.store import tokens
from ingest.store.factory import Store
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Grants, Role

SESSION_COOKIE = "retourne"
"""What a signed-in browser keeps."""
MAX_CHECK_BYTES = 8 << 20
"""Bytes that somebody may upload who may add nothing, to have them checked."""
MAX_UPLOAD_BYTES = 2 << 30
"""Bytes of what somebody may upload who adds games; Streamlit's pages are told in its settings."""


class Principal(NamedTuple):
    """Whoever asks: a token's bearer, or somebody without one (`token_no` None)."""

    role: Role | None
    """None: may not even read."""
    token_no: int | None = None
    name: str = ""
    is_local: bool = False
    """Whether it is a program of whoever serves the store, on the same computer."""

    def has_role(self, role: Role) -> bool:
        """Whether they may do what a role may."""
        return self.role is not None and self.role.covers(role)


hosts = ServerHosts()
"""The dashboard of one person at their own computer, until it is started otherwise."""


base_url: str | None = None
"""Where people find the pages."""
local_key = ""
"""What lets in programs of whoever serves, through the API alone (`ingest.store.server_hosts`)."""


def set_hosts(server_hosts: ServerHosts) -> None:
    """Say how this process is reached."""
    global hosts
    hosts = server_hosts


def set_local_key(secret: str, url: str | None) -> None:
    """Say by which key programs of whoever serves are let in, "" by none, and where pages are."""
    global local_key, base_url
    local_key, base_url = secret, url


def is_local_key(bearer: str | None) -> bool:
    """Whether that key is shown."""
    return bool(local_key) and compare_digest(local_key.encode(), (bearer or "").encode())


def authenticate(bearer: str | None, session: str | None) -> Principal:
    """Whoever shows a token, or a browser's session. StoreError: the store cannot be asked."""
    known = retry_on_reopen(_current_grants)
    token = known.by_token(bearer) if bearer is not None else None
    if token is None and session:
        token = known.by_session(session)
    if token is not None:
        return Principal(token.role, token.number, token.name)
    return anonymous_principal(known)


def principal_of_token(token_no: int | None) -> Principal:
    """Whoever has a token, or none, as far as they may still do anything. StoreError: as
    `authenticate`.
    """
    known = retry_on_reopen(_current_grants)
    if token_no is None:
        return anonymous_principal(known)
    found = (one for one in known.tokens if one.number == token_no and one.is_valid)
    return next((Principal(one.role, one.number, one.name) for one in found), Principal(None))


def bearer_token(header: str) -> str | None:
    """The token in an Authorization header; None: there is none."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def anonymous_principal(grants: Grants) -> Principal:
    """Somebody without a token: everything on a computer of one's own, else at most to read."""
    if hosts.is_local_only and not grants.tokens:
        return Principal(Role.ADMIN)
    return Principal(None if grants.private else Role.READER)


_grants_cache: WeakKeyDictionary[Store, tuple[tuple[int, int, int], Grants]] = WeakKeyDictionary()
"""Open store → what it says of who may do what, and of which file and version that is."""


def _current_grants() -> Grants:
    """What the store says, asked anew when that has changed."""
    opened = reachable_store()  # what is kept may be over by now
    # of a lake another program may change that
    now = (
        opened.file_generation,
        tokens.access_version(),
        0 if opened.is_single_file else opened.version,
    )
    before, found = _grants_cache.get(opened, (None, None))
    if found is None or before != now:
        found = tokens.read_grants(opened)
        _grants_cache[opened] = now, found
    return found


MAX_SESSIONS = 10_000
_session_tokens: FIFOCache[str, int | None] = FIFOCache(MAX_SESSIONS)
"""Streamlit's sessions → the token each is of, None: nobody's."""


def remember_session(session: str, token_no: int | None) -> None:
    """Note whose a session of Streamlit's is."""
    _session_tokens[session] = token_no


def is_session_of(session: str, token_no: int | None) -> bool:
    """Whether a session of Streamlit's is of a token, or of nobody."""
    return session in _session_tokens and _session_tokens[session] == token_no
