"""Reads rows of a sheet as matches, results and deals; asks about each unclear cell."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers import tokenizer
from ingest.importers.cells import cell_address, cell_text, whole_number
from ingest.importers.deal_notes import NO_PLAYER
from ingest.importers.headings import (
    COMMENT,
    DEALER,
    EVENT_KEYS,
    LOSER,
    PLAYERS,
    POINT_SIDES,
    POINTS,
    RESULT,
    SIDE_WORDS,
    TOGETHER,
    WINNER,
    normalized,
)
from ingest.importers.import_result import AMBIGUOUS_TEXT, AnswerKind, Question, ambiguity_question
from ingest.importers.notes_lines import OTHER_WEEKDAY
from ingest.importers.notes_words import DRAWN_WORDS, NOBODY_WORDS, TRUMP_WORDS, VOID_WORDS
from ingest.importers.player_rows import ask_once, read_names
from ingest.importers.result_rows import (
    BEFORE_SIDE,
    NOT_THE_WINNERS,
    SIDES,
    WINNER_HAS_MOST,
    sides_headed,
    winner_by_word,
    with_no_result,
)
from ingest.importers.rules_text import find_rules
from ingest.importers.score_line_results import (
    MADE_COLUMN,
    is_passed_out,
    outcome_of,
    possible_ends,
    result_of_card_points,
)
from ingest.importers.sheet_dates import (
    DAY_OR_MONTH_FIRST,
    DAY_OR_YEAR_FIRST,
    NO_YEAR,
    DateReader,
    day_made_of,
    typed_before,
)
from ingest.importers.sheet_players import NO_NAME, no_names
from ingest.importers.source_map import SourcePart
from ingest.importers.tables import PlacedCell
from ingest.recorder import OpenerTracker
from schemas.match_models import deal_model
from schemas.models import FORMAT

WHO_OPENS = N_("Who deals first? Write the name here, in a column “Dealer”, or above as “Dealer: {could}”.")
WHO_LEADS = N_("Who leads first? Write the name here, in a column “Leader”, or above as “Leader: {could}”.")
WHO_OPENS_HERE = N_("Who deals here? The earlier deals do not show it.")
WHO_LEADS_HERE = N_("Who leads here? The earlier deals do not show it.")
IS_A_DATE = N_(
    "“{read}” is a date. Did the spreadsheet make it of {could}? Make the cell text, and type it again."
)
NOT_A_NUMBER = N_("“{read}” is not an integer.")
NOT_EACH = N_("A number is missing next to “{read}”: write all of them or none.")
NOT_THAT = N_("“{read}” does not belong in this column.")
TRUMP = N_("Remove “{read}”: an announcement does not name the trump suit.")
NO_SUIT = N_("“{read}” has no suit: write {could} here, or the suit in a column “Suit”.")
SUIT_UNREAD = N_("“{read}” has no suit. The column “{could}” has suits: choose “Suit” for it.")
MISSING = N_("This cell is empty, and the others of its line need it.")
IS_DRAWN = N_("“{read}” is the same for both, and the line names a winner. Correct one, or choose {could}.")
DRAWN_WORD = "égalité"
NO_RESULT = N_("The line has no result: write the points, or the winner.")
NO_SUCH_TOTAL = N_("No deal of this line makes “{read}”. Possible: {could}.")
TOO_MANY = N_("A match has more than {read} deals: add a column that separates the matches.")
ANSWERED_BY_CHOICE = (
    *(IS_A_DATE, NOT_THE_WINNERS, IS_DRAWN, OTHER_WEEKDAY, DAY_OR_MONTH_FIRST, DAY_OR_YEAR_FIRST),
)
"""Questions of which one of the texts they propose belongs in the cell."""
MAX_DEALS, MAX_TOTALS = 500, 4  # of a match; totals in a question
NONE_WORDS = ("-", "–", "—", "0", "aucune", "aucun", "none", "non", "no")
"""Cell texts that mean an empty list."""
SCORE_SEPARATOR = re.compile(r"\s*(?:[-–—/:]|\bà\b|\bto\b)\s*")  # between the numbers of `3 – 1`
DEALER_MARK = re.compile(r"\s*\(d\)\s*$", re.IGNORECASE)


class SheetRow(NamedTuple):
    """A row's cells by column; empty match cells are filled from above."""

    number: int  # from 0
    sheet: str  # its name if there are several, else empty
    column_order: Mapping[str, int]  # column key → index
    cells: Mapping[str, PlacedCell]
    headings: Sequence[tuple[str, str]] = ()
    """Key and heading of the columns that hold one number for all sides."""
    named: Mapping[int, str] = {}
    """Index of each column → its heading."""
    unclear_pairs: frozenset[str] = frozenset()
    """Texts of the players' columns that may be a pair or one player: « Jean-Paul »."""
    suits: Mapping[str, str] = {}
    """Key of a column that a suit completes → heading of a column of suits that is not read, or empty."""

    def text(self, key: str) -> str:
        """Return a cell's text, empty if there is none."""
        return cell_text(self.cells[key].cell) if key in self.cells else ""

    @property
    def source_part(self) -> SourcePart:
        cells = {key: cell_address(one.row, one.column) for key, one in self.cells.items()}
        return SourcePart(str(self.number + 1), cells, self.sheet)

    def question_at(
        self, key: str, text: str, *could: str, read: str | None = None, about: AnswerKind = "cell"
    ) -> Question:
        placed = self.cells.get(key) or PlacedCell("", self.number, self.column_order.get(key, 0))
        return Question(
            placed.row + 1,
            placed.column + 1,
            self.text(key) if read is None else read,
            text,
            could,
            cell=cell_address(placed.row, placed.column),
            sheet=self.sheet,
            heading=self.named.get(placed.column, "") if {key} & {*self.cells, *self.column_order} else "",
            answers=could if text in ANSWERED_BY_CHOICE else (),
            about=about,
        )


