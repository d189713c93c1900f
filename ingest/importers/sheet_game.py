"""Finds the game of a sheet: by its name, its title, its columns and its contracts."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from engine.games import game as game_of
from engine.games import game_names
from ingest.autofix.card_words import words_spelled
from ingest.games import game_support
from ingest.importers import tokenizer
from ingest.importers.cells import Cell, CellSheet, cell_text
from ingest.importers.cross_tables import CrossTable, find_cross_table
from ingest.importers.headings import (
    GAME,
    PLAYERS,
    RESULT_KEYS,
    TOGETHER,
    SheetField,
    SheetHeadings,
    normalized,
)
from ingest.importers.joined_headings import join_heading_rows
from ingest.importers.mapping import ColumnMapping
from ingest.importers.match_rows import is_total
from ingest.importers.own_columns import OwnColumns
from ingest.importers.tables import MIN_HEADINGS, Table, TableFinder

_SCORE = re.compile(r"\d+\s*(?:[-–—:/]|\bà\b|\bto\b)\s*\d+")
_ADDRESS = re.compile(r"@|(?:\d[ .-]?){9}")  # e-mail, telephone


class UnclearGame(Exception):
    """Raised where nothing names one game: the cell of the question, what it has, and possible games."""

    def __init__(self, row: int, column: int, read: str = "", games: Collection[str] = ()) -> None:
        super().__init__(read)
        self.row, self.column, self.read = row, column, read
        self.by_columns = bool(games)
        self.games = [name for name in game_names() if name in games or not games]


class GameFinder:
    """Finds the game of one sheet."""

    def __init__(self, sheet: CellSheet, columns: tuple[ColumnMapping, ...]) -> None:
        """`columns`: those that the user gives a role."""
        self.sheet, self.columns = sheet, columns
        self.game_of_others: str | None = None  # that all other sheets of the file have which name one
        self._finders: dict[str, TableFinder] = {}

    def of_sheet(self, sheet: CellSheet) -> "GameFinder":
        """Return the finder of another form of the sheet."""
        found = GameFinder(sheet, self.columns)
        found.game_of_others = self.game_of_others
        return found

    def tables_as(self, game: str) -> TableFinder:
        """Return the finder of the sheet's tables by the headings of a game."""
        if game not in self._finders:
            headings = SheetHeadings(game)
            own = OwnColumns(self.columns, headings.find, self._texts_of_sheet)
            self._finders[game] = TableFinder(self.sheet, headings, own)
        return self._finders[game]

    @cached_property
    def _texts_of_sheet(self) -> set[str]:
        return {normalized(cell) for row in self.sheet.rows for cell in row if isinstance(cell, str) and cell}

    @cached_property
    def headings(self) -> list[str]:
        """The headings of the first table of any game, else the first line of several texts."""
        tops = [table.top for name in game_names() for table in self.tables_as(name).tables[:1]]
        several = (row for row, cells in enumerate(self.sheet.rows) if sum(cell != "" for cell in cells) > 1)
        rows = self.sheet.rows
        top = min(tops, default=None)
        top = next(several, 0) if top is None else top
        return [cell_text(cell) for cell in rows[top] if cell != ""] if rows else []

    def find(self, file_name: str, given: str | None) -> str:
        """Return the sheet's game; `given`: that of files that name none. UnclearGame: it is open."""
        aliases = SheetField(GAME).aliases
        place: tuple[int, int] | None = None
        for number, cells in enumerate(self.sheet.rows):
            for column, cell in enumerate(cells):
                text = cell_text(cell)
                label, _, value = text.replace("=", ":").partition(":")
                value = value or cell_text(self.sheet.cell(number, column + 1))  # « Jeu ; Chouine »
                if place is None and normalized(label) in aliases and (games := tokenizer.games_named(value)):
                    return games.pop()
                if place is None and normalized(text) in aliases:
                    place = number, column
                elif place is not None and text and number > place[0] and column == place[1]:
                    if (game := given or tokenizer.find_game(text)) is not None:
                        return game
                    raise UnclearGame(number, column, text)
        title = " ".join(self.titles)
        if other := tokenizer.other_game_named(self.sheet.name) or tokenizer.other_game_named(title):
            raise UnclearGame(0, 0, other)
        for games in (
            tokenizer.games_named(self.sheet.name),
            {given} if given else set[str](),
            tokenizer.games_named(title),
            tokenizer.games_named(file_name),
            by_columns := set(self._games_of_columns()),
        ):
            if len(games) == 1:
                return games.pop()
        if self.game_of_others is not None and self.game_of_others in (by_columns or [self.game_of_others]):
            return self.game_of_others
        raise UnclearGame(*(place or (0, 0)), games=by_columns)

    @cached_property
    def cross(self) -> CrossTable | None:
        """The sheet's cross table, unless it is part of another or the user gives its columns a role."""
        found = None if self.columns else find_cross_table(self.sheet)
        return None if found is None or self._has_headings_above(found.table) else found

    def _has_headings_above(self, inner: Table) -> bool:
        return any(
            table.top < inner.top < table.end and len(self._fields(name, table)) >= MIN_HEADINGS
            for name in game_names()
            for table in self.tables_as(name).tables
        )

    @cached_property
    def holds_results(self) -> bool:
        """Whether a table has results, or may have; addresses, standings and plain text have none."""
        if self.cross is not None or any(self._may_hold_results(*one) for one in self._tables()):
            return True
        joined = (join_heading_rows(self.sheet, SheetHeadings(name)) for name in game_names())
        return any(GameFinder(one, self.columns).holds_results for one in joined if one is not self.sheet)

    @cached_property
    def holds_standings(self) -> bool:
        """Whether a table has a player a line, or a pair, and no opponent."""
        return any(self._are_standings(name, table) for name, table in self._tables())

    def _tables(self) -> Iterator[tuple[str, Table]]:
        names = [self.game_of_others] if self.game_of_others else game_names()
        return ((name, table) for name in names for table in self.tables_as(name).tables)

    def _fields(self, game: str, table: Table) -> dict[int, SheetField]:
        finder = self.tables_as(game)
        texts = {at: cell_text(self.sheet.cell(table.top, at)) for at in table.columns}
        return {at: one for at, text in texts.items() if text and (one := finder.field_of(text, at))}

    def _are_standings(self, game: str, table: Table) -> bool:
        fields = self._fields(game, table)
        seats = [at for at, one in fields.items() if one.column is PLAYERS]
        of_sides = any(one.column in TOGETHER and one.seat_index is not None for one in fields.values())
        scores = (text for at in fields for text in texts_in(self.sheet, table, at))
        named = (at for at in table.columns if self.sheet.cell(table.top, at) == "")
        open_columns = any(texts_in(self.sheet, table, at) for at in named)
        if len(seats) != 1 or of_sides or open_columns or any(map(_SCORE.fullmatch, scores)):
            return False
        this = game_of(game)
        sides = this.side_count(max(this.players))
        size = max(this.players) // sides
        counts = [sides] if size > 1 else this.players
        texts = texts_in(self.sheet, table, seats[0])
        return not any(tokenizer.split_sides(text, count, size) for text in texts for count in counts)

    def _may_hold_results(self, game: str, table: Table) -> bool:
        if self._are_standings(game, table):
            return False
        fields = self._fields(game, table)
        own = {*RESULT_KEYS, *(one.key for one in game_support(game).SHEET_COLUMNS)}
        if any(one.column.key in own and texts_in(self.sheet, table, at) for at, one in fields.items()):
            return True
        if any(key.split(" ")[0] in ("dealer", "leader", PLAYERS.key) for key in table.facts):
            return True
        texts = [text for at in table.columns for text in texts_in(self.sheet, table, at)]
        return len(fields) < MIN_HEADINGS and not any(map(_ADDRESS.search, texts))

    @property
    def titles(self) -> list[str]:
        """The texts above the first table."""
        return [text for row in self._title_rows() for cell in row if (text := cell_text(cell))]

    def _title_rows(self) -> list[list[Cell]]:
        """Return the rows above the first table of any game."""
        if self.cross is not None:
            top = self.cross.table.top
            corner = self.sheet.cell(top, self.cross.table.columns[0])
            return [*self.sheet.rows[:top], [corner]]
        tops = [table.top for name in game_names() for table in self.tables_as(name).tables[:1]]
        return self.sheet.rows[: min(tops, default=1)]

    def _games_of_columns(self) -> Iterator[str]:
        """Yield each game that has columns, words or pairs of the sheet which are its own."""
        if self.cross is not None:
            are_pairs = all(tokenizer.split_names(name, 2) for name in self.cross.names)
            yield from (one for one in game_names() if SheetHeadings(one).has_teams == are_pairs)
            return
        for name in game_names():
            finder = self.tables_as(name)
            own = {one.key for one in game_support(name).SHEET_COLUMNS}
            for table in finder.tables:
                texts = {at: cell_text(self.sheet.cell(table.top, at)) for at in table.columns}
                fields = self._fields(name, table)
                mine = [at for at, one in fields.items() if one.column.key in own]
                cells = [texts_in(self.sheet, table, at) for at in mine]
                teams = [one.seat_index for one in fields.values() if one.column is PLAYERS]
                pairs = finder.headings.has_teams and max((at or 0 for at in teams), default=-1) == 1
                words = any(words_spelled(name, text) for column in cells for text in column)
                last_words = {normalized(text).rpartition(" ")[2] for text in texts.values()}
                sides = finder.headings.has_teams and {"nous", "eux"} <= last_words
                names = [
                    texts
                    for at, one in fields.items()
                    if one.column is PLAYERS
                    for texts in texts_in(self.sheet, table, at)
                ]
                pairs = pairs and bool(names) and all(tokenizer.split_names(text, 2) for text in names)
                if words or sides or pairs or sum(map(bool, cells)) > 1:
                    yield name
                    break


