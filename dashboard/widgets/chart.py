"""Figures whose points open the list of games behind them, as the rows of a table do."""

from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from ingest.i18n import Translate


class Point(NamedTuple):
    """A point of a figure: the row of the frame it stands for, and the trace it is on."""

    row: int
    trace: int


def chart(figure: go.Figure, alt: str, key: str, rows: int, t: Translate) -> Point | None:
    """Show a figure of a frame of so many `rows`; the point chosen, None while there is none."""
    event = st.plotly_chart(figure, alt=alt, key=key, on_select="rerun", selection_mode="points")
    st.caption(t("Choose a point to see what it counts."))
    return chosen_point(event, rows)


def chosen_point(event: Any, rows: int) -> Point | None:
    """The point of a selection, by the row its `customdata` ends with.

    None of a row that is no more: other filters may have been set since.
    """
    for point in event["selection"]["points"][:1]:
        row = (point.get("customdata") or [None])[-1]
        if isinstance(row, int) and row < rows:
            return Point(row, point["curve_number"])
    return None
