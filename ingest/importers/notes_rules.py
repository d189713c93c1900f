"""Reads the rules that notes name: « Règles : coinchée », « Belote contrée », and asks for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.games import game as game_of
from ingest.autofix.misspellings import fold_case_and_accents, is_typo_of
from ingest.i18n import N_
from ingest.importers.import_result import Question
from ingest.importers.tokenizer import find_game

NO_RULES = N_("Retourne knows no rules “{read}” of this game. Are {could} meant?")
WHICH_RULES = N_(
    "“{read}” is not possible under the usual rules. Which were played? Write it as in: {could}."
)


def find_preset(text: str, game: str) -> str | None:
    """Return the preset that words name, with or without the game's name; None if none."""
    named = "-".join(word for word in fold_case_and_accents(text).split() if find_game(word) != game)
    return named if named in game_of(game).options.PRESETS else None


def find_game_and_rules(text: str) -> tuple[str, str | None] | None:
    """Return the game, and the rules behind its name: « belote coinchée »; None if no game is named."""
    if (game := find_game(text)) is not None:
        return game, None
    first, _, rest = text.strip().partition(" ")
    game = find_game(first)
    preset = find_preset(rest, game) if game is not None and rest.strip() else None
    return None if game is None or preset is None else (game, preset)


def unknown_rules(line: int, column: int, text: str, game: str) -> Question:
    """Return the question about rules that are none of the game’s."""
    presets = tuple(game_of(game).options.PRESETS)
    near = tuple(one for one in presets if is_typo_of(text, one)) or presets
    return Question(line, column, text, NO_RULES, near, answers=near)


def other_presets(head: Mapping[str, Any]) -> Sequence[str]:
    """Return the presets that may have been played in place of the usual one, if notes name none."""
    return () if "rules" in head else [*game_of(head["game"]).options.PRESETS][1:]


def which_rules(about: Question, presets: Sequence[str], new_line: int) -> Question:
    """Return the question about the rules that an impossible act asks for, in place of that about it."""
    lines = tuple(f"Règles : {preset}" for preset in presets)
    return Question(
        about.line, about.column, about.read, WHICH_RULES, lines, answers=lines, new_line=new_line
    )
