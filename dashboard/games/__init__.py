"""What the dashboard asks of a game: each game's module on this floor has all of it (`Game`).

A game's module stands on the dashboard's floor (`engine.games.register`) and is found by the
game's name. What the board has nothing to be told of it takes from `dashboard.games.plain`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from dashboard.games.deal import Deal
from dashboard.games.records import Ask, Height, Mark, Statistics, Tile
from dashboard.text.columns import Column
from dashboard.text.definitions import SHARED, Definition
from dashboard.text.glossary import GLOSSARY
from dashboard.text.labels import score_of
from engine.games import names, part
from engine.replay import Ply
from ingest.i18n import Translate
from schemas.table import Table


class Board(Protocol):
    """What the board is told of a deal."""

    RECALL: Literal["own", "last"]
    """Tricks a player may look at again: the `own` and each opponent's last, or the `last`."""
    MARKS: Mapping[str, Mark]
    """Kinds of marks on the timeline; a kind that two games have is one and the same."""

    def frame(self, deal: Deal) -> dict[str, Any]:
        """What holds for the whole deal: `back`, `corner`, `opener`, `sides` and so on."""

    def ply(self, deal: Deal, index: int) -> dict[str, Any]:
        """One state, with what led to it from the state before, as `board.states` lists it."""

    def faces(self, deal: Deal) -> dict[str, dict[str, str]]:
        """Card name → its picture and its spoken name."""

    def card_names(self, deal: Deal) -> tuple[str, ...]:
        """The card of each code that a play may have."""

    def allowed(self, deal: Deal, now: Ply) -> tuple[list[str], list[str]]:
        """(cards that may be played or turned, in words what else may be done), as they come."""

    def why(self, deal: Deal, now: Ply, best: int, laid: Sequence[int]) -> str:
        """By what `best` took the trick just completed; `laid` are its codes, -1 for none."""

    def veiled(self, deal: Deal, now: Ply, seen: Sequence[Sequence[str]]) -> str:
        """What those hear who may not see the card; empty where everybody sees what happens.

        `seen` are the cards of each hand that everybody knows by now.
        """

    def shown(self, now: Ply, before: Ply, seat: int, known: int) -> int:
        """The mask of a hand's cards that everybody has seen; before this action it was `known`."""

    def remarkable(self, deal: Deal, now: Ply, before: Ply) -> Iterator[tuple[str, str]]:
        """(kind of MARKS, text or empty where the event says it) of what is worth a mark."""


class Figures(Protocol):
    """What is counted of a game; no text of a page is asked for here."""

    STATISTICS: Statistics
    HEIGHTS: tuple[Height, ...]
    """What can be bid, ascending, as `deals.contract` numbers it."""

    def dealt(self, hands: NDArray[np.int64], players: int) -> Mapping[str, NDArray[np.int64]]:
        """Announcement → hand by hand (masks of cards) the suits it is held in, a bit each.

        One that has no suit has the bit after theirs. Empty in a game without announcements.
        """

    def dealt_worth(self, kind: str, trump: bool, rules: np.void) -> int:
        """The points of one of these announcements; 0 where it has none."""

    def turned(
        self,
        kind: Sequence[str],
        outcome: NDArray[np.integer],
        points: NDArray[np.integer],
        seat: NDArray[np.integer],
        worth: NDArray[np.integer],
    ) -> NDArray[np.bool_]:
        """Deal by deal, whether one more announcement would have won it for a seat (from 0).

        `points` are those of every seat, or of this and the best of the others, a row a deal;
        `worth` is what it would have counted.
        """


class Pages(Protocol):
    """What tables and pages call things. All of it may be empty but the first two."""

    @property
    def TITLE(self) -> str:  # noqa: N802 (a module's constants)
        """The game's name as people read it, in every language; in no catalogue."""

    @property
    def COUNTED_DEALS(self) -> str:  # noqa: N802
        """What deals are called where they are won and lost: a text of the catalogue."""

    @property
    def SECTIONS(self) -> tuple[str, ...]:  # noqa: N802
        """The sections of a player this game has besides those of every game, by name."""

    @property
    def SECTION_HEADINGS(self) -> Mapping[str, str]:  # noqa: N802
        """Sections that are called otherwise in this game."""

    @property
    def ROW_NAMES(self) -> Mapping[tuple[str, str], str]:  # noqa: N802
        """Rows that are called otherwise: (`measure` or `dealer`, its value) → its name."""

    @property
    def PLAYER_COLUMNS(self) -> tuple[Column, ...]:  # noqa: N802
        """The columns of the table of players that tell of points and what brings them."""

    @property
    def MATCH_COLUMNS(self) -> tuple[Column, ...]:  # noqa: N802
        """What is told of a match besides its winner, as `queries.results.behind` has it."""

    @property
    def SUITLESS(self) -> tuple[str, ...]:  # noqa: N802
        """The kinds of announcements that have no suit."""

    @property
    def BID_CARDS(self) -> tuple[str, ...]:  # noqa: N802
        """The bid cards, as `bid` numbers them."""

    @property
    def EXAMPLES(self) -> tuple[str, ...]:  # noqa: N802
        """Faulty logs that teach, each a path below `data/fautes` without its suffix."""

    @property
    def RULES(self) -> Mapping[str, str]:  # noqa: N802
        """What presets are called; one that is missing goes by its own word."""

    @property
    def DEFINITIONS(self) -> Mapping[str, Definition]:  # noqa: N802
        """The terms that are this game's own, by the key pages link to."""

    @property
    def IN_DEFINITIONS(self) -> Mapping[str, str]:  # noqa: N802
        """What a term of several games means in this one: the term's key → part of a sentence."""


