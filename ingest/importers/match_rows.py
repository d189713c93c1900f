"""Groups the rows below a line of headings by match, without totals and remarks."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from engine.games import game as game_of
from ingest.autofix.card_words import SUIT_NAMES, SUIT_SYMBOLS, fold_case_and_accents
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers.cells import (
    Cell,
    CellSheet,
    DateCell,
    cell_address,
    cell_text,
    column_name,
    whole_number,
)
from ingest.importers.headings import (
    LOSER,
    MATCH_KEYS,
    NUMBER,
    PLAYERS,
    POINTS,
    RESULT,
    WINNER,
    SheetField,
    normalized,
    point_seat,
)
from ingest.importers.notes_words import NOBODY_WORDS
from ingest.importers.score_line_results import MADE_COLUMN
from ingest.importers.sheet_rows import DEALER_MARK, NONE_WORDS, SCORE_SEPARATOR, SheetRow
from ingest.importers.tables import PlacedCell, Table
from ingest.importers.tokenizer import may_be_one_name
from schemas.match_models import deal_model

TOTAL_WORDS = (
    *("total", "totaux", "totals", "sous total", "somme", "sum", "cumul"),
    *("moyenne", "moyennes", "average", "mean"),
)
_TOTAL_BEGINNINGS = ("total ", "nombre de ", "nombre d ", "nb de ", "number of ")
_SUIT_WORDS = frozenset(
    (
        *SUIT_SYMBOLS,
        *SUIT_NAMES,
        "sa",
        "ta",
        "sans",
        "tout",
        "sans atout",
        "tout atout",
        "no trump",
        "all trump",
    )
)
SUITS_BY_K = {"K": "♦", "C": "♥"}
"""Letters of suits in a column that has « K » for carreau, so that « C » is cœur."""
_SUIT_LETTER = re.compile(r"(?<=\d|\s)\s*([CK])(?=\s|$)")
_SUIT_K = re.compile(r"(?<=\d|\s)K(?=\s|$)")
LINES_OF_SUMS = N_("Skipped lines of “{sheet}” that add up the lines above: {lines}.")
MAY_BE_SUM = N_("The line of “{read}” adds up lines {could}: write “Total” here, or the number for a match.")
MAX_ROWS_ADDED = 20  # in a run of rows that a row without names may add up
LINES_BELOW_TOTAL = N_("Skipped lines of “{sheet}” below a total, up to the next empty line: {lines}.")
LINES_REMARK = N_("Skipped lines of “{sheet}” with a remark and nothing else: {lines}.")
LINES_EMPTY = N_("Skipped lines of “{sheet}” with nothing in the columns that are read: {lines}.")

LINES_BYE = N_("Skipped lines of “{sheet}” where a player has a bye: {lines}.")
LINES_VOID = N_("Skipped lines of “{sheet}” whose remark is that they do not count: {lines}.")
BYE_WORDS = ("exempt", "exempte", "exempts", "repos", "au repos", "bye")
VOID_REMARKS = (
    *("annule", "annulee", "match annule", "rencontre annulee", "partie annulee", "non compte"),
    *("ne compte pas", "a rejouer", "a refaire", "cancelled", "void", "not counted", "does not count"),
    *("to be replayed", "to replay"),
)
LINES_NOT_PLAYED = N_("Skipped lines of “{sheet}” that have no result yet: {lines}.")


def played(groups: Iterable[Sequence[SheetRow]], left_out: dict[str, list[int]]) -> list[SheetRow]:
    """Return the rows that have something of a result, if any has; `left_out` gets the others' numbers."""
    keys = {one.key for one in (POINTS, RESULT, WINNER, LOSER)}
    rows = [row for group in groups for row in group]
    found = [row for row in rows if any(key.split(" ")[0] in keys for key in row.cells)]
    if found:
        left_out.setdefault(LINES_NOT_PLAYED, []).extend(row.number for row in rows if row not in found)
    return found or rows


