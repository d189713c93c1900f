"""The numbered acts of Chouineurs.

A card is its place in the deck, from 0; a face is `2 * card + side`, so that `face ^ 1` is
the back of the same card. The deck of the match defines which face is `b3`.
"""

from collections.abc import Mapping

FACE_COUNT = 88
PLAY = 0  # + the face played
TURN = 88  # + the face that is up before the card is turned
POINT = 176
RESIGN = 177
ACT_COUNT = 178
FIRST_DRAW = -1
"""Chouineurs has no draws that a log could record."""

REQUIRED_KINDS: Mapping[str, str] = {"bonus-missing": "chouine"}
"""Fault → the kind of act that should have come before the faulty one."""


def kind_of_act(act: int) -> str:
    """Return `play`, `chouine` (a turn or a point, as either serves) or `resign`."""
    if act < TURN or act >= ACT_COUNT:
        return "play"
    return "resign" if act == RESIGN else "chouine"