def read_match(
    rows: Sequence[SheetRow],
    game: str,
    dates: DateReader,
    questions: list[Question],
    needs_opener: bool = True,
) -> dict[str, Any] | None:
    """Read the match of some rows; None, with questions added, if a cell is unclear.

    `needs_opener`: whether to ask who opens the first deal.
    """
    before, first = len(questions), rows[0]
    head = read_head(first, game, dates, questions)
    if head is None:
        return None
    if len(rows) > MAX_DEALS:
        questions.append(first.question_at("id", TOO_MANY, read=str(MAX_DEALS)))
        return None
    reader = _token_reader(rows, head, questions)
    if reader is None:
        return None
    log: dict[str, Any] = {**head, "deals": []}
    openers, unknown_opener, is_clear = OpenerTracker(log), False, True
    for row in rows:
        deal_reader = DealRowReader(row, reader, log, openers, questions, needs_opener and not unknown_opener)
        deal = deal_reader.read()
        unknown_opener = unknown_opener or (deal_reader.opener is None and not deal_reader.has_no_dealer)
        is_clear = is_clear and not deal_reader.is_unclear and len(questions) == before
        if is_clear and not unknown_opener:
            log["deals"].append(deal)
    return log if is_clear and not unknown_opener else None


def read_result(
    row: SheetRow, game: str, dates: DateReader, questions: list[Question]
) -> dict[str, Any] | None:
    """Read a row as a match of which only the result is recorded; None, with questions added."""
    before = len(questions)
    head = read_head(row, game, dates, questions)
    reader = None if head is None else _token_reader([row], head, questions)
    if head is None or reader is None:
        return None
    log = {**head, "deals": []}
    line = DealRowReader(row, reader, log, OpenerTracker(log), questions)
    keys = {name.split(" ")[0] for name in row.cells}
    key = next((one for one in (RESULT.key, POINTS.key) if one in keys), "")
    by_word = winner_by_word(row.text(key)) if line.sides == SIDES and not row.text(WINNER.key) else None
    score = line.read_numbers(key, line.sides) if key and by_word is None else None
    is_draw = score and len({*score}) == 1 and normalized(row.text(WINNER.key)) in DRAWN_WORDS
    winner = None if is_draw else line.read_winner() if by_word is None else by_word
    if score and winner and max(score) > score[winner - 1]:
        turned = "-".join(map(str, reversed(score)))
        of_winner = row.question_at(f"{key} {winner}", WINNER_HAS_MOST)
        questions.append(row.question_at(key, NOT_THE_WINNERS, turned) if row.text(key) else of_winner)
    if score and winner and len({*score}) == 1:
        questions.append(row.question_at(WINNER.key, IS_DRAWN, DRAWN_WORD, read=f"{score[0]}-{score[1]}"))
    if len(questions) == before and score is None and winner is None and not line.is_unclear:
        line.ask_for_missing(key or "winner", NO_RESULT)
    if len(questions) > before or line.is_unclear:
        if not any(whole_number(row.text(name)) is not None for name in row.cells if name.startswith(key)):
            questions[before:] = [with_no_result(one, NOT_A_NUMBER) for one in questions[before:]]
        return None
    if remark := row.text(COMMENT.key):
        log["event"] = {**log.get("event", {}), COMMENT.key: remark}
    found = {"score": score, "winner": winner}
    log["result"] = {name: value for name, value in found.items() if value is not None}
    return log


