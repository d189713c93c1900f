"""Asks whether two lines of a file are the same match: one for each player, or on a copy of a sheet."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from engine.games import game as game_of
from ingest.i18n import N_
from ingest.importers.import_result import FileNote, ImportResult, Question
from ingest.importers.mapping import SheetMapping
from ingest.importers.result_rows import MATCH_KEY
from ingest.importers.source_map import SourceMap
from ingest.importers.tokenizer import player_name

SAME_MATCH = N_("“{read}” is on line {could} too. Is it the same match?")
REPEATS_LEFT_OUT = N_("Skipped lines of “{sheet}” that have the match of another line: {lines}.")
ANSWERS = ("same", "different")
_COPY = re.compile(r"\bcop(?:ie|y)\b|\(\d+\)\s*$", re.IGNORECASE)
_NOT_COMPARED = ("remark", MATCH_KEY)


class _Line(NamedTuple):
    """The place of a match in the file, and its players in the order of the line."""

    sheet: str
    order: tuple[str, ...]
    line: str


def ask_about_repeats(found: ImportResult, sheets: Mapping[str, tuple[str, SheetMapping]]) -> None:
    """Skip each match that another line of its day has with the players turned, or another sheet has.

    There is one question for a sheet, and until the answer the second of the two waits. `sheets`: as
    for `ask_about_short_names`.
    """
    unpaired: dict[Hashable, list[_Line]] = {}
    has_copy = any(map(_COPY.search, sheets))
    waiting, repeated = dict[str, list[int]](), dict[str, list[int]]()
    logs, origins = list[dict[str, Any]](), list[SourceMap]()
    for log, origin in zip(found.logs, found.origins, strict=True):
        order = tuple(player["id"] for player in log["players"])
        here = _Line(origin.head.sheet, order, origin.head.line)
        shown_name, mapping = sheets[here.sheet]
        same = unpaired.setdefault(_match_of(log, "" if has_copy else f"{len(logs)}"), [])
        other = next((one for one in same if one[:2] != here[:2]), None)
        if other is None or mapping.repeats == "different":
            same.append(here)
            logs.append(log)
            origins.append(origin)
            continue
        same.remove(other)
        if mapping.repeats == "same":
            repeated.setdefault(shown_name, []).append(int(here.line))
            continue
        if shown_name not in waiting:
            where = f"{other.line} ({sheets[other.sheet][0]})" if other.sheet != here.sheet else other.line
            read, cells = _as_text(log), origin.head.cells
            cell = cells.get("players 1") or cells.get("players") or here.line
            one = Question(int(here.line), 1, read, SAME_MATCH, (where,), cell=cell, sheet=here.sheet)
            found.questions.append(replace(one, answers=ANSWERS, about="repeats"))
        waiting.setdefault(shown_name, []).append(int(here.line))
    for name, lines in waiting.items():
        found.open_lines.setdefault(name, []).extend(lines)
    for name, lines in repeated.items():
        values = {"sheet": name, "lines": ", ".join(map(str, lines))}
        found.notices.append(FileNote(REPEATS_LEFT_OUT, values))
    found.logs, found.origins = logs, origins


def _match_of(log: Mapping[str, Any], day: str) -> Hashable:
    """Return the facts that two lines about one match share; of a result, in any order of the players.

    `day`: of a result without one; no other match has it, unless it is empty.
    """
    event = {key: one for key, one in log.get("event", {}).items() if key not in _NOT_COMPARED}
    if log["deals"] or "result" not in log:
        return orjson.dumps({**log, "event": event}, option=orjson.OPT_SORT_KEYS)
    players, result = [player["id"] for player in log["players"]], log["result"]
    count = game_of(log["game"]).side_count(len(players))
    score, winner = result.get("score", [None] * count), result.get("winner")
    sides = frozenset(
        (frozenset(players[side::count]), score[side], winner == side + 1) for side in range(count)
    )
    day = log.get("played_at", "")[:10] or day
    return log["game"], str(log.get("rules")), day, orjson.dumps(event, option=orjson.OPT_SORT_KEYS), sides


def _as_text(log: Mapping[str, Any]) -> str:
    """Return the players and the score of a result as people write it."""
    names = " – ".join(player_name(player) for player in log["players"])
    score = "-".join(map(str, log.get("result", {}).get("score", ())))
    return f"{names} {score}".strip()
