"""Distinguishes running totals of a sheet from the points of each deal, and reads their differences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ingest.i18n import N_
from ingest.importers.game_fit import MIN_MISFITS, impossible_lines
from ingest.importers.headings import POINTS
from ingest.importers.import_result import Question
from ingest.importers.mapping import Lines
from ingest.importers.sheet_rows import MISSING, SheetRow
from ingest.importers.source_map import SourceMap

DEALS_OR_TOTALS = N_(
    "The points never fall from line to line. Choose what each line has: the points of a deal, or a total."
)
READ_AS_TOTALS = N_(
    "The points of “{sheet}” are running totals. Retourne reads what each line adds to the one above."
)
TOTAL_FALLS = N_("“{read}” is less than in the line above, and a running total never falls.")
MIN_LINES = 3
"""Lines that must not fall before points are taken for totals."""


@dataclass(frozen=True, slots=True)
class DealLines:
    """The lines of one match, and the log they make if each has a deal's points."""

    rows: Sequence[SheetRow]
    log: Mapping[str, Any]

    def kind(self) -> Lines | None:
        """Return the kind of the points; None if it is not certain."""
        if not self._rises():
            return "deals"
        wrong, wrong_as_totals = self._impossible(self.log), self._impossible(self.differences())
        if wrong_as_totals:
            return None if wrong else "deals"
        return "totals" if wrong >= MIN_MISFITS else None

    def differences(self) -> dict[str, Any]:
        """Return the log with the difference of each line from the one above."""
        deals = self.log["deals"]
        before = [[0] * len(deals[0]["points"]), *(deal["points"] for deal in deals)]
        return {
            **self.log,
            "deals": [
                {**deal, "points": [one - other for one, other in zip(deal["points"], above, strict=True)]}
                for deal, above in zip(deals, before, strict=False)
            ],
        }

    def read_totals(self, questions: list[Question]) -> dict[str, Any] | None:
        """Return `differences`; None, with a question added, if a total falls."""
        for row, deal in zip(self.rows, self.log["deals"], strict=True):
            if "points" not in deal:
                questions.append(row.question_at(f"{POINTS.key} 1", MISSING))
                return None
        read = self.differences()
        for row, deal in zip(self.rows, read["deals"], strict=True):
            for side in (side for side, points in enumerate(deal["points"], 1) if points < 0):
                questions.append(row.question_at(f"{POINTS.key} {side}", TOTAL_FALLS))
                return None
        return read

    @property
    def has_points(self) -> bool:
        """Whether each line has the points of all sides."""
        return all("points" in deal for deal in self.log["deals"])

    def _rises(self) -> bool:
        """Return whether no points fall from line to line, and several lines rise."""
        every = [tuple(deal["points"]) for deal in self.log["deals"] if "points" in deal]
        falls = any(one > other for pair in pairwise(every) for one, other in zip(*pair, strict=True))
        return self.has_points and not falls and len({*every}) >= MIN_LINES

    def _impossible(self, log: Mapping[str, Any]) -> int:
        """Return how many lines of a log no deal can have."""
        origin = SourceMap(self.rows[0].source_part, tuple(row.source_part for row in self.rows))
        return len({line for line, _ in impossible_lines(log, origin)})


def kind_of_points(
    matches: Sequence[DealLines], chosen: Lines | None, remembered: Lines | None
) -> Lines | None:
    """Return the kind of a table's lines; None if it is not certain.

    `chosen` is certain, `remembered` only decides where the points do not.
    """
    if chosen is not None:
        return chosen
    kinds = {one.kind() for one in matches if len(one.rows) >= MIN_LINES}
    certain = kinds - {None}
    if len(certain) == 1:
        return certain.pop()
    return remembered if kinds or remembered else "deals"