def share_game(finders: Sequence[GameFinder], file_name: str, given: str | None) -> None:
    """Have the sheets of a file that name no game be of the one that its other sheets name."""
    games = set()
    for one in finders if len(finders) > 1 else ():
        with suppress(UnclearGame):
            games.add(one.find(file_name, given))
    for one in finders if len(games) == 1 else ():
        [one.game_of_others] = games


def game_of_rows(sheet: CellSheet) -> dict[int, tuple[str | None, int]]:
    """Return row → its game by a column “Game”, None for an unknown one, and the index of the column."""
    aliases = SheetField(GAME).aliases
    found: dict[int, tuple[str | None, int]] = {}
    column, game = -1, None
    for number, cells in enumerate(sheet.rows):
        filled = [at for at, cell in enumerate(cells) if cell != ""]
        heads = [at for at in filled if normalized(cell_text(cells[at])) in aliases]
        if heads and len(filled) > 1:
            is_label = tokenizer.games_named(cell_text(sheet.cell(number, heads[0] + 1)))
            column, game = -1 if is_label else heads[0], None
        elif column >= 0 and len(filled) > 1 and (text := cell_text(sheet.cell(number, column))):
            game = tokenizer.find_game(text)
            if game is not None or not is_total(text):
                found[number] = game, column
        elif column >= 0 and game is not None and filled:
            found[number] = game, column
    return found


def texts_in(sheet: CellSheet, table: Table, column: int) -> list[str]:
    """Return the texts of a table's column, below its heading and without empty cells."""
    cells = (sheet.cell(row, column) for row in range(table.top + 1, table.end))
    return [cell_text(cell) for cell in cells if cell != ""]
