"""The pieces of a sentence of notes, and whose points of a score it names first."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ingest.games import game_support
from ingest.importers.import_result import Question
from ingest.importers.notes_words import SCORE_WORDS, Role, points_in, roles_of
from ingest.importers.tokenizer import Token

_MADE_WORDS = ("reussi", "reussie", "reussit", "made")
_FAILED_WORDS = ("dedans", "down")
_JOINING_WORDS = {*SCORE_WORDS} - {"et", "and"}


class Piece(NamedTuple):
    """One fact of a sentence: `kind` is `act`, `cards`, `hand`, `match` or a key of the deal."""

    kind: str
    seat: int | None  # from 0, if the sentence names it
    value: Any
    word: Token


class Sentence(NamedTuple):
    """The facts read from a sentence."""

    pieces: list[Piece]
    questions: list[Question]
    has_gap: bool  # acts after it cannot follow directly
    is_remark: bool  # nothing in it can be read, or not all: it stays as a comment


def declarer_of(game: str, pieces: Sequence[Piece]) -> int | None:
    """Return the seat, from 0, of the contract that a sentence names; None if an act has no name."""
    acts = [one for one in pieces if one.kind == "act"]
    named = [f"{one.seat + 1} {one.value}" for one in acts if one.seat is not None]
    line = game_support(game).score_line_of(named) if len(named) == len(acts) else None
    return None if line is None else int(line["contract"]["bid"].split(" ")[0]) - 1


def contradicts(words: Sequence[Token], numbers: Sequence[int]) -> bool:
    """Return whether words on the contract contradict points of which the declarer's are first."""
    has_failed = any(Role.LOSE in roles_of(one) or one.plain in _FAILED_WORDS for one in words)
    is_made = any(Role.WIN in roles_of(one) or one.plain in _MADE_WORDS for one in words)
    return (has_failed and numbers[0] > numbers[1]) or (is_made and numbers[0] < numbers[1])


def is_ours(words: Sequence[Token]) -> bool:
    """Return whether a score is of `on`, as in `on fait 102 à 60`."""
    return any(one.plain == "on" and Role.SCORE in roles_of(after) for one, after in pairwise(words))


def has_score(words: Sequence[Token], unread: Collection[Token]) -> bool:
    """Return whether two numbers as in « 98 à 64 » are among the words that were not read."""
    numbers = [bool(points_in(one)) and one in unread for one in words]
    if any(len(points_in(one)) > 1 for one in words if one in unread):
        return True
    return any(
        is_number and before.plain in _JOINING_WORDS and any(numbers[:at])
        for at, (before, is_number) in enumerate(zip(words, numbers[1:], strict=False))
    )
