"""A deal as written → the engine's numbers, and what stands in the way.

Nothing is guessed: a card or a word nobody knows is a problem with its place.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.games import Game, game
from schemas.words import encode


class Problem(NamedTuple):
    """Why a deal as written is no deal: a match fault's code, where, what, what would do."""

    code: str
    path: str
    found: Any
    legal: tuple[str, ...] = ()


class Decoded(NamedTuple):
    """`deck` in the order dealt (None when it cannot be dealt), `codes` one per action."""

    deck: list[int] | None
    codes: list[int]
    problems: list[Problem]
    explicit: bool


def hand_sizes(players: int) -> tuple[int, int]:
    """(cards in a hand, cards in the talon) at a Chouine table."""
    hand = int(game("chouine").kernel.hand_size(players))
    return hand, 32 - hand * players


def chouine(deal: Any, players: int, settings: Mapping[str, Any]) -> Decoded:
    """A Chouine deal's numbers; `deal` is a `schemas.log.ChouineDeal`."""
    this = game("chouine")
    problems: list[Problem] = []
    if not 1 <= deal.dealer <= players:
        legal = tuple(map(str, range(1, players + 1)))
        problems.append(Problem("deal-seat", "/dealer", deal.dealer, legal))
    cards: list[str] | None = None
    if deal.deck is not None:
        if deal.hands is not None or deal.talon is not None:
            problems.append(Problem("deal-missing", "/deck", ["deck", "hands", "talon"]))
        else:
            cards = deal.deck.split(" ")
            problems += _problems(this, {"/deck": cards}, {"/deck": 32})
    elif deal.hands is None or deal.talon is None:
        present = [key for key in ("hands", "talon") if getattr(deal, key) is not None]
        problems.append(Problem("deal-missing", "", present, ("deck", "hands + talon")))
    else:
        cards = _from_hands(this, deal, players, settings["turn_up"], problems)
    codes = [encode("chouine", word) for word in deal.actions]
    explicit = any(word[1:6] == " draw" for word in deal.actions)
    deck = None if problems or cards is None else [this.pack.codes[card] for card in cards]
    return Decoded(deck, codes, problems, explicit)


def _from_hands(
    this: Game, deal: Any, players: int, turn_up: bool, problems: list[Problem]
) -> list[str] | None:
    """The pack in the order dealt, from hands and talon (CH-3)."""
    size, talon_size = hand_sizes(players)
    if len(deal.hands) != players:
        problems.append(Problem("deck-size", "/hands", len(deal.hands), (str(players),)))
        return None
    hands = [hand.split(" ") for hand in deal.hands]
    talon = deal.talon.split(" ")
    places = {f"/hands/{seat}": hand for seat, hand in enumerate(hands)} | {"/talon": talon}
    sizes = dict.fromkeys(places, size) | {"/talon": talon_size}
    if found := _problems(this, places, sizes):
        problems += found
        return None
    order = [hands[(deal.dealer + i) % players][k] for k in range(size) for i in range(players)]
    return order + ([talon[-1], *talon[:-1]] if turn_up else talon)


def _problems(
    this: Game, places: dict[str, list[str]], sizes: dict[str, int]
) -> list[Problem]:
    """Unknown cards, wrong counts, cards twice; each with its place."""
    problems = [
        Problem("deck-card", path, card)
        for path, cards in places.items()
        for card in cards
        if card not in this.pack.codes
    ]
    problems += [
        Problem("deck-size", path, len(cards), (str(sizes[path]),))
        for path, cards in places.items()
        if len(cards) != sizes[path]
    ]
    counts = Counter(card for cards in places.values() for card in cards)
    missing = tuple(card for card in this.pack.names if not counts[card])
    for path, cards in places.items():
        for card in dict.fromkeys(cards):
            if counts[card] > 1 and card in this.pack.codes:
                problems.append(Problem("deck-twice", path, card, missing))
                counts[card] = 1  # told once
    return problems


DECODERS = {"chouine": chouine}
"""game → (deal, players, rule settings) → Decoded."""
