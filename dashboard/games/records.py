"""What a game's module says of itself in one word or number each."""

from typing import Literal, NamedTuple


class Mark(NamedTuple):
    """A kind of mark on the timeline: what it is called (`N_`) and how it is drawn.

    `shape` is an SVG path in a box of 10 × 10.
    """

    text: str
    shape: str
    colour: Literal["", "primary", "blue", "violet", "text"] = ""
    """Of the theme; empty for the quiet one."""


class Height(NamedTuple):
    """A contract as players call it (`N_`, or a number as it is written), and what it is worth."""

    text: str
    worth: int


class Statistics(NamedTuple):
    """What is counted of a game besides what is counted of every game."""

    averages: tuple[str, ...] = ("points", "tricks")
    """Columns of `deal_seats` that have an average, in the order shown."""
    width: int = 10
    """How many points a bar of their distribution spans."""
    worth: tuple[int, ...] = ()
    """The points of each card of the pack while nothing is trump; empty: cards have none."""
    fairness: bool = True
    """Hands are as the pack was shuffled, so its decks tell whether a shuffle is fair."""
    manches: bool = False
    """A match is played in manches, and one may be won under the table."""
    exchange: bool = False
    """A card is exchanged for the one turned up, and `deal_seats.sept` has the trick."""
    winning: tuple[str, ...] = ()
    """Announcements that win the deal at once, so they have no points."""


class Tile(NamedTuple):
    """A card to be tapped: what is written on it, and how it looks."""

    text: str
    tone: str = ""
    """The letter of its suit,"""
    paper: str = ""
    ink: str = ""
    """or colours of its own."""


class Ask(NamedTuple):
    """What a page that records a deal asks before anybody acts; texts are in one language."""

    about: tuple[str, ...]
    """What the answer is about, in words without spaces: the first says what it is."""
    text: str
    options: tuple[tuple[str, str], ...] = ()
    """(word, what it is called); empty: any card, and `??` when nobody knows it."""
    seat: int = 0
    """Whose `{who}` in the text is, from 1; none by default."""
