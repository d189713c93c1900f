"""Players, and games, by the names somebody wrote: who is meant, and the id a log knows them by."""

import re
from collections.abc import Sequence

from engine.games import names, title
from ingest.mend.near import folded

_WITH_ID = re.compile(r"(?P<name>[^()]*?)\s*\(\s*(?P<id>[^()]+?)\s*\)\s*")


def player(text: str) -> dict[str, str]:
    """A player as a log has it: `Lucie`, or `Lucie (lucie-2)` where the id is another."""
    text = " ".join(text.split())
    if found := _WITH_ID.fullmatch(text):
        name, own = found["name"], found["id"]
        return {"id": own, "name": name} if name else {"id": own}
    return {"id": id_of(text), "name": text}


def id_of(name: str) -> str:
    """The id of somebody known by a name: the same whatever its capitals and spaces."""
    return "-".join(name.casefold().split())


def named(text: str, players: Sequence[dict[str, str]]) -> int | None:
    """The seat, from 0, of who is called so: by name or id, or by how one name alone begins.

    None: nobody, or several. How an id begins names nobody: many are numbers.
    """
    said = _key(text)
    if not said:
        return None
    exact = [seat for seat, one in enumerate(players) if said in _keys(one)]
    begun = [seat for seat, one in enumerate(players) if _key(one.get("name", "")).startswith(said)]
    found = exact or begun
    return found[0] if len(found) == 1 else None


def called(text: str, players: Sequence[dict[str, str]]) -> int | None:
    """The seat of whose whole name or id this is; None: nobody's, or several have it."""
    said = _key(text)
    found = [seat for seat, one in enumerate(players) if said and said in _keys(one)]
    return found[0] if len(found) == 1 else None


def _keys(one: dict[str, str]) -> tuple[str, str]:
    return _key(one["id"]), _key(one.get("name", ""))


def _key(text: str) -> str:
    return " ".join(folded(text).split())


def game_called(text: str) -> str | None:
    """The game of such a name or title; None: there is none."""
    said = folded(text).strip()
    return next((one for one in names() if said in (one, folded(title(one)))), None)
