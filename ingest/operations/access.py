"""Who may do what, by tokens; whether everybody may read; and programs that are told of matches."""

import ipaddress
import socket
from datetime import date
from urllib.parse import urlsplit

from ingest.i18n import N_
from ingest.operations import Missing, Refused, Told, Work
from ingest.store import tokens as grants
from ingest.store import webhooks as programs
from ingest.store.tokens import Role

NO_DAY = N_("--expires needs a day written as year, month and day, 2027-06-30: {found} is none.")
NO_TOKEN = N_("The store has no token of that name: {name}. See: retourne token list")
REVOKED = N_("The token {name} was revoked already.")
NO_ADDRESS = N_("{url} is no address of a server: it begins with http:// or https://.")
PRIVATE = N_(
    "{host} is an address of this computer or its network, or of nobody. To tell it all the same: "
    "--allow-private"
)
NOT_FROM_AFAR = N_("Only who may write the store’s file may allow an address of its own network.")
NO_WEBHOOK = N_("There is no webhook {number}. See: retourne webhook list")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def add_token(work: Work, name: str, role: Role, expires: str | None = None) -> Told:
    """Make a token, which is said this once; and the link by which people sign in with it."""
    last_day = None
    if expires is not None:
        try:
            last_day = date.fromisoformat(expires)
        except ValueError:
            raise Refused(NO_DAY, found=expires) from None
    secret = grants.add(work.store, name, Role(role), last_day)
    link = None if work.address is None else f"{work.address}/in#{secret}"
    return {"token": secret, "link": link}


def tokens(work: Work) -> Told:
    """List tokens without their secrets, and whether reading needs one too."""
    known = grants.grants(work.store)
    told = [
        {
            "name": one.name,
            "role": str(one.role),
            "made_at": one.made_at.isoformat(),
            "last_day": one.last_day and one.last_day.isoformat(),
            "works": one.works,
            "revoked": one.revoked_at is not None,
        }
        for one in known.tokens
    ]
    return {"tokens": told, "private": known.private}


def revoke_token(work: Work, name: str) -> Told:
    """Let nobody in by the token of a name any more."""
    named = [one for one in grants.grants(work.store).tokens if grants.is_called(one, name)]
    for one in reversed(named):
        if one.revoked_at is None:
            grants.revoke(work.store, one.number)
            return {"name": one.name}
    raise Missing(REVOKED if named else NO_TOKEN, name=name)


def set_access(work: Work, private: bool) -> Told:
    """Let readers in only with a token, or let everybody read."""
    grants.set_access(work.store, private)
    return {"private": private}


def add_webhook(work: Work, url: str, allow_private: bool = False) -> Told:
    """Have a program told of new matches; what it is signed with is said this once."""
    try:
        told = urlsplit(url)
        host, port = told.hostname or "", told.port or 443
    except ValueError:
        host, port = "", 0
    if not host or told.scheme not in ("http", "https"):
        raise Refused(NO_ADDRESS, url=url)
    if allow_private and not work.here:
        raise Refused(NOT_FROM_AFAR)
    try:
        address(host, port, allow_private)
    except Private:
        raise Refused(PRIVATE, host=host) from None
    made = programs.add(work.store, url, allow_private)
    return {"number": made.number, "secret": made.secret}


def webhooks(work: Work) -> Told:
    """List the programs that are told of new matches."""
    every = programs.webhooks(work.store.cursor())
    return {"webhooks": [{"number": one.number, "url": one.url} for one in every]}


def remove_webhook(work: Work, number: int) -> Told:
    """Tell a program no more."""
    try:
        programs.remove(work.store, number)
    except KeyError:
        raise Missing(NO_WEBHOOK, number=number) from None
    return {"number": number}


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
    every = [found]
    if isinstance(found, ipaddress.IPv6Address):
        # it may stand for older ones: a gateway passes on what is sent to it
        every += [one for one in (found.sixtofour, *(found.teredo or ())) if one is not None]
        if found in NAT64:
            every.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
    return all(one.is_global and not one.is_multicast for one in every)
