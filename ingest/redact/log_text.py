"""Names in the text of a log, hidden: how a masked player stays masked there."""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

from ingest.redact.free_text import hiding, is_play
from schemas.match_models import json_schema

PLAY = frozenset(
    (
        *("format", "game", "rules", "deck", "bid_cards", "cuts", "actions"),
        *("hands", "void", "bids", "talon", "played_at", "told"),
    )
)
"""Keys below which a text is a card, an act, a rule or a date, whatever a player is called."""
PROSE = "comments"
"""What people say to each other names people in ways no program finds: it is left out."""
NOTES = "notes"  # what stands for the keys that the format does not know, `_` keys among them
FREE = ("event", "source", "id", PROSE, NOTES)
"""What a log may say in words of its own besides its players; anonymous, it is left out."""
ABOUT = ("place", "round", "table", "seed")
"""Keys within FREE that logs have, though the format leaves them to each."""
UNREAD = "?"  # what is read for a text among cards and acts that is none
SEAT = ("id", "name")  # keys of a player that say who it is
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)")


class Person(NamedTuple):
    """A player whose names are not to be read."""

    id: str
    told: str  # what is read at the player's seat
    names: frozenset[str]  # what the player is called, the id included


class People:
    """Those whose names are not to be read."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.by_id = {one.id: one for one in people}

    @cached_property
    def names(self) -> frozenset[str]:
        """All that any of them is called."""
        return frozenset(name for one in self.by_id.values() for name in one.names)

    def hide(self, seated: Iterable[str]) -> "Hide":
        """What hides them where some of them sit, by id."""
        return Hide(self._called(seated), self.names)

    def hide_in(self, log: Any) -> "Hide":
        """What hides them in a log, and leaves what others are called who sit there."""
        called = [(one["id"], one.get("name")) for one in seats(log)]
        here = {one for one, _ in called if one in self.by_id}
        own = {name for one, name in called if one in here and isinstance(name, str)}
        kept = {name for both in called if both[0] not in here for name in both if name}
        return Hide(own | self._called(here), self.names, frozenset(map(str, kept)))

    def _called(self, ids: Iterable[str]) -> frozenset[str]:
        known = (self.by_id[one] for one in ids if one in self.by_id)
        return frozenset(name for one in known for name in one.names)


class Hide:
    """Hides any part of the names of who sits at a match, and the whole names of others.

    A part of the name of somebody who does not sit there is a name of somebody else.
    """

    def __init__(
        self, own: Collection[str], others: Collection[str], kept: Collection[str] = ()
    ) -> None:
        self._prose = hiding(own, parts=True, kept=kept)
        self._within = hiding(own, parts=True, within=True, kept=kept)
        self._others = hiding(others, kept=kept)

    def __call__(self, text: str, within: bool = False) -> str:
        """A text without the names; `within`: it is an id or the like, where words are joined."""
        return self._others((self._within if within else self._prose)(text))

    def value(self, value: Any, within: bool = False) -> Any:
        if isinstance(value, str):
            return self(value, within)
        if isinstance(value, list):
            return [self.value(one, within) for one in value]
        if isinstance(value, dict):
            found = dict[str, Any]()
            for name, one in value.items():
                known = name in keys()
                _put(found, name if known else self(name), self.value(one, within or not known))
            return found
        return value


def renamed(text: bytes, people: People) -> bytes:
    """A log with pseudonyms at the seats of some people, and their names nowhere else.

    Where one of them sits it has no comments. Whoever else is called the same keeps the name. It is
    the same bytes when there is nothing to hide, and nothing at all when what holds names cannot be
    read.
    """
    if not people.by_id:
        return text
    said = text.decode(errors="replace")
    found = hiding(people.names).finds(unescaped(said))
    if not found and "\\" not in said and not any(one in said for one in people.by_id):
        return text
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b"" if found else text
    told = _Masked(people, log).value(log)
    return text if told == log else _written(told)


def nameless(text: bytes, people: People, keep: Collection[str] = ()) -> bytes:
    """A log with pseudonyms, and of its own words what is kept of FREE; empty if unreadable."""
    try:
        log = json.loads(text)
    except (ValueError, RecursionError):
        return b""
    return _written(_Bare(people, log, frozenset(keep)).value(log, top=True))


def strings(log: Any, key: str = "") -> Iterator[str]:
    """Every text of a log, keys included, but for its seats, play and the keys of the format."""
    if isinstance(log, str) and not (key in PLAY and is_play(log)):
        yield log
    elif isinstance(log, list):
        for one in log:
            if key == "players" and isinstance(one, dict):
                one = {name: value for name, value in one.items() if name not in SEAT}
            yield from strings(one, key)
    elif isinstance(log, dict):
        for name, one in log.items():
            if name not in keys() and not (key in PLAY and is_play(name)):
                yield name
            yield from strings(one, key if key in PLAY else name)


def is_plain(text: str) -> bool:
    """Whether a text of a finding has nothing but play and keys of the format in it."""
    return is_play(text, keys())


@cache
def keys() -> frozenset[str]:
    """Every key the format knows, wherever it stands."""

    def known(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", ())
        inner = value.values() if isinstance(value, dict) else value
        for one in inner if isinstance(value, dict | list) else ():
            yield from known(one)

    return frozenset((*known(json_schema()), *ABOUT))


def seats(log: Any) -> list[dict[str, Any]]:
    """The players of a log that have an id."""
    players = log.get("players") if isinstance(log, dict) else None
    known = (one for one in (players if isinstance(players, list) else ()) if isinstance(one, dict))
    return [one for one in known if isinstance(one.get("id"), str)]


def _written(log: Any) -> bytes:
    return json.dumps(log, ensure_ascii=False).encode(errors="replace")


def unescaped(said: str) -> str:
    """The bytes of a log as what they say, so that words begin where they do."""
    if "\\" not in said:
        return said
    told = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", said)
    return told.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _put(found: dict[str, Any], name: str, value: Any) -> None:
    """Under a name of its own: two names that are hidden are not one."""
    told, number = name, len(found)
    while told in found:
        told, number = f"{name} {number}", number + 1
    found[told] = value


class _Masked:
    """A log with some people hidden."""

    def __init__(self, people: People, log: Any) -> None:
        self.people = people
        self.seated = any(one["id"] in people.by_id for one in seats(log))
        self.hide = people.hide_in(log)

    def value(self, value: Any, key: str = "", within: bool = False) -> Any:
        if isinstance(value, str):
            return value if key in PLAY and is_play(value) else self.hide(value, within)
        if isinstance(value, list):
            if key == "players":
                return [self._player(one) for one in value]
            return [self.value(one, key, within) for one in value]
        if not isinstance(value, dict):
            return value
        found = dict[str, Any]()
        for name, one in value.items():
            if name == PROSE and self.seated:
                continue
            below = key if key in PLAY else name
            known = name in keys() or (key in PLAY and is_play(name))
            inner = self.value(one, below, within or not known or name == "id")
            _put(found, name if known else self.hide(name), inner)
        return found

    def _player(self, one: Any) -> Any:
        """Who is told apart by an id keeps name and id, however others are called."""
        if isinstance(one, str) and one in self.people.by_id:
            return self.people.by_id[one].told
        if not (isinstance(one, dict) and isinstance(one.get("id"), str)):
            return self.value(one)
        hidden = self.people.by_id.get(one["id"])
        who = {key: one[key] for key in SEAT if isinstance(one.get(key), str)}
        if hidden is not None:
            who = dict.fromkeys(who, hidden.told)
        return who | self.value({key: value for key, value in one.items() if key not in who})


class _Bare:
    """A log in which a text is play, a pseudonym, or was asked for."""

    def __init__(self, people: People, log: Any, keep: frozenset[str]) -> None:
        self.people, self.keep = people, keep
        if keep:
            self.hide = people.hide_in(log)
        self.called = {
            name: people.by_id[one["id"]].told
            for one in seats(log)
            if one["id"] in people.by_id
            for name in (one["id"], one.get("name"))
            if isinstance(name, str)
        }

    def value(self, value: Any, key: str = "", top: bool = False) -> Any:
        if isinstance(value, str):
            return value if key in PLAY and is_play(value) else UNREAD
        if isinstance(value, list):
            inner = self._seat if key == "players" else lambda one: self.value(one, key)
            return [inner(one) for one in value]
        if not isinstance(value, dict):
            return value
        found = dict[str, Any]()
        for name, one in value.items():
            if key in PLAY:
                _put(found, name if is_play(name) else UNREAD, self.value(one, key))
            elif name in ("event", "source", PROSE) or (name == "id" and top):
                if name in self.keep:
                    found[name] = self._kept(one, name)
            elif name in keys():
                if not isinstance(one, str) or name in PLAY:
                    found[name] = self.value(one, name)
            elif NOTES in self.keep:
                _put(found, self.hide(name), self.hide.value(one, within=True))
        return found

    def _kept(self, value: Any, name: str) -> Any:
        """Free text without the names; a comment is by a pseudonym where a player says it."""
        told = self.hide.value(value, within=name == "id")
        if name == PROSE and isinstance(value, list):
            for was, one in zip(value, told, strict=True):
                by = was.get("by") if isinstance(was, dict) else None
                if isinstance(by, str) and by in self.called:
                    one["by"] = self.called[by]
        return told

    def _seat(self, one: Any) -> dict[str, Any]:
        """A player: the pseudonym, and notes where they are kept."""
        known = one.get("id") if isinstance(one, dict) else None
        hidden = self.people.by_id.get(known) if isinstance(known, str) else None
        found: dict[str, Any] = dict.fromkeys(SEAT, hidden.told if hidden else UNREAD)
        if NOTES in self.keep and isinstance(one, dict):
            notes = {key: value for key, value in one.items() if key not in SEAT}
            found |= self.hide.value(notes, within=True)
        return found
