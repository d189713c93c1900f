"""Joins a heading in two rows, or over several columns, into one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.importers.cells import Cell, CellSheet, DateCell, cell_text, is_number, whole_number
from ingest.importers.headings import (
    LOSER,
    PLAYERS,
    POINT_WORDS,
    POINTS,
    RESULT,
    TOGETHER,
    WINNER,
    SheetField,
    SheetHeadings,
    is_side_alone,
    normalized,
)
from ingest.importers.tokenizer import SIZE_OF_PAIR

SIDES = 2
SAME_LETTERS = 3
"""First letters that « bleue » and « bleu » share."""
MAX_ROWS = 60  # rows in which headings are looked for


def join_heading_rows(sheet: CellSheet, headings: SheetHeadings) -> CellSheet:
    """Return the sheet with one line for headings of two; the same sheet if there are none."""
    rows = list(sheet.rows)
    changed = False
    merged = sheet.merged
    for row in range(min(len(rows), MAX_ROWS)):
        if with_names := _with_points_of_compass(rows, row) or _with_names_beneath(rows, row, headings):
            rows[row], changed = with_names, True
            merged = [one for one in merged if (one[0], one[2]) != (row, row)]
        upper = _spread(sheet, row, rows)
        lower = rows[row + 1] if row + 1 < len(rows) else []
        words = _words_of_sides(upper, headings) or _words_of_sides(map(cell_text, rows[row]), headings)
        upper, lower = _with_numbered_sides(upper, lower, words)
        joined = _joined(upper, lower, headings) if _are_headings(rows[row], upper, lower) else []
        if _known(joined, headings) > max(_known(rows[row], headings), _known(lower, headings), 1):
            rows[row], rows[row + 1], changed = [], [*joined], True
            _with_numbered_winners(rows, row + 1, words, headings)
        elif numbered := _numbered(sheet, row, headings) or _with_sides(rows[row], headings):
            rows[row], changed = numbered, True
            merged = [one for one in merged if (one[0], one[2], one[3] - one[1] + 1) != (row, row, SIDES)]
            _with_numbered_winners(rows, row, words, headings)
    return replace(sheet, rows=rows, merged=merged) if changed else sheet


def _with_points_of_compass(rows: Sequence[Sequence[Cell]], row: int) -> list[Cell]:
    """Return a row whose headings « N », « E », « S » and « O » are words: empty if it has not all four."""
    letters = {normalized(cell): at for at, cell in enumerate(rows[row]) if isinstance(cell, str)}
    west = "o" if "o" in letters else "w"
    cells = [*rows[row]]
    for letter, words in zip(("n", "e", "s", west), POINT_WORDS, strict=True):
        if letter not in letters:
            return []
        cells[letters[letter]] = words[0]
    return cells


def _with_names_beneath(rows: Sequence[Sequence[Cell]], row: int, headings: SheetHeadings) -> list[Cell]:
    """Return a row whose two sides have a column for each player: « Équipe 1 » above two names."""
    cells, below = [*rows[row]], rows[row + 1] if row + 1 < len(rows) else []
    cells += [""] * (len(below) - len(cells))
    starts: dict[int, int] = {}
    for at, cell in enumerate(cells if headings.has_teams else ()):
        one = headings.find(cell) if isinstance(cell, str) and cell else None
        if one is None or not (one.column is PLAYERS or is_side_alone(cell_text(cell), one)):
            continue
        end = next((end for end in range(at + 1, len(cells)) if cells[end] != ""), len(cells))
        names = [text for text in below[at:end] if _may_be_name(text, headings)]
        side = one.seat_index
        if side is not None and side < SIDES and len(names) == SIZE_OF_PAIR and names == below[at : at + 2]:
            starts[side] = at
    if len(starts) != SIDES:
        return []
    for side, at in starts.items():
        for place in range(SIZE_OF_PAIR):
            cells[at + place] = SheetField(PLAYERS, side + SIDES * place).key
    return cells


def _are_headings(filled: Sequence[Cell], upper: Sequence[str], lower: Sequence[Cell]) -> bool:
    """Return whether two rows may be headings: texts, and below them texts or seats from 1."""
    texts = [cell for cell in filled if cell != ""]
    if any(isinstance(cell, DateCell) or is_number(cell) for cell in texts):
        return False
    seats: dict[str, list[int | None]] = {}
    for above, cell in zip(upper, lower, strict=False):
        if isinstance(cell, DateCell):
            return False
        if is_number(cell):
            seats.setdefault(above, []).append(whole_number(cell_text(cell)))
    return bool(texts) and all(one == [*range(1, len(one) + 1)] for one in seats.values())


def _spread(sheet: CellSheet, row: int, rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the texts of a row, each also above the empty cells to its right."""
    lower = rows[row + 1] if row + 1 < len(rows) else []
    texts = [cell_text(cell) for cell in rows[row]] + [""] * (len(lower) - len(rows[row]))
    ends = {first[1]: first[3] for first in sheet.merged if first[0] == row}
    last = ""
    for at, text in enumerate(texts):
        begin = next((left for left, right in ends.items() if left <= at <= right), None)
        if text:
            last = text
        elif begin is not None:
            texts[at] = texts[begin]
        elif not ends and at < len(lower) and lower[at] != "":
            texts[at] = last
    return texts


