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
    **{"legal": N_("legal"), "unverified": N_("unverified"), "result-only": N_("result only")},
    "irregular": N_("irregular"),
    **{"incomplete": N_("incomplete"), "broken": N_("broken"), "unreadable": N_("unreadable")},
}
"""Verdicts of matches and deals."""
UNFINISHED_LABEL = N_("unfinished")
NO_DEAL_STATUSES = ("result-only", "unreadable")
"""Verdicts that no deal has."""
EXCLUSION_LABELS: Mapping[str, str] = {
    **{"undated": N_("without a date"), "void": N_("void"), "null": N_("without a winner")},
    "unknown": N_("without a known winner"),
    **STATUS_LABELS,
    **{"sheet": N_("on score sheets"), "sheet_with_log": N_("on sheets that also have a log")},
    **{"older": N_("added earlier"), "hidden": N_("with unknown cards")},
    "few": N_("of a source with too few deals"),
}
"""Reasons to leave a deal out, as in `queries.exclusions` and `queries.fairness`."""
EXCLUSION_COUNTS: Mapping[str, str] = {
    **{"void": N_("void {n}"), "legal": N_("legal {n}"), "unverified": N_("unverified {n}")},
    **{"result-only": N_("result only {n}"), "irregular": N_("irregular {n}")},
    **{"incomplete": N_("incomplete {n}"), "broken": N_("broken {n}"), "unreadable": N_("unreadable {n}")},
}
"""Reasons with the number of deals, which French words agree with; the others never change."""
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
"""Labels of the values of options."""
RESERVE_LABEL = N_("Points from chouiner")
RESERVE_INTERVAL_LABEL = N_("95% interval of the reserve")


def verdict_label(status: str, winner: int | None, t: Translate) -> str:
    """Return a match's verdict; of a legal one also whether it goes on: its `winner` is None."""
    label = t(STATUS_LABELS[status])
    return f"{label} · {t(UNFINISHED_LABEL)}" if status == "legal" and winner is None else label


def source_name(name: str | None, t: Translate) -> str:
    """Return a source's name as in the logs, or a text that they name none."""
    return t("no source named") if name is None else name


RESULT_LETTERS: Mapping[bool | None, str] = {True: N_("W"), False: N_("L"), None: N_("D")}
"""A match one player won, lost or drew, as one letter."""


def opponents_text(names: Sequence[str] | None, game_name: str | None) -> str:
    """Return the sides as text: `Jean – Zoé`, with partners `Jean + Zoé – Odette + Marcel`."""
    names = names or ()
    return " – ".join(" + ".join(names[one] for one in side) for side in seats_by_side(len(names), game_name))


def seats_by_side(players: int, game_name: str | None) -> list[range]:
    """Return the seats of each side, from 0; `game_name` is the match's game."""
    several = _side_count(game_name, players)
    return [range(side, players, several) for side in range(several)]


def has_won(place: int, winner: int, players: int, game_name: str | None) -> bool:
    """Return whether a seat, from 0, is on the side of the winner, a seat from 1."""
    return (place - winner + 1) % _side_count(game_name, players) == 0


def result_letter(row: Mapping[str, Any], player: int, t: Translate) -> str:
    """Return a player's result in a match, a row of `queries.matches`; a dash for none.

    It is in brackets if the match is not legal.
    """
    winner, seats = row["winning_side"], row["seats"] or []
    if winner is None or player not in seats:
        return NO_VALUE
    place, players = seats.index(player), len(seats)
    text = t(RESULT_LETTERS[has_won(place, winner, players, row["game"]) if winner else None])
    return text if row["status"] == "legal" else f"({text})"


def points_lost_text(row: Mapping[str, Any], player: int | None, t: Translate) -> str:
    """Return the points lost in a match's endgames, by one player or by each side: `12 – 40`.

    The row has `looked` (NULL: not solved yet) and `lost` by seat, NULL if no deal is solved.
    """
    if row["looked"] is None:
        return NO_VALUE if row["status"] in NO_DEAL_STATUSES else t("not yet")
    points, seats = row["lost"], row["seats"] or []
    if points is None:
        return NO_VALUE
    if player in seats:
        return SortableText(format_count(points[seats.index(player)], t), points[seats.index(player)])
    sides = _side_count(row["game"], len(points))
    return " – ".join(format_count(sum(points[side::sides]), t) for side in range(sides))


def score_text(points: Sequence[int | None] | None, game_name: str | None, t: Translate) -> str:
    """Return the points of each seat or side: `5 – 3`; `game_name` is the match's game."""
    if not points or all(one is None for one in points):
        return ""
    points = points[: _side_count(game_name, len(points))]
    return " – ".join("?" if one is None else format_count(one, t) for one in points)


def _side_count(game_name: str | None, players: int) -> int:
    """Return the number of sides; for an unknown or unregistered game, one per seat."""
    return players if game_name not in registered() else game(game_name).side_count(players)


def deal_name(log: "ValidationResult", index: int, t: Translate, score: bool = True) -> str:
    """Return the label of a deal (from 0) in a list: `3 · 87 – 103 · irregular`."""
    parts = [t("Deal {n}", n=index + 1)]
    if score and (replay := log.replays[index]) is not None:
        parts.append(" – ".join(map(str, replay.last.points)))
    if log.deal_status[index] != "legal":
        parts.append(t(STATUS_LABELS[log.deal_status[index]]))
    if log.match is not None and log.match.deals[index].void:
        parts.append(t("void"))
    return " · ".join(parts)
