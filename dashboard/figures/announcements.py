"""How often each announcement comes."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, bars, hundredths, layout, per_cent, percent, plain
from ingest.i18n import Translate
from ingest.messages import KINDS


def frequencies(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """Points with intervals from `queries.announcements.frequencies`, trump beside plain."""
    figure = go.Figure()
    names = (t("In trump"), t("Plain or suitless"))
    for trump, name, colour in zip((True, False), names, COLOURS, strict=True):
        rows = frame.filter(pl.col("trump") == trump)
        figure.add_scatter(
            name=name,
            mode="markers",
            marker={"size": 10, "color": colour},
            x=[t(KINDS[kind]) for kind in rows["kind"]],
            y=hundredths(rows["share"]),
            cliponaxis=False,
            error_y=bars(rows),
            customdata=[
                (
                    percent(row["share"], t, 2),
                    percent(row["low"], t, 2),
                    percent(row["high"], t, 2),
                    row["counted"],
                    row["n"],
                )
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{customdata[0]} (%{customdata[1]} – %{customdata[2]})<br>"
            "%{customdata[3]} / %{customdata[4]}",
        )
    order = [t(KINDS[kind]) for kind in KINDS if kind in set(frame["kind"])]
    figure.update_layout(
        layout(
            t,
            scattermode="group",
            scattergap=0.7,
            height=380,
            xaxis={"categoryorder": "array", "categoryarray": order, "fixedrange": True},
            yaxis=per_cent(t("Share of hands"), t),
        )
    )
    return figure
