"""What tables and pages ask of a game's module on this floor, besides the board's own questions."""

from collections.abc import Mapping
from typing import Protocol, cast

from dashboard.text.columns import Column
from engine.games import names, part
from ingest.finding.words import KINDS


class Own(Protocol):
    """A game's module, for tables and pages. All of it may be empty but the first two."""

    @property
    def TITLE(self) -> str:  # noqa: N802 (a module's constants)
        """What the game is called, in every language."""

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


def own(name: str) -> Own:
    """A game's module as tables and pages ask it. KeyError: no such game."""
    return cast(Own, part(name, "dashboard"))


def titles() -> dict[str, str]:
    """Each game there is, and what it is called."""
    return {name: own(name).TITLE for name in names()}


def with_sections(*sections: str) -> tuple[str, ...]:
    """The games that have one of these sections of a player."""
    return tuple(name for name in names() if set(sections) & set(own(name).SECTIONS))


def kinds() -> dict[str, str]:
    """Every kind of announcement there is, and what it is called: texts of the catalogue."""
    return dict(KINDS)


def is_suitless(kind: str) -> bool:
    """Whether announcements of a kind have no suit, so that none is in trump."""
    return any(kind in own(name).SUITLESS for name in names())
