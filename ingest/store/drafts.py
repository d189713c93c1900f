"""Stores drafts: matches still being typed in.

Whoever has the secret goes on with it, on whatever device; nothing that another one has typed is
overwritten unless that is asked for.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson

from ingest.store.factory import Store

DRAFT_LIFETIME = timedelta(days=90)
"""How long a draft is kept that nobody changes."""
MAX_STEPS, MAX_STEP_CHARS = 20_000, 400
"""What one draft may hold, and how long a step may be."""
ADDED_KEY = "_added"
"""Where the head of a draft, in the store, has the match it became."""


class AddedMatch(NamedTuple):
    """The match a draft became: its id, and the version of the draft it was made of."""

    match: str
    version: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft as it is now."""

    head: dict[str, Any]
    """What holds for the whole match: game, players, rules."""
    steps: tuple[str, ...] = ()
    version: int = 0
    device: str = ""
    """The page that changed it last."""
    added: AddedMatch | None = None
    """What was added of it to the store, None before."""


class DraftConflict(Exception):
    """Another device has gone on with the draft, which would lose something of it."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft.version)
        self.draft = draft


class DraftTooLong(Exception):
    """More than a draft may hold."""


def create_draft(store: Store, head: dict[str, Any], device: str = "") -> str:
    """Begin a draft, and drop those nobody has changed for long; its secret, kept nowhere."""
    secret = secrets.token_urlsafe(16)
    with store.transaction():
        ask = store.connection
        ask.execute("DELETE FROM drafts WHERE changed_at < ?", [datetime.now(UTC) - DRAFT_LIFETIME])
        ask.execute(
            "INSERT INTO drafts VALUES (?, now(), now(), ?, '[]', 0, ?)",
            [hash_secret(secret), orjson.dumps(head).decode(), device],
        )
    return secret


def read_draft(store: Store, secret: str) -> Draft | None:
    """The draft of a secret; None: there is none, or it is too old."""
    found = "SELECT head, steps, version, device FROM drafts WHERE hash = ? AND changed_at >= ?"
    ask = store.cursor().execute(found, [hash_secret(secret), datetime.now(UTC) - DRAFT_LIFETIME])
    if (row := ask.fetchone()) is None:
        return None
    head, steps, version, device = row
    head = orjson.loads(head)
    added = AddedMatch(*told) if (told := head.pop(ADDED_KEY, None)) else None
    return Draft(head, tuple(orjson.loads(steps)), version, device, added)


def mark_added(store: Store, secret: str, added: AddedMatch) -> None:
    """Keep which match was made of a draft, so that the next one takes its place."""
    with store.transaction():
        draft = read_draft(store, secret)
        if draft is not None:
            store.connection.execute(
                "UPDATE drafts SET head = ? WHERE hash = ?",
                [orjson.dumps(draft.head | {ADDED_KEY: list(added)}).decode(), hash_secret(secret)],
            )


def write_steps(
    store: Store, secret: str, from_step: int, new_steps: Sequence[str], version: int, device: str
) -> Draft:
    """Put steps in the place of all from `from_step` on; the same twice is the same as once.

    `version` is the draft's that the device last heard of. KeyError: there is no such draft.
    Elsewhere: another device has changed it since, and its steps would be lost. TooLong.
    """
    with store.transaction():  # whoever else writes to it waits until this is there
        draft = read_draft(store, secret)
        if draft is None:
            raise KeyError(secret)
        steps = (*draft.steps[:from_step], *new_steps)
        if len(steps) > MAX_STEPS or any(len(one) > MAX_STEP_CHARS for one in new_steps):
            raise DraftTooLong
        only_adds = steps[: len(draft.steps)] == draft.steps
        known = version == draft.version or device == draft.device
        if from_step > len(draft.steps) or not (only_adds or known):
            raise DraftConflict(draft)
        if steps == draft.steps:
            return draft
        changed = replace(draft, steps=steps, version=draft.version + 1, device=device)
        store.connection.execute(
            "UPDATE drafts SET steps = ?, version = ?, device = ?, changed_at = now()"
            " WHERE hash = ?",
            [orjson.dumps(steps).decode(), changed.version, device, hash_secret(secret)],
        )
    return changed


def hash_secret(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
