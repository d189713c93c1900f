"""The record of a finding code: message, advice, how edits are searched.

Each game's module imports it to define records of its own codes; codes shared by games or documents
are in `ingest.findings.codes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import Any

from ingest.i18n import N_

ERROR, WARNING, NOTE = "error", "warning", "note"  # severities of findings


class ValueKind(Enum):
    """How a sentence describes a value of a finding."""

    TEXT = auto()  # verbatim text of the log, never read as a card
    ACTS = auto()  # cards, acts, or a list of them
    CARDS = auto()  # the card alone of each act
    SEATS = auto()  # seats from 1, described with their players
    WINNER = auto()  # the seat or the side that wins, from 1
    DECLARED = auto()
    """A value of the sheet: WINNER if the path ends in `/winner`, else ACTS."""
    SYSTEM = auto()  # a library's or the system's message, `{problem}` in the sentence


class UnderlinedPart(Enum):
    """The part of the value at a finding's path to underline."""

    WHOLE = auto()
    WORD = auto()
    """One card in a string of several; findings on the same card mark its occurrences in turn."""
    LAST_WORD = auto()  # the last occurrence of the card


class DependsOn(Enum):
    """The earlier parts of a match in which an error may cause a finding."""

    EARLIER_PLAY = auto()  # earlier play of its deal, if it concerns an action
    DEAL = auto()  # all play of its deal: it concerns the outcome
    DEAL_BEFORE = auto()  # the outcome of the preceding deal
    DEALS = auto()  # the outcomes of all preceding deals
    END = auto()
    """As DEALS; and since it reports the end of the match, later counts depend on it."""
    CUT = auto()  # nothing: it concerns the cut, on which the first deal of a manche depends


class EditSearch(Enum):
    """How autofix searches for an edit, for codes not fixed by changing the play."""

    TOTAL = auto()  # write the engine's count on the sheet
    SEAT = auto()  # another dealer or leader
    BID = auto()  # another bid card
    TIMES = auto()  # remove a time, or write one that fits
    CUT = auto()  # another cut, or another attempt at it
    CARDS = auto()  # replace, add or remove a card
    WORD = auto()  # the nearest known word


Condition = Callable[[Any], bool]  # whether an alternative sentence fits a finding better


def is_nothing_found(finding: Any) -> bool:
    """Whether a required value is missing from the log or empty."""
    return finding.found in (None, "")


def has_legal(finding: Any) -> bool:
    """Whether a finding lists what is possible instead."""
    return bool(finding.legal)


def is_about(what: str) -> Condition:
    """Return whether a finding's `{what}` is this."""
    return lambda finding: bool(finding.detail.get("where") == what)


def is_about_all_hands(finding: Any) -> bool:
    """Whether a finding counts the hands of a deal, not the cards of one."""
    return bool(finding.path.endswith("/hands"))


def is_without_winner(finding: Any) -> bool:
    """Whether the sheet's winner is wrong, and no right one is known."""
    return bool(finding.detail.get("open"))


def is_of_score_sheet(finding: Any) -> bool:
    """Whether the finding is about a deal without cards."""
    return bool(finding.detail.get("score_sheet"))


def is_turn_known(finding: Any) -> bool:
    """Whether the player to act is known, even in a partly recorded deal."""
    return bool(finding.detail.get("turn"))


def has_likely_value(finding: Any) -> bool:
    """Whether a likely right value is known."""
    return finding.legal is not None


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """The record of a code, its key in `FINDING_CODES` or `SHARED_CODES`. Never reuse or rename a
    code: stored findings refer to it. Texts are in English; the catalogue of the game, or of
    `ingest`, translates them.

    Placeholders of a sentence: `{who}` acted; `{found}`, `{legal}` and `{hand}` as in the finding;
    `{turn}` the player to act; `{where}`, `{what}` and `{problem}` from its `detail`.
    """

    sentence: str
    advice: str
    """One sentence that advises the user; its only placeholder, `{games}`, takes the `ADVICE_PHRASES`."""
    value_kind: ValueKind = ValueKind.TEXT  # of `found`, and of `legal` unless `legal_kind` is set
    legal_kind: ValueKind | None = None
    sentences_when: Mapping[Condition, str] = field(default_factory=dict, hash=False)
    """Alternative sentences; the first whose condition holds replaces `sentence`."""
    severity: str = ""
    """`error` or `warning` for document codes; else empty: the engine's tables have it."""
    depends_on: DependsOn = DependsOn.EARLIER_PLAY
    declared_key: str = ""
    """The key of a deal or result whose declared value is wrong."""
    edit_search: EditSearch | None = None
    underlined: UnderlinedPart = UnderlinedPart.WHOLE
    has_example: bool = True
    """Whether `data/fautes/` has an example log; false for codes about whole files."""


action_code = partial(CodeInfo, value_kind=ValueKind.ACTS)
"""A code about an act, described in players' words."""
total_code = partial(CodeInfo, edit_search=EditSearch.TOTAL)
"""A code about a declared value that differs from the engine's count."""
deal_code = partial(CodeInfo, depends_on=DependsOn.DEAL)
"""A code about the outcome of a deal, or about a score sheet line."""
revoke_code = partial(
    action_code,
    advice=N_(
        "If the log is right it is a revoke: the players decide what it costs. If not, correct the card."
    ),
)
"""A code about an illegal card, in any game."""
