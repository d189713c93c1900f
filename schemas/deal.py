"""A deal as written → the engine's numbers, and what stands in the way.

Nothing is guessed: a card or a word nobody knows is a problem with its place.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.acts import ACT_MASK
from engine.cards import HIDDEN, UNTOLD
from engine.chouine.acts import DRAW_HIDDEN
from engine.chouineurs import deal as chouineurs_deal
from engine.games import Game
from schemas.table import Problem, Table
from schemas.words import encode


class Decoded(NamedTuple):
    """`deck` is what the kernel deals (None when it cannot), `codes` one per action.

    With HIDDEN cards in it, or draws without their card, the deal is told in part.
    """

    deck: list[int] | None
    codes: list[int]
    problems: list[Problem]
    explicit: bool = False
    hidden: tuple[int, ...] = ()
    """The places of `deck` whose cards nobody wrote down."""
    written: list[int] | None = None
    """`codes` as the log has them, where the hidden cards of `deck` and `codes` are filled in."""
    settled: bool = True
    """The deal came out the same whatever the hidden cards are,"""
    counted: bool = True
    """and if not, what it brings to the match is the same."""

    @property
    def partial(self) -> bool:
        """Whether the deal is told in part."""
        return (
            self.written is not None
            or bool(self.hidden)
            or DRAW_HIDDEN in (code & ACT_MASK for code in self.codes)
        )


def decode(deal: Any, table: Table) -> Decoded:
    """A deal's numbers; `deal` is a deal of `schemas.log`."""
    seat, path = first_seat(deal)
    problems: list[Problem] = []
    if not 1 <= seat <= table.players:
        legal = tuple(map(str, range(1, table.players + 1)))
        problems.append(Problem("deal-seat", path, seat, legal))
    if deal.void and not deal.actions and not deal.hands and not deal.known("deck"):
        return Decoded(None, [], problems)  # thrown in before anybody wrote down its cards
    codes = [encode(table.game.name, word, table.faces) for word in deal.actions]
    if table.problems:
        return Decoded(None, codes, problems)
    deck = _READERS[table.game.name](deal, table, problems)
    explicit = any(word[1:6] == " draw" for word in deal.actions)
    hidden = tuple(place for place, card in enumerate(deck or ()) if card == HIDDEN)
    return Decoded(None if problems else deck, codes, problems, explicit, hidden)


def first_seat(deal: Any) -> tuple[int, str]:
    """Who deals, or in Chouineurs who leads, from 1, and where the deal says so."""
    dealer = deal.known("dealer")
    return (deal.leader, "/leader") if dealer is None else (dealer, "/dealer")


Reader = Callable[[Any, Table, list[Problem]], list[int] | None]


def _french_cards(deal: Any, table: Table, problems: list[Problem]) -> list[int] | None:
    """The pack in the order dealt (CH-3, CO-1), from `deck`, or from `hands` and any `talon`.

    What is not there at all is HIDDEN.
    """
    pack, kernel = table.game.pack, table.game.kernel
    size = int(kernel.hand_size(table.players))
    rest = len(pack) - size * table.players
    instead = ("hands", "talon") if rest else ("hands",)
    if deal.deck is not None:
        return _pack(deal, table.game, instead, problems)
    told = deal.known("talon")
    talon = _cards(UNTOLD if told is None else told, rest)
    hands = deal.hands if deal.hands is not None else [UNTOLD] * table.players
    read = _hands(hands, size, table, problems, {"/talon": (talon, rest)})
    if read is None or problems:
        return None
    left = [list(reversed(hand)) for hand in read]
    places = range(size * table.players)
    order = [left[kernel.receiver(table.players, deal.dealer - 1, k)].pop() for k in places]
    if rest and table.settings["turn_up"]:
        talon = [talon[-1], *talon[:-1]]
    return _coded(table.game, order + talon)


def _chouineurs(deal: Any, table: Table, problems: list[Problem]) -> list[int] | None:
    """The row of hands and bids (CR-1, CR-2)."""
    assert table.deck is not None  # a table without one has problems
    assert table.bids is not None
    tricks = table.settings["tricks"]
    row, found = chouineurs_deal.read(
        deal.hands, deal.bids, table.deck, table.bids, table.players, tricks
    )
    problems += [Problem(*problem) for problem in found]
    return None if row is None else [int(number) for number in row]


_READERS: dict[str, Reader] = {
    "chouine": _french_cards,
    "coinche": _french_cards,
    "chouineurs": _chouineurs,
}


def _pack(
    deal: Any, this: Game, instead: tuple[str, ...], problems: list[Problem]
) -> list[int] | None:
    """A whole pack told by `deck` alone."""
    present = [key for key in ("deck", *instead) if getattr(deal, key) is not None]
    if present != ["deck"]:
        legal = ("deck", " + ".join(instead))
        problems.append(Problem("deal-missing", "", present, legal))
        return None
    cards = _cards(deal.deck, len(this.pack))
    problems += _card_problems(this, {"/deck": (cards, len(this.pack))})
    return None if problems else _coded(this, cards)


def _cards(text: str, size: int) -> list[str]:
    """Cards as written; `??` alone is as many of them as there should be."""
    return [UNTOLD] * size if text == UNTOLD else text.split(" ")


def _coded(this: Game, cards: list[str]) -> list[int]:
    return [this.pack.codes.get(card, HIDDEN) for card in cards]


def _hands(
    hands: list[str],
    size: int,
    table: Table,
    problems: list[Problem],
    others: dict[str, tuple[list[str], int]],
) -> list[list[str]] | None:
    """Hands as lists of cards, held against the pack together with `others`."""
    if len(hands) != table.players:
        problems.append(Problem("deck-size", "/hands", len(hands), (str(table.players),)))
        return None
    read = [_cards(hand, size) for hand in hands]
    places = {f"/hands/{seat}": (hand, size) for seat, hand in enumerate(read)}
    problems += _card_problems(table.game, places | others)
    return read


def _card_problems(this: Game, places: dict[str, tuple[list[str], int]]) -> list[Problem]:
    """Unknown cards, wrong counts, cards twice, in `places`: path → cards and how many belong."""
    problems = [
        Problem("deck-card", path, card)
        for path, (cards, _) in places.items()
        for card in cards
        if card not in this.pack.codes and card != UNTOLD
    ]
    problems += [
        Problem("deck-size", path, len(cards), (str(size),))
        for path, (cards, size) in places.items()
        if len(cards) != size
    ]
    counts = Counter(card for cards, _ in places.values() for card in cards)
    missing = tuple(card for card in this.pack.names if not counts[card])
    for path, (cards, _) in places.items():
        for card in dict.fromkeys(cards):
            if counts[card] > 1 and card in this.pack.codes:
                problems.append(Problem("deck-twice", path, card, missing))
                counts[card] = 1  # told once
    return problems
