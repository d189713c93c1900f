"""Comments of a deal with whoever says them, a player of the table or anybody else."""

from typing import NamedTuple

from schemas.log import AnyMatch


class Remark(NamedTuple):
    """What is said once `after` actions are done, by whom, and by which seat if it is a player."""

    after: int
    text: str
    by: str | None = None
    seat: int | None = None

    def ply(self, count: int) -> int:
        """The state it belongs to of `count`; outside of the deal it is the nearest end."""
        return max(0, min(self.after, count - 1))


def remarks(match: AnyMatch, deal: int) -> list[Remark]:
    """The comments of a deal, from 0; who goes by the id of a player, or else the name, is one."""
    ids = [player.id for player in match.players]
    known = [*ids, *(player.name for player in match.players)]
    found = []
    for one in match.deals[deal].comments or ():
        seat = known.index(one.by) % len(ids) if one.by and one.by in known else None
        found.append(Remark(one.after, one.text, one.by, seat))
    return found
