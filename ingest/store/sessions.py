"""Sessions of browsers that a token signed in, until they are not used for twelve hours.

The store has only a hash of each session. Each request is a use. The store has the time of a use only to
ten minutes, because writing one means a transaction; a server that was killed knows of no later use.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingest.store import audit, tokens
from ingest.store.factory import Store
from ingest.store.tokens import Token, changing_access, hash_secret, read_tokens, valid_token

SESSION_IDLE_LIMIT = timedelta(hours=12)
"""How long a browser stays signed in without use."""
SESSION_ID_LENGTH = 12
"""Digits of a session's hash that name it."""
RECORD_AFTER = timedelta(minutes=10)
"""How much later than in the store a use is before it is written there."""
MAX_SESSIONS = 50
"""Sessions of one token: the browsers of a club that share one are fewer."""
_last_uses = dict[str, datetime]()
"""Hash of a session → its last use in this process; `record_uses` writes them to the store."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that a token signed in."""

    hash: str
    token_no: int
    opened_at: datetime
    recorded_use: datetime
    """A use that the store knows of; there may be a later one."""

    @property
    def id(self) -> str:
        """The name by which it is listed and ended."""
        return self.hash[:SESSION_ID_LENGTH]

    @property
    def used_at(self) -> datetime:
        """The last use."""
        return max(self.recorded_use, _last_uses.get(self.hash, self.recorded_use))

    @property
    def is_open(self) -> bool:
        """Whether it was used in the last twelve hours."""
        return tokens.now() - self.used_at < SESSION_IDLE_LIMIT


def read_sessions(store: Store) -> dict[str, Session]:
    """Read the sessions of the store by their hashes; some may have ended."""
    rows = store.cursor().execute("SELECT hash, token_no, opened_at, used_at FROM sessions").fetchall()
    return {row[0]: Session(*row) for row in rows}


def record_use(session_hash: str) -> None:
    """Record that a session is used now; `record_uses` writes it to the store."""
    _last_uses[session_hash] = tokens.now()


def sign_in(store: Store, secret: str, old_session: str = "") -> tuple[str, Token] | None:
    """Open a session by a token; return a new session secret and the token.

    `old_session` is the browser's previous session, which ends. Beyond MAX_SESSIONS of a token, those
    end that were not used for the longest. None: the token is not valid.
    """
    token = valid_token(read_tokens(store), secret)
    if token is None:
        return None
    session, now = secrets.token_urlsafe(32), tokens.now()
    with changing_access(store):
        known, old = read_sessions(store).values(), hash_secret(old_session)
        _delete(store, old, *(one.hash for one in known if not one.is_open))
        own = [one for one in known if one.is_open and one.token_no == token.number and one.hash != old]
        own.sort(key=lambda one: one.used_at, reverse=True)
        _delete(store, *(one.hash for one in own[MAX_SESSIONS - 1 :]))
        row = [hash_secret(session), token.number, now, now]
        store.connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", row)
    return session, token


def sign_out(store: Store, session: str) -> None:
    """End a session; does nothing if it has ended already."""
    if (of := hash_secret(session)) in read_sessions(store):
        with changing_access(store):
            _delete(store, of)


def open_sessions(store: Store) -> list[tuple[Session, Token]]:
    """Return the sessions that have not ended, the last used first, with their tokens."""
    valid = {one.number: one for one in read_tokens(store) if one.is_valid}
    found = [(one, valid[one.token_no]) for one in read_sessions(store).values() if one.token_no in valid]
    return sorted((one for one in found if one[0].is_open), key=lambda one: one[0].used_at, reverse=True)


def end_session(store: Store, session_id: str, may: Callable[[Token], bool]) -> Token:
    """End an open session by its id, if its token is one that the caller may end; return the token.

    KeyError: there is none.
    """
    with changing_access(store):
        for session, token in open_sessions(store):
            if session.id == session_id and may(token):
                _delete(store, session.hash)
                audit.log_action(store.connection, "end-session", token.number)
                return token
        raise KeyError(session_id)


def record_uses(store: Store, after: timedelta = RECORD_AFTER) -> None:
    """Write to the store the last uses that are so much later than those it has."""
    known = read_sessions(store).values()
    later: list[tuple[datetime, str]] = [
        (one.used_at, one.hash) for one in known if one.used_at - one.recorded_use > after
    ]
    if later:
        with changing_access(store):
            update = "UPDATE sessions SET used_at = greatest(used_at, ?) WHERE hash = ?"
            store.connection.executemany(update, later)


def _delete(store: Store, *hashes: str) -> None:
    """Delete sessions; call within a transaction."""
    store.connection.execute("DELETE FROM sessions WHERE list_contains(?::VARCHAR[], hash)", [[*hashes]])
