"""The `Finding` and `Edit` types.

A finding's sentence comes from the record of its code (`ingest.findings.codes`); `follows` refers
to the earlier error that may have caused it.
"""

from collections.abc import Collection, Sequence
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
STATUSES = ("legal", "unverified", "result-only", "irregular", "incomplete", "broken", "unreadable")
"""Verdicts from best to worst; a match has the worst of its deals.

`unverified`: no errors, but not everything could be checked; `result-only`: the log has no deals.
"""
RULES_PAGE = "docs/rules.md"
FORMAT_PAGE = "docs/format.md"
MAX_FINDINGS = 1000
"""Findings of a match that are explained; a last one counts the others."""
MORE_FINDINGS = "more-findings"
UNKNOWN_ACTION = "unknown-action"
"""Breaks no rule of the game, but the play lacks the intended action."""
JSON_KEYS = (
    *("code", "rule", "link", "severity", "line", "column", "path"),
    *("manche", "partie", "deal_index", "trick", "card", "action_index", "seat"),
    *("found", "legal", "hand", "follows"),
)
"""The first keys of a finding in JSON, before its edit, place and message."""


@dataclass(slots=True, frozen=True)
class Edit:
    """A JSON Patch operation (RFC 6902) on the match that resolves its finding."""

    op: str  # `replace`, `remove` or `add`
    path: str
    value: Any = None
    reason: str = ""
    """The assumed recording error: `card`, `word`, `seat`, `action`, `value`, `pack` …"""
    cards: tuple[int, str, str] | None = None
    """For a pack: the card's place, from 1, the card there, and the one to write.

    The place is 0 if two cards are exchanged.
    """
    also: tuple["Edit", ...] = ()
    """Edits applied after it: of an action's time, or the other half of an exchange."""

    def as_dict(self) -> dict[str, Any]:
        """Return the operation, with the edits that belong to it, if any, under `also`."""
        plain: dict[str, Any] = {"op": self.op, "path": self.path}
        if self.op != "remove":
            plain["value"] = self.value
        return plain | ({"also": [one.as_dict() for one in self.also]} if self.also else {})


@dataclass(slots=True, frozen=True)
class Candidate:
    """One of several possible edits, with the deal's points and winner once applied."""

    edit: Edit
    points: list[Any] | None = None
    winner: Any = None

    def as_dict(self) -> dict[str, Any]:
        """Return the edit's operation with the resulting points and winner."""
        return self.edit.as_dict() | {"points": self.points, "winner": self.winner}


