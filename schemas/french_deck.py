"""Reads, checks and writes decks of French cards: each card once."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from engine.cards import HIDDEN_CARD, HIDDEN_WORD, Pack
from engine.games import DealingRules
from schemas.match_setup import DealProblem, MatchSetup, RowLayout


def read_row(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> list[int] | None:
    """Return the pack in dealing order (CH-3, CO-1), from `deck`, or from `hands` and any `talon`.

    Cards not recorded are HIDDEN_CARD. Adds to `problems`, and returns None if there is one.
    """
    players, pack = setup.players, setup.game.pack
    _, size, rest = _dealing_of(setup)

    def cards(text: str, count: int) -> list[str]:
        """Split a text into cards; a single `??` means `count` hidden cards."""
        return [HIDDEN_WORD] * count if text == HIDDEN_WORD else text.split(" ")

    if deal.deck is not None:  # `deck` excludes `hands` and `talon`
        instead = ("hands", "talon") if rest else ("hands",)
        present = [key for key in ("deck", *instead) if getattr(deal, key) is not None]
        if present != ["deck"]:
            legal = ("deck", " + ".join(instead))
            problems.append(DealProblem("deal-missing", "", present, legal))
            return None
        order = cards(deal.deck, len(pack))
        problems += _card_problems(pack, {"/deck": (order, len(pack))})
    else:
        hands = deal.hands if deal.hands is not None else [HIDDEN_WORD] * players
        if len(hands) != players:
            problems.append(DealProblem("deck-size", "/hands", len(hands), (str(players),)))
            return None
        result = deal.known("talon")
        talon = cards(HIDDEN_WORD if result is None else result, rest)
        held = [cards(hand, size) for hand in hands]
        places = {f"/hands/{seat}": (hand, size) for seat, hand in enumerate(held)}
        problems += _card_problems(pack, places | {"/talon": (talon, rest)})
        if problems:
            return None
        order = [""] * len(pack)
        for place, card in zip(dealt_places(setup, deal.dealer - 1), chain(*held, talon), strict=True):
            order[place] = card
    return None if problems else [pack.code_entries.get(card, HIDDEN_CARD) for card in order]


def write_row(
    setup: MatchSetup, dealer: int, row: np.ndarray, as_hands: bool, actions: Sequence[str] = ()
) -> dict[str, Any]:
    """Return `dealer`, and `deck` or `hands` and `talon` in drawing order (CH-3, CO-1)."""
    cards = [HIDDEN_WORD if card == HIDDEN_CARD else setup.game.pack.names[card] for card in row]
    document: dict[str, Any] = {"dealer": dealer + 1}
    if not as_hands:
        return document | {"deck": " ".join(cards)}
    _, size, rest = _dealing_of(setup)
    items = [cards[place] for place in dealt_places(setup, dealer)]
    starts = range(0, size * setup.players, size)
    document |= {"hands": [" ".join(items[start : start + size]) for start in starts]}
    if rest:
        document["talon"] = " ".join(items[-rest:])
    return document


def sorted_hand(setup: MatchSetup, state: np.void, seat: int, known: int) -> list[str]:
    """Return the cards of a hand in the mask `known`, suit by suit, strongest first."""
    return list(setup.game.pack.names_in(int(state["hand"][seat]) & known))


class TrumpOrder(NamedTuple):
    """How a game orders the trumps of a hand."""

    field: str
    """The field of a state that has the trump suit once `bidding` is over."""
    strength: np.ndarray
    """By rank, how strong a trump is."""
    all_trumps: int | None = None
    """The value of the field with which all suits are trumps."""

    def sorted_hand(self, setup: MatchSetup, state: np.void, seat: int, known: int) -> list[str]:
        """Return the cards of a hand in the mask `known`, suit by suit; trumps in their own order."""
        pack, trump = setup.game.pack, -1 if state["bidding"] else int(state[self.field])

        def place(code: int) -> tuple[int, int]:
            suit, rank = divmod(code, len(pack.ranks))
            return suit, -int(self.strength[rank] if trump in (suit, self.all_trumps) else rank)

        held = int(state["hand"][seat]) & known
        return [pack.names[code] for code in sorted(pack.codes_in(held), key=place)]


def add_equipment(match: Any, setup: MatchSetup) -> MatchSetup:
    """Return the setup unchanged: every match has the same pack."""
    return setup


def row_layout(setup: MatchSetup) -> RowLayout:
    """Return where the cards of hands and talon are in dealing order (CH-3, CO-1)."""
    places = [dealt_places(setup, dealer) for dealer in range(setup.players)]
    return RowLayout(setup.game.pack.code_entries, *_dealing_of(setup)[1:], np.array(places, np.int64))


def _dealing_of(setup: MatchSetup) -> tuple[DealingRules, int, int]:
    """Return the dealing rules, the cards per hand and the cards of the talon."""
    dealing = setup.game.dealing_rules
    assert dealing is not None  # every game with a fixed pack has dealing rules
    size = int(dealing.hand_size(setup.players))
    return dealing, size, len(setup.game.pack) - size * setup.players


def dealt_places(setup: MatchSetup, dealer: int) -> list[int]:
    """Return the index in dealing order of each hand's cards, then of the talon's as drawn."""
    dealing, size, rest = _dealing_of(setup)
    dealt = size * setup.players
    held: list[list[int]] = [[] for _ in range(setup.players)]
    for place in range(dealt):
        held[dealing.receiver(setup.rules, setup.players, dealer, place)].append(place)
    talon = (dealt + int(dealing.talon_place(setup.rules, rest, turn)) for turn in range(rest))
    return [*chain(*held), *talon]


def _card_problems(pack: Pack, places: dict[str, tuple[list[str], int]]) -> list[DealProblem]:
    """Report unknown, miscounted and duplicate cards; `places`: path → (cards, right count)."""
    problems = [
        DealProblem("deck-card", path, card)
        for path, (cards, _) in places.items()
        for card in cards
        if card not in pack.code_entries and card != HIDDEN_WORD
    ]
    problems += [
        DealProblem("deck-size", path, len(cards), (str(size),))
        for path, (cards, size) in places.items()
        if len(cards) != size
    ]
    counts = Counter(card for cards, _ in places.values() for card in cards)
    missing = tuple(card for card in pack.names if not counts[card])
    for path, (cards, _) in places.items():
        for card in dict.fromkeys(cards):
            if counts[card] > 1 and card in pack.code_entries:
                problems.append(DealProblem("duplicate-card", path, card, missing))
                counts[card] = 1  # one problem per card
    return problems
