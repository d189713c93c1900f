"""A game the project does not know, as the board and the figures ask of it: as little as can be.

It is played by the rules of Chouine, so that there are deals to look at, and says of itself only
what it must; a whole game has a package of its own (`docs/a-new-game.md`).
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from dashboard.games.deal import Deal, won_by_suit
from dashboard.games.plain import allowed as allowed
from dashboard.games.plain import card_names as card_names
from dashboard.games.plain import faces as faces
from dashboard.games.plain import frame as frame
from dashboard.games.plain import ply as ply
from dashboard.games.plain import shown as shown
from dashboard.games.plain import turned as turned
from dashboard.games.plain import veiled as veiled
from dashboard.games.records import Height, Mark, Statistics
from engine.chouine import GAME as CHOUINE
from engine.replay import Ply

GAME = CHOUINE._replace(name="made-up")

TITLE = "Made up"
RECALL: Literal["own", "last"] = "last"
MARKS: Mapping[str, Mark] = {"ace": Mark("ace", "M0 0H10V10H0Z", "violet")}
HEIGHTS: tuple[Height, ...] = ()
STATISTICS = Statistics()
why = won_by_suit


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """An ace is played."""
    assert now.action is not None
    names = card_names(deal)
    if now.action.act < len(names) and names[now.action.act][0] == "A":
        yield "ace", ""
