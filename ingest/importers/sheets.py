"""Decides what each column of a spreadsheet is, and reads results and scores; docs/score-sheets.md.

A row of headings names the columns of each table. Each unreadable cell returns a question, and its match
is skipped: a match is imported with all its deals or not at all.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Self

from engine.games import game as game_of
from engine.games import game_names, game_title
from ingest.i18n import N_, translator
from ingest.importers import tokenizer
from ingest.importers.cells import Cell, CellSheet, cell_address, cell_text, column_name
from ingest.importers.cross_tables import OUTSIDE, READ_AS_CROSS_TABLE, CrossTable, CrossTableReader
from ingest.importers.deal_match_rows import are_matches
from ingest.importers.draw_lists import NAMED_BY_DRAW, cells_named_by_draw, names_of_draw
from ingest.importers.duplicate_results import ask_about_repeats
from ingest.importers.game_fit import NOT_A_GAME, RULES_OPEN, certain_game, certain_rules, fit, game_question
from ingest.importers.headings import DEALER, MATCH_KEYS, PLAYERS, POINTS, RESULT, SheetField, SheetHeadings
from ingest.importers.import_result import (
    AnswerKind,
    FileNote,
    FoundColumn,
    ImportResult,
    Question,
    RecalledSheet,
    SheetTexts,
)
from ingest.importers.joined_headings import join_heading_rows
from ingest.importers.mapping import (
    LEFT_OUT,
    ColumnMapping,
    ImportOptions,
    Lines,
    SheetMapping,
    WorkbookMapping,
)
from ingest.importers.match_rows import MAY_BE_SUM, RowGrouper, is_total, played, rows_without_points
from ingest.importers.own_columns import fingerprint_of
from ingest.importers.rules_text import with_target
from ingest.importers.running_totals import DEALS_OR_TOTALS, READ_AS_TOTALS, DealLines, kind_of_points
from ingest.importers.sheet_columns import ColumnFinder
from ingest.importers.sheet_dates import (
    DATES_TO_CHECK,
    YEAR_FOUND,
    DateReader,
    is_to_check,
    is_year_open,
    lacks_year,
    possible_years,
)
from ingest.importers.sheet_game import GameFinder, UnclearGame, game_of_rows, share_game, texts_in
from ingest.importers.sheet_players import ask_about_short_names, names_by_turn
from ingest.importers.sheet_rows import SheetRow, read_match, read_result
from ingest.importers.source_map import SourceMap
from ingest.importers.tables import PlacedCell, Table
from ingest.importers.title_dates import (
    date_of_sheet_name,
    dates_in,
    day_of_titles,
    season_of_texts,
    years_of_tables,
)
from ingest.importers.title_events import TITLES_NOT_STORED, event_of_titles
from schemas.match_models import deal_model

NO_HEADINGS = N_("No line of headings was found, such as: {could}.")
TWO_HEADINGS = N_("There are two lines of headings, “{read}” is in the first: leave one of them.")
MERGED = N_("Cells {read} are merged: which line or column they are about is not clear.")
FORMULA_WITHOUT_VALUE = N_("The cell has a formula of which the file has no value: save it from the program.")
DEAL_OR_MATCH = N_(
    "Is each line a deal or a match? For a match, this column is “{could}”; for a deal, its points."
)
DEALS_OR_MATCHES = N_("Is each line a deal or a match?")
COLUMNS_UNUSED = N_("Skipped columns of “{sheet}”: {columns}.")
SHEET_SKIPPED = N_("The sheet “{sheet}” was skipped, as you chose.")
SHEETS_WITHOUT_RESULTS = N_("Skipped, without results: {sheets}.")
STANDINGS = N_(
    "The file has standings, a player a line. Retourne reads a line as a match or as a deal of one."
)
NO_SUCH_SHEET = N_("The file has no sheet “{name}”. It has: {known}.")
POINTS_UNKNOWN = N_("These lines of “{sheet}” do not say enough to know the points of both sides: {lines}.")
MAX_LINES_SHOWN = 5  # in a question


def read_sheets(sheets: Sequence[CellSheet], options: ImportOptions, file_name: str = "") -> ImportResult:
    """Read the matches of sheets, or questions; no cell content raises."""
    found = ImportResult()
    names = [sheet.name for sheet in sheets]
    for name in (*options.only_sheets, *options.skipped_sheets):
        if name not in names:
            return ImportResult(error=FileNote(NO_SUCH_SHEET, {"name": name, "known": ", ".join(names)}))
    readers: list[_SheetReader] = []
    for sheet in sheets:
        cleaned, notes = sheet.cleaned()
        one = _SheetReader(cleaned, options, found, len(sheets) > 1, file_name)
        readers += one.by_game() or [one]
        found.sheets.append(SheetTexts(sheet.name, readers[-1].sheet.texts))
        found.notices += [] if readers[-1].is_skipped else notes
    share_game([one.game_finder for one in readers], file_name, options.game)
    without = [one for one in readers if not one.has_results]
    standings = [one for one in without if one.game_finder.holds_standings]
    if len(standings) == len(readers):
        return ImportResult(error=FileNote(STANDINGS))
    if len(without) == len(readers):  # a sheet that is no standings may have results that are not seen
        without = standings
    name_teams([one for one in readers if one not in without], without, found)
    for reader in without:
        reader.is_passed_over = True
        reader.taken = reader.taken.model_copy(update={"skip": True})
    if passed := tuple(one.shown_name for one in readers if one.is_passed_over):
        found.notices.append(FileNote(SHEETS_WITHOUT_RESULTS, {"sheets": passed}))
    for reader in readers:
        if not reader.is_passed_over:
            reader.find_tables()
    years = {year for reader in readers for year in reader.years()}
    open_years = possible_years([text for reader in readers for text in reader.days_without_year()])
    for reader in readers:
        reader.read(years, open_years)
    if options.finds_rules:
        chosen = {one.sheet_name: (one.shown_name, one.chosen) for one in readers}
        ask_about_short_names(found, chosen)
        ask_about_repeats(found, chosen)
    found.mapping = WorkbookMapping(sheets=tuple(one.taken for one in readers if not one.is_later_part))
    return found


def name_teams(
    readers: Sequence["_SheetReader"], without: Sequence["_SheetReader"], found: ImportResult
) -> None:
    """Put names where sheets have the numbers that one list of the draw gives to its teams."""
    draws = [(one, names) for one in without if (names := names_of_draw(one.sheet))]
    for reader in readers if len(draws) == 1 else ():
        [(draw, names)] = draws
        if cells := cells_named_by_draw(reader.game_finder, names):
            reader.sheet = reader.sheet.with_texts(cells).with_names(reader.chosen.names)
            reader.game_finder = reader.game_finder.of_sheet(reader.sheet)
            reader.titles_above = draw.game_finder.titles
            found.notices.append(
                FileNote(NAMED_BY_DRAW, {"sheet": reader.shown_name, "draw": draw.shown_name})
            )


class _SheetReader:
    def __init__(
        self, sheet: CellSheet, options: ImportOptions, found: ImportResult, several: bool, file_name: str
    ) -> None:
        self.options, self.result = options, found
        self.sheet_name = sheet.name if several else ""
        self.shown_name, self.file_name = sheet.name or file_name, file_name
        self.game: str | None = None
        self.rules: str | None = None
        self.tables: list[Table] = []
        own = tuple(ColumnMapping(heading=key, role=role) for key, role in options.columns.items())
        key = fingerprint_of(sheet.name, GameFinder(sheet, ()).headings)
        chosen = options.mapping.of_sheet(sheet.name, key) or SheetMapping()
        self.chosen = chosen.model_copy(update={"columns": (*own, *chosen.columns)})
        self.lines_chosen = chosen.lines  # not for an earlier sheet of its fingerprint
        if (before := options.remembered.get(key)) is not None:
            self.chosen = chosen = self.chosen.over(before.mapping)
            found.recalled.append(RecalledSheet(self.shown_name, key, before.confirmed_on))
        self.sheet = sheet.with_texts(self.chosen.cells).with_names(self.chosen.names)
        self.game_finder = GameFinder(self.sheet, self.chosen.columns)
        self.taken = SheetMapping(
            sheet=sheet.name, fingerprint=key, skip=chosen.skip, names=chosen.names, cells=chosen.cells
        )
        self.taken = self.taken.model_copy(update={"repeats": chosen.repeats})
        only = options.only_sheets
        if (only and sheet.name not in only) or sheet.name in options.skipped_sheets:
            self.taken = self.taken.model_copy(update={"skip": True})
        self.is_passed_over = self.is_later_part = False
        self.titles_above: Sequence[str] = ()
        """Titles of another sheet that are about this one."""
        self.part_game: str | None = None  # of a sheet with several, the one that is read here
        self.columns_found: list[FoundColumn] = []
        self.unused: list[str] = []
        self.lines_noted: dict[str, list[int]] = {}

    def by_game(self) -> list[Self]:
        """Return a reader for each game that a column “Game” names; empty if it names one at most."""
        if self.is_skipped or self.options.game:
            return []
        by_row = game_of_rows(self.sheet)
        games = [game for game in dict.fromkeys(game for game, _ in by_row.values()) if game]
        if not games or {game for game, _ in by_row.values()} == {games[0]}:
            return []
        for row, (game, column) in by_row.items():
            if game is None:
                names = map(game_title, game_names())
                self._ask(row, column, NOT_A_GAME, cell_text(self.sheet.cell(row, column)), *names)
        parts = []
        for place, game in enumerate(games):
            part = copy(self)
            others = {row for row, (other, _) in by_row.items() if other != game}
            rows = [[] if row in others else cells for row, cells in enumerate(self.sheet.rows)]
            part.sheet = replace(self.sheet, rows=rows)
            part.game_finder = GameFinder(part.sheet, self.chosen.columns)
            part.columns_found, part.unused = [], []
            part.lines_noted = {}
            part.part_game, part.is_later_part = game, place > 0
            parts.append(part)
        return parts

    # tables

    @property
    def has_results(self) -> bool:
        """Whether the sheet may have results, or the user decided that it has or skips it."""
        one, only = self.chosen, self.options.only_sheets
        chosen = one.skip is not None or one.game or one.lines or one.columns or only
        return bool(chosen or self.is_skipped) or self.game_finder.holds_results

    def find_tables(self) -> None:
        """Find the game and the tables; a question is added if one of them is unclear."""
        if self.is_skipped:
            self.result.notices.append(FileNote(SHEET_SKIPPED, {"sheet": self.shown_name}))
            return
        try:
            given = self.part_game or self.chosen.game
            self.game = game = given or self.game_finder.find(self.file_name, self.options.game)
        except UnclearGame as one:
            fits = [fit(name, self._read_as(name)) for name in one.games if one.by_columns]
            if (certain := certain_game(fits)) is None:
                text, read, games = game_question(self.sheet, one, fits)
                self._ask(one.row, one.column, text, read, *map(game_title, games), about="game")
                return
            self.game = game = certain
        self.result.game, self.headings = game, SheetHeadings(game)
        joined = join_heading_rows(self.sheet, self.headings)
        if joined is not self.sheet and self.cross is None:
            self.sheet, self.game_finder = joined, GameFinder(joined, self.chosen.columns)
        self.finder = self.game_finder.tables_as(game)
        self.tables = self.finder.tables if self.cross is None else [self.finder.table_at(self.cross.table)]
        if not self.tables and any(cell != "" for cells in self.sheet.rows for cell in cells):
            could = ", ".join(one.heading(translator("fr")) for one in self.headings.fields[:12])
            self._ask(0, 0, NO_HEADINGS, "", could, about="sheet")

    @property
    def cross(self) -> CrossTable | None:
        """The sheet's cross table, unless the user has its lines as deals."""
        return None if self.chosen.lines in ("deals", "totals") else self.game_finder.cross

    def _read_as(self, game: str) -> ImportResult:
        """Read the sheet as one of another game."""
        lines = self.chosen.lines if self.chosen.lines == "matches" else self.lines_chosen
        taken = self.chosen.model_copy(update={"game": game, "sheet": self.sheet.name, "lines": lines})
        mapping = WorkbookMapping(sheets=(taken,))
        options = self.options._replace(mapping=mapping, remembered={}, finds_rules=False)
        return read_sheets([self.sheet], options, self.file_name)

    # dates

    def years(self) -> set[int]:
        """Return the years of complete dates, and those that titles name."""
        return years_of_tables(self.sheet, self.tables, self._is_date_column, self.file_name)

    def days_without_year(self) -> list[str]:
        """Return the dates of the tables that have no year."""
        return [text for text in self._texts_of_days() if lacks_year(text)]

    def _texts_of_days(self) -> list[str]:
        texts = (dates_in(self.sheet, one, self._is_date_column) for one in self.tables)
        return [text for each in texts for text in each]

    def _is_date_column(self, heading: Cell) -> bool:
        return heading != "" and getattr(self.headings.find(cell_text(heading)), "key", "") == "played_at"

    # columns

    def read(self, years: set[int], open_years: Sequence[str] = ()) -> None:
        """Read the tables, with the years that the file's dates have, or that they may have."""
        own = self.years() if self.game else set()
        known = own if len(own) == 1 else years
        year = self.chosen.year or (known.copy().pop() if len(known) == 1 else None)
        texts = [text for one in self.tables for text in one.titles]
        titles = " ".join([self.shown_name, self.file_name, *texts])
        season = None if self.chosen.year else season_of_texts([*texts, self.shown_name, self.file_name])
        dates = DateReader(
            self.options.zone,
            season or year,
            self.sheet.first_day,
            sorted(known),
            has_season=self.chosen.season if season is None else True,
            possible_years=open_years,
        )
        days = self._texts_of_days()
        if season is None and not self.chosen.year and is_year_open(dates, days):
            dates = dates._replace(year=None)
        self.rules = self.chosen.rules or self._rules_of_lines(titles)
        rules = with_target(self.rules, titles, self.game if self.options.finds_rules else None)
        facts_above: Mapping[str, PlacedCell] = {}
        columns, unused_titles = self.tables[0].columns if self.tables else range(0), list[str]()
        if self.titles_above:
            other = Table(0, 0, columns, titles=[*self.titles_above])
            self._take_titles(other, {})
            facts_above = other.facts
        for table in self.tables:
            placed = PlacedCell("", table.top, table.columns[0])
            above = facts_above if table.columns == columns else {}
            unused_titles += self._take_titles(table, above)
            facts_above, columns = table.facts, table.columns
            if rules:
                table.facts.setdefault("rules", placed._replace(cell=rules))
            if not any(key.startswith(PLAYERS.key) for key in table.facts):
                for seat, text in enumerate(self.chosen.players):
                    table.facts[SheetField(PLAYERS, seat).key] = placed._replace(cell=text)
            self._read_table(table, dates)
        self._note_what_was_taken()
        if unused_titles:
            unused = {"sheet": self.shown_name, "titles": tuple(dict.fromkeys(unused_titles))}
            self.result.notices.append(FileNote(TITLES_NOT_STORED, unused))
        notes = (
            (COLUMNS_UNUSED, "columns", self.unused),
            *(
                (reason, "lines", [str(row + 1) for row in dict.fromkeys(rows)])
                for reason, rows in self.lines_noted.items()
            ),
        )
        for text, key, items in notes:
            if items:
                note = FileNote(text, {"sheet": self.shown_name, key: ", ".join(items)})
                self.result.notices += [] if note in self.result.notices else [note]

    def _take_titles(self, table: Table, above: Mapping[str, PlacedCell]) -> list[str]:
        """Take round, event and day from the titles above a table, or from the facts of the table above it.

        Return the titles of which nothing is stored. A title that names a tournament is the event, and
        it holds for the tables below until another, as does a day.
        """
        found = event_of_titles(table.titles)
        placed = PlacedCell("", table.top, table.columns[0])
        for key, text in found.facts.items():
            table.facts.setdefault(key, placed._replace(cell=text))
        for key in ("name", "played_at"):
            if key in above and not (key == "played_at" and day_of_titles(table.titles)):
                table.facts.setdefault(key, above[key])
        if "played_at" not in table.facts and (day := day_of_titles(table.titles)):
            table.facts["played_at"] = placed._replace(cell=day)
        return found.unused

    def _rules_of_lines(self, titles: str) -> str | None:
        """Return the rules that the lines have, if not the usual ones; a question is added if it is open."""
        if self.game is None or not self.options.finds_rules or len(game_of(self.game).options.PRESETS) < 2:
            return None
        rules, possible, lines = certain_rules(self.game, self._read_as(self.game), titles)
        if possible:
            self._ask(0, 0, RULES_OPEN, ", ".join(lines[:MAX_LINES_SHOWN]), *possible, about="rules")
        return rules

    def _read_table(self, table: Table, dates: DateReader) -> None:
        assert self.game is not None
        before = len(self.result.questions)
        columns = self._find_columns(table) if self.cross is None else {}
        above = table.top - 1
        for column in table.columns if self.cross is None else ():
            text = cell_text(self.sheet.cell(above, column))
            is_title = text in table.titles and not tokenizer.games_named(text)
            if is_title and self.finder.field_of(text) is not None:
                self._ask(above, column, TWO_HEADINGS, text)
                break
        self._seat_by_dealers(table, columns)
        self._ask_about_cells(table, columns)
        if len(self.result.questions) > before:
            return
        if "played_at" not in table.facts and (day := date_of_sheet_name(self.sheet.name, dates)):
            table.facts["played_at"] = PlacedCell(day, table.top, table.columns[0])
        dated = [at for at, one in columns.items() if one.key == "played_at"]
        days = [text for at in dated for text in texts_in(self.sheet, table, at)]
        dates = dates.for_column(days)
        if found := dates.years_found(days):
            self.taken = self.taken.model_copy(update={"year": dates.year, "season": dates.has_season})
            note = FileNote(YEAR_FOUND, {"year": ", ".join(found)})
            self.result.notices += [] if note in self.result.notices else [note]
        if self.cross is not None:
            self._read_cross_table(self.cross, dates)
            return
        grouper = RowGrouper(self.sheet, table, columns, self.game, self.sheet_name)
        groups = [*grouper.by_match()]
        for reason, rows in grouper.left_out.items():
            self.lines_noted.setdefault(reason, []).extend(rows)
        for one in grouper.possible_sums:
            of_sum = cell_text(self.sheet.cell(one.row, one.column))
            self._ask(one.row, one.column, MAY_BE_SUM, of_sum, one.lines, answers=("Total", of_sum))
            self.result.open_lines.setdefault(self.shown_name, []).append(one.row + 1)
        holds_matches = are_matches(self.game, columns, groups, dates, names_losers=grouper.names_losers)
        if self.chosen.lines is not None:
            holds_matches = self.chosen.lines == "matches"
        before = len(self.result.logs)
        lines: Lines | None = "matches" if holds_matches else "deals"
        if holds_matches is None:
            for column in [at for at, one in columns.items() if one.column is POINTS][:1]:
                heading = cell_text(self.sheet.cell(table.top, column))
                of = {column: [SheetField(RESULT, columns[column].seat_index)]}
                kinds = ("deals", "matches")
                self._ask(table.top, column, DEAL_OR_MATCH, heading, about="lines", fields=of, answers=kinds)
                break
            else:
                kinds = ("deals", "matches")
                self._ask(table.top, table.columns[0], DEALS_OR_MATCHES, "", about="lines", answers=kinds)
        elif holds_matches:
            if {POINTS, RESULT} <= {one.column for one in columns.values()}:
                places = [at for at, one in columns.items() if one.column is POINTS]
                named = [
                    (cell_text(self.sheet.cell(table.top, at)), cell_address(table.top, at)) for at in places
                ]
                self.unused += [f"{heading} ({where})" for heading, where in named]
            for row in played(groups, self.lines_noted):
                self._add(read_result(row, self.game, dates, self.result.questions), [row])
        else:
            lines = self._read_deals(groups, columns, dates)
        if self.chosen.lines is not None or len(self.result.logs) > before or holds_matches is False:
            self.taken = self.taken.model_copy(update={"lines": lines})

    def _seat_by_dealers(self, table: Table, columns: Mapping[int, SheetField]) -> None:
        """Seat players that are named in one cell above in the order in which they deal."""
        dealers = next((at for at, one in columns.items() if one == SheetField(DEALER)), None)
        if (placed := table.facts.get(PLAYERS.key)) is None or dealers is None:
            return
        names = names_by_turn(cell_text(placed.cell), texts_in(self.sheet, table, dealers))
        for seat, name in enumerate(names):
            table.facts[SheetField(PLAYERS, seat).key] = placed._replace(cell=name)
        if names:
            del table.facts[PLAYERS.key]

    def _read_cross_table(self, cross: CrossTable, dates: DateReader) -> None:
        assert self.game is not None
        reader = CrossTableReader(self.sheet, cross, self.sheet_name)
        for log, row in reader.read(self.game, dates, self.result.questions):
            self._add(log, [row])
        self.taken = self.taken.model_copy(update={"lines": "matches"})
        self.result.notices.append(FileNote(READ_AS_CROSS_TABLE, {"sheet": self.shown_name}))
        self.lines_noted[OUTSIDE] = cross.lines_below(self.sheet)
        self.unused += cross.columns_behind(self.sheet)

    def _read_deals(
        self, groups: Sequence[Sequence[SheetRow]], columns: Mapping[int, SheetField], dates: DateReader
    ) -> Lines | None:
        """Add the match of each group of rows; return what its lines are, if it is certain."""
        assert self.game is not None
        opens = deal_model(self.game).OPENS
        has_opener = any(one.key == opens for one in columns.values())
        needs_opener = True
        logs = []
        for group in groups:
            before = len(self.result.questions)
            log = read_match(group, self.game, dates, self.result.questions, needs_opener)
            logs.append(log)
            # without the column the question is the same of every match
            needs_opener &= has_opener or log is not None or len(self.result.questions) == before
        matches = [DealLines(rows, log) for rows, log in zip(groups, logs, strict=True) if log is not None]
        kind = kind_of_points(matches, self.lines_chosen, self.chosen.lines)
        if kind is None:
            at = next(at for at, one in columns.items() if one.column is POINTS)
            row = matches[0].rows[0].cells[columns[at].key].row
            self._ask(row, at, DEALS_OR_TOTALS, "", about="lines", answers=("deals", "totals"))
        elif kind == "totals":
            note = FileNote(READ_AS_TOTALS, {"sheet": self.shown_name})
            self.result.notices += [] if note in self.result.notices else [note]
        for group, log in zip(groups, logs, strict=True):
            if log is not None and kind != "deals":
                log = DealLines(group, log).read_totals(self.result.questions) if kind else None
            self._add(log, group)
            self.lines_noted.setdefault(POINTS_UNKNOWN, []).extend(
                rows_without_points(group, log) if log else []
            )
        return kind

    def _add(self, log: dict[str, object] | None, rows: Sequence[SheetRow]) -> None:
        if log is None:
            self.result.open_lines.setdefault(self.shown_name, []).extend(row.number + 1 for row in rows)
            return
        self.result.logs.append(log)
        if is_to_check(log):
            self.lines_noted.setdefault(DATES_TO_CHECK, []).append(rows[0].number)
        deals = () if "result" in log else tuple(row.source_part for row in rows)
        self.result.origins.append(SourceMap(rows[0].source_part, deals))

    def _find_columns(self, table: Table) -> dict[int, SheetField]:
        """Match columns to fields by index; a question is added for each that is unclear."""
        assert self.game is not None
        finder = ColumnFinder(self.sheet, self.game, self.finder, self._ask, self.sheet_name)
        found = finder.find(table)
        self.columns_found += finder.columns
        self.unused += finder.unused
        return found

    def _note_what_was_taken(self) -> None:
        """Record the mapping of this sheet."""
        self.result.columns += [] if self.is_later_part else self.columns_found
        columns = tuple(
            ColumnMapping(
                heading=one.heading,
                column=one.cell.rstrip("0123456789"),
                role=one.field.key if one.field else None if one.certainty == "unclear" else LEFT_OUT,
                certainty=one.certainty,
            )
            for one in self.columns_found
        )
        facts = self.tables[0].facts if self.tables else {}
        seats = [facts[key] for key in sorted(facts) if key.startswith(f"{PLAYERS.key} ")]
        update = {
            "game": self.game,
            "rules": self.rules,
            "columns": columns,
            "players": tuple(cell_text(one.cell) for one in seats) or self.chosen.players,
            "year": self.taken.year or self.chosen.year,
            "season": self.taken.season or self.chosen.season,
        }
        self.taken = self.taken.model_copy(update=update)

    @property
    def is_skipped(self) -> bool:
        """Whether the user leaves the sheet out."""
        return bool(self.taken.skip)

    def _ask_about_cells(self, table: Table, columns: Mapping[int, SheetField]) -> None:
        """Ask about merged cells and formulas without a value; a date or a player is of each line."""
        for first, left, last, right in self.sheet.merged:
            covered = [columns[at].column.key for at in range(left, right + 1) if at in columns]
            if covered and table.top <= first < table.end:
                if first > table.top and left in columns and len(covered) == 1 and covered[0] in MATCH_KEYS:
                    self.sheet = self.sheet.with_cell_below(first, left, last)
                else:
                    place = f"{cell_address(first, left)}:{cell_address(last, right)}"
                    self._ask(first, left, MERGED, place)
        for row in range(table.top, table.end) if self.sheet.uncomputed else ():
            is_sum = any(is_total(cell_text(self.sheet.cell(row, at))) for at in table.columns)
            for column in () if is_sum else columns:
                if cell_address(row, column) in self.sheet.uncomputed:
                    self._ask(row, column, FORMULA_WITHOUT_VALUE, "")

    def _ask(
        self,
        row: int,
        column: int,
        text: str,
        read: str,
        *could: str,
        about: AnswerKind = "cell",
        fields: Mapping[int, Sequence[SheetField]] | None = None,
        answers: tuple[str, ...] = (),
    ) -> None:
        """Add a question; `fields`: index of a column → what it may be."""
        of = tuple((column_name(at), one) for at, each in (fields or {}).items() for one in each)
        question = Question(row + 1, column + 1, read, text, could, cell=cell_address(row, column))
        more = replace(question, sheet=self.sheet_name, about=about, fields=of, answers=answers)
        self.result.questions.append(more)
