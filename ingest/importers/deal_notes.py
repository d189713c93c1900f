"""Parses the lines of one deal in notes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.cards import HIDDEN_WORD, SYMBOLS
from ingest.autofix.card_words import fold_case_and_accents, is_typo_of
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers import notes_words
from ingest.importers.headings import DEAL_LABELS
from ingest.importers.import_result import DID_YOU_MEAN_TEXT, UNKNOWN, Question
from ingest.importers.merge_actions import ActionOrder, NoteItem, may_follow
from ingest.importers.notes_lines import COMMENT_MARK, NoteLine, is_heading
from ingest.importers.notes_words import Role, roles_of, with_suit_raised, with_suit_taken
from ingest.importers.result_rows import may_be_deal, result_of_match
from ingest.importers.score_line_results import MADE_COLUMN, result_of_card_points, result_of_made
from ingest.importers.spoken_notes import NO_POINT_WORDS, NOT_DONE, SentenceReader
from ingest.importers.spoken_numbers import with_digits
from ingest.importers.spoken_score import Sentence, contradicts
from ingest.importers.tokenizer import (
    MAX_SUGGESTIONS,
    Token,
    TokenReader,
    player_name,
    seat_of_name,
    words_in,
)
from ingest.recorder import OpenerTracker
from schemas.games import schemas_of
from schemas.match_models import deal_model

WHO_OPENS = N_("Who deals? Write it in a line, as in: {could}.")
WHO_LEADS = N_("Who leads? Write it in a line, as in: {could}.")
ALREADY_NOTED = N_("“{read}” is already noted for this deal.")
NOT_ITS_DEAL = N_("“{read}” does not apply to a deal of this game.")
NO_PLAYER = N_("“{read}” is not a player of this match. Is it {could}?")
NO_POINTS = N_("“{read}”: no deal ends with such points. Write the points of each deal.")
IS_IT_THE_MATCH = N_("No deal ends with “{read}”. Is it the match’s result? Then write: {could}.")
NOT_EACH = N_("“{read}” is not one for each of: {could}.")
DECLARED_KEYS = ("points", "winner", "void", "manche")  # recorded after the play
KEY_ORDER = ("dealer", "leader", "deck", "hands", "talon", "bids", "actions")  # order in the log

HAND_PATTERN = re.compile(r"(?:main d(?:e |'))(?P<a>.+)|hand of (?P<b>.+)|(?P<c>.+?)'s hand")
MOST_DEALS_WON = 15  # larger numbers are points
WRONG_TURN = "wrong-turn"
_PAIR_PATTERN = re.compile(r"(?<=[^\W\d_])/(?=[^\W\d_])")
_POINTS_PATTERN = re.compile(r"\b([neosw])/([neosw])\b", re.IGNORECASE)
_SCORE_PATTERN = re.compile(r"(\d)\s*[-/–—]\s*(\d)")
_NUMBER_PATTERN = re.compile(r"-?\d+")


class DealNotesParser:
    """Parses the lines of one deal.

    An unclear act ends the recorded play; who dealt, hands, points and the winner are
    read all the same.
    """

    def __init__(
        self,
        reader: TokenReader,
        log: dict[str, Any],
        questions: list[Question],
        openers: OpenerTracker | None,
        teams: Mapping[str, int],
        questions_before: int = 0,
        points: Mapping[str, int] = NO_POINT_WORDS,
    ) -> None:
        self.questions_before = questions_before  # questions before this match
        self.reader, self.log, self.questions, self.openers = reader, log, questions, openers
        self.setup, self.players = reader.setup, log["players"]
        self.game, self.model = reader.game, deal_model(reader.game)
        self.names = [player_name(one) for one in self.players]
        self.sides = self.setup.game.side_count(len(self.players))  # each side has points
        self.sentences = SentenceReader(reader, self.players, teams, points)
        self.deal: dict[str, Any] = {}
        self.blocks: list[list[NoteItem] | dict[int, list[NoteItem]]] = []
        """Actions in order (list), or a line per player (dict)."""
        self.comments: list[tuple[int, NoteLine, str]] = []  # number of blocks before, line, and text
        self.result: dict[str, Any] | None = None  # of the match
        self.left: list[NoteLine] = []  # lines of the next deal
        self._points: dict[int, int] = {}  # named one by one
        # points by a seat's side, or the declarer's
        self._made: tuple[NoteLine, int | None, int] | None = None
        self._turned_up: NoteLine | None = None
        self._points_line: NoteLine | None = None
        self._actions: list[str] = []
        self.unread: list[NoteLine] = []
        """Lines that were not read, or not to their end; those of a deal are comments of it too."""
        self._items: list[NoteItem] = []
        self._recorded: set[Token] = set()  # the words of acts
        self._remarks: list[tuple[int, NoteLine, str]] = []  # number of actions before, line, and text
        self._late: set[NoteLine] = set()  # lines with acts after missing ones
        self._has_gap = False  # later acts are not recorded: some before them are missing

    @property
    def has_outcome(self) -> bool:
        """Whether it is known how the deal ended."""
        return any(key in self.deal for key in ("points", "winner", "void"))

    @property
    def outcome(self) -> dict[str, Any]:
        """The deal as far as who opens the next one depends on it: only its result, if acts are missing."""
        result = {key: self.deal[key] for key in (self.model.OPENS, *DECLARED_KEYS) if key in self.deal}
        return result if self._has_gap and self.has_outcome else self.deal

    def parse(self, lines: Sequence[NoteLine]) -> dict[str, Any] | None:
        """Parse a deal; empty for only a heading; None, with questions added, if nothing is known."""
        before = len(self.questions)
        for place, line in enumerate(lines):
            if place and self._begins_next_deal(line):
                self.left = [*lines[place:]]
                break
            self._parse_line(line)
        self._take_result_of_match()
        opens = self.model.OPENS
        is_empty = not (self.deal.keys() - ({opens} if self.result else ()) or self.blocks or self.comments)
        if is_empty and len(self.questions) == before:
            return {}
        if opens not in self.deal:
            self.deal[opens] = self.openers and self.openers.log["deals"] and self.openers.next_opener()
        if not self.deal[opens]:
            if len(self.questions) == self.questions_before:  # else the answers may show who opens
                points: dict[str, Any] = {
                    key: self.deal[key] for key in ("points", "winner") if key in self.deal
                }
                if self._points_line is None or not self._ask_for_match(self._points_line, points):
                    self._ask_opener(next((line for line in lines if not line.is_comment), lines[0]))
            self.unread = [*lines[: len(lines) - len(self.left)]]
            return None
        self._note_nothing_of_declarers(lines)
        unordered = len(self.questions)
        self._order_actions(lines[0])
        is_open = unordered > before or self._waits_for_team(lines)
        if self._has_contract(self.questions[unordered:], is_open=is_open):
            del self.questions[unordered:]
        self._move_auction_to_score_line()
        if self._points and "points" not in self.deal:
            self._ask_each(self._points_line or lines[0])
        self._check_points()
        self._add_comments(lines, before)
        keys = sorted(self.deal, key=lambda key: (*KEY_ORDER, key).index(key))
        return {key: self.deal[key] for key in keys}

    def _add_comments(self, lines: Sequence[NoteLine], before: int) -> None:
        """Add remarks, and lines that a question is about or whose acts are not recorded, in their order."""
        places = {(one.line, one.column) for one in self.questions[before:] if one.read}
        places |= {one.word[1:3] for one in self._items if one.word not in self._recorded}
        self.unread = [
            line for line in lines if line in self._late or any(line.holds(*place) for place in places)
        ]
        most = len(self._actions)  # none, if they became a line of a score sheet
        found = [(min(after, most), line, text) for after, line, text in self._remarks]
        found += [(most, line, line.text) for line in self.unread if line not in [one for _, one, _ in found]]
        found.sort(key=lambda one: (one[0], one[1].number, one[1].first_column))
        if found:
            self.deal["comments"] = [{"after": after, "text": text} for after, _, text in found]

    def _ask_opener(self, first: NoteLine) -> None:
        deals = self.model.OPENS == "dealer"
        text, key = (WHO_OPENS, "Donneur") if deals else (WHO_LEADS, "Entame")
        lines = tuple(f"{key} : {name}" for name in self.names)
        self.questions.append(
            Question(first.number, 1, "", text, lines[:1], answers=lines, new_line=first.number)
        )

    def _begins_next_deal(self, line: NoteLine) -> bool:
        """Whether a line of the same paragraph is about the next deal: this one has its outcome."""
        label = line.label or fold_case_and_accents(line.body)
        if is_heading(label, self.players) and (self.deal.keys() - {self.model.OPENS} or self.blocks):
            return True
        if line.is_comment:
            return False
        if not line.label and not self._goes_on_with_auction(line):
            return True
        if not self.has_outcome:
            return False
        if DEAL_LABELS.get(line.label) in self.deal:
            return DEAL_LABELS[line.label] in ("dealer", "leader", "points")
        if line.label:
            return False
        pieces = self._read(line).pieces
        acts = {self.reader.act_kind(one.value) for one in pieces if one.kind == "act"}
        if self.blocks and "bid" in acts:  # the next contract
            return True
        kinds = {one.kind for one in pieces}
        return bool(kinds & {self.model.OPENS, "points", "winner"} & self.deal.keys())

    def _goes_on_with_auction(self, line: NoteLine) -> bool:
        """Whether the bids of a line may follow those so far, if passes are missing, for any dealer."""
        before = [(one.seat, one.act) for one in self._items]
        if {self.reader.act_kind(act) for _, act in before} != {"bid"}:
            return True
        acts = [(one.seat, one.value) for one in self._read(line).pieces if one.kind == "act"]
        bids = [one for one in acts if self.reader.act_kind(one[1]) == "bid"]
        if not bids or None in {seat for seat, _ in (*before, *bids)}:
            return True
        actions = [f"{seat + 1} {act}" for seat, act in (*before, *bids) if seat is not None]
        seats = range(1, len(self.players) + 1)
        return any(may_follow(self.log, {self.model.OPENS: seat}, actions) for seat in seats)

    def _read(self, line: NoteLine) -> Sentence:
        return self.sentences.read(self._words(line.body, line.number, line.column))

    def _words(self, text: str, number: int, column: int) -> list[Token]:
        """Return the words of a text, with the suit for `atout` and after « prend », if it is known."""
        text = _POINTS_PATTERN.sub(r"\1-\2", text)  # « N/S 230 »
        text = _PAIR_PATTERN.sub(" ", text)  # « Lucie/Odile 230 »
        words = [*words_in(with_digits(text), number, column)]
        if (taken := game_support(self.game).taken_suit(self.deal)) is not None:
            words = with_suit_taken(words, SYMBOLS[taken])
        acts = [item.act for block in self.blocks if isinstance(block, list) for item in block]
        self.sentences.played = acts
        words = with_suit_raised(words, lambda text: bool(self.reader.acts_meant(f"90 {text}")))
        if any(word.plain in notes_words.TRUMP_WORDS for word in words):
            suit = game_support(self.game).trump_of(self.setup, self.deal, acts)
            if suit is not None:
                before = ["", *(one.plain for one in words)]
                words = [
                    one._replace(text=SYMBOLS[suit])
                    if one.plain in notes_words.TRUMP_WORDS and front in ("d'", "de", "of")
                    else one
                    for one, front in zip(words, before, strict=False)
                ]
        return words

    def _read_label(self, line: NoteLine) -> Sentence:
        """Read a line with its label as the first words of the sentence."""
        text = line.text.replace(":", " ", 1)
        return self.sentences.read(self._words(text, line.number, line.first_column))

    def _parse_line(self, line: NoteLine) -> None:
        label, cards = line.label, game_support(self.game).CARD_LINE_READERS
        if line.is_comment:  # keeps its position among the actions
            self._comment(line, line.body.lstrip(COMMENT_MARK).strip())
        elif is_heading(label or fold_case_and_accents(line.body), self.players, whole=True):
            if label and line.body:
                self._parse_line(line._replace(label="", text=line.body))
        elif (label or fold_case_and_accents(line.body).rstrip(" .!")) in notes_words.VOID_WORDS:
            self._set_key(
                line, "void", notes_words.VOID_WORDS[label or fold_case_and_accents(line.body).rstrip(" .!")]
            )
            if label:
                self._comment(line)
        elif label in notes_words.SENTENCE_LABELS or not label:
            self._parse_sentence(line, self._read(line))
        elif label in notes_words.RESULT_LABELS:
            sentence = self._read(line)
            if sentence.pieces:
                self._parse_sentence(line, sentence)
            else:
                self._parse_fact(line, "points")
        elif label in notes_words.COMMENT_LABELS:
            self._comment(line, line.body)
        elif label in DEAL_LABELS:
            self._parse_fact(line, DEAL_LABELS[label])
        elif label in cards:
            self._turned_up = line
            for key, value in cards[label](self.setup, self._cards(line)).items():
                self._set_key(line, key, value)
        elif hand_of := HAND_PATTERN.fullmatch(label):
            seat = self._seat_named(line, hand_of["a"] or hand_of["b"] or hand_of["c"])
            hand = self._cards(line)
            if seat is not None:
                self._set_hand(line, seat - 1, hand)
        elif (seat := seat_of_name(label, self.players, allow_prefix=True)) is not None:
            with_label = self._read_label(line)
            if line.body.isdecimal() and not self.sentences.is_bid(line.body):
                self._set_points(line, seat, int(line.body))
            elif any(one.kind not in ("act", "acts") for one in with_label.pieces):
                self._parse_sentence(line, with_label)
            else:
                self._parse_player_line(line, seat, self._read(line))
        elif label in self.sentences.teams:
            self._parse_sentence(line, self._read_label(line))
        elif (with_label := self._read_label(line)).pieces and not with_label.questions:
            self._parse_sentence(line, with_label)  # « Lucie donne : Marcel passe »
        elif notes_words.POINT_SIDE_PATTERN.fullmatch(label):
            self._has_gap = True  # there is a question about the team
        else:
            near = [one for one in (*DEAL_LABELS, *cards, *self.names) if is_typo_of(label, one)]
            place, could = (line.number, line.first_column), tuple(near[:MAX_SUGGESTIONS] or self.names)
            text = DID_YOU_MEAN_TEXT if near else NO_PLAYER
            self.questions.append(Question(*place, line.written_label, text, could, answers=could))
            self._has_gap = True

    def _comment(self, line: NoteLine, text: str | None = None) -> None:
        if self.blocks and isinstance(self.blocks[-1], list) and self.blocks[-1]:
            self.blocks.append([])
        last = bool(self.blocks) and self.blocks[-1] == []
        self.comments.append((len(self.blocks) - last, line, line.text if text is None else text))

    def _parse_player_line(self, line: NoteLine, seat: int, sentence: Sentence) -> None:
        """Add the acts of a player; of lines that are not clear none is recorded."""
        if not self.blocks or isinstance(self.blocks[-1], list):
            self.blocks.append({})
        items: Any = self.blocks[-1]
        self.questions += sentence.questions
        for one in sentence.pieces:
            if one.seat not in (None, seat):
                self._ask(one.word.line, one.word.column, one.word.text, NOT_DONE)
        own = [NoteItem(None, one.value, one.word) for one in sentence.pieces]
        items.setdefault(seat, []).extend(own)
        self._items += own
        if sentence.has_gap or sentence.questions:
            self.blocks.pop()
            self._has_gap = True

    def _parse_sentence(self, line: NoteLine, sentence: Sentence) -> None:
        self.questions += sentence.questions
        end = min((one.column for one in sentence.questions), default=None)
        items, is_late = [], False
        for kind, seat, value, word in sentence.pieces:
            if kind in ("act", "acts"):
                is_late |= self._has_gap or (end is not None and word.column >= end)
                if not is_late:
                    items.append(NoteItem(seat, value, word, kind == "acts"))
            elif kind == "hand" and seat is not None:
                self._set_hand(line, seat, value)
            elif kind == "points" and seat is not None:
                if Role.MAKE in roles_of(word):
                    self._made = self._made or (line, seat, value)
                self._set_points(line, seat, value)
            elif kind == MADE_COLUMN:
                self._made = self._made or (line, None, value)
            elif kind == "match":
                self.result = value
            else:
                if kind == "points":
                    self._points_line = line
                elif kind == "deck":
                    self._turned_up = line
                self._set_key(line, kind, value)
        if items:
            if not self.blocks or isinstance(self.blocks[-1], dict):
                self.blocks.append([])
            block: Any = self.blocks[-1]
            block += items
            self._items += items
        self._has_gap |= sentence.has_gap or is_late
        if is_late:
            self._late.add(line)
        elif sentence.is_remark and not sentence.questions:
            self._comment(line)

    def _cards(self, line: NoteLine) -> list[str]:
        cards, questions = self.sentences.read_cards([*words_in(line.body, line.number, line.column)])
        self.questions += questions
        return [] if questions else cards

    def _set_points(self, line: NoteLine, seat: int, points: int) -> None:
        """Note the points of a player; they count once those of all are known."""
        self._points[seat % self.sides] = points
        self._points_line = self._points_line or line
        if len(self._points) == self.sides:
            self._set_key(line, "points", [self._points[side] for side in range(self.sides)])

    def _set_hand(self, line: NoteLine, seat: int, cards: list[str]) -> None:
        """Set a hand as dealt; cards that are not named are unknown."""
        size = schemas_of(self.game).row_layout(self.setup).hand_size
        if not cards or (self.blocks and not line.label):
            if cards:
                self._comment(line)  # a hand during play
            return
        hands = self.deal.setdefault("hands", [HIDDEN_WORD] * len(self.players))
        if hands[seat] != HIDDEN_WORD:
            self._ask(line.number, line.first_column, line.text, ALREADY_NOTED)
        hands[seat] = " ".join(cards if line.label else [*cards, *[HIDDEN_WORD] * (size - len(cards))])

    def _note_nothing_of_declarers(self, lines: Sequence[NoteLine]) -> None:
        """Note 0 for the side that failed if only the other side's points are written and a deal ends so."""
        points = [self._points.get(side, 0) for side in range(self.sides)]
        has_failed = any(notes_words.names_failure(line.text) for line in lines) and len(self._points) == 1
        if has_failed and "points" not in self.deal and may_be_deal(self.log, self.players, points):
            self.deal |= {"points": points, "winner": points.index(max(points)) + 1}

    def _take_result_of_match(self) -> None:
        """Take points that no deal ends with for the match's, if a match ends so."""
        if self._points_line is not None and "points" in self.deal:
            names_match = notes_words.names_match(self._points_line.text)
            if result := result_of_match(self.log, self.deal, is_named=names_match):
                self.result = result
                self.deal = {key: self.deal[key] for key in self.deal if key not in ("points", "winner")}

    def _ask_for_match(self, line: NoteLine, deal: Mapping[str, Any]) -> bool:
        """Ask whether points that no deal ends with are the match's; False if no match may end so."""
        points = deal.get("points")
        if points is None or may_be_deal(self.log, self.players, points):
            return False
        if result_of_match(self.log, deal, is_named=True) is None:
            return False
        low, high = sorted(points)
        winners = [deal["winner"] - 1] if deal.get("winner") else range(self.sides)
        sides = [self.names[side :: self.sides] for side in winners]
        verbs = [(" et ".join(names), "gagnent" if len(names) > 1 else "gagne") for names in sides]
        could = tuple(f"{names} {verb} la partie {high} à {low}" for names, verb in verbs)
        place = (line.number, line.first_column, line.text)
        self.questions.append(Question(*place, IS_IT_THE_MATCH, could, answers=could))
        return True

    def _check_points(self) -> None:
        """Ask about points that are rather deals won: « Lucie bat Marcel 3 à 1 »."""
        line, points = self._points_line, self.deal.get("points")
        if line is None or points is None or self._actions or max(points) > MOST_DEALS_WON:
            return
        if not may_be_deal(self.log, self.players, points):
            self._ask(line.number, line.first_column, line.text, NO_POINTS)
            for key in ("points", "winner"):
                self.deal.pop(key, None)

    def _waits_for_team(self, lines: Sequence[NoteLine]) -> bool:
        """Whether points wait for the answer who « nous » are."""
        words = [word for line in lines for word in words_in(line.text)]
        in_teams = self.sides < len(self.players)
        return in_teams and notes_words.names_team_not_in(self.sentences.teams, words)

    def _has_contract(self, questions: Sequence[Question], *, is_open: bool) -> bool:
        """Whether only turns are missing before the contract of a deal whose points are known.

        People write who took and the points, without the passes before. `is_open`: there is a question
        about what they wrote.
        """
        if not any(one.finding and one.finding.code == WRONG_TURN for one in questions):
            return False
        kinds = {self.reader.act_kind(one.act) for one in self._items}
        whole = all(one.seat is not None or one.is_repeated for one in self._items)
        if "play" in kinds or not whole:
            return False
        if "points" not in self.deal or self._has_gap:
            return is_open and "bid" in kinds
        self._actions = [f"{one.seat + 1} {one.act}" for one in self._items if one.seat is not None]
        self._recorded |= {one.word for one in self._items}
        return True

    def _move_auction_to_score_line(self) -> None:
        """Keep a deal without a card played as a line of a score sheet, if its outcome is known."""
        acts = [one.partition(" ")[2] for one in self._actions]
        is_played = any(self.reader.act_kind(one) == "play" for one in acts)
        found = None if is_played else game_support(self.game).score_line_of(self._actions)
        self._find_points_made(found)
        if is_played or ("points" not in self.deal and not (self._made and "winner" in self.deal)):
            return
        if self._turned_up is not None and self.deal.pop("deck", None):  # a line of a sheet has no cards
            self._remarks.insert(0, (0, self._turned_up, self._turned_up.text))
        if found is not None:
            self._actions = []
            self.deal.pop("actions", None)
            self.deal["score_line"] = found
            self._order_points(int(found["contract"]["bid"].split(" ")[0]) - 1)
            self._count_card_points()

    def _order_points(self, declarer: int) -> None:
        """Put the declarer's points first in a line with only the end of the contract: « Chute, 0 à 162 »."""
        line, points, first = self._points_line, self.deal.get("points", ()), declarer % self.sides
        if line is None or len(points) != 2 or "winner" in self.deal:
            return
        words = [*words_in(line.text)]
        named = any(self.sentences.seat_at(words, place)[0] is not None for place in range(len(words)))
        if not named and contradicts(words, [points[first], points[1 - first]]):
            self.deal["points"] = [*reversed(points)]

    def _count_card_points(self) -> None:
        """Set the points of a deal that has those of its cards: « 81 à 81, litige », « Chute, 20 à 142 »."""
        line, is_drawn = self._points_line, self.deal.get("winner") == 0
        has_failed = line is not None and notes_words.names_failure(line.text)
        if not (is_drawn or has_failed):
            return
        keys = self.model.OPENS, "winner", "score_line"
        deal = {key: self.deal[key] for key in keys if key in self.deal}
        own = result_of_card_points(self.setup, deal, self.deal.get("points", ())) or {}
        if own and "points" not in own and line is not None and not is_drawn:
            del self.deal["points"]
            self._remarks.append((len(self._actions), line, line.text))
        self.deal |= own

    def _find_points_made(self, score_line: dict[str, Any] | None) -> None:
        """Set the points of a deal of which only those of the declarer's side are known."""
        line, seat, made = self._made or (None, None, 0)
        found: dict[str, Any] = {}
        if line and "points" not in self.deal and score_line is not None and not self._has_gap:
            deal = {self.model.OPENS: self.deal[self.model.OPENS], "score_line": score_line}
            found = result_of_made(self.setup, deal, seat, made)
            self.deal |= found
            self._points.clear()
        is_open = seat is None or "points" not in self.deal
        if line and is_open and "points" not in found and line not in [one for _, one, _ in self._remarks]:
            self._remarks.append((len(self._actions), line, line.text))

    def _parse_fact(self, line: NoteLine, key: str) -> None:
        result: str = fold_case_and_accents(line.body.strip())
        value: Any = None
        if key not in self.model.model_fields:
            self._ask(line.number, line.first_column, line.label, NOT_ITS_DEAL)
            return
        if key in ("dealer", "leader"):
            value = self._seat_named(line, line.body)
        elif key == "winner" and result in notes_words.NOBODY_WORDS:
            value = 0
        elif key == "winner":  # in partnerships either player names the side
            seat = self._seat_named(line, line.body)
            value = None if seat is None else (seat - 1) % self.sides + 1
        elif key == "void":
            value = notes_words.VOID_WORDS.get(result.rstrip("."))
            if value is None:
                self._ask(line.number, line.column, line.body, DID_YOU_MEAN_TEXT, *notes_words.VOID_WORDS)
        elif key == "manche" and _NUMBER_PATTERN.fullmatch(line.body.strip()):
            value = int(line.body)
        elif key == "manche":
            self._ask(line.number, line.column, line.body, UNKNOWN)
        else:  # a value per seat or side, in order or after names
            count = self.sides if key == "points" else len(self.players)
            fields: dict[int, str] = {}
            seat = None
            body = _SCORE_PATTERN.sub(r"\1 \2", with_digits(line.body)) if key == "points" else line.body
            words = [*words_in(body)]
            while words:
                who, size = self.sentences.seat_at(words, 0)
                if who is not None and not _NUMBER_PATTERN.fullmatch(words[0].text):
                    seat = who % count
                elif key != "points" or words[0].plain not in notes_words.SCORE_WORDS:
                    fields[len(fields) if seat is None else seat] = words[0].text
                    seat = None
                del words[: max(size, 1)]
            whole = [*range(count)] == sorted(fields)
            if whole and (key != "points" or all(map(_NUMBER_PATTERN.fullmatch, fields.values()))):
                each = [fields[one] for one in range(count)]
                value = [*map(int, each)] if key == "points" else each
            else:
                self._ask_each(line, count)
                return
            if key == "points" and key not in self.deal:
                self._points_line = line
        self._set_key(line, key, value)

    def _ask_each(self, line: NoteLine, count: int = 0) -> None:
        names = (" + ".join(self.names[one :: count or self.sides]) for one in range(count or self.sides))
        self._ask(line.number, line.column, line.body, NOT_EACH, ", ".join(names))

    def _set_key(self, line: NoteLine, key: str, value: Any) -> None:
        if key in self.deal:
            if key != "points" or not self._ask_for_match(line, {"points": value}):
                self._ask(line.number, line.first_column, line.text.strip(), ALREADY_NOTED)
        elif value is not None:
            self.deal[key] = value

    def _seat_named(self, line: NoteLine, text: str) -> int | None:
        """Return the seat, from 1, of a named player; None, with a question added, if unknown."""
        seat = seat_of_name(text, self.players, allow_prefix=True)
        if seat is None:
            seat = self.sentences.points.get(fold_case_and_accents(text.strip()))
        if seat is None:
            found = text.strip()
            names = (*self.names,)
            self.questions.append(Question(line.number, line.column, found, NO_PLAYER, names, answers=names))
        return None if seat is None else seat + 1

    def _order_actions(self, first: NoteLine) -> None:
        """Merge the acts of all blocks into `actions`, in playing order, up to one that is unclear."""
        dealt = {key: result for key, result in self.deal.items() if key not in DECLARED_KEYS}
        order = ActionOrder(self.reader, self.log, self.names, self.questions)
        order.begin(dealt, first)
        for place, block in enumerate([*self.blocks, []]):
            own = [(line, text) for at, line, text in self.comments if at == place and text]
            self._remarks += [(len(order.actions), *one) for one in own]
            order.add(block)
        self._actions, self._recorded = order.actions, order.recorded
        if self._actions:
            self.deal["actions"] = self._actions

    def _ask(self, line: int, column: int, found: str, text: str, *could: str) -> None:
        self.questions.append(Question(line, column, found, text, could))
