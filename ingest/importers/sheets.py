"""Sheets of cells → logs whose deals are lines of a score sheet; docs/score-sheets.md.

A line of headings says what each column is. What cannot be read is asked with its cell, and its
match is left out: a match is there with all its deals or not at all.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from engine.games import game as game_of
from engine.games import names, title
from ingest.autofix.misspellings import folded
from ingest.games import of
from ingest.i18n import N_, translator
from ingest.importers.deal_notes import NO_PLAYER, NOBODY, VOIDED
from ingest.importers.headings import EVENT_KEYS, GAME, MATCH_KEYS, Field, Headings, plain
from ingest.importers.import_result import (
    MEANT,
    Entered,
    FoundColumn,
    Origin,
    Part,
    Question,
    asked,
)
from ingest.importers.notes import NO_DATE
from ingest.importers.tokenizer import (
    Reader,
    called,
    game_called,
    moment,
    name_of,
    player,
    reader_of,
    words_in,
    written,
)
from ingest.recorder import Openers
from schemas.match_models import deal_model
from schemas.models import FORMAT

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
NO_PLAYERS = N_("Who plays? There is no name in the columns of the players.")
GAP = N_("Player {could} is missing before “{read}”.")
WHO_OPENS = N_("Who deals here? The deals before do not tell.")
WHO_LEADS = N_("Who leads here? The deals before do not tell.")
NO_NUMBER = N_("“{read}” is no whole number.")
DATE_AS_NUMBER = N_(
    "“{read}” is a number where a date belongs: give the cell the format of a date."
)
NOT_EACH = N_("A number is missing beside “{read}”: all of them or none.")
NOT_THAT = N_("“{read}” does not belong in this column.")
TRUMP = N_("Leave out “{read}”: what is trump is not written beside an announcement.")
MISSING = N_("This cell is empty, and the others of its line need it.")
TOO_MANY = N_("A match has more than {read} deals: is there no column that tells matches apart?")
MOST_DEALS = 500
NONE = ("-", "–", "—", "0", "aucune", "aucun", "none", "non", "no")
"""Words of a cell that says there is nothing."""
OF_TRUMP = ("atout", "d'atout", "trump", "trumps")  # words beside an announcement that are none


class Date(NamedTuple):
    """A cell that a spreadsheet knows for a date."""

    text: str


Cell = str | int | float | Date  # what stands in a cell; an empty one is an empty text


@dataclass(slots=True)
class Sheet:
    """One sheet: every row from the first, so that a cell's place is its address."""

    name: str
    rows: list[list[Cell]]
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    """First row and column, last row and column, from 0."""
    uncomputed: set[str] = field(default_factory=set)
    """Cells with a formula of which the file has no value."""


