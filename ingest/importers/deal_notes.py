"""Parses the lines of one deal in notes."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from ingest.autofix.misspellings import fold_case_and_accents, is_typo_of
from ingest.findings.finding import NOTE
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers.headings import DEAL_LABELS
from ingest.importers.import_result import DID_YOU_MEAN_TEXT, UNKNOWN, Question, ambiguity_question
from ingest.importers.tokenizer import (
    HIDDEN_WORDS,
    MAX_WORDS_TOGETHER,
    Token,
    TokenReader,
    player_name,
    seat_of_name,
    tokens_in,
)
from ingest.recorder import OpenerTracker, Recorder, Refused
from schemas.match_models import deal_model

WHO_OPENS = N_("Who deals? Write it in a line, as in: {could}.")
WHO_LEADS = N_("Who leads? Write it in a line, as in: {could}.")
TWICE = N_("“{read}” was said of this deal already.")
NOT_ITS_DEAL = N_("“{read}” is not said of a deal of this game.")
NO_PLAYER = N_("“{read}” is none of the players: {could}.")
NOT_EACH = N_("“{read}” is not one for each of: {could}.")
NOT_DONE = N_("“{read}” does nothing here: a card or an action of theirs should follow.")
UNKNOWN_CARD_PLAYED = N_("“{read}”: a card that was played has to be known.")
OVER = N_("The deal is over before “{read}”. Who does it? Write the name before it.")
WHOSE = N_("It cannot be said whose turn it is at “{read}”: write the name before it.")
NO_MORE = N_("It is {could}’s turn before “{read}”, and that line has no more.")
IN_ORDER = N_("In which order was “{read}” done? Write what was said there in one line, in order.")
DECLARED_KEYS = ("points", "winner", "void", "manche")  # recorded after the play
KEY_ORDER = ("dealer", "leader", "hands", "talon", "bids", "actions")  # order in the log

# French and English words of notes
VOID_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("maldonne", "fausse donne", "misdeal"), "maldonne"),
    **dict.fromkeys(("rejouee", "a rejouer", "replayed", "replay"), "replay"),
    **dict.fromkeys(("abandonnee", "interrompue", "abandoned"), "abandoned"),
}
NOBODY_WORDS = ("personne", "nobody", "nulle", "drawn", "0")
HAND_PATTERN = re.compile(r"(?:main d(?:e |'))(?P<a>.+)|hand of (?P<b>.+)|(?P<c>.+?)'s hand")
HEADING_PATTERN = re.compile(r"(?:donne|deal|partie|manche)\s+(?:n[°o]?\s*)?\d+\s*[.:]?")
"""`Donne 3` above a deal: only for readers."""
COMMENT_MARK = "#"
_DEALER_PATTERN = re.compile(r"(?P<who>.+?)\s+(?:donne|distribue|deals)\.?")
# numbers before lines of play: `1.`, `Pli 1 :`
_TRICK_PATTERN = re.compile(r"\s*(?:(?:pli|trick)\s+)?\d+\s*[.):]\s*", re.IGNORECASE)
_LABEL_PATTERN = re.compile(r"\s*(?P<label>[^:]{1,60}?)\s*:\s*(?P<body>.*)")
_NUMBER_PATTERN = re.compile(r"-?\d+")


class NoteLine(NamedTuple):
    """A line of notes; its number, and the column where `body` starts, count from 1."""

    number: int
    column: int
    label: str  # case and accents folded; empty if there is none
    body: str
    text: str  # the whole line, unchanged

    @property
    def is_comment(self) -> bool:
        """Whether the line is a comment."""
        return self.text.lstrip().startswith(COMMENT_MARK)

    @property
    def first_column(self) -> int:
        """The column of the first character, from 1."""
        return len(self.text) - len(self.text.lstrip()) + 1


def parse_line(number: int, raw: str) -> NoteLine:
    """Split a non-empty line into label and body."""
    plain = NoteLine(number, 1, "", raw.strip(), raw)
    if not plain.is_comment and (trick := _TRICK_PATTERN.match(raw)):
        return NoteLine(number, trick.end() + 1, "", raw[trick.end() :], raw)
    if not plain.is_comment and (found := _LABEL_PATTERN.fullmatch(raw)):
        label = " ".join(fold_case_and_accents(found["label"]).replace("’", "'").split())
        return NoteLine(number, found.start("body") + 1, label, found["body"], raw)
    return plain._replace(column=plain.first_column)


class NoteItem(NamedTuple):
    """An act with its seat, if a name was written, and its position."""

    seat: int | None
    act: str
    word: Token


class _QuestionAsked(Exception):
    """Stops a deal: a question was added whose answer the rest depends on."""


class DealNotesParser:
    """Parses the lines of one deal."""

    def __init__(self, reader: TokenReader, log: dict[str, Any], questions: list[Question]) -> None:
        self.reader, self.log, self.questions = reader, log, questions
        self.setup, self.players = reader.setup, log["players"]
        self.game, self.model = reader.game, deal_model(reader.game)
        self.names = [player_name(one) for one in self.players]
        self.sides = self.setup.game.side_count(len(self.players))  # each side has points
        self.deal: dict[str, Any] = {}
        self.blocks: list[list[NoteItem] | dict[int, list[NoteItem]]] = []
        """Actions in order (list), or a line per player (dict)."""
        self.comments: list[tuple[int, str]] = []  # number of blocks before, and text
        self._actions: list[str] = []

    def parse(self, lines: Sequence[NoteLine]) -> dict[str, Any] | None:
        """Parse a deal; empty for a heading alone; None, with questions added, if it is unclear."""
        before = len(self.questions)
        for line in lines:
            self._parse_line(line)
        if not (self.deal or self.blocks or self.comments):
            return {}
        opens, log = self.model.OPENS, self.log
        if len(self.questions) == before and opens not in self.deal:
            seat = OpenerTracker(log).next_opener() if log["deals"] else None
            self.deal[opens] = seat
            if seat is None:
                deals = opens == "dealer"
                text, key = (WHO_OPENS, "Donneur") if deals else (WHO_LEADS, "Entame")
                self._ask(lines[0].number, 1, "", text, f"{key} : {self.names[0]}")
        if len(self.questions) == before:
            self._order_actions(lines[0])
        if len(self.questions) > before:
            return None
        keys = sorted(self.deal, key=lambda key: (*KEY_ORDER, key).index(key))
        return {key: self.deal[key] for key in keys}

    def _parse_line(self, line: NoteLine) -> None:
        label, cards = line.label, game_support(self.game).CARD_LINE_READERS
        if line.is_comment:  # keeps its position among the actions
            if self.blocks and isinstance(self.blocks[-1], list) and self.blocks[-1]:
                self.blocks.append([])
            last = bool(self.blocks) and self.blocks[-1] == []
            self.comments.append((len(self.blocks) - last, line.body.lstrip(COMMENT_MARK).strip()))
        elif not label and (found := _DEALER_PATTERN.fullmatch(fold_case_and_accents(line.body))):
            self._set_key(line, "dealer", self._seat_named(line, line.body[: found.end("who")]))
        elif HEADING_PATTERN.fullmatch(label or fold_case_and_accents(line.body)):
            if label and line.body:
                self._parse_line(line._replace(label="", text=line.body))
        elif not label:  # actions in order, with optional names
            if not self.blocks or isinstance(self.blocks[-1], dict):
                self.blocks.append([])
            block: Any = self.blocks[-1]
            block += self._parse_items(line, self.reader.acts_meant, True)
        elif label in DEAL_LABELS:
            self._parse_fact(line, DEAL_LABELS[label])
        elif label in cards:
            items = [item.act for item in self._parse_items(line, self.reader.cards_meant)]
            for key, value in cards[label](self.setup, items).items():
                self._set_key(line, key, value)
        elif found := HAND_PATTERN.fullmatch(label):
            seat = self._seat_named(line, found["a"] or found["b"] or found["c"])
            hand = " ".join(item.act for item in self._parse_items(line, self.reader.cards_meant))
            if seat is not None:
                hands = self.deal.setdefault("hands", ["??"] * len(self.players))
                if hands[seat - 1] != "??":
                    self._ask(line.number, line.first_column, line.text.strip(), TWICE)
                hands[seat - 1] = hand
        elif (seat := seat_of_name(label, self.players, allow_prefix=True)) is not None:
            if not self.blocks or isinstance(self.blocks[-1], list):
                self.blocks.append({})
            block = self.blocks[-1]
            block.setdefault(seat, []).extend(self._parse_items(line, self.reader.acts_meant))
        else:
            name = line.text.split(":")[0].strip()
            near = [one for one in (*DEAL_LABELS, *cards, *self.names) if is_typo_of(label, one)]
            why = (DID_YOU_MEAN_TEXT, *near) if near else (NO_PLAYER, *self.names)
            self._ask(line.number, line.first_column, name, *why)

    def _parse_fact(self, line: NoteLine, key: str) -> None:
        result = fold_case_and_accents(line.body.strip())
        value: Any = None
        if key not in self.model.model_fields:
            self._ask(line.number, line.first_column, line.label, NOT_ITS_DEAL)
            return
        if key in ("dealer", "leader"):
            value = self._seat_named(line, line.body)
        elif key == "winner" and result in NOBODY_WORDS:
            value = 0
        elif key == "winner":  # in partnerships either player names the side
            seat = self._seat_named(line, line.body)
            value = None if seat is None else (seat - 1) % self.sides + 1
        elif key == "void":
            value = VOID_WORDS.get(result.rstrip("."))
            if value is None:
                self._ask(line.number, line.column, line.body, DID_YOU_MEAN_TEXT, *VOID_WORDS)
        elif key == "manche" and _NUMBER_PATTERN.fullmatch(line.body.strip()):
            value = int(line.body)
        elif key == "manche":
            self._ask(line.number, line.column, line.body, UNKNOWN)
        else:  # a value per seat or side, in order or after names
            count = self.sides if key == "points" else len(self.players)
            fields: dict[int, str] = {}
            seat = None
            for word in tokens_in(line.body):
                who = None if _NUMBER_PATTERN.fullmatch(word.text) else seat_of_name(word.text, self.players)
                if who is not None:
                    seat = who % count
                else:
                    fields[len(fields) if seat is None else seat] = word.text
                    seat = None
            whole = [*range(count)] == sorted(fields)
            if whole and (key != "points" or all(map(_NUMBER_PATTERN.fullmatch, fields.values()))):
                each = [fields[one] for one in range(count)]
                value = [*map(int, each)] if key == "points" else each
            else:
                names = (" + ".join(self.names[one::count]) for one in range(count))
                self._ask(line.number, line.column, line.body, NOT_EACH, ", ".join(names))
                return
        self._set_key(line, key, value)

    def _set_key(self, line: NoteLine, key: str, value: Any) -> None:
        if key in self.deal:
            self._ask(line.number, line.first_column, line.text.strip(), TWICE)
        elif value is not None:
            self.deal[key] = value

    def _seat_named(self, line: NoteLine, text: str) -> int | None:
        """Return the seat, from 1, of a named player; None, with a question added, if unknown."""
        seat = seat_of_name(text, self.players, allow_prefix=True)
        if seat is None:
            self._ask(line.number, line.column, text.strip(), NO_PLAYER, *self.names)
        return None if seat is None else seat + 1

    def _parse_items(
        self, line: NoteLine, read: Callable[[str], tuple[str, ...]], names_in: bool = False
    ) -> Iterator[NoteItem]:
        """Parse the acts or cards of a line; `names_in`: names may precede them."""
        words = [*tokens_in(line.body, line.number, line.column)]
        place = 0
        while place < len(words):
            seat = None
            for size in range(min(MAX_WORDS_TOGETHER, len(words) - place), 0, -1) if names_in else ():
                text = " ".join(word.text for word in words[place : place + size])
                if (seat := seat_of_name(text, self.players)) is not None:
                    place += size
                    break
            if place == len(words):
                self._ask(line.number, words[-1].column, words[-1].text, NOT_DONE)
                return
            word = words[place]
            if word.text in HIDDEN_WORDS and not read(word.text):
                self._ask(word.line, word.column, word.text, UNKNOWN_CARD_PLAYED)
                place += 1
                continue
            found = self.reader.interpret(words, place, read)
            place += found.word_count
            if len(found.meanings) == 1:
                yield NoteItem(seat, found.meanings[0], word)
            else:
                self.questions.append(ambiguity_question(word.line, word.column, found, self.game))

    def _order_actions(self, first: NoteLine) -> None:
        """Merge the acts of all blocks into `actions`, in playing order."""
        comments = []
        try:
            dealt = {key: result for key, result in self.deal.items() if key not in DECLARED_KEYS}
            self.recorder = Recorder.of({**self.log, "deals": []})
            self.step_result = self.recorder.deal(**dealt)
            for place, block in enumerate([*self.blocks, []]):
                texts = [text for at, text in self.comments if at == place and text]
                comments += [{"after": len(self._actions), "text": text} for text in texts]
                if isinstance(block, dict):
                    self._merge_player_lines(block)
                    continue
                for item in block:
                    seat = self._seat_to_act(item) if item.seat is None else item.seat
                    if seat is None:
                        self._ask_and_stop(item, OVER)
                    self._add_action(seat, item)
        except _QuestionAsked:
            return
        except Refused as refused:
            self.questions.append(Question(first.number, 1, "", "", finding=refused.findings[0]))
            return
        if self._actions:
            self.deal["actions"] = self._actions
        if comments:
            self.deal["comments"] = comments

    def _merge_player_lines(self, lines_by_seat: dict[int, list[NoteItem]]) -> None:
        """Merge the lines of a block, with the engine determining whose turn it is."""
        left = {seat: [*reversed(items)] for seat, items in lines_by_seat.items() if items}
        while left:
            kinds = {seat: self.reader.act_kind(items[-1].act) for seat, items in left.items()}
            seat = self._seat_owing_action(left, kinds, self._next_seat(left, kinds))
            self._add_action(seat, left[seat].pop())
            if not left[seat]:
                del left[seat]

    def _next_seat(self, left: dict[int, list[NoteItem]], kinds: dict[int, str]) -> int:
        """Return the seat whose line continues: the one to act, else one with a declaration."""
        first = min((items[-1] for items in left.values()), key=lambda one: one.word[1:3])
        due = self._seat_to_act(first)
        if due in left:
            return due
        if due is None and [len(items) for items in left.values()] == [1]:
            return next(iter(left))  # the card after an announcement that ended the deal
        loose = [seat for seat, kind in kinds.items() if kind != "play"]
        if loose and len({kinds[seat] for seat in loose}) == 1:
            return min(loose, key=lambda seat: (seat - (due or 0)) % len(self.players))
        if due is None:
            self._ask_and_stop(first, OVER)
        self._ask_and_stop(first, NO_MORE, self.names[due])

    def _seat_owing_action(self, left: dict[int, list[NoteItem]], kinds: dict[int, str], seat: int) -> int:
        """Return the seat whose act must precede that of `seat`, else `seat`; ask if unclear."""

        def why(seat: int) -> set[str]:  # codes of faults the act would cause now
            found = self.recorder.why(f"{seat + 1} {left[seat][-1].act}")
            return {one.code for one in found if one.severity != NOTE}

        turn = [one % len(self.players) for one in range(seat + 1, seat + len(self.players))]
        loose = [one for one in turn if kinds.get(one, "play") != "play"]
        owed = self.setup.game.acts.REQUIRED_KINDS
        faults = why(seat) if loose else set()
        for other in loose:
            if kinds[other] in {owed[code] for code in faults & {*owed}}:
                return other
            if kinds[other] != kinds[seat] and not why(other):
                self._ask_and_stop(left[other][-1], IN_ORDER)
        return seat

    def _add_action(self, seat: int, item: NoteItem) -> None:
        """Record an act; an impossible one adds a question with the engine's finding."""
        action = f"{seat + 1} {item.act}"
        try:
            self.step_result = self.recorder.act(action)
        except Refused as refused:
            word, finding = item.word, refused.findings[0]
            self.questions.append(Question(word.line, word.column, word.text, "", finding=finding))
            raise _QuestionAsked from refused
        self._actions.append(action)

    def _seat_to_act(self, item: NoteItem) -> int | None:
        """Return the seat to act before `item`; None if the deal is over."""
        may = {int(action.split(" ")[0]) for action in self.step_result.legal}
        if len(may) == 1:
            return may.pop() - 1  # the seat to decide may differ from `turn`
        if self.step_result.turn is not None:
            return self.step_result.turn - 1  # also the seat that may still answer a chouine
        if not self.step_result.over:
            self._ask_and_stop(item, WHOSE)
        return None

    def _ask_and_stop(self, item: NoteItem, text: str, *could: str) -> NoReturn:
        self._ask(item.word.line, item.word.column, item.word.text, text, *could)
        raise _QuestionAsked

    def _ask(self, line: int, column: int, found: str, text: str, *could: str) -> None:
        self.questions.append(Question(line, column, found, text, could))
