"""Helpers for results in sheets and notes: numbers for equal ones, points that a deal may have."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from engine.score_sheet_line import ScoreLine
from ingest.findings.finding import ERROR
from ingest.i18n import N_
from ingest.importers import tokenizer
from ingest.importers.headings import HOME_WORDS, POINT_SIDES, SIDE_WORDS, normalized
from ingest.importers.import_result import Question
from ingest.importers.notes_words import DRAWN_WORDS
from ingest.validate.slow_path import validate
from schemas.match_setup import MatchSetup

RULES_LEFT_OUT = N_(
    "The results do not fit the usual target of the rules “{rules}”, and the file names no other: the "
    "matches do not keep these rules."
)
WHO_ARE_THEY = N_("Which players are “{read}”? Write their names, as in: {could}.")
WINNER_HAS_MOST = N_("“{read}”: the winner has more points than the others.")
DRAWN = N_("“{read}” is the same for both, and the line names a winner. Correct one of the two.")
NOT_THE_WINNERS = N_("The winner has not most of “{read}”. Is {could} meant?")
_SCORE = re.compile(r"\b\d+\s*[-–—/:]\s*\d+\b")
WINS, LOSSES = ("v", "g", "w", "victoire", "gagne", "win"), ("d", "p", "l", "defaite", "perdu", "loss")
"""Texts of a cell that has the result as the first of two players sees it."""
SIDES, ROUND = 2, 10  # of a match in pairs, and what its points are rounded to
MATCH_KEY = "match"
"""Key of `event`: which of several equal results this is, from 2."""
BEFORE_SIDE = ("equipe", "l equipe", "les", "camp", "paire", "cote", "team", "side", "pair", "the")
"""Words before the name of a side."""
_HEADING_WORDS = frozenset(
    word
    for words in (*SIDE_WORDS, *POINT_SIDES, *HOME_WORDS)
    for text in words
    for word in text.split()
    if len(word) > 1
)
"""Words of headings that their first letter may mean."""


def number_equal_results(logs: list[dict[str, Any]]) -> None:
    """Number the results of a file that are equal to an earlier one, such as two 3–1 of an evening.

    A log without a card is identified by its content, so equal ones would count once. The first
    stays as it is, so that the same match is recognized when rows are added to the file.
    """
    seen = Counter[bytes]()
    for log in logs:
        if log["deals"] or "result" not in log:
            continue
        content = orjson.dumps(log, option=orjson.OPT_SORT_KEYS)
        seen[content] += 1
        if seen[content] > 1:
            log["event"] = {**log.get("event", {}), MATCH_KEY: seen[content]}


def with_no_result(question: Question, text: str) -> Question:
    """Return a question with this text with its likely answers: the score in `3-3 (arrêté)`, or none."""
    score = _SCORE.search(question.read)
    could = [score[0], ""] if score else [""]
    return replace(question, answers=(*could,)) if question.text == text else question


def winner_by_word(text: str) -> int | None:
    """Return the side, from 1, that « V » or « D » next to the first player means; 0 if drawn, else None."""
    word = normalized(text)
    if word in ("n", *DRAWN_WORDS):
        return 0
    return 1 if word in WINS else 2 if word in LOSSES else None


def leave_out_rules(logs: Sequence[dict[str, Any]]) -> set[str]:
    """Remove the rules of bare results that do not reach their usual target; return these rules.

    A file with « contrée » and no target may count to any. All its results of these rules lose them.
    """
    found = set[str]()
    results = [log for log in logs if not log["deals"] and isinstance(log.get("rules"), str)]
    for log in results:
        if log["rules"] not in found and _is_impossible(log):
            found |= {log["rules"]} if not _is_impossible({**log, "rules": None}) else set()
    for log in results:
        if log["rules"] in found:
            del log["rules"]
    return found


def _is_impossible(log: Mapping[str, Any]) -> bool:
    return any(one.code == "result-impossible" for one in validate(orjson.dumps(log)).findings)


def may_be_deal(head: Mapping[str, Any], players: Sequence[Any], score: Sequence[int] | None) -> bool:
    """Return whether some deal ends with these points, or it is unclear who plays."""
    if score is None:
        return False
    reader = tokenizer.make_reader({**head, "players": players}, ())
    return isinstance(reader, list) or _ends_deal(reader.setup, len(players), score)


def result_of_match(
    log: Mapping[str, Any], deal: Mapping[str, Any], *, is_named: bool
) -> dict[str, Any] | None:
    """Return the points of a deal in notes as the match's result; None if it is not certain.

    A match ends so and no deal does. The score reaches the goal, the line names the match (`is_named`), or
    the winner is named and no deal has either of the two numbers, so that none is a typo.
    """
    points, players = deal["points"], len(log["players"])
    winner = deal.get("winner") or points.index(max(points)) + 1
    result = {"score": points, "winner": winner}
    explained = validate(orjson.dumps({**log, "deals": [], "result": result}))
    if explained.setup is None or any(one.severity == ERROR for one in explained.findings):
        return None
    setup = explained.setup
    if _ends_deal(setup, players, points):
        return None
    reached = [number if side == winner - 1 else 0 for side, number in enumerate(points)]
    is_over = len(setup.game.match.possible_winners(reached, players, setup.rules)) == 1
    is_certain = is_over or is_named or ("winner" in deal and not _has_number_of_deal(setup, players, points))
    return result if is_certain else None


def _ends_deal(setup: MatchSetup, players: int, points: Sequence[int]) -> bool:
    line = ScoreLine(0, tuple(points))
    return not setup.game.score_line_rules.possible_ends(line, players, setup.rules).problems


def _has_number_of_deal(setup: MatchSetup, players: int, points: Sequence[int]) -> bool:
    """Return whether a deal with the same winner has either number; True where it is not looked up."""
    if len(points) != SIDES or any(number % ROUND for number in points):
        return True
    low, high = sorted(points)
    pairs = [
        *((high, one) for one in range(0, high, ROUND)),
        *((one, low) for one in range(high, low, -ROUND)),
    ]
    turn = 1 if points[0] == high else -1
    return any(_ends_deal(setup, players, pair[::turn]) for pair in pairs)


def sides_headed(text: str, headings: Sequence[Sequence[str]]) -> set[int]:
    """Return the sides, from 1, that a text means by their headings: a word of them, or its first letter."""
    before, _, word = normalized(text).rpartition(" ")
    if not word or (before and before not in BEFORE_SIDE):
        return set()
    words = [[normalized(one).split() for one in own] for own in headings]
    same = next((each for each in HOME_WORDS if word in each), (word,))  # « Visiteur », « Équipe visiteuse »
    whole = {side for side, own in enumerate(words, 1) if any({*one[-1:]} & {*same} for one in own)}
    if whole or len(word) > 1:
        return whole
    return {
        side
        for side, own in enumerate(words, 1)
        if any(part.startswith(word) and part in _HEADING_WORDS for one in own for part in one)
    }
