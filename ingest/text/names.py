"""Names in the text of a log, put in place of others: how a masked player stays masked there."""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from ingest.text.hiding import Hiding, hiding, is_play
from schemas.log import json_schema

Renames = Mapping[str, str]
"""Every name and id that must not be read → what is read instead."""

PLAY = frozenset(
    [
        "format",
        "game",
        "rules",
        "deck",
        "bid_cards",
        "cuts",
        "actions",
        "hands",
        "void",
        "bids",
        "talon",
        "played_at",
    ]
)
"""Keys below which a text is a card, an act, a rule or a date, whatever a player is called."""

PROSE = "comments"
"""What people say to each other names people in ways no program finds: it is left out."""

NOTES = "notes"
"""What stands for the keys that the format does not know, `_` keys among them."""

FREE = ("event", "source", "id", PROSE, NOTES)
"""What a log may say in words of its own besides its players; anonymous, it is left out."""

UNREAD = "?"
"""What is read for a text among cards and acts that is none."""


def renamed(text: bytes, names: Renames) -> bytes:
    """A log with other names in its players, event, ids, keys and remarks, and without comments.

    It is the same bytes when there is nothing to rename, and nothing at all when what holds
    names cannot be read.
    """
    if not names:
        return text
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b""
    return _written(_Masked(names, log).value(log))


def unnamed(text: bytes, names: Renames) -> bytes:
    """A log in which no such player sits, and where one may be spoken of: the same bytes if not.

    Whoever sits there and is called the same keeps the name.
    """
    said = text.decode(errors="replace")
    found = hiding(names)(said) != said
    if not names or not (found or "\\u" in said):
        return text
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b"" if found else text
    told = _Masked(names, log, prose=True).value(log)
    return text if told == log else _written(told)


def nameless(text: bytes, names: Renames, keep: Collection[str] = ()) -> bytes:
    """A log with pseudonyms, and of its own words but those of FREE that are to be kept.

    Nothing at all when it cannot be read.
    """
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b""
    return _written(_bare(log, names, hiding(_also(names, log)), frozenset(keep)))


def is_plain(text: str) -> bool:
    """Whether a text of a finding has nothing but play and keys of the format in it."""
    return is_play(text, fields())


@cache
def fields() -> frozenset[str]:
    """Every key the format knows, wherever it stands."""

    def keys(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", ())
        inner = value.values() if isinstance(value, dict) else value
        for one in inner if isinstance(value, dict | list) else ():
            yield from keys(one)

    return frozenset(keys(json_schema()))


def _written(log: Any) -> bytes:
    return json.dumps(log, ensure_ascii=False).encode(errors="replace")


def _seated(log: Any) -> list[Any]:
    players = log.get("players") if isinstance(log, dict) else None
    return players if isinstance(players, list) else []


def _also(names: Renames, log: Any) -> dict[str, str]:
    """The names, and those their players have in this log alone."""
    found = dict(names)
    for one in _seated(log):
        if isinstance(one, dict) and isinstance(one.get("id"), str) and one["id"] in names:
            if isinstance(one.get("name"), str):
                found.setdefault(one["name"], names[one["id"]])
    return found


class _Masked:
    """A log with some names in place of others."""

    def __init__(self, names: Renames, log: Any, prose: bool = False) -> None:
        """`prose`: comments stay, without the names."""
        self.names, self.prose = names, prose
        self.hide: Hiding = hiding(_also(names, log))
        self.ids = {
            one["id"]
            for one in _seated(log)
            if isinstance(one, dict) and isinstance(one.get("id"), str)
        }

    def value(self, value: Any, key: str = "") -> Any:
        """A part of the log, below a key."""
        if isinstance(value, str):
            return value if key in PLAY and is_play(value) else self.hide(value)
        if isinstance(value, list):
            if key == "players":
                return [self._player(one) for one in value]
            return [self.value(one, key) for one in value]
        if isinstance(value, dict):
            return {
                self._key(name, key): self.value(one, key if key in PLAY else name)
                for name, one in value.items()
                if name != PROSE or self.prose
            }
        return value

    def _key(self, name: str, above: str) -> str:
        known = name in fields() or (above in PLAY and is_play(name))
        return name if known else self.hide(name)

    def _player(self, one: Any) -> Any:
        """Who is told apart by an id keeps name and id, however others are called."""
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            told = self.names.get(one["id"])
            return {
                self._key(key, ""): (value if told is None else told)
                if key in ("id", "name") and isinstance(value, str)
                else self.value(value)
                for key, value in one.items()
            }
        if isinstance(one, str) and one in self.names:
            return self.names[one]
        return self.value(one)


def _bare(
    value: Any, names: Renames, hide: Hiding, keep: frozenset[str], key: str = "", top: bool = True
) -> Any:
    """A part of a log in which a text is play, a pseudonym, or was asked for."""
    if isinstance(value, str):
        return value if key in PLAY and is_play(value) else UNREAD
    if isinstance(value, list):
        return [
            _seat(one, names, hide, keep) if key == "players" else
            _bare(one, names, hide, keep, key, False)
            for one in value
        ]  # fmt: skip
    if not isinstance(value, dict):
        return value
    found = {}
    for name, one in value.items():
        if key in PLAY:
            found[name if is_play(name) else UNREAD] = _bare(one, names, hide, keep, key, False)
        elif name in ("event", "source", PROSE) or (name == "id" and top):
            if name in keep:
                found[name] = _hidden(one, hide)
        elif name in fields():
            if not isinstance(one, str) or name in PLAY:
                found[name] = _bare(one, names, hide, keep, name, False)
        elif NOTES in keep:
            found[hide(name)] = _hidden(one, hide)
    return found


def _seat(one: Any, names: Renames, hide: Hiding, keep: frozenset[str]) -> Any:
    """A player: the pseudonym, and notes where they are kept."""
    known = one.get("id") if isinstance(one, dict) else None
    told = names.get(known) if isinstance(known, str) else None
    found: dict[str, Any] = {"id": told or UNREAD, "name": told or UNREAD}
    if NOTES in keep and isinstance(one, dict):
        found |= {hide(k): _hidden(v, hide) for k, v in one.items() if k not in ("id", "name")}
    return found


def _hidden(value: Any, hide: Hiding) -> Any:
    """Free text without the names."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(one, hide) for one in value]
    if isinstance(value, dict):
        return {
            key if key in fields() else hide(key): _hidden(one, hide) for key, one in value.items()
        }
    return value
