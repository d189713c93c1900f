"""The points a line of a score sheet may have, by the engine; the points of one side leave some open."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from schemas.deal_decoder import decode_score_line
from schemas.match_models import deal_model
from schemas.match_setup import MatchSetup

MADE_COLUMN = "made"
OUTCOMES = dict.fromkeys(("fait", "faite", "reussi", "reussie", "gagne", "oui", "made", "yes"), True) | (
    dict.fromkeys(("chute", "chutee", "dedans", "rate", "ratee", "perdu", "non", "down", "no"), False)
)
"""Words for whether a contract was made, where its points belong."""


def outcome_of(text: str) -> bool | None:
    """Return whether a word means that the contract was made; None for any other text."""
    return OUTCOMES.get(fold_case_and_accents(text).strip(" .!"))


PASSED_TEXTS = frozenset(
    (
        *("passe", "passee", "passes", "passent", "tous passe", "tous passent", "tous ont passe"),
        *("tout le monde passe", "passe generale", "4 passes", "quatre passes", "personne ne prend"),
        *("pass", "all pass", "passed", "all passed", "passed out", "nobody bids", "nobody takes"),
    )
)
"""Cell texts that mean that all players passed."""


def is_passed_out(texts: Iterable[str], empty: Sequence[str]) -> bool:
    """Return whether a line has that all passed, and nothing else but texts of `empty`."""
    words = {fold_case_and_accents(text).strip(" .!") for text in texts if text}
    return bool(words & PASSED_TEXTS) and words <= {*PASSED_TEXTS, *empty}


class PointsMade:
    """A line with nothing but the points of the declarer's side, for `is_end_of_row`."""

    def __init__(self, made: int) -> None:
        self.made = made

    def read_number(self, key: str, seat: int = 0) -> int | None:
        """Return the points made; None for any other column."""
        return self.made if key == MADE_COLUMN else None


def possible_ends(
    setup: MatchSetup, deal: Mapping[str, Any], made: int | None
) -> list[tuple[tuple[int, ...], np.void]]:
    """Return the points and final state of each end with these points of the declarer's side."""
    line = decode_score_line(deal_model(setup.game.name).model_validate(deal), setup, [])
    details = line.details if made is None else {**line.details, MADE_COLUMN: made}
    line = line._replace(dealer=max(line.dealer, 0), details=details)  # any dealer: the points are the same
    ends = setup.game.score_line_rules.possible_ends(line, setup.players, setup.rules).states
    every = [(tuple(setup.game.points(one, setup.players)), one) for one in ends]
    return [(points, end) for points, end in every if any(points)]  # with announcements they are open


def result_of_made(setup: MatchSetup, deal: Mapping[str, Any], seat: int | None, made: int) -> dict[str, Any]:
    """Return the points of a deal, or only its winner, if the points of its declarer's side decide them.

    `seat`: of the side that made it, if known. The points of the others decide nothing.
    """
    support, cell = game_support(setup.game.name), PointsMade(made)
    contract = (deal.get("score_line") or {}).get("contract")
    if contract is None or MADE_COLUMN not in support.TOTALS_COLUMNS:
        return {}
    declarer = int(contract["bid"].split(" ")[0]) - 1
    if seat is not None and (seat - declarer) % setup.game.side_count(setup.players):
        return {}
    ends = possible_ends(setup, deal, made)
    fits = list(dict.fromkeys(points for points, end in ends if support.is_end_of_row(cell, end)))
    if len(fits) == 1:
        return {"points": [*fits[0]]}
    winners = {points.index(max(points)) + 1 for points in fits}
    return {"winner": winners.pop()} if len(winners) == 1 else {}


def result_of_card_points(
    setup: MatchSetup, deal: Mapping[str, Any], points: Sequence[int]
) -> dict[str, Any] | None:
    """Return what follows for a deal whose sheet has both sides' card points; None if it has their marks."""
    contract = (deal.get("score_line") or {}).get("contract")
    if contract is None or sum(points) not in game_support(setup.game.name).CARD_TOTALS:
        return None
    line = decode_score_line(
        deal_model(setup.game.name).model_validate({**deal, "points": points}), setup, []
    )
    line = line._replace(dealer=max(line.dealer, 0))
    if not setup.game.score_line_rules.possible_ends(line, setup.players, setup.rules).problems:
        return None
    side = (int(contract["bid"].split(" ")[0]) - 1) % len(points)
    return result_of_made(setup, deal, side, points[side])
