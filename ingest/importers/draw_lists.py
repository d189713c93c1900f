"""Finds who the numbers of teams in a sheet are, by a list of the draw in another sheet of the file."""

from engine.games import game_names
from ingest.i18n import N_
from ingest.importers.cells import CellSheet, cell_address, cell_text, whole_number
from ingest.importers.headings import NUMBER, PLAYERS, SheetField, SheetHeadings
from ingest.importers.sheet_game import GameFinder, texts_in

NAMED_BY_DRAW = N_("The teams of “{sheet}” are numbers: Retourne took their names from “{draw}”.")
_HEADINGS = SheetHeadings(game_names()[0])


def names_of_draw(sheet: CellSheet) -> dict[str, str]:
    """Return number → player or pair of a list that has both; empty if the sheet has no such list."""
    for top, cells in enumerate(sheet.rows):
        found = {_HEADINGS.find(cell_text(cell)): at for at, cell in enumerate(cells) if cell != ""}
        if {*found} != {SheetField(NUMBER), SheetField(PLAYERS)}:
            continue
        names: dict[str, str] = {}
        for row in range(top + 1, len(sheet.rows)):
            number, name = (cell_text(sheet.cell(row, found[SheetField(one)])) for one in (NUMBER, PLAYERS))
            if not number and not name:
                continue
            if whole_number(number) is None or not name or number in names:
                return {}
            names[number] = name
        return names
    return {}


def cells_named_by_draw(finder: GameFinder, names: dict[str, str]) -> dict[str, str]:
    """Return address → name of the cells of players that have nothing but numbers of the draw."""
    found: dict[str, str] = {}
    for game in game_names():
        tables = finder.tables_as(game)
        for table in tables.tables:
            for at in table.columns:
                heading = cell_text(finder.sheet.cell(table.top, at))
                one = tables.field_of(heading, at) if heading else None
                texts = texts_in(finder.sheet, table, at)
                if one is None or one.column is not PLAYERS or not texts or not names.keys() >= {*texts}:
                    continue
                rows = range(table.top + 1, table.end)
                numbers = {cell_address(row, at): cell_text(finder.sheet.cell(row, at)) for row in rows}
                found |= {where: names[number] for where, number in numbers.items() if number}
    return found