class Typing(Protocol):
    """How a deal is typed in, card by card; French cards share `dashboard.games.typing`."""

    @property
    def TAUGHT(self) -> tuple[str, ...]:  # noqa: N802
        """Words of which the page says by what keys they are typed, a sample of each kind."""

    def grid(self, table: Table) -> Sequence[Sequence[str]]:
        """The cards to be tapped as a play names them, row by row."""

    def tile(self, table: Table, card: str, t: Translate) -> Tile:
        """How one of them is shown."""

    def keys(self, table: Table, t: Translate) -> Mapping[str, str]:
        """What is typed, in small letters → the word it stands for, with a seat where it has to.

        Of several ways to type a word the first is shown. One may begin another: `b1` and `b11`.
        """

    def called(self, word: str, t: Translate) -> str:
        """What stands on the button of a word: as short as it may be."""

    def is_seldom(self, word: str, in_turn: bool) -> bool:
        """Whether a word is meant so seldom, in turn or out of it, that its button waits."""

    def asks(self, table: Table, told: Mapping[str, Any], t: Translate) -> Ask | None:
        """What is asked next before anybody acts; `told` are the deal's keys so far."""

    def answered(
        self, table: Table, told: Mapping[str, Any], about: Sequence[str], answer: str
    ) -> dict[str, Any]:
        """The deal's keys with an answer. ValueError, IndexError: it answers nothing asked."""

    def hand_size(self, table: Table) -> int:
        """The cards each player is dealt."""

    def held(self, table: Table, card: str) -> str:
        """A card of `grid` as a hand is written with it. KeyError: no such card."""


class Game(Board, Figures, Pages, Typing, Protocol):
    """A game's module on this floor."""


def of(name: str) -> Game:
    """The module of a game. KeyError: no such game."""
    return cast(Game, part(name, "dashboard"))


def titles() -> dict[str, str]:
    """Each game there is, and what it is called."""
    return {name: of(name).TITLE for name in names()}


def rules_named(preset: str | None, t: Translate) -> str:
    """What a preset is called; nothing for none."""
    called = rules_called().get(preset or "")
    return t(called) if called else preset or ""


def rules_called() -> dict[str, str]:
    """Presets that have a name, in no language yet."""
    return {preset: text for name in names() for preset, text in of(name).RULES.items()}


def score(row: Mapping[str, Any], t: Translate) -> str:
    """The score of a match, a row with the lists of `queries.people.seated`: `10 – 2`.

    Where manches decide it, they come first: `2 – 1 (12 – 11)`.
    """
    told = score_of(row["score"], row["game"], t)
    return f"{score_of(row['manches_won'], row['game'], t)} ({told})" if _by_manches(row) else told


def _by_manches(row: Mapping[str, Any]) -> bool:
    """Whether a match is of several manches, and those that the log has say who won it.

    Of a match whose log begins after its first manche they need not.
    """
    won: list[int] = [one for one in row["manches_won"] or () if one is not None]
    if not won or row["game"] not in names() or not of(row["game"]).STATISTICS.manches:
        return False
    if row["winner"] is None:
        return sum(won) > 0
    most = max(won)
    ahead = not row["winner"] or (won[row["winner"] - 1] == most and won.count(most) == 1)
    return ahead and sum(won) > 1


def bidding() -> tuple[str, ...]:
    """The games that have contracts, as registered."""
    return tuple(name for name in names() if of(name).HEIGHTS)


def with_sections(*sections: str) -> tuple[str, ...]:
    """The games that have one of these sections of a player."""
    return tuple(name for name in names() if set(sections) & set(of(name).SECTIONS))


def is_suitless(kind: str) -> bool:
    """Whether announcements of a kind have no suit, so that none is in trump."""
    return any(kind in of(name).SUITLESS for name in names())


def definitions() -> dict[str, Definition]:
    """Every term by its key, those of games among the shared ones, as they are listed."""
    found: dict[str, Definition] = {}
    own = (term for name in names() for term in of(name).DEFINITIONS.items())
    for key, one in (*GLOSSARY.items(), *SHARED.items(), *own):
        parts = [text for name in names() if (text := of(name).IN_DEFINITIONS.get(key))]
        found[key] = one._replace(parts=tuple(parts))
    return _in_order(found)


def _in_order(found: dict[str, Definition]) -> dict[str, Definition]:
    """The same, each term that names another one after it; the others stay as they stand."""
    keys = [key for key, one in found.items() if one.after not in found]
    waiting = [key for key in found if key not in keys]
    while waiting:
        key = next(key for key in waiting if found[key].after in keys)
        waiting.remove(key)
        keys.insert(keys.index(found[key].after) + 1, key)
    return {key: found[key] for key in keys}


def about(key: str, t: Translate) -> str:
    """A definition as it is shown on hover, with the way to the page of terms."""
    return f"{definitions()[key].told(t)} [→](regles?def={key})"
