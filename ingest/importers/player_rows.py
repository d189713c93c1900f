"""Reads the players of a sheet's row, and asks where a cell does not name them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from engine.games import game as game_of
from ingest.autofix.card_words import fold_case_and_accents
from ingest.i18n import N_
from ingest.importers import tokenizer
from ingest.importers.headings import PLAYERS
from ingest.importers.import_result import AnswerKind, Question
from ingest.importers.result_rows import WHO_ARE_THEY
from ingest.importers.sheet_players import NO_NAMES

NO_PLAYERS = N_("Who plays? The player columns have no names.")
GAP = N_("Player {could} is missing before “{read}”.")
ONE_OF_SEVERAL = N_("“{read}” names several, and the cell is of one player. Who played: {could}?")
_SEVERAL = re.compile(
    r"\s*[/&]\s*|\s+(?:et|and|ou|or|puis|then)\s+|\s*\(\s*(?:remplac[ée]e?|replaced)\s+(?:par|by)\s+",
    re.IGNORECASE,
)
"""Separators of two names in a cell of one player: « Marcel/Bob »."""


class RowOfPlayers(Protocol):
    """A row of a sheet: the texts of its cells, and questions about them."""

    @property
    def unclear_pairs(self) -> frozenset[str]: ...

    def text(self, key: str) -> str: ...

    def question_at(
        self, key: str, text: str, *could: str, read: str | None = None, about: AnswerKind = "cell"
    ) -> Question: ...


def read_names(row: RowOfPlayers, game: str, questions: list[Question]) -> list[str] | None:
    """Read the players in seat order; None, with a question added, if they are unclear."""
    counts = game_of(game).players
    sides = game_of(game).side_count(max(counts))
    size = max(counts) // sides
    items = [row.text(f"{PLAYERS.key} {seat + 1}") for seat in range(max(counts))]
    seated = [one for one in items if one]
    example = "Lucie et Marcel"
    if not seated and (text := row.text(PLAYERS.key)):
        found = [
            one
            for count in ([sides] if size > 1 else counts)
            if (one := tokenizer.split_sides(text, count, size))
        ]
        if len(found) == 1:
            return [names[at] for at in range(size) for names in found[0]]
        example = f"{example} – Odile et Jean" if size > 1 else "Lucie – Marcel"
        could = tokenizer.pairings(text) if size == sides == 2 else ()
        question = row.question_at(PLAYERS.key, WHO_ARE_THEY, *(could or [example]), about="name")
        ask_once(questions, replace(question, answers=(*could,)))
        return None
    if not seated:
        questions.append(row.question_at(f"{PLAYERS.key} 1", NO_PLAYERS))
        return None
    if items[: len(seated)] != seated:
        key = f"{PLAYERS.key} {items.index(seated[-1]) + 1}"
        questions.append(row.question_at(key, GAP, str(items.index("") + 1)))
        return None
    if size == 1:
        return None if _ask_about_several(row, seated, questions) else seated
    if len(seated) != sides:
        return seated
    pairs: list[list[str]] = []
    for side, text in enumerate(seated, 1):
        if (names := tokenizer.split_names(text, size)) is None or text in row.unclear_pairs:
            key = f"{PLAYERS.key} {side}"
            ask_once(questions, row.question_at(key, WHO_ARE_THEY, example, about="name"))
            return None
        pairs.append(names)
    return [names[at] for at in range(size) for names in pairs]


def ask_once(questions: list[Question], question: Question) -> None:
    """Add a question, unless the sheet has one about the same words already."""
    same = (question.sheet, question.text, question.read, question.could)
    if all((one.sheet, one.text, one.read, one.could) != same for one in questions):
        questions.append(question)


def _ask_about_several(row: RowOfPlayers, seated: Sequence[str], questions: list[Question]) -> bool:
    """Ask who played where the cell of one player names several; return whether one does."""
    for place, text in enumerate(seated, 1):
        if tokenizer.parse_player(text).get("name", text) != text:  # with an id: one player
            continue
        names = [name.strip(" )") for name in _SEVERAL.split(text)]
        if len(names) > 1 and all(names) and fold_case_and_accents(text) not in NO_NAMES:
            key = f"{PLAYERS.key} {place}"
            question = row.question_at(key, ONE_OF_SEVERAL, *names)
            questions.append(replace(question, answers=(*names,)))
            return True
    return False
