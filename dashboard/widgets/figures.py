"""Tables of figures that several pages show, from frames of `dashboard.queries`."""

import polars as pl

from dashboard.figures.contracts import height, made
from dashboard.queries import contracts
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.profile import (
    INTERVAL,
    OF_RESERVE,
    PER_DEAL,
    Column,
    averaged,
    between,
    counted,
    lines,
    shared,
    wilson,
)
from dashboard.text.numbers import decimal
from dashboard.widgets.chart import drawn
from dashboard.widgets.grid import deals_behind, grid
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate

CONTRACTS = (
    Column(N_("Contract"), lambda row, t: height(row["level"], t)),
    shared(N_("Share made"), about="made"),
    INTERVAL,
    counted(N_("Made"), "made", "made"),
    counted("n", "decided", "n"),
    counted(N_("Taken"), "taken", "taken"),
    shared(N_("Per deal"), "taken_share", "taken"),
    wilson(PER_DEAL, "taken_"),
    counted(N_("Coinched"), "coinched", "coinched"),
)


def contracts_table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """What `queries.contracts.contracts` counts; a row that is chosen shows its deals."""
    rows = lines(CONTRACTS, frame, t)
    grey = (frame["decided"] < FEW).to_list()
    chosen = grid(rows, CONTRACTS, grey, "contracts", t("Contracts by height"), t, opens=True)
    if chosen is not None:
        _bid(which, frame["level"][chosen], "contracts", t)


def contracts_drawn(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """The same as a figure; a point that is chosen shows the deals of its height."""
    alt = t("Share of contracts made, by height")
    point = drawn(made(frame, t), alt, "contracts-drawn", frame.height, t)
    if point is not None:
        _bid(which, frame["level"][point.row], "contracts-drawn", t)


def _bid(which: Scope, level: int, key: str, t: Translate) -> None:
    asked = (which, level)
    total = answer(contracts.behind_count, *asked)
    deals_behind(total, lambda *page: answer(contracts.behind, *asked, *page), key, t)


COUNTED = {"chouine": N_("Parties"), "coinche": N_("Deals"), "chouineurs": N_("Manches")}
"""What a deal is called where it is won or lost."""


POINTS = (
    averaged(N_("Average points"), "points", "points"),
    between("points_low", "points_high", label=N_("95% interval of points")),
)
OWN = {
    "chouine": (
        *POINTS,
        averaged(N_("of which announcements"), "bonus", "bonus"),
        between("bonus_low", "bonus_high", label=N_("95% interval of announcements")),
        Column(
            N_("Announcements per partie"),
            lambda row, t: decimal(row["announced"], t, 2),
            "announced-per",
        ),
        between("announced_low", "announced_high", 2, N_("95% interval per partie")),
    ),
    "coinche": (
        averaged(N_("Average marks of the side"), "points", "points"),
        between("points_low", "points_high", label=N_("95% interval of marks")),
        averaged(N_("Card points of the side"), "cards", "cards"),
        between("cards_low", "cards_high", label=N_("95% interval of card points")),
        counted(N_("Contracts bid"), "contracts", "contracts"),
        counted(N_("Contracts made"), "made", "made"),
    ),
    "chouineurs": (
        *POINTS,
        averaged(N_("of which reserve"), "bonus", "reserve"),
        between("bonus_low", "bonus_high", label=OF_RESERVE),
        shared(N_("Bids met"), "met_share", "met"),
        wilson(N_("95% interval of bids met"), "met_"),
    ),
}
"""The columns only one game has."""


def players_columns(game: str) -> tuple[Column, ...]:
    """What the table of players says at one game."""
    return (
        Column(N_("Name"), lambda row, t: row["name"]),
        shared(N_("Share"), about="share"),
        INTERVAL,
        counted(N_("Won"), "wins", "won"),
        counted(COUNTED[game], "parties", "n"),
        counted(N_("Matches"), "matches", "match"),
        *OWN[game],
    )


def players_table(frame: pl.DataFrame, game: str, t: Translate) -> int | None:
    """Players of `queries.players.table` at one game; the row chosen, if any."""
    columns = players_columns(game)
    rows, grey = lines(columns, frame, t), (frame["parties"] < FEW).to_list()
    hint = t("Choose a row to see one player.")
    return grid(rows, columns, grey, "players", t("Players"), t, opens=True, hint=hint)
