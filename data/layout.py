"""Matches as documents, and documents as text a person can read: one trick a line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas import simulated
from schemas.simulated import deal_documents, lay

WIDTH = 100


def deal_document(
    rules: np.void, players: int, deal: SimulatedDeal, hands: bool = True
) -> dict[str, Any]:
    """One Chouine deal as a log writes it; `rules` is the kernel's record."""
    laid = lay("chouine", None, players)
    turn_up = bool(rules["turn_up"])
    laid = laid._replace(rules=rules, settings=laid.settings | {"turn_up": turn_up})
    return deal_documents(laid, [deal], hands)[0]


def match_document(
    match: SimulatedMatch, rules: str | Mapping[str, Any], names: Sequence[str], **more: Any
) -> dict[str, Any]:
    """A simulated match of Chouine between players known by their names, hands laid open."""
    players = [{"id": name.lower(), "name": name} for name in names]
    laid = lay("chouine", rules, len(names))
    return simulated.match_document(laid, match, rules, players, hands=True, **more)


def _inline(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _actions(actions: Sequence[str], players: int) -> list[str]:
    """The actions as lines, two tricks a line at two players, one at more."""
    lines: list[list[str]] = [[]]
    plays = 0
    for word in actions:
        lines[-1].append(_inline(word))
        act = word.split(" ", 1)[-1]
        if len(act) == 2:
            plays += 1
            if plays % (4 if players == 2 else players) == 0:
                lines.append([])
    return [", ".join(line) for line in lines if line]


def _deal(deal: Mapping[str, Any], players: int) -> str:
    """A deal: who deals and the cards, then the actions, then what the sheet says."""
    rows = []
    head: list[str] = []
    for key, value in deal.items():
        text = f"{_inline(key)}: {_inline(value)}"
        if key == "actions" and len(text) > WIDTH:
            lines = ",\n      ".join(_actions(value, players))
            text = f'"actions": [\n      {lines}]'
        if key in ("hands", "talon", "deck", "actions", "times") or len(text) > 60:
            rows += [", ".join(head)] if head else []
            head = []
            rows.append(text)
        else:
            head.append(text)
    rows += [", ".join(head)] if head else []
    return "   {" + ",\n    ".join(rows) + "}"


def text(match: Mapping[str, Any]) -> str:
    """A match as the files of this directory hold it; the same value for every JSON reader."""
    rows = []
    for key, value in match.items():
        if key == "deals":
            players = len(match["players"])
            deals = ",\n".join(_deal(deal, players) for deal in value)
            rows.append(f'"deals": [\n{deals}]')
        else:
            rows.append(f"{_inline(key)}: {_inline(value)}")
    written = "{" + ",\n ".join(rows) + "}\n"
    assert json.loads(written) == match
    return written