def points_of(row: SheetRow, game: str) -> tuple[int, ...] | None:
    """Return the points in a row; None if a cell is not a number."""
    texts = [row.text(f"{POINTS.key} {side + 1}") for side in range(max(game_of(game).players))]
    texts = [text for text in texts if text] or re.split(SCORE_SEPARATOR, row.text(POINTS.key))
    numbers = [whole_number(text) for text in texts]
    return None if None in numbers else tuple(one for one in numbers if one is not None)


def rows_without_points(rows: Sequence[SheetRow], log: Mapping[str, Any]) -> list[int]:
    """Return the rows with a number of points from which those of all sides do not follow."""
    return [
        row.number
        for row, deal in zip(rows, log["deals"], strict=True)
        if "points" not in deal
        and any(key.split(" ")[0] in (POINTS.key, MADE_COLUMN) and row.text(key) for key in row.cells)
    ]


def counts_lines(texts: Sequence[str], hidden: int) -> bool:
    """Return whether texts count lines from 1, `hidden` ones too."""
    numbers = [whole_number(text) or 0 for text in texts if not is_total(text)]
    rising = all(one < other for one, other in pairwise(numbers))
    return len(numbers) > 1 and numbers[0] == 1 and rising and numbers[-1] <= len(numbers) + hidden


def is_total(text: str) -> bool:
    """Return whether a text heads a row of totals."""
    words = normalized(text)
    return words in TOTAL_WORDS or words.startswith(_TOTAL_BEGINNINGS)


def is_suit(text: str) -> bool:
    """Return whether a text names what a contract is played in, and nothing else."""
    word = fold_case_and_accents(text.replace("\ufe0f", "")).replace(".", "").replace("-", " ")
    return word in _SUIT_WORDS


def are_suits(texts: Iterable[str]) -> bool:
    """Return whether texts are suits, or a dash where there is none."""
    words = [text for text in texts if fold_case_and_accents(text) not in NONE_WORDS]
    return bool(words) and all(map(is_suit, words))


def repeat_players(rows: Iterable[SheetRow]) -> bool:
    """Return whether two rows have the same two sides, so that they may be deals of one match."""
    sides = [frozenset((row.text("players 1"), row.text("players 2"))) for row in rows]
    return any(one == other for one, other in pairwise(sides))


class PossibleSum(NamedTuple):
    """A row without names that may be the sum of rows above it; its first number is in `column`."""

    row: int
    column: int
    lines: str


