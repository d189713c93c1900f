"""Hooks of a game that has nothing of its own to say there: no bids, no secrets, no marks."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from dashboard.games.deal import Deal
from engine.replay import Ply


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
