"""Converts a written deal into the engine's arrays.

Nothing is guessed: a card or a word nobody knows is a problem with its place.
"""

from typing import Any, NamedTuple

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT
from engine.cards import HIDDEN_CARD
from engine.score_line import ScoreLine
from schemas.games import schemas_of
from schemas.match_setup import DealProblem, MatchSetup
from schemas.notation import encode_action


class DecodedDeal(NamedTuple):
    """`deck` is what the kernel deals (None when it cannot), `codes` one per action.

    With HIDDEN cards in it, or draws without their card, the deal is told in part.
    """

    deck: list[int] | None
    codes: list[int]
    problems: list[DealProblem]
    explicit: bool = False
    hidden: tuple[int, ...] = ()  # the places of `deck` whose cards nobody wrote down
    recorded_codes: list[int] | None = None
    """`codes` as the log has them, where the hidden cards of `deck` and `codes` are filled in."""
    is_outcome_known: bool = True  # the deal came out the same whatever the hidden cards are,
    is_count_known: bool = True  # and if not, what it brings to the match is the same

    @property
    def is_partially_recorded(self) -> bool:
        """Whether the deal is told in part."""
        return (
            self.recorded_codes is not None
            or bool(self.hidden)
            or DRAW_HIDDEN in (code & ACT_MASK for code in self.codes)
        )


def decode_deal(deal: Any, setup: MatchSetup) -> DecodedDeal:
    """A deal's numbers; `deal` is a deal of `schemas.match_models`."""
    problems = opener_problems(deal, setup)
    if deal.void and not deal.actions and not deal.known("hands") and not deal.known("deck"):
        return DecodedDeal(None, [], problems)  # thrown in before anybody wrote down its cards
    codes = [encode_action(setup.game.name, word, setup.faces) for word in deal.actions]
    if setup.problems:
        return DecodedDeal(None, codes, problems)
    deck = schemas_of(setup.game.name).read_row(deal, setup, problems)
    # where nobody draws the word is one of another game
    draws = setup.game.acts.FIRST_DRAW >= 0
    explicit = draws and any(word[1:6] == " draw" for word in deal.actions)
    hidden = tuple(place for place, card in enumerate(deck or ()) if card == HIDDEN_CARD)
    return DecodedDeal(None if problems else deck, codes, problems, explicit, hidden)


def opener_problems(deal: Any, setup: MatchSetup) -> list[DealProblem]:
    """That nobody sits where a deal says it was dealt from."""
    seat, path = opening_seat(deal)
    legal = tuple(map(str, range(1, setup.players + 1)))
    return [] if 1 <= seat <= setup.players else [DealProblem("deal-seat", path, seat, legal)]


def is_score_line(deal: Any) -> bool:
    """Whether a deal is a line of a score sheet: something is told of it, but no card nor act."""
    played = deal.void or deal.actions or any(map(deal.known, ("deck", "hands", "talon", "bids")))
    return not played and not (deal.told is None and deal.points is None and deal.winner is None)


def decode_score_line(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> ScoreLine:
    """Such a deal as numbers; its words are codes of acts."""
    told, said, found = deal.told, dict[str, Any](), list[DealProblem]()

    def code(word: str, path: str) -> int:
        """The code of an action; a problem where it is none, or its seat is nobody's."""
        number = encode_action(setup.game.name, word, setup.faces)
        if number & ACT_MASK >= setup.game.acts.ACT_COUNT:
            found.append(DealProblem("unknown-action", path, word))
        elif number >> SEAT_SHIFT >= setup.players:
            found.append(DealProblem("no-such-seat", path, word))
        return number

    if told is not None and not setup.problems:
        said = schemas_of(setup.game.name).read_score_line(told, setup, found, code)
        if told.end is not None:
            said["end"] = code(told.end, "/end")
        problems += [one._replace(path="/told" + one.path) for one in found]
    points = None if deal.points is None else tuple(deal.points)
    return ScoreLine(opening_seat(deal)[0] - 1, points, deal.winner, said)


def opening_seat(deal: Any) -> tuple[int, str]:
    """Who opens a deal, from 1, and where it says so: who deals, or leads where nobody does."""
    return getattr(deal, deal.OPENS), "/" + deal.OPENS
