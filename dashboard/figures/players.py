"""Players compared, and one player's points."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, bars, escape, hundredths, layout, per_cent, percent, plain
from ingest.i18n import Translate


def wins(frame: pl.DataFrame, t: Translate = plain, fair: float = 0.5) -> go.Figure:
    """The share of deals won with its interval, from `queries.players.table`, best on top.

    `fair` is the share a line marks: what each would win if all played alike.
    """
    rows = frame.sort("share", "parties")
    figure = go.Figure(
        go.Scatter(
            x=hundredths(rows["share"]),
            # two players may share a name: the place on the axis is the row
            y=list(range(rows.height)),
            error_x=bars(rows),
            mode="markers",
            marker={"size": 9, "color": COLOURS[0]},
            customdata=[
                (
                    escape(row["name"]),
                    percent(row["share"], t),
                    percent(row["low"], t),
                    percent(row["high"], t),
                    row["wins"],
                    row["parties"],
                )
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
            xaxis=per_cent(t("Deals won"), t),
            yaxis={
                "tickmode": "array",
                "tickvals": list(range(rows.height)),
                "ticktext": names,
                "fixedrange": True,
                "range": [-0.7, rows.height - 0.3],
            },
        )
    )
    figure.add_vline(x=100 * fair, line_width=1, line_dash="dot", opacity=0.6)
    return figure


def points(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """How a player's points spread, won and lost parties apart, from `queries.players.points`."""
    figure = go.Figure()
    highest = max(frame["points"].to_list(), default=0)
    names = (t("Won"), t("Lost"))
    for won, name, colour in zip((True, False), names, COLOURS, strict=True):
        figure.add_histogram(
            x=frame.filter(pl.col("won") == won)["points"].to_list(),
            name=name,
            marker={"color": colour},
            xbins={"start": 0, "size": 10 if highest >= 60 else 1},
            hovertemplate="%{x}<br>%{y}<extra></extra>",
        )
    figure.update_layout(
        layout(
            t,
            barmode="stack",
            height=280,
            xaxis={"title": t("Points in a deal"), "fixedrange": True},
            yaxis={"title": t("Deals"), "fixedrange": True},
        )
    )
    return figure
