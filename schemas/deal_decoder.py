"""Converts a written deal into the engine's arrays.

Nothing is guessed: an unknown card or word becomes a problem with its place.
"""

from typing import Any, NamedTuple

from engine.actions import ACT_MASK, DRAW_HIDDEN, SEAT_SHIFT
from engine.cards import HIDDEN_CARD
from engine.score_sheet_line import ScoreLine
from schemas.games import schemas_of
from schemas.match_setup import DealProblem, MatchSetup
from schemas.notation import encode_action


class DecodedDeal(NamedTuple):
    """A deal as the engine replays it: `deck` is the row the kernel deals from, None if it cannot
    be read; `codes` has one code per action.
    """

    deck: list[int] | None
    codes: list[int]
    problems: list[DealProblem]
    explicit: bool = False
    hidden: tuple[int, ...] = ()  # indices in `deck` of the cards not recorded
    recorded_codes: list[int] | None = None
    """The original `codes`, set once hidden cards in `deck` and `codes` have been filled in."""
    is_outcome_known: bool = True  # the outcome does not depend on hidden cards
    is_count_known: bool = True  # nor does its effect on the match

    @property
    def is_partially_recorded(self) -> bool:
        """Whether the log lacks cards of the deal, dealt or drawn."""
        return (
            self.recorded_codes is not None
            or bool(self.hidden)
            or DRAW_HIDDEN in (code & ACT_MASK for code in self.codes)
        )


def decode_deal(deal: Any, setup: MatchSetup) -> DecodedDeal:
    """Convert a deal of `schemas.match_models` into the engine's arrays, collecting problems."""
    problems = opener_problems(deal, setup)
    if deal.void and not deal.actions and not deal.known("hands") and not deal.known("deck"):
        return DecodedDeal(None, [], problems)  # void before its cards were recorded
    codes = [encode_action(setup.game.name, word, setup.faces) for word in deal.actions]
    if setup.problems:
        return DecodedDeal(None, codes, problems)
    deck = schemas_of(setup.game.name).read_row(deal, setup, problems)
    # in a game without draws, such a word is an unknown action
    draws = setup.game.acts.FIRST_DRAW >= 0
    explicit = draws and any(word[1:6] == " draw" for word in deal.actions)
    hidden = tuple(place for place, card in enumerate(deck or ()) if card == HIDDEN_CARD)
    return DecodedDeal(None if problems else deck, codes, problems, explicit, hidden)


def opener_problems(deal: Any, setup: MatchSetup) -> list[DealProblem]:
    """Return a problem if the opening seat of a deal is not at the table.

    A line of a score sheet may leave the dealer out.
    """
    seat, path = getattr(deal, deal.OPENS), opening_seat(deal)[1]
    if seat is None and is_score_line(deal):
        return []
    legal = tuple(map(str, range(1, setup.players + 1)))
    return [] if 1 <= (seat or 0) <= setup.players else [DealProblem("deal-seat", path, seat, legal)]


def is_score_line(deal: Any) -> bool:
    """Whether a deal is a score sheet line: it has a result or `score_line`, but no cards or actions."""
    played = deal.void or deal.actions or any(map(deal.known, ("deck", "hands", "talon", "bids")))
    return not played and not (deal.score_line is None and deal.points is None and deal.winner is None)


def result_alone(deal: Any) -> Any:
    """Return a deal as a line of a score sheet: who opens it and its declared result, without a card."""
    wanted = deal.OPENS, "points", "winner", "manche", "score_line"
    return type(deal)(**{key: deal.known(key) for key in wanted if key in deal.model_fields_set})


def decode_score_line(deal: Any, setup: MatchSetup, problems: list[DealProblem]) -> ScoreLine:
    """Convert a score sheet line into numbers and action codes, adding to `problems`."""
    result, output, found = deal.score_line, dict[str, Any](), list[DealProblem]()

    def code(word: str, path: str) -> int:
        """Return an action's code; add a problem if the action or its seat does not exist."""
        number = encode_action(setup.game.name, word, setup.faces)
        if number & ACT_MASK >= setup.game.acts.ACT_COUNT:
            found.append(DealProblem("unknown-action", path, word))
        elif number >> SEAT_SHIFT >= setup.players:
            found.append(DealProblem("no-such-seat", path, word))
        return number

    if result is not None and not setup.problems:
        output = schemas_of(setup.game.name).read_score_line(result, setup, found, code)
        if result.end is not None:
            output["end"] = code(result.end, "/end")
        problems += [one._replace(path="/score_line" + one.path) for one in found]
    points = None if deal.points is None else tuple(deal.points)
    return ScoreLine(opening_seat(deal)[0] - 1, points, deal.winner, output)


def opening_seat(deal: Any) -> tuple[int, str]:
    """Return the seat that opens a deal (deals, or leads), from 1, and its JSON pointer.

    0: a dealer who is not recorded.
    """
    return getattr(deal, deal.OPENS) or 0, "/" + deal.OPENS
