"""Lines of a score sheet → the deals of a match, cell by cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from engine.games import game as game_of
from ingest.entry.cells import Cell, Date, address
from ingest.entry.deal_notes import NO_PLAYER, NOBODY, VOIDED
from ingest.entry.headings import EVENT_KEYS, MATCH_KEYS
from ingest.entry.notes import NO_DATE
from ingest.entry.question import MEANT, Part, Question, asked
from ingest.entry.recorder import Openers
from ingest.entry.tokenizer import (
    WORD,
    Reader,
    called,
    moment,
    name_of,
    player,
    reader_of,
    words_in,
    written,
)
from ingest.games import of
from ingest.i18n import N_
from ingest.mend.misspellings import folded
from schemas.document import FORMAT
from schemas.log import deal_model

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


class Row(NamedTuple):
    """One line: its cells by column, with those of the match from the lines above."""

    number: int  # from 0
    before: str  # before each address, where there are several sheets
    order: Mapping[str, int]  # column → its place
    cells: Mapping[str, tuple[Cell, int]]  # column → what stands there, and in which row

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells matches apart."""
        own = [
            f"{key}={one[0]}" for key, one in self.cells.items() if key.split(" ")[0] in MATCH_KEYS
        ]
        return tuple(sorted(own))

    def text(self, key: str) -> str:
        """A cell as a text, empty where there is none."""
        cell = self.cells[key][0] if key in self.cells else ""
        return cell.text if isinstance(cell, Date) else str(cell).strip()

    @property
    def part(self) -> Part:
        """Where it stands, cell by cell."""
        cells = {
            key: self.before + address(row, self.order[key])
            for key, (_, row) in self.cells.items()
            if key in self.order
        }
        return Part(f"{self.before}{self.number + 1}", cells)

    def question(self, key: str, text: str, *could: str, read: str | None = None) -> Question:
        """What is asked about a cell."""
        row = self.cells[key][1] if key in self.cells else self.number
        column = self.order.get(key, 0)
        said = self.text(key) if read is None else read
        where = self.before + address(row, column)
        return Question(row + 1, column + 1, said, text, could, cell=where)


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
    words = [
        found[0] for row in rows for key in row.cells for found in WORD.finditer(row.text(key))
    ]
    reader = reader_of(head, words)
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
    """The keys of a match."""
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
        """How many play."""
        return len(self.log["players"])

    @property
    def _names(self) -> list[str]:
        return [name_of(one) for one in self.log["players"]]

    def read(self) -> dict[str, Any]:
        """The deal as a log has it."""
        game = self.reader.table.game
        opens, sides = deal_model(game.name).OPENS, game.sides(self.players)
        seat = self.who(opens)
        if seat is None and not self.row.text(opens):
            seat = self.openers.next()
            if seat is None:
                self._ask(opens, WHO_OPENS if opens == "dealer" else WHO_LEADS)
        keys = {
            opens: seat,
            "manche": self.number("manche"),
            "void": self.one_of("void", VOIDED),
            "points": self._points(sides),
            "winner": self._winner(sides),
        }
        deal = {key: told for key, told in keys.items() if told is not None or key == opens}
        told = of(game.name).told(self)
        if end := self._end():
            told = {**told, "end": end}
        if told:
            deal["told"] = told
        if remark := self.row.text("remark"):
            deal["comments"] = [{"after": 0, "text": remark}]
        return deal

    # what a game asks

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
                told = one.text, one.meant, one.near, self.reader.game, at.cell
                self.questions.append(asked(at.line, at.column, *told))
            place += one.used
        return found

    def text(self, key: str, seat: int = 0) -> str:
        """A cell as it stands."""
        return self.row.text(self._key(key, seat))

    def number(self, key: str, seat: int = 0) -> int | None:
        """The number in a cell, None where it is empty."""
        key = self._key(key, seat)
        text = self.row.text(key).replace("\N{MINUS SIGN}", "-")
        try:
            return int(text) if text else None
        except ValueError:
            self._ask(key, NO_NUMBER)
            return None

    def who(self, key: str, sides: int = 0) -> int | None:
        """The seat, from 1, of who is named in a cell, None where it is empty.

        `sides`: so many, and the cell has the number of one.
        """
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
        """Ask for what a cell should say and does not."""
        self._ask(key, MISSING)

    # cells

    def _key(self, key: str, seat: int) -> str:
        each = f"{key} {seat + 1}"
        return each if each in self.row.order or key not in self.row.order else key

    def _points(self, sides: int) -> list[int] | None:
        told = [self.number("points", side) for side in range(sides)]
        if None not in told or not any(one is not None for one in told):
            return [one for one in told if one is not None] or None
        empty = f"points {told.index(None) + 1}"
        other = next(side for side, one in enumerate(told) if one is not None)
        if not self.row.text(empty):
            self._ask(empty, NOT_EACH, read=self.row.text(f"points {other + 1}"))
        return None

    def _winner(self, sides: int) -> int | None:
        """The side by its number, or by one of it; 0 of nobody."""
        text = self.row.text("winner")
        if text and folded(text) in NOBODY:
            return 0
        if text in map(str, range(1, sides + 1)):
            return self.who("winner", sides)
        seat = self.who("winner")
        return None if seat is None else (seat - 1) % sides + 1

    def _end(self) -> str | None:
        """`Lucie resigns` as an action."""
        words = [found[0] for found in WORD.finditer(self.row.text("end"))]
        for size in range(len(words), 0, -1):
            seat = called(" ".join(words[:size]), self.log["players"])
            if seat is not None:
                meant = self.reader.acts(" ".join(words[size:]))
                if len(meant) == 1:
                    return f"{seat + 1} {meant[0]}"
        if self.row.text("end"):
            self._ask("end", NOT_THAT)
        return None

    def _ask(self, key: str, text: str, *could: str, read: str | None = None) -> None:
        self.questions.append(self.row.question(key, text, *could, read=read))
