"""The `Finding` and `Edit` types.

With its sentence and its place in words, by the record of its code, and the earlier error it may
come of.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from ingest.findings.codes import advice_for, code_info
from ingest.findings.os_errors import translate_reason
from ingest.findings.spoken_notation import describe_seat, describe_value, describe_winner
from ingest.games.finding_code import ERROR as ERROR
from ingest.games.finding_code import NOTE as NOTE
from ingest.games.finding_code import WARNING as WARNING
from ingest.games.finding_code import CodeInfo, DependsOn, ValueKind
from ingest.i18n import N_, Translate

DEAL_TEXT = N_("deal {n}")
STATUSES = ("legal", "unproven", "irregular", "incomplete", "broken", "unreadable")
"""From best to worst; a match has the worst of its deals.

`unproven`: nothing wrong was found, but not all could be checked.
"""
RULES_PAGE = "docs/rules.md"
FORMAT_PAGE = "docs/format.md"
UNKNOWN_ACTION = "unknown-action"
"""No rule of a game is broken by it; but what it stands for is missing from the play."""
JSON_KEYS = (
    *("code", "rule", "link", "severity", "line", "column", "path"),
    *("manche", "partie", "deal", "trick", "card", "action", "seat"),
    *("found", "legal", "hand", "follows"),
)
"""What a finding's object says before its edit and its words."""


@dataclass(slots=True, frozen=True)
class Edit:
    """A JSON Patch operation (RFC 6902) on the match after which its finding is gone."""

    op: str  # `replace`, `remove` or `add`
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
    path: str  # JSON pointer into the match
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
    card: int | None = None  # its place in the trick, for a card played
    line: int | None = None
    """In the file, as `column`, which counts characters; `end` is the column past it."""
    column: int | None = None
    end: int | None = None
    follows: int | None = None
    """The place, among the match's findings from 0, of the error this one may come from."""
    edit: Edit | None = None  # the one change that makes it legal, where one does
    candidates: tuple[Candidate, ...] = ()
    """Where no change is alone: those there are, at most five, the likeliest first."""
    searched: bool = True
    """Whether the search for what mends it came to its end, within what a match may cost."""
    detail: dict[str, Any] = field(default_factory=dict)
    """What a sentence needs besides: the players' names, the suit led …"""
    game: str = ""  # whose code it is; empty for a document's

    @property
    def code_info(self) -> CodeInfo:
        """All that is said of its code. KeyError: nobody knows it."""
        return code_info(self.code, self.game)

    @property
    def is_about_document(self) -> bool:
        """Whether it is about the document alone, so that no play is behind it or comes of it."""
        return self.rule == "format" and self.code != UNKNOWN_ACTION

    @property
    def link(self) -> str:
        """Where the rule stands, below the project's root."""
        if self.rule == "format":
            return FORMAT_PAGE
        return f"{RULES_PAGE}#{self.rule.lower()}"

    def message(self, t: Translate) -> str:
        """A sentence a player understands. KeyError: its code has no record."""
        one, detail = self.code_info, self.detail
        values: dict[str, Any] = {
            "who": self._value_text(t, ValueKind.SEATS, self.seat),
            "found": self._value_text(t, one.value_kind, self.found),
            "legal": self._value_text(t, one.legal_kind or one.value_kind, self.legal),
            "hand": self._value_text(t, ValueKind.ACTS, self.hand),
            "turn": self._value_text(t, ValueKind.SEATS, detail.get("turn")),
        }
        values["what"] = values["where"] = detail.get("where", "")
        if problem := detail.get("problem"):
            values["problem"] = t(problem, **(values | detail.get("values", {})))
        if one.value_kind is ValueKind.SYSTEM:
            values["problem"] = translate_reason(t, self.found)
        fitting = (sentence for fits, sentence in one.sentences_when.items() if fits(self))
        said = t(next(fitting, one.sentence), **values)
        if first := detail.get("first"):
            said += " " + t("The first deal whose sheet differs: {place}.", place=first.place(t))
        return said

    def _value_text(self, t: Translate, spoken: ValueKind, value: Any) -> str:
        if spoken is ValueKind.DECLARED:
            spoken = ValueKind.WINNER if self.path.endswith("/winner") else ValueKind.ACTS
        match spoken:
            case ValueKind.SEATS:
                return describe_seat(t, value, self.detail.get("names", []))
            case ValueKind.WINNER:
                return describe_winner(t, value, self.detail)
            case ValueKind.CARDS:
                value = [word.split(" ")[-1] for word in value]
        return describe_value(
            t, value, spoken in (ValueKind.CARDS, ValueKind.ACTS), self.game or None
        )

    def advice(self, t: Translate) -> str:
        """What to do about it; empty for a code nobody knows."""
        try:
            return advice_for(t, self.code, self.game)
        except KeyError:
            return ""

    def place(self, t: Translate) -> str:
        """Where in the match, in words: `manche 1, partie 2, trick 7, 2nd card`."""
        at = self.manche, self.partie, self.deal, self.trick, self.card
        return describe_place(t, *at, auction=bool(self.detail.get("auction")))

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """The finding as `--format jsonl` writes it: always every key."""
        plain = {name: getattr(self, name) for name in JSON_KEYS}
        edit = None if self.edit is None else self.edit.as_dict()
        several = [one.as_dict() for one in self.candidates]
        told = {"edit": edit, "candidates": several, "searched": self.searched}
        return plain | told | {"place": self.place(t), "message": self.message(t)}


