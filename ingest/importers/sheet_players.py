"""Finds the players of a sheet: seats by the turns of the dealers, and whole names for short ones.

« Mar. » may be Martine, « Anne* » Anne and « DUPONT Jean » Jean Dupont: a question proposes it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest.autofix.card_words import fold_case_and_accents
from ingest.i18n import N_
from ingest.importers.cells import cell_text
from ingest.importers.import_result import ImportResult, Question
from ingest.importers.mapping import SheetMapping
from ingest.importers.tables import PlacedCell
from ingest.importers.tokenizer import TITLES, parse_player, player_name, seat_of_name
from schemas.player_key import player_id_of

NO_NAME = N_("“{read}” is not a name: who played here?")
NO_NAMES = ("inconnu", "inconnue", "idem", "x", "xx", "xxx", "n/a", "na", "unknown", "nobody", "personne")
WHOSE_NAME = N_("Who is “{read}”: {could}?")
_MARKS = "*°†+#"
_PARTS = re.compile(r"[\s-]+")
MAX_NAMES = 3
"""Names that one question proposes."""


def no_names(cells: Mapping[str, PlacedCell], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield column and text of each of a row's names that is none: « ? », « idem », « #N/A »."""
    for name in names:
        plain = fold_case_and_accents(name).strip(" .")
        if not any(map(str.isalpha, plain)) or plain in NO_NAMES or plain.startswith("#"):
            keys = [
                key for key, one in cells.items() if key.startswith("players") and name in cell_text(one.cell)
            ]
            yield (keys or ["players"])[0], name


def names_by_turn(text: str, dealers: Sequence[str]) -> list[str]:
    """Return the names of a text in the order in which the players deal; empty if it does not follow."""
    names = [one for one in re.split(r"\s*[,;/]\s*", text) if one]
    players = [parse_player(name) for name in names]
    seats = [seat_of_name(dealer, players) for dealer in dealers]
    turns = [seat for at, seat in enumerate(seats) if not at or seats[at - 1] != seat]
    first = [*dict.fromkeys(turns[: len(names) - 1])]
    order = [*first, *({*range(len(names))} - {*first})]
    known = len(names) > 2 and None not in turns and len(first) == len(names) - 1
    goes_round = all(seat == order[at % len(order)] for at, seat in enumerate(turns))
    return [names[seat] for seat in order if seat is not None] if known and goes_round else []


def ask_about_short_names(found: ImportResult, sheets: Mapping[str, tuple[str, SheetMapping]]) -> None:
    """Ask who each short name of a file is that may be another name of it; its matches wait for it.

    `sheets`: the name of a sheet, empty if it is the only one → its name for the user, and the user's
    choices about it, such as the names that are as they are written.
    """
    together = dict[str, set[str]]()  # other people: they play with or against them
    for log in found.logs:
        named = [*map(player_name, log["players"])]
        for name in named:
            together.setdefault(name, set()).update(named)
    every = [*together]
    alike = _names_alike(every)
    near = {
        name: others[:MAX_NAMES]
        for name in every
        if (
            others := [one for one in (*_whole_names(name, every), *alike[name]) if one not in together[name]]
        )
    }
    logs, origins = list[dict[str, Any]](), []
    questioned = set[str]()
    for log, origin in zip(found.logs, found.origins, strict=True):
        sheet = origin.head.sheet
        shown_name, mapping = sheets[sheet]
        names = [player_name(player) for player in log["players"]]
        open_names = [one for one in names if one in near and one not in mapping.names.values()]
        for name in (one for one in open_names if one not in questioned):
            questioned.add(name)
            seat = names.index(name)
            sides = (f"players {seat + 1}", f"players {seat % 2 + 1}", "players")
            where = next((origin.head.cells[key] for key in sides if key in origin.head.cells), "")
            line = int(re.sub(r"\D", "", where) or origin.head.line)
            could = (*near[name], name)
            one = Question(line, 1, name, WHOSE_NAME, could, cell=where, sheet=sheet, about="name")
            found.questions.append(replace(one, answers=could))
        if open_names:
            found.open_lines.setdefault(shown_name, []).append(int(origin.head.line))
        else:
            logs.append(log)
            origins.append(origin)
    found.logs, found.origins = logs, origins


def _whole_names(name: str, every: Sequence[str]) -> list[str]:
    """Return the names that a short or marked one may be."""
    bare = name.rstrip(_MARKS).rstrip()
    parts = _PARTS.split(fold_case_and_accents(bare))
    if parts[0] in TITLES or (bare == name and not any(one.endswith(".") for one in parts)):
        return []
    return [other for other in every if other != name and _is_short_for(parts, other)][:MAX_NAMES]


def _names_alike(every: Sequence[str]) -> dict[str, list[str]]:
    """Return for each name those that may be the same player's: one named before with the same words, but in
    another order or without accents, or one with more words: « DUPONT Jean », « Dupont », « Lucie D. ».
    """
    parts = {name: fold_case_and_accents(name).split() for name in every}
    plain = {
        name: words
        for name, words in parts.items()
        if words and not {*words[:1]} & {*TITLES} and "(" not in name
    }
    by_words, by_word = dict[tuple[str, ...], list[str]](), dict[str, list[str]]()
    found: dict[str, list[str]] = {name: [] for name in every}
    for name, words in plain.items():
        same = by_words.setdefault(tuple(sorted(words)), [])
        found[name] += [one for one in same if player_id_of(one) != player_id_of(name)][:1]
        same.append(name)
        for word in {words[0], words[-1]} if len(words) > 1 else ():
            by_word.setdefault(word, []).append(name)
    for name, words in plain.items():
        found[name] += by_word.get(words[0], []) if len(words) == 1 else []
    return found


def _is_short_for(parts: Sequence[str], other: str) -> bool:
    whole = _PARTS.split(fold_case_and_accents(other))
    if other.rstrip(_MARKS) != other or any(one.endswith(".") for one in whole) or len(whole) < len(parts):
        return False
    return all(
        word.startswith(part.rstrip(".")) if part.endswith(".") else word == part
        for part, word in zip(parts, whole, strict=False)
    )
