"""Anonymizes a log: redacts names in its text."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

from ingest.redact.free_text import is_notation_only, text_redactor
from schemas.json_schema import json_schema

NOTATION_KEYS = frozenset(
    (
        *("format", "game", "rules", "deck", "bid_cards", "cuts", "actions"),
        *("hands", "void", "bids", "talon", "played_at", "score_line"),
    )
)
"""Keys whose texts are cards, acts, rules or dates, even if a player has the same name."""
COMMENTS_KEY = "comments"
"""Comments are removed: people name each other in ways no program detects."""
NOTES_KEY = "notes"  # stands for all keys unknown to the format, such as `_` keys
FREE_TEXT_KEYS = ("event", "source", "id", COMMENTS_KEY, NOTES_KEY)
"""Free text of a log other than its players; removed from anonymous logs."""
COMMON_FREE_KEYS = ("place", "round", "table", "seed")
"""Common keys within FREE_TEXT_KEYS, which the format leaves open."""
NOT_NOTATION = "?"  # replaces a text that is not notation where notation belongs
PLAYER_KEYS = ("id", "name")  # keys that identify a player
_ESCAPE_PATTERN = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")


class MaskedPlayer(NamedTuple):
    """A player whose names are redacted."""

    id: str
    pseudonym: str  # replaces the names at the player's seat
    names: frozenset[str]  # all names of the player, and the ids
    declared: frozenset[tuple[str, str]] = frozenset()
    """Every id with a name, as logs have them."""
    others: frozenset[tuple[str, str]] = frozenset()
    """Those of the same ids that are other players'."""


def masked_player(
    player_id: str, pseudonym: str, own: Iterable[tuple[str, str]], every: Iterable[tuple[str, str]]
) -> MaskedPlayer:
    """Return a player with these ids and names, among `every` player's."""
    own = frozenset(own)
    ids = {one for one, _ in own}
    others = frozenset(one for one in every if one[0] in ids and one not in own)
    return MaskedPlayer(
        player_id, pseudonym, frozenset(text for one in own for text in one) | {player_id}, own, others
    )


class MaskedPlayers:
    """The players whose names are redacted, by id."""

    def __init__(self, players: Iterable[MaskedPlayer]) -> None:
        every = [*players]
        self.by_id = {id: one for one in every for id in (one.id, *(own for own, _ in one.declared))}
        self._by_pair = {pair: one for one in every for pair in one.declared}

    def masked_as(self, player: dict[str, Any]) -> MaskedPlayer | None:
        """Return the masked player that a log's player with an id is."""
        name = player.get("name")
        pair = player["id"], name if isinstance(name, str) and name else player["id"]
        if (found := self._by_pair.get(pair)) is not None:
            return found
        found = self.by_id.get(player["id"])
        return None if found is None or pair in found.others else found

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name for one in self.by_id.values() for name in one.names)

    def redactor_for(self, seated: Iterable[str], more: Collection[str] = ()) -> "LogRedactor":
        """Return the redactor of a match whose seated players have these ids, and perhaps `more` names."""
        known = (self.by_id[one] for one in seated if one in self.by_id)
        return LogRedactor({*more, *(name for one in known for name in one.names)}, self.names)

    def redactor_for_log(self, log: Any) -> "LogRedactor":
        """Return the redactor of a log, which keeps the names of its other players."""
        own, remaining = self._names_in(log)
        return LogRedactor(own, self.names, remaining - own)

    def names_in_text(self, text: bytes) -> Collection[str]:
        """Return the masked players' names in a log; all if it is not JSON, so its players are unknown."""
        try:
            return self._names_in(json.loads(text))[0]
        except (ValueError, RecursionError):
            return self.names

    def _names_in(self, log: Any) -> tuple[set[str], set[str]]:
        """Return the names of a log's masked players, and those of its other players."""
        own, remaining = set[str](), set[str]()
        for one in players_with_id(log):
            called = {str(text) for key in PLAYER_KEYS if (text := one.get(key))}
            hidden = self.masked_as(one)
            own |= set() if hidden is None else called | hidden.names
            remaining |= called if hidden is None else set()
        return own, remaining


