"""Reads score sheets and results from spreadsheet cells; docs/score-sheets.md.

A row of headings names the columns of each table. Each unreadable cell returns a question, and its
match is left out: a match is imported with all its deals or not at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import pairwise
from typing import NamedTuple

from engine.games import game as game_of
from engine.games import game_names, game_title
from engine.score_line import ScoreLine
from ingest.autofix.misspellings import words_spelled
from ingest.games import game_support
from ingest.i18n import N_, translator
from ingest.importers import tokenizer
from ingest.importers.cells import (
    Cell,
    CellSheet,
    cell_address,
    cell_text,
    column_name,
    is_number,
    whole_number,
)
from ingest.importers.headings import (
    GAME,
    MATCH_KEYS,
    NUMBER,
    PLAYERS,
    POINTS,
    RESULT,
    UNUSED,
    SheetField,
    SheetHeadings,
    normalized,
)
from ingest.importers.import_result import FileNote, FoundColumn, ImportResult, Question, SourceMap
from ingest.importers.sheet_rows import (
    SCORE_SEPARATOR,
    DateReader,
    SheetRow,
    read_head,
    read_match,
    read_result,
)
from ingest.importers.tables import PlacedCell, Table, TableFinder
from schemas.match_models import deal_model

NO_GAME = N_("Which game is it? Name it in a column “Game”, or with --game: {could}.")
NOT_A_GAME = N_("“{read}” is no game. Is it {could}?")
NO_HEADINGS = N_("No line of headings was found, such as: {could}.")
TWO_HEADINGS = N_("There are two lines of headings, “{read}” is in the first: leave one of them.")
UNKNOWN = N_("What column is “{read}”? Say so, or that it is left out.")
NO_HEADING = N_("What is column {read}, which has no heading? Say so, or that it is left out.")
DID_YOU_MEAN_COLUMN = N_("What column is “{read}”? Is {could} meant?")
TWICE = N_("There are two columns for {could}.")
MERGED = N_("Cells {read} are merged: which line or column they are about is not clear.")
FORMULA_WITHOUT_VALUE = N_("The cell has a formula of which the file has no value: save it from the program.")
DEAL_OR_MATCH = N_(
    "Is each line a deal or a match? Of a match this column is “{could}”; of a deal add who dealt."
)
COLUMNS_UNUSED = N_("Columns of “{sheet}” that were left out: {columns}.")
LINES_UNUSED = N_("Lines of “{sheet}” that were left out: {lines}.")
POINTS_UNKNOWN = N_("Lines of “{sheet}” from which the points of both sides do not follow: {lines}.")
YEAR_FOUND = N_("The days without a year are of {year}, as the other dates of the file.")
TOTAL_WORDS = frozenset(
    (
        "total",
        "totaux",
        "totals",
        "sous total",
        "somme",
        "sum",
        "cumul",
        "moyenne",
        "moyennes",
        "average",
        "mean",
    )
)
_DEALER_MARK = re.compile(r"\s*\(d\)\s*$", re.IGNORECASE)
_YEAR_PATTERN = re.compile(r"(?<!\w)(20\d\d)(?!\w)")
MAX_LINES_JUDGED = 60  # lines of a table that decide whether lines are deals or matches


class ImportOptions(NamedTuple):
    """Options of the user for an import."""

    game: str | None = None
    columns: Mapping[str, str] = {}
    """Heading → key or heading of its column; empty: ignore the column."""
    zone: tzinfo | None = None  # of dates; None: the machine's


def read_sheets(sheets: Sequence[CellSheet], options: ImportOptions, file_name: str = "") -> ImportResult:
    """Read the matches of sheets, or questions; no cell content raises."""
    found = ImportResult()
    readers: list[_SheetReader] = []
    for sheet in sheets:
        cleaned, notes = sheet.cleaned()
        found.remarks += notes
        readers.append(_SheetReader(cleaned, options, found, len(sheets) > 1, file_name))
    for reader in readers:
        reader.find_tables()
    years = {year for reader in readers for year in reader.years()}
    for reader in readers:
        reader.read(years)
    return found


class _SheetReader:
    def __init__(
        self, sheet: CellSheet, options: ImportOptions, found: ImportResult, several: bool, file_name: str
    ) -> None:
        self.sheet, self.options, self.result = sheet, options, found
        self.sheet_name = sheet.name if several else ""
        self.shown_name, self.file_name = sheet.name or file_name, file_name
        self.game: str | None = None
        self.tables: list[Table] = []
        self._finders: dict[str, TableFinder] = {}
        self.unused: list[str] = []
        self.lines_left_out: list[int] = []
        self.points_unknown: list[int] = []

    # tables

    def find_tables(self) -> None:
        """Find the game and the tables; a question is added if one of them is unclear."""
        self.game = game = self._find_game()
        if game is None:
            return
        self.result.game, self.headings = game, SheetHeadings(game)
        self.tables = self._finder(game).tables
        if not self.tables and any(cell != "" for cells in self.sheet.rows for cell in cells):
            could = ", ".join(one.heading(translator("fr")) for one in self.headings.fields[:12])
            self._ask(0, 0, NO_HEADINGS, "", could)

    def _finder(self, game: str) -> TableFinder:
        if game in self._finders:
            return self._finders[game]
        headings = SheetHeadings(game)
        items = self.options.columns.items()
        own = {normalized(heading): headings.find(item) if item else None for heading, item in items}
        self._finders[game] = TableFinder(self.sheet, headings, own)
        return self._finders[game]

    def _find_game(self) -> str | None:
        """Return the sheet's game; None, with a question added, if nothing names one game."""
        aliases = SheetField(GAME).aliases
        place: tuple[int, int] | None = None
        for number, cells in enumerate(self.sheet.rows):
            for column, cell in enumerate(cells):
                text = cell_text(cell)
                label, _, value = text.partition(":")
                if place is None and normalized(label) in aliases and (games := tokenizer.games_named(value)):
                    return games.pop()
                if place is None and normalized(text) in aliases:
                    place = number, column
                elif place is not None and text and number > place[0] and column == place[1]:
                    if self.options.game or (game := tokenizer.find_game(text)) is not None:
                        return self.options.game or game
                    self._ask(number, column, NOT_A_GAME, text, *map(game_title, game_names()))
                    return None
        title = " ".join(cell_text(cell) for row in self._title_rows() for cell in row)
        for games in (
            tokenizer.games_named(self.sheet.name),
            {self.options.game} if self.options.game else set(),
            tokenizer.games_named(title),
            tokenizer.games_named(self.file_name),
            set(self._games_of_columns()),
        ):
            if len(games) == 1:
                return games.pop()
        row, column = place or (0, 0)
        self._ask(row, column, NO_GAME, "", *map(game_title, game_names()))
        return None

    def _title_rows(self) -> list[list[Cell]]:
        """Return the rows above the first table of any game."""
        tops = [table.top for name in game_names() for table in self._finder(name).tables[:1]]
        return self.sheet.rows[: min(tops, default=1)]

    def _games_of_columns(self) -> Iterator[str]:
        """Yield each game that has columns, words or pairs of the sheet which are its own."""
        for name in game_names():
            finder = self._finder(name)
            own = {one.key for one in game_support(name).SHEET_COLUMNS}
            for table in finder.tables:
                texts = {at: cell_text(self.sheet.cell(table.top, at)) for at in table.columns}
                fields = {at: one for at, text in texts.items() if text and (one := finder.field_of(text))}
                mine = [at for at, one in fields.items() if one.column.key in own]
                cells = [self._texts(table, at) for at in mine]
                teams = [one.seat_index for one in fields.values() if one.column is PLAYERS]
                pairs = finder.headings.has_teams and max((at or 0 for at in teams), default=-1) == 1
                words = any(words_spelled(name, text) for column in cells for text in column)
                sides = finder.headings.has_teams and {"nous", "eux"} <= {*map(normalized, texts.values())}
                names = [
                    texts
                    for at, one in fields.items()
                    if one.column is PLAYERS
                    for texts in self._texts(table, at)
                ]
                pairs = pairs and bool(names) and all(tokenizer.split_names(text, 2) for text in names)
                if words or sides or pairs or sum(map(bool, cells)) > 1:
                    yield name
                    break

    def _texts(self, table: Table, column: int) -> list[str]:
        cells = (self.sheet.cell(row, column) for row in range(table.top + 1, table.end))
        return [cell_text(cell) for cell in cells if cell != ""]

    # dates

    def years(self) -> Iterator[int]:
        """Yield the years of complete dates, and those that titles name."""
        for table in self.tables:
            columns = [at for at in table.columns if self._is_date_column(self.sheet.cell(table.top, at))]
            for cell in [
                *(self.sheet.cell(row, at) for at in columns for row in range(table.top + 1, table.end)),
                *(placed.cell for key, placed in table.facts.items() if key == "played_at"),
            ]:
                when = DateReader(first_day=self.sheet.first_day).read(cell)
                if when is not None:
                    yield int(when[:4])
            for text in (*table.titles, self.sheet.name, self.file_name):
                yield from map(int, _YEAR_PATTERN.findall(text))

    def _is_date_column(self, heading: Cell) -> bool:
        return heading != "" and getattr(self.headings.find(cell_text(heading)), "key", "") == "played_at"

    def _date_of_titles(self, table: Table, year: int | None) -> str:
        """Return the one date in the titles above a table, else in the sheet's name; empty if none."""
        for texts in (table.titles, [self.sheet.name]):
            dates = {day.isoformat() for text in texts for day in tokenizer.dates_within(text)}
            if len(dates) == 1:
                return dates.pop()
        whole = tokenizer.parse_date(self.sheet.name, self.options.zone, year)
        return self.sheet.name if whole is not None else ""

    # columns

    def read(self, years: set[int]) -> None:
        """Read the tables, with the years that the file's dates have."""
        own = {*self.years()} if self.game else set()
        known = own if len(own) == 1 else years
        year = known.copy().pop() if len(known) == 1 else None
        for table in self.tables:
            self._read_table(table, DateReader(self.options.zone, year, self.sheet.first_day))
        notes = (
            (COLUMNS_UNUSED, "columns", self.unused),
            (LINES_UNUSED, "lines", [str(row + 1) for row in self.lines_left_out]),
            (POINTS_UNKNOWN, "lines", [str(row + 1) for row in self.points_unknown]),
        )
        for text, key, items in notes:
            if items:
                self.result.remarks.append(FileNote(text, {"sheet": self.shown_name, key: ", ".join(items)}))

    def _read_table(self, table: Table, dates: DateReader) -> None:
        assert self.game is not None
        before = len(self.result.questions)
        if not self.result.first_rows:
            rows = self.sheet.rows[table.top + 1 : table.top + 6]
            self.result.first_rows = [[cell_text(cell) for cell in row] for row in rows]
        columns = self._find_columns(table)
        above = table.top - 1
        for column in table.columns:
            text = cell_text(self.sheet.cell(above, column))
            if text in table.titles and self._finder(self.game).field_of(text) is not None:
                self._ask(above, column, TWO_HEADINGS, text)
                break
        self._ask_about_cells(table, columns)
        if len(self.result.questions) > before:
            return
        if "played_at" not in table.facts and (day := self._date_of_titles(table, dates.year)):
            table.facts["played_at"] = PlacedCell(day, table.top, table.columns[0])
        days = [
            text for at, one in columns.items() if one.key == "played_at" for text in self._texts(table, at)
        ]
        if any(tokenizer.parse_date(day, None) is None and dates.read(day) is not None for day in days):
            note = FileNote(YEAR_FOUND, {"year": dates.year})
            self.result.remarks += [] if note in self.result.remarks else [note]
        groups = [*self._split_matches(table, columns)]
        holds_matches = self._holds_matches(columns, groups, dates)
        if holds_matches is None:
            column = next((at for at, one in columns.items() if one.column is POINTS), table.columns[0])
            seat = columns[column].seat_index if column in columns else 0
            heading = cell_text(self.sheet.cell(table.top, column))
            self._ask(table.top, column, DEAL_OR_MATCH, heading, SheetField(RESULT, seat).key)
        elif holds_matches:
            for row in (row for group in groups for row in group):
                if (log := read_result(row, self.game, dates, self.result.questions)) is not None:
                    self._add(log, [row])
        else:
            self._read_deals(groups, columns, dates)

    def _read_deals(
        self, groups: Sequence[Sequence[SheetRow]], columns: Mapping[int, SheetField], dates: DateReader
    ) -> None:
        assert self.game is not None
        opens = deal_model(self.game).OPENS
        has_opener = any(one.key == opens for one in columns.values())
        asks = True
        for group in groups:
            before = len(self.result.questions)
            log = read_match(group, self.game, dates, self.result.questions, asks)
            if log is not None:
                self._add(log, group)
                deals = zip(group, log["deals"], strict=True)
                self.points_unknown += [
                    row.number
                    for row, deal in deals
                    if "points" not in deal and any(row.text(key) for key, _ in row.headings)
                ]
            # without the column the question is the same of every match
            asks = asks and (has_opener or log is not None or len(self.result.questions) == before)

    def _add(self, log: dict[str, object], rows: Sequence[SheetRow]) -> None:
        self.result.logs.append(log)
        deals = () if "result" in log else tuple(row.source_part for row in rows)
        self.result.origins.append(SourceMap(rows[0].source_part, deals))

    def _find_columns(self, table: Table) -> dict[int, SheetField]:
        """Match columns to fields by index; a question is added for each that is unclear."""
        found: dict[int, SheetField] = {}
        unknown: list[int] = []
        finder = self._finder(self.game or "")
        for column in table.columns:
            heading = self.sheet.cell(table.top, column)
            written = cell_text(heading)
            texts = self._texts(table, column)
            if not written and not texts:
                continue
            named = written or column_name(column)
            left_out = finder.own.get(normalized(named), "") is None
            one = None if left_out else finder.field_of(named)
            left_out = left_out or (one is None and normalized(named) in UNUSED)
            if one is None and not left_out and not written and self._is_count(texts):
                one = SheetField(NUMBER)
            where = cell_address(table.top, column)
            self.result.columns.append(FoundColumn(where, named, one, left_out, self.sheet_name))
            if one is not None and one in found.values():
                self._ask(table.top, column, TWICE, named, one.heading(translator("en")))
            elif one is not None:
                found[column] = one
            elif left_out and normalized(named) in UNUSED:
                self.unused.append(f"{named} ({where})")
            elif not left_out and texts:
                unknown.append(column)
        self._name_players(table, found, unknown)
        results = any(one.column is RESULT for one in found.values())
        for column in unknown:
            written = cell_text(self.sheet.cell(table.top, column))
            named = written or column_name(column)
            near = [one.key for one in self.headings.suggestions(named)] if written else []
            if results and written and not near:  # no column but those of players and results counts
                self.unused.append(f"{named} ({cell_address(table.top, column)})")
                continue
            text = DID_YOU_MEAN_COLUMN if near else UNKNOWN if written else NO_HEADING
            self._ask(table.top, column, text, named, *near)
        return found

    def _is_count(self, texts: Sequence[str]) -> bool:
        """Return whether texts count lines from 1, hidden ones too."""
        numbers = [whole_number(text) or 0 for text in texts if not _is_total(text)]
        most = len(numbers) + len(self.sheet.hidden_rows)
        rising = all(one < other for one, other in pairwise(numbers))
        return len(numbers) > 1 and numbers[0] == 1 and rising and numbers[-1] <= most

    def _name_players(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take headings for players with their points below, where other cells name one of them."""
        assert self.game is not None
        fields = {*found.values()}
        named = [at for at, one in found.items() if one.column is POINTS and one.seat_index is not None]
        if PLAYERS in (one.column for one in fields) or any(key.startswith("players") for key in table.facts):
            return
        numbers = [
            at
            for at in unknown
            if all(map(is_number, self._texts(table, at))) and self.sheet.cell(table.top, at) != ""
        ]
        names = {cell_text(self.sheet.cell(table.top, at)) for at in numbers}
        known = [one.cell for key, one in table.facts.items() if key in ("dealer", "leader")]
        people = [at for at, one in found.items() if one.key in ("dealer", "leader", "winner", "bidder")]
        texts = {*map(cell_text, known), *(text for at in people for text in self._texts(table, at))}
        own = [
            at
            for at in named
            if normalized(cell_text(self.sheet.cell(table.top, at))) in self._finder(self.game).own
        ]
        if len(numbers) in game_of(self.game).players and not named and names & texts:
            for seat, at in enumerate(numbers):
                unknown.remove(at)
                found[at] = SheetField(POINTS, seat)
                own.append(at)
        for at in own:
            side = found[at].seat_index
            heading = self.sheet.cell(table.top, at)
            table.facts[SheetField(PLAYERS, side).key] = PlacedCell(heading, table.top, at)
            for column in self.result.columns:
                if column.cell == cell_address(table.top, at) and column.sheet == self.sheet_name:
                    column.field = found[at]

    def _ask_about_cells(self, table: Table, columns: Mapping[int, SheetField]) -> None:
        """Ask about merged cells and formulas without a value, which cannot be read."""
        for first, left, last, right in self.sheet.merged:
            if table.top <= first < table.end and any(place in columns for place in range(left, right + 1)):
                of_match = left == right and columns[left].column.key in MATCH_KEYS
                if first == table.top or not of_match:
                    place = f"{cell_address(first, left)}:{cell_address(last, right)}"
                    self._ask(first, left, MERGED, place)
        for row in range(table.top, table.end):
            for column in columns if self.sheet.uncomputed else ():
                if cell_address(row, column) in self.sheet.uncomputed:
                    self._ask(row, column, FORMULA_WITHOUT_VALUE, "")

    # lines

    def _holds_matches(
        self, columns: Mapping[int, SheetField], groups: Sequence[Sequence[SheetRow]], dates: DateReader
    ) -> bool | None:
        """Return whether each line is a match, not a deal of one; None if it may be either."""
        assert self.game is not None
        fields = [one.column for one in columns.values()]
        if RESULT in fields:
            return True
        opens = deal_model(self.game).OPENS
        of_deal = {
            opens,
            "manche",
            "void",
            "end",
            *(one.key for one in game_support(self.game).SHEET_COLUMNS),
        }
        rows = [row for group in groups for row in group][:MAX_LINES_JUDGED]
        if any(one.key in of_deal for one in fields) or any(opens in row.cells for row in rows):
            return False
        scores = [score for row in rows if (score := self._points_of(row)) is not None]
        if scores and not any(self._is_deal(score, rows[0], dates) for score in scores):
            return True
        if any(len(group) > 1 for group in groups) or PLAYERS not in fields or NUMBER in fields:
            return False
        return None if rows else False

    def _points_of(self, row: SheetRow) -> tuple[int, ...] | None:
        assert self.game is not None
        texts = [row.text(f"{POINTS.key} {side + 1}") for side in range(max(game_of(self.game).players))]
        texts = [text for text in texts if text] or re.split(SCORE_SEPARATOR, row.text(POINTS.key))
        numbers = [whole_number(text) for text in texts]
        return None if None in numbers else tuple(one for one in numbers if one is not None)

    def _is_deal(self, points: tuple[int, ...], row: SheetRow, dates: DateReader) -> bool:
        """Return whether some deal makes these points, or it is unclear who plays."""
        assert self.game is not None
        head = read_head(row, self.game, dates, [])
        reader = [] if head is None else tokenizer.make_reader(head, ())
        if head is None or isinstance(reader, list):
            return True
        line, rules = ScoreLine(0, points), reader.setup.rules
        return not reader.setup.game.score_line_rules.possible_ends(
            line, len(head["players"]), rules
        ).problems

    def _marked_dealers(self, order: Mapping[str, int], table: Table) -> dict[int, str]:
        """Return row → the column of the player whose name ends in “(D)”, where that is the dealer.

        Every line with names has one such, there is no column of dealers, and each of these names
        stands in the same column without it too. Elsewhere it is part of the name.
        """
        seats = {key: place for key, place in order.items() if key.startswith("players ")}
        found, plain = dict[int, str](), set[tuple[str, str]]()
        for number in range(table.top + 1, table.end):
            names = {
                key: name for key, at in seats.items() if (name := cell_text(self.sheet.cell(number, at)))
            }
            if any(map(_is_total, names.values())):
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

    def _split_matches(self, table: Table, columns: Mapping[int, SheetField]) -> Iterator[list[SheetRow]]:
        """Group rows by match: rows with equal match cells, up to an empty row."""
        groups: dict[tuple[str, ...], list[SheetRow]] = {}
        above = {key: one for key, one in table.facts.items() if key.split(" ")[0] in MATCH_KEYS}
        openers = {key: one for key, one in table.facts.items() if key not in above}
        last = dict(above)
        order = {one.key: place for place, one in columns.items()}
        single = (POINTS.key, *game_support(self.game or "").TOTALS_COLUMNS)
        headings = [
            (key, cell_text(self.sheet.cell(table.top, order[key]))) for key in single if key in order
        ]
        dealers = self._marked_dealers(order, table)
        sums, is_over = dict[str, int](), False
        for number in range(table.top + 1, table.end):
            if number in self.sheet.hidden_rows:
                continue
            every = {at: cell for at in table.columns if (cell := self.sheet.cell(number, at)) != ""}
            fields = {
                key: PlacedCell(cell, number, place)
                for key, place in order.items()
                if (cell := self.sheet.cell(number, place)) != ""
            }
            if not every:
                yield from groups.values()
                groups.clear()
                last.pop("id", None)
                is_over = False
                continue
            texts = {key: cell_text(one.cell) for key, one in fields.items()}
            if any(_is_total(cell_text(cell)) for cell in every.values()) or _adds_up(texts, sums):
                is_over = True
                continue
            if is_over or not fields or _is_remark(texts, every):
                self.lines_left_out.append(number)
                continue
            for key in texts:
                sums[key] = sums.get(key, 0) + (whole_number(texts[key]) or 0)
            if dealer := dealers.get(number):
                placed, seat = fields[dealer], dealer.partition(" ")[2]
                name = _DEALER_MARK.sub("", cell_text(placed.cell))
                fields |= {dealer: placed._replace(cell=name), "dealer": placed._replace(cell=seat)}
            of_match = {key: one for key, one in fields.items() if key.split(" ")[0] in MATCH_KEYS}
            if any(key.startswith("players") for key in of_match):
                last = {key: one for key, one in last.items() if not key.startswith("players")}
            last |= of_match
            own = sorted(f"{key}={one.cell}" for key, one in last.items())  # identifies a match
            row = SheetRow(number, self.sheet_name, order, {**openers, **last, **fields}, headings)
            openers = {}
            groups.setdefault(tuple(own), []).append(row)
        yield from groups.values()

    def _ask(self, row: int, column: int, text: str, read: str, *could: str) -> None:
        where = cell_address(row, column)
        question = Question(row + 1, column + 1, read, text, could, cell=where, sheet=self.sheet_name)
        self.result.questions.append(question)


def _is_total(text: str) -> bool:
    return normalized(text) in TOTAL_WORDS


def _adds_up(texts: Mapping[str, str], sums: Mapping[str, int]) -> bool:
    """Return whether a row has nothing but the sums of the rows above."""
    numbers = {key: whole_number(text) for key, text in texts.items()}
    return len(numbers) > 1 and all(
        key.split(" ")[0] in (POINTS.key, RESULT.key) and sums.get(key) == number
        for key, number in numbers.items()
    )


def _is_remark(texts: Mapping[str, str], every: Mapping[int, Cell]) -> bool:
    """Return whether a row is one text where only numbers, names or dates belong."""
    if len(every) != 1 or len(texts) != 1:
        return False
    [(key, text)] = texts.items()
    kind = key.split(" ")[0]
    return kind in (POINTS.key, RESULT.key, NUMBER.key, "played_at") and not any(map(str.isdigit, text))
