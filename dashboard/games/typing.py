"""How deals of French cards are typed in: the grid, the keys of a card, what is asked before."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.games.records import Ask, Tile
from engine.cards import SUITS, SYMBOLS, pretty
from ingest.finding.words import speak_word
from ingest.i18n import Translate
from schemas.table import Table

RANK_KEYS = {"T": ("10", "t"), "K": ("k", "r"), "Q": ("q", "d"), "J": ("j", "v")}
"""How a rank is typed, besides by its own letter: English and French figures beside each other."""
SUIT_KEYS = {suit: (suit, sign) for suit, sign in SYMBOLS.items()}
GIVE_UP = ("re", "ab")
"""Resigning: *resign*, *abandon*."""


def grid(table: Table) -> list[list[str]]:
    """A row a suit, the strongest of a plain suit first."""
    pack = table.game.pack
    return [[rank + suit for rank in reversed(pack.ranks)] for suit in SUITS]


def tile(table: Table, card: str, t: Translate) -> Tile:
    """A card as players write it."""
    return Tile(pretty(card, t.language), card[1])


def card_keys(table: Table, t: Translate) -> dict[str, str]:
    """What is typed → the card; first the way that is shown in the reader's language."""
    found: dict[str, str] = {}
    for card in table.game.pack.names:
        ranks = RANK_KEYS.get(card[0], (card[0].lower(),))
        for rank in reversed(ranks) if t.language == "fr" and card[0] in "KQJ" else ranks:
            found |= {rank + suit: card for suit in SUIT_KEYS[card[1]]}
    return found


def with_suits(key: str, word: str) -> dict[str, str]:
    """The keys of a word that is said of a suit, with that suit's letter or its sign."""
    return {key + typed: word + suit for suit in SUITS for typed in SUIT_KEYS[suit]}


def called(word: str, t: Translate) -> str:
    """A word as a player says it."""
    return speak_word(t, word)


def is_seldom(word: str, in_turn: bool) -> bool:
    """Whoever gives up, and what is said out of turn."""
    return word == "resign" or not in_turn


def asks(table: Table, told: Mapping[str, Any], t: Translate) -> Ask | None:
    """Nothing has to be told before somebody acts."""
    return None


def answered(
    table: Table, told: Mapping[str, Any], about: Sequence[str], answer: str
) -> dict[str, Any]:
    """Nothing is asked, so nothing is told."""
    return dict(told)


def hand_size(table: Table) -> int:
    """The cards each player is dealt."""
    assert table.game.dealing is not None  # a game with one pack says how it is dealt
    return int(table.game.dealing.hand_size(table.players))


def held(table: Table, card: str) -> str:
    """A card of a hand is written as when it is played."""
    return card
