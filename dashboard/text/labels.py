"""Labels of verdicts, deals, matches and players."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dashboard.text.numbers import NO_VALUE, SortableText, format_count
from engine.games import game
from engine.games import game_names as registered
from ingest.i18n import N_, Translate

if TYPE_CHECKING:
    from ingest.validate.slow_path import ValidationResult

STATUS_LABELS: Mapping[str, str] = {
    **{"legal": N_("legal"), "unproven": N_("unproven"), "irregular": N_("irregular")},
    **{"incomplete": N_("incomplete"), "broken": N_("broken"), "unreadable": N_("unreadable")},
}
"""Each verdict, of matches and of deals; no deal is unreadable."""
EXCLUSION_LABELS: Mapping[str, str] = {
    **{"undated": N_("without a date"), "void": N_("void"), "null": N_("without a winner")},
    "unknown": N_("of unknown winner"),
    **STATUS_LABELS,
    **{"sheet": N_("on score sheets"), "doubled": N_("on sheets beside a log")},
    **{"older": N_("added earlier"), "hidden": N_("with unknown cards")},
    "few": N_("of a source with too few"),
}
"""Why a figure leaves a deal out, as `queries.left_out` and `queries.fairness` say it."""
VALUE_LABELS: Mapping[bool | str, str] = {
    True: N_("yes"),
    False: N_("no"),
    "any": N_("any card"),
    "combination": N_("a card of the announcement"),
    "trump": N_("that of trump"),
    "plain": N_("that of a plain suit"),
    "warn": N_("a note"),
    "ignore": N_("nothing"),
    "contract": N_("the contract"),
    "sum": N_("the contract and 160"),
}
"""An option's values in words."""
RESERVE_LABEL = N_("Points from chouiner")
RESERVE_INTERVAL_LABEL = N_("95% interval of the reserve")


def source_name(name: str | None, t: Translate) -> str:
    """A source's name as the logs have it, or that they name none."""
    return t("no source named") if name is None else name


RESULT_LETTERS: Mapping[bool | None, str] = {True: N_("W"), False: N_("L"), None: N_("D")}
"""A match one player won, lost, or saw nobody win, in one letter."""


def opponents_text(names: Sequence[str] | None, game_name: str | None) -> str:
    """Who plays whom: `Jean – Zoé`, of partners `Jean + Zoé – Odette + Marcel`."""
    names = names or ()
    return " – ".join(
        " + ".join(names[one] for one in side) for side in seats_by_side(len(names), game_name)
    )


def seats_by_side(players: int, game_name: str | None) -> list[range]:
    """The places at the table, from 0, of each side; `game_name` is the match's game."""
    several = _side_count(game_name, players)
    return [range(side, players, several) for side in range(several)]


def has_won(place: int, winner: int, players: int, game_name: str | None) -> bool:
    """Whether a place, from 0, is on the side of the winner, a seat from 1."""
    return (place - winner + 1) % _side_count(game_name, players) == 0


def result_letter(row: Mapping[str, Any], player: int, t: Translate) -> str:
    """A match for one player, a row of `queries.matches`: a letter of RESULTS, a dash for none.

    It stands in brackets where the match is not legal.
    """
    winner, seats = row["winner"], row["seats"] or []
    if winner is None or player not in seats:
        return NO_VALUE
    place, players = seats.index(player), len(seats)
    told = t(RESULT_LETTERS[has_won(place, winner, players, row["game"]) if winner else None])
    return told if row["status"] == "legal" else f"({told})"


def points_lost_text(row: Mapping[str, Any], player: int | None, t: Translate) -> str:
    """What was lost in the ends of a match's deals, by one player or by each side: `12 – 40`.

    A row with `looked` (NULL: not yet reckoned) and `points_lost_text` by seat, NULL where none is
    solved.
    """
    if row["looked"] is None:
        return t("not yet")
    points, seats = row["lost"], row["seats"] or []
    if points is None:
        return NO_VALUE
    if player in seats:
        return SortableText(
            format_count(points[seats.index(player)], t), points[seats.index(player)]
        )
    sides = _side_count(row["game"], len(points))
    return " – ".join(format_count(sum(points[side::sides]), t) for side in range(sides))


def score_text(points: Sequence[int | None] | None, game_name: str | None, t: Translate) -> str:
    """What each seat or side has: `5 – 3`; `game_name` is the match's game."""
    if not points or all(one is None for one in points):
        return ""
    points = points[: _side_count(game_name, len(points))]
    return " – ".join("?" if one is None else format_count(one, t) for one in points)


def _side_count(game_name: str | None, players: int) -> int:
    """How many sides play; of a log of no game, or of one that was forgotten, one a seat."""
    return players if game_name not in registered() else game(game_name).side_count(players)


def deal_name(log: "ValidationResult", index: int, t: Translate, score: bool = True) -> str:
    """`3 · 87 – 103 · irregular`: what a list of deals says of one, counted from 0."""
    parts = [t("Deal {n}", n=index + 1)]
    if score and (replay := log.replays[index]) is not None:
        parts.append(" – ".join(map(str, replay.last.points)))
    if log.deal_status[index] != "legal":
        parts.append(t(STATUS_LABELS[log.deal_status[index]]))
    if log.match is not None and log.match.deals[index].void:
        parts.append(t("void"))
    return " · ".join(parts)
