"""Compares a log with a stored match: same, longer or different; decides whether it is stored."""

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import orjson

from ingest.i18n import N_
from schemas.match_hash import PlayedMatch


class Relation(StrEnum):
    """How a match of a file relates to a stored one."""

    ALREADY_STORED = "already_stored"
    """The same log."""
    SAME_MATCH = "same_match"
    """The same play, in a log that differs."""
    BEGINNING = "beginning"
    """The stored match begins with it."""
    PART = "part"
    """The stored match has all of its deals, and others before them."""
    CONTINUED = "continued"
    """It goes on where the stored match stops, and replaces it."""
    WHOLE = "whole"
    """It has all deals of the stored match and others before them, and replaces it."""
    CONFLICT = "conflict"
    """The same log id from the same source, but another play."""
    OTHER_NAMES = "other_names"
    """The same play of players who are named otherwise."""
    OTHER_VIEW = "other_view"
    """Another view of a match of which cards are not recorded."""
    OVERLAP = "overlap"
    """Some of its deals are those of a stored match."""
    SAME_RESULT = "same_result"
    """The same players, maybe under other names, day and result, and one or both logs have no card."""
    SHEET_OF_LOG = "sheet_of_log"
    """The score sheet, or the result, of a stored log, which counts unless it has findings."""


class OnConflict(StrEnum):
    """How a match is treated that is stored already but differs."""

    KEEP = "keep"
    """The stored one stays, and this one is not added."""
    REPLACE = "replace"
    """This one takes the place of the stored one, which becomes an earlier version."""
    BOTH = "both"
    """Both are stored."""


PROPOSED_RELATIONS = (Relation.OTHER_NAMES, Relation.OTHER_VIEW, Relation.OVERLAP, Relation.SAME_RESULT)
"""Relations that are only proposed: both matches are stored."""
DIFFERENCE_TEXTS = {
    "bids": N_("bid cards"),
    "comments": N_("comments"),
    "cuts": N_("cuts"),
    "dealer": N_("dealer"),
    "event": N_("event"),
    "id": N_("id"),
    "manche": N_("manche"),
    "played_at": N_("date"),
    "players": N_("names"),
    "points": N_("declared points"),
    "result": N_("result"),
    "rules": N_("rules"),
    "source": N_("source"),
    "start": N_("start"),
    "times": N_("times"),
    "void": N_("void deals"),
    "winner": N_("declared winner"),
    "cards": N_("how the cards are written"),
    "actions": N_("recorded draws"),
}
"""How reports name what differs between two logs of one match."""
_CARD_KEYS = ("deck", "hands", "talon")


@dataclass(frozen=True, slots=True)
class Duplicate:
    """How a match of a file relates to a stored one, and how it was treated."""

    relation: Relation
    other_id: str
    """The id of the stored match."""
    differences: tuple[str, ...] = ()
    """Keys of DIFFERENCE_TEXTS, or other keys of the log."""
    came_in_run: bool = False
    """The other match came in the same run."""
    decision: OnConflict = OnConflict.KEEP
    deals: tuple[int, ...] = ()
    """Numbers of the deals, from 1, in which two logs, or a sheet and its log, have other points."""
    log_counts: bool | None = None
    """Whether the log of a sheet counts in its place; None of other relations."""

    @property
    def is_added(self) -> bool:
        """Whether this match was stored all the same."""
        always = (*PROPOSED_RELATIONS, Relation.CONTINUED, Relation.WHOLE, Relation.SHEET_OF_LOG)
        return self.relation in always or self.decision is not OnConflict.KEEP


def relation_of_plays(mine: PlayedMatch, other: PlayedMatch) -> Relation | None:
    """Return what a play is to another of the same people: SAME_MATCH, CONTINUED, BEGINNING, or None."""
    if mine.setup != other.setup:
        return None
    if mine.deals == other.deals:
        return Relation.SAME_MATCH
    if mine.begins_with(other):
        return Relation.CONTINUED
    return Relation.BEGINNING if other.begins_with(mine) else None


def differences(text: bytes, other: bytes) -> tuple[str, ...]:
    """Return the keys in which two logs of one match differ anywhere, at the top or in a deal."""
    try:
        ours, theirs = orjson.loads(text), orjson.loads(other)
    except ValueError:
        return ()
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return ()
    ours, theirs = _as_people_read(ours), _as_people_read(theirs)
    found = set(_differing_keys(ours, theirs)) - {"deals"}
    deals, others = ours.get("deals"), theirs.get("deals")
    if isinstance(deals, list) and isinstance(others, list):
        for one, another in zip(deals, others, strict=False):
            if isinstance(one, dict) and isinstance(another, dict):
                found.update(_differing_keys(one, another))
    return tuple(sorted({"cards" if key in _CARD_KEYS else key for key in found}))


def deals_with_other_points(text: bytes, other: bytes) -> tuple[int, ...]:
    """Return the numbers, from 1, of the deals in which two logs of one match declare other points."""
    deals, others = (orjson.loads(one)["deals"] for one in (text, other))
    pairs = enumerate(zip(deals, others, strict=False), 1)
    return tuple(number for number, (ours, theirs) in pairs if ours.get("points") != theirs.get("points"))


def _as_people_read(value: Any, key: str = "") -> Any:
    """Return a value with texts in one Unicode form (NFC), and `played_at` as its moment and day."""
    if isinstance(value, dict):
        return {name: _as_people_read(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [_as_people_read(one) for one in value]
    if not isinstance(value, str):
        return value
    if key == "played_at":
        with suppress(ValueError, OverflowError):
            clock = datetime.fromisoformat(value)
            return clock.astimezone(UTC), clock.date()
    return unicodedata.normalize("NFC", value)


def _differing_keys(ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    return (key for key in {*ours, *theirs} if not key.startswith("_") and ours.get(key) != theirs.get(key))