class LogRedactor:
    """Redacts any part of the names of a match's players, and whole names of other players.

    Parts of names of players who are not in the match may be names of other people.
    """

    def __init__(self, own: Collection[str], others: Collection[str], allowed: Collection[str] = ()) -> None:
        self._redact_prose = text_redactor(own, parts=True, allowed=allowed)
        self._redact_within = text_redactor(own, parts=True, within=True, allowed=allowed)
        self._redact_others = text_redactor(others, allowed=allowed)

    def __call__(self, text: str, within: bool = False) -> str:
        """Redact names in a text; `within`: also within words, as in ids."""
        text = self._redact_others(text)  # whole names first: a part of one would leave its rest
        return (self._redact_within if within else self._redact_prose)(text)

    def redact_value(self, value: Any, within: bool = False) -> Any:
        if isinstance(value, str):
            return self(value, within)
        if isinstance(value, list):
            return [self.redact_value(one, within) for one in value]
        if isinstance(value, dict):
            found = dict[str, Any]()
            for name, one in value.items():
                known = name in known_keys()
                _set_unique(found, name if known else self(name), self.redact_value(one, within or not known))
            return found
        return value


def redact_log(text: bytes, masked: MaskedPlayers) -> bytes:
    """Replace masked players by pseudonyms at their seats, and redact their names elsewhere.

    A log with a masked player loses its comments; other players of the same name keep it. Returns
    the same bytes if there is nothing to redact, and none if the log has names and is not JSON.
    """
    if not masked.by_id:
        return text
    message = text.decode(errors="replace")
    has_name = text_redactor(masked.names).has_name
    found = has_name(unescape(message)) or ("\\" in message and has_name(message))
    if not found and "\\" not in message and not any(one in message for one in masked.by_id):
        return text
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b"" if found else text
    result = _NameRedactor(masked, log).redact_value(log)
    return text if result == log else _to_bytes(result)


def anonymize_log(text: bytes, masked: MaskedPlayers, keep_fields: Collection[str] = ()) -> bytes:
    """Anonymize a log; of its free text only FREE_TEXT_KEYS in `keep_fields` stay. Empty: not JSON."""
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b""
    return _to_bytes(_AllowlistRedactor(masked, log, frozenset(keep_fields)).redact_value(log, top=True))


def free_texts(log: Any, key: str = "") -> Iterator[str]:
    """Yield the texts and keys of a log, except players' names, notation and format keys."""
    if isinstance(log, str) and not (key in NOTATION_KEYS and is_notation_only(log)):
        yield log
    elif isinstance(log, list):
        for one in log:
            if key == "players" and isinstance(one, dict):
                one = {name: value for name, value in one.items() if name not in PLAYER_KEYS}
            yield from free_texts(one, key)
    elif isinstance(log, dict):
        for name, one in log.items():
            if name not in known_keys() and not (key in NOTATION_KEYS and is_notation_only(name)):
                yield name
            yield from free_texts(one, key if key in NOTATION_KEYS else name)


def is_notation_text(text: str) -> bool:
    """Return whether a finding's text has only notation and format keys."""
    return is_notation_only(text, known_keys())


