"""The grants of a store as of one read: tokens, the sessions they opened, public or private access."""

from dataclasses import dataclass

from ingest.store import sessions
from ingest.store.factory import Store
from ingest.store.sessions import Session, read_sessions
from ingest.store.tokens import Token, hash_secret, is_private, read_tokens, valid_token


@dataclass(frozen=True, slots=True)
class Grants:
    """Tokens, sessions and access of a store."""

    tokens: tuple[Token, ...]
    sessions: dict[str, Session]
    """By their hashes; some may have ended."""
    private: bool
    """Whether reading needs a token."""

    def by_token(self, secret: str) -> Token | None:
        """Return the valid token with this secret."""
        return valid_token(self.tokens, secret)

    def by_session(self, secret: str) -> Token | None:
        """Return the valid token that opened a session, unless the session has ended."""
        if (found := self.sessions.get(hash_secret(secret))) is None or not found.is_open:
            return None
        return next((one for one in self.tokens if one.number == found.token_no and one.is_valid), None)

    def record_use(self, secret: str) -> None:
        """Record that a session is used now, unless it has ended."""
        if self.by_session(secret) is not None:
            sessions.record_use(hash_secret(secret))


def read_grants(store: Store) -> Grants:
    """Read tokens, sessions and access from the store."""
    return Grants(read_tokens(store), read_sessions(store), is_private(store))
