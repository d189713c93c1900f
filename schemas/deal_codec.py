"""A deal as written → the engine's numbers, and what stands in the way.

Nothing is guessed: a card or a word nobody knows is a problem with its place.
"""

from typing import Any, NamedTuple

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT
from engine.cards import HIDDEN
from engine.score_line import Line
from schemas.games import of
from schemas.match_setup import Problem, Table
from schemas.notation import encode


class Decoded(NamedTuple):
    """`deck` is what the kernel deals (None when it cannot), `codes` one per action.

    With HIDDEN cards in it, or draws without their card, the deal is told in part.
    """

    deck: list[int] | None
    codes: list[int]
    problems: list[Problem]
    explicit: bool = False
    hidden: tuple[int, ...] = ()  # the places of `deck` whose cards nobody wrote down
    written: list[int] | None = None
    """`codes` as the log has them, where the hidden cards of `deck` and `codes` are filled in."""
    settled: bool = True  # the deal came out the same whatever the hidden cards are,
    counted: bool = True  # and if not, what it brings to the match is the same

    @property
    def partial(self) -> bool:
        """Whether the deal is told in part."""
        return (
            self.written is not None
            or bool(self.hidden)
            or DRAW_HIDDEN in (code & ACT_MASK for code in self.codes)
        )


def decode(deal: Any, table: Table) -> Decoded:
    """A deal's numbers; `deal` is a deal of `schemas.match_models`."""
    problems = seat_problems(deal, table)
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


def seat_problems(deal: Any, table: Table) -> list[Problem]:
    """That nobody sits where a deal says it was dealt from."""
    seat, path = first_seat(deal)
    legal = tuple(map(str, range(1, table.players + 1)))
    return [] if 1 <= seat <= table.players else [Problem("deal-seat", path, seat, legal)]


def is_line(deal: Any) -> bool:
    """Whether a deal is a line of a score sheet: something is told of it, but no card nor act."""
    played = deal.void or deal.actions or any(map(deal.known, ("deck", "hands", "talon", "bids")))
    return not played and not (deal.told is None and deal.points is None and deal.winner is None)


def line(deal: Any, table: Table, problems: list[Problem]) -> Line:
    """Such a deal as numbers; its words are codes of acts."""
    told, said, found = deal.told, dict[str, Any](), list[Problem]()

    def code(word: str, path: str) -> int:
        """The code of an action; a problem where it is none, or its seat is nobody's."""
        number = encode(table.game.name, word, table.faces)
        if number & ACT_MASK >= table.game.acts.ACTS:
            found.append(Problem("unknown-action", path, word))
        elif number >> SEAT_SHIFT >= table.players:
            found.append(Problem("no-such-seat", path, word))
        return number

    if told is not None and not table.problems:
        said = of(table.game.name).told(told, table, found, code)
        if told.end is not None:
            said["end"] = code(told.end, "/end")
        problems += [one._replace(path="/told" + one.path) for one in found]
    points = None if deal.points is None else tuple(deal.points)
    return Line(first_seat(deal)[0] - 1, points, deal.winner, said)


def first_seat(deal: Any) -> tuple[int, str]:
    """Who opens a deal, from 1, and where it says so: who deals, or leads where nobody does."""
    return getattr(deal, deal.OPENS), "/" + deal.OPENS
