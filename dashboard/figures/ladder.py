"""The ladder drawn: who stands where and how surely, and one player's way on it."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, GREY, dates, escape, layout, plain
from dashboard.queries.ladder import SURE
from ingest.i18n import Translate


def standings(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """μ with the span of ± 3σ, best on top, from `queries.ladder.standings`."""
    rows = frame.reverse()
    colours = [GREY if unsure else COLOURS[0] for unsure in rows["provisional"]]
    figure = go.Figure(
        go.Scatter(
            x=rows["mu"].to_list(),
            # two players may share a name: the place on the axis is the row
            y=list(range(rows.height)),
            error_x={"array": (SURE * rows["sigma"]).to_list(), "thickness": 2, "color": GREY},
            mode="markers",
            marker={"size": 9, "color": colours},
            customdata=[
                (escape(row["name"]), row["value"], row["sigma"], row["n"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>μ %{x:.1f} · σ %{customdata[2]:.1f}"
            "<br>μ − 3σ %{customdata[1]:.1f} · n %{customdata[3]}<extra></extra>",
        )
    )
    names = [escape(name if len(name) <= 24 else name[:23] + "…") for name in rows["name"]]
    figure.update_layout(
        layout(
            t,
            height=90 + 26 * max(1, rows.height),
            xaxis={"title": t("Rating μ, with three σ on either side"), "fixedrange": True},
            yaxis={
                "tickmode": "array",
                "tickvals": list(range(rows.height)),
                "ticktext": names,
                "fixedrange": True,
                "range": [-0.7, rows.height - 0.3],
            },
        )
    )
    return figure


def history(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """One player's μ − 3σ match after match, under the band of μ ± σ."""
    days = frame["played_at"].to_list()
    low, high = (frame["mu"] - frame["sigma"]).to_list(), (frame["mu"] + frame["sigma"]).to_list()
    figure = go.Figure(
        [
            go.Scatter(x=days, y=high, mode="lines", line={"width": 0}, hoverinfo="skip"),
            go.Scatter(
                x=days,
                y=low,
                mode="lines",
                line={"width": 0},
                fill="tonexty",
                fillcolor="rgba(47, 148, 112, 0.2)",
                hoverinfo="skip",
            ),
            go.Scatter(
                x=days,
                y=frame["value"].to_list(),
                mode="lines+markers",
                line={"color": COLOURS[0]},
                marker={"size": 5},
                customdata=[(place,) for place in range(frame.height)],
                hovertemplate="%{x|%d/%m/%Y}<br>μ − 3σ %{y:.1f}<extra></extra>"
                if t.language == "fr"
                else "%{x|%Y-%m-%d}<br>μ − 3σ %{y:.1f}<extra></extra>",
            ),
        ]
    )
    figure.update_layout(
        layout(
            t,
            height=280,
            showlegend=False,
            xaxis=dates(days, "%d/%m/%Y" if t.language == "fr" else "%Y-%m-%d"),
            yaxis={"title": "μ − 3σ", "fixedrange": True},
        )
    )
    return figure
