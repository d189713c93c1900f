"""Charts of players: comparison, points, form, luck, ladder, head to head."""

import math
from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
import polars as pl

from dashboard import figures
from dashboard.figures import (
    COLOURS,
    GREY,
    as_percentages,
    build_figure,
    date_axis,
    english,
    error_bars,
    escape,
    percent_axis,
)
from dashboard.queries.ladder import SURE_SIGMAS
from dashboard.text.numbers import date_text, decimal_text
from ingest.i18n import Translate

BAND_COLOUR = "rgba(47, 148, 112, 0.2)"
WON = (True, False)
"""The groups of the traces of `points_figure`."""


def wins_figure(frame: pl.DataFrame, t: Translate = english, fair: float = 0.5) -> go.Figure:
    """Draw the share of deals won with its interval, from `players_table`, best on top.

    A line marks `fair`, the share each player would win if all played alike.
    """
    rows = frame.sort("share", "decided_deals")
    figure = build_figure(
        t,
        go.Scatter(
            x=as_percentages(rows["share"]),
            y=list(range(rows.height)),
            error_x=error_bars(rows),
            mode="markers",
            marker={"size": 9, "color": COLOURS[0]},
            customdata=[
                (escape(row["name"]), *figures.share_texts(row, t), row["wins"], row["decided_deals"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]} "
            "(%{customdata[2]} – %{customdata[3]})<br>%{customdata[4]} / %{customdata[5]}"
            "<extra></extra>",
        ),
        height=90 + 26 * max(1, rows.height),
        xaxis=percent_axis(t("Deals won"), t),
        yaxis=figures.row_axis(rows["name"].to_list()),
    )
    return figure.add_vline(x=100 * fair, line_width=1, line_dash="dot", opacity=0.6)


def points_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw how points spread, split by won and lost deals, from `points_distribution`."""
    wide = int(frame["most"][0] - frame["least"][0]) + 1 if frame.height else 1
    figure = build_figure(
        t,
        barmode="stack",
        height=280,
        xaxis={"title": t("Points in a deal"), "fixedrange": True},
        yaxis={"title": t("Deals"), "fixedrange": True},
    )
    fields = {True: (t("Won"), frame["wins"]), False: (t("Lost"), frame["n"] - frame["wins"])}
    for (name, counts), colour in zip((fields[won] for won in WON), COLOURS, strict=True):
        figure.add_bar(
            x=(frame["least"] + (wide - 1) / 2).to_list(),
            y=counts.to_list(),
            width=wide * 0.9,
            name=name,
            marker={"color": colour},
            customdata=frame.with_row_index("row").select("least", "most", "row").rows(),
            hovertemplate="%{customdata[0]} – %{customdata[1]}<br>%{y}<extra></extra>"
            if wide > 1
            else "%{customdata[0]}<br>%{y}<extra></extra>",
        )
    return figure


def trend_figure(frame: pl.DataFrame, t: Translate = english, fair: float | None = None) -> go.Figure:
    """Draw the share of recent deals won, its interval as a band, from `results.win_trend`.

    A line marks the share `fair`.
    """
    low, share, high = (as_percentages(frame[name]) for name in ("low", "share", "high"))
    days = frame["day"].to_list()
    more = {
        "customdata": [
            (row["wins"], row["n"], decimal_text(row["points"], t), place)
            for place, row in enumerate(frame.iter_rows(named=True))
        ],
        "hovertemplate": f"%{{x|{figures.date_format(t)}}}<br>%{{y:.1f}} %"
        "<br>%{customdata[0]} / %{customdata[1]}<br>ø %{customdata[2]}<extra></extra>",
    }
    axis = percent_axis(t("Deals won"), t) | {"range": [0, 100]}
    figure = _band_figure(days, low, share, high, axis, t, more)
    if fair is not None:
        figure.add_hline(y=100 * fair, line_width=1, line_dash="dot", opacity=0.6)
    return figure


def _band_figure(
    days: list[Any],
    low: list[float],
    middle: list[float],
    high: list[float],
    axis: dict[str, Any],
    t: Translate,
    more: dict[str, Any],
) -> go.Figure:
    """Draw a line within the band of its interval, with a marker at each point."""
    edge = {"x": days, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    own = {"mode": "lines+markers", "line": {"color": COLOURS[0]}, "marker": {"size": 5}}
    return build_figure(
        t,
        go.Scatter(y=high, **edge),
        go.Scatter(y=low, fill="tonexty", fillcolor=BAND_COLOUR, **edge),
        go.Scatter(x=days, y=middle, **own, **more),
        height=280,
        showlegend=False,
        xaxis=date_axis(days, figures.date_format(t)),  # Plotly's months have English names
        yaxis=axis,
    )


def luck_figure(row: Mapping[str, Any], t: Translate = english) -> go.Figure:
    """Draw a player's cards on the curve of fair deals, from a row of `queries.luck.card_luck`."""
    spread = row["deviation"] / row["n"]
    reach = max(3.2, abs(row["sigmas"] or 0) + 0.5)
    steps = [reach * (i - 60) / 60 for i in range(121)]
    return build_figure(
        t,
        go.Scatter(
            x=[spread * z for z in steps],
            y=[math.exp(-z * z / 2) for z in steps],
            mode="lines",
            fill="tozeroy",
            fillcolor=BAND_COLOUR,
            line={"color": COLOURS[0], "width": 1},
            hoverinfo="skip",
            name=t("Random deals"),
        ),
        go.Scatter(
            x=[row["per_deal"]] * 2,
            y=[0, 1],
            mode="lines+markers",
            line={"color": COLOURS[1], "width": 3},
            name=t("This player"),
            hovertemplate="%{x:.2f}<extra></extra>",
        ),
        height=240,
        xaxis={"title": t("Points of cards a deal, less the expected"), "fixedrange": True},
        yaxis={"visible": False, "fixedrange": True},
    )


def standings_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw μ ± 3σ of each player, best on top, from `queries.ladder.ladder_standings`."""
    rows = frame.reverse()
    colours = [GREY if unsure else COLOURS[0] for unsure in rows["provisional"]]
    return build_figure(
        t,
        go.Scatter(
            x=rows["mu"].to_list(),
            y=list(range(rows.height)),
            error_x={"array": (SURE_SIGMAS * rows["sigma"]).to_list(), "thickness": 2, "color": GREY},
            mode="markers",
            marker={"size": 9, "color": colours},
            customdata=[
                (escape(row["name"]), row["value"], row["sigma"], row["n"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="<b>%{customdata[0]}</b><br>μ %{x:.1f} · σ %{customdata[2]:.1f}"
            "<br>μ − 3σ %{customdata[1]:.1f} · n %{customdata[3]}<extra></extra>",
        ),
        height=90 + 26 * max(1, rows.height),
        xaxis={"title": t("Rating μ, with three σ on either side"), "fixedrange": True},
        yaxis=figures.row_axis(rows["name"].to_list()),
    )


def rating_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw one player's μ − 3σ match after match, with the band of μ ± σ."""
    days = frame["played_on"].to_list()
    low, high = (frame["mu"] - frame["sigma"]).to_list(), (frame["mu"] + frame["sigma"]).to_list()
    more = {
        "customdata": [(place,) for place in range(frame.height)],
        "hovertemplate": f"%{{x|{figures.date_format(t)}}}<br>μ − 3σ %{{y:.1f}}<extra></extra>",
    }
    axis = {"title": "μ − 3σ", "fixedrange": True}
    return _band_figure(days, low, frame["value"].to_list(), high, axis, t, more)


LEAD_STEPS = {"first": 1, "second": -1}
MAX_MARKED_POINTS = 60
"""Up to this many matches have a marker each."""


def lead_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw the first side's lead after each finished match of `head_to_head.opposed_matches`.

    `t` knows the names of both sides, as `Translate.with_values`.
    """
    rows = frame.filter(pl.col("won") != "unfinished")
    ahead = rows["won"].replace_strict(LEAD_STEPS, default=0, return_dtype=pl.Int64).cum_sum().to_list()
    return build_figure(
        t,
        go.Scatter(
            x=list(range(rows.height + 1)),
            y=[0, *ahead],
            mode="lines+markers" if rows.height <= MAX_MARKED_POINTS else "lines",
            line={"color": COLOURS[0], "width": 2},
            marker={"size": 6},
            customdata=["", *(date_text(one, t) for one in rows["played_on"])],
            hovertemplate="%{y:+d}<br>%{customdata}<extra></extra>",
        ),
        height=260,
        xaxis={"title": t("Matches"), "fixedrange": True, "dtick": _axis_step(rows.height)},
        yaxis={"title": escape(t("Lead of {first}")), "fixedrange": True, "zeroline": True}
        | {"dtick": _axis_step(max(ahead, default=0) - min([0, *ahead]))},
    )


def _axis_step(span: int) -> int:
    """Return a whole tick step that divides `span` into at most eight parts."""
    return max(1, -(-span // 8))
