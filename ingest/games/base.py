"""The interface a game implements for ingest: `GameSupport`."""

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
    """A categorical column: `names[indices[i]]` is the value of row i."""

    indices: NDArray[Any]
    names: Sequence[str]


ColumnValues = dict[str, NDArray[Any] | Categories]
"""Column → one value per row; a masked array if some are unknown."""
StateArray = NDArray[np.void]  # the kernel's records of deals in their final states
SeatViolation = tuple[int, str, object, list[str]]
"""(seat from 0, JSON pointer below the deal, value found there, legal values)."""
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class AnnouncementRows(NamedTuple):
    """Rows of announcements; `deal` indexes the `states` passed in, `seat` counts from 0."""

    deal: IntArray
    seat: IntArray
    columns: ColumnValues


class DeckCheck(NamedTuple):
    """Checks a deck the user typed in, for games whose matches have their own deck."""

    problems: Callable[[Translate, Sequence[object]], list[str]]
    """Returns every problem of the cards, one per line; empty for a valid deck."""
    summary: Callable[[Translate, Sequence[Any]], list[str]]
    """Returns a valid deck in a few lines, to compare with the printed one."""


class SheetColumn(NamedTuple):
    """A column of a handwritten score sheet."""

    key: str
    heading: str  # marked for translation; followed by the seat number if per player
    help: str  # its content, marked for translation
    per_player: bool = False  # one column per seat
    aliases: tuple[str, ...] = ()
    """Other common headings in any language, lower case, without accents."""
    in_template: bool = True
    is_number: bool = False
    """Its cells are numbers; those of other columns are text, which no spreadsheet makes a date of."""
    completes: str = ""
    """Key of the column that its cells belong to, such as that of the contract for a suit."""


SUIT_COLUMN = SheetColumn(
    "suit",
    N_("Suit"),
    N_("of the contract, if it has a column of its own"),
    aliases=("couleur", "atout", "trump", "couleur d atout", "trump suit"),
    in_template=False,
    completes="contract",
)


class NumberReader(Protocol):
    """Reads the number in a cell of a score sheet line."""

    def read_number(self, key: str, seat: int = 0) -> int | None: ...


class ScoreLineReader(NumberReader, Protocol):
    """Reads a score sheet line cell by cell, and asks the user about unclear cells itself.

    An empty cell is None.
    """

    @property
    def players(self) -> int: ...
    # words of acts of some kinds; [] if the cell states that there were none
    def read_acts(self, key: str, *kinds: str, seat: int = 0) -> list[str] | None: ...
    def read_text(self, key: str, seat: int = 0) -> str: ...
    # the seat, from 1, of the player named in the cell
    def read_seat(self, key: str) -> int | None: ...
    def read_choice(self, key: str, choices: Mapping[str, int]) -> int | None: ...
    # request from the user the value of a required, empty cell
    def ask_for_missing(self, key: str) -> None: ...
    # a question about a cell, once in a sheet
    def ask_once(self, key: str, text: str) -> None: ...


