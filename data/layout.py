"""Matches as documents, and documents as text a person can read: one trick a line."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.chouine.match import winner_word
from engine.games import game
from engine.replay import Replay
from engine.rules import encode, settings
from engine.simulate import SimulatedDeal, SimulatedMatch
from schemas.log import FORMAT
from schemas.words import decode

WIDTH = 100


def deal_document(
    rules: np.void, players: int, deal: SimulatedDeal, hands: bool = True
) -> dict[str, Any]:
    """A Chouine deal as a log writes it, with the points and the winner the kernel computes.

    `hands`: hands and talon, easier to read than the deck in the order dealt.
    """
    this = game("chouine")
    replay = Replay(this, rules, players, deal.dealer, deal.deck, deal.codes)
    names = this.pack.names
    cards = [names[card] for card in deal.deck]
    document: dict[str, Any] = {"dealer": deal.dealer + 1}
    if hands:
        dealt = int(this.kernel.hand_size(players)) * players
        document["hands"] = [
            " ".join(cards[(seat - deal.dealer - 1) % players : dealt : players])
            for seat in range(players)
        ]
        talon = cards[dealt:]
        turned = talon[1:] + talon[:1] if rules["turn_up"] else talon
        document["talon"] = " ".join(turned)
    else:
        document["deck"] = " ".join(cards)
    document["actions"] = [decode("chouine", code) for code in deal.codes]
    document["points"] = list(replay.last.points)
    document["winner"] = winner_word(replay.last.state)
    if document["winner"] is None:  # replayed after an irregularity (CH-27)
        document |= {"void": "replay", "points": None}
    return {key: value for key, value in document.items() if value is not None}


def match_document(
    match: SimulatedMatch, rules: str | Mapping[str, Any], names: Sequence[str], **more: Any
) -> dict[str, Any]:
    """A simulated match as a log writes it, its result declared; `more` is put at the head."""
    players = len(names)
    record = encode("chouine", settings("chouine", rules, players))
    pack = game("chouine").pack
    return {
        "format": FORMAT,
        "game": "chouine",
        "rules": rules,
        **more,
        "players": [{"id": name.lower(), "name": name} for name in names],
        "cuts": [
            [" ".join(pack.names[card] for card in attempt) for attempt in attempts]
            for attempts in match.cuts
        ],
        "deals": [deal_document(record, players, deal) for deal in match.deals],
        "result": {"score": list(match.won), "winner": match.winner + 1},
    }


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
