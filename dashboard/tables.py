"""Tables of figures that several pages show, from frames of `dashboard.queries`."""

from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import percent
from dashboard.figures.contracts import height
from dashboard.frames import table
from dashboard.grid import deals_behind, grid
from dashboard.queries import contracts
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.resources import answer
from dashboard.sections import Column, counted, lines, shared
from dashboard.show import decimal
from ingest.i18n import N_, Translate

CONTRACTS = (
    Column(N_("Contract"), lambda row, t: height(row["level"], t)),
    counted(N_("Taken"), "taken"),
    Column(N_("Per deal"), lambda row, t: percent(row["taken"] / row["n"], t)),
    counted(N_("Coinched"), "coinched"),
    counted(N_("Made"), "made", "made"),
    counted("n", "decided", "n"),
    shared(N_("Share made"), about="made"),
    Column(
        N_("95 % interval"),
        lambda row, t: f"{percent(row['low'], t)} – {percent(row['high'], t)}",
        "interval",
    ),
)


def contracts_table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """What `queries.contracts.contracts` counts; a row that is chosen shows its deals."""
    rows = lines(CONTRACTS, frame, t)
    grey = (frame["decided"] < FEW).to_list()
    chosen = grid(rows, CONTRACTS, grey, "contracts", t("Contracts by height"), t, opens=True)
    if chosen is not None:
        asked = (which, frame["level"][chosen])
        total = answer(contracts.behind_count, *asked)
        deals_behind(total, lambda *page: answer(contracts.behind, *asked, *page), "contracts", t)


COUNTED = {"chouine": N_("Parties"), "coinche": N_("Deals"), "chouineurs": N_("Manches")}
"""What a deal is called where it is won or lost."""


def _own(row: dict[str, Any], game: str, t: Translate) -> dict[str, Any]:
    """The columns only one game has."""
    if game == "coinche":
        return {
            t("Average marks of the side"): decimal(row["points"], t),
            t("Card points of the side"): decimal(row["cards"], t),
            t("Contracts bid"): row["contracts"],
            t("Contracts made"): row["made"],
        }
    points = {t("Average points"): decimal(row["points"], t)}
    if game == "chouineurs":
        return points | {
            t("of which reserve"): decimal(row["bonus"], t),
            t("Bids met"): percent(row["met"] / row["parties"], t),
        }
    return points | {
        t("of which announcements"): decimal(row["bonus"], t),
        t("Announcements per partie"): decimal(row["announced"], t, 2),
    }


def players_table(frame: pl.DataFrame, game: str, t: Translate) -> int | None:
    """Players of `queries.players.table` at one game; the row chosen, if any."""
    rows = [
        {
            t("Name"): row["name"],
            t("Share"): percent(row["share"], t),
            t("95 % interval"): f"{percent(row['low'], t)} – {percent(row['high'], t)}",
            t("Won"): row["wins"],
            t(COUNTED[game]): row["parties"],
            t("Matches"): row["matches"],
            **_own(row, game, t),
        }
        for row in frame.iter_rows(named=True)
    ]
    event = st.dataframe(
        table(rows, t),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        height="content",
        key="players",
        alt=t("Players"),
    )
    chosen = event.selection.rows
    return chosen[0] if chosen and chosen[0] < frame.height else None