def _token_reader(
    rows: Sequence[SheetRow], head: Mapping[str, Any], questions: list[Question]
) -> tokenizer.TokenReader | None:
    reader = tokenizer.make_reader(head, (row.text(key) for row in rows for key in row.cells))
    if not isinstance(reader, list):
        return reader
    finding = reader[0]
    key = finding.path.split("/")[1] if finding.path else "game"
    questions.append(replace(rows[0].question_at(key, "", read=""), finding=finding))
    return None


def read_head(
    row: SheetRow, game: str, dates: DateReader, questions: list[Question]
) -> dict[str, Any] | None:
    """Read the keys of a row's match; None, with a question added, if a cell is unclear."""
    head: dict[str, Any] = {"format": FORMAT, "game": game}
    for key in ("rules", "id", "deck"):
        if result := row.text(key):
            head[key] = find_rules(result, game) or result.lower() if key == "rules" else result
    if result := row.text("played_at"):
        cell = row.cells["played_at"].cell
        when = dates.read(cell)
        if (unclear := dates.question(cell)) is not None:
            text, could = unclear
            about: AnswerKind = "year" if text == NO_YEAR else "cell"
            if about == "cell" or all(one.about != about for one in questions):
                questions.append(row.question_at("played_at", text, *could, about=about))
            return None
        head["played_at"] = when
    if event := {key: result for key in EVENT_KEYS if (result := row.text(key))}:
        head["event"] = event
    names = read_names(row, game, questions)
    unnamed = [row.question_at(key, NO_NAME, read=name) for key, name in no_names(row.cells, names or ())]
    questions += unnamed[:1]
    if names is None or unnamed:
        return None
    return {**head, "players": [tokenizer.parse_player(one) for one in names]}


