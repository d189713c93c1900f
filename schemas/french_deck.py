"""What games with one pack of French cards share: how a pack or hands are read and written."""

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np

from engine.cards import HIDDEN, UNTOLD, Pack
from engine.games import Dealing
from schemas.match_setup import Layout, Problem, Table


def read(deal: Any, laid: Table, problems: list[Problem]) -> list[int] | None:
    """The pack in the order dealt (CH-3, CO-1), from `deck`, or from `hands` and any `talon`.

    What is not there at all is HIDDEN.
    """
    players, pack = laid.players, laid.game.pack
    _, size, rest = _dealing(laid)

    def cards(text: str, count: int) -> list[str]:
        """Cards as written; `??` alone is as many of them as there should be."""
        return [UNTOLD] * count if text == UNTOLD else text.split(" ")

    if deal.deck is not None:  # a whole pack is told by that alone
        instead = ("hands", "talon") if rest else ("hands",)
        present = [key for key in ("deck", *instead) if getattr(deal, key) is not None]
        if present != ["deck"]:
            legal = ("deck", " + ".join(instead))
            problems.append(Problem("deal-missing", "", present, legal))
            return None
        order = cards(deal.deck, len(pack))
        problems += _card_problems(pack, {"/deck": (order, len(pack))})
    else:
        hands = deal.hands if deal.hands is not None else [UNTOLD] * players
        if len(hands) != players:
            problems.append(Problem("deck-size", "/hands", len(hands), (str(players),)))
            return None
        told = deal.known("talon")
        talon = cards(UNTOLD if told is None else told, rest)
        held = [cards(hand, size) for hand in hands]
        places = {f"/hands/{seat}": (hand, size) for seat, hand in enumerate(held)}
        problems += _card_problems(pack, places | {"/talon": (talon, rest)})
        if problems:
            return None
        order = [""] * len(pack)
        for place, card in zip(_places(laid, deal.dealer - 1), chain(*held, talon), strict=True):
            order[place] = card
    return None if problems else [pack.codes.get(card, HIDDEN) for card in order]


def write(laid: Table, dealer: int, row: np.ndarray, hands: bool) -> dict[str, Any]:
    """The pack, or each hand and the talon as it will be drawn (CH-3, CO-1)."""
    cards = [UNTOLD if card == HIDDEN else laid.game.pack.names[card] for card in row]
    document: dict[str, Any] = {"dealer": dealer + 1}
    if not hands:
        return document | {"deck": " ".join(cards)}
    _, size, rest = _dealing(laid)
    told = [cards[place] for place in _places(laid, dealer)]
    starts = range(0, size * laid.players, size)
    document |= {"hands": [" ".join(told[start : start + size]) for start in starts]}
    if rest:
        document["talon"] = " ".join(told[-rest:])
    return document


def hand(laid: Table, state: np.void, seat: int, known: int) -> list[str]:
    """The cards of a hand that are in the mask `known`, suit by suit, strongest first."""
    return list(laid.game.pack.show(int(state["hand"][seat]) & known))


def equipped(match: Any, laid: Table) -> Table:
    """The table as it is: every match has the same pack."""
    return laid


def layout(laid: Table) -> Layout:
    """Where hands and talon lie in the pack in the order dealt (CH-3, CO-1)."""
    places = [_places(laid, dealer) for dealer in range(laid.players)]
    return Layout(laid.game.pack.codes, *_dealing(laid)[1:], np.array(places, np.int64))


def _dealing(laid: Table) -> tuple[Dealing, int, int]:
    """How the cards are dealt, how many a hand has, and the talon."""
    dealing = laid.game.dealing
    assert dealing is not None  # a game with one pack for all matches says how it is dealt
    size = int(dealing.hand_size(laid.players))
    return dealing, size, len(laid.game.pack) - size * laid.players


def _places(laid: Table, dealer: int) -> list[int]:
    """The place in the order dealt of each card of the hands, and of the talon as it is drawn."""
    dealing, size, rest = _dealing(laid)
    dealt = size * laid.players
    held: list[list[int]] = [[] for _ in range(laid.players)]
    for place in range(dealt):
        held[dealing.receiver(laid.players, dealer, place)].append(place)
    talon = (dealt + int(dealing.talon_place(laid.rules, rest, turn)) for turn in range(rest))
    return [*chain(*held), *talon]


def _card_problems(pack: Pack, places: dict[str, tuple[list[str], int]]) -> list[Problem]:
    """Unknown cards, wrong counts, cards twice, in `places`: path → cards and how many belong."""
    problems = [
        Problem("deck-card", path, card)
        for path, (cards, _) in places.items()
        for card in cards
        if card not in pack.codes and card != UNTOLD
    ]
    problems += [
        Problem("deck-size", path, len(cards), (str(size),))
        for path, (cards, size) in places.items()
        if len(cards) != size
    ]
    counts = Counter(card for cards, _ in places.values() for card in cards)
    missing = tuple(card for card in pack.names if not counts[card])
    for path, (cards, _) in places.items():
        for card in dict.fromkeys(cards):
            if counts[card] > 1 and card in pack.codes:
                problems.append(Problem("deck-twice", path, card, missing))
                counts[card] = 1  # told once
    return problems
