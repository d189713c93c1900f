"""Operations on tokens, sessions, public access and webhooks."""

import ipaddress
import socket
from datetime import date
from functools import partial
from urllib.parse import urlsplit

from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.store import saved_searches
from ingest.store import sessions as stored_sessions
from ingest.store import tokens as stored_tokens
from ingest.store import webhooks as stored_webhooks
from ingest.store.tokens import Role, Token

INVALID_EXPIRY = N_("--expires needs a day written as year, month and day, 2027-06-30: {found} is none.")
UNKNOWN_TOKEN = N_("No token of that name: {name}. See: retourne token list")
UNKNOWN_SESSION = N_("No such session, or it has ended: {id}. See: retourne session list")
INVALID_URL = N_("{url} is not the address of a server: it must begin with http:// or https://.")
PRIVATE_ADDRESS = N_(
    "{host} is an address of this computer or its network, or unknown. To use it anyway: --allow-private"
)
LOCAL_USERS_ONLY = N_("Only who may write the store’s file may allow an address of its own network.")
NO_WEBHOOK = N_("No webhook {number}. See: retourne webhook list")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def add_token(work: OperationContext, name: str, role: Role, expires: str | None = None) -> OperationResult:
    """Create a token, and a link to sign in with it. The token is shown only in this answer."""
    last_day = None
    if expires is not None:
        try:
            last_day = date.fromisoformat(expires)
        except ValueError:
            raise OperationRefused(INVALID_EXPIRY, found=expires) from None
    secret = stored_tokens.add_token(work.store, name, Role(role), last_day)
    link = None if work.base_url is None else f"{work.base_url}/in#{secret}"
    return {"token": secret, "link": link}


def tokens(work: OperationContext) -> OperationResult:
    """List tokens without their secrets, and whether reading needs a token."""
    items = [
        {
            "name": one.name,
            "role": str(one.role),
            "made_at": one.made_at.isoformat(),
            "expires_at": one.expires_at and one.expires_at.isoformat(),
            "is_valid": one.is_valid,
            "revoked": one.revoked_at is not None,
        }
        for one in stored_tokens.read_tokens(work.store)
    ]
    return {"tokens": items, "private": stored_tokens.is_private(work.store)}


def revoke_token(work: OperationContext, name: str) -> OperationResult:
    """Revoke the token of a name: it gives no access from now on."""
    named = [one for one in stored_tokens.read_tokens(work.store) if stored_tokens.has_name(one, name)]
    for one in reversed(named):
        if one.revoked_at is None:
            stored_tokens.revoke_token(work.store, one.number)
            return {"name": one.name}
    raise NotFound(N_("The token {name} was revoked already.") if named else UNKNOWN_TOKEN, name=name)


def sessions(work: OperationContext) -> OperationResult:
    """List the browsers that are signed in: an admin all, others those of their own token."""
    found = [
        {
            "id": session.id,
            "token": token.name,
            "role": str(token.role),
            "opened_at": session.opened_at.isoformat(),
            "used_at": session.used_at.isoformat(),
        }
        for session, token in stored_sessions.open_sessions(work.store)
        if _may_see(work, token)
    ]
    return {"sessions": found}


def end_session(work: OperationContext, id: str) -> OperationResult:
    """Sign out a browser by the id of its session: an admin any, others those of their own token."""
    try:
        token = stored_sessions.end_session(work.store, id, partial(_may_see, work))
    except KeyError:
        raise NotFound(UNKNOWN_SESSION, id=id) from None
    return {"id": id, "token": token.name}


def _may_see(work: OperationContext, token: Token) -> bool:
    """Return whether the caller may see and end the sessions of a token."""
    return work.may(Role.ADMIN) or token.number == work.token_no


def set_access(work: OperationContext, private: bool) -> OperationResult:
    """Require a token for reading, or make the store public."""
    stored_tokens.set_access(work.store, private)
    return {"private": private}


def add_webhook(
    work: OperationContext, url: str, allow_private: bool = False, search: int | None = None
) -> OperationResult:
    """Register a URL to notify of new matches, or of those that a saved search finds.

    Its signing secret is shown only in this answer.
    """
    known = {one.number for one in saved_searches.saved_searches(work.store.cursor())}
    if search is not None and search not in known:
        raise NotFound(saved_searches.NO_SEARCH, number=search)
    try:
        result = urlsplit(url)
        host, port = result.hostname or "", result.port or 443
    except ValueError:
        host, port = "", 0
    if not host or result.scheme not in ("http", "https"):
        raise OperationRefused(INVALID_URL, url=url)
    if allow_private and not work.is_local:
        raise OperationRefused(LOCAL_USERS_ONLY)
    try:
        resolve_public_address(host, port, allow_private)
    except PrivateAddressError:
        raise OperationRefused(PRIVATE_ADDRESS, host=host) from None
    made = stored_webhooks.add_webhook(work.store, url, allow_private, search)
    return {"number": made.number, "secret": made.secret}


def webhooks(work: OperationContext) -> OperationResult:
    """List the webhooks that are notified of new matches."""
    every = stored_webhooks.webhooks(work.store.cursor())
    return {"webhooks": [{"number": one.number, "url": one.url, "search": one.search} for one in every]}


def remove_webhook(work: OperationContext, number: int) -> OperationResult:
    """Remove a webhook: it is no longer notified of new matches."""
    try:
        stored_webhooks.remove_webhook(work.store, number)
    except KeyError:
        raise NotFound(NO_WEBHOOK, number=number) from None
    return {"number": number}


class PrivateAddressError(Exception):
    """A host does not resolve, or resolves to an address of this computer or its network."""


def resolve_public_address(host: str, port: int, allow_private: bool) -> str:
    """Return an IP address of a host. PrivateAddressError: it has none, or one is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise PrivateAddressError(host) from error
    numbers = [str(one[4][0]) for one in found]
    if not numbers or (not allow_private and not all(map(_is_public, numbers))):
        raise PrivateAddressError(host)
    return numbers[0]


def _is_public(number: str) -> bool:
    found = ipaddress.ip_address(number.partition("%")[0])
    found = getattr(found, "ipv4_mapped", None) or found
    every = [found]
    if isinstance(found, ipaddress.IPv6Address):
        # IPv6 addresses may embed an IPv4 address, to which a gateway forwards
        every += [one for one in (found.sixtofour, *(found.teredo or ())) if one is not None]
        if found in NAT64:
            every.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    return all(one.is_global and not one.is_multicast for one in every)
