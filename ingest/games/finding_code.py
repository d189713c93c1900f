"""The record of a finding code: message, advice, fixes.

It stands below the games, for each fills in the records of the codes no other game has; those that
games or documents share are in `ingest.findings.codes`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import Any

from ingest.i18n import N_

ERROR, WARNING, NOTE = "error", "warning", "note"  # severities of findings


class ValueKind(Enum):
    """How a value of a finding is spoken."""

    TEXT = auto()  # as it stands: any text of the log, which is never taken for a card
    ACTS = auto()  # cards, acts, or a list of them
    CARDS = auto()  # the card alone of each act
    SEATS = auto()  # seats from 1, by their players
    WINNER = auto()  # the seat or the side that wins, from 1
    DECLARED = auto()
    """Any part of the sheet: a winner where its path is one's, else as cards and acts."""
    SYSTEM = auto()  # what a library or the system said; the sentence has it as `{problem}`


class UnderlinedPart(Enum):
    """What of the value at a finding's path is underlined."""

    WHOLE = auto()
    WORD = auto()
    """One card of several in a string, of which a pointer names no part; told in their order."""
    LAST_WORD = auto()  # the last of those that read so


class DependsOn(Enum):
    """What a finding rests on, so that it may come of an earlier error there."""

    EARLIER_PLAY = auto()  # the play of its deal before it, where it is about an action
    DEAL = auto()  # all the play of its deal: it tells how the deal came out
    DEAL_BEFORE = auto()  # how the deal before it came out
    DEALS = auto()  # how all the deals before it came out
    END = auto()
    """The same; and as it says that the match was over, all that is counted later rests on it."""
    CUT = auto()  # nothing: it is about the cut, on which the first deal of a manche rests


class FixSearch(Enum):
    """How an edit is looked for, where it is not by playing the deal otherwise."""

    TOTAL = auto()  # the sheet is told what the engine counts
    SEAT = auto()  # another seat deals or leads
    BID = auto()  # another bid card
    TIMES = auto()  # a time left out, or the one that can stand there
    CUT = auto()  # a cut, or an attempt of one, written otherwise
    CARDS = auto()  # another card for the one that cannot be, one more or one less
    WORD = auto()  # the known word that is nearest


Condition = Callable[
    [Any], bool
]  # whether another sentence than the code's own fits a finding better


def is_nothing_found(finding: Any) -> bool:
    """The log has nothing at all where something belongs."""
    return finding.found in (None, "")


def is_without_winner(finding: Any) -> bool:
    """The sheet names a winner no seat has, and the engine knows of none either."""
    return bool(finding.detail.get("open"))


def is_turn_known(finding: Any) -> bool:
    """Of a deal told in part: whose turn it is is sure."""
    return bool(finding.detail.get("turn"))


def has_likely_value(finding: Any) -> bool:
    """What was meant, or what it looks like, can be said."""
    return finding.legal is not None


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """What is said of one code, which is its key among `CODES` or `SHARED`. It is never reused or
    renamed: stored findings carry it. Texts are in English; the game's catalogue, or `ingest`'s,
    has the French.

    Holes of a sentence: `{who}` acted; `{found}`, `{legal}` and `{hand}` as in the finding;
    `{turn}` whose turn it was; `{where}`, `{what}` and `{problem}` of its `detail`.
    """

    sentence: str
    advice: str
    """What to do about it: one sentence. Its one hole, `{games}`, is for their `IN_ADVICE`."""
    value_kind: ValueKind = (
        ValueKind.TEXT
    )  # of `found`, and of `legal_kind` where that has none of its own
    legal_kind: ValueKind | None = None
    sentences_when: Mapping[Condition, str] = field(default_factory=dict, hash=False)
    """Sentences for findings the code's own does not fit; the first that fits is said."""
    severity: str = ""
    """`error` or `warning` of a document; empty where the tables of the engine's games say it."""
    depends_on: DependsOn = DependsOn.EARLIER_PLAY
    declared_key: str = ""
    """The key of a deal, or of the result, in which a sheet says what is counted otherwise."""
    fix_search: FixSearch | None = None
    underlined: UnderlinedPart = UnderlinedPart.WHOLE
    has_example: bool = True
    """Whether a small log in `data/fautes/` can show it: not of a file as a whole."""


action_code = partial(CodeInfo, value_kind=ValueKind.ACTS)
"""A code about an act, whose words are spoken as players say them."""
total_code = partial(CodeInfo, fix_search=FixSearch.TOTAL)
"""A code about what a sheet declares otherwise than the engine counts it."""
deal_code = partial(CodeInfo, depends_on=DependsOn.DEAL)
"""A code about how a deal came out, or what a line of a sheet tells of it."""
revoke_code = partial(
    action_code,
    advice=N_(
        "If the log is right it is a revoke, and the table decides; otherwise correct the card."
    ),
)
"""A code about a card that had to be another one, whatever the game."""
