"""A table of announcements, and a figure, whose rows and points open the deals behind them."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import polars as pl
import streamlit as st

from dashboard.queries import announcements
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import KEYS, RESTING
from dashboard.text.columns import Column, table_rows
from dashboard.widgets.chart import chart as chart_of
from dashboard.widgets.grid import grid
from dashboard.widgets.linked import Cell
from dashboard.widgets.matches import deals_behind
from dashboard.widgets.people import named_rows
from dashboard.widgets.readable import readable
from dashboard.widgets.store import answer
from ingest.i18n import Translate

NARROW = 150
"""How wide what a view asks is, so that it stands beside the choice of views."""


def no_announcement(t: Translate) -> None:
    """Why there is nothing to see."""
    st.info(t("No announcement in these deals."), icon=":material/search_off:")


def rows(
    frame: pl.DataFrame,
    columns: tuple[Column, ...],
    which: Scope,
    t: Translate,
    fact: str,
    opens: str,
    key: str | None = None,
    decided: bool = False,
) -> None:
    """The frame as a table; of the row that is open the deals that have the `fact`.

    `opens`: the column that opens them; `decided`: only deals that somebody won are counted.
    """
    grey = (frame["n"] < FEW).to_list()
    parts = {
        t(label): (frame[n] < FEW).to_list()
        for label, n in RESTING.items()
        if n in frame.columns and label in {one.label for one in columns}
    }
    alt = t("Announcements by kind")
    name = f"announced-{fact}-{key}"
    lines: Sequence[Mapping[str, Cell]] = table_rows(columns, readable(frame), t)
    if key == "player" and "player" in frame.columns:
        lines = named_rows(columns, frame, which.game, t, KEYS[key], "player")
    chosen = grid(lines, columns, grey, name, alt, t, opens=opens, parts=parts)
    if chosen is not None:
        _behind(frame.row(chosen, named=True), which, t, fact, key, decided)


def chart(
    figure: go.Figure,
    alt: str,
    frame: pl.DataFrame,
    which: Scope,
    t: Translate,
    fact: str,
    key: str | None = None,
    decided: bool = False,
) -> None:
    """The frame drawn; of the point chosen the deals, as `rows` lists those of a row."""
    point = chart_of(figure, alt, f"drawn-{fact}-{key}", frame.height, t)
    if point is not None:
        row = frame.row(point.row, named=True)
        _behind(row, which, t, fact, key, decided, "announced-drawn")


def _behind(
    row: dict[str, Any],
    which: Scope,
    t: Translate,
    fact: str,
    key: str | None,
    decided: bool,
    place: str = "announced",
) -> None:
    value = row.get("player_no" if key == "player" else key or "")
    asked = (which, row["kind"], row["trump"], fact, key, value, decided)
    total = answer(announcements.behind_count, *asked)
    deals_behind(total, lambda *page: answer(announcements.behind, *asked, *page), place, t)
