"""Reads the rules that notes name: « Règles : coinchée », « Belote contrée », and asks for them."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from engine.games import game as game_of
from ingest.autofix.card_words import is_typo_of
from ingest.findings.finding import NOTE
from ingest.i18n import N_
from ingest.importers.import_result import Question
from ingest.importers.rules_text import find_preset, find_rules, with_shown_options
from ingest.importers.tokenizer import find_game
from ingest.validate.slow_path import validate

BIDS_SHOW_RULES = N_(
    "The match from line {line} has bids that only {rules} allows: Retourne read it by these rules."
)
NO_RULES = N_("Retourne knows no rules “{read}” of this game. Are {could} meant?")
WHICH_RULES = N_(
    "“{read}” is not possible under the usual rules. Which were played? Write it as in: {could}."
)


def find_game_and_rules(text: str) -> tuple[str, str | dict[str, Any] | None] | None:
    """Return the game, and the rules behind its name: « belote coinchée »; None if no game is named."""
    if (game := find_game(text)) is not None:
        return game, find_preset(text, game)
    first, _, rest = text.strip().partition(" ")
    game = find_game(first)
    rules = find_rules(rest, game) if game is not None and rest.strip() else None
    return None if game is None or rules is None else (game, rules)


def unknown_rules(line: int, column: int, text: str, game: str) -> Question:
    """Return the question about rules that are none of the game’s."""
    presets = tuple(game_of(game).options.PRESETS)
    near = tuple(one for one in presets if is_typo_of(text, one)) or presets
    return Question(line, column, text, NO_RULES, near, answers=near)


def other_rules(head: Mapping[str, Any]) -> list[str]:
    """Return the rules that may have been played in place of those of the notes, as text.

    A preset that notes name stays, and only an option that bids show is added to it.
    """
    game, named = head["game"], head.get("rules")
    usual, *others = game_of(game).options.PRESETS
    if named is not None:
        return [*with_shown_options(game, named)] if isinstance(named, str) else []
    return [*others, *with_shown_options(game, usual)]


def shown_rules(log: Mapping[str, Any]) -> str | None:
    """Return the rules of a log with an option that its contracts show; None if it has no fewer findings."""

    def findings(rules: Any) -> int:
        report = validate(orjson.dumps({**log, "rules": find_rules(rules, log["game"])}))
        return sum(one.severity != NOTE for one in report.findings)

    own = log.get("rules", next(iter(game_of(log["game"]).options.PRESETS)))
    others = [*with_shown_options(log["game"], own)] if isinstance(own, str) else []
    best = min([own, *others], key=findings) if others else own
    return None if best == own else str(best)


def which_rules(about: Question, rules: Sequence[str], new_line: int) -> Question:
    """Return the question about the rules that an impossible act asks for, in place of that about it."""
    lines = tuple(f"Règles : {one}" for one in rules)
    return Question(
        about.line, about.column, about.read, WHICH_RULES, lines, answers=lines, new_line=new_line
    )
