"""The match of a replay's address, and its deals as the board is told them.

Both are kept by what a match says to its readers: its text with masked names left out. So they
hold while other matches come, and nobody is shown what was said before.
"""

import hashlib
from typing import Any, NamedTuple

from dashboard.api.problems import Problem
from dashboard.api.written import finite
from dashboard.board import words
from dashboard.board.head import head, player_page
from dashboard.board.offline import seen_in
from dashboard.board.states import deal_states, hollow
from dashboard.board.values import solved, value
from dashboard.store import Newest, store
from dashboard.web.replay.assets import pictured
from engine.games import Game, game, names
from ingest.i18n import N_, Translate
from ingest.judge.explain import Explained, explain
from ingest.store import trash
from ingest.store.gone import is_gone
from ingest.text.signs import as_json

NO_MATCH = N_("The store has no such match.")
GONE = N_("This match is gone: it was purged, or told anew without a name.")
DELETED = N_("This match was deleted.")
NO_DEAL = N_("This match has no such deal: its deals are 1 to {count}.")
NO_STATE = N_("This deal has no such position: its positions are 0 to {count}.")
NO_BOARD = N_("There is no deal in this log that the board can show.")
LONGEST = 200
"""Letters of an id that is looked for."""

_explained: Newest[Explained] = Newest(32)
_deals: Newest[bytes] = Newest(256)


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
        if is_gone(opened, name):
            raise Problem(410, GONE)
        if len(name) <= LONGEST and trash.find(opened.cursor(), name) is not None:
            raise Problem(410, DELETED)
        raise Problem(404, NO_MATCH)
    row = opened.cursor().execute(_ID, [number]).fetchone()
    try:
        text = opened.text(number)
    except KeyError:
        row = None
    if row is None:  # deleted in between
        raise Problem(410, DELETED)
    return Found(row[0], text, hashlib.sha256(text).hexdigest())


_ID = "SELECT match_id FROM matches WHERE match_no = ?"


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
        shown = deal_of(log, number - 1, t)
        drawn = pictured(shown, seen_in(shown)) | {"value": value(log, number - 1, t)}
        return as_json(finite({**drawn, "deal": number, "ply": 0})).encode()

    # what is told before the match is solved is told anew once it is
    ready = solved(log) is not None
    return _deals.get((found.digest, number, t.language, ready), told)


def deal_of(log: Explained, number: int, t: Translate) -> dict[str, Any]:
    """A deal, from 0, as the board is told it."""
    return deal_states(log, number, t) or hollow(log, number, t)


def around(found: Found, t: Translate, linked: bool) -> dict[str, Any]:
    """What the board is told besides its states; `linked`: players' names lead to their pages."""
    log = explained(found)
    assert log.match is not None
    called = log.match.game

    def page_of(player: str) -> str | None:
        return f"/{player_page(called, player)}" if linked else None

    return {
        "where": {"match": found.id, "path": f"/r/{found.id}", "lang": t.language},
        "share": f"/r/{found.id}",
        "head": head(log, t, page_of=page_of),
        "texts": words(t),
    }
