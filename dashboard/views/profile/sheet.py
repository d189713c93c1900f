"""A section as a table: greyed where few deals are behind a row, opening the list of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import streamlit as st

from dashboard.queries import played, results
from dashboard.queries.played import Narrow
from dashboard.queries.scope import Scope
from dashboard.tables.profile import KEPT, SHOWN, Column, counted, few, heading, told
from dashboard.text.numbers import yes_or_no
from dashboard.widgets.grid import deals_behind, grid, matches_behind
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate

UNDECIDED = ("contracts", "bid-cards", "reserve", "luck")
"""Sections that count deals nobody won, too."""

Behind = Callable[[Mapping[str, Any]], Narrow]
"""A row of a section → the deals behind it, as many as its column COUNTED says."""


def _contract(row: Mapping[str, Any]) -> Narrow:
    narrow = {"taken": True, "height": row["level"], "suit": row["suit"], "coinched": None}
    if row["by"] == "coinched":
        narrow["coinched"] = row["doubled"]
    return {name: value for name, value in narrow.items() if value is not None}


def _result(row: Mapping[str, Any]) -> Narrow:
    if row["by"] == "all":
        return {}
    value = row["value"]
    return {row["by"]: value == "true" if row["by"] == "dealer" else value}


BEHIND: dict[str, Behind] = {
    "results": _result,
    "tables": lambda row: {},
    "averages": lambda row: {},
    "distribution": lambda row: {"least": row["least"], "most": row["most"]},
    "events": lambda row: {
        "der": {"der": True},
        "exchanged": {"exchanged": True},
        "sept": {"sept": row["trick"]},
    }[row["what"]],
    "contracts": _contract,
    "partners": lambda row: {"partner": row["player_no"]},
    "bid-cards": lambda row: {"bid": row["bid"]},
    "reserve": lambda row: {},
    "luck": lambda row: {"known": True},
}

COUNTED = {"events": "k", "contracts": "taken"}
"""Where the deals behind a row are not all `n`, but those it tells of."""

COUNTS = (counted(N_("Won"), "wins", "won"), counted("n", "n", "n"))
"""What is told of a match behind a player's figures: its deals won, of those that count."""
PLAYED = (Column(N_("Won"), lambda row, t: yes_or_no(row["won"], t)),)
MANCHES = (
    Column(N_("Manches"), lambda row, t: f"{row['manches']} – {row['lost']}"),
    counted(KEPT["under-given"], "given", "under"),
    counted(KEPT["under-taken"], "taken", "under"),
)
"""What is told of a match behind `manches`; the latter of Chouine alone."""


def sheet(section: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """The section under its heading; a row that is chosen shows the deals or matches it counts."""
    title = heading(section, which.game, t)
    st.header(title)
    opens = section in BEHIND or section == "manches"
    rows, grey = told(section, frame, which.game, t), few(section, frame)
    chosen = grid(rows, SHOWN[section], grey, f"sheet-{section}", title, t, opens)
    if chosen is None:
        return
    row = frame.row(chosen, named=True)
    if section == "manches":
        own = PLAYED + (MANCHES if which.game == "chouine" else ())
        found = answer(results.behind, which, number, row["what"])
        return matches_behind(found, which.game, own, f"manches-{row['what']}", t)
    if section == "tables":
        which = replace(which, game=row["game"], players=row["players"], preset=row["preset"])
    deals(section, which, number, BEHIND[section](row), t)


def deals(
    section: str, which: Scope, number: int, narrow: Narrow, t: Translate, key: str = ""
) -> None:
    """The deals behind a row, a page of them, each with its replay.

    `key`: of the list, where a section has another one.
    """
    decided = section not in UNDECIDED
    asked = (which, number, narrow, decided)
    total = answer(played.count, *asked)
    deals_behind(total, lambda *page: answer(played.deals, *asked, *page), key or section, t)
