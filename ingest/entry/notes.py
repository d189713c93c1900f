"""Text as people write it → logs: a head, then a paragraph a deal. The grammar is in docs/notes.md.

Nothing is guessed: what is unclear comes back as a question with its place, and then there is no
log. Whose turn it is, where nobody wrote it, the engine says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from engine.games import game as game_of
from engine.games import names, title
from ingest.entry import note_lines
from ingest.entry.dates import moment
from ingest.entry.headings import EVENT_KEYS
from ingest.entry.note_lines import Line, line_of, of_a_deal
from ingest.entry.people import game_called, player
from ingest.entry.question import Entered, Origin, Part, Question
from ingest.entry.told import Telling
from ingest.entry.words import WORD, reader_of
from ingest.finding.finding import Finding
from ingest.i18n import N_
from schemas.document import FORMAT

WHICH_GAME = N_("Which game is it? Write it in the first lines, as in: {could}.")
NO_GAME = N_("“{read}” is no game. Is it {could}?")
WHICH_DECK = N_("Which deck was it? Write it in the first lines, as in: {could}.")
NO_DECK = N_("“{read}” is no deck that is known. Write one that is, as in: {could}.")
NO_DATE = N_("“{read}” is no date. Write it as in: {could}.")
NO_PLAYERS = N_("Who plays? Write the players in the order in which they sit, as in: {could}.")
TOO_LONG = N_("A line of {read} characters is not read; notes have short ones.")
DECK_LABELS = ("Jeu de cartes :", "Deck:")
MOST_LINES = 20_000
LONGEST = 2_000
"""Characters of a line."""
_SEVERAL = re.compile(r"\s*[,;]\s*|\s+[–—-]\s+")


@dataclass(slots=True)
class _Match:
    """The lines of one match: its head, and its deals a paragraph each."""

    head: list[Line] = field(default_factory=list)
    deals: list[list[Line]] = field(default_factory=list)

    @property
    def line(self) -> int:
        """Where it begins."""
        return (self.head or self.deals[0])[0].number


def read_notes(text: str, game: str | None = None, zone: tzinfo | None = None) -> Entered:
    """The matches some notes hold, or the questions there are; nothing in the text raises.

    `game` is of notes that name none, `zone` that of dates that name none, else the machine's.
    """
    found = Entered()
    heads: dict[str, Any] = {}
    for match in _matches(list(_lines(text, found.questions))):
        heads = _Head(found.questions, zone).read(match, heads, game)
        if "game" in heads and "players" in heads:
            read = _log(match, heads, found.questions)
            if read is not None:
                found.logs.append(read[0])
                found.origins.append(read[1])
    if not found.logs and not found.questions:
        found.questions.append(_which_game(1))
    if found.questions:
        found.questions.sort(key=lambda one: (one.line, one.column))
        found.logs.clear()
        found.origins.clear()
    return found


def are_notes(text: str) -> bool:
    """Whether a text that is no JSON looks like notes: it names a game, or some line is of play."""
    if text.lstrip()[:1] in ("{", "["):
        return False
    found: list[Question] = []
    told = [line for line in _lines(text[:LONGEST], found) if line is not None and line.label]
    return any(
        line.label in note_lines.HEAD or line.label in note_lines.DEAL or _CARD.search(line.body)
        for line in told
    )


_CARD = re.compile(r"(?:10|[2-9AKQJTRDV])\ufe0f?[♠♥♦♣]")


def _which_game(line: int) -> Question:
    could = (" / ".join(f"Jeu : {title(name)}" for name in names()),)
    return Question(line, 1, "", WHICH_GAME, could)


def _lines(text: str, questions: list[Question]) -> Iterator[Line | None]:
    """The lines that say something, None for empty ones between paragraphs."""
    for number, raw in enumerate(text.removeprefix("\ufeff").splitlines()[:MOST_LINES], 1):
        if not raw.strip():
            yield None
        elif len(raw) > LONGEST:
            questions.append(Question(number, 1, str(len(raw)), TOO_LONG))
        else:
            yield line_of(number, raw.rstrip())


def _matches(lines: list[Line | None]) -> Iterator[_Match]:
    """Cut at heads that come after deals; lines of a head before the first deal are one."""
    match, fresh = _Match(), True
    for line in lines:
        if line is None:
            fresh = True
            continue
        if line.label in note_lines.HEAD and fresh and match.deals:
            yield match
            match = _Match()
        if not match.deals and (line.label in note_lines.HEAD or line.remark):
            match.head.append(line)
            continue
        if fresh or not match.deals:
            match.deals.append([])
        match.deals[-1].append(line)
        fresh = False
    if match.head or match.deals:
        yield match


class _Head:
    """Reads what stands above the deals of a match."""

    def __init__(self, questions: list[Question], zone: tzinfo | None) -> None:
        self.questions, self.zone = questions, zone

    def read(self, match: _Match, before: dict[str, Any], game: str | None) -> dict[str, Any]:
        """The keys of a match; those of the evening are as in the match before where left out."""
        kept = ("format", "game", "rules", "played_at", "event")
        head: dict[str, Any] = {"format": FORMAT}
        head |= {key: before[key] for key in kept if key in before}
        for line in match.head:
            if line.label:
                self._take(line, head)
        if game is not None:
            head.setdefault("game", game)
        if "game" not in head:
            if not any(line.label in ("jeu", "game") for line in match.head):
                self.questions.append(_which_game(match.line))
        elif "players" not in head:
            self._seat(match, head)
        return head

    def _take(self, line: Line, head: dict[str, Any]) -> None:
        key = note_lines.HEAD[line.label]
        if key == "game":
            self._game(line, head)
        elif key == "played_at":
            when = moment(line.body, self.zone)
            if when is None:
                self._ask(line, NO_DATE, "2026-05-02", "2 mai 2026 20:30")
            else:
                head[key] = when
        elif key == "players":
            head[key] = [player(one) for one in _SEVERAL.split(line.body.strip()) if one]
        elif key in EVENT_KEYS:
            head["event"] = {**head.get("event", {}), key: line.body.strip()}
        else:
            body = line.body.strip()
            head[key] = body.lower() if key == "rules" else body

    def _game(self, line: Line, head: dict[str, Any]) -> None:
        found = game_called(line.body)
        if found is None:
            self._ask(line, NO_GAME, *map(title, names()))
        else:
            head["game"] = found

    def _seat(self, match: _Match, head: dict[str, Any]) -> None:
        """Two players who are named by their lines alone may sit in either order."""
        told: dict[str, str] = {}
        for line in (line for deal in match.deals for line in deal):
            if line.label and not of_a_deal(line.label, head["game"]):
                told.setdefault(line.label, line.text.split(":")[0].strip())
        if len(told) == 2 and 2 in game_of(head["game"]).players:
            head["players"] = [player(name) for name in told.values()]
        else:
            could = ("Joueurs : " + ", ".join(told.values() or ("Lucie", "Marcel")),)
            self.questions.append(Question(match.line, 1, "", NO_PLAYERS, could))

    def _ask(self, line: Line, text: str, *could: str) -> None:
        self.questions.append(Question(line.number, line.column, line.body, text, could))


def _log(
    match: _Match, head: dict[str, Any], questions: list[Question]
) -> tuple[dict[str, Any], Origin] | None:
    """The match as a document, and where it stands.

    None, and questions, where its rules or its deck are not known.
    """
    reader = reader_of(head, _words(match))
    if isinstance(reader, list):
        questions += [
            _deck(match, one) or Question(match.line, 1, "", "", finding=one) for one in reader
        ]
        return None
    log, parts = {**head, "deals": []}, []
    for lines in match.deals:
        deal = Telling(reader, log, questions).read(lines)
        if deal is None:
            return None
        if deal:
            log["deals"].append(deal)
            parts.append(Part(str(lines[0].number)))
    return log, Origin(Part(str(match.line)), tuple(parts))


def _deck(match: _Match, finding: Finding) -> Question | None:
    """The line to write where the deck is not known; None: the finding is about something else."""
    if finding.path != "/deck":
        return None
    could = tuple(f"{label} {name}" for name in finding.legal for label in DECK_LABELS)
    told = [line for line in match.head if note_lines.HEAD.get(line.label) == "deck"]
    if not told:
        return Question(match.line, 1, "", WHICH_DECK, could)
    return Question(told[-1].number, told[-1].column, told[-1].body, NO_DECK, could)


def _words(match: _Match) -> Iterator[str]:
    """Every word below the head."""
    for line in (line for deal in match.deals for line in deal):
        if not line.remark:
            yield from (found[0] for found in WORD.finditer(line.body))
