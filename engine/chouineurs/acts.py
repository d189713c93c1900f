"""The acts of Chouineurs, numbered; the format's words for them are in `schemas.words`.

A card is its place in the deck, from 0; a face is `2 * card + side`, so that `face ^ 1` is
the back of the same card. Which face is `b3` is for the deck of the match to say.
"""

FACES = 88
PLAY = 0  # + the face played
TURN = 88  # + the face that is up before the card is turned
POINT = 176
RESIGN = 177
ACTS = 178

OWED = {"bonus-missing": "chouine"}
"""Faults of an act that came before one that was due → the kind of that one."""


def kind_of_act(act: int) -> str:
    """`play`, `chouine` (a turn or a point: either answers for the other) or `resign`."""
    if act < TURN or act >= ACTS:
        return "play"
    return "resign" if act == RESIGN else "chouine"
