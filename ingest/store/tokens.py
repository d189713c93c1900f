"""Adds, reads and revokes access tokens with their roles; makes a store public or private.

The store has only hashes of tokens. They are 256 random bits, so a plain hash is
enough: there is nothing to guess.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import count
from unicodedata import category

from ingest.i18n import N_
from ingest.store import audit
from ingest.store.errors import StoreError
from ingest.store.factory import Store

TOKEN_PREFIX = "retourne_"
"""The prefix of every token, so that a reader who finds one recognizes it."""
TOKEN_NAME_ONE_LINE = N_("The name of a token is one line, without control characters.")
TOKEN_NAME_TAKEN = N_("There is a token of that name already: {name}. Revoke it first, or take another name.")

_versions = count(1)
_access_version = 0


def hash_secret(secret: str) -> str:
    """Return the SHA-256 by which the store knows a token, a session or a draft."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def now() -> datetime:
    """Return the time by which tokens and sessions end."""
    return datetime.now(UTC)


def access_version() -> int:
    """Return a number that grows when this process changes tokens, sessions or access."""
    return _access_version


class Role(StrEnum):
    """The permissions of a client; each role includes those before it."""

    READER = "reader"
    CONTRIBUTOR = "contributor"
    ADMIN = "admin"

    def covers(self, other: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


ROLES = {Role.READER: N_("reader"), Role.CONTRIBUTOR: N_("contributor"), Role.ADMIN: N_("admin")}


@dataclass(frozen=True, slots=True)
class Token:
    """One token, without its secret."""

    number: int
    name: str
    role: Role
    made_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    hash: str

    @property
    def is_valid(self) -> bool:
        """Whether a client may use it now."""
        return self.revoked_at is None and not self.is_expired

    @property
    def is_expired(self) -> bool:
        """Whether its last day is over."""
        return self.expires_at is not None and self.expires_at <= now()

    @property
    def last_day(self) -> date | None:
        """The last day on which it works, in local time; None: it does not expire."""
        return self.expires_at and last_day_before(self.expires_at)


def last_day_before(expires_at: datetime) -> date:
    """Return the last day, in local time, of a token that expires then."""
    return (expires_at - timedelta(microseconds=1)).astimezone().date()


def read_tokens(store: Store) -> tuple[Token, ...]:
    """Read all tokens of the store, by their numbers."""
    rows = store.cursor().execute(
        "SELECT token_no, name, role, made_at, expires_at, revoked_at, hash FROM tokens ORDER BY token_no"
    )
    return tuple(Token(number, name, Role(role), *rest) for number, name, role, *rest in rows.fetchall())


def valid_token(tokens: tuple[Token, ...], secret: str) -> Token | None:
    """Return the valid token with this secret; None: there is none."""
    shown = hash_secret(secret)
    same = [one for one in tokens if hmac.compare_digest(one.hash, shown) and one.is_valid]
    return same[-1] if same else None


def is_private(store: Store) -> bool:
    """Return whether reading the store needs a token."""
    cursor = store.cursor().execute("FROM settings WHERE name = 'access' AND value = 'private'")
    return cursor.fetchone() is not None


def add_token(store: Store, name: str, role: Role, last_day: date | None = None) -> str:
    """Make a token and return its secret, which the store does not contain.

    StoreError: the name is empty, more than one line or used by a valid token, or the last day is
    over.
    """
    if any(category(sign) in ("Cc", "Cs") for sign in name):
        raise StoreError(TOKEN_NAME_ONE_LINE)
    name = " ".join(name.split())
    if not name:
        raise StoreError(N_("A token needs a name: the person or program it is for."))
    expires_at = None
    if last_day is not None:
        expires_at = datetime.combine(last_day + timedelta(days=1), time.min).astimezone(UTC)
        if expires_at <= now():
            raise StoreError(N_("That day is over."))
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    with changing_access(store):
        known = read_tokens(store)
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
    """Return whether a token has a name, ignoring case and extra spaces."""
    return token.name.casefold() == " ".join(name.split()).casefold()


def revoke_token(store: Store, number: int) -> None:
    """Revoke a token and end its sessions. KeyError: the token is unknown, or revoked already."""
    with changing_access(store):
        if not any(one.number == number and one.revoked_at is None for one in read_tokens(store)):
            raise KeyError(number)
        cursor = store.connection
        cursor.execute("UPDATE tokens SET revoked_at = now() WHERE token_no = ?", [number])
        cursor.execute("DELETE FROM sessions WHERE token_no = ?", [number])
        audit.log_action(cursor, "revoke", number)


def set_access(store: Store, private: bool) -> None:
    """Make the store private, so that reading needs a token, or public."""
    with changing_access(store):
        if is_private(store) == private:
            return
        cursor = store.connection
        cursor.execute("DELETE FROM settings WHERE name = 'access'")
        if private:
            cursor.execute("INSERT INTO settings VALUES ('access', 'private')")
        audit.log_action(cursor, "private" if private else "public")


@contextmanager
def changing_access(store: Store) -> Iterator[None]:
    """Run a transaction that changes access, and mark all `grants.Grants` as outdated."""
    global _access_version
    with store.transaction():
        yield
    _access_version = next(_versions)
    store.notify_changed()
