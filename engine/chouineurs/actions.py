"""The numbered acts of Chouineurs.

A card is its place in the deck, from 0; a face is `2 * card + side`, so that `face ^ 1` is
the back of the same card. Which face is `b3` is for the deck of the match to say.
"""

from collections.abc import Mapping

FACE_COUNT = 88
PLAY = 0  # + the face played
TURN = 88  # + the face that is up before the card is turned
POINT = 176
RESIGN = 177
ACT_COUNT = 178
FIRST_DRAW = -1
"""Nobody draws a card that a log could name."""

REQUIRED_KINDS: Mapping[str, str] = {"bonus-missing": "chouine"}
"""Fault → the kind of act that was due before the one that has the fault."""


def kind_of_act(act: int) -> str:
    """`play`, `chouine` (a turn or a point: either answers for the other) or `resign`."""
    if act < TURN or act >= ACT_COUNT:
        return "play"
    return "resign" if act == RESIGN else "chouine"
