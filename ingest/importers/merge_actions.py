"""Puts the acts of a deal's notes into playing order: the engine knows whose turn it is."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from ingest.findings.finding import ERROR, NOTE
from ingest.i18n import N_
from ingest.importers.import_result import Question
from ingest.importers.notes_lines import NoteLine
from ingest.importers.tokenizer import Token, TokenReader
from ingest.recorder import InvalidMatchError, Recorder

OVER = N_("The deal is over before “{read}”. Who does it? Write the name before it.")
WHOSE = N_("Whose turn is it at “{read}”? Write the name before it.")
NO_MORE = N_("It is {could}’s turn before “{read}”, and that line has no more.")
IN_ORDER = N_("When was “{read}”? Write the actions there on one line, in order.")


class NoteItem(NamedTuple):
    """An act with its seat, if a name was written, and its position."""

    seat: int | None
    act: str
    word: Token
    is_repeated: bool = False  # by all who have yet to do it


def may_follow(log: Mapping[str, Any], dealt: Mapping[str, Any], actions: Sequence[str]) -> bool:
    """Whether actions may follow one another in a deal if passes between them are missing."""
    recorder = Recorder.of({**log, "deals": []})

    def takes(action: str) -> bool:
        with suppress(InvalidMatchError):
            if not any(one.severity == ERROR for one in recorder.act(action).findings):
                return True
            recorder.undo()  # the rules refuse it, whatever the hidden cards are
        return False

    try:
        recorder.deal(**dealt)
    except InvalidMatchError:
        return False
    for action in actions:
        while recorder.state.turn != int(action.split(" ")[0]) or not takes(action):
            if recorder.state.turn is None or not takes(f"{recorder.state.turn} pass"):
                return False
    return True


class _QuestionRaised(Exception):
    """Stops a deal: a question was added whose answer the rest depends on."""


class ActionOrder:
    """The acts of one deal in playing order, up to one that is unclear."""

    def __init__(
        self, reader: TokenReader, log: Mapping[str, Any], names: Sequence[str], questions: list[Question]
    ) -> None:
        """`questions`: to it is added one about the act that is unclear."""
        self.reader, self.log, self.names, self.questions = reader, log, names, questions
        self.setup, self.players = reader.setup, log["players"]
        self.actions: list[str] = []
        self.recorded: set[Token] = set()  # the words of acts
        self._is_clear = True

    def begin(self, dealt: Mapping[str, Any], first: NoteLine) -> None:
        """Deal, with the facts before the first act; `first`: the deal's first line."""
        try:
            self.recorder = Recorder.of({**self.log, "deals": []})
            self.step_result = self.recorder.deal(**dealt)
        except InvalidMatchError as error:
            self.questions.append(Question(first.number, 1, "", "", finding=error.findings[0]))
            self._is_clear = False

    def add(self, block: list[NoteItem] | dict[int, list[NoteItem]]) -> None:
        """Add acts in order (list), or a line per player (dict)."""
        try:
            if self._is_clear:
                self._order_block(block)
        except _QuestionRaised:
            self._is_clear = False

    def _order_block(self, block: list[NoteItem] | dict[int, list[NoteItem]]) -> None:
        if isinstance(block, dict):
            self._merge_player_lines(block)
            return
        for item in block:
            if item.is_repeated:
                self.recorded.add(item.word)
            for _ in self.players if item.is_repeated else (1,):
                seat = self._seat_to_act(item) if item.seat is None else item.seat
                if seat is None:
                    self._ask_and_stop(item, OVER)
                if item.is_repeated and f"{seat + 1} {item.act}" not in self.step_result.legal:
                    break
                self._add_action(seat, item)
                if self.step_result.over:
                    break

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
            found = self.recorder.check(f"{seat + 1} {left[seat][-1].act}")
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
        except InvalidMatchError as error:
            word, finding = item.word, error.findings[0]
            self.questions.append(Question(word.line, word.column, word.text, "", finding=finding))
            raise _QuestionRaised from error
        self.actions.append(action)
        self.recorded.add(item.word)

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
        word = item.word
        self.questions.append(Question(word.line, word.column, word.text, text, could))
        raise _QuestionRaised
