"""Draws Plotly charts whose points open the games behind them.

Streamlit's own chart loads all of Plotly, 1.2 MB compressed, with the page. This one loads the
build of Plotly that draws points, lines and bars, a third of that, and only once a chart is in sight.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from ingest.i18n import Translate

PLOTLY_FILE = next((Path(__file__).parents[1] / "static" / "plotly").glob("plotly-basic-*.min.js"))
"""Plotly's JavaScript, which `dashboard.web.static_assets` serves compressed."""

_mount = st.components.v2.component(
    "retourne.chart",
    html='<div class="plot" role="img" data-empty></div>',
    css=files("dashboard.widgets").joinpath("chart.css").read_text(encoding="utf-8"),
    js=files("dashboard.widgets").joinpath("chart.js").read_text(encoding="utf-8"),
)


class ChartPoint(NamedTuple):
    """A point of a figure: the index of its row in the frame, and of its trace."""

    row: int
    trace: int


def show_chart(figure: go.Figure, alt: str, key: str) -> None:
    """Show a figure; `alt` describes it to readers who do not see it."""
    _show(figure, alt, key, can_choose=False)


def show_clickable_chart(figure: go.Figure, alt: str, key: str, rows: int, t: Translate) -> ChartPoint | None:
    """Show a figure of a frame with `rows` rows; return the point chosen, or None.

    The row of a point is the last of its `customdata`.
    """
    chosen = _show(figure, alt, key, can_choose=True)
    st.caption(t("Choose a point to see its deals."))
    return find_point(chosen, rows)


def _show(figure: go.Figure, alt: str, key: str, can_choose: bool) -> Any:
    """Show a figure, and return the point that the browser reports, None if there is none."""
    drawn = json.loads(figure.update_layout(template="none").to_json())
    chosen = (st.session_state.get(key) or {}).get("point")
    data = {
        "alt": alt,
        "figure": drawn,
        "plotly": f"./static/plotly/{PLOTLY_FILE.name}",
        "can_choose": can_choose,
        "chosen": chosen,
    }
    _mount(key=key, data=data, on_point_change=lambda: None)
    return chosen


def find_point(chosen: Any, rows: int) -> ChartPoint | None:
    """Return the point that a browser reports, None if there is none.

    None also if the row no longer exists: the reader may have set other filters since.
    """
    match chosen:
        case {"row": int(row), "trace": int(trace)} if 0 <= row < rows:
            return ChartPoint(row, trace)
    return None
