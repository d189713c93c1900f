"""A deal as written → the engine's numbers, and what stands in the way.

Nothing is guessed: a card or a word nobody knows is a problem with its place.
"""

from typing import Any, NamedTuple

from engine.acts import ACT_MASK, DRAW_HIDDEN
from engine.cards import HIDDEN
from schemas.equipment import Problem, Table
from schemas.games import of
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
    if deal.void and not deal.actions and not deal.known("hands") and not deal.known("deck"):
        return Decoded(None, [], problems)  # thrown in before anybody wrote down its cards
    codes = [encode(table.game.name, word, table.faces) for word in deal.actions]
    if table.problems:
        return Decoded(None, codes, problems)
    deck = of(table.game.name).read(deal, table, problems)
    # where nobody draws the word is one of another game
    draws = table.game.acts.DRAW >= 0
    explicit = draws and any(word[1:6] == " draw" for word in deal.actions)
    hidden = tuple(place for place, card in enumerate(deck or ()) if card == HIDDEN)
    return Decoded(None if problems else deck, codes, problems, explicit, hidden)


def first_seat(deal: Any) -> tuple[int, str]:
    """Who opens a deal, from 1, and where it says so: who deals, or leads where nobody does."""
    return getattr(deal, deal.OPENS), "/" + deal.OPENS
