"""Rules as text: a preset, and options that are also on, as in `coinchee + sans_tout`."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.games import game as game_of
from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from ingest.importers.tokenizer import find_game, find_other_name

_JOINING_PATTERN = re.compile(r"[\s,+&/()]+|\b(?:avec|et|with|and)\b")

_TARGET_PATTERN = re.compile(
    r"(?<!\w)(?:(?:parties?|rencontres?|match(?:e?s)?|games?)\s+)?"
    r"(?:en|to)\s+(\d ?\d{2,3})(?:\s*(?:points|pts)\b|(?<=00)(?=\s*(?:$|[,;:!.])))"
)


def find_target(text: str, game: str) -> int | None:
    """Return the score to reach that a text names, « en 1000 points »; None if the game has no such rule."""
    found = _TARGET_PATTERN.search(fold_case_and_accents(text))
    has_target = any("target" in one for one in game_of(game).options.PRESETS.values())
    return int(found[1].replace(" ", "")) if found and has_target else None


def find_preset(text: str, game: str) -> str | None:
    """Return the preset that words name, with or without the game's name; None if none."""
    other = find_other_name(text)
    if other is not None and other.game == game and not other.rest:
        return other.preset
    named = "-".join(word for word in fold_case_and_accents(text).split() if find_game(word) != game)
    return named if named in game_of(game).options.PRESETS else None


def find_rules(text: str, game: str) -> str | dict[str, Any] | None:
    """Return the rules that words name, as a log has them: « coinchée avec sans atout »; None if none."""
    plain, target = fold_case_and_accents(text), find_target(text, game)
    if target is not None:
        plain = _TARGET_PATTERN.sub(" ", plain)
    words = " ".join(word for word in _JOINING_PATTERN.split(plain) if word)
    on = []
    for option, names in game_support(game).SHOWN_OPTIONS.items():
        pattern = "|".join(map(re.escape, (option, *names)))
        rest = " ".join(re.sub(rf"(?<!\S)(?:{pattern})(?!\S)", " ", words).split())
        on += [option] if rest != words else []
        words = rest
    is_bare = not words and (on or target is not None)
    preset = next(iter(game_of(game).options.PRESETS)) if is_bare else find_preset(words, game)
    if preset is None or not (on or target is not None):
        return preset
    return {"preset": preset, **dict.fromkeys(on, True), **({} if target is None else {"target": target})}


def with_target(rules: str | None, titles: str, game: str | None) -> str | None:
    """Return rules as text, with the score to reach that titles name; None for the usual rules."""
    if game is None or (target := find_target(titles, game)) is None:
        return rules
    return rules_text(rules or next(iter(game_of(game).options.PRESETS)), [f"en {target} points"])


def rules_text(preset: str, options: Sequence[str] = ()) -> str:
    """Return rules as `find_rules` reads them."""
    return " + ".join((preset, *options))


def with_shown_options(game: str, preset: str) -> Iterator[str]:
    """Yield a preset with each of the options that lines and bids of the game show."""
    for option in game_support(game).SHOWN_OPTIONS:
        yield rules_text(preset, [option])


def rules_to_choose(game: str | None) -> list[str]:
    """Return the presets of a game, and each with the options that lines show; none without a game."""
    presets = [*game_of(game).options.PRESETS] if game else []
    return [*presets, *(rules for preset in presets for rules in with_shown_options(game or "", preset))]