def describe_place(t: Translate, *position: int | None, auction: bool = False) -> str:
    """Where in a match something is: manche, partie, deal, trick and card; `deal` counts from 0.

    The deal is told where no partie is counted, and where it is not the partie of that number, as
    a null or replayed partie takes more than one.
    """
    manche, partie, deal = position[:3]
    if deal is not None:
        deal = None if partie == deal + 1 and manche in (1, None) else deal + 1
    texts = N_("manche {n}"), N_("partie {n}"), DEAL_TEXT, N_("trick {n}"), N_("card {n}")
    places = zip(texts, (manche, partie, deal, *position[3:]), strict=False)
    words = [t(text, n=n) for text, n in places if n is not None]
    return ", ".join([*words, t(N_("auction"))] if auction else words)


def mark_root_causes(
    findings: list[Finding], harmless: Collection[int], settled_deals: Collection[int]
) -> None:
    """Set `follows` of the errors that may come of an earlier one, so that it is mended first.

    Within a deal, play follows from play; across deals, what the sheet counts follows from deals
    whose outcome it does not tell as it was. None is proof; what a code rests on is in its record.

    `harmless`: places of findings whose act left everybody's legal acts as they were, so that no
    later play can come of it. `settled_deals`: deals whose points and winner the sheet has right,
    so that nothing across deals can come of their play.
    """
    played: dict[int, int] = {}  # deal → the place of its first error of play
    moved: dict[int, int] = {}  # deal → of its first that changed what could be played
    outcome: dict[int, int] = {}  # deal → of the first behind what the sheet makes of it
    cut: int | None = None
    over: int | None = None  # the first that says the match was over

    def of_deals(other: int | None) -> int | None:
        """The first error behind how any deal came out, or `other` if that is earlier."""
        every = outcome.values()
        return min(every if other is None else [*every, other], default=None)

    for place, finding in enumerate(findings):
        # what the document lacks, and a winner nobody could be, stand for themselves
        if finding.severity != ERROR or finding.is_about_document or finding.detail.get("open"):
            continue
        first: int | None = None
        deal, rests = finding.deal, finding.code_info.depends_on
        if rests is DependsOn.CUT:
            cut = place if cut is None else cut
        elif rests in (DependsOn.DEALS, DependsOn.END):
            first = of_deals(over)
            if rests is DependsOn.END and over is None:
                over = place
        elif deal is None:
            pass
        elif rests is DependsOn.DEAL:
            outcome.setdefault(deal, place)
            first = played.get(deal)
        elif rests is DependsOn.DEAL_BEFORE:
            first = outcome.get(deal - 1)
            if first is None and finding.partie == 1:
                # the first of a manche: that it begins here, and who deals, rests on more
                first = of_deals(cut)
        elif finding.action is not None:
            first = moved.get(deal)
            if first is not None and findings[first].action == finding.action:
                first = None
            played.setdefault(deal, place)
            if place not in harmless:
                moved.setdefault(deal, place)
            if deal not in settled_deals:
                outcome.setdefault(deal, place)
        finding.follows = first