@dataclass(slots=True)
class Finding:
    """One error, warning or note about a match. Places count from 1, those that end in `_index` from 0."""

    code: str
    rule: str
    severity: str
    path: str  # JSON pointer into the match
    deal_index: int | None = None
    action_index: int | None = None
    seat: int | None = None
    found: Any = None
    legal: Any = None
    hand: list[str] | None = None
    """The actor's hand before the action, sorted; for a wrong turn, that of the player to act."""
    manche: int | None = None
    partie: int | None = None
    """Within the manche; None if the game counts no parties, or the count is unknown."""
    trick: int | None = None
    card: int | None = None  # its place in the trick, for a card played
    line: int | None = None
    """Line in the file. `column` counts characters; `end` is the column after the value."""
    column: int | None = None
    end: int | None = None
    follows: int | None = None
    """Index among the match's findings of the error that may have caused this one."""
    edit: Edit | None = None  # the only change that resolves it, if there is one
    candidates: tuple[Candidate, ...] = ()
    """If several changes resolve it: at most five, the most likely first."""
    searched: bool = True
    """Whether the search for edits finished within the limits for a match."""
    detail: dict[str, Any] = field(default_factory=dict)
    """More values for its sentence: the players' names, the suit led …"""
    game: str = ""  # the game of the code; empty for a document finding

    @property
    def code_info(self) -> CodeInfo:
        """The record of its code. KeyError: the code is unknown."""
        return code_info(self.code, self.game)

    @property
    def is_about_document(self) -> bool:
        """Whether it concerns only the document: no error of play causes it or follows from it."""
        return self.rule == "format" and self.code != UNKNOWN_ACTION

    @property
    def link(self) -> str:
        """The rule's page and anchor, relative to the project's root."""
        if self.rule == "format":
            return FORMAT_PAGE
        return f"{RULES_PAGE}#{self.rule.lower()}"

    def message(self, t: Translate) -> str:
        """Return the finding as a sentence for players. KeyError: its code is unknown."""
        one, detail = self.code_info, self.detail
        values: dict[str, Any] = {
            "who": self._value_text(t, ValueKind.SEATS, self.seat),
            "found": self._value_text(t, one.value_kind, self.found),
            "legal": self._value_text(t, one.legal_kind or one.value_kind, self.legal),
            "hand": self._value_text(t, ValueKind.ACTS, self.hand),
            "turn": self._value_text(t, ValueKind.SEATS, detail.get("turn")),
        }
        values["what"] = values["where"] = detail.get("where", "")
        values |= detail.get("values", {})
        if problem := detail.get("problem"):
            values["problem"] = t(problem, **values)
        if one.value_kind is ValueKind.SYSTEM:
            values["problem"] = translate_reason(t, self.found)
        fitting = (sentence for fits, sentence in one.sentences_when.items() if fits(self))
        text = t(next(fitting, one.sentence), **values)
        if first := detail.get("first"):
            text += " " + t("The first deal whose sheet differs: {place}.", place=first.place(t))
        return text

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
        return describe_value(t, value, spoken in (ValueKind.CARDS, ValueKind.ACTS), self.game or None)

    def advice(self, t: Translate) -> str:
        """Return what to do about the finding; empty if its code is unknown."""
        try:
            return advice_for(t, self.code, self.game)
        except KeyError:
            return ""

    def place(self, t: Translate) -> str:
        """Return its place in the match in words: `manche 1, partie 2, trick 7, card 2`."""
        at = self.manche, self.partie, self.deal_index, self.trick, self.card
        return describe_place(t, *at, auction=bool(self.detail.get("auction")))

    def as_dict(self, t: Translate) -> dict[str, Any]:
        """Return the finding as `--format jsonl` writes it, always with every key."""
        plain = {name: getattr(self, name) for name in JSON_KEYS}
        edit = None if self.edit is None else self.edit.as_dict()
        several = [one.as_dict() for one in self.candidates]
        fields = {"edit": edit, "candidates": several, "searched": self.searched}
        return plain | fields | {"place": self.place(t), "message": self.message(t)}


def finding_count(findings: Sequence[Finding]) -> int:
    """Count the findings of a match, explained or not."""
    return sum(int(one.found) if one.code == MORE_FINDINGS else 1 for one in findings)


def describe_place(t: Translate, *position: int | None, auction: bool = False) -> str:
    """Describe a place in a match: manche, partie, deal (from 0), trick and card.

    Omits the deal if the partie of the first manche has the same number. They differ after a
    null or replayed partie, which takes several deals.
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
    """Set `follows` of errors that an earlier error may have caused, so that it is fixed first.

    Within a deal, errors of play follow from earlier play; across deals, errors of counting follow
    from deals whose outcome is wrong. A link does not prove anything; `CodeInfo.depends_on` governs it.

    `harmless`: indices of findings whose act changed no player's legal acts, so that they cause no
    later error of play. `settled_deals`: deals with the right points and winner on the sheet, so
    that their play causes no error across deals.
    """
    played: dict[int, int] = {}  # deal → index of its first error of play
    moved: dict[int, int] = {}  # deal → index of its first that changed the legal acts
    outcome: dict[int, int] = {}  # deal → index of the first that may affect its outcome
    cut: int | None = None
    over: int | None = None  # index of the first that reports the match was over

    def of_deals(other: int | None) -> int | None:
        """Return the first error that may affect any deal's outcome, or `other` if earlier."""
        every = outcome.values()
        return min(every if other is None else [*every, other], default=None)

    for place, finding in enumerate(findings):
        # document errors, and winners without a right value, follow from nothing
        if finding.severity != ERROR or finding.is_about_document or finding.detail.get("open"):
            continue
        first: int | None = None
        deal, rests = finding.deal_index, finding.code_info.depends_on
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
                # the first deal of a manche depends on the cut and on every deal before
                first = of_deals(cut)
        elif finding.action_index is not None:
            first = moved.get(deal)
            if first is not None and findings[first].action_index == finding.action_index:
                first = None
            played.setdefault(deal, place)
            if place not in harmless:
                moved.setdefault(deal, place)
            if deal not in settled_deals:
                outcome.setdefault(deal, place)
        finding.follows = first
