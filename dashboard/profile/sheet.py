"""A section as a table: greyed where few deals are behind a row, opening the list of them."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import polars as pl
import streamlit as st

from dashboard.definitions import about
from dashboard.queries import played
from dashboard.queries.played import Narrow
from dashboard.queries.scope import Scope
from dashboard.resources import answer
from dashboard.sections import SHOWN, few, heading, told
from dashboard.show import PAGE, count_of, day
from dashboard.tell import against
from ingest.i18n import Translate

GREY = "#8a8f98"
UNDECIDED = ("contracts", "bid-cards", "reserve", "luck")
"""Sections that count deals nobody won, too."""

Behind = Callable[[Mapping[str, Any]], Narrow | None]
"""A row of a section → the deals behind it, None where it counts something else."""


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
    "luck": lambda row: {},
}


def sheet(section: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """The section under its heading; a row that is chosen shows the deals it counts."""
    title = heading(section, which.game, t)
    st.subheader(title)
    opens = section in BEHIND
    rows, grey = told(section, frame, which.game, t), few(section, frame)
    helps = {
        t(column.label): st.column_config.Column(help=about(column.about, t))
        for column in SHOWN[section]
        if column.about
    }
    table = pd.DataFrame(rows)
    styled = table.style.apply(
        lambda row: [f"color: {GREY}" if grey[int(row.name)] else ""] * len(row), axis=1
    )
    event: Any = st.dataframe(
        styled if any(grey) else table,
        hide_index=True,
        column_config=helps,
        height="content",
        on_select="rerun" if opens else "ignore",
        selection_mode="single-row",
        key=f"sheet-{section}",
        alt=title,
    )
    if not opens:
        return
    st.caption(t("Choose a row to see the deals behind it."))
    chosen = event.selection.rows
    if chosen and chosen[0] < frame.height:
        row = frame.row(chosen[0], named=True)
        narrow = BEHIND[section](row)
        if section == "tables":
            which = replace(which, game=row["game"], players=row["players"], preset=row["preset"])
        if narrow is not None:
            deals(section, which, number, narrow, t)


def deals(section: str, which: Scope, number: int, narrow: Narrow, t: Translate) -> None:
    """The deals behind a row, a page of them, each with its replay."""
    decided = section not in UNDECIDED
    total = answer(played.count, which, number, narrow, decided)
    pages = max(1, -(-total // PAGE))
    with st.container(border=True):
        st.caption(t("Deals found: {n}", n=count_of(total, t)))
        place = st.container()
        page = st.pagination(pages, key=f"behind-{section}") if pages > 1 else 1
        frame = answer(played.deals, which, number, narrow, decided, PAGE, (page - 1) * PAGE)
        with place:
            deals_table(frame, f"open-{section}", t)


def deals_table(frame: pl.DataFrame, key: str, t: Translate) -> None:
    """Rows of `queries.played.deals`, with a button that opens the replay at the deal."""
    rows = [
        {
            "open": t("Replay"),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], row["game"]),
            t("Deal"): row["number"],
            t("Points"): row["points"],
            t("Won"): "–" if row["won"] is None else t("yes") if row["won"] else t("no"),
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in frame.iter_rows(named=True)
    ]
    links = frame.select("match_id", "number").rows()
    replay_table(rows, links, key, t("Deals"), t)


def replay_table(
    rows: list[dict[str, Any]], links: list[tuple[str, int]], key: str, alt: str, t: Translate
) -> None:
    """Rows whose `open` is a button: `links` has the match and the deal each one opens."""
    button = st.column_config.ButtonColumn(
        t("Open"), on_click=_open, args=(key, links), key=key, width="small"
    )
    st.dataframe(
        rows,
        hide_index=True,
        column_config={"open": button, t("Players"): st.column_config.TextColumn(width="medium")},
        height="content",
        alt=alt,
    )


def _open(key: str, links: list[tuple[str, int]]) -> None:
    match, deal = links[st.session_state[key].row]
    query = {"match": match, "deal": str(deal)}
    st.switch_page("app_pages/relecture.py", query_params=query)
