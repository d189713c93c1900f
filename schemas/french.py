"""What games with one pack of French cards share: how a pack or hands are read and written."""

from collections import Counter
from typing import Any

import numpy as np

from engine.cards import HIDDEN, UNTOLD, Pack
from engine.games import Dealing, Game
from schemas.table import Layout, Problem, Table


def read(deal: Any, laid: Table, problems: list[Problem]) -> list[int] | None:
    """The pack in the order dealt (CH-3, CO-1), from `deck`, or from `hands` and any `talon`.

    What is not there at all is HIDDEN.
    """
    dealing, players, pack = _dealing(laid.game), laid.players, laid.game.pack
    size = int(dealing.hand_size(players))
    rest = len(pack) - size * players

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
        left = [list(reversed(hand)) for hand in held]
        order = [
            left[dealing.receiver(players, deal.dealer - 1, place)].pop()
            for place in range(size * players)
        ]
        undealt = [""] * rest
        for turn, card in enumerate(talon):
            undealt[dealing.talon_place(laid.rules, rest, turn)] = card
        order += undealt
    return None if problems else [pack.codes.get(card, HIDDEN) for card in order]


def write(laid: Table, dealer: int, row: np.ndarray, hands: bool) -> dict[str, Any]:
    """The pack, or each hand and the talon as it will be drawn (CH-3, CO-1)."""
    dealing, players = _dealing(laid.game), laid.players
    cards = [UNTOLD if card == HIDDEN else laid.game.pack.names[card] for card in row]
    document: dict[str, Any] = {"dealer": dealer + 1}
    if not hands:
        return document | {"deck": " ".join(cards)}
    size = int(dealing.hand_size(players)) * players
    held: list[list[str]] = [[] for _ in range(players)]
    for place, card in enumerate(cards[:size]):
        held[dealing.receiver(players, dealer, place)].append(card)
    document |= {"hands": [" ".join(hand) for hand in held]}
    if rest := cards[size:]:
        places = (dealing.talon_place(laid.rules, len(rest), turn) for turn in range(len(rest)))
        document["talon"] = " ".join(rest[place] for place in places)
    return document


def hand(laid: Table, state: np.void, seat: int, known: int) -> list[str]:
    """The cards of a hand that are in the mask `known`, suit by suit, strongest first."""
    return list(laid.game.pack.show(int(state["hand"][seat]) & known))


def equipped(match: Any, laid: Table) -> Table:
    """The table as it is: every match has the same pack."""
    return laid


def layout(laid: Table) -> Layout:
    """Where hands and talon lie in the pack in the order dealt (CH-3, CO-1)."""
    dealing, players, pack = _dealing(laid.game), laid.players, laid.game.pack
    size = int(dealing.hand_size(players))
    dealt = size * players
    rest = len(pack) - dealt
    places = np.zeros((players, len(pack)), np.int64)
    for dealer in range(players):
        held = [0] * players
        for place in range(dealt):
            seat = int(dealing.receiver(players, dealer, place))
            places[dealer, seat * size + held[seat]] = place
            held[seat] += 1
        for turn in range(rest):
            places[dealer, dealt + turn] = dealt + dealing.talon_place(laid.rules, rest, turn)
    return Layout(pack.codes, size, rest, places)


def _dealing(this: Game) -> Dealing:
    assert this.dealing is not None  # a game with one pack for all matches says how it is dealt
    return this.dealing


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
