"""Plotly figures made from the frames of `dashboard.queries`; no Streamlit.

`t` translates the texts; `dashboard.figures.english` is English.
"""

import html
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

import plotly.graph_objects as go
import polars as pl

from dashboard.text.numbers import percent_text as percent_text  # re-exported for the figures
from ingest.i18n import Translate, translator

english = translator("en", "dashboard")
escape = partial(html.escape, quote=False)
"""Escape log text for Plotly, which interprets some HTML tags in labels."""

COLOURS = ("#2f9470", "#c8832a")
"""Legible on light and dark pages."""
GREY = "#8a8f98"
"""The colour of small samples and reference lines."""


def figure_layout(t: Translate, **more: Any) -> dict[str, Any]:
    """Return the layout all figures share: the language's decimal separator, thin margins."""
    return {
        "separators": ",\N{NARROW NO-BREAK SPACE}" if t.language == "fr" else ".,",
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "title": None},
        "dragmode": False,
    } | more


def build_figure(t: Translate, *traces: Any, **more: Any) -> go.Figure:
    """Return a figure of traces with the shared layout; `more` adds layout of its own."""
    return go.Figure(list(traces)).update_layout(figure_layout(t, **more))


def row_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a row per name, placed by index since two players may share a name."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [escape(name if len(name) <= 24 else name[:23] + "…") for name in names],
        "fixedrange": True,
        "range": [-0.7, len(names) - 0.3],
    }


def date_format(t: Translate) -> str:
    """Return the format of a day for `strftime` and Plotly."""
    return "%d/%m/%Y" if t.language == "fr" else "%Y-%m-%d"


def share_texts(row: Mapping[str, Any], t: Translate) -> tuple[str, str, str]:
    """Return a share and the ends of its interval as text."""
    return percent_text(row["share"], t), percent_text(row["low"], t), percent_text(row["high"], t)


def as_percentages(shares: pl.Series) -> list[float]:
    """Return shares in per cent."""
    return (100 * shares).to_list()


def percent_axis(title: str, t: Translate) -> dict[str, Any]:
    """Return an axis for `as_percentages`."""
    sign = "\N{NARROW NO-BREAK SPACE}%" if t.language == "fr" else "%"
    return {"title": title, "ticksuffix": sign, "fixedrange": True, "rangemode": "tozero"}


def date_axis(days: Sequence[date], date_format: str) -> dict[str, Any]:
    """Return an axis of days, each labelled at most once; `date_format` is for `strftime`."""
    axis = {"type": "date", "fixedrange": True, "tickformat": date_format, "nticks": 6}
    if not days or (last := max(days)) - (first := min(days)) > timedelta(days=5):
        return axis
    room = timedelta(days=1)
    around = [max(first, date.min + room) - room, min(last, date.max - room) + room]
    return axis | {"dtick": 86_400_000, "range": around}


def error_bars(frame: pl.DataFrame) -> dict[str, Any]:
    """Return error bars from `low` to `high` around `share`, in per cent."""
    return {
        "type": "data",
        "symmetric": False,
        "array": as_percentages(frame["high"] - frame["share"]),
        "arrayminus": as_percentages(frame["share"] - frame["low"]),
        "thickness": 2,
        "width": 5,
    }