class RowGrouper:
    """Groups the rows of one table.

    `left_out` has the text of a reason → the numbers of rows that are neither a deal nor a match.
    """

    def __init__(
        self, sheet: CellSheet, table: Table, columns: Mapping[int, SheetField], game: str, sheet_name: str
    ) -> None:
        """`columns`: index → field; `sheet_name`: empty if there is one sheet only."""
        self.sheet, self.table, self.game, self.sheet_name = sheet, table, game, sheet_name
        self.order = {one.key: place for place, one in columns.items()}
        self.headings = [
            (key, cell_text(sheet.cell(table.top, self.order[key])))
            for key in (POINTS.key, *game_support(game).TOTALS_COLUMNS)
            if key in self.order
        ]
        of_players = any(one.column is PLAYERS for one in columns.values())
        self.names_losers = {WINNER.key, LOSER.key} <= {*self.order} and not of_players
        heads = (cell_text(sheet.cell(table.top, self.order[one.key])) for one in columns.values())
        self.has_points = table.has_points or any(point_seat(one) is not None for one in heads)
        self.named = {at: cell_text(sheet.cell(table.top, at)) for at in self.order.values()}
        seats = [place for place, one in columns.items() if one.column is PLAYERS]
        self.pairs = may_be_one_name(text for at in seats for text in self._texts_in(at))
        self.left_out: dict[str, list[int]] = {}
        self.possible_sums: list[PossibleSum] = []
        """Rows that are in no match until the user has chosen a cell of them."""
        self.completing = {
            one.key: one.completes for one in game_support(game).SHEET_COLUMNS if one.completes
        }
        contracts = self._texts_in(self.order["contract"]) if "contract" in self.order else []
        self.letters = SUITS_BY_K if any(map(_SUIT_K.search, contracts)) else {}
        unread = (at for at in table.columns if at not in columns and are_suits(self._texts_in(at)))
        suits = next((cell_text(sheet.cell(table.top, at)) or column_name(at) for at in unread), "")
        self.suits = {of: "" if key in self.order else suits for key, of in self.completing.items()}

    def _texts_in(self, column: int) -> list[str]:
        cells = (self.sheet.cell(row, column) for row in range(self.table.top + 1, self.table.end))
        return [cell_text(cell) for cell in cells if cell != ""]

    def by_match(self) -> Iterator[list[SheetRow]]:
        """Yield the rows of each match: those with equal match cells, up to an empty row."""
        groups: dict[tuple[str, ...], list[SheetRow]] = {}
        facts = self.table.facts
        above = {key: one for key, one in facts.items() if key.split(" ")[0] in MATCH_KEYS}
        openers = {key: one for key, one in facts.items() if key not in above}
        last = dict(above)
        dealers = self._marked_dealers()
        sums, is_over = dict[str, int](), False
        above_here: list[tuple[int, Mapping[str, str]]] = []
        for number in range(self.table.top + 1, self.table.end):
            if number in self.sheet.hidden_rows:
                continue
            every = {at: cell for at in self.table.columns if (cell := self.sheet.cell(number, at)) != ""}
            fields = {
                key: PlacedCell(cell, number, place)
                for key, place in self.order.items()
                if (cell := self.sheet.cell(number, place)) != ""
            }
            if not every and not self._goes_on(number):
                yield from groups.values()
                groups.clear()
                last.pop("id", None)
                is_over = False
            if not every:
                continue
            texts = {key: cell_text(one.cell) for key, one in fields.items()}
            is_headed_total = self._is_headed_total(every, texts)
            is_over = is_over and not self._is_whole(texts)
            is_chosen = any(cell_address(number, at) in self.sheet.confirmed for at in every)
            is_sum = is_headed_total or (_adds_up(texts, sums) and len(above_here) > 1 and not is_chosen)
            if not is_sum and not is_chosen and (lines := _lines_added(every, texts, above_here)):
                self.possible_sums.append(PossibleSum(number, min(every), lines))
                continue
            if is_sum:
                is_over = True
                if not is_headed_total:
                    self.left_out.setdefault(LINES_OF_SUMS, []).append(number)
                continue
            if reason := _reason_to_skip(texts):
                self.left_out.setdefault(reason, []).append(number)
                continue
            if is_over or not fields or _is_remark(texts, every):
                reason = LINES_BELOW_TOTAL if is_over else LINES_REMARK if fields else LINES_EMPTY
                self.left_out.setdefault(reason, []).append(number)
                continue
            for key in texts:
                sums[key] = sums.get(key, 0) + (whole_number(texts[key]) or 0)
            above_here.append((number, texts))
            if dealer := dealers.get(number):
                placed, seat = fields[dealer], dealer.partition(" ")[2]
                name = DEALER_MARK.sub("", cell_text(placed.cell))
                fields |= {dealer: placed._replace(cell=name), "dealer": placed._replace(cell=seat)}
            fields = self._seats_of_points(self._complete(fields))
            if self.names_losers:
                fields = self._seat_winner(fields, number)
            of_match = {key: one for key, one in fields.items() if key.split(" ")[0] in MATCH_KEYS}
            if any(key.startswith("players") for key in of_match):
                last = {key: one for key, one in last.items() if not key.startswith("players")}
            last |= of_match
            own = sorted(f"{key}={one.cell}" for key, one in last.items())  # identifies a match
            cells = {**openers, **last, **fields}
            row = SheetRow(
                number, self.sheet_name, self.order, cells, self.headings, self.named, self.pairs, self.suits
            )
            openers = {}
            groups.setdefault(tuple(own), []).append(row)
        yield from groups.values()

    def _is_headed_total(self, every: Mapping[int, Cell], texts: Mapping[str, str]) -> bool:
        """Return whether a row is one of totals; a player may be called « Total Bernard »."""
        players = {key: text for key, text in texts.items() if key.startswith("players ")}
        are_players = len(players) > 1 and not all(map(is_total, players.values()))
        places = {self.order[key] for key in players} if are_players else set()
        return any(is_total(cell_text(cell)) for at, cell in every.items() if at not in places)

    def _is_whole(self, texts: Mapping[str, str]) -> bool:
        """Return whether a row below a total is a match or deal again: it has all that identifies one."""
        seats = {key for key in self.order if key.startswith("players ")}
        of_match = {*seats, *({"played_at"} & {*self.order})}
        scores = any(key.split(" ")[0] in (POINTS.key, RESULT.key, WINNER.key) for key in texts)
        names = not any(is_total(texts[key]) for key in seats if key in texts)
        if len(seats) > 1:
            return scores and names and of_match <= {*texts}
        return scores and whole_number(texts.get(NUMBER.key, "")) is not None

    def _goes_on(self, empty: int) -> bool:
        """Return whether the lines around an empty one have numbers of deals that follow each other."""
        if (place := self.order.get(NUMBER.key)) is None:
            return False
        above, below = (
            next((text for row in rows if (text := cell_text(self.sheet.cell(row, place)))), "")
            for rows in (range(empty - 1, self.table.top, -1), range(empty + 1, self.table.end))
        )
        first, second = whole_number(above), whole_number(below)
        return first is not None and second in (first + 1, first + 2)

    def _complete(self, fields: dict[str, PlacedCell]) -> dict[str, PlacedCell]:
        """Return a row whose contract has its suit: « 80 » and, in another column, « ♥ » are « 80 ♥ »."""
        if self.letters and (bid := fields.get("contract")) and not isinstance(bid.cell, DateCell):
            text = _SUIT_LETTER.sub(lambda one: f" {self.letters[one[1].upper()]}", cell_text(bid.cell))
            fields = {**fields, "contract": bid._replace(cell=text)}
        for key, of in self.completing.items():
            suit, main = fields.get(key), fields.get(of)
            text = "" if suit is None else cell_text(suit.cell)
            words = cell_text(main.cell).split() if main else []
            is_date = any(one is not None and isinstance(one.cell, DateCell) for one in (suit, main))
            if suit is None or is_date or fold_case_and_accents(text) in NONE_WORDS or text in words:
                continue
            if words and (number := whole_number(words[0])) is not None:
                words[0] = str(number)
            whole = " ".join([*words[:1], text, *words[1:]])  # « 80 coinché » is « 80 ♥ coinché »
            fields = {**fields, of: (main or suit)._replace(cell=whole)}
        return fields

    def _seats_of_points(self, fields: dict[str, PlacedCell]) -> dict[str, PlacedCell]:
        """Return a row with the seat for each compass point that the sheet has a name of."""
        if not self.has_points:
            return fields
        seats = {key: point_seat(cell_text(one.cell)) for key, one in fields.items()}
        return {
            key: one if (seat := seats[key]) is None else one._replace(cell=str(seat + 1))
            for key, one in fields.items()
        }

    def _seat_winner(self, fields: dict[str, PlacedCell], number: int) -> dict[str, PlacedCell]:
        """Return a row whose winner sits first and whose loser second, as its points are written."""
        winner = fields.get(WINNER.key)
        if winner is None or fold_case_and_accents(cell_text(winner.cell)) in NOBODY_WORDS:
            return fields
        seats = [SheetField(PLAYERS, seat).key for seat in range(2)]
        loser = fields.get(LOSER.key) or PlacedCell("", number, self.order[LOSER.key])
        first = winner._replace(cell="1")
        return {**fields, seats[0]: winner, seats[1]: loser, WINNER.key: first}

    def _marked_dealers(self) -> dict[int, str]:
        """Return row → the column of the player whose name ends in “(D)”, where that is the dealer.

        This holds if every line with names has one, no column names dealers, and each of these names is
        in the same column without it too. Elsewhere it is part of the name.
        """
        seats = {key: place for key, place in self.order.items() if key.startswith("players ")}
        found, plain = dict[int, str](), set[tuple[str, str]]()
        for number in range(self.table.top + 1, self.table.end):
            names = {
                key: name for key, at in seats.items() if (name := cell_text(self.sheet.cell(number, at)))
            }
            if any(map(is_total, names.values())):
                continue
            marked = [key for key, name in names.items() if DEALER_MARK.search(name)]
            plain |= {(key, name) for key, name in names.items() if key not in marked}
            if names and len(marked) != 1:
                return {}
            if marked:
                found[number] = marked[0]
        of = ((key, cell_text(self.sheet.rows[number][seats[key]])) for number, key in found.items())
        both = all((key, DEALER_MARK.sub("", name)) in plain for key, name in of)
        dealt = deal_model(self.game).OPENS == "dealer"
        return found if both and dealt and "dealer" not in self.order else {}


