"""Which errors may come of an earlier one, so that a reader mends the first and looks again.

Within a deal, play follows from play; across deals, what the sheet counts follows from deals whose
outcome it does not tell as it was. What a code rests on is in its record. A finding is marked with
the first error it may come of: none is proof, and a finding without a mark stands for itself.
"""

from collections.abc import Collection

from ingest.finding.finding import ERROR, Finding
from ingest.games.code import Rests


def mark(findings: list[Finding], idle: Collection[int], settled: Collection[int]) -> None:
    """Set `follows` where a finding may come of an earlier error.

    `idle`: places of findings whose act left everybody's legal acts as they were, so that no
    later play can come of it. `settled`: deals whose points and winner the sheet has right, so
    that nothing across deals can come of their play.
    """
    errors = _Errors(findings, idle, settled)
    for place, finding in enumerate(findings):
        # what the document lacks, and a winner nobody could be, stand for themselves
        alone = finding.stands_alone or finding.detail.get("open")
        if finding.severity == ERROR and not alone:
            finding.follows = errors.behind(place)


class _Errors:
    """The errors so far, by what may come of them; all are places among the findings."""

    def __init__(
        self, findings: list[Finding], idle: Collection[int], settled: Collection[int]
    ) -> None:
        self.findings, self.idle, self.settled = findings, idle, settled
        self.played: dict[int, int] = {}  # deal → its first error of play
        self.moved: dict[int, int] = {}  # deal → its first that changed what could be played
        self.outcome: dict[int, int] = {}  # deal → the first behind what the sheet makes of it
        self.cut: int | None = None
        self.over: int | None = None  # the first that says the match was over

    def behind(self, place: int) -> int | None:
        """The error the one at `place` may come of; from then on others may come of that one."""
        finding = self.findings[place]
        deal, rests = finding.deal, finding.record.rests
        if rests is Rests.CUT:
            self.cut = place if self.cut is None else self.cut
        elif rests in (Rests.DEALS, Rests.END):
            first = self._of_deals(self.over)
            if rests is Rests.END and self.over is None:
                self.over = place
            return first
        elif deal is None:
            return None
        elif rests is Rests.DEAL:
            self.outcome.setdefault(deal, place)
            return self.played.get(deal)
        elif rests is Rests.DEAL_BEFORE:
            first = self.outcome.get(deal - 1)
            if first is None and finding.partie == 1:
                # the first of a manche: that it begins here, and who deals, rests on more
                first = self._of_deals(self.cut)
            return first
        elif finding.action is not None:
            return self._play(place, deal, finding.action)
        return None

    def _of_deals(self, other: int | None) -> int | None:
        """The first error behind how any deal came out, or `other` if that is earlier."""
        every = self.outcome.values()
        return min(every if other is None else [*every, other], default=None)

    def _play(self, place: int, deal: int, action: int) -> int | None:
        """An error of play: it may come of an earlier one that changed what could be played."""
        first = self.moved.get(deal)
        self.played.setdefault(deal, place)
        if place not in self.idle:
            self.moved.setdefault(deal, place)
        if deal not in self.settled:
            self.outcome.setdefault(deal, place)
        if first is None or self.findings[first].action == action:
            return None
        return first
