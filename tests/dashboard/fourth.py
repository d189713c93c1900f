"""What a game that ships with nobody says to tables and pages, and no more than it must."""

from dashboard.text.columns import POINTS, Column
from dashboard.text.definitions import Definition

TITLE = "Bataille"
COUNTED_DEALS = "Deals"
SECTIONS: tuple[str, ...] = ()
SECTION_HEADINGS: dict[str, str] = {"averages": "What a deal brings"}
ROW_NAMES: dict[tuple[str, str], str] = {("measure", "points"): "Cards won"}
PLAYER_COLUMNS: tuple[Column, ...] = POINTS
MATCH_COLUMNS: tuple[Column, ...] = ()
SUITLESS: tuple[str, ...] = ("war",)
BID_CARDS: tuple[str, ...] = ()
EXAMPLES: tuple[str, ...] = ()
DEFINITIONS: dict[str, Definition] = {
    "war": Definition("War", "Two cards of one rank, and more to come.", after="trend")
}
IN_DEFINITIONS: dict[str, str] = {"points": "in Bataille the cards won"}
