"""Operations on tokens, public access and webhooks."""

import ipaddress
import socket
from datetime import date
from urllib.parse import urlsplit

from ingest.i18n import N_
from ingest.operations import NotFound, OperationContext, OperationRefused, OperationResult
from ingest.store import tokens as grants
from ingest.store import webhooks as programs
from ingest.store.tokens import Role

INVALID_EXPIRY = N_(
    "--expires needs a day written as year, month and day, 2027-06-30: {found} is none."
)
UNKNOWN_TOKEN = N_("The store has no token of that name: {name}. See: retourne token list")
REVOKED = N_("The token {name} was revoked already.")
INVALID_URL = N_("{url} is no address of a server: it begins with http:// or https://.")
PRIVATE_ADDRESS = N_(
    "{host} is an address of this computer or its network, or of nobody. To tell it all the same: "
    "--allow-private"
)
LOCAL_USERS_ONLY = N_(
    "Only who may write the store’s file may allow an address of its own network."
)
NO_WEBHOOK = N_("There is no webhook {number}. See: retourne webhook list")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def add_token(
    work: OperationContext, name: str, role: Role, expires: str | None = None
) -> OperationResult:
    """Make a token, which is said this once; and the link by which people sign in with it."""
    last_day = None
    if expires is not None:
        try:
            last_day = date.fromisoformat(expires)
        except ValueError:
            raise OperationRefused(INVALID_EXPIRY, found=expires) from None
    secret = grants.add_token(work.store, name, Role(role), last_day)
    link = None if work.base_url is None else f"{work.base_url}/in#{secret}"
    return {"token": secret, "link": link}


def tokens(work: OperationContext) -> OperationResult:
    """List tokens without their secrets, and whether reading needs one too."""
    known = grants.read_grants(work.store)
    told = [
        {
            "name": one.name,
            "role": str(one.role),
            "made_at": one.made_at.isoformat(),
            "last_day": one.last_day and one.last_day.isoformat(),
            "works": one.is_valid,
            "revoked": one.revoked_at is not None,
        }
        for one in known.tokens
    ]
    return {"tokens": told, "private": known.private}


def revoke_token(work: OperationContext, name: str) -> OperationResult:
    """Let nobody in by the token of a name any more."""
    named = [one for one in grants.read_grants(work.store).tokens if grants.has_name(one, name)]
    for one in reversed(named):
        if one.revoked_at is None:
            grants.revoke_token(work.store, one.number)
            return {"name": one.name}
    raise NotFound(REVOKED if named else UNKNOWN_TOKEN, name=name)


def set_access(work: OperationContext, private: bool) -> OperationResult:
    """Let readers in only with a token, or let everybody read."""
    grants.set_access(work.store, private)
    return {"private": private}


def add_webhook(work: OperationContext, url: str, allow_private: bool = False) -> OperationResult:
    """Have a program told of new matches; what it is signed with is said this once."""
    try:
        told = urlsplit(url)
        host, port = told.hostname or "", told.port or 443
    except ValueError:
        host, port = "", 0
    if not host or told.scheme not in ("http", "https"):
        raise OperationRefused(INVALID_URL, url=url)
    if allow_private and not work.is_local:
        raise OperationRefused(LOCAL_USERS_ONLY)
    try:
        resolve_public_address(host, port, allow_private)
    except PrivateAddressError:
        raise OperationRefused(PRIVATE_ADDRESS, host=host) from None
    made = programs.add_webhook(work.store, url, allow_private)
    return {"number": made.number, "secret": made.secret}


def webhooks(work: OperationContext) -> OperationResult:
    """List the programs that are told of new matches."""
    every = programs.webhooks(work.store.cursor())
    return {"webhooks": [{"number": one.number, "url": one.url} for one in every]}


def remove_webhook(work: OperationContext, number: int) -> OperationResult:
    """Tell a program no more."""
    try:
        programs.remove_webhook(work.store, number)
    except KeyError:
        raise NotFound(NO_WEBHOOK, number=number) from None
    return {"number": number}


class PrivateAddressError(Exception):
    """An address is of this computer or its network, or there is none."""


def resolve_public_address(host: str, port: int, allow_private: bool) -> str:
    """A number that a host goes by. Private: one of them is no public one, or there is none."""
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
        # it may stand for older ones: a gateway passes on what is sent to it
        every += [one for one in (found.sixtofour, *(found.teredo or ())) if one is not None]
        if found in NAT64:
            every.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    return all(one.is_global and not one.is_multicast for one in every)