class GameSupport(ABC):
    """A game's support for ingest. Defaults: no announcements, no bids before play, all cards
    dealt. Each game's module has one instance, `GAME`.
    """

    # columns of the store that only some games have

    def deal_columns(self, states: StateArray) -> ColumnValues:
        """Return the game's own columns of `deals`, from the final states."""
        return {}

    TOTALS_LOOP: Any  # the kernel's compiled function that computes seat points

    def seat_points(self, states: StateArray, deal: IntArray, seat: IntArray) -> NDArray[np.int16]:
        """Return only the `points` of `seat_columns`."""
        found = np.zeros(len(deal), np.int16)
        self.TOTALS_LOOP(states, deal, seat, found)
        return found

    @abstractmethod
    def seat_columns(self, states: StateArray, deal: IntArray, seat: IntArray) -> ColumnValues:
        """Return the columns of `deal_seats` for seats `seat[i]` of deals `deal[i]`.

        Every game has `points`, `tricks`, `der` and `won`.
        """

    def dealt_card_points(self, states: StateArray) -> NDArray[Any] | None:
        """Return each card's points for the player dealt it, [deal, card]; None: no points.

        -1: a card whose player the shuffle does not decide.
        """
        return None

    def announcement_rows(
        self, states: StateArray, rules: NDArray[np.void], rule_of: IntArray, partly_hidden: BoolArray
    ) -> AnnouncementRows | None:
        """Return the rows of `announcements`; None: the game has none.

        `rules[rule_of[i]]`: options of deal i; `partly_hidden[i]`: some cards are not recorded.
        """
        return None

    # the sheet of a deal, except points and winner

    def seat_violations(
        self, table: MatchSetup, match: np.void, state: np.void, deal: Any, code: str
    ) -> list[SeatViolation]:
        """Return each seat that a fault across deals concerns; empty: the deal as a whole.

        `match`: the engine's record before the deal counts; `state`: the deal's final state.
        """
        return []

    def describe_score_line(self, t: Translate, score_line: Any, names: Sequence[str]) -> list[str]:
        """Describe a score sheet line, except the end of the deal."""
        return []

    # descriptions of a log's words

    ANNOUNCEMENT_NAMES: Mapping[str, str] = {}  # kind → name; empty: no announcements

    @abstractmethod
    def describe_word(self, t: Translate, word: str) -> str | None:
        """Describe an action's word without its seat, or a card; None: unknown."""

    def summarize_actions(self, t: Translate, words: Sequence[Any]) -> list[Any]:
        """Return a list of actions with similar ones merged into short descriptions."""
        return list(words)

    # the terminal's view of a deal, in addition to hands, table and points

    OPENING_TEXT: str = N_("{who} deals")  # names the player who opens the deal
    CARD_SEPARATOR: str = " "  # between two cards of a hand

    @abstractmethod
    def public_facts(self, t: Translate, ply: Ply, setup: MatchSetup, names: Sequence[str]) -> list[str]:
        """Return the public facts: trump, talon, contract …; `names` are the players'."""

    def changes_public_facts(self, before: np.void, now: np.void) -> bool:
        """Whether an action changed the public facts, so that they are shown again."""
        return False

    # common recording errors, for `ingest.autofix`

    ACT_FREQUENCIES: Mapping[str, float] = {}
    """How often players do an act when it is legal, by the start of its word, else by its kind.

    Acts not listed: 1.
    """
    ALL_CARDS_DEALT: bool = True
    """Every card is dealt or in the talon, so that a missing one can be inferred."""

    def card_spellings(self, setup: MatchSetup) -> Sequence[tuple[str, ...]]:
        """Return every card, with all the ways to write it."""
        return [(name,) for name in setup.game.pack.names]

    def bid_slots(self, setup: MatchSetup) -> Sequence[tuple[int, Sequence[int]]]:
        """Return (index in the kernel's row, possible bids) of each seat's bid."""
        return ()

    # the game's own columns of a score sheet

    SHEET_COLUMNS: Sequence[SheetColumn] = ()

    SHOWN_OPTIONS: Mapping[str, Sequence[str]] = {}
    """Options that a bid or a contract shows to be on, each with its names in `Règles : …`."""

    OTHER_NAMES: Mapping[str, str] = {}
    """Patterns of other names of the game, lower case without accents → the preset that they name."""

    TOTALS_COLUMNS: Sequence[str] = ()
    """Keys of those columns from which, with the line, the points may follow."""

    CARD_TOTALS: Sequence[int] = ()
    """Possible sums of both sides’ card points; a sheet may have these instead of the marks."""

    def is_end_of_row(self, reader: NumberReader, state: np.void) -> bool:
        """Return whether a final state agrees with the cells of `TOTALS_COLUMNS`."""
        return True

    def read_score_line(self, reader: ScoreLineReader) -> dict[str, Any]:
        """Return the game's own keys of `score_line`, read from a score sheet line."""
        return {}

    # words of informal notes of a game, lower case, without accents

    def taken_suit(self, deal: Mapping[str, Any]) -> str | None:
        """Return the suit taken by words that name none, as « Bruno prend »; None if it is unknown."""
        return None

    def trump_of(self, setup: MatchSetup, deal: Mapping[str, Any], acts: Sequence[str]) -> str | None:
        """Return the trump suit after these acts of a deal; None if it is unknown."""
        return None

    def score_line_of(self, actions: Sequence[str]) -> dict[str, Any] | None:
        """Return the score sheet line of a deal of which only these acts before play are known."""
        return None

    NOTE_ALIASES: Mapping[str, str] = {}  # words of notes → start of the format's word
    NOTE_FILLERS: Sequence[str] = ()  # words of the game that record nothing
    NOTE_EXAMPLES: tuple[str, str]
    """Sentences about `{who}` and `{other}` that are read: of an act, and of how a deal ended."""
    CARD_LINE_READERS: Mapping[str, Callable[[MatchSetup, Sequence[str]], dict[str, Any]]] = {}
    """Heading of a line of cards specific to the game → function that returns keys of the deal."""

    # rules and deck

    RULE_PREFIX: str  # prefix of its rule ids: `CH` of `CH-9`
    DECK_CHECKER: DeckCheck | None = None  # None: the pack is a standard one

    # findings specific to the game

    FINDING_CODES: Mapping[str, CodeInfo]
    """Records of the game's own codes; their rule and severity are in the engine's tables."""

    ADVICE_PHRASES: Mapping[str, str] = {}
    """Code of several games → the phrase about this game in its advice."""


# helpers for columns


def masked_where(unknown: BoolArray, values: NDArray[Any]) -> NDArray[Any]:
    """Return values masked where they are unknown."""
    masked: NDArray[Any] = np.ma.masked_array(values, unknown)
    return masked


def to_small_ints(values: NDArray[Any], base: int = 0) -> NDArray[Any]:
    """Return `values + base` as uint8, masked where a value is negative."""
    return masked_where(values < 0, (values + base).astype(np.uint8))


def tricks_by_seat(trick_winners: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Count the tricks per seat, shape (deals, 5), from `trick_winners`, shape (deals, tricks)."""
    seats = 5
    deal = np.repeat(np.arange(len(trick_winners)) * (seats + 1), trick_winners.shape[1])
    # trick not taken (-1): counted in an extra first column, then dropped
    each = np.bincount(deal + (trick_winners.reshape(-1) + 1), minlength=len(trick_winners) * (seats + 1))
    return each.reshape(-1, seats + 1)[:, 1:].astype(np.uint8)


def player_at_seat(seat: str, names: Sequence[str]) -> str:
    """Return the player at a seat as written in an action; the seat itself if it is empty."""
    known = seat.isdigit() and 0 < int(seat) <= len(names)
    return names[int(seat) - 1] if known else seat
