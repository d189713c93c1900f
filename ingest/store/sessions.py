"""Sessions of browsers that a token signed in, until they are not used for twelve hours.

Each request is a use. The store has the time of a use to some minutes only, because writing one
means a transaction; a server that was killed knows of no later use.
"""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from ingest.store import audit, tokens
from ingest.store.drafts import hash_secret
from ingest.store.factory import Store
from ingest.store.tokens import Session, Token, changing_access, read_grants

RECORD_AFTER = timedelta(minutes=10)
"""How much later than in the store a use is before it is written there."""
MAX_SESSIONS = 50
"""Sessions of one token: the browsers of a club that share one are fewer."""


def sign_in(store: Store, secret: str, old_session: str = "") -> tuple[str, Token] | None:
    """Open a session by a token; return a new session secret and the token.

    `old_session` is the browser's previous session, which ends. Beyond MAX_SESSIONS of a token, those
    end that were not used for the longest. None: the token is not valid.
    """
    token = read_grants(store).by_token(secret)
    if token is None:
        return None
    session, now = secrets.token_urlsafe(32), tokens.now()
    with changing_access(store):
        known, old = read_grants(store).sessions.values(), hash_secret(old_session)
        _delete(store, old, *(one.hash for one in known if not one.is_open))
        own = [one for one in known if one.is_open and one.token_no == token.number and one.hash != old]
        own.sort(key=lambda one: one.used_at, reverse=True)
        _delete(store, *(one.hash for one in own[MAX_SESSIONS - 1 :]))
        row = [hash_secret(session), token.number, now, now]
        store.connection.execute("INSERT INTO sessions VALUES (?, ?, ?, ?)", row)
    return session, token


def sign_out(store: Store, session: str) -> None:
    """End a session; does nothing if it has ended already."""
    if (of := hash_secret(session)) in read_grants(store).sessions:
        with changing_access(store):
            _delete(store, of)


def open_sessions(store: Store) -> list[tuple[Session, Token]]:
    """Return the sessions that have not ended, the last used first, with their tokens."""
    known = read_grants(store)
    valid = {one.number: one for one in known.tokens if one.is_valid}
    found = [(one, valid[one.token_no]) for one in known.sessions.values() if one.token_no in valid]
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
    known = read_grants(store).sessions.values()
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
