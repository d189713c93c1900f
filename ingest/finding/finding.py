"""What was found in a log: code, rule, place, what stood there, what was legal, what mends it."""

from dataclasses import dataclass, field
from typing import Any

from ingest.finding.codes import record
from ingest.finding.sentence import advise, say, speak_place
from ingest.games.code import ERROR as ERROR
from ingest.games.code import NOTE as NOTE
from ingest.games.code import WARNING as WARNING
from ingest.games.code import Code
from ingest.i18n import Translate

STATUSES = ("legal", "unproven", "irregular", "incomplete", "broken", "unreadable")
"""From best to worst; a match has the worst of its deals.

`unproven`: nothing wrong was found, but not all could be checked.
"""

RULES_PAGE = "docs/rules.md"
FORMAT_PAGE = "docs/format.md"
UNKNOWN_ACTION = "unknown-action"
"""No rule of a game is broken by it; but what it stands for is missing from the play."""


@dataclass(slots=True, frozen=True)
class Edit:
    """A JSON Patch operation (RFC 6902) on the match after which its finding is gone."""

    op: str
    """`replace`, `remove` or `add`."""
    path: str
    value: Any = None
    why: str = ""
    """The slip it takes the finding for: `card`, `word`, `seat`, `action`, `value`, `pack` …"""
    cards: tuple[int, str, str] | None = None
    """Of a pack: the place of the card in it, from 1, the card there, and the one to write.

    Where two cards are exchanged the place is 0.
    """
    also: tuple["Edit", ...] = ()
    """What goes with it, done after it: an action's time, the other one of two in exchange."""

    def as_dict(self) -> dict[str, Any]:
        """The operation; those that go with it, where there are some, are its `also`."""
        plain: dict[str, Any] = {"op": self.op, "path": self.path}
        if self.op != "remove":
            plain["value"] = self.value
        return plain | ({"also": [one.as_dict() for one in self.also]} if self.also else {})


@dataclass(slots=True, frozen=True)
class Candidate:
    """An edit that is not alone, and what its deal comes to with it."""

    edit: Edit
    points: list[Any] | None = None
    winner: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The edit's operation, with the points and the winner it makes."""
        return self.edit.as_dict() | {"points": self.points, "winner": self.winner}


@dataclass(slots=True)
class Finding:
    """One thing wrong with a match. `deal` and `action` count from 0, all the rest from 1."""

    code: str
    rule: str
    severity: str
    path: str
    """JSON pointer into the match."""
    deal: int | None = None
    action: int | None = None
    seat: int | None = None
    found: Any = None
    legal: Any = None
    hand: list[str] | None = None
    """The actor's hand as it stood, sorted as players sort it; of a wrong turn, of whose it was."""
    manche: int | None = None
    partie: int | None = None
    """Of the manche; None where the game counts none, or it cannot be counted any more."""
    trick: int | None = None
    card: int | None = None
    """Its place in the trick, for a card played."""
    line: int | None = None
    """In the file, as `column`, which counts characters; `end` is the column past it."""
    column: int | None = None
    end: int | None = None
    follows: int | None = None
    """The place, among the match's findings from 0, of the error this one may come from."""
    edit: Edit | None = None
    """The one change that makes it legal, where one does."""
    candidates: tuple[Candidate, ...] = ()
    """Where no change is alone: those there are, at most five, the likeliest first."""
    searched: bool = True
    """Whether the search for what mends it came to its end, within what a match may cost."""
    detail: dict[str, Any] = field(default_factory=dict)
    """What a sentence needs besides: the players' names, the suit led …"""
    game: str = ""
    """Whose code it is; empty for a document's."""

    @property
    def record(self) -> Code:
        """All that is said of its code. KeyError: nobody knows it."""
        return record(self.code, self.game)

    @property
    def stands_alone(self) -> bool:
        """Whether it is about the document alone, so that no play is behind it or comes of it."""
        return self.rule == "format" and self.code != UNKNOWN_ACTION

    @property
    def link(self) -> str:
        """Where the rule stands, below the project's root."""
        if self.rule == "format":
            return FORMAT_PAGE
        return f"{RULES_PAGE}#{self.rule.lower()}"

    def message(self, t: Translate) -> str:
        """A sentence a player understands."""
        return say(t, self)

    def advice(self, t: Translate) -> str:
        """What to do about it; empty for a code nobody knows."""
        return advise(t, self.code, self.game)

    def place(self, t: Translate) -> str:
        """Where in the match, in words: `manche 1, partie 2, trick 7, 2nd card`."""
        return speak_place(
            t,
            manche=self.manche,
            partie=self.partie,
            deal=self.deal,
            trick=self.trick,
            card=self.card,
            auction=bool(self.detail.get("auction")),
        )

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """The finding as `--format jsonl` writes it: always every key."""
        plain = {name: getattr(self, name) for name in KEYS}
        edit = None if self.edit is None else self.edit.as_dict()
        several = [one.as_dict() for one in self.candidates]
        told = {"edit": edit, "candidates": several, "searched": self.searched}
        return plain | told | {"place": self.place(t), "message": self.message(t)}


KEYS = (
    *("code", "rule", "link", "severity", "line", "column", "path"),
    *("manche", "partie", "deal", "trick", "card", "action", "seat"),
    *("found", "legal", "hand", "follows"),
)
"""What a finding's object says before its edit and its words."""


def worst(statuses: list[str]) -> str:
    """The worst of some statuses, `legal` of none."""
    return max(statuses, key=STATUSES.index, default="legal")
