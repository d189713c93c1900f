"""Lines of a score sheet → the deals of a match, cell by cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple

from engine.games import game as game_of
from ingest.entry import note_lines
from ingest.entry.cells import Cell, Date, address
from ingest.entry.dates import moment, written
from ingest.entry.headings import EVENT_KEYS, MATCH_KEYS
from ingest.entry.next_opener import Openers
from ingest.entry.people import called, named, player
from ingest.entry.question import MEANT, Part, Question, asked
from ingest.entry.words import WORD, Reader, Word, reader_of, spelt, words_in
from ingest.games import of
from ingest.i18n import N_
from ingest.mend.near import folded
from schemas.document import FORMAT
from schemas.log import deal_model

NO_PLAYERS = N_("Who plays? There is no name in the columns of the players.")
GAP = N_("Player {could} is missing before “{read}”.")
WHO_OPENS = N_("Who deals here? The deals before do not tell.")
WHO_LEADS = N_("Who leads here? The deals before do not tell.")
NO_PLAYER = N_("“{read}” is none of the players: {could}.")
NO_NUMBER = N_("“{read}” is no whole number.")
NO_DATE = N_("“{read}” is no date. Write it as in: {could}.")
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
OF_TRUMP = ("atout", "d'atout", "trump", "trumps")
"""Words beside an announcement that are none."""


class Row(NamedTuple):
    """One line: its cells by column, with those of the match from the lines above."""

    number: int
    """From 0."""
    before: str
    """Before each address, where there are several sheets."""
    order: Mapping[str, int]
    """Column → its place."""
    cells: Mapping[str, tuple[Cell, int]]
    """Column → what stands there, and in which row."""

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


class Unread(Exception):
    """There is a question, and the match is left out."""


class Rules:
    """Makes the matches of one game's sheet."""

    def __init__(self, game: str, zone: tzinfo | None, questions: list[Question]) -> None:
        self.game, self.zone, self.questions = game, zone, questions

    def log(self, rows: Sequence[Row]) -> dict[str, Any] | None:
        """The match some lines tell; None, and questions: not all of it can be read."""
        before = len(self.questions)
        head = self._head(rows[0])
        if head is None:
            return None
        if len(rows) > MOST_DEALS:
            self.questions.append(rows[0].question("id", TOO_MANY, read=str(MOST_DEALS)))
            return None
        words = [
            found[0] for row in rows for key in row.cells for found in WORD.finditer(row.text(key))
        ]
        reader = reader_of(head, words)
        if isinstance(reader, list):
            key = reader[0].path.split("/")[1] if reader[0].path else "game"
            self.questions.append(_found(rows[0], key, reader[0]))
            return None
        log: dict[str, Any] = {**head, "deals": []}
        openers = Openers(log)
        for row in rows:
            deal = Deal(row, reader, log, openers, self.questions).read()
            if len(self.questions) == before:
                log["deals"].append(deal)
        return log if len(self.questions) == before else None

    def _head(self, row: Row) -> dict[str, Any] | None:
        """The keys of a match."""
        head: dict[str, Any] = {"format": FORMAT, "game": self.game}
        for key in ("rules", "id", "deck"):
            if said := row.text(key):
                head[key] = said.lower() if key == "rules" else said
        if row.text("played_at"):
            when = self._date(row)
            if when is None:
                return None
            head["played_at"] = when
        if event := {key: said for key in EVENT_KEYS if (said := row.text(key))}:
            head["event"] = event
        told = [row.text(f"players {seat + 1}") for seat in range(max(game_of(self.game).players))]
        if not any(told):
            self.questions.append(row.question("players 1", NO_PLAYERS))
            return None
        seated = [one for one in told if one]
        if told[: len(seated)] != seated:
            gap = told.index("")
            key = f"players {told.index(seated[-1]) + 1}"
            self.questions.append(row.question(key, GAP, str(gap + 1)))
            return None
        return {**head, "players": [player(one) for one in seated]}

    def _date(self, row: Row) -> str | None:
        cell = row.cells["played_at"][0]
        if isinstance(cell, Date):
            when = datetime.fromisoformat(cell.text)
            if len(cell.text) == len("2026-05-02"):
                return moment(cell.text, self.zone)
            return written(when, self.zone)
        if isinstance(cell, int | float):
            self.questions.append(row.question("played_at", DATE_AS_NUMBER))
            return None
        found = moment(cell, self.zone)
        if found is None:
            self.questions.append(row.question("played_at", NO_DATE, "2026-05-02", "2 mai 2026"))
        return found