def _reason_to_skip(texts: Mapping[str, str]) -> str:
    """Return why a row with a result is not a match: a bye, or a remark that it is void."""
    players = (normalized(text) for key, text in texts.items() if key.startswith("players "))
    if any(text in BYE_WORDS for text in players):
        return LINES_BYE
    return LINES_VOID if is_void_remark(texts.get("remark", "")) else ""


def is_void_remark(text: str) -> bool:
    """Return whether a remark is that the match does not count, and nothing else."""
    parts = [part for part in re.split(r"[,;.]|\bet\b|\band\b", text) if part.strip()]
    return bool(parts) and all(normalized(part) in VOID_REMARKS for part in parts)


def _adds_up(texts: Mapping[str, str], sums: Mapping[str, int]) -> bool:
    """Return whether a row has nothing but the sums of the rows above."""
    numbers = {key: whole_number(text) for key, text in texts.items()}
    return len(numbers) > 1 and all(
        key.split(" ")[0] in (POINTS.key, RESULT.key) and sums.get(key) == number
        for key, number in numbers.items()
    )


def _lines_added(
    every: Mapping[int, Cell], texts: Mapping[str, str], above: Sequence[tuple[int, Mapping[str, str]]]
) -> str:
    """Return the lines above a row without names that it adds up, behind one with names; else empty."""
    is_named = above and any(key.startswith("players") for key in above[-1][1])
    is_bare = len(every) == len(texts) > 1 and not any(key.startswith("players") for key in texts)
    if not is_named or not is_bare:
        return ""
    recent = above[-MAX_ROWS_ADDED:]
    for end in range(len(recent), 0, -1):
        sums = dict[str, int]()
        for start in range(end - 1, -1, -1):
            for key, text in recent[start][1].items():
                sums[key] = sums.get(key, 0) + (whole_number(text) or 0)
            if (end - start > 1 or len(above) == 1) and _adds_up(texts, sums):
                return f"{recent[start][0] + 1}–{recent[end - 1][0] + 1}"
    return ""


def _is_remark(texts: Mapping[str, str], every: Mapping[int, Cell]) -> bool:
    """Return whether a row is one text where only numbers, names or dates belong."""
    if len(every) != 1 or len(texts) != 1:
        return False
    [(key, text)] = texts.items()
    kind = key.split(" ")[0]
    return kind in (POINTS.key, RESULT.key, NUMBER.key, "played_at") and not any(map(str.isdigit, text))
