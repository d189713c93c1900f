"""Formats match documents as readable JSON, one trick per line."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.simulate import SimulatedMatch
from schemas import simulated
from schemas.simulated import simulated_setup

MAX_LINE_CHARS = 100


def match_document(
    match: SimulatedMatch, rules: str | Mapping[str, Any], names: Sequence[str], **more: Any
) -> dict[str, Any]:
    """Return the document of a simulated match of Chouine, with all hands shown."""
    players = [{"id": name.lower(), "name": name} for name in names]
    played = simulated_setup("chouine", rules, len(names))
    return simulated.match_document(played, match, rules, players, as_hands=True, **more)


def _inline_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


CARD_NAME = re.compile(r"[ATKQJ6-9][shdc]|[bryk]\d+")
"""The word of an action that plays a card or a face."""


def _action_lines(actions: Sequence[str], players: int) -> list[str]:
    """Return lines of actions: the auction, then two tricks a line for two players, else one."""
    lines: list[list[str]] = [[]]
    plays = 0
    each = 4 if players == 2 else players
    for word in actions:
        act = word.split(" ", 1)[-1]
        card = bool(CARD_NAME.fullmatch(act))
        bonus = act.startswith(("turn ", "point"))  # belongs to the trick before
        auction = card and not plays and " bid " in "".join(lines[-1])
        if auction or (plays and plays % each == 0 and not bonus):
            lines.append([])
            plays = 0
        lines[-1].append(_inline_json(word))
        plays += card
    return [", ".join(line) for line in lines if line]


def _wrapped(items: Sequence[str], indent: str) -> str:
    """Return a list's items as lines of up to MAX_LINE_CHARS."""
    lines = [indent]
    for item in items:
        more = _inline_json(item) + ", "
        if len(lines[-1] + more) > MAX_LINE_CHARS and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += more
    return "\n".join(line.rstrip() for line in lines)[:-1]


def _deal_json(deal: Mapping[str, Any], players: int) -> str:
    """Return a deal as JSON; long keys have lines of their own."""
    rows: list[str] = []
    alone = True  # whether the previous row has a single key
    for key, value in deal.items():
        text = f"{_inline_json(key)}: {_inline_json(value)}"
        if key == "actions" and len(text) > MAX_LINE_CHARS:
            lines = ",\n      ".join(_action_lines(value, players))
            text = f'"actions": [\n      {lines}]'
        if key == "hands" and len(text) > MAX_LINE_CHARS:
            text = '"hands": [\n' + _wrapped(value, "      ") + "]"
        if key == "comments":
            text = '"comments": [\n      ' + ",\n      ".join(map(_inline_json, value)) + "]"
        own = key in ("hands", "talon", "deck", "bids", "actions", "times") or len(text) > 60
        if own or alone:
            rows.append(text)
        else:
            rows[-1] += f", {text}"
        alone = own
    return "   {" + ",\n    ".join(rows) + "}"


def format_match(match: Mapping[str, Any]) -> str:
    """Return a match as JSON in the layout of this folder, of equal value."""
    rows = []
    for key, value in match.items():
        if key == "deals":
            players = len(match["players"])
            deals = ",\n".join(_deal_json(deal, players) for deal in value)
            rows.append(f'"deals": [\n{deals}]')
        elif isinstance(value, list) and len(_inline_json(value)) > 2 * MAX_LINE_CHARS:  # a whole deck
            rows.append(f"{_inline_json(key)}: [\n" + _wrapped(value, "   ") + "]")
        else:
            rows.append(f"{_inline_json(key)}: {_inline_json(value)}")
    written = "{" + ",\n ".join(rows) + "}\n"
    assert json.loads(written) == match
    return written
