"""Converts action words to small integers and back.

A game whose matches bring a deck of their own names its faces in its words: there every
function also takes those `faces`. Without them only the words that name no face are known.
"""

from functools import lru_cache

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN_ACT
from schemas.games import schemas_of


@lru_cache(maxsize=64)  # decks are without number
def act_codes(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """A game's words → acts, such as `Kd`, `pass` or `turn b3`."""
    return schemas_of(name).action_words(faces)


MAX_SEATS = 9
"""Seats an action may name: more than any table has, so that a kernel can say there is none."""


@lru_cache(maxsize=64)
def action_codes(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """A game's whole actions → codes, the seat included: `1 Kd`."""
    return {
        f"{seat + 1} {word}": seat << SEAT_SHIFT | act
        for seat in range(MAX_SEATS)
        for word, act in act_codes(name, faces).items()
    }


@lru_cache(maxsize=64)
def _action_words(name: str, faces: tuple[str, ...]) -> dict[int, str]:
    return {code: word for word, code in action_codes(name, faces).items()}


def encode_action(name: str, word: str, faces: tuple[str, ...] = ()) -> int:
    """The code of an action as written; the act UNKNOWN when no such action exists."""
    return action_codes(name, faces).get(word, UNKNOWN_ACT)


def action_notation(name: str, code: int, faces: tuple[str, ...] = ()) -> str:
    """An action as a log writes it. KeyError: no action has this code."""
    return _action_words(name, faces)[int(code)]


def act_notation(name: str, act: int, faces: tuple[str, ...] = ()) -> str:
    """The word without the seat."""
    return action_notation(name, act & ACT_MASK, faces).split(" ", 1)[1]
