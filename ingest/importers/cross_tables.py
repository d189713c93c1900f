"""Reads cross tables: the same names head lines and columns, and a cell has the result of two of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

from engine.games import game_names
from ingest.i18n import N_
from ingest.importers.cells import CellSheet, DateCell, cell_address, cell_text, whole_number
from ingest.importers.headings import PLAYERS, RESULT, UNUSED, WINNER, SheetHeadings, normalized
from ingest.importers.import_result import AnswerKind, Question
from ingest.importers.match_rows import is_total
from ingest.importers.result_rows import LOSSES, WINS
from ingest.importers.sheet_dates import DateReader
from ingest.importers.sheet_rows import SCORE_SEPARATOR, SheetRow, read_result
from ingest.importers.tables import PlacedCell, Table

READ_AS_CROSS_TABLE = N_(
    "Retourne reads “{sheet}” as a cross table: a cell is a match between the names of its line and column."
)
OUTSIDE = N_("Skipped lines of “{sheet}” outside the cross table: {lines}.")
NOT_IN_BOTH = N_("“{read}” does not head both a line and a column of the cross table. Is {could} meant?")
NOT_A_RESULT = N_("“{read}” is not a result of these two: write it as in {could}.")
MIRROR_DIFFERS = N_("“{read}” here and “{could}” in the mirrored cell: correct one, or leave one empty.")
MIRRORS_DIFFER = N_(
    "Most results differ from their mirrored cells, first “{read}” from “{could}”: leave one half empty."
)
MIN_PLAYERS = 3
MAX_TOP = 200  # rows in which a cross table may begin
_SEVERAL = re.compile(r"\s*[,;]\s*|\s+(?:et|puis|and|then)\s+")


class CrossTable(NamedTuple):
    """A table whose lines and columns have the names of the same players or pairs."""

    table: Table
    rows: Mapping[str, PlacedCell]
    """Normalized name → the cell that heads its line."""
    columns: Mapping[str, PlacedCell]
    """Normalized name → the cell that heads its column."""
    unknown: Sequence[PlacedCell] = ()
    """Cells that head a line or a column and have no equal of the other kind."""

    @property
    def names(self) -> list[str]:
        """The normalized names, in the order of lines."""
        return [*self.rows, *(name for name in self.columns if name not in self.rows)]

    def lines_below(self, sheet: CellSheet) -> list[int]:
        """Return the lines below the table that have more than one cell, without totals."""
        left = self.table.columns[0]
        below = range(self.table.end, len(sheet.rows))
        several = (row for row in below if sum(cell != "" for cell in sheet.rows[row]) > 1)
        return [row for row in several if not is_total(cell_text(sheet.cell(row, left)))]

    def columns_behind(self, sheet: CellSheet) -> list[str]:
        """Return the headings of columns behind the table: totals and ranks."""
        top, behind = self.table.top, range(self.table.columns.stop, len(sheet.rows[self.table.top]))
        texts = ((cell_text(sheet.cell(top, at)), cell_address(top, at)) for at in behind)
        return [f"{text} ({where})" for text, where in texts if text]


def find_cross_table(sheet: CellSheet) -> CrossTable | None:
    """Return the first cross table of a sheet; None if it has none."""
    width = max(map(len, sheet.rows), default=0)
    for top in range(min(len(sheet.rows) - 1, MAX_TOP)):
        for left in range(width - 1):
            heads = _run(sheet, [(top, at) for at in range(left + 1, width)])
            if len(heads) < MIN_PLAYERS - 1:
                continue
            most = top + 1 + 2 * len(heads) + 2  # with more lines than this, few would head a column too
            labels = _run(sheet, [(row, left) for row in range(top + 1, min(most, len(sheet.rows)))])
            if len(labels) >= MIN_PLAYERS - 1:
                found = _named_alike(sheet, top, left, _with_full_names(heads, labels), labels)
                if found is not None:
                    return found
    return None


def _run(sheet: CellSheet, places: Sequence[tuple[int, int]]) -> list[PlacedCell]:
    """Return the cells from the first place that may be names, or count from 1."""
    found: list[PlacedCell] = []
    for row, column in places:
        cell = sheet.cell(row, column)
        text = cell_text(cell)
        score = outcome_of(text, "", "")
        is_score = score is not None and score.winner is None
        is_name = any(map(str.isalpha, text)) and not is_total(text) and not is_score
        if isinstance(cell, DateCell) or not (is_name or text == str(len(found) + 1)):
            break
        found.append(PlacedCell(cell, row, column))
    return found


def _with_full_names(heads: list[PlacedCell], labels: Sequence[PlacedCell]) -> list[PlacedCell]:
    """Return the headings, with the names of lines where they number or shorten them in order."""
    names = [cell_text(one.cell) for one in labels]
    short = [cell_text(one.cell) for one in heads[: len(names)]]
    fit = len(short) == len(names) >= MIN_PLAYERS and len({*short}) == len(short)
    numbered = short == [str(number) for number in range(1, len(names) + 1)]
    if not fit or short == names or not (numbered or all(map(_is_short_for, short, names))):
        return heads
    named = [one._replace(cell=name) for one, name in zip(heads, names, strict=False)]
    return [*named, *heads[len(names) :]]


def _is_short_for(short: str, name: str) -> bool:
    words = normalized(name).split()
    people = [word for word in words if word not in ("et", "and")]
    letters = normalized(short).replace(" ", "").removesuffix(".")
    initials = ("".join(word[0] for word in some) for some in (words, people))
    return bool(letters) and (letters in initials or any(word.startswith(letters) for word in words))


def _named_alike(
    sheet: CellSheet, top: int, left: int, heads: Sequence[PlacedCell], labels: Sequence[PlacedCell]
) -> CrossTable | None:
    """Return the cross table of a line and a column of names, if they have the same ones."""
    corner = normalized(cell_text(sheet.cell(top, left)))
    columns = {normalized(cell_text(one.cell)): one for one in heads}
    rows = {normalized(cell_text(one.cell)): one for one in labels}
    both = [name for name in rows if name in columns]
    if len(rows) < len(labels) or not both or corner in (*rows, *columns):
        return None
    if _field_key(corner) not in ("", PLAYERS.key):
        return None
    last = max(columns[name].column for name in both)
    inner = {name: one for name, one in columns.items() if one.column <= last}
    alone = [name for name in rows if name not in inner]
    behind = next((name for name, one in columns.items() if one.column == last + 1), "")
    if len(alone) == 1 and len(inner) == len(both) and behind and not _is_of_totals(behind):
        inner[behind] = columns[behind]
    wrong = [name for name in inner if name not in rows]
    ends = [*rows][:1] + [*inner][-1:], [*rows][-1:] + [*inner][:1]
    is_half = alone + wrong in ends  # the first name has no column and the last no line, or the other way
    if len({*rows, *inner}) < MIN_PLAYERS or max(len(alone), len(wrong)) > len(both):
        return None
    if not is_half and len(both) < MIN_PLAYERS - 1:
        return None
    unknown = [] if is_half else [*(rows[name] for name in alone), *(inner[name] for name in wrong)]
    table = Table(top, labels[-1].row + 1, range(left, max(one.column for one in inner.values()) + 1))
    found = CrossTable(table, rows, inner, unknown)
    return found if _has_results(sheet, found) else None


def _field_key(heading: str) -> str:
    """Return the key, without its seat, of the column that a heading names in some game."""
    fields = (SheetHeadings(name).find(heading) for name in game_names()) if heading else ()
    return next((one.column.key for one in fields if one is not None), "")


def _is_of_totals(heading: str) -> bool:
    return normalized(heading) in UNUSED or bool(_field_key(heading)) or len(heading) < 2


def _has_results(sheet: CellSheet, cross: CrossTable) -> bool:
    """Return whether most cells off the diagonal are results, and none on it."""
    filled = likely = 0
    for name, head in cross.rows.items():
        for other, column in cross.columns.items():
            cell = sheet.cell(head.row, column.column)
            text = cell_text(cell)
            if name == other and not _is_blank(text) and normalized(text) != name:
                return False
            if name != other and not _is_blank(text):
                filled += 1
                likely += isinstance(cell, DateCell) or outcome_of(text, name, other) is not None
    return likely > filled / 2


def _is_blank(text: str) -> bool:
    """Return whether a cell has nothing, or only a mark for it."""
    return not any(map(str.isalnum, text)) or text.lower() in ("x", "xx", "xxx")


class Outcome(NamedTuple):
    """The result in a cell, as the name of its line sees it."""

    scores: tuple[tuple[int, int], ...] = ()  # several if the two met several times
    points: int | None = None  # of the line's name only
    winner: int | None = None  # 1: the line's name, 2: the column's

    @property
    def first_winner(self) -> int | None:
        """The winner, by the first score if nothing else names one; 0 for a drawn match."""
        if self.winner is not None or not self.scores:
            return self.winner
        one, other = self.scores[0]
        return 0 if one == other else 1 if one > other else 2

    def turned(self) -> "Outcome":
        """Return a score or a winner as the column's name sees it."""
        scores = tuple((two, one) for one, two in self.scores)
        return Outcome(scores, None, 3 - self.winner if self.winner else self.winner)


