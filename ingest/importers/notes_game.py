"""Reads notes as the game that they name, else the one in the file's name, else the only one that fits."""

import orjson

from engine.games import game_names, game_title
from ingest.findings.finding import ERROR
from ingest.i18n import N_
from ingest.importers.game_fit import MIN_MISFITS
from ingest.importers.import_result import FileNote, ImportResult
from ingest.importers.mapping import ImportOptions
from ingest.importers.notes import WHICH_GAME, read_notes
from ingest.importers.tokenizer import games_named
from ingest.validate.slow_path import validate

_ENDS = {"dealer", "leader", "points", "winner", "void", "manche", "comments"}
ONLY_GAME = N_("The notes do not name their game; of all games only {game} fits them.")


def read_notes_of_file(text: str, options: ImportOptions, file_name: str) -> ImportResult:
    """Read notes; their game may follow from the file's name or from their deals."""
    named = games_named(file_name) if options.game is None else set()
    found = read_notes(text, named.pop() if len(named) == 1 else options.game, options.zone)
    if found.logs or not found.questions or {one.text for one in found.questions} != {WHICH_GAME}:
        return found
    every = {game: read_notes(text, game, options.zone) for game in game_names()}
    names = games_named(text)
    if len(names) == 1 and (logs := every[next(iter(names))].logs) and not any(log["deals"] for log in logs):
        return every[names.pop()]  # « voilà les résultats de la coinche »
    wrong = {game: _misfits(one) for game, one in every.items() if one.logs}
    right = [game for game, count in wrong.items() if not count]
    if (
        len(right) != 1
        or not _has_play(every[right[0]])
        or any(0 < count < MIN_MISFITS for count in wrong.values())
    ):
        return found
    [game] = right
    note = FileNote(ONLY_GAME, {"game": game_title(game)})
    every[game].notices.insert(0, note)
    return every[game]


def _has_play(found: ImportResult) -> bool:
    """Return whether a deal has more than how it ended: cards, bids or announcements."""
    return any(deal.keys() - _ENDS for log in found.logs for deal in log["deals"])


def _misfits(found: ImportResult) -> int:
    """Return how much of notes does not fit the game that they were read as; deals may be incomplete."""
    findings = (one for log in found.logs for one in validate(orjson.dumps(log)).findings)
    return len(found.questions) + sum(one.severity == ERROR and one.code != "incomplete" for one in findings)
