"""Cutting for the deal: a card per seat, lowest rank deals, ties cut again."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.cards import Pack
from engine.games import Game
from engine.jit import compiled

CutCards = list[list[list[int]]]
"""Cuts as card codes: cut → attempts → one card per seat."""


@compiled
def extreme_card(cards: NDArray[np.int64], ranks: int, sign: int) -> tuple[int, bool]:
    """Return (seat of the lowest card, whether its rank is unique); the highest if `sign` is -1.

    `ranks` is the number of ranks in a suit. The first of several equal cards counts.
    """
    seat = 0
    alone = True
    for other in range(1, len(cards)):
        ahead = sign * (cards[seat] % ranks - cards[other] % ranks)
        if ahead > 0:
            seat = other
            alone = True
        elif ahead == 0:
            alone = False
    return seat, alone


def read_cuts(
    game: Game, cuts: Sequence[Sequence[str]], players: int
) -> tuple[CutCards, list[tuple[str, int, int]]]:
    """Return cuts as card codes, and their faults as (code, cut, attempt); a bad cut is empty.

    In a game without a cut both are empty: its logs do not record how the first dealer was found.
    """
    found, faults, pack = CutCards(), list[tuple[str, int, int]](), game.pack
    for i, attempts in enumerate(cuts if game.has_cut else ()):
        found.append([])
        if i > 1 and attempts:
            faults.append(("cut-repeated", i, 0))  # only the match and its belle have a cut
            continue
        for k, attempt in enumerate(attempts):
            cards = [pack.code_entries.get(card, -1) for card in attempt.split(" ")]
            if len(cards) != players or len(set(cards)) != players or -1 in cards:
                faults.append(("cut-cards", i, k))
                found[-1] = []
                break
            found[-1].append(cards)
            decided = is_decisive(cards, pack)
            if decided != (k == len(attempts) - 1):
                faults.append(("cut-repeated" if decided else "cut-undecided", i, k))
    return found, faults


def is_decisive(cards: Sequence[int], pack: Pack) -> bool:
    """Return whether an attempt decides the dealer: its lowest rank is unique."""
    return bool(extreme_card(np.array(cards), len(pack.ranks), 1)[1])


def dealers_by_cut(game: Game, cuts: CutCards) -> tuple[int, int, int]:
    """Return the seats (first dealer, highest cut, dealer of the belle), -1 where undecided."""
    ranks, named, highest = len(game.pack.ranks), [-1, -1], [-1, -1]
    for i, attempts in enumerate(cuts[:2]):
        if attempts and is_decisive(attempts[-1], game.pack):
            last = np.array(attempts[-1])
            named[i] = int(extreme_card(last, ranks, 1)[0])
            seat, alone = extreme_card(last, ranks, -1)
            highest[i] = int(seat) if alone else -1
    return named[0], highest[0], named[1]
