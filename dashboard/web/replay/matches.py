"""What an address below `/r` names: a match, its deals as the board is told them, and files.

Matches and deals are kept by what a match says to its readers: its text with masked names left out.
So they hold while other matches come, and nobody is shown what was said before.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from starlette.datastructures import QueryParams

from dashboard.api.json_encoding import finite
from dashboard.api.params import DELETED, NO_BOARD, NO_DEAL, absent
from dashboard.api.problems import Problem
from dashboard.board import script, style, text_of, words
from dashboard.board.header import head, player_page
from dashboard.board.offline import DASHBOARD, STATIC, seen_in, theme, with_pictures
from dashboard.board.solver_thread import solved, value
from dashboard.board.states import deal_states, hollow
from dashboard.store import Newest, store
from engine.games import Game, game, names
from ingest.i18n import LANGUAGES, N_, Translate
from ingest.reader.escaping import as_json
from ingest.validate.slow_path import Explained, explain

NOTHING = N_("There is nothing at this address.")
NO_STATE = N_("This deal has no such position: its positions are 0 to {count}.")
LONGEST = 200
"""Letters of an id that is looked for."""

FILES = "/r/-/"
"""Below it are scripts, style and cards, each at an address that names its content: whoever has one
keeps it for good, and what changes has another address."""
TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_ADDRESS = re.compile(
    r"/r/(?P<name>[^/]+?)(?:/(?P<deal>[0-9]{1,6})(?:/(?P<ply>[0-9]{1,6})(?P<png>\.png)?"
    r"(?P<more>/(?:suite(?:\.json)?|trouver))?|(?P<json>\.json))?)?/?",
    re.ASCII | re.DOTALL,
)

_explained: Newest[Explained] = Newest(32)
_deals: Newest[bytes] = Newest(256)


# addresses


def chosen(query: QueryParams) -> str:
    """The language an address chooses, which may be none."""
    asked = query.get("lang", "")
    return asked if asked in LANGUAGES else ""


class Where(NamedTuple):
    """A match as the address calls it, and a position of it; the first where none is named."""

    name: str
    deal: int
    """From 1."""
    ply: int
    kind: str
    """`png`, `json`, or nothing for a page; `suite`, its `suite.json`, `trouver`."""
    base: str = ""
    """Scheme and host, for addresses that others are told."""
    embed: bool = False
    lang: str = ""
    """`?lang=` where the address chooses a language."""

    def within(self, shown: Mapping[str, Any]) -> None:
        """Problem: the deal has no such position."""
        last = len(shown["plies"]) - 1
        if self.ply > last:
            raise Problem(404, NO_STATE, count=last)

    def at(self, match: str) -> str:
        """The whole address of this position of a match, by the match's id."""
        return f"{self.base}/r/{match}/{self.deal}/{self.ply}"


def read(path: str) -> Where | None:
    """What a path names; None: nothing of ours."""
    found = _ADDRESS.fullmatch(path)
    if found is None or (found["png"] and found["more"]):
        return None
    kind = "png" if found["png"] else "json" if found["json"] else (found["more"] or "/")[1:]
    return Where(found["name"], int(found["deal"] or 1), int(found["ply"] or 0), kind)


# matches


class Found(NamedTuple):
    """A match as the store has it now."""

    id: str
    text: bytes
    digest: str
    """Of the text, as it is shown."""


def find(name: str) -> Found:
    """The match with an id, its first digits, or its log's id. Problem: none, or none any more."""
    opened = store()
    number = opened.find(name) if len(name) <= LONGEST else None
    if number is None:
        raise absent(name)
    by_number = "SELECT match_id FROM matches WHERE match_no = ?"
    row = opened.cursor().execute(by_number, [number]).fetchone()
    try:
        text = opened.text(number)
    except KeyError:
        row = None
    if row is None:  # deleted in between
        raise Problem(410, DELETED)
    return Found(row[0], text, hashlib.sha256(text).hexdigest())


def explained(found: Found) -> Explained:
    """The match replayed. Problem: it has no deal that a board could show."""
    log = _explained.get(found.digest, lambda: explain(found.text))
    if log.match is None or not log.match.deals or log.match.game not in names():
        raise Problem(404, NO_BOARD)
    return log


def game_of(found: Found) -> Game:
    """What is played in a match. Problem: as of `explained`."""
    log = explained(found)
    assert log.match is not None
    return game(log.match.game)


def deal(found: Found, number: int, t: Translate) -> bytes:
    """A deal, from 1, as JSON for the board. Problem: there is none of that number."""
    log = explained(found)
    assert log.match is not None
    count = len(log.match.deals)
    if not 1 <= number <= count:
        raise Problem(404, NO_DEAL, count=count)

    def told() -> bytes:
        shown = deal_states(log, number - 1, t) or hollow(log, number - 1, t)
        drawn = pictured(shown) | {"value": value(log, number - 1, t)}
        return as_json(finite({**drawn, "deal": number, "ply": 0})).encode()

    # what is told before the match is solved is told anew once it is
    return _deals.get((found.digest, number, t.language, solved(log) is not None), told)


def around(found: Found, t: Translate, linked: bool) -> dict[str, Any]:
    """What the board is told besides its states; `linked`: players' names lead to their pages."""
    log = explained(found)
    assert log.match is not None
    called = log.match.game
    return {
        "where": {"match": found.id, "path": f"/r/{found.id}", "lang": t.language},
        "share": f"/r/{found.id}",
        "head": head(
            log, t, page_of=lambda one: f"/{player_page(called, one)}" if linked else None
        ),
        "texts": words(t),
    }


# files


class Asset(NamedTuple):
    """A file as it is sent."""

    address: str
    type: str
    body: bytes
    """Compressed, but for pictures of the kind png."""


@cache
def assets() -> Mapping[str, Asset]:
    """By name: the board's script and style, what stands there without a script, and pictures."""
    pictures = DASHBOARD.joinpath("static")
    contents = {
        "board.js": script("page").encode(),
        "own-line.js": script("own-line").encode(),
        "question.js": script("question").encode(),
        "board.css": (theme() + style() + text_of("alone.css") + text_of("own.css")).encode(),
        "no-script.css": text_of("no-script.css").encode(),
        "icon.png": pictures.joinpath("icon.png").read_bytes(),
    }
    for folder in ("cards", "cards/fr", "cards/en", "cards/fr/four", "cards/en/four"):
        for file in pictures.joinpath(folder).iterdir():
            if file.name.endswith(".svg"):
                contents[f"{folder}/{file.name}"] = file.read_bytes()
    found = {}
    for name, content in contents.items():
        stem, _, suffix = name.rpartition(".")
        at = f"{FILES}{stem}.{hashlib.sha256(content).hexdigest()[:16]}.{suffix}"
        body = content if suffix == "png" else gzip.compress(content, mtime=0)
        found[name] = Asset(at, TYPES[suffix], body)
    return found


@cache
def at_address() -> Mapping[str, Asset]:
    """The same by address."""
    return {one.address: one for one in assets().values()}


def pictured(shown: dict[str, Any]) -> dict[str, Any]:
    """A deal's states with the cards that are ever seen, and their pictures at these addresses."""
    used = seen_in(shown)
    known = {f"{STATIC}{name}": asset.address for name, asset in assets().items()}
    faces = {card: face for card, face in shown["faces"].items() if card in used}
    return with_pictures({**shown, "faces": faces}, lambda at: known.get(at, at))


def drawable(shown: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the pictures where the dashboard's own board finds them."""
    known = {asset.address: f"{STATIC}{name}" for name, asset in assets().items()}
    return with_pictures(shown, lambda at: known.get(at, at))