@dataclass(slots=True)
class DealRowReader:
    """Reads a row as a deal; the `ScoreLineReader` of its game."""

    row: SheetRow
    reader: tokenizer.TokenReader
    log: dict[str, Any]
    opener_tracker: OpenerTracker
    questions: list[Question]
    needs_opener: bool = True
    opener: int | None = None
    has_no_dealer: bool = False
    """Whether the sheet records no dealer, and the deal needs none."""
    is_unclear: bool = False
    """Whether a cell is unclear that another row's question is about too."""

    @property
    def players(self) -> int:
        return len(self.log["players"])

    @property
    def sides(self) -> int:
        return self.reader.setup.game.side_count(self.players)

    @property
    def _names(self) -> list[str]:
        return [tokenizer.player_name(one) for one in self.log["players"]]

    def read(self) -> dict[str, Any]:
        """Read the row as a deal; a question is added for each unclear cell."""
        game = self.reader.setup.game
        opens, before = deal_model(game.name).OPENS, len(self.questions)
        seat = self.read_seat(opens)
        void = self.read_choice("void", VOID_WORDS)
        if seat is None and not self.row.text(opens):
            seat = self.opener_tracker.next_opener()
            records_none = opens == DEALER.key and not void and not self._may_mark_opener(opens)
            self.has_no_dealer = seat is None and records_none
            if seat is None and self.needs_opener and not self.has_no_dealer:
                self._ask_opener(opens)
        self.opener = seat
        if self._is_passed_out():
            end = {} if seat is None else {"score_line": {"end": f"{seat} pass"}}
            dealt = {} if seat is None else {opens: seat}
            return {**dealt, "points": [0] * self.sides, **end}
        manche = self.read_number("manche")
        fields = game_support(game.name).read_score_line(self)
        self._read_end(fields)
        deal: dict[str, Any] = {opens: seat, "manche": manche, "void": void}
        remarks, winner = [self.row.text("remark")], None
        if self._needs_totals():
            if len(self.questions) == before and (seat is not None or self.has_no_dealer):
                line = {opens: seat, "score_line": fields}
                deal["points"], winner = self._possible_points(line)
            if deal.get("points") is None:
                remarks += [
                    f"{name} {text}" for key, name in self.row.headings if (text := self.row.text(key))
                ]
        else:
            deal["points"] = self.read_numbers(POINTS.key, self.sides)
        deal["winner"] = self.read_winner() if self.row.text(WINNER.key) or winner is None else winner
        line = {opens: seat, "score_line": fields}
        if "contract" not in fields and (who := self.row.text("declarer")):
            head = self.row.named.get(self.row.column_order.get("declarer", -1), "")
            remarks.append(f"{head} {who}".strip())
        own = result_of_card_points(self.reader.setup, line, deal["points"] or ()) if fields else None
        if own is not None:
            if "points" not in own:
                remarks.append(" – ".join(map(str, deal["points"])))
            deal |= {"points": None, **own}
        deal = {key: value for key, value in deal.items() if value is not None}
        if fields:
            deal["score_line"] = fields
        if remark := ", ".join(filter(None, remarks)):
            deal["comments"] = [{"after": 0, "text": remark}]
        return deal

    def _is_passed_out(self) -> bool:
        """Return whether the line is a deal in which all passed, of a game with contracts."""
        own = {one.key for one in game_support(self.reader.setup.game.name).SHEET_COLUMNS}
        keys = {*own, POINTS.key, WINNER.key}
        texts = {key: self.row.text(key) for key in self.row.cells if key.split(" ")[0] in keys}
        named = [tokenizer.seat_of_name(text, self.log["players"]) for text in texts.values()]
        is_free = all(seat is None for seat in named)  # no player is called so
        return "contract" in own and is_free and is_passed_out(texts.values(), NONE_WORDS)

    def _may_mark_opener(self, opens: str) -> bool:
        """Return whether a column may have who opens, or a “(D)” behind a name."""
        names = [self.row.text(f"{PLAYERS.key} {seat + 1}") for seat in range(self.players)]
        return opens in self.row.column_order or any(map(DEALER_MARK.search, names))

    def _ask_opener(self, opens: str) -> None:
        first, deals = not self.log["deals"], opens == "dealer"
        if first:
            self._ask(opens, WHO_OPENS if deals else WHO_LEADS, self._names[0])
        else:
            self._ask(opens, WHO_OPENS_HERE if deals else WHO_LEADS_HERE)

    def _read_end(self, fields: dict[str, Any]) -> None:
        words = [word.text for word in tokenizer.tokens_in(self._plain_text("end"))]
        for size in range(len(words), 0, -1):  # `Lucie resigns`
            who = tokenizer.seat_of_name(" ".join(words[:size]), self.log["players"])
            meant = self.reader.acts_meant(" ".join(words[size:])) if who is not None else ()
            if who is not None and len(meant) == 1:
                fields["end"] = f"{who + 1} {meant[0]}"
                return
        if words:
            self._ask("end", NOT_THAT)

    def read_numbers(self, key: str, count: int) -> list[int] | None:
        """Read a number per side, each in a column or all in one cell; None if there are none."""
        if text := self.row.text(key):
            if not self._plain_text(key):
                return None
            numbers = [one for part in SCORE_SEPARATOR.split(text) if (one := whole_number(part)) is not None]
            if len(numbers) == count == len(SCORE_SEPARATOR.split(text)):
                return numbers
            self._ask(key, NOT_EACH if whole_number(text) is not None else NOT_A_NUMBER)
            return None
        each = [self.read_number(key, side) for side in range(count)]
        given = [one for one in each if one is not None]
        if len(given) == count:
            return given
        if given and not self.row.text(empty := f"{key} {each.index(None) + 1}"):
            other = next(side for side, one in enumerate(each) if one is not None)
            self._ask(empty, NOT_EACH, read=self.row.text(f"{key} {other + 1}"))
        return None

    def read_winner(self) -> int | None:
        """Read the side that won, from 1; 0 if no side did, None if the cell is empty or unclear."""
        loser = None if self.row.text(WINNER.key) else self._read_side(LOSER.key)
        return 3 - loser if loser and self.sides == 2 else self._read_side(WINNER.key)

    def _read_side(self, key: str) -> int | None:
        text = self._plain_text(key)
        if not text:
            return None
        if fold_case_and_accents(text) in (*NOBODY_WORDS, *DRAWN_WORDS):
            return 0
        if text in map(str, range(1, self.sides + 1)):
            return self.read_seat(key, self.sides)
        if headed := sides_headed(text, self._headings_of_sides()):
            return self._side_headed(key, text, headed)
        if (side := self._side_named(text)) is not None:
            return side
        side = self.read_seat(key)
        return None if side is None else (side - 1) % self.sides + 1

    def _headings_of_sides(self) -> list[list[str]]:
        """Return the headings of each side's columns."""
        columns = [[f"{one.key} {side + 1}" for one in TOGETHER] for side in range(self.sides)]
        order, named = self.row.column_order, self.row.named
        return [[named[order[key]] for key in own if order.get(key) in named] for own in columns]

    def _side_headed(self, key: str, text: str, headed: set[int]) -> int | None:
        """Return the one side of `headed`; a question is added if a player of another side is named so."""
        players = self.log["players"]
        seat = tokenizer.seat_of_name(text, players)
        own = headed if seat is None else headed | {seat % self.sides + 1}
        if len(own) == 1:
            return own.pop()
        self._ask(key, AMBIGUOUS_TEXT, *(" + ".join(self._names[side - 1 :: self.sides]) for side in own))
        return None

    def _side_named(self, text: str) -> int | None:
        """Return the side, from 1, that a text names otherwise than by one player."""
        if (names := tokenizer.split_names(text, self.players // self.sides)) and len(names) > 1:
            seats = [tokenizer.seat_of_name(name, self.log["players"]) for name in names]
            sides = {None if seat is None else seat % self.sides for seat in seats}
            side = sides.pop()
            return None if sides or side is None else side + 1
        if self.sides == len(POINT_SIDES):
            points = (side for side, words in enumerate(POINT_SIDES, 1) if normalized(text) in words)
            if (point := next(points, None)) is not None:
                return point
        before, _, word = normalized(text).rpartition(" ")
        if before and before not in BEFORE_SIDE:  # « forfait A »
            return None
        known = [
            {"abcd"[side], *SIDE_WORDS[side]} if side < len(SIDE_WORDS) else set()
            for side in range(self.sides)
        ]
        if any(fold_case_and_accents(name).startswith(word) for name in self._names):
            return None
        return next((side for side, words in enumerate(known, 1) if word in words), None)

    def _needs_totals(self) -> bool:
        """Return whether the row has less than the points of each side, but something of them."""
        facts = game_support(self.reader.setup.game.name).TOTALS_COLUMNS
        single = whole_number(self.row.text(POINTS.key)) is not None
        none = not any(self.row.text(f"{POINTS.key} {side + 1}") for side in range(self.sides))
        return none and (single or any(self.row.text(key) for key in facts))

    def _possible_points(self, deal: dict[str, Any]) -> tuple[list[int] | None, int | None]:
        """Return the points that the row must have, else its winner by `fait` or `chute`; or ask."""
        setup, support = self.reader.setup, game_support(self.reader.setup.game.name)
        keys = [key for key in (POINTS.key, *support.TOTALS_COLUMNS) if self.row.text(key)]
        ends = possible_ends(setup, deal, self.read_number(MADE_COLUMN))
        was_made = outcome_of(self.row.text(MADE_COLUMN))
        if was_made is not None:
            ends = [(points, end) for points, end in ends if (end["made"] > 0) == was_made]
        every = [points for points, _ in ends]
        mark = whole_number(self.row.text(POINTS.key))
        fits = [
            points
            for points, end in ends
            if (mark is None or mark in points) and support.is_end_of_row(self, end)
        ]
        totals = list(dict.fromkeys(fits))
        if every and not totals:
            near = sorted(every, key=lambda one: min(abs(part - (mark or 0)) for part in one))
            could = list(dict.fromkeys(" – ".join(map(str, one)) for one in near))
            self._ask(keys[0], NO_SUCH_TOTAL, *could[:MAX_TOTALS])
        if len(totals) == 1:
            return [*totals[0]], None
        winners = {one.index(max(one)) + 1 for one in totals if was_made is not None}
        return None, winners.pop() if len(winners) == 1 else None

    def read_acts(self, key: str, *kinds: str, seat: int = 0) -> list[str] | None:
        """Read a cell's acts of some kinds as format words; None if the cell is empty."""
        key = self._column_key(key, seat)
        text = self._plain_text(key)
        if not text:
            return None
        if fold_case_and_accents(text) in NONE_WORDS:
            return []
        found, words, place = list[str](), [*tokenizer.tokens_in(text)], 0
        while place < len(words):
            one = self.reader.interpret(words, place, self.reader.acts_meant)
            bare = fold_case_and_accents(one.text).replace("’", "'").strip("()[]. ")
            if len(one.meanings) == 1 and self.reader.act_kind(one.meanings[0]) in kinds:
                found.append(one.meanings[0])
            elif len(one.meanings) == 1:
                self._ask(key, NOT_THAT, read=words[place].text)
            elif whole_number(one.text) is not None and self.row.suits.get(key):
                self.ask_once(key, SUIT_UNREAD, self.row.suits[key])
            elif whole_number(one.text) is not None and key in self.row.suits:
                self._ask(key, NO_SUIT, f"{one.text} ♥", read=one.text)
            elif "announce" in kinds and bare.removeprefix("d'") in TRUMP_WORDS:
                self._ask(key, TRUMP, read=one.text)
            else:
                at = self.row.question_at(key, "", read=one.text)
                question = ambiguity_question(at.line, at.column, one, self.reader.game, at.cell)
                self.questions.append(replace(question, sheet=at.sheet, heading=at.heading))
            place += one.word_count
        return found

    def read_text(self, key: str, seat: int = 0) -> str:
        return self._plain_text(self._column_key(key, seat))

    def read_number(self, key: str, seat: int = 0) -> int | None:
        key = self._column_key(key, seat)
        text = self._plain_text(key)
        number = whole_number(text)
        if text and number is None and not (key == MADE_COLUMN and outcome_of(text) is not None):
            self._ask(key, NOT_A_NUMBER)
        return number

    def read_seat(self, key: str, side_count: int = 0) -> int | None:
        """Read a seat, or a side of `side_count`, from 1; None if it is empty or unclear."""
        text, players = self._plain_text(key), self.log["players"]
        side_count = side_count or len(players)
        if not text:
            return None
        if text in map(str, range(1, side_count + 1)):
            seat = tokenizer.seat_of_name(text, players)
            if seat is None or seat % side_count + 1 == int(text):
                return int(text)
            # the number is also another player's id or name
            whole = " + ".join(self._names[int(text) - 1 :: side_count])
            self._ask(key, AMBIGUOUS_TEXT, self._names[seat], whole)
            return None
        if (seat := tokenizer.seat_of_name(text, players, allow_prefix=True)) is not None:
            return seat + 1
        short = fold_case_and_accents(text).rstrip(".")
        near = [name for name in self._names if fold_case_and_accents(name).startswith(short)]
        could = near if len(near) > 1 else self._names
        question = AMBIGUOUS_TEXT if len(near) > 1 else NO_PLAYER
        ask_once(self.questions, self.row.question_at(key, question, *could, about="name"))
        self.is_unclear = True
        return None

    def read_choice(self, key: str, choices: Mapping[str, Any]) -> Any:
        """Return the value of a cell's word among `choices`; None if it is empty or unknown."""
        text = self._plain_text(key)
        found = choices.get(fold_case_and_accents(text)) if text else None
        if text and found is None:
            self._ask(key, NOT_THAT)
        return found

    def ask_for_missing(self, key: str, text: str = MISSING) -> None:
        """Ask for the value of an empty cell; not of one with a question."""
        if not self.row.text(key) or text != MISSING:
            self._ask(key, text)

    def ask_once(self, key: str, text: str, *could: str) -> None:
        """Ask about a cell, once in a sheet."""
        if all((one.sheet, one.text) != (self.row.sheet, text) for one in self.questions):
            self._ask(key, text, *could)
        self.is_unclear = True

    def _plain_text(self, key: str) -> str:
        """Return a cell's text; empty, with a question added, if the spreadsheet made it a date."""
        text = self.row.text(key)
        if not text:
            return ""
        if (day := day_made_of(self.row.cells[key].cell)) is None:
            return text
        cards = self.reader.setup.bid_cards
        question = self.row.question_at(key, IS_A_DATE, *typed_before(day, cards.names if cards else ()))
        if question not in self.questions:
            self.questions.append(question)
        return ""

    def _column_key(self, key: str, seat: int) -> str:
        each = f"{key} {seat + 1}"
        plain = {*self.row.column_order, *self.row.cells}  # a suit of its own column is a contract
        return each if each in self.row.column_order or key not in plain else key

    def _ask(self, key: str, text: str, *could: str, read: str | None = None) -> None:
        self.questions.append(self.row.question_at(key, text, *could, read=read))