def outcome_of(text: str, one: str, other: str) -> Outcome | None:
    """Return what the cell of two normalized names has; None if it has another text."""
    word = normalized(text)
    if word in (*WINS, one) or word in (*LOSSES, other):
        return Outcome(winner=1 if word in (*WINS, one) else 2)
    if (number := whole_number(text)) is not None:
        return Outcome(points=number)
    scores = []
    for part in _SEVERAL.split(text):
        match [whole_number(number) for number in SCORE_SEPARATOR.split(part)]:
            case [int() as first, int() as second]:
                scores.append((first, second))
            case _:
                return None
    return Outcome(tuple(scores))


class CrossTableReader:
    """Reads the matches of a cross table."""

    def __init__(self, sheet: CellSheet, cross: CrossTable, sheet_name: str) -> None:
        """`sheet_name`: empty if there is one sheet only."""
        self.sheet, self.cross, self.sheet_name = sheet, cross, sheet_name
        facts = cross.table.facts
        self.facts = {key: one for key, one in facts.items() if not key.startswith(PLAYERS.key)}
        self.pairs = [*combinations(cross.names, 2)]
        self.winning_mark: int | None = None
        """The number for winning, if lone numbers mark only who won; None if they are scores."""
        marks = [
            {one.points for one in (self._outcome(*pair), self._outcome(*pair[::-1])) if one}
            for pair in self.pairs
        ]
        found = [one for one in marks if one]
        are_equal = len(found) >= MIN_PLAYERS and len(found[0]) == 2 and found == found[:1] * len(found)
        if found and None not in set().union(*found) and (are_equal or set().union(*found) <= {0, 1}):
            self.winning_mark = max(one for marks in found for one in marks if one is not None)

    def read(
        self, game: str, dates: DateReader, questions: list[Question]
    ) -> Iterator[tuple[dict[str, Any] | None, SheetRow]]:
        """Yield each match and its cells; None, with questions added, where it is unclear."""
        if self.cross.unknown:
            questions += self._names_to_ask_for()
            return
        found = [self._match(*pair) for pair in self.pairs]
        differ = [one for one in found if isinstance(one, Question) and one.text == MIRROR_DIFFERS]
        mirrored = sum(None not in (self._placed(*pair), self._placed(*pair[::-1])) for pair in self.pairs)
        if len(differ) > 1 and len(differ) > mirrored / 2:
            questions.append(replace(differ[0], text=MIRRORS_DIFFER))
            return
        for one in found:
            if isinstance(one, Question):
                questions.append(one)
                continue
            for row in one:
                yield read_result(row, game, dates, questions), row

    def _placed(self, one: str, other: str) -> PlacedCell | None:
        """Return the cell of a line and a column; None if it is blank or there is none."""
        row, column = self.cross.rows.get(one), self.cross.columns.get(other)
        if row is None or column is None:
            return None
        cell = self.sheet.cell(row.row, column.column)
        return None if _is_blank(cell_text(cell)) else PlacedCell(cell, row.row, column.column)

    def _outcome(self, one: str, other: str) -> Outcome | None:
        """Return what a cell has; None if it is blank, a date or no result."""
        placed = self._placed(one, other)
        if placed is None or isinstance(placed.cell, DateCell):
            return None
        found = outcome_of(cell_text(placed.cell), one, other)
        if found is not None and found.points is not None and self.winning_mark is not None:
            return Outcome(winner=1 if found.points == self.winning_mark else 2)
        return found

    def _match(self, one: str, other: str) -> Question | list[SheetRow]:
        """Return the matches of two names, or the question about their cells."""
        if self._outcome(one, other) is None and self._placed(other, one) is not None:
            if self._placed(one, other) is None or self._is_date(one, other):
                one, other = other, one
        here, there = self._placed(one, other), self._placed(other, one)
        if here is None:
            return []
        if self._is_date(one, other):  # `read_result` asks what was typed
            return [self._row(one, other, {RESULT.key: here})]
        there = None if self._is_date(other, one) else there
        seen, mirrored = self._outcome(one, other), self._outcome(other, one)
        if seen is None or (there is not None and mirrored is None):
            return self._question(here if seen is None or there is None else there, NOT_A_RESULT, ["3-1"])
        if there is None or mirrored is None:
            return self._rows(one, other, here, seen)
        if seen.points is not None and mirrored.points is not None:
            return [self._row(one, other, {f"{RESULT.key} 1": here, f"{RESULT.key} 2": there})]
        turned = mirrored.turned()
        scores_differ = seen.scores and turned.scores and seen.scores != turned.scores
        if seen.first_winner is None or seen.first_winner != turned.first_winner or scores_differ:
            return self._question(here, MIRROR_DIFFERS, [cell_text(there.cell)])
        if not seen.scores and turned.scores:
            return self._rows(other, one, there, mirrored)
        return self._rows(one, other, here, seen)

    def _is_date(self, one: str, other: str) -> bool:
        placed = self._placed(one, other)
        return placed is not None and isinstance(placed.cell, DateCell)

    def _rows(self, one: str, other: str, here: PlacedCell, seen: Outcome) -> list[SheetRow]:
        """Return a row for each match of a cell."""
        if seen.winner is not None:
            return [self._row(one, other, {WINNER.key: here._replace(cell=str(seen.winner))})]
        parts = (
            [f"{first}-{second}" for first, second in seen.scores] if len(seen.scores) > 1 else [here.cell]
        )
        return [self._row(one, other, {RESULT.key: here._replace(cell=part)}) for part in parts]

    def _row(self, one: str, other: str, cells: Mapping[str, PlacedCell]) -> SheetRow:
        heads = [self.cross.rows.get(name) or self.cross.columns[name] for name in (one, other)]
        names = {f"{PLAYERS.key} {seat}": head for seat, head in enumerate(heads, 1)}
        first = next(iter(cells.values()))
        own = {**names, **cells}
        order = {key: placed.column for key, placed in own.items()}
        return SheetRow(first.row, self.sheet_name, order, {**self.facts, **own})

    def _names_to_ask_for(self) -> list[Question]:
        """Return the questions which name of a line heads a column, or the other way round."""
        of_columns = [one for one in self.cross.unknown if one.row == self.cross.table.top]
        of_rows = [one for one in self.cross.unknown if one not in of_columns]
        others = (of_rows or self.cross.rows.values()) if of_columns else self.cross.columns.values()
        could = [cell_text(one.cell) for one in others]
        return [self._question(one, NOT_IN_BOTH, could, about="name") for one in of_columns or of_rows]

    def _question(
        self, placed: PlacedCell, text: str, could: Sequence[str], about: AnswerKind = "cell"
    ) -> Question:
        where, read = cell_address(placed.row, placed.column), cell_text(placed.cell)
        place = (placed.row + 1, placed.column + 1, read, text, tuple(could))
        return Question(*place, cell=where, sheet=self.sheet_name, about=about)
