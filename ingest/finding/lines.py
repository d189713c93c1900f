"""A line of a score sheet in words: what it tells of its deal, and how that ended."""

from collections.abc import Sequence
from typing import Any

from ingest.finding.words import speak_action
from ingest.games import of
from ingest.i18n import N_, Translate

NO_CARD = N_("A line of a score sheet: nobody wrote down a card of this deal.")
ENDED = N_("{who}: {action}")


def told(t: Translate, deal: Any, game: str, names: Sequence[str]) -> list[str]:
    """What a line tells besides points and winner; `names` are the players'."""
    line = deal.told
    if line is None:
        return []
    said = of(game).say_told(t, line, names)
    if line.end is not None:
        seat = line.end.partition(" ")[0]
        who = names[int(seat) - 1] if seat.isdigit() and 0 < int(seat) <= len(names) else seat
        said.append(t(ENDED, who=who, action=speak_action(t, line.end, game)))
    return said
