"""Parses notes as players write them; docs/notes.md has the grammar.

The parser does not guess: unclear text returns a question with its position, and then no log. If
the notes do not name the player of an action, the engine determines whose turn it is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from engine.games import game as game_of
from engine.games import game_names, game_title
from ingest.games import game_support
from ingest.i18n import N_
from ingest.importers.deal_notes import HAND_PATTERN, HEADING_PATTERN, DealNotesParser, NoteLine, parse_line
from ingest.importers.headings import DEAL_LABELS, EVENT_KEYS, MATCH_LABELS
from ingest.importers.import_result import ImportResult, Question, SourceMap, SourcePart
from ingest.importers.tokenizer import find_game, make_reader, parse_date, parse_player
from schemas.models import FORMAT

NO_GAME = N_("“{read}” is no game. Is it {could}?")
WHICH_DECK = N_("Which deck was it? Write it in the first lines, as in: {could}.")
NO_DECK = N_("“{read}” is no deck that is known. Write one that is, as in: {could}.")
NO_DATE = N_("“{read}” is no date. Write it as in: {could}.")
NO_PLAYERS = N_("Who plays? Write the players in the order in which they sit, as in: {could}.")
TOO_LONG = N_("A line of {read} characters is not read; notes have short ones.")
DECK_LABELS = ("Jeu de cartes :", "Deck:")
MAX_LINES = 20_000
MAX_LINE_CHARACTERS = 2_000  # characters per line
HEAD_KEYS = ("format", "game", "rules", "played_at", "event")
"""Keys that default to those of the previous match."""
_NAME_SEPARATOR = re.compile(r"\s*[,;]\s*|\s+[–—-]\s+")
_CARD_PATTERN = re.compile(r"(?:10|[2-9AKQJTRDV])\ufe0f?[♠♥♦♣]")


@dataclass(slots=True)
class _MatchNotes:
    """The lines of one match: its head, and a paragraph per deal."""

    head: list[NoteLine] = field(default_factory=list)
    deals: list[list[NoteLine]] = field(default_factory=list)

    @property
    def line(self) -> int:
        return (self.head or self.deals[0])[0].number

    @property
    def lines(self) -> Iterator[NoteLine]:
        return (line for deal in self.deals for line in deal)


def read_notes(text: str, default_game: str | None = None, zone: tzinfo | None = None) -> ImportResult:
    """Parse notes into logs, or return questions; no text raises.

    `default_game` is used if the notes name no game, `zone` (default: the machine's) for dates
    without a time zone.
    """
    found = ImportResult()
    questions = found.questions
    head: dict[str, Any] = {}
    for match in _split_matches(_note_lines(text, questions)):
        head = {"format": FORMAT, **{key: head[key] for key in HEAD_KEYS if key in head}}
        for line in match.head:
            if line.label:
                _parse_head_line(line, head, questions, zone)
        if default_game is not None:
            head.setdefault("game", default_game)
        if "game" in head:
            if "players" not in head:
                _seat_players(match, head, questions)
            if "players" in head and (read := _parse_match(match, head, questions)) is not None:
                found.logs.append(read[0])
                found.origins.append(read[1])
        elif not any(line.label in ("jeu", "game") for line in match.head):
            questions.append(_game_question(match.line))
    if not found.logs and not questions:
        questions.append(_game_question(1))
    if questions:
        questions.sort(key=lambda one: (one.line, one.column))
        found.logs.clear()
        found.origins.clear()
    return found


def is_notes(text: str) -> bool:
    """Return whether a text looks like notes: not JSON, with a known label or a card."""
    if text.lstrip()[:1] in ("{", "["):
        return False
    items = [line for line in _note_lines(text[:MAX_LINE_CHARACTERS], []) if line is not None and line.label]
    known = MATCH_LABELS | DEAL_LABELS
    return any(line.label in known or _CARD_PATTERN.search(line.body) for line in items)


def _game_question(line: int) -> Question:
    could = (" / ".join(f"Jeu : {game_title(name)}" for name in game_names()),)
    return Question(line, 1, "", N_("Which game is it? Write it in the first lines, as in: {could}."), could)


def _note_lines(text: str, questions: list[Question]) -> Iterator[NoteLine | None]:
    """Yield the parsed lines, and None for each empty line."""
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines()[:MAX_LINES], 1):
        if not raw.strip():
            yield None
        elif len(raw) > MAX_LINE_CHARACTERS:
            questions.append(Question(number, 1, str(len(raw)), TOO_LONG))
        else:
            yield parse_line(number, raw.rstrip())


def _split_matches(lines: Iterator[NoteLine | None]) -> Iterator[_MatchNotes]:
    """Split at each head that follows deals; all head lines before a deal are one head."""
    match, fresh = _MatchNotes(), True
    for line in lines:
        if line is None:
            fresh = True
            continue
        if line.label in MATCH_LABELS and fresh and match.deals:
            yield match
            match = _MatchNotes()
        if not match.deals and (line.label in MATCH_LABELS or line.is_comment):
            match.head.append(line)
            continue
        if fresh or not match.deals:
            match.deals.append([])
        match.deals[-1].append(line)
        fresh = False
    if match.head or match.deals:
        yield match


def _parse_head_line(
    line: NoteLine, head: dict[str, Any], questions: list[Question], zone: tzinfo | None
) -> None:
    """Parse a head line of a match into `head`, or add a question."""
    key, body = MATCH_LABELS[line.label], line.body.strip()
    value: Any = None
    could: tuple[str, ...] = ()
    if key == "game":
        value, text, could = find_game(body), NO_GAME, (*map(game_title, game_names()),)
    elif key == "played_at":
        value, text, could = parse_date(body, zone), NO_DATE, ("2026-05-02", "2 mai 2026 20:30")
    elif key == "players":
        value = [parse_player(one) for one in _NAME_SEPARATOR.split(body) if one]
    elif key in EVENT_KEYS:
        key, value = "event", {**head.get("event", {}), key: body}
    else:
        value = body.lower() if key == "rules" else body
    if value is None:
        questions.append(Question(line.number, line.column, line.body, text, could))
    else:
        head[key] = value


def _seat_players(match: _MatchNotes, head: dict[str, Any], questions: list[Question]) -> None:
    """Seat the players from their lines' labels, if there are exactly two; else add a question."""
    cards = game_support(head["game"]).CARD_LINE_READERS
    fields: dict[str, str] = {}
    for line in match.lines:
        label = line.label
        of_deal = label in DEAL_LABELS or label in cards or HAND_PATTERN.fullmatch(label)
        if label and not of_deal and not HEADING_PATTERN.fullmatch(label):
            fields.setdefault(label, line.text.split(":")[0].strip())
    if len(fields) == 2 and 2 in game_of(head["game"]).players:
        head["players"] = [parse_player(name) for name in fields.values()]
    else:
        could = ("Joueurs : " + ", ".join(fields.values() or ("Lucie", "Marcel")),)
        questions.append(Question(match.line, 1, "", NO_PLAYERS, could))


def _parse_match(
    match: _MatchNotes, head: dict[str, Any], questions: list[Question]
) -> tuple[dict[str, Any], SourceMap] | None:
    """Parse a match's deals; None, with questions added, if something is unclear."""
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
            else:
                place = match.line, 1, "", WHICH_DECK
            questions.append(Question(*place, could))
        return None
    log, parts = {**head, "deals": []}, []
    for lines in match.deals:
        deal = DealNotesParser(reader, log, questions).parse(lines)
        if deal is None:
            return None
        if deal:
            log["deals"].append(deal)
            parts.append(SourcePart(str(lines[0].number)))
    return log, SourceMap(SourcePart(str(match.line)), tuple(parts))
