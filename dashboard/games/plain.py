"""Hooks of a game of tricks with French cards that has nothing of its own to say there.

No bids, no secrets, no marks: a state is whose turn it is, the table, the tricks and the points.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.games.deal import (
    BACK,
    CORNER,
    Deal,
    fact,
    french_faces,
    holder,
    on_table,
    plays,
    untold,
)
from engine.replay import Ply
from ingest.finding.words import speak_word
from schemas.words import act_word


def faces(deal: Deal) -> dict[str, dict[str, str]]:
    """Each card's picture and its spoken name."""
    return french_faces(deal.replay.game.pack, deal.t)


def frame(deal: Deal) -> dict[str, Any]:
    """Everybody plays alone, and somebody deals."""
    t = deal.t
    return {
        **{"back": BACK, "corner": CORNER, "opener": t("dealer")},
        **{"sides": [], "auction": None, "jumps": []},
    }


def common(deal: Deal, index: int, names: Sequence[str]) -> dict[str, Any]:
    """What is the same of a state in every game of tricks: whose turn it is, what lies there.

    `names`: the card of each code that a play may have.
    """
    replay = deal.replay
    now = replay[index]
    act = now.action.act if now.action is not None else len(names)
    which, laid = on_table(now.state, replay.players)
    return {
        "actor": now.seat,
        "turns": [] if now.over else [now.turn],
        "due": "",
        "card": names[act] if act < len(names) else None,
        "table": [names[card] if card >= 0 else None for card in laid],
        "table_of": which,
        "taker": holder(now.state, index > 0 and now.trick > replay[index - 1].trick),
        "piles": [],
        "sides": [],
    }


def ply(deal: Deal, index: int) -> dict[str, Any]:
    """One state: who did what, and what every game of tricks has."""
    replay, t = deal.replay, deal.t
    now = replay[index]
    trick_over = index > 0 and now.trick > replay[index - 1].trick
    taker = deal.names[int(now.state["leader"])]
    return common(deal, index, card_names(deal)) | {
        "text": _event(deal, now),
        "also": [t("{who} takes the trick", who=taker)] if trick_over else [],
        "facts": [fact(t("Tricks"), str(now.trick))],
        "seats": [
            {
                "hand": [*replay.game.pack.show(now.known(seat)), *untold(now, seat)],
                "fresh": [],
                "points": now.points[seat],
                "notes": [],
                "lines": [],
                "bid": None,
            }
            for seat in range(replay.players)
        ],
    }


def opening(deal: Deal, now: Ply) -> str:
    """Who deals and who leads, before anybody has acted."""
    dealer = deal.names[int(now.state["dealer"])]
    return deal.t("{dealer} deals, {who} leads", dealer=dealer, who=deal.names[now.turn])


def _event(deal: Deal, now: Ply) -> str:
    """What the actor did, and before anybody did who deals."""
    t = deal.t
    if now.action is None:
        return opening(deal, now)
    (seat, act), names = now.action, card_names(deal)
    if act < len(names):
        return plays(deal.names[seat], names[act], t)
    game = deal.replay.game.name
    return f"{deal.names[seat]} {speak_word(t, act_word(game, act), game)}"


def card_names(deal: Deal) -> tuple[str, ...]:
    """The cards of the game's pack."""
    return deal.replay.game.pack.names


def allowed(deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
    """The legal cards; nothing else is said of what may be done."""
    names = card_names(deal)
    return [names[act] for _, act in now.legal if act < len(names)], []


def veiled(deal: Deal, now: Ply, seen: Sequence[Sequence[str]]) -> str:
    """Everybody sees what happens."""
    return ""


def shown(now: Ply, before: Ply, seat: int, known: int) -> int:
    """Nothing of a hand is shown before it is played."""
    return 0


def remarkable(deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
    """Nothing is marked but the end."""
    return iter(())


def turned(
    kind: Sequence[str],
    outcome: NDArray[np.integer],
    points: NDArray[np.integer],
    seat: NDArray[np.integer],
    worth: NDArray[np.integer],
) -> NDArray[np.bool_]:
    """No announcement would have changed a deal."""
    return np.zeros(len(seat), np.bool_)


def dealt(hands: NDArray[np.int64], players: int) -> Mapping[str, NDArray[np.int64]]:
    """No hand announces anything."""
    return {}


def dealt_worth(kind: str, trump: bool, rules: np.void) -> int:
    """No hand announces anything."""
    return 0
