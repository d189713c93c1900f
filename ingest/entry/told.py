"""The lines of one deal in notes → a deal of a log."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from ingest.entry import note_lines
from ingest.entry.next_opener import Openers
from ingest.entry.note_lines import Line
from ingest.entry.people import called, named
from ingest.entry.question import Question, asked
from ingest.entry.recorder import Recorder, Refused
from ingest.entry.words import HIDDEN, MOST, Reader, Word, spelt, words_in
from ingest.finding.finding import NOTE
from ingest.games import of
from ingest.i18n import N_
from ingest.mend.near import folded, mistyped
from schemas.log import deal_model

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
DECLARED = ("points", "winner", "void", "manche")
"""What is said of a deal once it was played."""
_NUMBER = re.compile(r"-?\d+")


class Item(NamedTuple):
    """An act as read: whose where a name was written, and where."""

    seat: int | None
    act: str
    word: Word


class Telling:
    """One deal being read."""

    def __init__(self, reader: Reader, log: dict[str, Any], questions: list[Question]) -> None:
        self.reader, self.log, self.questions = reader, log, questions
        self.table, self.players = reader.table, log["players"]
        self.game, self.model = reader.game, deal_model(reader.game)
        self.deal: dict[str, Any] = {}
        self.blocks: list[list[Item] | dict[int, list[Item]]] = []
        """What was done in order, or a player at a time."""
        self.remarks: list[tuple[int, str]] = []
        """By how many blocks were there before."""
        self._actions: list[str] = []

    def read(self, lines: Sequence[Line]) -> dict[str, Any] | None:
        """The deal; empty of a heading alone; None: there are questions, and it cannot be read."""
        before = len(self.questions)
        self.line = lines[0].number
        for line in lines:
            self._line(line)
        if not (self.deal or self.blocks or self.remarks):
            return {}
        if len(self.questions) > before or not self._opened(lines[0]):
            return None
        self._play()
        return None if len(self.questions) > before else self._written()

    # lines

    def _line(self, line: Line) -> None:
        label = line.label
        if line.remark:
            self._remark(line.body.lstrip(note_lines.REMARK).strip())
        elif not label and (found := note_lines.DEALS.fullmatch(folded(line.body))):
            self._set(line, "dealer", self._who(line, line.body[: found.end("who")]))
        elif note_lines.HEADING.fullmatch(label or folded(line.body)):
            if label and line.body:
                self._line(line._replace(label="", text=line.body))
        elif not label:
            self._acts(line)
        elif label in note_lines.DEAL:
            self._about(line, note_lines.DEAL[label])
        elif label in of(self.game).CARD_LINES:
            cards = self._cards(line)
            for key, told in of(self.game).CARD_LINES[label](self.table, cards).items():
                self._set(line, key, told)
        elif found := note_lines.HAND.fullmatch(label):
            self._hand(line, found["a"] or found["b"] or found["c"])
        elif (seat := named(label, self.players)) is not None:
            self._of(seat, line)
        else:
            self._unknown(line)

    def _remark(self, text: str) -> None:
        """Keep a remark where it stands, between two lines told in order too."""
        if self.blocks and isinstance(self.blocks[-1], list) and self.blocks[-1]:
            self.blocks.append([])
        last = bool(self.blocks) and self.blocks[-1] == []
        self.remarks.append((len(self.blocks) - last, text))

    def _unknown(self, line: Line) -> None:
        name = line.text.split(":")[0].strip()
        known = [*note_lines.DEAL, *of(self.game).CARD_LINES]
        near = [one for one in known if mistyped(line.label, one)]
        near += [self._name(seat) for seat in self._seats if mistyped(line.label, self._name(seat))]
        if near:
            self.questions.append(asked(line.number, line.start, name, (), tuple(near), ""))
        else:
            self._ask(line.number, line.start, name, NO_PLAYER, *map(self._name, self._seats))

    def _of(self, seat: int, line: Line) -> None:
        """A player's line: what this one did, in order."""
        if not self.blocks or isinstance(self.blocks[-1], list):
            self.blocks.append({})
        block = self.blocks[-1]
        assert isinstance(block, dict)
        items = list(self._items(line, False))
        block.setdefault(seat, []).extend(items)

    def _acts(self, line: Line) -> None:
        """What was done in this order, by whom where a name stands before it."""
        if not self.blocks or isinstance(self.blocks[-1], dict):
            self.blocks.append([])
        block = self.blocks[-1]
        assert isinstance(block, list)
        block += self._items(line, True)

    def _about(self, line: Line, key: str) -> None:
        """A line that tells a key of the deal."""
        if key not in self.model.model_fields:
            self._ask(line.number, line.start, line.label, NOT_ITS_DEAL)
        elif key in ("dealer", "leader"):
            self._set(line, key, self._who(line, line.body))
        elif key == "winner":
            nobody = folded(line.body.strip()) in note_lines.NOBODY
            self._set(line, key, 0 if nobody else self._side(line))
        elif key == "void":
            self._set(line, key, self._one_of(line, note_lines.VOID))
        elif key == "manche":
            self._set(line, key, self._number(line))
        else:
            self._each(line, key, int if key == "points" else str)

    def _set(self, line: Line, key: str, value: Any) -> None:
        if key in self.deal:
            self._ask(line.number, line.start, line.text.strip(), TWICE)
        elif value is not None:
            self.deal[key] = value

    def _who(self, line: Line, text: str) -> int | None:
        """The seat, from 1, of who is named."""
        seat = named(text, self.players)
        if seat is None:
            self._nobody(line, text)
            return None
        return seat + 1

    def _nobody(self, line: Line, text: str) -> None:
        self._ask(line.number, line.column, text.strip(), NO_PLAYER, *map(self._name, self._seats))

    def _side(self, line: Line) -> int | None:
        """The seat or, where partners play, the side that is named, by one of it."""
        seat = self._who(line, line.body)
        return None if seat is None else (seat - 1) % self.sides + 1

    def _one_of(self, line: Line, known: Any) -> str | None:
        said: str | None = known.get(folded(line.body.strip().rstrip(".")))
        if said is None:
            self.questions.append(
                asked(line.number, line.column, line.body, (), tuple(dict.fromkeys(known)), "")
            )
        return said

    def _number(self, line: Line) -> int | None:
        if _NUMBER.fullmatch(line.body.strip()):
            return int(line.body)
        self.questions.append(asked(line.number, line.column, line.body, (), (), ""))
        return None

    def _each(self, line: Line, key: str, kind: Callable[[str], Any]) -> None:
        """One value a seat or side: in their order, or each behind a name."""
        count = self.sides if key == "points" else len(self.players)
        told: dict[int, str] = {}
        seat: int | None = None
        for word in _words(line):
            who = None if _NUMBER.fullmatch(word.text) else called(word.text, self.players)
            if who is not None:
                seat = who % count
            else:
                told[len(told) if seat is None else seat] = word.text
                seat = None
        good = [*range(count)] == sorted(told) and (
            kind is str or all(_NUMBER.fullmatch(one) for one in told.values())
        )
        if good:
            self._set(line, key, [kind(told[one]) for one in range(count)])
        else:
            names = (" + ".join(map(self._name, self._seats[one::count])) for one in range(count))
            self._ask(line.number, line.column, line.body, NOT_EACH, ", ".join(names))

    def _hand(self, line: Line, who: str) -> None:
        seat = self._who(line, who)
        cards = self._cards(line)
        if seat is None:
            return
        hands = self.deal.setdefault("hands", ["??"] * len(self.players))
        if hands[seat - 1] != "??":
            self._ask(line.number, line.start, line.text.strip(), TWICE)
        hands[seat - 1] = " ".join(cards)

    # words

    def _cards(self, line: Line) -> list[str]:
        return [word for word, _ in self._read(_words(line), self.reader.cards)]

    def _items(self, line: Line, names_in: bool) -> Iterator[Item]:
        """The acts of a line; `names_in`: a name may stand before each."""
        words = _words(line)
        place = 0
        while place < len(words):
            seat, size = self._named_at(words, place) if names_in else (None, 0)
            place += size
            if place == len(words):
                self._ask(line.number, words[-1].column, words[-1].text, NOT_DONE)
                return
            act, used = self._spelt(words, place, self.reader.acts)
            if act is not None:
                yield Item(seat, act, words[place])
            place += used

    def _read(
        self, words: list[Word], read: Callable[[str], tuple[str, ...]]
    ) -> Iterator[tuple[str, Word]]:
        place = 0
        while place < len(words):
            found, used = self._spelt(words, place, read)
            if found is not None:
                yield found, words[place]
            place += used

    def _named_at(self, words: list[Word], place: int) -> tuple[int | None, int]:
        """Whose name begins at a word, and how many words it has."""
        for size in range(min(MOST, len(words) - place), 0, -1):
            text = " ".join(word.text for word in words[place : place + size])
            if (seat := called(text, self.players)) is not None:
                return seat, size
        return None, 0

    def _spelt(
        self, words: list[Word], place: int, read: Callable[[str], tuple[str, ...]]
    ) -> tuple[str | None, int]:
        """What the most words from a place on mean together, and how many; a question: nothing."""
        word = words[place]
        if word.text in HIDDEN and not read(word.text):
            self._ask(word.line, word.column, word.text, UNTOLD_PLAY)
            return None, 1
        found = spelt(words, place, read, self.reader.near)
        if len(found.meant) == 1:
            return found.meant[0], found.used
        self.questions.append(
            asked(word.line, word.column, found.text, found.meant, found.near, self.game)
        )
        return None, found.used

    # play

    def _opened(self, line: Line) -> bool:
        """Who deals or leads, as told or as the match has it; a question where nothing says."""
        opens = self.model.OPENS
        if opens in self.deal:
            return True
        seat = Openers(self.log).next() if self.log["deals"] else None
        if seat is not None:
            self.deal[opens] = seat
            return True
        text, key = (WHO_OPENS, "Donneur") if opens == "dealer" else (WHO_LEADS, "Entame")
        self._ask(line.number, 1, "", text, f"{key} : {self._name(0)}")
        return False

    def _play(self) -> None:
        """Put the acts of all blocks in order."""
        head = {key: value for key, value in self.log.items() if key != "deals"}
        comments = []
        try:
            dealt = {key: told for key, told in self.deal.items() if key not in DECLARED}
            self.recorder = Recorder.of({**head, "deals": []})
            self.said = self.recorder.deal(**dealt)
            for place, block in enumerate([*self.blocks, []]):
                comments += [
                    {"after": len(self._actions), "text": text}
                    for at, text in self.remarks
                    if at == place and text
                ]
                if isinstance(block, list):
                    self._in_order(block)
                else:
                    self._by_player(block)
        except _Asked:
            return
        except Refused as refused:
            self.questions.append(Question(self.line, 1, "", "", finding=refused.findings[0]))
            return
        if self._actions:
            self.deal["actions"] = self._actions
        if comments:
            self.deal["comments"] = comments

    def _in_order(self, items: list[Item]) -> None:
        for item in items:
            seat = item.seat
            if seat is None:
                seat = self._due(item)
                if seat is None:
                    self._stop(item, OVER)
            self._add(seat, item)

    def _by_player(self, told: dict[int, list[Item]]) -> None:
        """Take from each line in turn, as the engine says whose it is."""
        left = {seat: [*reversed(items)] for seat, items in told.items() if items}
        while left:
            seat = self._owing(left, self._whose(left))
            self._add(seat, left[seat].pop())
            if not left[seat]:
                del left[seat]

    def _whose(self, left: dict[int, list[Item]]) -> int:
        """The seat whose line goes on: whose turn it is, else the one who does no more than say."""
        first = min((items[-1] for items in left.values()), key=lambda one: one.word[1:3])
        due = self._due(first)
        if due in left:
            return due
        if due is None and [len(items) for items in left.values()] == [1]:
            return next(iter(left))  # the card of an announcement that ends the deal
        loose = [seat for seat in left if self._kind(left, seat) != "play"]
        if loose and len({self._kind(left, seat) for seat in loose}) == 1:
            return min(loose, key=lambda seat: (seat - (due or 0)) % len(self.players))
        if due is None:
            self._stop(first, OVER)
        self._stop(first, NO_MORE, self._name(due))

    def _kind(self, left: dict[int, list[Item]], seat: int) -> str:
        """The kind of act that is next in a line."""
        return self.reader.kind(left[seat][-1].act)

    def _owing(self, left: dict[int, list[Item]], seat: int) -> int:
        """The seat whose act the rules ask for before that of `seat`; itself where they do not.

        A question where an act of somebody else may be done now just as well.
        """
        turn = [one % len(self.players) for one in range(seat + 1, seat + len(self.players))]
        loose = [one for one in turn if one in left and self._kind(left, one) != "play"]
        if not loose:
            return seat
        owed = self.table.game.acts.OWED
        faults = self._why(seat, left[seat][-1].act)
        for other in loose:
            kind, item = self._kind(left, other), left[other][-1]
            if kind in {owed[code] for code in faults & {*owed}}:
                return other
            if kind != self._kind(left, seat) and not self._why(other, item.act):
                self._stop(item, IN_ORDER)
        return seat

    def _why(self, seat: int, act: str) -> set[str]:
        """The codes of what would be against the rules if somebody did this now."""
        found = self.recorder.why(f"{seat + 1} {act}")
        return {one.code for one in found if one.severity != NOTE}

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

    def _written(self) -> dict[str, Any]:
        """The deal with its keys in the order in which people read them."""
        order = ("dealer", "leader", "hands", "talon", "bids", "actions")
        keys = sorted(self.deal, key=lambda key: (*order, key).index(key))
        return {key: self.deal[key] for key in keys}

    # people

    @property
    def sides(self) -> int:
        """How many points a deal has."""
        return self.table.game.sides(len(self.players))

    @property
    def _seats(self) -> range:
        return range(len(self.players))

    def _name(self, seat: int) -> str:
        return str(self.players[seat].get("name") or self.players[seat]["id"])

    def _ask(self, line: int, column: int, read: str, text: str, *could: str) -> None:
        self.questions.append(Question(line, column, read, text, could))


class _Asked(Exception):
    """There is a question, and what follows hangs on its answer."""


def _words(line: Line) -> list[Word]:
    return [*words_in(line.body, line.number, line.column)]
