"""Stores drafts: matches still being typed in.

A user who has the draft's secret can continue it on any device. Steps typed on another device are
overwritten only on request.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson

from ingest.store.factory import Store
from ingest.store.tokens import hash_secret

DRAFT_LIFETIME = timedelta(days=90)
"""How long a draft is stored after its last change."""
MAX_STEPS, MAX_STEP_CHARS = 20_000, 400
"""The most steps per draft and characters per step."""
ADDED_KEY = "_added"
"""Key in a stored draft's head for its AddedMatch."""


class AddedMatch(NamedTuple):
    """The match that was made of a draft: its id, and the version of the draft used."""

    match: str
    version: int


@dataclass(frozen=True, slots=True)
class Draft:
    """The current state of a draft."""

    head: dict[str, Any]
    """Fields of the whole match: game, players, rules."""
    steps: tuple[str, ...] = ()
    version: int = 0
    device: str = ""
    """The device that changed it last."""
    added: AddedMatch | None = None
    """The match made of it in the store, if any."""


class DraftConflict(Exception):
    """Another device has changed the draft, and the write would lose some of its steps."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft.version)
        self.draft = draft


class DraftTooLong(Exception):
    """The draft would exceed MAX_STEPS or MAX_STEP_CHARS."""


def create_draft(store: Store, head: dict[str, Any], device: str = "") -> str:
    """Create a draft and delete expired ones; return its secret (only its hash is stored)."""
    secret = secrets.token_urlsafe(16)
    with store.transaction():
        cursor = store.connection
        cursor.execute("DELETE FROM drafts WHERE changed_at < ?", [datetime.now(UTC) - DRAFT_LIFETIME])
        cursor.execute(
            "INSERT INTO drafts VALUES (?, now(), now(), ?, '[]', 0, ?)",
            [hash_secret(secret), orjson.dumps(head).decode(), device],
        )
    return secret


def read_draft(store: Store, secret: str) -> Draft | None:
    """Return the draft for a secret; None: there is none, or it has expired."""
    found = "SELECT head, steps, version, device FROM drafts WHERE hash = ? AND changed_at >= ?"
    cursor = store.cursor().execute(found, [hash_secret(secret), datetime.now(UTC) - DRAFT_LIFETIME])
    if (row := cursor.fetchone()) is None:
        return None
    head, steps, version, device = row
    head = orjson.loads(head)
    added = AddedMatch(*result) if (result := head.pop(ADDED_KEY, None)) else None
    return Draft(head, tuple(orjson.loads(steps)), version, device, added)


def mark_added(store: Store, secret: str, added: AddedMatch) -> None:
    """Record which match was made of a draft, so that a later version replaces it."""
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
    """Replace all steps from `from_step` on; idempotent.

    `version` is the draft's version that the device last received. KeyError: unknown draft.
    DraftConflict: another device's later steps would be lost. DraftTooLong: too much text.
    """
    with store.transaction():  # other writes to the draft wait
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
            "UPDATE drafts SET steps = ?, version = ?, device = ?, changed_at = now() WHERE hash = ?",
            [orjson.dumps(steps).decode(), changed.version, device, hash_secret(secret)],
        )
    return changed
