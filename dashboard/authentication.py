"""Permissions: maps requests to roles, by the address served and by the store's tokens.

No Streamlit and no HTTP: `dashboard.web` calls it for each request, and
`dashboard.widgets.current_store` for actions of a page.
"""

from contextlib import suppress
from datetime import datetime
from hmac import compare_digest
from typing import NamedTuple
from weakref import WeakKeyDictionary

from cachetools import FIFOCache

from dashboard.store import reachable_store, retry_on_reopen
from ingest.store import tokens
from ingest.store.errors import StoreError
from ingest.store.factory import Store
from ingest.store.grants import Grants, read_grants
from ingest.store.server_hosts import ServerHosts
from ingest.store.tokens import Role, hash_secret

SESSION_COOKIE = "retourne"
"""Name of the session cookie of a signed-in browser."""


class Principal(NamedTuple):
    """The client of a request: a token's bearer, or anonymous (`token_no` None)."""

    role: Role | None
    """None: may not even read."""
    token_no: int | None = None
    name: str = ""
    is_local: bool = False
    """Whether it is a program of the server's user, on the same computer."""

    def has_role(self, role: Role) -> bool:
        """Return whether the client's role covers another."""
        return self.role is not None and self.role.covers(role)


hosts = ServerHosts()
"""Host names the server answers to; by default only the local computer's."""


base_url: str | None = None
"""URL of the pages."""
local_key = ""
"""Key of local programs of the server's user, for the API only (`ingest.store.server_hosts`)."""


def set_hosts(server_hosts: ServerHosts) -> None:
    """Set the host names the server answers to."""
    global hosts
    hosts = server_hosts


def set_local_key(secret: str, url: str | None) -> None:
    """Set the key of local programs ("" for none) and the URL of the pages."""
    global local_key, base_url
    local_key, base_url = secret, url


def is_local_key(bearer: str | None) -> bool:
    """Return whether a bearer secret is the key of local programs."""
    return bool(local_key) and compare_digest(local_key.encode(), (bearer or "").encode())


def authenticate(bearer: str | None, session: str | None) -> Principal:
    """Return the client of a token or session. StoreError: the store cannot be read."""
    known = retry_on_reopen(_current_grants)
    token = known.by_token(bearer) if bearer is not None else None
    if token is None and session:
        token = known.by_session(session)
    if token is not None:
        return Principal(token.role, token.number, token.name)
    return anonymous_principal(known)


def record_use(session: str) -> None:
    """Record that the reader of a session uses it now; an open page that is drawn again does not."""
    with suppress(StoreError):
        retry_on_reopen(_current_grants).record_use(session)


def last_use(session: str) -> datetime | None:
    """Return when a session was last used, None if there is none. StoreError: the store cannot be read."""
    found = retry_on_reopen(_current_grants).sessions.get(hash_secret(session))
    return None if found is None else found.used_at


def principal_of_token(token_no: int | None) -> Principal:
    """Return the client of a token number, without a role if the token is not valid any more.

    StoreError: the store cannot be read.
    """
    known = retry_on_reopen(_current_grants)
    if token_no is None:
        return anonymous_principal(known)
    found = (one for one in known.tokens if one.number == token_no and one.is_valid)
    return next((Principal(one.role, one.number, one.name) for one in found), Principal(None))


def bearer_token(header: str) -> str | None:
    """Return the token in an Authorization header, None if there is none."""
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


def anonymous_principal(grants: Grants) -> Principal:
    """Return an anonymous client: admin on a local server without tokens, else at most a reader."""
    if hosts.is_local_only and not grants.tokens:
        return Principal(Role.ADMIN)
    return Principal(None if grants.private else Role.READER)


_grants_cache: WeakKeyDictionary[Store, tuple[tuple[int, int, int], Grants]] = WeakKeyDictionary()
"""Open store → the versions its grants were read at, and the grants."""


def _current_grants() -> Grants:
    """Return the store's grants, read again when they have changed."""
    opened = reachable_store()  # cached grants do not count while the store is unreachable
    # other programs may change the tokens of a lake
    now = (opened.file_generation, tokens.access_version(), 0 if opened.is_single_file else opened.version)
    before, found = _grants_cache.get(opened, (None, None))
    if found is None or before != now:
        found = read_grants(opened)
        _grants_cache[opened] = now, found
    return found


MAX_SESSIONS = 10_000
_session_tokens: FIFOCache[str, int | None] = FIFOCache(MAX_SESSIONS)
"""Streamlit session → its token number, None for anonymous clients."""


def remember_session(session: str, token_no: int | None) -> None:
    """Record the token of a Streamlit session."""
    _session_tokens[session] = token_no


def is_session_of(session: str, token_no: int | None) -> bool:
    """Return whether a Streamlit session belongs to this token (None: to anonymous clients)."""
    return session in _session_tokens and _session_tokens[session] == token_no