def _joined(upper: Sequence[str], lower: Sequence[Cell], headings: SheetHeadings) -> list[str]:
    found = []
    for at, above in enumerate(upper):
        below = cell_text(lower[at]) if at < len(lower) else ""
        both = f"{above} {below}".strip()
        one, other = headings.find(above), headings.find(below)
        if one and other and one.column is PLAYERS and other.column is PLAYERS and headings.has_teams:
            side, place = one.seat_index, other.seat_index
            if side is not None and place is not None:  # « Équipe 1 » over « Joueur 2 »
                both = SheetField(PLAYERS, side + 2 * place).key
        elif headings.find(both) is None and other is not None:
            both = below
        elif below and headings.find(both) is None and (one is None or one.column not in (POINTS, RESULT)):
            return []  # a line of cells
        found.append(both)
    return found


def _may_be_name(cell: Cell, headings: SheetHeadings) -> bool:
    is_text = isinstance(cell, str) and cell != "" and not is_number(cell)
    return is_text and headings.find(cell_text(cell)) is None


def _words_of_sides(texts: Iterable[str], headings: SheetHeadings) -> list[str]:
    """Return the words for both sides of « Équipe rouge » and « Équipe noire »; empty if there are none."""
    stems = [(text, *normalized(text).rpartition(" ")[::2]) for text in texts]
    words = [
        word
        for text, stem, word in stems
        if stem and headings.find(text) is None and headings.find(stem) == SheetField(PLAYERS)
    ]
    found = [*dict.fromkeys(words)]
    return found if headings.has_teams and len(found) == SIDES else []


def _with_numbered_sides(
    upper: Sequence[str], lower: Sequence[Cell], words: Sequence[str]
) -> tuple[list[str], list[Cell]]:
    """Return two rows with numbers for sides: « Équipe rouge » over « Joueur 1 » is « Équipe 1 »."""
    numbers = {word[:SAME_LETTERS]: str(side) for side, word in enumerate(words, 1)}

    def numbered(text: str) -> str:
        stem, _, word = normalized(text).rpartition(" ")
        number = numbers.get(word[:SAME_LETTERS]) if word else None
        return text if number is None else f"{stem} {number}".strip()

    return [*map(numbered, upper)], [numbered(cell) if isinstance(cell, str) else cell for cell in lower]


def _with_numbered_winners(
    rows: list[list[Cell]], top: int, words: Sequence[str], headings: SheetHeadings
) -> None:
    """Put the number of a side into the cells below that name it as the winner: « Rouge », « les noirs »."""
    ends = {word.rstrip("es"): str(side) for side, word in enumerate(words, 1)}
    named = (WINNER, LOSER)
    for at, cell in enumerate(rows[top]):
        one = headings.find(cell_text(cell)) if cell != "" else None
        for row in range(top + 1, len(rows)) if one is not None and one.column in named else ():
            text = normalized(cell_text(rows[row][at])) if at < len(rows[row]) else ""
            stem, _, word = text.rpartition(" ")
            if word.rstrip("es") in ends and stem in ("", "les", "equipe", "l equipe"):
                rows[row] = [*rows[row][:at], ends[word.rstrip("es")], *rows[row][at + 1 :]]


def _known(cells: Sequence[Cell], headings: SheetHeadings) -> int:
    """Return how many headings are known, each counted once."""
    return len({one for cell in cells if isinstance(cell, str) and (one := headings.find(cell))})


def _with_sides(cells: Sequence[Cell], headings: SheetHeadings) -> list[Cell]:
    """Return a row whose sides have names of their own: « Équipe rouge », « Équipe bleue », « Score rouge ».

    Both sides have a column of players and one of points or results, in the same order.
    """
    if not headings.has_teams or _known(cells, headings) < 1:
        return []
    stems: dict[SheetField, list[tuple[int, str]]] = {}
    for at, cell in enumerate(cells):
        stem, _, side = normalized(cell).rpartition(" ") if isinstance(cell, str) else ("", "", "")
        one = headings.find(stem) if stem and headings.find(str(cell)) is None else None
        if one is not None and one.seat_index is None and one.column in TOGETHER:
            stems.setdefault(one, []).append((at, side))
    pairs = {one: places for one, places in stems.items() if len(places) == SIDES}
    found = [*cells]
    for one, places in pairs.items():
        for seat, (at, _) in enumerate(places):
            found[at] = SheetField(one.column, seat).key
    orders = {tuple(word[:SAME_LETTERS] for _, word in places) for places in pairs.values()}
    holds_both = len(pairs) == SIDES and any(one.column is PLAYERS for one in pairs)
    return found if holds_both and len(orders) == 1 else []


def _numbered(sheet: CellSheet, row: int, headings: SheetHeadings) -> list[Cell]:
    """Return a row with a heading over a column per side numbered: « Score » over « 3 » and « 1 »."""
    cells = [*sheet.rows[row]]
    if _known(cells, headings) < len(TOGETHER) - 1:
        return []
    below = sheet.rows[row + 1] if row + 1 < len(sheet.rows) else []
    found = False
    for at, cell in enumerate(cells):
        one = headings.find(cell) if isinstance(cell, str) and cell else None
        if one is None or one.seat_index is not None or one.column not in TOGETHER:
            continue
        end = at + 1
        while end < len(cells) and cells[end] == "" and end < len(below) and below[end] != "":
            end += 1
        numbers = all(map(is_number, below[at:end]))
        if (
            end - at != 2
            or (numbers != (one.column in (POINTS, RESULT)))
            or (headings.has_teams and not numbers)
        ):
            continue
        cells[at], cells[at + 1] = (SheetField(one.column, side).key for side in range(2))
        found = True
    return cells if found else []
