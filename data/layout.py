"""Matches as documents, and documents as text a person can read: one trick a line."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.simulate import SimulatedMatch
from schemas import simulated
from schemas.simulated import lay

WIDTH = 100


def match_document(
    match: SimulatedMatch, rules: str | Mapping[str, Any], names: Sequence[str], **more: Any
) -> dict[str, Any]:
    """A simulated match of Chouine between players known by their names, hands laid open."""
    players = [{"id": name.lower(), "name": name} for name in names]
    laid = lay("chouine", rules, len(names))
    return simulated.match_document(laid, match, rules, players, hands=True, **more)


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


CARD = re.compile(r"[ATKQJ6-9][shdc]|[bryk]\d+")
"""A card or a face: the word of an action that plays it."""


def _actions(actions: Sequence[str], players: int) -> list[str]:
    """The actions as lines: the auction, then two tricks a line at two players, one at more."""
    lines: list[list[str]] = [[]]
    plays = 0
    each = 4 if players == 2 else players
    for word in actions:
        act = word.split(" ", 1)[-1]
        card = bool(CARD.fullmatch(act))
        bonus = act.startswith(("turn ", "point"))  # belongs to the trick it follows
        auction = card and not plays and " bid " in "".join(lines[-1])
        if auction or (plays and plays % each == 0 and not bonus):
            lines.append([])
            plays = 0
        lines[-1].append(_inline(word))
        plays += card
    return [", ".join(line) for line in lines if line]


def _wrapped(items: Sequence[str], indent: str) -> str:
    """Items of a list over as many lines as they need."""
    lines = [indent]
    for item in items:
        more = _inline(item) + ", "
        if len(lines[-1] + more) > WIDTH and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += more
    return "\n".join(line.rstrip() for line in lines)[:-1]


def _deal(deal: Mapping[str, Any], players: int) -> str:
    """A deal: who deals and the cards, then the actions, then what the sheet says."""
    rows: list[str] = []
    alone = True  # whether the row before is of one key
    for key, value in deal.items():
        text = f"{_inline(key)}: {_inline(value)}"
        if key == "actions" and len(text) > WIDTH:
            lines = ",\n      ".join(_actions(value, players))
            text = f'"actions": [\n      {lines}]'
        if key == "hands" and len(text) > WIDTH:
            text = '"hands": [\n' + _wrapped(value, "      ") + "]"
        if key == "comments":
            text = '"comments": [\n      ' + ",\n      ".join(map(_inline, value)) + "]"
        own = key in ("hands", "talon", "deck", "bids", "actions", "times") or len(text) > 60
        if own or alone:
            rows.append(text)
        else:
            rows[-1] += f", {text}"
        alone = own
    return "   {" + ",\n    ".join(rows) + "}"


def text(match: Mapping[str, Any]) -> str:
    """A match as the files of this directory hold it; the same value for every JSON reader."""
    rows = []
    for key, value in match.items():
        if key == "deals":
            players = len(match["players"])
            deals = ",\n".join(_deal(deal, players) for deal in value)
            rows.append(f'"deals": [\n{deals}]')
        elif isinstance(value, list) and len(_inline(value)) > 2 * WIDTH:  # a whole deck
            rows.append(f"{_inline(key)}: [\n" + _wrapped(value, "   ") + "]")
        else:
            rows.append(f"{_inline(key)}: {_inline(value)}")
    written = "{" + ",\n ".join(rows) + "}\n"
    assert json.loads(written) == match
    return written
