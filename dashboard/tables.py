"""Tables of figures that several pages show, from frames of `dashboard.queries`."""

from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import percent
from dashboard.figures.contracts import height
from dashboard.show import decimal
from ingest.i18n import N_, Translate
from ingest.messages import KINDS


def announcements_table(frame: pl.DataFrame, t: Translate) -> None:
    """Counts, frequency and interval from `queries.announcements.frequencies`."""
    rows = [
        {
            t("Announcement"): t(KINDS[row["kind"]]),
            t("Trump"): _trump(row["kind"], row["trump"], t),
            t("Held"): row["held"],
            t("Announced"): row["announced"],
            t("Shown"): row["shown"],
            t("Counted"): row["counted"],
            "n": row["n"],
            t("Frequency"): percent(row["share"], t, 2),
            t("95 % interval"): f"{percent(row['low'], t, 2)} – {percent(row['high'], t, 2)}",
        }
        for row in frame.iter_rows(named=True)
    ]
    st.dataframe(rows, hide_index=True, height="content", alt=t("Announcements by kind"))


def _trump(kind: str, trump: bool, t: Translate) -> str:
    if kind in ("quinte", "trente"):
        return "–"  # these have no suit
    return t("trump") if trump else t("plain")


def contracts_table(frame: pl.DataFrame, t: Translate) -> None:
    """Counts, frequency and interval from `queries.contracts.contracts`."""
    rows = [
        {
            t("Contract"): height(row["level"], t),
            t("Taken"): row["taken"],
            t("Per deal"): percent(row["taken"] / row["n"], t),
            t("Coinched"): row["coinched"],
            t("Made"): row["made"],
            "n": row["decided"],
            t("Share made"): percent(row["share"], t) if row["decided"] else "–",
            t("95 % interval"): f"{percent(row['low'], t)} – {percent(row['high'], t)}",
        }
        for row in frame.iter_rows(named=True)
    ]
    st.dataframe(rows, hide_index=True, height="content", alt=t("Contracts by height"))


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
            t("Matches"): row["matches"],
            t(COUNTED[game]): row["parties"],
            t("Won"): row["wins"],
            t("Share"): percent(row["share"], t),
            t("95 % interval"): f"{percent(row['low'], t)} – {percent(row['high'], t)}",
            **_own(row, game, t),
        }
        for row in frame.iter_rows(named=True)
    ]
    event = st.dataframe(
        rows,
        hide_index=True,
        column_config={t("Name"): st.column_config.TextColumn(width="medium")},
        on_select="rerun",
        selection_mode="single-row",
        height="content",
        key="players",
        alt=t("Players"),
    )
    chosen = event.selection.rows
    return chosen[0] if chosen and chosen[0] < frame.height else None
