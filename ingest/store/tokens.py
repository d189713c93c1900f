"""Access tokens, sessions, and public or private access.

Of a token and of a session the store has a hash alone. They are 256 random bits, so a plain hash is
enough: there is nothing to guess.
"""

import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from unicodedata import category

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.drafts import hash_secret
from ingest.store.errors import StoreError
from ingest.store.factory import Store

TOKEN_PREFIX = "retourne_"
"""How a token begins, so that whoever finds one knows what it is."""
SESSION_LIFETIME = timedelta(days=180)
"""How long a browser stays signed in."""
TOKEN_NEEDS_NAME = N_("A token needs a name: whom or what it is for.")
TOKEN_NAME_ONE_LINE = N_("The name of a token is one line, without control characters.")
TOKEN_NAME_TAKEN = N_(
    "There is a token of that name already: {name}. Revoke it first, or take another name."
)
EXPIRY_IN_PAST = N_("That day is over.")

_access_version = 0


def access_version() -> int:
    """Grows whenever this process has changed who may do what."""
    return _access_version


class Role(StrEnum):
    """What somebody may do: each role may do what those before it may."""

    READER = "reader"
    CONTRIBUTOR = "contributor"
    ADMIN = "admin"

    def covers(self, other: "Role") -> bool:
        """Whether whoever has this role may do what another one may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


ROLES = {
    Role.READER: N_("reader"),
    Role.CONTRIBUTOR: N_("contributor"),
    Role.ADMIN: N_("admin"),
}


@dataclass(frozen=True, slots=True)
class Token:
    """One token, without what would let anybody in."""

    number: int
    name: str
    role: Role
    made_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    hash: str

    @property
    def is_valid(self) -> bool:
        """Whether it lets anybody in now."""
        return self.revoked_at is None and not self.is_expired

    @property
    def is_expired(self) -> bool:
        """Whether its last day is over."""
        return self.expires_at is not None and self.expires_at <= datetime.now(UTC)

    @property
    def last_day(self) -> date | None:
        """The last day on which it works, where this runs; None: for ever."""
        if self.expires_at is None:
            return None
        return (self.expires_at - timedelta(microseconds=1)).astimezone().date()


@dataclass(frozen=True, slots=True)
class Grants:
    """All that a store says of who may do what, as it was when it was asked."""

    tokens: tuple[Token, ...]
    sessions: dict[str, tuple[int, datetime]]
    """Hash of a session → the number of its token, and since when it is open."""
    private: bool
    """Nobody reads without a token."""

    def by_token(self, secret: str) -> Token | None:
        """The token that somebody shows, if it lets them in."""
        shown = hash_secret(secret)
        same = [one for one in self.tokens if hmac.compare_digest(one.hash, shown) and one.is_valid]
        return same[-1] if same else None

    def by_session(self, secret: str) -> Token | None:
        """The token by which a browser is signed in, while that holds."""
        number, opened = self.sessions.get(
            hash_secret(secret), (0, datetime.min.replace(tzinfo=UTC))
        )
        if datetime.now(UTC) - opened > SESSION_LIFETIME:
            return None
        return next((one for one in self.tokens if one.number == number and one.is_valid), None)


def read_grants(store: Store) -> Grants:
    """What the store says now."""
    ask = store.cursor()
    rows = ask.execute(
        "SELECT token_no, name, role, made_at, expires_at, revoked_at, hash"
        " FROM tokens ORDER BY token_no"
    ).fetchall()
    tokens = [Token(number, name, Role(role), *rest) for number, name, role, *rest in rows]
    open_ = ask.execute("SELECT hash, token_no, opened_at FROM sessions").fetchall()
    private = ask.execute("FROM settings WHERE name = 'access' AND value = 'private'").fetchone()
    sessions = {hash: (number, opened) for hash, number, opened in open_}
    return Grants(tuple(tokens), sessions, private is not None)


def add_token(store: Store, name: str, role: Role, last_day: date | None = None) -> str:
    """Make a token; what lets its bearer in, which is said this once and kept nowhere.

    StoreError: the name is empty, no line of text, or taken by one that works, or its last day is
    over.
    """
    if any(category(sign) in ("Cc", "Cs") for sign in name):
        raise StoreError(TOKEN_NAME_ONE_LINE)
    name = " ".join(name.split())
    if not name:
        raise StoreError(TOKEN_NEEDS_NAME)
    expires_at = None
    if last_day is not None:
        expires_at = datetime.combine(last_day + timedelta(days=1), time.min).astimezone(UTC)
        if expires_at <= datetime.now(UTC):
            raise StoreError(EXPIRY_IN_PAST)
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    with _changing_access(store):
        known = read_grants(store).tokens
        if any(has_name(one, name) and one.is_valid for one in known):
            raise StoreError(TOKEN_NAME_TAKEN, name=name)
        number = max((one.number for one in known), default=0) + 1
        store.connection.execute(
            "INSERT INTO tokens VALUES (?, ?, ?, ?, now(), ?, NULL)",
            [number, name, str(role), hash_secret(secret), expires_at],
        )
        audit.log_action(store.connection, "token", number)
    return secret


def has_name(token: Token, name: str) -> bool:
    """Whether a token has a name, in any case: nobody tells Marcel from marcel."""
    return token.name.casefold() == " ".join(name.split()).casefold()


def revoke_token(store: Store, number: int) -> None:
    """Let nobody in by a token any more, whoever is signed in by it included.

    KeyError: there is none of that number, or it was revoked.
    """
    with _changing_access(store):
        if not any(
            one.number == number and one.revoked_at is None for one in read_grants(store).tokens
        ):
            raise KeyError(number)
        ask = store.connection
        ask.execute("UPDATE tokens SET revoked_at = now() WHERE token_no = ?", [number])
        ask.execute("DELETE FROM sessions WHERE token_no = ?", [number])
        audit.log_action(ask, "revoke", number)


def set_access(store: Store, private: bool) -> None:
    """Have everybody who reads show a token, or nobody."""
    with _changing_access(store):
        if read_grants(store).private == private:
            return
        ask = store.connection
        ask.execute("DELETE FROM settings WHERE name = 'access'")
        if private:
            ask.execute("INSERT INTO settings VALUES ('access', 'private')")
        audit.log_action(ask, "private" if private else "public")


def sign_in(store: Store, secret: str, old_session: str = "") -> tuple[str, Token] | None:
    """Open a session by a token: what the browser keeps, always another one, and the token.

    `old_session` is what the browser had, which holds no longer. None: the token lets nobody in.
    """
    token = read_grants(store).by_token(secret)
    if token is None:
        return None
    session = secrets.token_urlsafe(32)
    with _changing_access(store):
        ask = store.connection
        ask.execute("DELETE FROM sessions WHERE hash = ?", [hash_secret(old_session)])
        ask.execute(
            "DELETE FROM sessions WHERE opened_at < ?", [datetime.now(UTC) - SESSION_LIFETIME]
        )
        ask.execute(
            "INSERT INTO sessions VALUES (?, ?, now())", [hash_secret(session), token.number]
        )
    return session, token


def sign_out(store: Store, session: str) -> None:
    """End a browser's session; one that is over stays so."""
    if hash_secret(session) in read_grants(store).sessions:
        with _changing_access(store):
            store.connection.execute("DELETE FROM sessions WHERE hash = ?", [hash_secret(session)])


@contextmanager
def _changing_access(store: Store) -> Iterator[None]:
    """A transaction after which whoever keeps what `read_grants` said asks again."""
    global _access_version
    with store.transaction():
        yield
    _access_version += 1
    store.notify_changed()
