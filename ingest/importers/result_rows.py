"""Shared by results of sheets and of notes: texts, and numbers for equal ones."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from engine.score_sheet_line import ScoreLine
from ingest.i18n import N_
from ingest.importers import tokenizer

WHO_ARE_THEY = N_("Which players are “{read}”? Write their names, as in: {could}.")
NOT_THE_WINNERS = N_("The winner has not most of “{read}”. Is {could} meant?")
MATCH_KEY = "match"
"""Key of `event`: which of several equal results this is, from 2."""


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


def may_be_deal(head: Mapping[str, Any], players: Sequence[Any], score: Sequence[int] | None) -> bool:
    """Return whether some deal ends with these points, or it is unclear who plays."""
    if score is None:
        return False
    reader = tokenizer.make_reader({**head, "players": players}, ())
    if isinstance(reader, list):
        return True
    game, rules = reader.setup.game, reader.setup.rules
    line = ScoreLine(0, tuple(score))
    return not game.score_line_rules.possible_ends(line, len(players), rules).problems
