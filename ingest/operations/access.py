"""Who may do what, by tokens; whether everybody may read; and programs that are told of matches."""

from datetime import date
from typing import Any
from urllib.parse import urlsplit

from ingest.i18n import N_
from ingest.operations import Missing, Refused, Told, Work
from ingest.operations.public_address import Private, address
from ingest.store import hooks as programs
from ingest.store import tokens as grants
from ingest.store.tokens import Role

NO_DAY = N_("--expires needs a day written as year, month and day, 2027-06-30: {found} is none.")
NO_TOKEN = N_("The store has no token of that name: {name}. See: retourne token list")
NO_ADDRESS = N_("{url} is no address of a server: it begins with http:// or https://.")
PRIVATE = N_(
    "{host} is an address of this computer or its network, or of nobody. To tell it all the same: "
    "--allow-private"
)
NOT_FROM_AFAR = N_("Only who may write the store’s file may allow an address of its own network.")
NO_HOOK = N_("There is no hook {number}. See: retourne hook list")


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
    """List the tokens, of which nobody can be told what they are, and whether reading is closed."""
    known = grants.grants(work.store)
    return {"tokens": [_token(one) for one in known.tokens], "closed": known.closed}


def _token(one: grants.Token) -> dict[str, Any]:
    return {
        "name": one.name,
        "role": str(one.role),
        "made_at": one.made_at.isoformat(),
        "last_day": one.last_day and one.last_day.isoformat(),
        "works": one.works,
        "revoked": one.revoked_at is not None,
    }


def revoke_token(work: Work, name: str) -> Told:
    """Let nobody in by the token of a name any more."""
    for one in reversed(grants.grants(work.store).tokens):
        if grants.is_called(one, name) and one.revoked_at is None:
            grants.revoke(work.store, one.number)
            return {"name": one.name}
    raise Missing(NO_TOKEN, name=name)


def close_reading(work: Work, closed: bool) -> Told:
    """Close the pages to whoever has no token, or open them to everybody."""
    grants.close_reading(work.store, closed)
    return {"closed": closed}


def add_hook(work: Work, url: str, allow_private: bool = False) -> Told:
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


def hooks(work: Work) -> Told:
    """List the programs that are told of new matches."""
    every = programs.hooks(work.store.cursor())
    return {"hooks": [{"number": one.number, "url": one.url} for one in every]}


def remove_hook(work: Work, number: int) -> Told:
    """Tell a program no more."""
    try:
        programs.remove(work.store, number)
    except KeyError:
        raise Missing(NO_HOOK, number=number) from None
    return {"number": number}
