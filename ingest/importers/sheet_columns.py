"""Finds what each column of a table is: by its heading, by the other columns, and by its cells."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.games import game as game_of
from ingest.i18n import N_
from ingest.importers import tokenizer
from ingest.importers.cells import CellSheet, cell_address, cell_text, column_name, is_number, whole_number
from ingest.importers.headings import (
    LOSER,
    NUMBER,
    PLAYERS,
    POINTS,
    RESULT,
    SHORT_PLAYER,
    SHORT_SIDES,
    SUM_WORDS,
    TOGETHER,
    WINNER,
    SheetField,
    SheetHeadings,
    is_unused,
    normalized,
)
from ingest.importers.import_result import AnswerKind, FoundColumn
from ingest.importers.mapping import Certainty
from ingest.importers.match_rows import are_suits, counts_lines
from ingest.importers.score_line_results import MADE_COLUMN, outcome_of
from ingest.importers.sheet_game import texts_in
from ingest.importers.tables import PlacedCell, Table, TableFinder, field_by_cells

UNKNOWN = N_("Which column is “{read}”? Choose one, or skip it.")
NO_HEADING = N_("Which column is {read}? It has no heading. Choose one, or skip it.")
ARE_PLAYERS = N_("Are “{read}” the players, with their points below?")
DID_YOU_MEAN_COLUMN = N_("What column is “{read}”? Is {could} meant?")
DUPLICATE_COLUMN = N_("There are two columns for {could}.")


_MATCH_SCORE = re.compile(r"\d\s*[-–—/:]\s*\d")


def _keys(found: Mapping[int, SheetField]) -> list[str]:
    return [one.key for one in found.values()]


class Ask(Protocol):
    """Adds a question about a cell of the sheet."""

    def __call__(
        self,
        row: int,
        column: int,
        text: str,
        read: str,
        *could: str,
        about: AnswerKind = ...,
        fields: Mapping[int, Sequence[SheetField]] | None = ...,
        answers: tuple[str, ...] = ...,
    ) -> None: ...


class ColumnFinder:
    """Finds the columns of the tables of one sheet, and asks about those that are unclear."""

    def __init__(self, sheet: CellSheet, game: str, finder: TableFinder, ask: Ask, sheet_name: str) -> None:
        """`sheet_name`: empty if there is one sheet only."""
        self.sheet, self.game, self.finder, self.ask = sheet, game, finder, ask
        self.headings: SheetHeadings = finder.headings
        self.sheet_name = sheet_name
        self.columns: list[FoundColumn] = []
        self.unused: list[str] = []

    def find(self, table: Table) -> dict[int, SheetField]:
        """Match columns to fields by index; a question is added for each that is unclear."""
        found: dict[int, SheetField] = {}
        unknown: list[int] = []
        of_sides = self._repeated_fields(table)
        for column in table.columns:
            heading = self.sheet.cell(table.top, column)
            written = cell_text(heading)
            texts = texts_in(self.sheet, table, column)
            if not written and not texts:
                continue
            named = written or column_name(column)
            one = field_by_cells(self.finder.field_of(named, column), named, texts, table.facts)
            one = of_sides.get(column, one)
            if one == SheetField(RESULT) and texts and all(outcome_of(text) is not None for text in texts):
                one = self.headings.find(MADE_COLUMN) or one  # « Résultat » above « fait »
            left_out = one is None and (self.finder.own.holds(named, column) or is_unused(named))
            certainty: Certainty = "unclear" if one is None and not left_out and texts else "certain"
            if certainty == "unclear" and not written and counts_lines(texts, len(self.sheet.hidden_rows)):
                one, certainty = SheetField(NUMBER), "likely"
            where = cell_address(table.top, column)
            self.columns.append(FoundColumn(where, named, one, left_out, self.sheet_name, certainty))
            if one is not None and one in found.values():
                self.ask(table.top, column, DUPLICATE_COLUMN, named, fields={column: [one]})
            elif one is not None:
                found[column] = one
            elif left_out and is_unused(named):
                self.unused.append(f"{named} ({where})")
            elif not left_out and texts:
                unknown.append(column)
        if {WINNER, LOSER} <= {one.column for one in found.values()}:
            for column in [*unknown]:
                one = self.headings.find_by_outcome(cell_text(self.sheet.cell(table.top, column)))
                if one is not None and one not in found.values():
                    unknown.remove(column)
                    found[column] = one
                    self._take(cell_address(table.top, column), one, "certain")
        alone = [at for at, one in found.items() if one == SheetField(PLAYERS)]
        if alone and SheetField(PLAYERS, 1) in found.values():  # « Joueur ; Adversaire »
            found[alone[0]] = SheetField(PLAYERS, 0)
            self._take(cell_address(table.top, alone[0]), found[alone[0]], "certain")
        self._find_matches(table, found)
        self._find_balance(table, found, unknown)
        self._find_short_sides(table, found, unknown)
        self._leave_out_sums(table, found, unknown)
        self._name_players(table, found, unknown)
        self._find_suits(table, found, unknown)
        results = any(
            one.column is RESULT or (one == SheetField(POINTS) and self._are_few(table, at))
            for at, one in found.items()
        )
        for column in unknown:
            written = cell_text(self.sheet.cell(table.top, column))
            named = written or column_name(column)
            near = self.headings.suggestions(named) if written else []
            if results and written and not near:  # no column but those of players and results counts
                where = cell_address(table.top, column)
                self.unused.append(f"{named} ({where})")
                self._take(where, None)
                continue
            text = DID_YOU_MEAN_COLUMN if near else UNKNOWN if written else NO_HEADING
            self.ask(table.top, column, text, named, about="column", fields={column: near})
        return found

    def _take(self, where: str, field: SheetField | None, certainty: Certainty = "likely") -> None:
        """Read the column with its heading there in another role than its heading means."""
        for one in self.columns:
            if one.cell == where:
                one.field, one.left_out, one.certainty = field, field is None, certainty

    def _repeated_fields(self, table: Table) -> dict[int, SheetField]:
        """Return the columns of sides that have one heading, in order: `Équipe ; Équipe ; Pts ; Pts`."""
        places: dict[SheetField, list[int]] = {}
        for column in table.columns:
            named = cell_text(self.sheet.cell(table.top, column))
            one = self.finder.field_of(named, column) if named else None
            if one is not None and one.column in TOGETHER and texts_in(self.sheet, table, column):
                places.setdefault(one, []).append(column)
        this = game_of(self.game)
        counts = {*this.players, this.side_count(max(this.players))}
        numbered = {one.column for one in places if one.seat_index is not None}
        several = {one: at for one, at in places.items() if len(at) > 1}
        sizes = {len(at) for at in several.values()}
        if len(sizes) != 1 or not sizes <= counts or numbered & {one.column for one in several}:
            return {}
        return {at: SheetField(one.column, side) for one in several for side, at in enumerate(several[one])}

    def _find_short_sides(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take « J1 » and « J2 » above numbers for the points of the players of other columns."""
        short: dict[str, dict[int, int]] = {}
        for at in unknown:
            heading = normalized(cell_text(self.sheet.cell(table.top, at)))
            texts = texts_in(self.sheet, table, at)
            if (one := SHORT_SIDES.fullmatch(heading)) and texts and all(map(is_number, texts)):
                side = "1234abcd".index(one["side"]) % 4
                short.setdefault(one["stem"], {})[side] = at
        self._find_short_players(table, found, unknown)
        seats = {one.seat_index for one in found.values() if one.column is PLAYERS}
        has_points = any(one.column in (POINTS, RESULT) for one in found.values())
        if has_points or len(short) != 1 or len(seats) < 2 or {*next(iter(short.values()))} != seats:
            return
        for side, at in next(iter(short.values())).items():
            unknown.remove(at)
            found[at] = SheetField(POINTS, side)
            self._take(cell_address(table.top, at), found[at], "certain")

    def _find_short_players(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take `J1`, `J2` above names for the players, where no other column has any."""
        short = dict[int, int]()
        for at in unknown:
            heading = normalized(cell_text(self.sheet.cell(table.top, at)))
            texts = texts_in(self.sheet, table, at)
            if SHORT_PLAYER.fullmatch(heading) and texts and not any(map(is_number, texts)):
                short[int(heading[-1]) - 1] = at
        are_all = sorted(short) == [*range(len(short))] and len(short) in game_of(self.game).players
        if are_all and all(one.column is not PLAYERS for one in found.values()):
            for seat, at in short.items():
                unknown.remove(at)
                found[at] = SheetField(PLAYERS, seat)
                self._take(cell_address(table.top, at), found[at], "certain")

    def _are_few(self, table: Table, column: int) -> bool:
        """Return whether cells have how many manches or parties both sides won, as no deal ends: « 3-1 »."""
        return all(map(_MATCH_SCORE.fullmatch, texts_in(self.sheet, table, column)))

    def _find_matches(self, table: Table, found: dict[int, SheetField]) -> None:
        """Take a column « Match » above « Lucie - Marcel » for the players, where no other has them."""
        named = [at for at, one in found.items() if one.key == "id"]
        if len(named) != 1 or any(key.startswith(PLAYERS.key) for key in (*table.facts, *_keys(found))):
            return
        this, texts = game_of(self.game), texts_in(self.sheet, table, named[0])
        sides = this.side_count(max(this.players))
        size = max(this.players) // sides
        split = [tokenizer.split_sides(text, 2, size) for text in texts if not any(map(str.isdigit, text))]
        if 2 * len([one for one in split if one]) > len(texts):
            found[named[0]] = SheetField(PLAYERS)
            self._take(cell_address(table.top, named[0]), found[named[0]], "certain")

    def _leave_out_sums(self, table: Table, found: Mapping[int, SheetField], unknown: list[int]) -> None:
        """Skip `Cumul N` and `Total Eux` where other columns have the points of both sides."""
        if not {SheetField(POINTS, 0), SheetField(POINTS, 1)} <= {*found.values()}:
            return
        for column in [*unknown]:
            named = cell_text(self.sheet.cell(table.top, column))
            if normalized(named).split(" ")[0] in SUM_WORDS:
                unknown.remove(column)
                where = cell_address(table.top, column)
                self.unused.append(f"{named} ({where})")
                self._take(where, None, "certain")

    def _find_balance(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take `manches gagnées` and `manches perdues` for the first side's and the second's."""
        sides = {one.column for one in found.values()}, {SheetField(PLAYERS, 0), SheetField(PLAYERS, 1)}
        if not ({WINNER, LOSER} <= sides[0] or sides[1] <= {*found.values()}):
            return
        headings = {at: cell_text(self.sheet.cell(table.top, at)) for at in (*found, *unknown)}
        for at, one in self.headings.find_balance(headings).items():
            found[at] = one
            unknown[:] = [other for other in unknown if other != at]
            self._take(cell_address(table.top, at), one, "certain")

    def _name_players(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take headings for players with their points below, where other cells name one of them."""
        fields = {*found.values()}
        self._match_names_above(table, found, unknown)
        named = [at for at, one in found.items() if one.column is POINTS and one.seat_index is not None]
        if PLAYERS in (one.column for one in fields) or any(key.startswith("players") for key in table.facts):
            return
        numbers = [
            at
            for at in unknown
            if all(map(is_number, texts_in(self.sheet, table, at))) and self.sheet.cell(table.top, at) != ""
        ]
        names = {cell_text(self.sheet.cell(table.top, at)) for at in numbers}
        known = [one.cell for key, one in table.facts.items() if key in ("dealer", "leader")]
        people = [at for at, one in found.items() if one.key in ("dealer", "leader", "winner", "declarer")]
        below = (text for at in people for text in texts_in(self.sheet, table, at))
        texts = {*map(cell_text, known), *below}
        headings = {at: cell_text(self.sheet.cell(table.top, at)) for at in named}
        own = [
            at
            for at, text in headings.items()
            if self.finder.own.holds(text, at) and self.headings.find(text) is None
        ]
        if len(numbers) in game_of(self.game).players and not named and names & texts:
            for seat, at in enumerate(numbers):
                unknown.remove(at)
                found[at] = SheetField(POINTS, seat)
                own.append(at)
        elif numbers and not named and self._may_be_players(table, found, numbers):
            of_each = {at: [SheetField(POINTS, seat)] for seat, at in enumerate(numbers)}
            read = ", ".join(cell_text(self.sheet.cell(table.top, at)) for at in numbers)
            self.ask(table.top, numbers[0], ARE_PLAYERS, read, about="players", fields=of_each)
            unknown[:] = [at for at in unknown if at not in numbers]
        for at in own:
            side = found[at].seat_index
            heading = self.sheet.cell(table.top, at)
            table.facts[SheetField(PLAYERS, side).key] = PlacedCell(heading, table.top, at)
            if not self.finder.own.holds(cell_text(heading), at):
                self._take(cell_address(table.top, at), found[at])

    def _may_be_players(self, table: Table, found: Mapping[int, SheetField], numbers: Sequence[int]) -> bool:
        """Return whether headings may be all players, or both pairs: nothing else names any."""
        this = game_of(self.game)
        names = [cell_text(self.sheet.cell(table.top, at)) for at in numbers]
        pairs = all(tokenizer.split_names(name, tokenizer.SIZE_OF_PAIR) for name in names)
        sides = this.side_count(max(this.players))
        fits = len(names) in this.players if not pairs else len(names) == sides < max(this.players)
        has_others = any(one.column in (POINTS, RESULT) for one in found.values())
        return fits and not has_others and all(name[:1].isupper() for name in names)

    def _find_suits(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take the one column whose cells are suits for that of contracts without one: « À »."""
        for field in self.headings.fields:
            contracts = [at for at, one in found.items() if one.key == field.column.completes]
            numbers = any(whole_number(text) for at in contracts for text in texts_in(self.sheet, table, at))
            own = [at for at in unknown if are_suits(texts_in(self.sheet, table, at))]
            if numbers and len(own) == 1 and field not in found.values():
                unknown.remove(own[0])
                found[own[0]] = field
                self._take(cell_address(table.top, own[0]), field)

    def _match_names_above(self, table: Table, found: dict[int, SheetField], unknown: list[int]) -> None:
        """Take columns headed by the players that are named above for their points, if each has one."""
        seats = sorted(key for key in table.facts if key.startswith(f"{PLAYERS.key} "))
        players = [tokenizer.parse_player(cell_text(table.facts[key].cell)) for key in seats]
        headings = {at: cell_text(self.sheet.cell(table.top, at)) for at in unknown}
        seat_of = {at: tokenizer.seat_of_name(text, players, True) for at, text in headings.items() if text}
        named = {at: seat for at, seat in seat_of.items() if seat is not None}
        if players and sorted(named.values()) == [*range(len(players))]:
            for at, seat in named.items():
                unknown.remove(at)
                found[at] = SheetField(POINTS, seat)
                self._take(cell_address(table.top, at), found[at], "certain")
