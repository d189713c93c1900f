"""How often each announcement comes."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import bars, layout, percent, plain
from ingest.i18n import Translate
from ingest.messages import KINDS

SUITED = ("mariage", "tierce", "quarteron", "chouine")


def frequencies(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """Bars with intervals from `queries.announcements.frequencies`, trump beside plain."""
    figure = go.Figure()
    for trump, name in ((True, t("In trump")), (False, t("Plain or suitless"))):
        rows = frame.filter(pl.col("trump") == trump)
        figure.add_bar(
            name=name,
            x=[t(KINDS[kind]) for kind in rows["kind"]],
            y=rows["share"].to_list(),
            error_y=bars(rows),
            customdata=[
                (percent(row["share"], t, 2), percent(row["low"], t, 2), percent(row["high"], t, 2),
                 row["counted"], row["n"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{customdata[0]} (%{customdata[1]} – %{customdata[2]})<br>"
            "%{customdata[3]} / %{customdata[4]}",
        )
    order = [t(KINDS[kind]) for kind in KINDS if kind in set(frame["kind"])]
    figure.update_layout(
        layout(
            t,
            barmode="group",
            height=380,
            xaxis={"categoryorder": "array", "categoryarray": order, "fixedrange": True},
            yaxis={"tickformat": ".1~%", "title": t("Share of hands"), "fixedrange": True},
        )
    )
    return figure
