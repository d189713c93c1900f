"""Detects the game of a sheet by its lines: one that a game cannot have speaks against that game."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from engine.games import game as game_of
from ingest.findings.finding import ERROR
from ingest.i18n import N_
from ingest.importers.cells import CellSheet, cell_address, cell_text
from ingest.importers.headings import normalized
from ingest.importers.import_result import ImportResult
from ingest.importers.rules_text import find_rules, with_shown_options
from ingest.importers.score_line_results import result_of_card_points
from ingest.importers.sheet_game import UnclearGame
from ingest.importers.source_map import SourceMap
from ingest.importers.tokenizer import find_other_name, make_reader
from ingest.validate.slow_path import validate

NO_GAME = N_("Which game is it? Name it in a column “Game”: {could}.")
FITS_FIRST = N_("Which game is it, {could}? Nothing names it; “{read}” fits only the first.")
FITS_SEVERAL = N_("Which game is it, {could}? Nothing on the sheet names it, and its lines fit each of them.")
NOT_A_GAME = N_("“{read}” is not a known game. Is it {could}?")
MAX_LINES_TRIED = 60
MIN_MISFITS = 2
"""Lines that must speak against a game: a single one may be a mistake."""
_PARTS = ("points", "score_line", "winner")


RULES_OPEN = N_(
    "By which rules was it played, {could}? These lines are not possible by the usual ones: {read}."
)


class GameFit(NamedTuple):
    """How a sheet reads as one game."""

    game: str
    read: int
    """Lines that were read."""
    misfits: list[str]
    """Addresses of cells that the game cannot have, one per line."""


def fit(game: str, found: ImportResult) -> GameFit:
    """Return how the lines of a sheet fit the game it was read as."""
    wrong = {str(one.line): one.where for one in found.questions if one.about == "cell"}
    fewest = min(misfits_by_rules(game, found).values(), key=len)
    wrong |= fewest
    return GameFit(game, sum(len(log["deals"]) for log in found.logs), [*wrong.values()])


def misfits_by_rules(
    game: str, found: ImportResult, rules: Iterable[str] | None = None
) -> dict[str, dict[str, str]]:
    """Return rules as text → line and cell that they do not allow, of the first lines.

    The default is each preset of the game.
    """
    wrong: dict[str, dict[str, str]] = {one: {} for one in rules or game_of(game).options.PRESETS}
    tried = 0
    for log, origin in zip(found.logs, found.origins, strict=True):
        for one, lines in wrong.items():
            lines |= dict(impossible_lines({"rules": find_rules(one, game), **log}, origin))
        tried += max(len(log["deals"]), 1)
        if tried >= MAX_LINES_TRIED:
            break
    return wrong


def certain_rules(game: str, found: ImportResult, titles: str) -> tuple[str | None, list[str], list[str]]:
    """Return the rules that all lines fit where the usual ones do not; if they are open, those possible.

    The third are the lines that do not fit the usual preset. `titles`: texts that name the sheet.
    """
    wrong = misfits_by_rules(game, found)
    usual = [*next(iter(wrong.values())).values()]
    other = find_other_name(titles)
    words = normalized(titles).split()
    named = [preset for preset in wrong if preset in words or (other and other[:2] == (game, preset))]
    if len(named) == 1 and named[0] in [*wrong][1:]:  # unless the lines fit the usual rules better
        fits = {**misfits_by_rules(game, found, [*named, *with_shown_options(game, named[0])])}
        best = min(fits, key=lambda rules: len(fits[rules]))
        return (best, [], usual) if len(fits[best]) <= len(usual) else (None, [], [])
    shown: dict[str, dict[str, str]] = {}
    if all(wrong.values()):  # no preset as it is
        variants = [one for preset in wrong for one in with_shown_options(game, preset)]
        shown = misfits_by_rules(game, found, variants) if variants else {}
    whole = [rules for rules, lines in (shown or wrong).items() if not lines]
    if len(usual) < (1 if shown else MIN_MISFITS) or not whole:
        return None, [], []
    others = [lines for rules, lines in (shown or wrong).items() if rules not in whole]
    if len(whole) == 1 and all(len(lines) >= MIN_MISFITS for lines in others):
        return whole[0], [], usual
    return None, whole, usual


def certain_game(fits: Iterable[GameFit]) -> str | None:
    """Return the only game that all lines fit, if several lines speak against each other one."""
    every = [*fits]
    right = [one.game for one in every if one.read and not one.misfits]
    others = [one for one in every if one.game not in right]
    clear = len(right) == 1 and all(len(one.misfits) >= MIN_MISFITS for one in others)
    return right[0] if clear and others else None


def game_question(
    sheet: CellSheet, unclear: UnclearGame, fits: Sequence[GameFit]
) -> tuple[str, str, list[str]]:
    """Return the text of the question for a game, the text it reads, and the games to choose from."""
    games = [*unclear.games]
    right = [one.game for one in fits if not one.misfits]
    if len(right) == len(fits) > 1:
        return FITS_SEVERAL, unclear.read, games
    if len(right) == 1 < len(fits):
        where = next(one.misfits[0] for one in fits if one.misfits)
        text = f"{_text_at(sheet, where)} ({where})"
        return FITS_FIRST, text, sorted(games, key=lambda one: one not in right)
    return NOT_A_GAME if unclear.read else NO_GAME, unclear.read, games


def _text_at(sheet: CellSheet, address: str) -> str:
    """Return the text of a cell; of a line, those of its cells."""
    found = [
        cell_text(cell)
        for row, cells in enumerate(sheet.rows)
        for column, cell in enumerate(cells)
        if cell != "" and address in (cell_address(row, column), str(row + 1))
    ]
    return "; ".join(found)


def _with_marks(log: Mapping[str, Any]) -> dict[str, Any]:
    """Return a log whose card points are the marks that they make by its rules."""
    reader = make_reader(log, ())
    if isinstance(reader, list):
        return dict(log)

    def with_marks(deal: Mapping[str, Any]) -> dict[str, Any]:
        own = result_of_card_points(reader.setup, deal, deal.get("points", ()))
        return {**deal} if own is None else {**deal, "points": None, **own}

    return {**log, "deals": [*map(with_marks, log["deals"])]}


def impossible_lines(log: Mapping[str, Any], origin: SourceMap) -> Iterator[tuple[str, str]]:
    """Yield line and cell of each finding about one line on its own."""
    for one in validate(orjson.dumps(_with_marks(log))).findings:
        parts = one.path.split("/")
        if one.severity == ERROR and one.deal_index is not None and parts[3:4] and parts[3] in _PARTS:
            yield origin.deals[one.deal_index].line, origin.cell_of(one)[0]
