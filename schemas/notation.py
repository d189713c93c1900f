"""Converts action words to small integers and back.

In games whose matches have their own deck, words name its faces: pass them as `faces`. Without
`faces`, only words that name no face are known.
"""

from functools import lru_cache

from engine.actions import ACT_MASK, SEAT_SHIFT, UNKNOWN_ACT
from schemas.games import schemas_of


@lru_cache(maxsize=64)  # bounded: matches can have any number of decks
def act_codes(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Map a game's words, such as `Kd`, `pass` or `turn b3`, to acts."""
    return schemas_of(name).action_words(faces)


MAX_SEATS = 9
"""Seats an action may name: more than any table has, so that the kernel reports a missing seat."""


@lru_cache(maxsize=64)
def action_codes(name: str, faces: tuple[str, ...] = ()) -> dict[str, int]:
    """Map a game's actions, seat included (`1 Kd`), to codes."""
    return {
        f"{seat + 1} {word}": seat << SEAT_SHIFT | act
        for seat in range(MAX_SEATS)
        for word, act in act_codes(name, faces).items()
    }


@lru_cache(maxsize=64)
def _action_words(name: str, faces: tuple[str, ...]) -> dict[int, str]:
    return {code: word for word, code in action_codes(name, faces).items()}


def encode_action(name: str, word: str, faces: tuple[str, ...] = ()) -> int:
    """Return the code of an action as written; UNKNOWN_ACT if no action is written so."""
    return action_codes(name, faces).get(word, UNKNOWN_ACT)


def action_notation(name: str, code: int, faces: tuple[str, ...] = ()) -> str:
    """Return an action as a log writes it. KeyError: no action has this code."""
    return _action_words(name, faces)[int(code)]


def act_notation(name: str, act: int, faces: tuple[str, ...] = ()) -> str:
    """Return the word of an act, without a seat."""
    return action_notation(name, act & ACT_MASK, faces).split(" ", 1)[1]
