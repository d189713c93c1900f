"""Sheets of cells → logs whose deals are lines of a score sheet; docs/score-sheets.md.

A line of headings says what each column is. What cannot be read is asked with its cell, and its
match is left out: a match is there with all its deals or not at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import NamedTuple

from engine.games import names, title
from ingest.entry.cells import Cell, Date, Sheet, address
from ingest.entry.headings import GAME, MATCH_KEYS, Field, Headings, plain
from ingest.entry.question import Entered, FoundColumn, Origin, Question
from ingest.entry.sheet_row import Row, match_of
from ingest.entry.tokenizer import game_called
from ingest.i18n import N_, translator

NO_GAME = N_("Which game is it? Name it in a column “Game”, or with --game: {could}.")
NOT_A_GAME = N_("“{read}” is no game. Is it {could}?")
NO_HEADINGS = N_("No line of headings was found, such as: {could}.")
TWO_HEADINGS = N_("There are two lines of headings, “{read}” is in the first: leave one of them.")
UNKNOWN = N_("What column is “{read}”? Say so, or that it is left out.")
NO_HEADING = N_("What is column {read}, which has no heading? Say so, or that it is left out.")
NEAR = N_("What column is “{read}”? Is {could} meant?")
TWICE = N_("There are two columns for {could}.")
MERGED = N_("Cells {read} are merged: which line or column they are about is not clear.")
UNCOMPUTED = N_("The cell has a formula of which the file has no value: save it from the program.")
_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?")
TOTALS = ("total", "totaux", "totals")
FEW = 2  # headings that are known, from which on a line is one of headings


class How(NamedTuple):
    """What somebody said beside the file."""

    game: str | None = None
    columns: Mapping[str, str] = {}
    """Heading → the column it is, by its key or heading; empty: it is left out."""
    zone: tzinfo | None = None  # of dates; None is the machine's own


def read_sheets(sheets: Sequence[Sheet], how: How) -> Entered:
    """The matches of some sheets; nothing in them raises."""
    found = Entered()
    for sheet in sheets:
        _Sheet(sheet, how, found, len(sheets) > 1).read()
    return found


class _Sheet:
    """One sheet being read."""

    def __init__(self, sheet: Sheet, how: How, found: Entered, several: bool) -> None:
        self.sheet, self.how, self.found = sheet, how, found
        self.before = f"{sheet.name}!" if several else ""

    def read(self) -> None:
        """Every table of it."""
        game = self.how.game or self._game()
        if game is None:
            return
        self.found.game, self.headings = game, Headings(game)
        own = {plain(heading): said for heading, said in self.how.columns.items()}
        self.own = {key: (self.headings.field(said) if said else None) for key, said in own.items()}
        rows = self.sheet.rows
        tops = []
        for number, cells in enumerate(rows):  # a row of headings has no number, and several known
            told = [cell for cell in cells if cell != ""]
            texts = all(isinstance(one, str) and not _NUMBER.fullmatch(one) for one in told)
            if texts and len({self._field(cell) for cell in told} - {None}) >= FEW:
                tops.append(number)
        if not tops:
            could = ", ".join(one.heading(translator("fr")) for one in self.headings.fields[:12])
            self._ask(0, 0, NO_HEADINGS, "", could)
        for top, end in zip(tops, [*tops[1:], len(rows)], strict=False):
            # the row above the first headings, where there is one, may be a first line of them
            above = rows[top - 1] if top and top == tops[0] else []
            written = [column for column, cell in enumerate(above) if cell != ""]
            if len(written) >= FEW:
                self._ask(top - 1, written[0], TWO_HEADINGS, text_of(above[written[0]]))
            else:
                self._table(game, top, end)

    def _game(self) -> str | None:
        """The game the sheet says it is of; None, and a question: it says none."""
        known, top, place = Field(GAME).sayings, 0, -1
        for number, cells in enumerate(self.sheet.rows):
            if place >= 0:  # below its heading
                if said := text_of(cells[place]) if place < len(cells) else "":
                    if (game := game_called(said)) is None:
                        self._ask(number, place, NOT_A_GAME, said, *map(title, names()))
                    return game
            else:
                said_so = (at for at, cell in enumerate(cells) if plain(str(cell)) in known)
                top, place = number, next(said_so, -1)
        self._ask(top if place >= 0 else 0, max(place, 0), NO_GAME, "", *map(title, names()))
        return None

    # headings

    def _field(self, cell: Cell) -> Field | None:
        said = plain(text_of(cell))
        return self.own[said] if said in self.own else self.headings.field(said)

    def _columns(self, top: int, end: int) -> dict[int, Field] | None:
        """What each column is; None: there are questions."""
        found: dict[int, Field] = {}
        before = len(self.found.questions)
        for column, cell in enumerate(self.sheet.rows[top]):
            written = text_of(cell)
            heading = written or address(top, column).rstrip("0123456789")
            below = any(
                column < len(row) and row[column] != "" for row in self.sheet.rows[top + 1 : end]
            )
            if not written and not below:
                continue
            left_out = self.own.get(plain(heading), "") is None
            one = None if left_out else self._field(cell if written else heading)
            where = self.before + address(top, column)
            self.found.columns.append(FoundColumn(where, heading, one, left_out))
            if one is not None and one in found.values():
                self._ask(top, column, TWICE, heading, one.heading(translator("en")))
            elif one is not None:
                found[column] = one
            elif below and not left_out:
                near = [one.key for one in self.headings.near(heading)] if written else []
                text = NEAR if near else UNKNOWN if written else NO_HEADING
                self._ask(top, column, text, heading, *near)
        return found if len(self.found.questions) == before else None

    # lines

    def _table(self, game: str, top: int, end: int) -> None:
        columns = self._columns(top, end)
        if not self.found.first:
            rows = self.sheet.rows[top + 1 : top + 6]
            self.found.first = [[text_of(cell) for cell in row] for row in rows]
        if columns is None:
            return
        # no merged cell and no formula without a value may be among what is read
        before = len(self.found.questions)
        for first, left, last, right in self.sheet.merged:
            if top <= first < end and any(place in columns for place in range(left, right + 1)):
                of_match = left == right and columns[left].column.key in MATCH_KEYS
                if first == top or not of_match:
                    read = f"{address(first, left)}:{address(last, right)}"
                    self._ask(first, left, MERGED, read)
        for row in range(top, end):
            for column in columns if self.sheet.uncomputed else ():
                if address(row, column) in self.sheet.uncomputed:
                    self._ask(row, column, UNCOMPUTED, "")
        if len(self.found.questions) > before:
            return
        for match in self._matches(columns, top, end):
            log = match_of(match, game, self.how.zone, self.found.questions)
            if log is not None:
                self.found.logs.append(log)
                self.found.origins.append(Origin(match[0].part, tuple(row.part for row in match)))

    def _matches(self, columns: Mapping[int, Field], top: int, end: int) -> Iterator[list[Row]]:
        """The lines of each match: those alike in all a match says, up to an empty line."""
        groups: dict[tuple[str, ...], list[Row]] = {}
        last: dict[str, tuple[Cell, int]] = {}
        order = {one.key: place for place, one in columns.items()}
        for number in range(top + 1, end):
            cells = self.sheet.rows[number]
            told = {
                key: (cells[place], number)
                for key, place in order.items()
                if place < len(cells) and cells[place] != ""
            }
            if not told:
                yield from groups.values()
                groups.clear()
                last.pop("id", None)
                continue
            if any(plain(text_of(cell)) in TOTALS for cell, _ in told.values()):
                continue
            of_match = {key: one for key, one in told.items() if key.split(" ")[0] in MATCH_KEYS}
            if any(key.startswith("players ") for key in of_match):
                last = {key: one for key, one in last.items() if not key.startswith("players ")}
            last |= of_match
            row = Row(number, self.before, order, {**last, **told})
            groups.setdefault(row.identity, []).append(row)
        yield from groups.values()

    def _ask(self, row: int, column: int, text: str, read: str, *could: str) -> None:
        cell = self.before + address(row, column)
        self.found.questions.append(Question(row + 1, column + 1, read, text, could, cell=cell))


def text_of(cell: Cell) -> str:
    """A cell as a text."""
    return cell.text if isinstance(cell, Date) else str(cell).strip()
