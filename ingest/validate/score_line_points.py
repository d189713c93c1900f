"""Finds the totals nearest to points that no deal of a score sheet line makes."""

from collections.abc import Iterator
from typing import Any

from engine.games import Game
from engine.score_sheet_line import ScoreLine

MAX_TOTALS = 4
MAX_DISTANCE = 100  # by which one number may be wrong


def possible_totals(game: Game, line: ScoreLine, players: int, rules: Any) -> list[list[int]]:
    """Return up to four totals that a line may have: those with one number changed, else the nearest."""
    found: list[list[int]] = []
    for points in _with_one_changed(line.points or ()):
        if (
            len(found) < MAX_TOTALS
            and not game.score_line_rules.possible_ends(line._replace(points=points), players, rules).problems
        ):
            found.append([*points])
    if found or not line.points:
        return found
    ends = game.score_line_rules.possible_ends(line._replace(points=None), players, rules)
    every = {tuple(game.points(state, players)) for state in ends.states if ends.has_points}

    def distance(totals: tuple[int, ...]) -> int:
        return sum(abs(one - other) for one, other in zip(totals, line.points or (), strict=False))

    return [[*one] for one in sorted(every, key=lambda one: (distance(one), one))[:MAX_TOTALS]]


def _with_one_changed(points: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield points with one number changed, the nearest first."""
    for by in range(1, MAX_DISTANCE + 1):
        for place, number in enumerate(points):
            for other in (number - by, number + by):
                if other >= 0:
                    yield (*points[:place], other, *points[place + 1 :])
