"""How often contracts of Coinche are made."""

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, GREY, bars, hundredths, layout, per_cent, percent, plain
from dashboard.queries.intervals import FEW
from dashboard.text.numbers import Figure
from engine.coinche.acts import LEVELS
from engine.coinche.kernel import VALUE
from ingest.games.coinche import GENERALE_BID, MATCH_BID
from ingest.i18n import Translate

HEIGHTS = {"match": MATCH_BID, "generale": GENERALE_BID}


def height(level: int, t: Translate = plain) -> str:
    """A bid's height as players say it, with what it is worth; `level` is its place in LEVELS."""
    text = t(HEIGHTS[LEVELS[level]]) if LEVELS[level] in HEIGHTS else LEVELS[level]
    return Figure(text, int(VALUE[level]))


def made(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """The share of contracts made, with its interval, from `queries.contracts.contracts`."""
    rows = frame.with_row_index("row").filter(pl.col("decided") > 0)
    figure = go.Figure(
        go.Scatter(
            x=[height(level, t) for level in rows["level"]],
            y=hundredths(rows["share"]),
            error_y=bars(rows),
            mode="markers",
            marker={
                "size": 10,
                "color": [GREY if n < FEW else COLOURS[0] for n in rows["decided"]],
            },
            cliponaxis=False,
            customdata=[
                (
                    percent(row["share"], t),
                    percent(row["low"], t),
                    percent(row["high"], t),
                    row["made"],
                    row["decided"],
                    row["row"],
                )
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{x}<br>%{customdata[0]} (%{customdata[1]} – %{customdata[2]})<br>"
            "%{customdata[3]} / %{customdata[4]}<extra></extra>",
        )
    )
    figure.update_layout(
        layout(
            t,
            height=340,
            xaxis={"title": t("Contract"), "type": "category", "fixedrange": True},
            yaxis=per_cent(t("Contracts made"), t),
        )
    )
    return figure
