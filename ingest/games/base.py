"""The interface a game implements for ingest: `Game`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.replay import Ply
from ingest.games.finding_code import CodeInfo
from ingest.i18n import N_, Translate
from schemas.match_setup import MatchSetup


class Categories(NamedTuple):
    """A column of a few words, by their places among `names`."""

    indices: NDArray[Any]
    names: Sequence[str]


ColumnValues = dict[str, NDArray[Any] | Categories]
"""Column → one value a row; a masked array where some are unknown."""
StateArray = NDArray[np.void]  # the kernel's records of deals, as they ended
SeatViolation = tuple[int, str, object, list[str]]
"""A seat from 0 against the rules; where a sheet says so below the deal, what, and what it may."""
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class AnnouncementRows(NamedTuple):
    """Rows of announcements: the deal of each, by its place in the arrays asked about, and seat."""

    deal: IntArray
    seat: IntArray
    columns: ColumnValues


class DeckCheck(NamedTuple):
    """How a deck that somebody typed in is checked, where a match has a deck of its own."""

    problems: Callable[[Translate, Sequence[object]], list[str]]
    """Everything wrong with the cards, a line each; empty for a good deck."""
    summary: Callable[[Translate, Sequence[Any]], list[str]]
    """A good deck in a few lines, to compare with the printed one."""


class SheetColumn(NamedTuple):
    """A column of a score sheet as people fill one in."""

    key: str
    heading: str  # marked for the catalogue; a number stands behind it where there is one a seat
    help: str  # what is written in it, likewise
    per_player: bool = False  # there is one a seat
    aliases: tuple[str, ...] = ()
    """Other headings people give it, in any language, without capitals and accents."""


class ScoreLineReader(Protocol):
    """A line of a score sheet, read cell by cell; what is unclear in it is asked by itself.

    What a cell says is None where it is empty.
    """

    @property
    def players(self) -> int: ...
    # the words of acts of a kind: none where a cell says that there was none
    def read_acts(self, key: str, kind: str, seat: int = 0) -> list[str] | None: ...
    def read_text(self, key: str, seat: int = 0) -> str: ...
    def read_number(self, key: str, seat: int = 0) -> int | None: ...
    # the seat, from 1, of who is named
    def read_seat(self, key: str) -> int | None: ...
    def read_choice(self, key: str, choices: Mapping[str, int]) -> int | None: ...
    # ask for what a cell should say and does not
    def ask_for_missing(self, key: str) -> None: ...


class GameSupport(ABC):
    """What `ingest` asks of a game, with what most games say alike: no announcements, no bids
    before play, a pack all dealt. Each game's module has one, its `GAME`.
    """

    # what the store's rows of a deal say besides what every game's do

    SCORE_FIELD: str  # the field of a match's record that is its score, a number a seat or a side

    def deal_columns(self, states: StateArray) -> ColumnValues:
        """Columns of `deals` the game has, from the states the deals ended in."""
        return {}

    TOTALS_LOOP: Any  # a compiled function of the kernel that fills in what seats come to

    def seat_points(self, states: StateArray, deal: IntArray, seat: IntArray) -> NDArray[np.int16]:
        """`seat_points` of `deal_seats`, which `seat` has too, without all the rest."""
        found = np.zeros(len(deal), np.int16)
        self.TOTALS_LOOP(states, deal, seat, found)
        return found

    @abstractmethod
    def seat_columns(self, states: StateArray, deal: IntArray, seat: IntArray) -> ColumnValues:
        """Columns of `deal_seats`, for seats `seat[i]` of deals `deal[i]`.

        `seat_points`, `tricks`, `der` and `won` are told by every game.
        """

    def dealt_card_points(self, states: StateArray) -> NDArray[Any] | None:
        """What a card counts for whoever is dealt it or draws it, a row a deal; None: nothing."""
        return None

    def announcement_rows(
        self,
        states: StateArray,
        rules: NDArray[np.void],
        rule_of: IntArray,
        partly_hidden: BoolArray,
    ) -> AnnouncementRows | None:
        """Rows of `announcements`; None: the game has none.

        `rules[rule_of[i]]` are deal i's options; `part[i]`: not all its cards were written down.
        """
        return None

    # what the sheet of a deal says besides points and winner

    def seat_violations(
        self, table: MatchSetup, match: np.void, state: np.void, deal: Any, code: str
    ) -> list[SeatViolation]:
        """Each seat a fault across deals is about; empty where it is about the deal.

        `match` is the engine's record before the deal counts, `state` the end of the deal.
        """
        return []

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        """What a line of a score sheet says, in words; how it ended is told besides."""
        return []

    # how the words of a log are said

    ANNOUNCEMENT_NAMES: Mapping[
        str, str
    ] = {}  # kind of announcement → its name; empty: the game has none

    @abstractmethod
    def describe_word(self, t: Translate, word: str) -> str | None:
        """An action's word without its seat, or a card, as a player says it; None: not known."""

    def summarize_actions(self, t: Translate, words: Sequence[Any]) -> list[Any]:
        """A list of actions with the many that are alike told in a few words."""
        return list(words)

    # what the terminal shows of a deal besides hands, table and points

    OPENING_TEXT: str = N_("{who} deals")  # who is first in the deal
    CARD_SEPARATOR: str = " "  # what stands between two cards of a hand

    @abstractmethod
    def public_facts(
        self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]
    ) -> list[str]:
        """What lies beside the hands: trump, talon, contract …; `names` are the players'."""

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        """Whether an action changed what lies there, so that it is told again."""
        return False

    # what a scribe of the game gets wrong, for `ingest.autofix`

    ACT_FREQUENCIES: Mapping[str, float] = {}
    """How often an act is done where it may be, by its kind or, first, by how its word begins.

    Of what is not listed: always.
    """
    ALL_CARDS_DEALT: bool = True
    """Every card of the pack is dealt or lies in the talon, so that a missing one is known."""

    def card_spellings(self, setup: MatchSetup) -> Sequence[tuple[str, ...]]:
        """Every card there is, each with all the ways to write it."""
        return [(name,) for name in setup.game.pack.names]

    def bid_slots(self, setup: MatchSetup) -> Sequence[tuple[int, Sequence[int]]]:
        """Where the row the kernel deals from has the bid of each seat, and what it may be."""
        return ()

    # what a line of a score sheet says that no other game's does

    SHEET_COLUMNS: Sequence[SheetColumn] = ()

    def read_score_line(self, reader: ScoreLineReader) -> dict[str, Any]:
        """The keys of `read_score_line` of a deal, as the line has them."""
        return {}

    # what people write of the game, where they write no log; without capitals and accents

    NOTE_ALIASES: Mapping[str, str] = {}  # their words → how the format's word begins
    CARD_LINE_READERS: Mapping[str, Callable[[MatchSetup, Sequence[str]], dict[str, Any]]] = {}
    """What a line of cards is headed by that no other game has → the keys of the deal it tells."""

    # what is said of the game itself

    RULE_PREFIX: str  # what its rule ids begin with: `CH` of `CH-9`
    OPTION_TEXTS: Sequence[str]
    """What its rule options mean, as the engine says it, marked for the catalogue."""
    DECK_CHECKER: DeckCheck | None = None  # None: the pack is one everybody knows

    # what can be wrong with a match of the game alone

    FINDING_CODES: Mapping[str, CodeInfo]
    """The records of the codes no other game has; what they rest on is in the engine's tables."""

    ADVICE_PHRASES: Mapping[str, str] = {}
    """What the advice on a code of several games says of this one: code → part of a sentence."""


# what columns are made with


def masked_where(unknown: BoolArray, values: NDArray[Any]) -> NDArray[Any]:
    """The values but where they are unknown."""
    masked: NDArray[Any] = np.ma.masked_array(values, unknown)
    return masked


def to_small_ints(values: NDArray[Any], base: int = 0) -> NDArray[Any]:
    """Small numbers, unknown where they are below zero; `base` is added to the others."""
    return masked_where(values < 0, (values + base).astype(np.uint8))


def tricks_by_seat(takers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """How many tricks each of five seats took, a row a deal."""
    seats = 5
    deal = np.repeat(np.arange(len(takers)) * (seats + 1), takers.shape[1])
    # nobody, -1, is counted before the first seat
    each = np.bincount(deal + (takers.reshape(-1) + 1), minlength=len(takers) * (seats + 1))
    return each.reshape(-1, seats + 1)[:, 1:].astype(np.uint8)


def player_at_seat(seat: str, names: Sequence[str]) -> str:
    """Who sits at a seat as an action writes it; the seat itself where nobody does."""
    known = seat.isdigit() and 0 < int(seat) <= len(names)
    return names[int(seat) - 1] if known else seat
