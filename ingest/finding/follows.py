"""Which errors may come of an earlier one, so that a reader mends the first and looks again.

Within a deal, play follows from play; across deals, what the sheet counts follows from deals whose
outcome it does not tell as it was. A finding is marked with the first error it may come of: none
is proof, and a finding without a mark stands for itself.
"""

from collections.abc import Collection

from ingest.finding.finding import ERROR, Finding

SUMMED_UP = ("points-differ", "winner-differs", "incomplete")
"""Codes that tell how a deal came out: its play may be why."""
COUNTED = ("manche-differs", "deal-after-match", "wrong-leader", "bid-spent")
"""Codes that rest on all deals before."""


def mark(findings: list[Finding], idle: Collection[int], settled: Collection[int]) -> None:
    """Set `follows` where a finding may come of an earlier error.

    `idle`: places of findings whose act left everybody's legal acts as they were, so that no
    later play can come of it. `settled`: deals whose points and winner the sheet has right, so
    that nothing across deals can come of their play.
    """
    played: dict[int, int] = {}  # deal → its first error of play
    moved: dict[int, int] = {}  # deal → its first that changed what could be played
    outcome: dict[int, int] = {}  # deal → the first error behind what the sheet makes of it
    cut = over = None
    for place, finding in enumerate(findings):
        code, deal, action = finding.code, finding.deal, finding.action
        if finding.severity != ERROR or finding.rule == "format" or finding.detail.get("open"):
            continue
        if deal is None:
            if finding.path.startswith("/cuts"):
                cut = place if cut is None else cut
            elif finding.path.startswith("/result"):
                behind = list(outcome.values())
                finding.follows = min(behind if over is None else [*behind, over], default=None)
            continue
        if code in SUMMED_UP:
            finding.follows = played.get(deal)
            outcome.setdefault(deal, place)
        elif action is not None:
            first = moved.get(deal)
            if first is not None and findings[first].action != action:
                finding.follows = first
            played.setdefault(deal, place)
            if place not in idle:
                moved.setdefault(deal, place)
            if deal not in settled:
                outcome.setdefault(deal, place)
        elif code == "wrong-dealer":
            finding.follows = outcome.get(deal - 1)
            if finding.follows is None and finding.partie == 1:
                # the first of a manche: that it begins here, and who deals, rests on more
                behind = list(outcome.values())
                finding.follows = min(behind if cut is None else [*behind, cut], default=None)
        elif code in COUNTED:
            behind = list(outcome.values())
            finding.follows = min(behind if over is None else [*behind, over], default=None)
        if code == "deal-after-match" and over is None:
            over = place
