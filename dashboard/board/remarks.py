"""Comments of a deal as the board is told them: at a ply, in the words of whoever says them."""

from collections.abc import Iterable, Sequence
from typing import Any

from ingest.i18n import Translate
from schemas.remarks import Remark


def comments_of(
    remarks: Iterable[Remark], plies: int, names: Sequence[str], t: Translate
) -> list[dict[str, Any]]:
    """`comments` of `states`, in the order they are met."""
    found = []
    for one in remarks:
        by = one.by if one.seat is None else names[one.seat]
        who = t("{who} comments:", who=by) if by else t("Comment:")
        found.append({"ply": one.ply(plies), "who": who, "text": one.text, "seat": one.seat})
    return sorted(found, key=lambda one: one["ply"])


def marks(comments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A mark for each ply with comments, however many they are."""
    plies = dict.fromkeys(one["ply"] for one in comments)
    return [{"ply": ply, "kind": "comment", "text": ""} for ply in plies]