def address(row: int, column: int) -> str:
    """The name of a cell, both from 0: `B7`."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


def text_of(cell: Cell) -> str:
    """A cell as a text."""
    return cell.text if isinstance(cell, Date) else str(cell).strip()


class Row(NamedTuple):
    """One line: its cells by column, with those of the match from the lines above."""

    number: int  # from 0
    before: str  # before each address, where there are several sheets
    order: Mapping[str, int]  # column → its place
    cells: Mapping[str, tuple[Cell, int]]  # column → what stands there, and in which row

    def text(self, key: str) -> str:
        """A cell as a text, empty where there is none."""
        return text_of(self.cells[key][0]) if key in self.cells else ""

    @property
    def part(self) -> Part:
        """Where it stands, cell by cell."""
        told = ((key, row) for key, (_, row) in self.cells.items() if key in self.order)
        cells = {key: self.before + address(row, self.order[key]) for key, row in told}
        return Part(f"{self.before}{self.number + 1}", cells)

    def question(self, key: str, text: str, *could: str, read: str | None = None) -> Question:
        row = self.cells[key][1] if key in self.cells else self.number
        column = self.order.get(key, 0)
        said = self.text(key) if read is None else read
        where = self.before + address(row, column)
        return Question(row + 1, column + 1, said, text, could, cell=where)


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

    def _field(self, cell: Cell) -> Field | None:
        said = plain(text_of(cell))
        return self.own[said] if said in self.own else self.headings.field(said)

    def _columns(self, top: int, end: int) -> dict[int, Field] | None:
        """What each column is; None: there are questions."""
        found: dict[int, Field] = {}
        before, rows = len(self.found.questions), self.sheet.rows[top + 1 : end]
        for column, cell in enumerate(self.sheet.rows[top]):
            written = text_of(cell)
            heading = written or address(top, column).rstrip("0123456789")
            below = any(column < len(row) and row[column] != "" for row in rows)
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
                    self._ask(first, left, MERGED, f"{address(first, left)}:{address(last, right)}")
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
            there = ((key, place) for key, place in order.items() if place < len(cells))
            told = {key: (cells[place], number) for key, place in there if cells[place] != ""}
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
            own = sorted(f"{key}={cell}" for key, (cell, _) in last.items())  # tells matches apart
            row = Row(number, self.before, order, {**last, **told})
            groups.setdefault(tuple(own), []).append(row)
        yield from groups.values()

    def _ask(self, row: int, column: int, text: str, read: str, *could: str) -> None:
        cell = self.before + address(row, column)
        self.found.questions.append(Question(row + 1, column + 1, read, text, could, cell=cell))


def match_of(
    rows: Sequence[Row], game: str, zone: tzinfo | None, questions: list[Question]
) -> dict[str, Any] | None:
    """The match some lines tell; None, and questions: not all of it can be read."""
    before, first = len(questions), rows[0]
    head = _head(first, game, zone, questions)
    if head is None:
        return None
    if len(rows) > MOST_DEALS:
        questions.append(first.question("id", TOO_MANY, read=str(MOST_DEALS)))
        return None
    reader = reader_of(head, (row.text(key) for row in rows for key in row.cells))
    if isinstance(reader, list):
        finding = reader[0]
        key = finding.path.split("/")[1] if finding.path else "game"
        questions.append(replace(first.question(key, "", read=""), finding=finding))
        return None
    log: dict[str, Any] = {**head, "deals": []}
    openers = Openers(log)
    for row in rows:
        deal = Deal(row, reader, log, openers, questions).read()
        if len(questions) == before:
            log["deals"].append(deal)
    return log if len(questions) == before else None


def _head(
    row: Row, game: str, zone: tzinfo | None, questions: list[Question]
) -> dict[str, Any] | None:
    head: dict[str, Any] = {"format": FORMAT, "game": game}
    for key in ("rules", "id", "deck"):
        if said := row.text(key):
            head[key] = said.lower() if key == "rules" else said
    if said := row.text("played_at"):
        cell = row.cells["played_at"][0]
        if isinstance(cell, int | float):
            questions.append(row.question("played_at", DATE_AS_NUMBER))
            return None
        if isinstance(cell, Date) and len(said) != len("2026-05-02"):
            when: str | None = written(datetime.fromisoformat(said), zone)
        else:
            when = moment(said, zone)
        if when is None:
            questions.append(row.question("played_at", NO_DATE, "2026-05-02", "2 mai 2026"))
            return None
        head["played_at"] = when
    if event := {key: said for key in EVENT_KEYS if (said := row.text(key))}:
        head["event"] = event
    told = [row.text(f"players {seat + 1}") for seat in range(max(game_of(game).players))]
    seated = [one for one in told if one]
    if not seated:
        questions.append(row.question("players 1", NO_PLAYERS))
        return None
    if told[: len(seated)] != seated:
        key = f"players {told.index(seated[-1]) + 1}"
        questions.append(row.question(key, GAP, str(told.index("") + 1)))
        return None
    return {**head, "players": [player(one) for one in seated]}


@dataclass(slots=True)
class Deal:
    """One line being read; it is what `ingest.games.Line` asks for."""

    row: Row
    reader: Reader
    log: dict[str, Any]
    openers: Openers
    questions: list[Question]

    @property
    def players(self) -> int:
        return len(self.log["players"])

    @property
    def _names(self) -> list[str]:
        return [name_of(one) for one in self.log["players"]]

    def read(self) -> dict[str, Any]:
        game = self.reader.table.game
        opens, sides = deal_model(game.name).OPENS, game.sides(self.players)
        seat = self.who(opens)
        if seat is None and not self.row.text(opens):
            seat = self.openers.next()
            if seat is None:
                self._ask(opens, WHO_OPENS if opens == "dealer" else WHO_LEADS)
        manche, void = self.number("manche"), self.one_of("void", VOIDED)
        deal: dict[str, Any] = {opens: seat, "manche": manche, "void": void}
        points = [self.number("points", side) for side in range(sides)]
        given = [one for one in points if one is not None]
        if len(given) == sides:
            deal["points"] = given
        elif given and not self.row.text(empty := f"points {points.index(None) + 1}"):
            beside = next(side for side, one in enumerate(points) if one is not None)
            self._ask(empty, NOT_EACH, read=self.row.text(f"points {beside + 1}"))
        winner = self.row.text("winner")  # a side by its number, or by one of it; or nobody
        if winner and folded(winner) in NOBODY:
            deal["winner"] = 0
        elif winner in map(str, range(1, sides + 1)):
            deal["winner"] = self.who("winner", sides)
        elif (side := self.who("winner")) is not None:
            deal["winner"] = (side - 1) % sides + 1
        deal = {key: told for key, told in deal.items() if told is not None or key == opens}
        told = of(game.name).told(self)
        words = [word.text for word in words_in(self.row.text("end"))]
        for size in range(len(words), 0, -1):  # `Lucie resigns`
            who = called(" ".join(words[:size]), self.log["players"])
            meant = self.reader.acts(" ".join(words[size:])) if who is not None else ()
            if who is not None and len(meant) == 1:
                told = {**told, "end": f"{who + 1} {meant[0]}"}
                break
        else:
            if self.row.text("end"):
                self._ask("end", NOT_THAT)
        if told:
            deal["told"] = told
        if remark := self.row.text("remark"):
            deal["comments"] = [{"after": 0, "text": remark}]
        return deal

    def acts(self, key: str, kind: str, seat: int = 0) -> list[str] | None:
        """The words of acts of a kind in a cell: none where it says so, None where it is empty."""
        key = self._key(key, seat)
        text = self.row.text(key)
        if not text:
            return None
        if folded(text) in NONE:
            return []
        found, words, place = list[str](), [*words_in(text)], 0
        while place < len(words):
            one = self.reader.spelt(words, place, self.reader.acts)
            bare = folded(one.text).replace("’", "'").strip("()[]. ")
            if len(one.meant) == 1 and self.reader.kind(one.meant[0]) == kind:
                found.append(one.meant[0])
            elif len(one.meant) == 1:
                self._ask(key, NOT_THAT, read=words[place].text)
            elif kind == "announce" and bare in OF_TRUMP:
                self._ask(key, TRUMP, read=one.text)
            else:
                at = self.row.question(key, "", read=one.text)
                self.questions.append(asked(at.line, at.column, one, self.reader.game, at.cell))
            place += one.used
        return found

    def text(self, key: str, seat: int = 0) -> str:
        return self.row.text(self._key(key, seat))

    def number(self, key: str, seat: int = 0) -> int | None:
        key = self._key(key, seat)
        text = self.row.text(key).replace("\N{MINUS SIGN}", "-")
        try:
            return int(text) if text else None
        except ValueError:
            self._ask(key, NO_NUMBER)
            return None

    def who(self, key: str, sides: int = 0) -> int | None:
        """The seat, from 1, of who is named in a cell, or a side of so many; None: it is empty."""
        text, players = self.row.text(key), self.log["players"]
        sides = sides or len(players)
        if not text:
            return None
        if text in map(str, range(1, sides + 1)):
            seat = called(text, players)
            if seat is None or seat % sides + 1 == int(text):
                return int(text)
            # the number is somebody else's id or name
            whole = " + ".join(self._names[int(text) - 1 :: sides])
            self._ask(key, MEANT, self._names[seat], whole)
            return None
        if (seat := called(text, players, begun=True)) is not None:
            return seat + 1
        self._ask(key, NO_PLAYER, *self._names)
        return None

    def one_of(self, key: str, known: Mapping[str, Any]) -> Any:
        """What a cell means of some words, None where it is empty."""
        found = known.get(folded(text)) if (text := self.row.text(key)) else None
        if text and found is None:
            self._ask(key, NOT_THAT)
        return found

    def lacks(self, key: str) -> None:
        self._ask(key, MISSING)

    def _key(self, key: str, seat: int) -> str:
        each = f"{key} {seat + 1}"
        return each if each in self.row.order or key not in self.row.order else key

    def _ask(self, key: str, text: str, *could: str, read: str | None = None) -> None:
        self.questions.append(self.row.question(key, text, *could, read=read))
