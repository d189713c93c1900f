"""Comments of a deal as the board is told them: at a ply, in the words of whoever says them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ingest.i18n import Translate
from schemas.log import AnyMatch


class Remark(NamedTuple):
    """What is said once `after` actions are done, by whom, and by which seat if it is a player."""

    after: int
    text: str
    by: str | None = None
    seat: int | None = None


def remarks(match: AnyMatch, deal: int) -> list[Remark]:
    """The comments of a deal, from 0; who goes by the id of a player, or else the name, is one."""
    ids = [player.id for player in match.players]
    names = [player.name for player in match.players]
    known = [*ids, *names]
    return [
        Remark(one.after, one.text, one.by, known.index(one.by) % len(ids))
        if one.by in known and one.by
        else Remark(one.after, one.text, one.by)
        for one in match.deals[deal].comments or ()
    ]


def told(
    remarks: Iterable[Remark], plies: int, names: Sequence[str], t: Translate
) -> list[dict[str, Any]]:
    """`comments` of `states`, in order; one that stands outside of the deal at the nearest end."""
    found = []
    for one in remarks:
        by = one.by if one.seat is None else names[one.seat]
        who = t("{who} comments:", who=by) if by else t("Comment:")
        ply = max(0, min(one.after, plies - 1))
        found.append({"ply": ply, "who": who, "text": one.text, "seat": one.seat})
    return sorted(found, key=lambda one: one["ply"])


def marks(comments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A mark for each ply with comments, however many they are."""
    plies = dict.fromkeys(one["ply"] for one in comments)
    return [{"ply": ply, "kind": "comment", "text": ""} for ply in plies]