@cache
def known_keys() -> frozenset[str]:
    """Return every key of the format, at any level."""

    def known(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", ())
        inner = value.values() if isinstance(value, dict) else value
        for one in inner if isinstance(value, dict | list) else ():
            yield from known(one)

    return frozenset((*known(json_schema()), *COMMON_FREE_KEYS))


def players_with_id(log: Any) -> list[dict[str, Any]]:
    """Return the players of a log that have an id."""
    players = log.get("players") if isinstance(log, dict) else None
    known = (one for one in (players if isinstance(players, list) else ()) if isinstance(one, dict))
    return [one for one in known if isinstance(one.get("id"), str)]


def _to_bytes(log: Any) -> bytes:
    return json.dumps(log, ensure_ascii=False).encode(errors="replace")


def unescape(text: str) -> str:
    """Decode JSON escapes in a log's text, so that word boundaries are right."""
    if "\\" not in text:
        return text
    message = _ESCAPE_PATTERN.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
    return message.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _set_unique(found: dict[str, Any], name: str, value: Any) -> None:
    """Set a value under a unique key: two redacted keys may be equal."""
    result, number = name, len(found)
    while result in found:
        result, number = f"{name} {number}", number + 1
    found[result] = value


class _NameRedactor:
    """Redacts masked players in one log."""

    def __init__(self, people: MaskedPlayers, log: Any) -> None:
        self.masked = people
        self.is_masked_match = any(map(people.masked_as, players_with_id(log)))
        self.redactor = people.redactor_for_log(log)

    def redact_value(self, value: Any, key: str = "", within: bool = False) -> Any:
        if isinstance(value, str):
            return value if key in NOTATION_KEYS and is_notation_only(value) else self.redactor(value, within)
        if isinstance(value, list):
            if key == "players":
                return [self._redact_player(one) for one in value]
            return [self.redact_value(one, key, within) for one in value]
        if not isinstance(value, dict):
            return value
        found = dict[str, Any]()
        for name, one in value.items():
            if name == COMMENTS_KEY and self.is_masked_match:
                continue
            below = key if key in NOTATION_KEYS else name
            known = name in known_keys() or (key in NOTATION_KEYS and is_notation_only(name))
            inner = self.redact_value(one, below, within or not known or name == "id")
            _set_unique(found, name if known else self.redactor(name), inner)
        return found

    def _redact_player(self, one: Any) -> Any:
        """Redact a masked player by id; other players keep name and id."""
        if isinstance(one, str) and one in self.masked.by_id:
            return self.masked.by_id[one].pseudonym
        if not (isinstance(one, dict) and isinstance(one.get("id"), str)):
            return self.redact_value(one)
        hidden = self.masked.masked_as(one)
        who = {key: one[key] for key in PLAYER_KEYS if isinstance(one.get(key), str)}
        if hidden is not None:
            who = dict.fromkeys(who, hidden.pseudonym)
        return who | self.redact_value({key: value for key, value in one.items() if key not in who})


class _AllowlistRedactor:
    """Keeps only notation, pseudonyms and requested free text of one log."""

    def __init__(self, people: MaskedPlayers, log: Any, keep: frozenset[str]) -> None:
        self.masked, self.allowed_keys = people, keep
        if keep:
            self.redactor = people.redactor_for_log(log)
        self.pseudonym_by_name = {
            name: hidden.pseudonym
            for one in players_with_id(log)
            if (hidden := people.masked_as(one)) is not None
            for name in (one["id"], one.get("name"))
            if isinstance(name, str)
        }

    def redact_value(self, value: Any, key: str = "", top: bool = False) -> Any:
        if isinstance(value, str):
            return value if key in NOTATION_KEYS and is_notation_only(value) else NOT_NOTATION
        if isinstance(value, list):
            inner = self._redact_player if key == "players" else lambda one: self.redact_value(one, key)
            return [inner(one) for one in value]
        if not isinstance(value, dict):
            return value
        found = dict[str, Any]()
        for name, one in value.items():
            if key in NOTATION_KEYS:
                _set_unique(
                    found, name if is_notation_only(name) else NOT_NOTATION, self.redact_value(one, key)
                )
            elif name in ("event", "source", COMMENTS_KEY) or (name == "id" and top):
                if name in self.allowed_keys:
                    found[name] = self._redact_free_text(one, name)
            elif name in known_keys():
                if not isinstance(one, str) or name in NOTATION_KEYS:
                    found[name] = self.redact_value(one, name)
            elif NOTES_KEY in self.allowed_keys:
                _set_unique(found, self.redactor(name), self.redactor.redact_value(one, within=True))
        return found

    def _redact_free_text(self, value: Any, name: str) -> Any:
        """Redact names in free text; comments by masked players get the pseudonym."""
        result = self.redactor.redact_value(value, within=name == "id")
        if name == COMMENTS_KEY and isinstance(value, list):
            for was, one in zip(value, result, strict=True):
                by = was.get("by") if isinstance(was, dict) else None
                if isinstance(by, str) and by in self.pseudonym_by_name:
                    one["by"] = self.pseudonym_by_name[by]
        return result

    def _redact_player(self, one: Any) -> dict[str, Any]:
        """Replace a player's name and id by the pseudonym; keep notes if allowed."""
        known = isinstance(one, dict) and isinstance(one.get("id"), str)
        hidden = self.masked.masked_as(one) if known else None
        found: dict[str, Any] = dict.fromkeys(PLAYER_KEYS, hidden.pseudonym if hidden else NOT_NOTATION)
        if NOTES_KEY in self.allowed_keys and isinstance(one, dict):
            notes = {key: value for key, value in one.items() if key not in PLAYER_KEYS}
            found |= self.redactor.redact_value(notes, within=True)
        return found
