"""What verdicts, deals, matches and those who play are called; no Streamlit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dashboard.text.numbers import NONE, Figure, count_of
from engine.games import game
from engine.games import names as registered
from ingest.i18n import N_, Translate

if TYPE_CHECKING:
    from ingest.validate.slow_path import Explained

STATUSES: Mapping[str, str] = {
    **{"legal": N_("legal"), "unproven": N_("unproven"), "irregular": N_("irregular")},
    **{"incomplete": N_("incomplete"), "broken": N_("broken"), "unreadable": N_("unreadable")},
}
"""Each verdict, of matches and of deals; no deal is unreadable."""
REASONS: Mapping[str, str] = {
    **{"undated": N_("without a date"), "void": N_("void"), "null": N_("without a winner")},
    "unknown": N_("of unknown winner"),
    **STATUSES,
    **{"sheet": N_("on score sheets"), "doubled": N_("on sheets beside a log")},
    **{"older": N_("added earlier"), "hidden": N_("with unknown cards")},
    "few": N_("of a source with too few"),
}
"""Why a figure leaves a deal out, as `queries.left_out` and `queries.fairness` say it."""
VALUES: Mapping[bool | str, str] = {
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
RESERVE = N_("Points from chouiner")
OF_RESERVE = N_("95% interval of the reserve")


def source_name(name: str | None, t: Translate) -> str:
    """A source's name as the logs have it, or that they name none."""
    return t("no source named") if name is None else name


RESULTS: Mapping[bool | None, str] = {True: N_("W"), False: N_("L"), None: N_("D")}
"""A match one player won, lost, or saw nobody win, in one letter."""


def against(names: Sequence[str] | None, known: str | None) -> str:
    """Who plays whom: `Jean – Zoé`, of partners `Jean + Zoé – Odette + Marcel`."""
    names = names or ()
    return " – ".join(" + ".join(names[one] for one in side) for side in sides(len(names), known))


def sides(players: int, known: str | None) -> list[range]:
    """The places at the table, from 0, of each side; `known` is the match's game."""
    several = _sides(known, players)
    return [range(side, players, several) for side in range(several)]


def has_won(place: int, winner: int, players: int, known: str | None) -> bool:
    """Whether a place, from 0, is on the side of the winner, a seat from 1."""
    return (place - winner + 1) % _sides(known, players) == 0


def result(row: Mapping[str, Any], player: int, t: Translate) -> str:
    """A match for one player, a row of `queries.matches`: a letter of RESULTS, a dash for none.

    It stands in brackets where the match is not legal.
    """
    winner, seats = row["winner"], row["seats"] or []
    if winner is None or player not in seats:
        return NONE
    place, players = seats.index(player), len(seats)
    told = t(RESULTS[has_won(place, winner, players, row["game"]) if winner else None])
    return told if row["status"] == "legal" else f"({told})"


def lost(row: Mapping[str, Any], player: int | None, t: Translate) -> str:
    """What was lost in the ends of a match's deals, by one player or by each side: `12 – 40`.

    A row with `looked` (NULL: not yet reckoned) and `lost` by seat, NULL where none is solved.
    """
    if row["looked"] is None:
        return t("not yet")
    points, seats = row["lost"], row["seats"] or []
    if points is None:
        return NONE
    if player in seats:
        return Figure(count_of(points[seats.index(player)], t), points[seats.index(player)])
    sides = _sides(row["game"], len(points))
    return " – ".join(count_of(sum(points[side::sides]), t) for side in range(sides))


def score_of(points: Sequence[int | None] | None, known: str | None, t: Translate) -> str:
    """What each seat or side has: `5 – 3`; `known` is the match's game."""
    if not points or all(one is None for one in points):
        return ""
    points = points[: _sides(known, len(points))]
    return " – ".join("?" if one is None else count_of(one, t) for one in points)


def _sides(known: str | None, players: int) -> int:
    """How many sides play; of a log of no game, or of one that was forgotten, one a seat."""
    return players if known not in registered() else game(known).sides(players)


def deal_name(log: "Explained", index: int, t: Translate, score: bool = True) -> str:
    """`3 · 87 – 103 · irregular`: what a list of deals says of one, counted from 0."""
    parts = [t("Deal {n}", n=index + 1)]
    if score and (replay := log.replays[index]) is not None:
        parts.append(" – ".join(map(str, replay.last.points)))
    if log.deal_status[index] != "legal":
        parts.append(t(STATUSES[log.deal_status[index]]))
    if log.match is not None and log.match.deals[index].void:
        parts.append(t("void"))
    return " · ".join(parts)
