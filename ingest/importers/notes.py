"""Parses notes as players write them; docs/notes.md has the grammar.

The parser does not guess: unclear text returns a question with its position. A deal that is not
clear is part of the log as far as it is; a match of which nothing is clear makes none. If the notes
do not name the player of an action, the engine determines whose turn it is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo
from typing import Any

from engine.games import game as game_of
from engine.games import game_names, game_title
from ingest.autofix.card_words import fold_case_and_accents
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers import notes_seats
from ingest.importers.chat_export import chat_lines
from ingest.importers.chat_notes import MAX_LINE_CHARACTERS, note_lines
from ingest.importers.contract_notes import read_contracts
from ingest.importers.deal_notes import ALREADY_NOTED, HAND_PATTERN, DealNotesParser
from ingest.importers.headings import DEAL_LABELS, EVENT_KEYS, MATCH_LABELS, POINT_SIDES, normalized
from ingest.importers.import_result import FileNote, ImportResult, Question, UnreadLine
from ingest.importers.notes_headings import Title, game_at_end, names_in, read_title, results_of
from ingest.importers.notes_lines import COMMENT_MARK, HEADING_PATTERN, NoteLine, add_day, are_totals, day_in
from ingest.importers.notes_rules import (
    BIDS_SHOW_RULES,
    find_game_and_rules,
    other_rules,
    shown_rules,
    unknown_rules,
    which_rules,
)
from ingest.importers.notes_words import (
    POINT_SIDE_PATTERN,
    SUBJECT_VERBS,
    TEAM_SCORE_PATTERN,
    TEAM_WORDS,
    is_team_label,
    roles_of,
)
from ingest.importers.result_notes import games_of_results, read_result_line, read_results
from ingest.importers.rules_text import find_rules
from ingest.importers.source_map import SourceMap, SourcePart
from ingest.importers.spoken_numbers import with_digits
from ingest.importers.tokenizer import find_game, make_reader, parse_player, seat_of_name, words_in
from ingest.importers.written_dates import dates_without_year
from ingest.recorder import OpenerTracker
from schemas.match_models import deal_model
from schemas.models import FORMAT

NO_GAME = N_("“{read}” is not a known game. Is it {could}?")
WHICH_GAME = N_("Which game is it? Write it in the first lines, as in: {could}.")
WHICH_DECK = N_("Which deck was it? Write it in the first lines, as in: {could}.")
NO_DECK = N_("“{read}” is not a known deck. Write a known one, for example: {could}.")
NO_PLAYERS = N_("Who plays? Write the players in the order in which they sit, as in: {could}.")
NO_YEAR = N_("“{read}” has no year. Is {could} meant?")
WHO_SITS = N_("In which order do the players sit? Write it as in: {could}.")
WHO_IS_WE = N_("“{read}”: which team is it? Write it in the first lines, as in: {could}.")
SEATED_AS_DEALT = N_(
    "The order of the players follows from the dealers: {players}."
    " If they sat otherwise, write “Joueurs : …”."
)
DECK_LABELS = ("Jeu de cartes :", "Deck:")
MAX_TITLE_LINES = 4  # first lines that show whether a text is notes
HEAD_KEYS = ("format", "game", "rules", "played_at", "event")
"""Keys that default to those of the previous match."""
_CARD_PATTERN = re.compile(r"(?:10|[2-9AKQJTRDV])\ufe0f?[♠♥♦♣]")


@dataclass(slots=True)
class _MatchNotes:
    """The lines of one match: its head, and a paragraph per deal."""

    head: list[NoteLine] = field(default_factory=list)
    deals: list[list[NoteLine]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # of compass points

    @property
    def line(self) -> int:
        return (self.head or self.deals[0])[0].number

    @property
    def end_of_head(self) -> int:
        """The number of the line that follows the head."""
        return self.head[-1].number + 1 if self.head else self.line

    @property
    def has_players(self) -> bool:
        return any(MATCH_LABELS.get(line.label) == "players" for line in self.head)

    @property
    def lines(self) -> Iterator[NoteLine]:
        return (line for deal in self.deals for line in deal)


def read_notes(
    text: str, default_game: str | None = None, zone: tzinfo | None = None, today: date | None = None
) -> ImportResult:
    """Parse notes into logs, or return questions; no text raises.

    `default_game` is used if the notes name no game, `zone` (default: the machine's) for dates
    without a time zone, `today` for those without a year.
    """
    found = ImportResult()
    questions = found.questions
    head: dict[str, Any] = {}
    for match in _split_matches(note_lines(text, questions)):
        head = {"format": FORMAT, **{key: head[key] for key in HEAD_KEYS if key in head}}
        questions_before = len(questions)
        game_before, rules_before = head.get("game"), head.pop("rules", None)
        sides: list[list[str]] = []
        remarks: list[NoteLine] = []
        for line in match.head:
            if line.label in MATCH_LABELS:
                _parse_head_line(line, match, head, questions, zone)
            elif is_team_label(line.label):
                sides.append(names_in(line.body))
            elif line.is_comment:
                remarks.append(line)
            elif title := read_title(line):
                sides += title.sides
                _use_title(title, line, match, head, questions, zone, today or date.today())
        if match.deals:
            match.deals[0][:0] = remarks
        if default_game is not None:
            head.setdefault("game", default_game)
        match.names |= notes_seats.names_by_point([*match.head, *match.lines])
        if rules_before is not None and head.get("game") == game_before:
            head.setdefault("rules", rules_before)
        if "game" in head:
            if _read_rules(match, head, questions) and (
                (not match.names and read_contracts([*match.lines], head, sides, found))
                or _read_results(match, head, sides, zone, found, questions_before)
                or _read_deals(match, head, sides, found)
            ):
                continue
        elif not any(line.label in ("jeu", "game") for line in match.head):
            questions.append(_game_question(match.line, games_of_results([*match.lines])))
        found.unread += [UnreadLine(line.number, line.text, is_stored=False) for line in match.lines]
    if not found.logs and not questions:
        questions.append(_game_question(1, game_names()))
    questions.sort(key=lambda one: (one.line, one.column))
    found.unread.sort(key=lambda one: one.line)
    return found


def _read_rules(match: _MatchNotes, head: dict[str, Any], questions: list[Question]) -> bool:
    """Read the rules of a head; False, with a question about the line that names them, if unknown."""
    if not isinstance(head.get("rules"), str):
        return True
    if (rules := find_rules(head["rules"], head["game"])) is not None:
        head["rules"] = rules
        return True
    own = [line for line in match.head if MATCH_LABELS.get(line.label) == "rules"]
    questions += [unknown_rules(one.number, one.column, one.body, head["game"]) for one in own[-1:]]
    return False


def _use_title(
    title: Title,
    line: NoteLine,
    match: _MatchNotes,
    head: dict[str, Any],
    questions: list[Question],
    zone: tzinfo | None,
    today: date,
) -> None:
    """Put the facts of a title into `head`, the rest of it into a comment of the first deal."""
    if title.game is not None:
        head["game"] = title.game
    if title.rules is not None:
        head["rules"] = title.rules
    if title.day_without_year is not None:
        head.pop("played_at", None)
        column = line.first_column + line.text.find(title.day_without_year)
        could = tuple(dates_without_year(title.day_without_year, today))
        day = title.day_without_year
        questions.append(Question(line.number, column, day, NO_YEAR, could, answers=could))
    elif title.day is not None:
        add_day(head, title.day, line, zone, questions)
    if [len(side) for side in title.sides] == [1, 1]:
        head["players"] = [parse_player(name) for [name] in title.sides]
    results = results_of(title, line)
    match.deals[:0] = [results] if results else []
    texts = [one.text for one in results]
    if (others := [text for text in title.others if text not in texts]) and match.deals:
        text = f"{COMMENT_MARK} {', '.join(others)}"
        match.deals[0].insert(0, NoteLine(line.number, 1, "", text, text, line.first_column))


def answer(text: str, question: Question, reading: str) -> str:
    """Return notes with a question answered by one of its `readings`."""
    lines = text.splitlines(keepends=True)
    if question.new_line:
        place = min(question.new_line - 1, len(lines))
        if place and not lines[place - 1].endswith(("\n", "\r")):
            lines[place - 1] += "\n"
        lines.insert(place, reading + "\n")
    elif question.line <= len(lines):
        line, start = lines[question.line - 1], question.column - 1
        lines[question.line - 1] = line[:start] + reading + line[start + len(question.read) :]
    return "".join(lines)


def is_notes(text: str) -> bool:
    """Return whether a text looks like notes: a chat, or not JSON, with a known label or a card."""
    if chat_lines(text[:MAX_LINE_CHARACTERS].splitlines()):
        return True
    if text.lstrip()[:1] in ("{", "["):
        return False
    lines = [line for line in note_lines(text[:MAX_LINE_CHARACTERS], []) if line is not None]
    known = MATCH_LABELS | DEAL_LABELS
    labelled = (line for line in lines if line.label)
    if any(line.label in known or _CARD_PATTERN.search(line.body) for line in labelled):
        return True
    if any(map(read_result_line, lines[:MAX_TITLE_LINES])):
        return True
    titles = [title for line in lines[:MAX_TITLE_LINES] if (title := read_title(line))]
    return any(one.game for one in titles) and any(one.day or one.sides for one in titles)


def _read_results(
    match: _MatchNotes,
    head: dict[str, Any],
    sides: list[list[str]],
    zone: tzinfo | None,
    found: ImportResult,
    questions_before: int,
) -> bool:
    """Read a match whose lines are results without deals; False if they are not.

    `questions_before`: how many questions there were before those about its head.
    """

    def day_of(line: NoteLine) -> str | None:
        title = read_title(line)
        return day_in(title.day if title and not title.others else None, line, zone, found.questions)

    known = dict(head)
    if "players" not in known and [len(side) for side in sides] == [2, 2]:
        known["players"] = [parse_player(name) for pair in zip(*sides, strict=True) for name in pair]
    before, has_year = len(found.logs), all(one.text != NO_YEAR for one in found.questions[questions_before:])
    is_read = read_results([*match.lines], known, found, day_of)
    dated = [at for at in range(before, len(found.logs)) if has_year or "played_at" in found.logs[at]]
    if len(dated) < len(found.logs) - before:  # the others wait for the answer that gives their day
        lines = {line.number: line.text for line in match.lines}
        waiting = [
            int(found.origins[at].head.line) for at in range(before, len(found.logs)) if at not in dated
        ]
        found.unread += [UnreadLine(one, lines[one], is_stored=False) for one in dict.fromkeys(waiting)]
        found.logs[before:] = [found.logs[at] for at in dated]
        found.origins[before:] = [found.origins[at] for at in dated]
    return is_read


def _read_deals(
    match: _MatchNotes, head: dict[str, Any], sides: list[list[str]], found: ImportResult
) -> bool:
    """Read a match by its deals; False if nothing of it can be read."""
    if "players" not in head:
        _seat_players(match, head, sides, found)
    unread: list[NoteLine] = []
    read = None
    if "players" in head:
        read = _parse_match(match, head, found.questions, unread, found.notices)
    if read is not None:
        found.logs.append(read[0])
        found.origins.append(read[1])
        is_stored = bool(read[0]["deals"])  # as a comment of one
        found.unread += [UnreadLine(line.number, line.text, is_stored) for line in unread]
    return read is not None


def _game_question(line: int, games: Sequence[str]) -> Question:
    lines = tuple(f"Jeu : {game_title(name)}" for name in games)
    return Question(line, 1, "", WHICH_GAME, (" / ".join(lines),), answers=lines, new_line=line)


def _split_matches(lines: Iterator[NoteLine | None]) -> Iterator[_MatchNotes]:
    """Split at each head that follows deals or a result; all other head lines before a deal are one head."""
    match, fresh, has_outcome = _MatchNotes(), True, False
    new_day: NoteLine | None = None
    for line in lines:
        if line is None:
            fresh = True
            continue
        title = None
        if (fresh or new_day or not match.deals) and line.label not in MATCH_LABELS and not line.is_comment:
            title = read_title(line)
        is_next = line.label in MATCH_LABELS or (title is not None and title.is_match)
        names_table = MATCH_LABELS.get(line.label) in ("game", "players")  # also between messages of a chat
        if (fresh or new_day or names_table) and match.deals and is_next:
            before = new_day or (game_at_end(match.deals[-1]) if names_table and not fresh else None)
            if before:
                match.deals[-1].remove(before)
            yield match
            match, has_outcome = _MatchNotes([before] if before else []), False
        new_day = line if line.goes_past_midnight and match.deals else None
        is_title = title is not None and not (match.has_players and title.game is None)
        if is_title and has_outcome and not match.deals:
            yield match
            match, has_outcome = _MatchNotes(), False
        is_team = is_team_label(line.label) and not any(map(str.isdigit, line.body))
        is_head = is_title or is_team or line.label in MATCH_LABELS or line.is_comment
        if not match.deals and (is_head or notes_seats.is_seat_line(line)):
            match.head.append(line)
            has_outcome |= title is not None and is_title and bool(results_of(title, line))
            continue
        if fresh or not match.deals:
            match.deals.append([])
        match.deals[-1].append(line)
        fresh = False
    if match.head or match.deals:
        yield match


def _parse_head_line(
    line: NoteLine, match: _MatchNotes, head: dict[str, Any], questions: list[Question], zone: tzinfo | None
) -> None:
    """Parse a head line of a match into `head`, or add a question."""
    key, body = MATCH_LABELS[line.label], line.body.strip()
    value: Any = None
    could: tuple[str, ...] = ()
    if key == "game":
        game, rules = find_game_and_rules(body) or (None, None)
        value, text, could = game, NO_GAME, (*map(game_title, game_names()),)
        head |= {"rules": rules} if rules else {}
    elif key == "played_at":
        return add_day(head, body, line, zone, questions)
    elif key == "players":
        names = names_in(body)
        named = [notes_seats.read_point(one) for one in names]
        match.names |= {one.point: one.name for one in named if one and one.name}
        names = [one.name if one and one.name else name for one, name in zip(named, names, strict=True)]
        value = [parse_player(one) for one in names]
    elif key in EVENT_KEYS:
        key, value = "event", {**head.get("event", {}), key: body}
    else:
        value = body
    if value is None:
        answers = could if key == "game" else ()
        questions.append(Question(line.number, line.column, line.body, text, could, answers=answers))
    else:
        head[key] = value


def _seat_players(
    match: _MatchNotes, head: dict[str, Any], sides: list[list[str]], found: ImportResult
) -> None:
    """Seat two players whom lines or sentences name, and no other; else add a question."""
    cards, this = game_support(head["game"]).CARD_LINE_READERS, game_of(head["game"])
    orders: list[list[str]] = []
    if len(match.names) == notes_seats.PLAYERS in this.players:
        orders = notes_seats.orders(match.names)
    elif [len(side) for side in sides] == [2, 2] and this.side_count(4) == 2:
        [(one, other), (left, right)] = sides
        orders = [[one, left, other, right], [one, right, other, left]]
    if orders and (order := notes_seats.as_dealt(match.lines, orders, match.names)):
        head["players"] = [parse_player(name) for name in order]
        found.notices.append(FileNote(SEATED_AS_DEALT, {"players": ", ".join(order)}))
        return
    if orders:
        could = tuple("Joueurs : " + ", ".join(order) for order in orders)
        place = match.end_of_head
        found.questions.append(Question(match.line, 1, "", WHO_SITS, could, answers=could, new_line=place))
        return
    fields: dict[str, str] = {}
    for line in match.lines:
        label = line.label
        of_deal = label in DEAL_LABELS or label in cards or HAND_PATTERN.fullmatch(label)
        if label and not of_deal and not HEADING_PATTERN.fullmatch(label):
            fields.setdefault(label, line.written_label)
    for line in match.lines:
        result = read_result_line(line)
        for name in filter(None, result.sides if result else ()):
            fields.setdefault(fold_case_and_accents(name), name)
    for line in match.lines if len(fields) < 2 else ():
        for name in _subjects_in(line) if not line.is_comment else ():
            if find_game(name) is not None:
                continue
            fields.setdefault(fold_case_and_accents(name), name)
    if len(fields) == 2 and 2 in this.players:
        head["players"] = [parse_player(name) for name in fields.values()]
    else:
        could = ("Joueurs : " + ", ".join(fields.values() or ("Lucie", "Marcel")),)
        answers, place = could if len(fields) in this.players else (), match.end_of_head
        found.questions.append(
            Question(match.line, 1, "", NO_PLAYERS, could, answers=answers, new_line=place)
        )


def _subjects_in(line: NoteLine) -> Iterator[str]:
    """Yield the names that a verb of a sentence follows."""
    words = [*words_in(line.body)]
    for place, word in enumerate(words):
        if place and word.follows_directly and roles_of(word) & SUBJECT_VERBS:
            name = words[place - 1].text
            if name[:1].isupper() and len(name) > 1 and not roles_of(words[place - 1]):
                yield name


def _parse_match(
    match: _MatchNotes,
    head: dict[str, Any],
    questions: list[Question],
    unread: list[NoteLine],
    notices: list[FileNote],
) -> tuple[dict[str, Any], SourceMap] | None:
    """Parse a match's deals; None, with questions added, if none is clear and none has an outcome.

    `unread`: to it are added the lines that only comments of the deals have; `notices`: likewise.
    """
    reader = make_reader(head, (line.body for line in match.lines if not line.is_comment))
    if isinstance(reader, list):
        for one in reader:
            if one.path != "/deck":
                questions.append(Question(match.line, 1, "", "", finding=one))
                continue
            # unknown deck: suggest the line to write
            could = tuple(f"{label} {name}" for name in one.legal for label in DECK_LABELS)
            items = [line for line in match.head if MATCH_LABELS.get(line.label) == "deck"]
            if items:
                place = items[-1].number, items[-1].column, items[-1].body, NO_DECK
                more: Any = {"answers": tuple(map(str, one.legal))}
            else:
                place = match.line, 1, "", WHICH_DECK
                more = {"answers": could[:: len(DECK_LABELS)], "new_line": match.end_of_head}
            questions.append(Question(*place, could, **more))
        return None
    questions_before = len(questions)
    seats = notes_seats.seats_of_points(match.names, head["players"])
    teams = _teams(match, head, questions) | notes_seats.team_words(
        seats or _point_sides(match, head, questions)
    )
    points = notes_seats.seat_words(seats)
    named = [
        [
            notes_seats.with_names(line, seats, head["players"], reader)
            for line in deal
            if not line.goes_past_midnight
        ]
        for deal in match.deals
    ]
    log: dict[str, Any] = {**head, "deals": []}
    seen: dict[str, Any] = {**head, "deals": []}  # as far as the next dealer depends on it
    openers: OpenerTracker | None = OpenerTracker(seen)
    parts, is_readable = [], False
    left_out: list[NoteLine] = []  # lines of deals that are not part of the log
    waiting = [*reversed(named)]
    while waiting:
        before, lines = len(questions), waiting.pop()
        parser = DealNotesParser(reader, log, questions, openers, teams, questions_before, points)
        deal = parser.parse(lines)
        if log["deals"] and parser.result is None and are_totals(lines):
            del questions[before:]
            left_out, unread[len(unread) :] = [*left_out, *lines], lines
            continue
        if parser.left:
            waiting.append(parser.left)
        if parser.result is not None and log.get("result") is not None:
            first = lines[0]
            questions.append(Question(first.number, first.first_column, first.text, ALREADY_NOTED))
        elif parser.result is not None:
            log["result"] = parser.result
        unread += parser.unread
        if deal is None:
            left_out += parser.unread
        if deal and log["deals"] and {*deal} == {deal_model(head["game"]).OPENS, "comments"}:
            if len(deal["comments"]) == len(lines) - (parser.result is not None):  # no deal of its own
                left_out += [line._replace(text=line.text.lstrip(f"{COMMENT_MARK} ")) for line in lines]
                continue
        if deal:
            _add_comments(deal, left_out, 0)
            left_out.clear()
            log["deals"].append(deal)
            seen["deals"].append(parser.outcome)
            parts.append(SourcePart(str(lines[0].number)))
            is_readable |= parser.has_outcome or len(questions) == before
            openers = openers or OpenerTracker(seen)
        elif deal is None:
            openers = None  # who opens next depends on a deal that was left out
    is_readable |= "result" in log
    if log["deals"]:
        last = log["deals"][-1]
        _add_comments(last, left_out, len(last.get("actions", ())), at_end=True)
    if other := [one for one in questions[questions_before:] if _is_of_other_game(one)]:
        questions[questions_before:] = [_other_game_question(match, other[0])]
        return None
    refused = [one for one in questions[questions_before:] if one.finding]
    if refused and (rules := _rules_that_allow(match, head)):
        if "rules" in head and len(rules) == 1:
            del questions[questions_before:]
            unread.clear()
            notices.append(FileNote(BIDS_SHOW_RULES, {"line": match.line, "rules": rules[0]}))
            head["rules"] = find_rules(rules[0], head["game"])
            return _parse_match(match, head, questions, unread, notices)
        others = [one for one in questions if one not in refused]
        questions[:] = [*others, which_rules(refused[0], rules, match.end_of_head)]
    if is_readable and (shown := shown_rules(log)):
        log["rules"] = head["rules"] = find_rules(shown, head["game"])
        notices.append(FileNote(BIDS_SHOW_RULES, {"line": match.line, "rules": shown}))
    return (log, SourceMap(SourcePart(str(match.line)), tuple(parts))) if is_readable else None


def _add_comments(
    deal: dict[str, Any], lines: Sequence[NoteLine], after: int, *, at_end: bool = False
) -> None:
    """Add lines to the comments of a deal, before or after all others."""
    if lines:
        own = [{"after": after, "text": line.text} for line in lines]
        others = deal.get("comments", [])
        deal["comments"] = [*others, *own] if at_end else [*own, *others]


def _rules_that_allow(match: _MatchNotes, head: dict[str, Any]) -> list[str]:
    """Return the rules, as text, under which no act of a match is impossible, in place of its own."""

    def is_possible(rules: str) -> bool:
        questions: list[Question] = []
        _parse_match(match, {**head, "rules": find_rules(rules, head["game"])}, questions, [], [])
        return not any(one.finding for one in questions)

    return [rules for rules in other_rules(head) if is_possible(rules)]


def _is_of_other_game(question: Question) -> bool:
    return question.finding is not None and question.finding.code == "other-game"


def _other_game_question(match: _MatchNotes, question: Question) -> Question:
    """Return the question with its answer: the game of the hands, for the line that names another."""
    assert question.finding is not None
    games = tuple(map(game_title, question.finding.legal))
    for line in match.head:
        if MATCH_LABELS.get(line.label) == "game":
            return replace(question, line=line.number, column=line.column, read=line.body, answers=games)
    answers = tuple(f"Jeu : {game}" for game in games)
    return replace(question, line=match.line, answers=answers, new_line=match.end_of_head)


def _teams(match: _MatchNotes, head: dict[str, Any], questions: list[Question]) -> dict[str, int]:
    """Return word → seat of a player, for words such as « nous »; ask which team it is."""
    players = head["players"]
    sides = game_of(head["game"]).side_count(len(players))
    if sides == len(players):
        return {}
    for line in match.head:
        seats = {seat_of_name(name, players) for name in names_in(line.body)}
        known = {seat % sides for seat in seats if seat is not None}
        if line.label in TEAM_WORDS and len(known) == 1 and None not in seats:
            we = known.pop() ^ TEAM_WORDS[line.label]
            return {word: we ^ side for word, side in TEAM_WORDS.items()}
    _ask_which_team(match, head, TEAM_SCORE_PATTERN, questions)
    return {}


def _point_sides(match: _MatchNotes, head: dict[str, Any], questions: list[Question]) -> dict[int, int]:
    """Return 0 for north-south and 1 for east-west → the side, from 0, of these; ask which it is."""
    players = head["players"]
    if game_of(head["game"]).side_count(len(players)) != len(POINT_SIDES):
        return {}
    for line in match.head:
        points = next((at for at, words in enumerate(POINT_SIDES) if normalized(line.label) in words), None)
        seats = [seat_of_name(name, players) for name in names_in(line.body)]
        sides = {None if seat is None else seat % len(POINT_SIDES) for seat in seats}
        if points is not None and len(sides) == 1 and (side := sides.pop()) is not None:
            return {points: side, 1 - points: 1 - side}
    _ask_which_team(match, head, POINT_SIDE_PATTERN, questions)
    return {}


def _ask_which_team(
    match: _MatchNotes, head: dict[str, Any], words: re.Pattern[str], questions: list[Question]
) -> None:
    """Ask who the players of a team are, at the first line that has the word for it."""
    names = [one.get("name") or one["id"] for one in head["players"]]
    sides = game_of(head["game"]).side_count(len(names))
    for line in match.lines:
        if found := words.search(with_digits(line.text)):
            word = found[found.lastindex or 0]
            could = tuple(f"{word} : {' et '.join(names[side::sides])}" for side in range(sides))
            column = line.first_column + found.start(found.lastindex or 0)
            more: Any = {"answers": could, "new_line": match.end_of_head}
            questions.append(Question(line.number, column, word, WHO_IS_WE, could, **more))
            return
