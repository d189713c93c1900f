"""Finds the tables of a sheet, side by side or below each other, and the facts above them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ingest.importers.cells import Cell, CellSheet, DateCell, cell_text, is_number
from ingest.importers.headings import (
    MANCHE,
    MATCH_KEYS,
    PLAYERS,
    POINTS,
    RESULT,
    SheetField,
    SheetHeadings,
    is_side_alone,
    normalized,
    point_seat,
)
from ingest.importers.own_columns import OwnColumns
from ingest.importers.tokenizer import SIZE_OF_PAIR, split_names

MAX_TITLE_ROWS = 40  # rows above a table whose headings are not known
MIN_HEADINGS = 2  # known headings that make a row a row of headings
_LABEL_PATTERN = re.compile(r"(?P<label>[^:=]{1,40}?)\s*[:=]\s*(?P<value>.*)")
_NEXT_LABEL = re.compile(r"\s*[;,–—|-]\s*(?=[^\W\d]+\s*[:=])")  # « Nous = A + B; Eux = C + D »
_NUMBERED_PATTERN = re.compile(r"(?P<label>[^\W\d]+)(?: (?:n|no))? (?P<value>\d+)")
_SCORE_PATTERN = re.compile(r"\d{1,2}\s*(?:[-–—:]|à)\s*\d{1,2}")
_NUMBERED_KEYS = ("table", "round")
_FACT_KEYS = frozenset({*MATCH_KEYS, "dealer", "leader"})


class PlacedCell(NamedTuple):
    """A cell's content with its row and column, from 0."""

    cell: Cell
    row: int
    column: int


@dataclass(slots=True)
class Table:
    """A line of headings and the lines below it, `top + 1` to `end`."""

    top: int
    end: int
    columns: range
    facts: dict[str, PlacedCell] = field(default_factory=dict)
    """Facts above the table that hold for all matches: the key of a column → its cell."""
    titles: list[str] = field(default_factory=list)
    has_points: bool = False
    """Whether a fact names a seat by its compass point."""


