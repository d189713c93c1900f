"""Reads a sentence of notes: « René coupe du 9 de pique », “Lucie wins 108 to 72”.

A sentence becomes pieces: who deals, hands, acts in order, points and the winner; a question about the rest.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers.import_result import DID_YOU_MEAN_TEXT, UNKNOWN, Question, ambiguity_question
from ingest.importers.notes_words import (
    ADVERB_PATTERN,
    ARROWS,
    CARD_VERBS,
    DOUBTFUL_CARDS,
    NO_CARD_ROLES,
    NO_ROLES,
    POINT_SIDE_PATTERN,
    POINTS_FOR,
    SCORE_WORDS,
    SMALL_ROLES,
    TEAM_WORDS,
    VERBS,
    VERBS_IN_ORDER,
    Role,
    names_partner,
    names_team_not_in,
    points_in,
    roles_of,
    verbs_near,
    with_others_named,
    without_luck,
)
from ingest.importers.result_rows import WINNER_HAS_MOST
from ingest.importers.spoken_score import Piece, Sentence, contradicts, declarer_of, has_score, is_ours
from ingest.importers.tokenizer import (
    HIDDEN_WORDS,
    MAX_SUGGESTIONS,
    MAX_WORDS_TOGETHER,
    Interpretation,
    Token,
    TokenReader,
    joined,
    player_name,
    seat_of_name,
)
from schemas.match_models import deal_model

NOT_DONE = N_("“{read}” does nothing here: a card or an action of theirs should follow.")
UNKNOWN_CARD_PLAYED = N_("“{read}”: a card that was played has to be known.")
WITH_WHAT = N_("“{read}” may be the card that was played or one that it beats. Write it as in: {could}.")
_TAKE_EXAMPLE = "coupe le 9♦ du 7♠"
NO_POINT_WORDS: Mapping[str, int] = {}
_MAX_REMARK_WORDS = 2  # a line of so many unknown words is no remark


class SentenceReader:
    """Reads the sentences of one deal."""

    def __init__(
        self,
        reader: TokenReader,
        players: Sequence[dict[str, str]],
        teams: Mapping[str, int],
        points: Mapping[str, int] = NO_POINT_WORDS,
    ) -> None:
        """`teams`, `points`: words for a team and for a compass point, and a seat of each."""
        self.reader, self.players, self.teams, self.points = reader, players, teams, points
        self.game, support = reader.game, game_support(reader.game)
        self.card_lines, self.examples = support.CARD_LINE_READERS, support.NOTE_EXAMPLES
        self.played: Sequence[str] = ()  # acts of the deal so far
        self.fillers = (*support.NOTE_FILLERS, *ARROWS)
        self.sides = reader.setup.game.side_count(len(players))
        self.opens = deal_model(self.game).OPENS
        self.has_manche = "manche" in deal_model(self.game).model_fields

    def read(self, words: Sequence[Token]) -> Sentence:
        """Read a sentence; each question names the words it is about, and has answers or an example."""
        found = _SentenceParser(self, with_others_named(without_luck(words))).parse()
        has_outcome = any(roles_of(word) & {Role.WIN, Role.LOSE, Role.SCORE} for word in words)
        more: Any = {"example": self.examples[has_outcome], "names": (*map(player_name, self.players),)}
        questions = [one if one.could else replace(one, **more) for one in found.questions]
        return found._replace(questions=questions)

    def read_cards(self, words: Sequence[Token]) -> tuple[list[str], list[Question]]:
        """Read words that are cards, and nothing else."""
        parser = _SentenceParser(self, words)
        return parser.cards(), parser.questions

    def is_bid(self, number: str) -> bool:
        """Whether a number begins an act, so that it may be no points."""
        return bool(self.reader.acts_meant(f"{number} ♠"))

    def seat_at(self, words: Sequence[Token], place: int) -> tuple[int | None, int]:
        """Return the seat named at a place and the number of words of the name."""
        for size in range(min(MAX_WORDS_TOGETHER, len(words) - place), 0, -1):
            text = " ".join(word.text for word in words[place : place + size])
            if (seat := seat_of_name(text, self.players)) is not None:
                return seat, size
        plain = words[place].plain if place < len(words) else ""
        seat = self.teams.get(plain, self.points.get(plain))
        return seat, int(seat is not None)


class _SentenceParser:
    """The state of reading one sentence."""

    def __init__(self, by: SentenceReader, words: Sequence[Token]) -> None:
        self.by, self.words, self.reader = by, words, by.reader
        self.place = 0
        self.pieces: list[Piece] = []
        self.questions: list[Question] = []
        self.subjects: list[tuple[int, Token]] = []
        self.verb: Role | None = None  # still without its act
        self.has_verb = self.has_gap = self.has_bare_act = False
        self.unknown: list[Token] = []  # words outside of what was read
        self.before: set[Role] = set()  # roles of the words before the next card or name
        self.taken: Token | None = None  # a card with an article after a verb of TAKE
        self.on_table = False  # a card was named that lies on the table

    def parse(self) -> Sentence:
        words = self.words
        after = [*map(roles_of, words[1:]), NO_ROLES]
        denied = next(
            (
                word
                for word, behind in zip(words, after, strict=False)
                if roles_of(word) & {Role.NOT, Role.DOUBT} and Role.UNSHOWN not in behind
            ),
            None,
        )
        while self.place < len(words):
            if not (self._name() or self._fact() or self._act() or self._everyday_word()):
                self._unknown_word()
        self._finish()
        gap_word = any(Role.GAP in roles_of(word) for word in words)
        if not self.pieces and gap_word:
            self.questions.clear()
        if denied is not None:
            gap_word |= self._deny(denied)
        self._leave_result()
        has_gap = gap_word or bool(self.questions and self.has_gap)
        return Sentence(self.pieces, self.questions, has_gap, bool(self.unknown) or not self.pieces)

    def cards(self) -> list[str]:
        """Read all words as cards."""
        found: list[str] = []
        while self.place < len(self.words):
            before = self.place
            found += self._cards_from(self.place)
            if self.place == before:
                word = self.words[self.place]
                one = self.reader.interpret(self.words, self.place, self.reader.cards_meant)
                self.questions.append(ambiguity_question(word.line, word.column, one, self.reader.game))
                self.place += one.word_count
        return found

    def _leave_result(self) -> None:
        """Keep only the result of a sentence that also names an announcement, of no player."""
        acts = [one for one in self.pieces if one.kind == "act"]
        if len(acts) == len(self.pieces) or any(
            one.seat is not None or self.reader.act_kind(one.value) == "play" for one in acts
        ):
            return
        if any(one.kind in ("points", "winner", "made") for one in self.pieces):
            self.pieces = [one for one in self.pieces if one.kind != "act"]
            self.questions = [one for one in self.questions if one.text == WINNER_HAS_MOST]
            self.unknown += [one.word for one in acts]
            self.has_gap = False
            if {one.kind for one in self.pieces} == {"winner"} and has_score(self.words, self.words):
                self._ask_unread(next(filter(points_in, self.words)))  # « Pique, 81 à 81, litige »

    def _deny(self, word: Token) -> bool:
        """Take back what follows a word that denies it; return whether acts may be missing."""
        first = self.words[0] if Role.DOUBT in roles_of(word) else word
        after = [one for one in self.words if one.column >= first.column]
        late = [one for one in self.pieces if one.word.column >= first.column]
        self.pieces = [one for one in self.pieces if one not in late]
        self.questions = [one for one in self.questions if one.column < first.column]
        if late:
            self.questions.append(Question(first.line, first.column, joined(after), UNKNOWN))
            self.has_gap = True
        else:
            self.unknown.append(word)
        return any(roles_of(one) & VERBS for one in after)

    # names

    def _name(self) -> bool:
        seat, size = self.by.seat_at(self.words, self.place)
        if seat is None:
            return False
        word = self.words[self.place]
        last = self.pieces[-1] if self.pieces else None
        if Role.WITH in self.before and last is not None and last.kind == "act" and last.seat is None:
            self.pieces[-1] = last._replace(seat=seat)  # « as de trèfle de Lucienne »
        elif self.verb is Role.DEAL:
            self.pieces.append(Piece("dealer", seat, seat + 1, word))
            self.verb = None
        elif not (Role.WITH in self.before and (self.on_table or self.verb)):
            self.subjects.append((seat, word))
        self.before.clear()
        self.place += size
        return True

    # facts

    def _fact(self) -> bool:
        word = self.words[self.place]
        roles = roles_of(word)
        if Role.DEAL in roles and self.verb in (None, Role.HOLD) and not self._acts_from(self.place + 1):
            if self.subjects:
                seat, word = self.subjects.pop(0)
                self.pieces.append(Piece("dealer", seat, seat + 1, word))
            self.verb = None if self.pieces[-1:] and self.pieces[-1].word is word else Role.DEAL
            self.place += 1
            return True
        if Role.LEAD in roles and self.by.opens == "leader" and self.subjects:
            if not self._acts_from(self.place + 1):
                seat, word = self.subjects.pop(0)
                self.pieces.append(Piece("leader", seat, seat + 1, word))
                self.place += 1
                return True
        if label := next((one for one in self._texts() if one[0] in self.by.card_lines), None):
            if cards := self._cards_from(self.place + label[1]):
                value = self.by.card_lines[label[0]](self.reader.setup, cards)
                self.pieces += [Piece(key, None, one, word) for key, one in value.items()]
                self.subjects.clear()
                return True
        if Role.HOLD in roles and self.subjects and self.verb is None:
            if cards := self._cards_from(self.place + 1):
                seat, word = self.subjects.pop()
                self.pieces.append(Piece("hand", seat, cards, word))
                return True
        return self._result(word, roles)

    def _texts(self) -> Iterator[tuple[str, int]]:
        """Yield the folded text of the next words, longest first, and their number."""
        for size in (2, 1):
            yield " ".join(word.plain for word in self.words[self.place : self.place + size]), size

    def _acts_from(self, place: int) -> bool:
        """Whether an act follows, but for articles and the like."""
        while place < len(self.words) and roles_of(self.words[place]) & SMALL_ROLES:
            if self._meanings(place, self.reader.acts_meant):
                return True
            place += 1
        return place < len(self.words) and bool(self._meanings(place, self.reader.acts_meant))

    def _meanings(self, place: int, read: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
        if self._is_small(self.words[place]):
            return ()
        return self.reader.interpret(self.words, place, read).meanings

    def _cards_from(self, place: int) -> list[str]:
        """Read a list of cards; `place` is moved behind it if there is any.

        Ranks without a suit have that of the next card: « l'as et le 10 de pique ».
        """
        cards: list[str] = []
        ranks: list[str] = []
        end = place
        while place < len(self.words):
            word = self.words[place]
            if self.by.seat_at(self.words, place)[0] is not None:
                break
            found = self.reader.interpret(self.words, place, self.reader.cards_meant)
            rank = self.reader.rank_meant(word.text)
            if found.meanings and not self._is_small(word):
                if len(found.meanings) > 1:
                    self.questions.append(ambiguity_question(word.line, word.column, found, self.reader.game))
                card = found.meanings[0]
                cards += [rank + card[1:] for rank in ranks]
                ranks.clear()
                cards.append(card)
                place = end = place + found.word_count
            elif rank is not None:
                ranks.append(rank)
                place += 1
            elif roles_of(word) & {Role.ARTICLE, Role.WITH, Role.FILLER, Role.HOLD} and not (
                roles_of(word) & (VERBS | {Role.DEAL})
            ):
                place += 1
            else:
                break
        if cards:
            self.place = end
        return cards

    def _result(self, word: Token, roles: frozenset[Role]) -> bool:
        """Read who wins, loses or scores how much."""
        rest = self.words[self.place :]
        numbers = [number for one in rest for number in points_in(one)]
        after = self.place + 1
        while after < len(self.words) and roles_of(self.words[after]) & SMALL_ROLES:
            after += 1
        named = self.by.seat_at(self.words, after)[0] is not None
        outcome = roles & {Role.WIN, Role.LOSE, Role.DRAWN}
        if outcome and Role.TAKE in roles and not numbers and not named and self._acts_from(self.place + 1):
            return False  # « prend », « gagne de l'as »
        if self.subjects and len(points_in(word)) == 1 and self._is_points(word, rest):
            return self._points_of_subject(points_in(word)[0], word, 1)
        if points_in(word) and not self.subjects and not self.unknown:
            is_for_one = len(numbers) == 1 and any(one.plain in POINTS_FOR for one in rest[1:2])
            if not (is_for_one or len(numbers) == self.by.sides) or self._acts_from(self.place):
                return False  # « 108 à 72 pour Lucienne »
            rest = [Token("", word.line, word.column, True), *rest]
        elif Role.SCORE in roles and numbers and not self._acts_from(self.place + 1):
            behind = points_in(self.words[min(self.place + 1, len(self.words) - 1)])
            if self.subjects and len(behind) == 1:
                return self._points_of_subject(behind[0], word, 2)
            if Role.MAKE in roles and not self.subjects and len(numbers) == 1 == len(behind):
                self.pieces.append(Piece("made", None, numbers[0], word))
                self.place += 2
                return True
            if len(numbers) != self.by.sides:
                return False
        elif not outcome or (not self.subjects and Role.DRAWN not in roles and not named):
            return False
        return self._outcome(word, outcome, rest)

    def _points_of_subject(self, points: int, word: Token, size: int) -> bool:
        seat, _ = self.subjects.pop()
        self.subjects = [one for one in self.subjects if (one[0] - seat) % self.by.sides]
        self.pieces.append(Piece("points", seat, points, word))
        self.place += size
        return True

    def _is_points(self, word: Token, rest: Sequence[Token]) -> bool:
        """Whether a number behind a name is points: of « nous » or a pair, or one each and no bid."""
        is_pair = len(self.subjects) > 1 and len({seat % self.by.sides for seat, _ in self.subjects}) == 1
        if self.subjects[-1][1].plain in self.by.teams or (is_pair and not self._acts_from(self.place)):
            return True
        after = [at for at, one in enumerate(rest) if at and points_in(one)]
        named = any(one.kind == "points" for one in self.pieces) or (
            bool(after) and any(self.by.seat_at(rest, at)[0] is not None for at in range(1, after[0]))
        )
        return named and not self.by.is_bid(word.plain) and not self._acts_from(self.place)

    def _outcome(self, word: Token, outcome: frozenset[Role], rest: Sequence[Token]) -> bool:
        numbers: list[int] = []
        nouns = set[Role]()
        winners, own = [seat for seat, _ in self.subjects], None
        place = 1
        while place < len(rest):
            seat, size = self.by.seat_at(rest, place)
            found = points_in(rest[place]) if seat is None else []
            if seat is not None:
                if len(numbers) == 1 and (rest[place - 1].plain in POINTS_FOR or own is not None):
                    own = seat if own is None else own  # « 250 pour Lucienne et Denise »
                elif Role.WITH in roles_of(rest[place - 1]) and not winners:
                    winners.append(seat)  # « pour Lucienne »
                elif names_partner(rest[:place]) and winners and not (seat - winners[0]) % self.by.sides:
                    winners.append(seat)
                elif not outcome & {Role.WIN, Role.LOSE} or Role.WITH in roles_of(rest[place - 1]):
                    break
                place += size - 1
            elif found:
                each = place + 1 < len(rest) and rest[place + 1].plain in ("partout", "each")
                numbers += found * self.by.sides if each else found
            elif not (known := roles_of(rest[place])) and rest[place].plain not in SCORE_WORDS:
                self.unknown += rest[place : place + (rest[place].plain not in self.by.fillers)]
            elif known & {Role.PLAY, Role.LEAD, Role.ANNOUNCE}:
                break
            else:
                nouns |= known & {Role.MATCH, Role.MANCHE}
                outcome |= known & {Role.DRAWN} if len({*numbers}) == 1 else NO_ROLES
                if Role.TRICK in known:  # the engine knows who takes a trick
                    self.place = len(self.words) - (len(rest) - place) + 1
                    self.has_verb = True
                    return True
            place += 1
        self.place = len(self.words) - (len(rest) - place)
        self.subjects.clear()
        if Role.MANCHE in nouns and self.by.has_manche:
            self.unknown.append(word)
            return True
        side = winners[0] % self.by.sides if winners else None
        if side is not None and Role.LOSE in outcome:
            side = 1 - side if self.by.sides == 2 else None
        if Role.DRAWN in outcome:
            side = -1
        if Role.MATCH in nouns:
            scores = self._by_side(word, outcome, side, numbers) if len(numbers) == self.by.sides else []
            if side is not None and (scores or not numbers):
                result = {"score": scores} if scores else {}
                self.pieces.append(Piece("match", None, {**result, "winner": side + 1}, word))
            else:
                self.unknown.append(word)
            return True
        if len(numbers) == self.by.sides:
            numbers = self._by_side(word, outcome, side, numbers)
            if not numbers:
                return True
            self.pieces.append(Piece("points", None, numbers, word))
        elif own is not None:
            self.pieces.append(Piece("points", own, numbers[0], word))
        elif numbers:
            self.unknown.append(word)
        if side is not None:
            self.pieces.append(Piece("winner", None, side + 1, word))
        return True

    def _by_side(
        self, word: Token, outcome: frozenset[Role], side: int | None, numbers: list[int]
    ) -> list[int]:
        """Return the points by side: first those of the winner, who has most, else of a named declarer."""
        by, high, low = self.by, max(numbers), min(numbers)
        in_teams = side is None and by.sides < len(by.players)
        first = declarer_of(by.game, self.pieces) if in_teams else None
        if in_teams and high != low and names_team_not_in(by.teams, self.words):
            return []  # there is a question about the team
        if first is not None and is_ours(self.words):
            first = by.teams.get("nous", first)
        if first is None and (side is None or side < 0):
            return numbers
        if first is not None and not contradicts(self.words, numbers):
            return numbers[:: -1 if first % by.sides else 1]
        wrong = first is not None or len(numbers) != 2 or high == low
        is_for = bool(points_in(word))  # « 64 à 98 pour Lucien et Robert »: in favour of them
        if wrong or not (is_for or Role.LOSE in outcome or numbers[0] == high):
            start = next(place for place, one in enumerate(self.words) if one is word)
            text = joined(self.words[start : self.place])
            self.questions.append(Question(word.line, word.column, text, WINNER_HAS_MOST))
            return []
        return [high, low] if side == 0 else [low, high]

    # acts

    def _act(self) -> bool:
        word = self.words[self.place]
        if word.text in HIDDEN_WORDS and not self.reader.acts_meant(word.text):
            self._ask(word, UNKNOWN_CARD_PLAYED)
            self.place += 1
            return True
        found = self.reader.interpret(self.words, self.place, self._read_act)
        if self._is_small(word) and not self._is_phrase(word, found):
            return False
        if Role.ON in self.before and not found.meanings and self.reader.rank_meant(word.text):
            self.before.clear()
            self.on_table = True
            self.place += 1
            return True
        is_play = self.verb in CARD_VERBS or (self.verb is None and self.has_verb and bool(self.subjects))
        rank = self.reader.rank_meant(word.text) if is_play else None
        found = found._replace(suggestions=tuple(filter(self._may_follow, found.suggestions)))
        if rank is not None and not found.meanings and not found.suggestions:
            found = found._replace(suggestions=self._cards_of_rank(rank), text=word.text, word_count=1)
        if not found.meanings and (roles_of(word) or not found.suggestions):
            return False
        self.place += found.word_count
        if len(found.meanings) != 1:
            self.questions.append(ambiguity_question(word.line, word.column, found, self.reader.game))
            self.has_gap, self.verb = True, None
            self.subjects.clear()
            return True
        [act] = found.meanings
        is_card = self.reader.act_kind(act) == "play"
        if is_card and Role.ON in self.before:
            self.before.clear()
            self.on_table = True
            return True
        if is_card and self.verb is Role.TAKE and self.before & {Role.ARTICLE, Role.WITH} == {Role.ARTICLE}:
            self.taken, self.on_table = word._replace(text=found.text), True
            self.before.clear()
            return True
        self._add_act(act, word, is_card)
        return True

    def _is_small(self, word: Token) -> bool:
        """Whether no act begins with a word: `the` is not the ten of hearts, « à cœur » and « ça » no ace."""
        if word.text == "A" and not self.has_verb:
            return False
        is_small = word.text.casefold() == "ça" or bool(roles_of(word) & NO_CARD_ROLES)
        return is_small or (self.has_verb and word.plain in DOUBTFUL_CARDS)

    def _is_phrase(self, word: Token, found: Interpretation) -> bool:
        """Whether words that begin with a small one are an act such as « au sept », `point`."""
        kinds = {self.reader.act_kind(one) for one in found.meanings}
        return bool(kinds) and word.plain != "a" and "play" not in kinds

    def _read_act(self, text: str) -> tuple[str, ...]:
        """Return the meanings of an act, of those that may follow the verb."""
        return tuple(filter(self._may_follow, self.reader.acts_meant(text)))

    def _may_follow(self, act: str) -> bool:
        kind = self.reader.act_kind(act)
        if self.verb in CARD_VERBS:
            return kind == "play" or (kind == "bid" and self.verb is not Role.PLAY)
        if self.verb is Role.HOLD:  # « a le mariage » need not announce it
            return kind != "announce"
        return self.verb is not Role.ANNOUNCE or kind != "play"

    def _goes_with_card(self, act: str) -> bool:
        """Whether an announcement is made with the card before it: the sentence names no one else."""
        if self.subjects or not self.has_verb or self.reader.act_kind(act) != "announce" or not self.pieces:
            return False
        last = self.pieces[-1]
        return last.kind == "act" and self.reader.act_kind(last.value) == "play"

    def _cards_of_rank(self, rank: str) -> tuple[str, ...]:
        """Return the likely cards of a rank: first the suit of the card before."""
        acts = [*self.by.played, *(one.value for one in self.pieces if one.kind == "act")]
        cards = [act for act in acts if self.reader.act_kind(act) == "play"]
        names = [one for one in self.reader.setup.game.pack.names if one[0] == rank and one not in cards]
        return (*sorted(names, key=lambda one: bool(cards) and one[1] != cards[-1][1])[:MAX_SUGGESTIONS],)

    def _add_act(self, act: str, word: Token, is_card: bool) -> None:
        if len(self.subjects) > 1 and is_card:
            self._ask(self.subjects[0][1], NOT_DONE)
        seats: list[int | None] = [seat for seat, _ in self.subjects] or [None]
        kind = "acts" if Role.ALL in self.before else "act"
        if self._goes_with_card(act):  # « joue le roi et annonce le mariage »
            self.pieces.insert(-1, Piece(kind, self.pieces[-1].seat, act, word))
        else:
            self.pieces += [Piece(kind, seat, act, word) for seat in seats]
        if self.verb is None and is_card:
            self.has_bare_act = True
        self.subjects.clear()
        self.before.clear()
        self.verb, self.taken, self.on_table = None, None, False

    # other words

    def _everyday_word(self) -> bool:
        word = self.words[self.place]
        roles = roles_of(word)
        if not roles and not ADVERB_PATTERN.fullmatch(word.plain) and word.plain not in self.by.fillers:
            return False
        self.place += 1
        last = self.pieces[-1] if self.pieces else None
        if Role.UNSHOWN in roles and last is not None and last.kind == "act":
            if self.reader.act_kind(last.value) == "announce":
                self.pieces[-1] = last._replace(value=last.value.removesuffix("~") + "~")
        if verbs := roles & VERBS:
            self.has_verb = True
            self.verb = next(one for one in VERBS_IN_ORDER if one in verbs)
            self.before.clear()
        elif Role.HOLD in roles and self.subjects and self.verb is None:
            self.has_verb, self.verb = True, Role.HOLD
        self.before |= roles & {Role.ARTICLE, Role.WITH, Role.ON, Role.ALL}
        if Role.TRICK in roles and self.verb is Role.TAKE:
            self.verb = None
            self.subjects.clear()
        return True

    def _unknown_word(self) -> None:
        word = self.words[self.place]
        self.place += 1
        self.unknown.append(word)
        if self.verb in VERBS:  # what was played is not understood
            self._ask_unread(word)
            self.verb = None
            self.subjects.clear()

    def _ask_unread(self, word: Token) -> None:
        start = self.words.index(word)
        end = start + 1
        while end < len(self.words) and self.words[end].follows_directly:
            if roles_of(self.words[end]) & VERBS or self.by.seat_at(self.words, end)[0] is not None:
                break
            end += 1
        while end > start + 1 and roles_of(self.words[end - 1]) & SMALL_ROLES:
            end -= 1
        text = joined(self.words[start:end])
        if near := verbs_near(word):
            self._ask(word, DID_YOU_MEAN_TEXT, *near)
        else:
            self.questions.append(Question(word.line, word.column, text, UNKNOWN))
        self.has_gap = True

    def _finish(self) -> None:
        if self.taken is not None:
            self._ask(self.taken, WITH_WHAT, _TAKE_EXAMPLE)
            self.has_gap = True
        elif self.verb in VERBS and self.subjects and not self.unknown:
            self._ask(self.words[-1], UNKNOWN_CARD_PLAYED)
        elif self.subjects and not self.unknown and not self.has_verb:
            self._ask(self.subjects[-1][1], NOT_DONE)
        prose = self.has_verb and not self.has_bare_act
        short = not self.pieces and len(self.words) <= _MAX_REMARK_WORDS
        bare = any(one.kind == "act" for one in self.pieces) and not prose
        outcome = any(roles_of(one) & {Role.WIN, Role.LOSE} for one in self.words) and not self.pieces
        if not self.pieces and any(roles_of(one) & {Role.MATCH, Role.MANCHE} for one in self.words):
            return  # « mène 2 parties à 1 »
        counted = any(map(points_in, self.words if outcome else self.unknown)) and not prose
        counted &= not any(Role.SCORE in roles_of(one) for one in self.words)  # « on fait 130 »
        if any(one.plain in TEAM_WORDS or POINT_SIDE_PATTERN.fullmatch(one.plain) for one in self.unknown):
            return  # there is a question about the team
        lost = {one.kind for one in self.pieces} == {"act"} and has_score(self.words, self.unknown)
        lost &= declarer_of(self.by.game, self.pieces) is not None
        if self.unknown and not self.questions and (short or bare or counted or lost):
            self._ask_unread(next(filter(points_in, self.unknown)) if lost else self.unknown[0])

    def _ask(self, word: Token, text: str, *could: str) -> None:
        self.questions.append(Question(word.line, word.column, word.text, text, could))
        self.has_gap = True
