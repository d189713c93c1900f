"""What every deal of a match is read and replayed with: its game, seats, rules and deck."""

from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import orjson

from engine.chouineurs import bids as bid_cards
from engine.chouineurs import deck as decks
from engine.chouineurs.bids import BidCards
from engine.chouineurs.deal import equip, show_hand
from engine.chouineurs.deck import Deck
from engine.games import Game, game
from engine.rules import encode, settings


class Problem(NamedTuple):
    """What stands in the way of a deal: a match fault's code, where, what, what would do."""

    code: str
    path: str
    found: Any
    legal: tuple[str, ...] = ()


class Table(NamedTuple):
    """`problems` says why no deal of the match can be read; `faces` are Chouineurs' words."""

    game: Game
    players: int
    settings: dict[str, Any]
    rules: np.void
    faces: tuple[str, ...] = ()
    deck: Deck | None = None
    bids: BidCards | None = None
    problems: tuple[Problem, ...] = ()

    def hand(self, state: np.void, seat: int, cards: int) -> list[str]:
        """Cards of a seat's hand, a set of the kernel's, as their player sorts them."""
        if self.deck is None:
            return list(self.game.pack.show(cards))
        state = state.copy()
        state["hand"][seat] = cards
        return show_hand(state, self.deck, seat)


def table(match: Any) -> Table:
    """The table of a match (`schemas.log.AnyMatch`). UnknownRule: rules nobody knows."""
    this = game(match.game)
    players = len(match.players)
    chosen = settings(match.game, match.rules, players)
    laid = Table(this, players, chosen, encode(match.game, chosen))
    return _chouineurs(match, laid) if match.game == "chouineurs" else laid


def named_decks() -> list[str]:
    """The decks that ship under `data/decks/`."""
    folder = files("data").joinpath("decks")
    return sorted(
        entry.name.removesuffix(".json")
        for entry in folder.iterdir()
        if entry.name.endswith(".json")
    )


@lru_cache(maxsize=64)
def deck_of(cards: tuple[str, ...]) -> Deck:
    """The deck of some cards, built once. BadDeck: any problem."""
    return Deck(cards)


@lru_cache(maxsize=64)
def named_deck(name: str) -> tuple[str, ...]:
    """The cards of a deck that ships. KeyError: no such deck."""
    if not isinstance(name, str) or name not in named_decks():
        raise KeyError(name)
    text = files("data").joinpath("decks", f"{name}.json").read_bytes()
    return tuple(orjson.loads(text)["cards"])


def _chouineurs(match: Any, laid: Table) -> Table:
    found: list[Problem] = []
    cards: tuple[str, ...] = ()
    if isinstance(match.deck, list):
        cards = tuple(match.deck)
        found += [_under("/deck", problem) for problem in decks.problems(cards)]
    else:
        try:
            cards = named_deck(match.deck)
        except (KeyError, TypeError):
            found.append(Problem("deck-unknown", "/deck", match.deck, tuple(named_decks())))
    own = match.bid_cards if match.bid_cards is not None else bid_cards.PUBLISHED
    found += [_under("/bid_cards", problem) for problem in bid_cards.problems(own)]
    if found:
        return laid._replace(problems=tuple(found))
    deck, bids = deck_of(cards), BidCards(own)
    rules = equip(laid.rules, deck, bids)
    return laid._replace(rules=rules, faces=deck.names, deck=deck, bids=bids)


def _under(path: str, problem: decks.Problem) -> Problem:
    return Problem(problem.code, path + problem.path, problem.found, problem.legal)
