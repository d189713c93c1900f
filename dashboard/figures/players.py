"""Players compared, and one player's points."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import bars, escape, layout, percent, plain
from ingest.i18n import Translate


def wins(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """The share of parties won with its interval, from `queries.players.table`, best on top."""
    rows = frame.sort("share", "parties")
    figure = go.Figure(
        go.Scatter(
            x=rows["share"].to_list(),
            # two players may share a name: the place on the axis is the row
            y=list(range(rows.height)),
            error_x=bars(rows),
            mode="markers",
            marker={"size": 9},
            customdata=[
                (escape(row["name"]), percent(row["share"], t), percent(row["low"], t),
                 percent(row["high"], t), row["wins"], row["parties"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]} "
            "(%{customdata[2]} – %{customdata[3]})<br>%{customdata[4]} / %{customdata[5]}"
            "<extra></extra>",
        )
    )
    names = [escape(name if len(name) <= 24 else name[:23] + "…") for name in rows["name"]]
    figure.update_layout(
        layout(
            t,
            height=90 + 26 * max(1, rows.height),
            xaxis={
                "tickformat": ".0%", "title": t("Parties won"), "fixedrange": True,
                "rangemode": "tozero",
            },
            yaxis={
                "tickmode": "array", "tickvals": list(range(rows.height)), "ticktext": names,
                "fixedrange": True, "range": [-0.7, rows.height - 0.3],
            },
        )
    )
    figure.add_vline(x=0.5, line_width=1, line_dash="dot", opacity=0.6)
    return figure


def points(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """How a player's points spread, won and lost parties apart, from `queries.players.points`."""
    figure = go.Figure()
    for won, name in ((True, t("Won")), (False, t("Lost"))):
        figure.add_histogram(
            x=frame.filter(pl.col("won") == won)["points"].to_list(),
            name=name,
            xbins={"start": 0, "size": 10},
            hovertemplate="%{x}<br>%{y}<extra></extra>",
        )
    figure.update_layout(
        layout(
            t,
            barmode="stack",
            height=280,
            xaxis={"title": t("Points in a partie"), "fixedrange": True},
            yaxis={"title": t("Parties"), "fixedrange": True},
        )
    )
    return figure