class TableFinder:
    """Finds the tables of one sheet."""

    def __init__(self, sheet: CellSheet, headings: SheetHeadings, own: OwnColumns) -> None:
        self.sheet, self.headings, self.own = sheet, headings, own
        self.width = max(map(len, sheet.rows), default=0)
        self._found: dict[str, SheetField | None] = {}  # texts that were looked up
        self._known: dict[int, dict[int, SheetField]] = {}
        """Row with several known headings → column → its field."""
        for row, cells in enumerate(sheet.rows):
            texts = ((at, cell) for at, cell in enumerate(cells) if isinstance(cell, str) and cell)
            known = {at: one for at, cell in texts if (one := self.field_of(cell)) and cell[-1] != ":"}
            if len(known) >= MIN_HEADINGS and not self._names_players(known, row):
                self._known[row] = known

    def _names_players(self, known: dict[int, SheetField], row: int) -> bool:
        """Return whether a row is « Joueurs ; Anne ; Bob », where the user has columns of these names."""
        first, *others = known
        texts = [(cell_text(self.sheet.cell(row, at)), at) for at in others]
        return known[first] == SheetField(PLAYERS) and all(self.own.holds(*one) for one in texts)

    def field_of(self, heading: str, column: int | None = None) -> SheetField | None:
        """Return the column of a heading: as the user has it, else by its meaning."""
        if self.own.holds(heading, column):
            return self.own.field(heading, column)
        if heading not in self._found:
            self._found[heading] = self.headings.find(heading)
        return self._found[heading]

    @cached_property
    def tables(self) -> list[Table]:
        """Return the tables from left to right and from top to bottom; empty if there is none."""
        regions = self._regions()
        found = [table for columns in regions for table in self._tables_in(columns)]
        for table in found:  # what is written above the first block holds for those to its right
            table.facts = {**found[0].facts, **table.facts} if table.top == found[0].top else table.facts
            table.titles = table.titles or found[0].titles
        return found

    def _regions(self) -> list[range]:
        """Split the columns into blocks that have lines of headings of their own."""
        used = set[int]()
        for cells in self.sheet.rows:
            filled = [column for column, cell in enumerate(cells) if cell != ""]
            used.update(filled if len(filled) > 1 else ())
        strips: list[range] = []
        for column in sorted(used):
            if strips and strips[-1].stop == column:
                strips[-1] = range(strips[-1].start, column + 1)
            else:
                strips.append(range(column, column + 1))
        blocks: list[tuple[range, list[int], set[str]]] = []
        for strip in strips:
            tops = self._tops(strip)
            keys = {one.key for top in tops[:1] for one in self._fields(top, strip)}
            last = blocks[-1] if blocks else None
            is_next = bool(last and tops and last[1] and last[1][0] == tops[0])
            if last and is_next and self._are_sides(tops[0], keys, last[2], range(last[0].start, strip.stop)):
                blocks[-1] = (range(last[0].start, strip.stop), last[1], last[2])
            elif last and (not tops or not last[1] or (is_next and not keys & last[2])):
                whole = range(last[0].start, strip.stop)
                blocks[-1] = (whole, last[1] or tops, last[2] | keys)
            else:
                blocks.append((strip, tops, keys))
        if len(blocks) < 2:
            whole = range(self.width)
            return [*self._repeated(whole, self._tops(whole))]
        return [part for columns, tops, _ in blocks for part in self._repeated(columns, tops)]

    def _are_sides(self, top: int, keys: set[str], left_keys: set[str], columns: range) -> bool:
        """Return whether two blocks with names and scores are the two sides of a match: `Joueur ; Points`.

        They are standings, unless the first has a day or other fact of a match, or a name is there again.
        """
        is_score = keys in ({PLAYERS.key, POINTS.key}, {PLAYERS.key, RESULT.key})
        if not is_score or not keys <= left_keys <= {*keys, *MATCH_KEYS}:
            return False
        fields = {at: one for at, one in self._known.get(top, {}).items() if at in columns}
        places = [at for at, one in fields.items() if one.key == PLAYERS.key]
        texts = (
            cell_text(self.sheet.cell(row, at))
            for at in places
            for row in range(top + 1, len(self.sheet.rows))
        )
        names = [name for text in texts if text for name in split_names(text, SIZE_OF_PAIR) or [text]]
        return len(places) == 2 and (left_keys > keys or len({*names}) < len(names))

    def _repeated(self, columns: range, tops: Sequence[int]) -> Iterator[range]:
        """Split columns where all their headings are repeated."""
        items = [normalized(cell_text(self.sheet.cell(tops[0], one))) for one in columns] if tops else []
        count = next((n for n in range(2, len(items)) if items[n] and items[n] == items[0]), 0)
        keys = {one.key for item in items[:count] if (one := self.headings.find(item)) is not None}
        if count and items == items[:count] * 2 and self._are_sides(tops[0], keys, keys, columns):
            yield columns
        elif count and len(items) % count == 0 and items == items[:count] * (len(items) // count):
            starts = range(columns.start, columns.stop, count)
            yield from (range(start, start + count) for start in starts)
        else:
            yield columns

    def _fields(self, row: int, columns: range) -> set[SheetField]:
        """Return the columns known by the headings of a row."""
        return {one for at, one in self._known.get(row, {}).items() if at in columns}

    def _tops(self, columns: range) -> list[int]:
        """Return the rows of headings: texts without numbers, several of them known."""
        found: list[int] = []
        for row in self._known:
            cells = (cell for column in columns if (cell := self.sheet.cell(row, column)) != "")
            texts = all(isinstance(cell, str) and not is_number(cell) for cell in cells)
            if texts and len(self._fields(row, columns)) >= MIN_HEADINGS:
                found.append(row)
        # labels of facts look like headings, but there is nothing below them
        ends = [*found[1:], len(self.sheet.rows)]
        filled = [top for top, end in zip(found, ends, strict=False) if self._is_filled(top, end, columns)]
        return filled or found[-1:] or self._row_above_numbers(columns)

    def _is_filled(self, top: int, end: int, columns: range) -> bool:
        known = [at for at in self._known[top] if at in columns]
        return any(self.sheet.cell(row, one) != "" for row in range(top + 1, end) for one in known)

    def _row_above_numbers(self, columns: range) -> list[int]:
        """Return the first row whose texts may be names of players, with their numbers below."""
        for row in range(min(len(self.sheet.rows) - 1, MAX_TITLE_ROWS)):
            there = [column for column in columns if self.sheet.cell(row, column) != ""]
            cells = [self.sheet.cell(row, column) for column in there]
            numbers = [column for column in there if is_number(self.sheet.cell(row + 1, column))]
            if all(isinstance(one, str) and not is_number(one) for one in cells) and len(numbers) > 1:
                return [row]
        return []

    def _tables_in(self, columns: range) -> Iterator[Table]:
        tops = self._tops(columns)
        starts = [self._start(top, columns) if number else 0 for number, top in enumerate(tops)]
        ends = [*starts[1:], len(self.sheet.rows)]
        for top, start, end in zip(tops, starts, ends[: len(tops)], strict=True):
            yield self.table_at(Table(top, end, columns), start)

    def table_at(self, table: Table, start: int = 0) -> Table:
        """Return a table with the facts and titles of the rows above it, from `start`."""
        for row in range(start, table.top):
            self._read_facts(row, table)
        return table

    def _start(self, top: int, columns: Sequence[int]) -> int:
        """Return the first of the rows above a later table that are about it: titles and facts."""
        row = top
        while row and (filled := [one for at in columns if (one := self.sheet.cell(row - 1, at)) != ""]):
            if len(filled) > 2 or any(is_number(one) for one in filled):
                return top
            row -= 1
        return row

    def _read_facts(self, row: int, table: Table) -> None:
        cells = [PlacedCell(self.sheet.cell(row, at), row, at) for at in table.columns]
        cells = [one._replace(cell=part) for one in cells if one.cell != "" for part in _labelled(one.cell)]
        while cells:
            placed = cells.pop(0)
            text = cell_text(placed.cell)
            found = _LABEL_PATTERN.fullmatch(text)
            label, value = (found["label"], found["value"]) if found else (text, "")
            numbered = _NUMBERED_PATTERN.fullmatch(normalized(text))
            # a column that is left out leaves what is written above the table as it is
            one = (
                (self.field_of(label) or self.headings.find(label)) if isinstance(placed.cell, str) else None
            )
            if one is not None and one.column is POINTS:
                one = SheetField(PLAYERS, one.seat_index)  # Nous : Martine et Gérard
            key = one.key if one is not None and one.column.key in _FACT_KEYS else ""
            table.has_points |= bool(key) and point_seat(label) is not None
            if key == PLAYERS.key and not value and len(cells) > 1:  # « Joueurs ; Anne ; Bob »
                for seat, name in enumerate(cells):
                    table.facts.setdefault(SheetField(PLAYERS, seat).key, name)
                cells.clear()
            elif key and (value or (cells and self.field_of(cell_text(cells[0].cell)) is None)):
                table.facts.setdefault(key, placed._replace(cell=value) if value else cells.pop(0))
            elif numbered and (of := self.headings.find(numbered["label"])) and of.key in _NUMBERED_KEYS:
                table.facts.setdefault(of.key, placed._replace(cell=numbered["value"]))
            elif isinstance(placed.cell, DateCell):
                table.facts.setdefault("played_at", placed)
            else:
                table.titles.append(text)


def field_by_cells(
    field: SheetField | None, heading: str, texts: Sequence[str], facts: Collection[str]
) -> SheetField | None:
    """Return the column of a side as one of names or of points, as its cells are texts or numbers.

    `facts`: keys of the facts above the table.
    """
    numbers = [is_number(text) for text in texts]
    if field is not None and field.column is MANCHE and normalized(heading).endswith("s"):
        scores = texts and all(map(_SCORE_PATTERN.fullmatch, texts))
        return SheetField(RESULT) if scores else field  # « Manches » above « 3-1 »
    if field is not None and is_side_alone(heading, field) and not any(numbers):
        return SheetField(PLAYERS, field.seat_index)  # « Nous » above « Martine et Gérard »
    if field is not None and field.column is PLAYERS and field.key in facts and numbers and all(numbers):
        return SheetField(POINTS, field.seat_index)  # « Équipe 1 » above « 102 »
    return field


def _labelled(cell: Cell) -> list[Cell]:
    """Return a cell, or each part of it that begins with a label of its own."""
    parts = _NEXT_LABEL.split(cell) if isinstance(cell, str) else []
    return [*parts] if len(parts) > 1 and all(map(_LABEL_PATTERN.fullmatch, parts)) else [cell]
