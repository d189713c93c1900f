"""What the score sheet would read if it followed what was played, from where it first differs."""

from dataclasses import dataclass, field
from typing import Any

from engine.match import winner_word
from engine.replay import Ply
from ingest.finding.sentence import speak_place
from ingest.i18n import Translate
from ingest.judge.explain import Explained
from ingest.judge.match_checks import DECLARED


@dataclass(slots=True, frozen=True)
class Row:
    """One deal of a sheet. Winners are as the log writes them: a seat or a side, 0 for nobody."""

    deal: int
    """From 0, as a finding's."""
    manche: int | None
    partie: int | None
    written_points: list[int] | None
    written_winner: int | None
    points: list[int] | None
    """As played; None when the deal does not count, or has no end."""
    winner: int | None
    score: list[int] | None
    """The match's, after this deal; None after a deal that nobody can count."""
    differs: bool

    def place(self, t: Translate) -> str:
        """Which deal, in words."""
        return speak_place(t, manche=self.manche, partie=self.partie, deal=self.deal)

    def as_dict(self) -> dict[str, Any]:
        return {
            "deal": self.deal,
            "manche": self.manche,
            "partie": self.partie,
            "written": {"points": self.written_points, "winner": self.written_winner},
            "played": {"points": self.points, "winner": self.winner},
            "score": self.score,
        }


@dataclass(slots=True, frozen=True)
class Sheet:
    """The deals of a match from the first one whose written points or winner differ."""

    rows: list[Row]
    detail: dict[str, Any] = field(default_factory=dict)
    """The players' names and the sides', as a finding has them."""

    def as_dict(self) -> dict[str, Any]:
        """The `sheet` of `--format jsonl`."""
        return {"first": self.rows[0].deal, "rows": [row.as_dict() for row in self.rows]}


def sheet(explained: Explained) -> Sheet | None:
    """The sheet as it should read, None when nothing that is written of a deal differs."""
    told = [
        one
        for one in explained.findings
        if one.code in DECLARED and "open" not in one.detail and one.deal not in explained.lines
    ]
    if not told or explained.match is None or explained.table is None:
        return None
    wrong = {finding.deal for finding in told}
    first = told[0].deal or 0
    kernel = explained.table.game.kernel
    rows: list[Row] = []
    known = True
    for index, deal in enumerate(explained.match.deals):
        replay = explained.replays[index]
        end: Ply | None = None if replay is None or deal.void else replay.last
        if end is not None and (end.state["outcome"] == kernel.RUNNING or "?" in end.points):
            end = None  # not over, or told in part
        known = known and (bool(deal.void) or end is not None)
        if index < first:
            continue
        manche, partie = explained.numbers[index]
        rows.append(
            Row(
                *(index, manche, partie, deal.points, deal.winner),
                [int(point) for point in end.points] if end else None,
                winner_word(end.state) if end else None,
                explained.scores[index] if known else None,
                index in wrong,
            )
        )
    return Sheet(rows, told[0].detail)
