"""Who leads whom, match after match."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, layout, plain
from dashboard.text.numbers import day
from ingest.i18n import Translate

STEPS = {"one": 1, "other": -1}
MARKED = 60
"""Up to so many matches each has a mark of its own."""


def lead(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """Matches the first is ahead by, after each of `queries.duels.matches` that was finished."""
    rows = frame.filter(pl.col("won") != "unfinished")
    ahead = rows["won"].replace_strict(STEPS, default=0, return_dtype=pl.Int64).cum_sum().to_list()
    figure = go.Figure(
        go.Scatter(
            x=list(range(rows.height + 1)),
            y=[0, *ahead],
            mode="lines+markers" if rows.height <= MARKED else "lines",
            line={"color": COLOURS[0], "width": 2},
            marker={"size": 6},
            customdata=["", *(day(one, t) for one in rows["played_at"])],
            hovertemplate="%{y:+d}<br>%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        layout(
            t,
            height=260,
            xaxis={"title": t("Matches"), "fixedrange": True, "dtick": _step(rows.height)},
            yaxis={
                "title": t("The first is ahead by"),
                "fixedrange": True,
                "zeroline": True,
                "dtick": _step(max(ahead, default=0) - min([0, *ahead])),
            },
        )
    )
    return figure


def _step(span: int) -> int:
    """Whole numbers alone on an axis, eight of them or fewer."""
    return max(1, -(-span // 8))
