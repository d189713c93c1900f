"""The lines of one deal in notes → a deal of a log."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from ingest.autofix.misspellings import folded, mistyped
from ingest.findings.finding import NOTE
from ingest.games import of
from ingest.i18n import N_
from ingest.importers.headings import ABOUT_DEAL
from ingest.importers.import_result import NEAR, UNKNOWN, Question, asked
from ingest.importers.tokenizer import HIDDEN, MOST, Reader, Word, called, name_of, words_in
from ingest.recorder import Openers, Recorder, Refused
from schemas.match_models import deal_model

WHO_OPENS = N_("Who deals? Write it in a line, as in: {could}.")
WHO_LEADS = N_("Who leads? Write it in a line, as in: {could}.")
TWICE = N_("“{read}” was said of this deal already.")
NOT_ITS_DEAL = N_("“{read}” is not said of a deal of this game.")
NO_PLAYER = N_("“{read}” is none of the players: {could}.")
NOT_EACH = N_("“{read}” is not one for each of: {could}.")
NOT_DONE = N_("“{read}” does nothing here: a card or an action of theirs should follow.")
UNTOLD_PLAY = N_("“{read}”: a card that was played has to be known.")
OVER = N_("The deal is over before “{read}”. Who does it? Write the name before it.")
WHOSE = N_("It cannot be said whose turn it is at “{read}”: write the name before it.")
NO_MORE = N_("It is {could}’s turn before “{read}”, and that line has no more.")
IN_ORDER = N_("In which order was “{read}” done? Write what was said there in one line, in order.")
DECLARED = ("points", "winner", "void", "manche")  # said of a deal once it was played
ORDER = ("dealer", "leader", "hands", "talon", "bids", "actions")  # as people read a deal

# the words lines have, in French and English
VOIDED: Mapping[str, str] = {
    **dict.fromkeys(("maldonne", "fausse donne", "misdeal"), "maldonne"),
    **dict.fromkeys(("rejouee", "a rejouer", "replayed", "replay"), "replay"),
    **dict.fromkeys(("abandonnee", "interrompue", "abandoned"), "abandoned"),
}
NOBODY = ("personne", "nobody", "nulle", "drawn", "0")
HAND = re.compile(r"(?:main d(?:e |'))(?P<a>.+)|hand of (?P<b>.+)|(?P<c>.+?)'s hand")
HEADING = re.compile(r"(?:donne|deal|partie|manche)\s+(?:n[°o]?\s*)?\d+\s*[.:]?")
"""`Donne 3` above a deal: there for people."""
REMARK = "#"
_DEALS = re.compile(r"(?P<who>.+?)\s+(?:donne|distribue|deals)\.?")
# before what is told in order: `1.`, `Pli 1 :`
_TRICK = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
_LABEL = re.compile(r"\s*(?P<label>[^:]{1,60}?)\s*:\s*(?P<body>.*)")
_NUMBER = re.compile(r"-?\d+")


class Line(NamedTuple):
    """One line of notes: from 1 its number, and the column where `body` begins."""

    number: int
    column: int
    label: str  # without capitals and accents; empty where the line has none
    body: str
    text: str  # all of it, as it stands

    @property
    def remark(self) -> bool:
        """Whether it says something to people only."""
        return self.text.lstrip().startswith(REMARK)

    @property
    def start(self) -> int:
        """The column of its first sign."""
        return len(self.text) - len(self.text.lstrip()) + 1


def line_of(number: int, raw: str) -> Line:
    """A line that is not empty, taken apart."""
    plain = Line(number, 1, "", raw.strip(), raw)
    if not plain.remark and (trick := _TRICK.match(raw)):
        return Line(number, trick.end() + 1, "", raw[trick.end() :], raw)
    if not plain.remark and (found := _LABEL.fullmatch(raw)):
        label = " ".join(folded(found["label"]).replace("’", "'").split())
        return Line(number, found.start("body") + 1, label, found["body"], raw)
    return plain._replace(column=plain.start)


class Item(NamedTuple):
    """An act as read: whose where a name was written, and where."""

    seat: int | None
    act: str
    word: Word


class _Asked(Exception):
    """There is a question, and what follows hangs on its answer."""


class DealNotesParser:
    """One deal being read."""

    def __init__(self, reader: Reader, log: dict[str, Any], questions: list[Question]) -> None:
        self.reader, self.log, self.questions = reader, log, questions
        self.table, self.players = reader.table, log["players"]
        self.game, self.model = reader.game, deal_model(reader.game)
        self.names = [name_of(one) for one in self.players]
        self.sides = self.table.game.sides(len(self.players))  # how many points a deal has
        self.deal: dict[str, Any] = {}
        self.blocks: list[list[Item] | dict[int, list[Item]]] = []
        """What was done in order, or a player at a time."""
        self.remarks: list[tuple[int, str]] = []  # by how many blocks were there before
        self._actions: list[str] = []

    def read(self, lines: Sequence[Line]) -> dict[str, Any] | None:
        """The deal; empty of a heading alone; None: there are questions, and it cannot be read."""
        before = len(self.questions)
        for line in lines:
            self._line(line)
        if not (self.deal or self.blocks or self.remarks):
            return {}
        opens, log = self.model.OPENS, self.log
        if len(self.questions) == before and opens not in self.deal:
            seat = Openers(log).next() if log["deals"] else None
            self.deal[opens] = seat
            if seat is None:
                deals = opens == "dealer"
                text, key = (WHO_OPENS, "Donneur") if deals else (WHO_LEADS, "Entame")
                self._ask(lines[0].number, 1, "", text, f"{key} : {self.names[0]}")
        if len(self.questions) == before:
            self._play(lines[0])
        if len(self.questions) > before:
            return None
        keys = sorted(self.deal, key=lambda key: (*ORDER, key).index(key))
        return {key: self.deal[key] for key in keys}

    def _line(self, line: Line) -> None:
        label, cards = line.label, of(self.game).CARD_LINES
        if line.remark:  # kept where it stands, between two lines told in order too
            if self.blocks and isinstance(self.blocks[-1], list) and self.blocks[-1]:
                self.blocks.append([])
            last = bool(self.blocks) and self.blocks[-1] == []
            self.remarks.append((len(self.blocks) - last, line.body.lstrip(REMARK).strip()))
        elif not label and (found := _DEALS.fullmatch(folded(line.body))):
            self._set(line, "dealer", self._who(line, line.body[: found.end("who")]))
        elif HEADING.fullmatch(label or folded(line.body)):
            if label and line.body:
                self._line(line._replace(label="", text=line.body))
        elif not label:  # what was done in this order, by whom where a name stands before it
            if not self.blocks or isinstance(self.blocks[-1], dict):
                self.blocks.append([])
            block: Any = self.blocks[-1]
            block += self._items(line, self.reader.acts, True)
        elif label in ABOUT_DEAL:
            self._about(line, ABOUT_DEAL[label])
        elif label in cards:
            told = [item.act for item in self._items(line, self.reader.cards)]
            for key, value in cards[label](self.table, told).items():
                self._set(line, key, value)
        elif found := HAND.fullmatch(label):
            seat = self._who(line, found["a"] or found["b"] or found["c"])
            hand = " ".join(item.act for item in self._items(line, self.reader.cards))
            if seat is not None:
                hands = self.deal.setdefault("hands", ["??"] * len(self.players))
                if hands[seat - 1] != "??":
                    self._ask(line.number, line.start, line.text.strip(), TWICE)
                hands[seat - 1] = hand
        elif (seat := called(label, self.players, begun=True)) is not None:
            if not self.blocks or isinstance(self.blocks[-1], list):
                self.blocks.append({})
            block = self.blocks[-1]
            block.setdefault(seat, []).extend(self._items(line, self.reader.acts))
        else:
            name = line.text.split(":")[0].strip()
            near = [one for one in (*ABOUT_DEAL, *cards, *self.names) if mistyped(label, one)]
            why = (NEAR, *near) if near else (NO_PLAYER, *self.names)
            self._ask(line.number, line.start, name, *why)

    def _about(self, line: Line, key: str) -> None:
        said = folded(line.body.strip())
        value: Any = None
        if key not in self.model.model_fields:
            self._ask(line.number, line.start, line.label, NOT_ITS_DEAL)
            return
        if key in ("dealer", "leader"):
            value = self._who(line, line.body)
        elif key == "winner" and said in NOBODY:
            value = 0
        elif key == "winner":  # where partners play their side, by one of it
            seat = self._who(line, line.body)
            value = None if seat is None else (seat - 1) % self.sides + 1
        elif key == "void":
            value = VOIDED.get(said.rstrip("."))
            if value is None:
                self._ask(line.number, line.column, line.body, NEAR, *VOIDED)
        elif key == "manche" and _NUMBER.fullmatch(line.body.strip()):
            value = int(line.body)
        elif key == "manche":
            self._ask(line.number, line.column, line.body, UNKNOWN)
        else:  # one a seat or side: in their order, or each behind a name
            count = self.sides if key == "points" else len(self.players)
            told: dict[int, str] = {}
            seat = None
            for word in words_in(line.body):
                who = None if _NUMBER.fullmatch(word.text) else called(word.text, self.players)
                if who is not None:
                    seat = who % count
                else:
                    told[len(told) if seat is None else seat] = word.text
                    seat = None
            whole = [*range(count)] == sorted(told)
            if whole and (key != "points" or all(map(_NUMBER.fullmatch, told.values()))):
                each = [told[one] for one in range(count)]
                value = [*map(int, each)] if key == "points" else each
            else:
                names = (" + ".join(self.names[one::count]) for one in range(count))
                self._ask(line.number, line.column, line.body, NOT_EACH, ", ".join(names))
                return
        self._set(line, key, value)

    def _set(self, line: Line, key: str, value: Any) -> None:
        if key in self.deal:
            self._ask(line.number, line.start, line.text.strip(), TWICE)
        elif value is not None:
            self.deal[key] = value

    def _who(self, line: Line, text: str) -> int | None:
        """The seat, from 1, of who is named."""
        seat = called(text, self.players, begun=True)
        if seat is None:
            self._ask(line.number, line.column, text.strip(), NO_PLAYER, *self.names)
        return None if seat is None else seat + 1

    def _items(
        self, line: Line, read: Callable[[str], tuple[str, ...]], names_in: bool = False
    ) -> Iterator[Item]:
        """The acts or cards of a line; `names_in`: a name may stand before each."""
        words = [*words_in(line.body, line.number, line.column)]
        place = 0
        while place < len(words):
            seat = None
            for size in range(min(MOST, len(words) - place), 0, -1) if names_in else ():
                text = " ".join(word.text for word in words[place : place + size])
                if (seat := called(text, self.players)) is not None:
                    place += size
                    break
            if place == len(words):
                self._ask(line.number, words[-1].column, words[-1].text, NOT_DONE)
                return
            word = words[place]
            if word.text in HIDDEN and not read(word.text):
                self._ask(word.line, word.column, word.text, UNTOLD_PLAY)
                place += 1
                continue
            found = self.reader.spelt(words, place, read)
            place += found.used
            if len(found.meant) == 1:
                yield Item(seat, found.meant[0], word)
            else:
                self.questions.append(asked(word.line, word.column, found, self.game))

    def _play(self, first: Line) -> None:
        """Put the acts of all blocks in order."""
        comments = []
        try:
            dealt = {key: told for key, told in self.deal.items() if key not in DECLARED}
            self.recorder = Recorder.of({**self.log, "deals": []})
            self.said = self.recorder.deal(**dealt)
            for place, block in enumerate([*self.blocks, []]):
                texts = [text for at, text in self.remarks if at == place and text]
                comments += [{"after": len(self._actions), "text": text} for text in texts]
                if isinstance(block, dict):
                    self._by_player(block)
                    continue
                for item in block:
                    seat = self._due(item) if item.seat is None else item.seat
                    if seat is None:
                        self._stop(item, OVER)
                    self._add(seat, item)
        except _Asked:
            return
        except Refused as refused:
            self.questions.append(Question(first.number, 1, "", "", finding=refused.findings[0]))
            return
        if self._actions:
            self.deal["actions"] = self._actions
        if comments:
            self.deal["comments"] = comments

    def _by_player(self, told: dict[int, list[Item]]) -> None:
        """Take from each line in turn, as the engine says whose it is."""
        left = {seat: [*reversed(items)] for seat, items in told.items() if items}
        while left:
            kinds = {seat: self.reader.kind(items[-1].act) for seat, items in left.items()}
            seat = self._owing(left, kinds, self._whose(left, kinds))
            self._add(seat, left[seat].pop())
            if not left[seat]:
                del left[seat]

    def _whose(self, left: dict[int, list[Item]], kinds: dict[int, str]) -> int:
        """The seat whose line goes on: whose turn it is, else who does no more than say."""
        first = min((items[-1] for items in left.values()), key=lambda one: one.word[1:3])
        due = self._due(first)
        if due in left:
            return due
        if due is None and [len(items) for items in left.values()] == [1]:
            return next(iter(left))  # the card of an announcement that ends the deal
        loose = [seat for seat, kind in kinds.items() if kind != "play"]
        if loose and len({kinds[seat] for seat in loose}) == 1:
            return min(loose, key=lambda seat: (seat - (due or 0)) % len(self.players))
        if due is None:
            self._stop(first, OVER)
        self._stop(first, NO_MORE, self.names[due])

    def _owing(self, left: dict[int, list[Item]], kinds: dict[int, str], seat: int) -> int:
        """Whose act the rules want before that of `seat`, else `seat`; asked where both may be."""

        def why(seat: int) -> set[str]:  # what would be against the rules if this were done now
            found = self.recorder.why(f"{seat + 1} {left[seat][-1].act}")
            return {one.code for one in found if one.severity != NOTE}

        turn = [one % len(self.players) for one in range(seat + 1, seat + len(self.players))]
        loose = [one for one in turn if kinds.get(one, "play") != "play"]
        owed = self.table.game.acts.OWED
        faults = why(seat) if loose else set()
        for other in loose:
            if kinds[other] in {owed[code] for code in faults & {*owed}}:
                return other
            if kinds[other] != kinds[seat] and not why(other):
                self._stop(left[other][-1], IN_ORDER)
        return seat

    def _add(self, seat: int, item: Item) -> None:
        """One more act; what cannot be is asked with what the engine says of it."""
        action = f"{seat + 1} {item.act}"
        try:
            self.said = self.recorder.act(action)
        except Refused as refused:
            word, finding = item.word, refused.findings[0]
            self.questions.append(Question(word.line, word.column, word.text, "", finding=finding))
            raise _Asked from refused
        self._actions.append(action)

    def _due(self, item: Item) -> int | None:
        """The seat whose turn it is before an act; None: the deal is over."""
        may = {int(action.split(" ")[0]) for action in self.said.legal}
        if len(may) == 1:
            return may.pop() - 1  # who has to decide may be another than whose turn it is
        if self.said.turn is not None:
            return self.said.turn - 1  # also of who may still answer a chouine
        if not self.said.over:
            self._stop(item, WHOSE)
        return None

    def _stop(self, item: Item, text: str, *could: str) -> NoReturn:
        self._ask(item.word.line, item.word.column, item.word.text, text, *could)
        raise _Asked

    def _ask(self, line: int, column: int, read: str, text: str, *could: str) -> None:
        self.questions.append(Question(line, column, read, text, could))