def _found(row: Row, key: str, finding: Any) -> Question:
    """A question that a finding says."""
    place = row.question(key, "")
    return Question(place.line, place.column, "", "", finding=finding, cell=place.cell)


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

    def read(self) -> dict[str, Any]:
        """The deal as a log has it."""
        game = self.reader.table.game
        deal: dict[str, Any] = {}
        opens = deal_model(game.name).OPENS
        seat = self.who(opens)
        if seat is None and not self.row.text(opens):
            seat = self.openers.next()
            if seat is None:
                self._ask(opens, WHO_OPENS if opens == "dealer" else WHO_LEADS)
        deal[opens] = seat
        if (manche := self.number("manche")) is not None:
            deal["manche"] = manche
        if (void := self._word("void", note_lines.VOID)) is not None:
            deal["void"] = void
        if (points := self._points(game.sides(self.players))) is not None:
            deal["points"] = points
        if (winner := self._winner(game.sides(self.players))) is not None:
            deal["winner"] = winner
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
        found = []
        for word, where in self._read(key, kind, text):
            if self.reader.kind(word) == kind:
                found.append(word)
            else:
                self._ask(key, NOT_THAT, read=where.text)
        return found

    def text(self, key: str, seat: int = 0) -> str:
        """A cell as it stands."""
        return self.row.text(self._key(key, seat))

    def number(self, key: str, seat: int = 0) -> int | None:
        """The number in a cell, None where it is empty."""
        key = self._key(key, seat)
        text = self.row.text(key).replace("\N{MINUS SIGN}", "-")
        if not text:
            return None
        try:
            return int(text)
        except ValueError:
            self._ask(key, NO_NUMBER)
            return None

    def who(self, key: str) -> int | None:
        """The seat, from 1, of who is named in a cell, None where it is empty."""
        text = self.row.text(key)
        if not text:
            return None
        if (place := self._place(text, self.players)) is not None:
            return self._meant(key, text, place, self.players)
        if (seat := named(text, self.log["players"])) is not None:
            return seat + 1
        self._ask(key, NO_PLAYER, *map(self._name, range(self.players)))
        return None

    def one_of(self, key: str, known: Mapping[str, int]) -> int | None:
        """What a cell means of some words, None where it is empty."""
        found: int | None = self._word(key, known)
        return found

    def lacks(self, key: str) -> None:
        """Ask for what a cell should say and does not."""
        self._ask(key, MISSING)

    # cells

    def _key(self, key: str, seat: int) -> str:
        each = f"{key} {seat + 1}"
        return each if each in self.row.order or key not in self.row.order else key

    def _word(self, key: str, known: Mapping[str, Any]) -> Any:
        text = self.row.text(key)
        if not text:
            return None
        if (found := known.get(folded(text))) is None:
            self._ask(key, NOT_THAT)
        return found

    @staticmethod
    def _place(text: str, most: int) -> int | None:
        """The seat or side, from 1, that a bare number is."""
        return int(text) if text in map(str, range(1, most + 1)) else None

    def _meant(self, key: str, text: str, place: int, sides: int) -> int | None:
        """A seat or side by its number, asked where the number is somebody else's id or name."""
        seat = called(text, self.log["players"])
        if seat is None or seat % sides + 1 == place:
            return place
        whole = " + ".join(map(self._name, range(place - 1, self.players, sides)))
        self._ask(key, MEANT, self._name(seat), whole)
        return None

    def _name(self, seat: int) -> str:
        one = self.log["players"][seat]
        return str(one.get("name", one["id"]))

    def _points(self, sides: int) -> list[int] | None:
        told = [self.number("points", side) for side in range(sides)]
        if all(one is None for one in told):
            return None
        if None in told:
            empty = told.index(None)
            other = next(side for side, one in enumerate(told) if one is not None)
            if not self.row.text(f"points {empty + 1}"):
                self._ask(
                    f"points {empty + 1}", NOT_EACH, read=self.row.text(f"points {other + 1}")
                )
            return None
        return [one for one in told if one is not None]

    def _winner(self, sides: int) -> int | None:
        text = self.row.text("winner")
        if not text:
            return None
        if folded(text) in note_lines.NOBODY:
            return 0
        if (place := self._place(text, sides)) is not None:
            return self._meant("winner", text, place, sides)
        seat = self.who("winner")
        return None if seat is None else (seat - 1) % sides + 1

    def _end(self) -> str | None:
        """`Lucie resigns` as an action."""
        text = self.row.text("end")
        if not text:
            return None
        words = [found[0] for found in WORD.finditer(text)]
        for size in range(len(words), 0, -1):
            seat = called(" ".join(words[:size]), self.log["players"])
            if seat is not None:
                meant = self.reader.acts(" ".join(words[size:]))
                if len(meant) == 1:
                    return f"{seat + 1} {meant[0]}"
        self._ask("end", NOT_THAT)
        return None

    def _read(self, key: str, kind: str, text: str) -> Sequence[tuple[str, Word]]:
        """The acts in a cell; what is unclear is asked."""
        found = []
        words = [*words_in(text)]
        place = 0
        while place < len(words):
            one = spelt(words, place, self.reader.acts, self.reader.near)
            if len(one.meant) == 1:
                found.append((one.meant[0], words[place]))
            elif kind == "announce" and _plain(one.text) in OF_TRUMP:
                self._ask(key, TRUMP, read=one.text)
            else:
                at = self.row.question(key, "", read=one.text)
                told = asked(at.line, at.column, one.text, one.meant, one.near, self.reader.game)
                self.questions.append(replace(told, cell=at.cell))
            place += one.used
        return found

    def _ask(self, key: str, text: str, *could: str, read: str | None = None) -> None:
        self.questions.append(self.row.question(key, text, *could, read=read))


def _plain(word: str) -> str:
    """A word without its brackets."""
    return folded(word).replace("’", "'").strip("()[]. ")
