"""What is in the store: its games and the files they came in."""

from dashboard.games import titles
from dashboard.text.columns import Column, Row, counted
from dashboard.text.labels import STATUSES
from dashboard.text.numbers import day
from ingest.i18n import N_, Translate


def _title(row: Row, t: Translate) -> str:
    """The game's title; logs without a game are those nobody can read."""
    return titles().get(row["game"] or "", t(STATUSES["unreadable"]))


GAMES = (
    Column(N_("Game"), _title),
    counted(N_("Matches"), "matches", "match"),
    counted(N_("Legal"), "legal", "legal"),
    counted(N_("Deals"), "deals", "deal"),
    Column(N_("Players"), lambda row, t: row["players"] or 0, "player"),
    Column(N_("Played last on"), lambda row, t: day(row["last"], t)),
)
"""A row of `queries.matches.by_game`."""
FILES = (
    Column(N_("File"), lambda row, t: row["name"]),
    Column(N_("Added on"), lambda row, t: day(row["added_at"], t)),
    counted(N_("Matches"), "matches", "match"),
    counted(N_("Already there"), "duplicates"),
    counted(N_("In the store"), "kept"),
)
"""A row of `queries.matches.files`."""
