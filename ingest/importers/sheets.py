"""Reads score sheets from spreadsheet cells; docs/score-sheets.md.

A row of headings names the columns. Each unreadable cell returns a question, and its match is left
out: a match is imported with all its deals or not at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from engine.games import game as game_of
from engine.games import game_names, game_title
from ingest.autofix.misspellings import fold_case_and_accents
from ingest.games import game_support
from ingest.i18n import N_, translator
from ingest.importers import tokenizer
from ingest.importers.deal_notes import NO_PLAYER, NOBODY_WORDS, VOID_WORDS
from ingest.importers.headings import EVENT_KEYS, GAME, MATCH_KEYS, SheetField, SheetHeadings, normalized
from ingest.importers.import_result import (
    AMBIGUOUS_TEXT,
    FoundColumn,
    ImportResult,
    Question,
    SourceMap,
    SourcePart,
    ambiguity_question,
)
from ingest.importers.notes import NO_DATE
from ingest.recorder import OpenerTracker
from schemas.match_models import deal_model
from schemas.models import FORMAT

NO_GAME = N_("Which game is it? Name it in a column “Game”, or with --game: {could}.")
NOT_A_GAME = N_("“{read}” is no game. Is it {could}?")
TWO_HEADINGS = N_("There are two lines of headings, “{read}” is in the first: leave one of them.")
UNKNOWN = N_("What column is “{read}”? Say so, or that it is left out.")
NO_HEADING = N_("What is column {read}, which has no heading? Say so, or that it is left out.")
DID_YOU_MEAN_COLUMN = N_("What column is “{read}”? Is {could} meant?")
TWICE = N_("There are two columns for {could}.")
MERGED = N_("Cells {read} are merged: which line or column they are about is not clear.")
FORMULA_WITHOUT_VALUE = N_("The cell has a formula of which the file has no value: save it from the program.")
_NUMBER_PATTERN = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?")
TOTAL_WORDS = ("total", "totaux", "totals")
MIN_HEADINGS = 2  # known headings that make a row a row of headings
NO_PLAYERS = N_("Who plays? There is no name in the columns of the players.")
GAP = N_("Player {could} is missing before “{read}”.")
WHO_OPENS = N_("Who deals here? The deals before do not tell.")
WHO_LEADS = N_("Who leads here? The deals before do not tell.")
DATE_AS_NUMBER = N_("“{read}” is a number where a date belongs: give the cell the format of a date.")
NOT_EACH = N_("A number is missing beside “{read}”: all of them or none.")
NOT_THAT = N_("“{read}” does not belong in this column.")
TRUMP = N_("Leave out “{read}”: what is trump is not written beside an announcement.")
MISSING = N_("This cell is empty, and the others of its line need it.")
TOO_MANY = N_("A match has more than {read} deals: is there no column that tells matches apart?")
MAX_DEALS = 500
NONE_WORDS = ("-", "–", "—", "0", "aucune", "aucun", "none", "non", "no")
"""Cell texts that mean an empty list."""
TRUMP_WORDS = ("atout", "d'atout", "trump", "trumps")  # redundant words of an announcement


class DateCell(NamedTuple):
    """A cell that the spreadsheet formats as a date; `text` is ISO 8601."""

    text: str


Cell = str | int | float | DateCell  # an empty cell is an empty text


@dataclass(slots=True)
class CellSheet:
    """A sheet with all rows from the first, so that an index gives a cell's address."""

    name: str
    rows: list[list[Cell]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First row and column, last row and column, from 0."""
    uncomputed: set[str] = field(default_factory=set)
    """Addresses of cells whose formula has no stored value."""


def cell_address(row: int, column: int) -> str:
    """Return a cell's address, such as `B7`; `row` and `column` count from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


def cell_text(cell: Cell) -> str:
    """Return a cell's content as text."""
    return cell.text if isinstance(cell, DateCell) else str(cell).strip()


_DEALER_MARK = re.compile(r"\s*\(d\)\s*$", re.IGNORECASE)


class SheetRow(NamedTuple):
    """A row's cells by column; empty match cells are filled from the rows above."""

    number: int  # from 0
    sheet_prefix: str  # before each address, if there are several sheets
    column_order: Mapping[str, int]  # column key → index
    cells: Mapping[str, tuple[Cell, int]]  # column key → content and its row

    def text(self, key: str) -> str:
        """Return a cell's text, empty if there is none."""
        return cell_text(self.cells[key][0]) if key in self.cells else ""

    @property
    def source_part(self) -> SourcePart:
        items = ((key, row) for key, (_, row) in self.cells.items() if key in self.column_order)
        cells = {key: self.sheet_prefix + cell_address(row, self.column_order[key]) for key, row in items}
        return SourcePart(f"{self.sheet_prefix}{self.number + 1}", cells)

    def question_at(self, key: str, text: str, *could: str, read: str | None = None) -> Question:
        row = self.cells[key][1] if key in self.cells else self.number
        column = self.column_order.get(key, 0)
        result = self.text(key) if read is None else read
        where = self.sheet_prefix + cell_address(row, column)
        return Question(row + 1, column + 1, result, text, could, cell=where)


class ImportOptions(NamedTuple):
    """Options of the user for an import."""

    game: str | None = None
    columns: Mapping[str, str] = {}
    """Heading → key or heading of its column; empty: ignore the column."""
    zone: tzinfo | None = None  # of dates; None: the machine's


def read_sheets(sheets: Sequence[CellSheet], options: ImportOptions) -> ImportResult:
    """Read the matches of sheets, or questions; no cell content raises."""
    found = ImportResult()
    for sheet in sheets:
        _SheetReader(sheet, options, found, len(sheets) > 1).read()
    return found


class _SheetReader:
    def __init__(self, sheet: CellSheet, how: ImportOptions, found: ImportResult, several: bool) -> None:
        self.sheet, self.options, self.result = sheet, how, found
        self.sheet_prefix = f"{sheet.name}!" if several else ""

    def read(self) -> None:
        game = self.options.game or self._find_game()
        if game is None:
            return
        self.result.game, self.headings = game, SheetHeadings(game)
        own = {normalized(heading): result for heading, result in self.options.columns.items()}
        self.own = {key: (self.headings.find(result) if result else None) for key, result in own.items()}
        rows = self.sheet.rows
        tops = []
        for number, cells in enumerate(rows):  # rows of headings: no numbers, several known
            items = [cell for cell in cells if cell != ""]
            texts = all(isinstance(one, str) and not _NUMBER_PATTERN.fullmatch(one) for one in items)
            if texts and len({self._field_of_heading(cell) for cell in items} - {None}) >= MIN_HEADINGS:
                tops.append(number)
        if not tops:
            could = ", ".join(one.heading(translator("fr")) for one in self.headings.fields[:12])
            self._ask(0, 0, N_("No line of headings was found, such as: {could}."), "", could)
        for top, end in zip(tops, [*tops[1:], len(rows)], strict=False):
            # the row above the first headings may be part of two-line headings
            above = rows[top - 1] if top and top == tops[0] else []
            written = [column for column, cell in enumerate(above) if cell != ""]
            if len(written) >= MIN_HEADINGS:
                self._ask(top - 1, written[0], TWO_HEADINGS, cell_text(above[written[0]]))
            else:
                self._read_table(game, top, end)

    def _find_game(self) -> str | None:
        """Return the game the sheet names; None, with a question added, if there is none."""
        known, top, place = SheetField(GAME).aliases, 0, -1
        for number, cells in enumerate(self.sheet.rows):
            if place >= 0:  # below its heading
                if result := cell_text(cells[place]) if place < len(cells) else "":
                    if (game := tokenizer.find_game(result)) is None:
                        self._ask(number, place, NOT_A_GAME, result, *map(game_title, game_names()))
                    return game
            else:
                said_so = (at for at, cell in enumerate(cells) if normalized(str(cell)) in known)
                top, place = number, next(said_so, -1)
        self._ask(top if place >= 0 else 0, max(place, 0), NO_GAME, "", *map(game_title, game_names()))
        return None

    def _field_of_heading(self, cell: Cell) -> SheetField | None:
        result = normalized(cell_text(cell))
        return self.own[result] if result in self.own else self.headings.find(result)

    def _find_columns(self, top: int, end: int) -> dict[int, SheetField] | None:
        """Match columns to fields by index; None, with questions added, if one is unclear."""
        found: dict[int, SheetField] = {}
        before, rows = len(self.result.questions), self.sheet.rows[top + 1 : end]
        for column, cell in enumerate(self.sheet.rows[top]):
            written = cell_text(cell)
            heading = written or cell_address(top, column).rstrip("0123456789")
            below = any(column < len(row) and row[column] != "" for row in rows)
            if not written and not below:
                continue
            left_out = self.own.get(normalized(heading), "") is None
            one = None if left_out else self._field_of_heading(cell if written else heading)
            where = self.sheet_prefix + cell_address(top, column)
            self.result.columns.append(FoundColumn(where, heading, one, left_out))
            if one is not None and one in found.values():
                self._ask(top, column, TWICE, heading, one.heading(translator("en")))
            elif one is not None:
                found[column] = one
            elif below and not left_out:
                near = [one.key for one in self.headings.suggestions(heading)] if written else []
                text = DID_YOU_MEAN_COLUMN if near else UNKNOWN if written else NO_HEADING
                self._ask(top, column, text, heading, *near)
        return found if len(self.result.questions) == before else None

    def _read_table(self, game: str, top: int, end: int) -> None:
        columns = self._find_columns(top, end)
        if not self.result.first_rows:
            rows = self.sheet.rows[top + 1 : top + 6]
            self.result.first_rows = [[cell_text(cell) for cell in row] for row in rows]
        if columns is None:
            return
        # merged cells and formulas without a value cannot be read
        before = len(self.result.questions)
        for first, left, last, right in self.sheet.merged:
            if top <= first < end and any(place in columns for place in range(left, right + 1)):
                of_match = left == right and columns[left].column.key in MATCH_KEYS
                if first == top or not of_match:
                    self._ask(first, left, MERGED, f"{cell_address(first, left)}:{cell_address(last, right)}")
        for row in range(top, end):
            for column in columns if self.sheet.uncomputed else ():
                if cell_address(row, column) in self.sheet.uncomputed:
                    self._ask(row, column, FORMULA_WITHOUT_VALUE, "")
        if len(self.result.questions) > before:
            return
        for match in self._split_matches(columns, top, end):
            log = read_match(match, game, self.options.zone, self.result.questions)
            if log is not None:
                self.result.logs.append(log)
                self.result.origins.append(
                    SourceMap(match[0].source_part, tuple(row.source_part for row in match))
                )

    def _marked_dealers(self, order: Mapping[str, int], top: int, end: int) -> dict[int, str]:
        """Return row → the column of the player whose name ends in “(D)”, where that is the dealer.

        Every line with names has one such, there is no column of dealers, and each of these names
        stands in the same column without it too. Elsewhere it is part of the name.
        """
        seats = {key: place for key, place in order.items() if key.startswith("players ")}
        found, plain = dict[int, str](), set[tuple[str, str]]()
        for number in range(top + 1, end):
            cells = self.sheet.rows[number]
            names = {key: cell_text(cells[at]) for key, at in seats.items() if at < len(cells)}
            names = {key: name for key, name in names.items() if name}
            if any(normalized(name) in TOTAL_WORDS for name in names.values()):
                continue
            marked = [key for key, name in names.items() if _DEALER_MARK.search(name)]
            plain |= {(key, name) for key, name in names.items() if key not in marked}
            if names and len(marked) != 1:
                return {}
            if marked:
                found[number] = marked[0]
        of = ((key, cell_text(self.sheet.rows[number][seats[key]])) for number, key in found.items())
        both = all((key, _DEALER_MARK.sub("", name)) in plain for key, name in of)
        dealt = any(one.key == "dealer" for one in self.headings.fields)
        return found if both and dealt and "dealer" not in order else {}

    def _split_matches(
        self, columns: Mapping[int, SheetField], top: int, end: int
    ) -> Iterator[list[SheetRow]]:
        """Group rows by match: rows with equal match cells, up to an empty row."""
        groups: dict[tuple[str, ...], list[SheetRow]] = {}
        last: dict[str, tuple[Cell, int]] = {}
        order = {one.key: place for place, one in columns.items()}
        dealers = self._marked_dealers(order, top, end)
        for number in range(top + 1, end):
            cells = self.sheet.rows[number]
            there = ((key, place) for key, place in order.items() if place < len(cells))
            fields = {key: (cells[place], number) for key, place in there if cells[place] != ""}
            if not fields:
                yield from groups.values()
                groups.clear()
                last.pop("id", None)
                continue
            if any(normalized(cell_text(cell)) in TOTAL_WORDS for cell, _ in fields.values()):
                continue
            if dealer := dealers.get(number):
                name, seat = cell_text(fields[dealer][0]), dealer.partition(" ")[2]
                fields |= {dealer: (_DEALER_MARK.sub("", name), number), "dealer": (seat, number)}
            of_match = {key: one for key, one in fields.items() if key.split(" ")[0] in MATCH_KEYS}
            if any(key.startswith("players ") for key in of_match):
                last = {key: one for key, one in last.items() if not key.startswith("players ")}
            last |= of_match
            own = sorted(f"{key}={cell}" for key, (cell, _) in last.items())  # identifies a match
            row = SheetRow(number, self.sheet_prefix, order, {**last, **fields})
            groups.setdefault(tuple(own), []).append(row)
        yield from groups.values()

    def _ask(self, row: int, column: int, text: str, read: str, *could: str) -> None:
        cell = self.sheet_prefix + cell_address(row, column)
        self.result.questions.append(Question(row + 1, column + 1, read, text, could, cell=cell))


def read_match(
    rows: Sequence[SheetRow], game: str, zone: tzinfo | None, questions: list[Question]
) -> dict[str, Any] | None:
    """Read the match of some rows; None, with questions added, if a cell is unclear."""
    before, first = len(questions), rows[0]
    head = _read_head(first, game, zone, questions)
    if head is None:
        return None
    if len(rows) > MAX_DEALS:
        questions.append(first.question_at("id", TOO_MANY, read=str(MAX_DEALS)))
        return None
    reader = tokenizer.make_reader(head, (row.text(key) for row in rows for key in row.cells))
    if isinstance(reader, list):
        finding = reader[0]
        key = finding.path.split("/")[1] if finding.path else "game"
        questions.append(replace(first.question_at(key, "", read=""), finding=finding))
        return None
    log: dict[str, Any] = {**head, "deals": []}
    openers = OpenerTracker(log)
    for row in rows:
        deal = DealRowReader(row, reader, log, openers, questions).read()
        if len(questions) == before:
            log["deals"].append(deal)
    return log if len(questions) == before else None


def _read_head(
    row: SheetRow, game: str, zone: tzinfo | None, questions: list[Question]
) -> dict[str, Any] | None:
    head: dict[str, Any] = {"format": FORMAT, "game": game}
    for key in ("rules", "id", "deck"):
        if result := row.text(key):
            head[key] = result.lower() if key == "rules" else result
    if result := row.text("played_at"):
        cell = row.cells["played_at"][0]
        if isinstance(cell, int | float):
            questions.append(row.question_at("played_at", DATE_AS_NUMBER))
            return None
        if isinstance(cell, DateCell) and len(result) != len("2026-05-02"):
            when: str | None = tokenizer.format_date(datetime.fromisoformat(result), zone)
        else:
            when = tokenizer.parse_date(result, zone)
        if when is None:
            questions.append(row.question_at("played_at", NO_DATE, "2026-05-02", "2 mai 2026"))
            return None
        head["played_at"] = when
    if event := {key: result for key in EVENT_KEYS if (result := row.text(key))}:
        head["event"] = event
    items = [row.text(f"players {seat + 1}") for seat in range(max(game_of(game).players))]
    seated = [one for one in items if one]
    if not seated:
        questions.append(row.question_at("players 1", NO_PLAYERS))
        return None
    if items[: len(seated)] != seated:
        key = f"players {items.index(seated[-1]) + 1}"
        questions.append(row.question_at(key, GAP, str(items.index("") + 1)))
        return None
    return {**head, "players": [tokenizer.parse_player(one) for one in seated]}


@dataclass(slots=True)
class DealRowReader:
    """Reads a row as a deal; the `ScoreLineReader` of its game."""

    row: SheetRow
    reader: tokenizer.TokenReader
    log: dict[str, Any]
    opener_tracker: OpenerTracker
    questions: list[Question]

    @property
    def players(self) -> int:
        return len(self.log["players"])

    @property
    def _names(self) -> list[str]:
        return [tokenizer.player_name(one) for one in self.log["players"]]

    def read(self) -> dict[str, Any]:
        game = self.reader.setup.game
        opens, sides = deal_model(game.name).OPENS, game.side_count(self.players)
        seat = self.read_seat(opens)
        if seat is None and not self.row.text(opens):
            seat = self.opener_tracker.next_opener()
            if seat is None:
                self._ask(opens, WHO_OPENS if opens == "dealer" else WHO_LEADS)
        manche, void = self.read_number("manche"), self.read_choice("void", VOID_WORDS)
        deal: dict[str, Any] = {opens: seat, "manche": manche, "void": void}
        points = [self.read_number("points", side) for side in range(sides)]
        given = [one for one in points if one is not None]
        if len(given) == sides:
            deal["points"] = given
        elif given and not self.row.text(empty := f"points {points.index(None) + 1}"):
            other = next(side for side, one in enumerate(points) if one is not None)
            self._ask(empty, NOT_EACH, read=self.row.text(f"points {other + 1}"))
        winner = self.row.text("winner")  # a side's number or one of its players, or none
        if winner and fold_case_and_accents(winner) in NOBODY_WORDS:
            deal["winner"] = 0
        elif winner in map(str, range(1, sides + 1)):
            deal["winner"] = self.read_seat("winner", sides)
        elif (side := self.read_seat("winner")) is not None:
            deal["winner"] = (side - 1) % sides + 1
        deal = {key: fields for key, fields in deal.items() if fields is not None or key == opens}
        fields = game_support(game.name).read_score_line(self)
        words = [word.text for word in tokenizer.tokens_in(self.row.text("end"))]
        for size in range(len(words), 0, -1):  # `Lucie resigns`
            who = tokenizer.seat_of_name(" ".join(words[:size]), self.log["players"])
            meant = self.reader.acts_meant(" ".join(words[size:])) if who is not None else ()
            if who is not None and len(meant) == 1:
                fields = {**fields, "end": f"{who + 1} {meant[0]}"}
                break
        else:
            if self.row.text("end"):
                self._ask("end", NOT_THAT)
        if fields:
            deal["score_line"] = fields
        if remark := self.row.text("remark"):
            deal["comments"] = [{"after": 0, "text": remark}]
        return deal

    def read_acts(self, key: str, kind: str, seat: int = 0) -> list[str] | None:
        """Read a cell's acts of one kind as format words; None if the cell is empty."""
        key = self._column_key(key, seat)
        text = self.row.text(key)
        if not text:
            return None
        if fold_case_and_accents(text) in NONE_WORDS:
            return []
        found, words, place = list[str](), [*tokenizer.tokens_in(text)], 0
        while place < len(words):
            one = self.reader.interpret(words, place, self.reader.acts_meant)
            bare = fold_case_and_accents(one.text).replace("’", "'").strip("()[]. ")
            if len(one.meanings) == 1 and self.reader.act_kind(one.meanings[0]) == kind:
                found.append(one.meanings[0])
            elif len(one.meanings) == 1:
                self._ask(key, NOT_THAT, read=words[place].text)
            elif kind == "announce" and bare in TRUMP_WORDS:
                self._ask(key, TRUMP, read=one.text)
            else:
                at = self.row.question_at(key, "", read=one.text)
                self.questions.append(ambiguity_question(at.line, at.column, one, self.reader.game, at.cell))
            place += one.word_count
        return found

    def read_text(self, key: str, seat: int = 0) -> str:
        return self.row.text(self._column_key(key, seat))

    def read_number(self, key: str, seat: int = 0) -> int | None:
        key = self._column_key(key, seat)
        text = self.row.text(key).replace("\N{MINUS SIGN}", "-")
        try:
            return int(text) if text else None
        except ValueError:
            self._ask(key, N_("“{read}” is no whole number."))
            return None

    def read_seat(self, key: str, side_count: int = 0) -> int | None:
        """Read a seat, or a side of `side_count`, from 1; None if it is empty or unclear."""
        text, players = self.row.text(key), self.log["players"]
        side_count = side_count or len(players)
        if not text:
            return None
        if text in map(str, range(1, side_count + 1)):
            seat = tokenizer.seat_of_name(text, players)
            if seat is None or seat % side_count + 1 == int(text):
                return int(text)
            # the number is also another player's id or name
            whole = " + ".join(self._names[int(text) - 1 :: side_count])
            self._ask(key, AMBIGUOUS_TEXT, self._names[seat], whole)
            return None
        if (seat := tokenizer.seat_of_name(text, players, allow_prefix=True)) is not None:
            return seat + 1
        self._ask(key, NO_PLAYER, *self._names)
        return None

    def read_choice(self, key: str, choices: Mapping[str, Any]) -> Any:
        """Return the value of a cell's word among `choices`; None if it is empty or unknown."""
        found = choices.get(fold_case_and_accents(text)) if (text := self.row.text(key)) else None
        if text and found is None:
            self._ask(key, NOT_THAT)
        return found

    def ask_for_missing(self, key: str) -> None:
        self._ask(key, MISSING)

    def _column_key(self, key: str, seat: int) -> str:
        each = f"{key} {seat + 1}"
        return each if each in self.row.column_order or key not in self.row.column_order else key

    def _ask(self, key: str, text: str, *could: str, read: str | None = None) -> None:
        self.questions.append(self.row.question_at(key, text, *could, read=read))
