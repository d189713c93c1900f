"""Charts of a player among peers, and of figures by month or season."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import plotly.graph_objects as go
import polars as pl

from dashboard.figures import COLOURS, GREY, build_figure, english, escape, row_axis
from dashboard.games import game_view, is_suitless
from dashboard.queries.peers import FIGURE_KEYS
from dashboard.text.columns import Row
from dashboard.text.numbers import NO_VALUE, SortableText, decimal_text, month_text, percent_text
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate

FIGURE_LABELS = {
    "won": N_("Deals won"),
    "points": N_("Points a deal"),
    "card_points": N_("Points of cards taken"),
    "bonus": N_("Points of announcements"),
    "announced": N_("Announcements a deal"),
    "contracts": N_("Contracts bid"),
    "contracts_made": N_("Contracts made"),
    "bids_met": N_("Bids met"),
}


def figure_text(row: Row, t: Translate) -> str:
    """Return the name of a figure, in its game's words."""
    if row["figure"] == "kind":
        kind = t(announcement_kinds()[row["kind"]])
        if is_suitless(row["kind"]) or row["trump"] is None:
            return kind
        return f"{kind} ({t(N_('trump')) if row['trump'] else t(N_('plain'))})"
    own = game_view(row["game"]).ROW_NAMES.get(("measure", row["figure"]))
    return t(own or FIGURE_LABELS[row["figure"]])


def value_text(row: Row, name: str, t: Translate) -> str:
    """Return a share in per cent, or a mean."""
    if row[name] is None:
        return NO_VALUE
    if row["k"] is not None:
        return percent_text(row[name], t)
    return decimal_text(row[name], t, 2 if row["figure"] == "announced" else 1)


def period_text(row: Row, t: Translate) -> str:
    """Return a month, or a season by its two years: `2025–2026`."""
    if row["by"] == "month":
        return SortableText(month_text(row["period"], t), row["period"])
    return SortableText(f"{row['period'].year}–{row['period'].year + 1}", row["period"])


def places_figure(frame: pl.DataFrame, game: str, t: Translate = english) -> go.Figure:
    """Draw each figure that has a place as a strip: peers as dots, the player as a bar.

    `frame` is `peers.place_with_values`; its first figure is on top. Each strip has its own scale,
    with the values of both ends below it. Dots have no names: one without a name among named ones
    would be a masked player's.
    """
    placed = frame.filter(pl.col("place_low").is_not_null())
    rows = [{**row, "game": game} for row in placed.iter_rows(named=True)][::-1]
    dots: dict[str, list[Any]] = {"x": [], "y": [], "text": []}
    own: dict[str, list[Any]] = {"x": [], "y": [], "text": []}
    ends_text = list[str]()
    for index, row in enumerate(rows):
        peers = row["values"]
        low, high = min([*peers, row["value"]]), max([*peers, row["value"]])
        for value, into in (*((one, dots) for one in peers), (row["value"], own)):
            into["x"].append((value - low) / (high - low) if high > low else 0.5)
            into["y"].append(index)
            into["text"].append(value_text({**row, "value": value}, "value", t))
        ends_text += [value_text({**row, "value": end}, "value", t) for end in (low, high)]
    hover = {"hovertemplate": "%{text}<extra></extra>", "mode": "markers"}
    dot = {"size": 9, "color": GREY, "opacity": 0.5}
    bar = {"symbol": "line-ns", "size": 16, "line": {"width": 4, "color": COLOURS[0]}}
    return build_figure(
        t,
        go.Scatter(**dots, **hover, name=t("Other players"), marker=dot),
        go.Scatter(**own, **hover, name=t("This player"), marker=bar),
        _scale_ends(ends_text),
        height=60 + 48 * max(1, len(rows)),
        xaxis={"visible": False, "fixedrange": True, "range": [-0.04, 1.04]},
        yaxis=_figure_axis(rows, t),
    )


def _figure_axis(rows: Sequence[Row], t: Translate) -> dict[str, Any]:
    """Return an axis with a row per figure; a long name takes two lines."""
    lines = [wrap(figure_text(row, t), 24) for row in rows]
    return row_axis([one[0] for one in lines]) | {
        "ticktext": ["<br>".join(map(escape, one)) for one in lines]
    }


def _scale_ends(texts: Sequence[str]) -> go.Scatter:
    """Return the values of both ends of each strip's own scale, below it."""
    strips = len(texts) // 2
    return go.Scatter(
        x=[0, 1] * strips,
        y=[index - 0.34 for index in range(strips) for _ in range(2)],
        text=texts,
        textposition=["bottom right", "bottom left"] * strips,
        textfont={"size": 11, "color": GREY},
        mode="text",
        hoverinfo="skip",
        showlegend=False,
    )


COMPARED_MARKS = (("circle", COLOURS[0]), ("diamond", COLOURS[1]), ("square", "#4f6fb5"), ("x", "#a0527f"))
"""A shape and a colour for each of the players compared: a reader needs no colour to distinguish them."""


def comparison_figure(frame: pl.DataFrame, game: str, t: Translate = english) -> go.Figure:
    """Draw each figure of the players compared on a scale of its own, the first figure on top.

    The values of both ends are below it. `frame` is `comparison.compare_players`.
    """
    figures = [
        [{**row, "game": game} for row in rows.iter_rows(named=True)]
        for rows in frame.partition_by(FIGURE_KEYS, maintain_order=True)
    ][::-1]
    traces, scales, ends_text = list[go.Scatter](), list[tuple[float, float]](), list[str]()
    for rows in figures:
        known = [row[end] for row in rows for end in ("low", "high", "value") if row[end] is not None]
        scales.append((min(known), max(known)))
        ends_text += [value_text({**rows[0], "value": end}, "value", t) for end in scales[-1]]
    players = dict(frame.select("player_no", "name").unique(maintain_order=True).iter_rows())
    for (player_no, name), (symbol, colour) in zip(players.items(), COMPARED_MARKS, strict=False):
        points: dict[str, list[Any]] = {"x": [], "y": [], "text": []}
        ends: dict[str, list[Any]] = {"array": [], "arrayminus": []}
        for index, rows in enumerate(figures):
            low, high = scales[index]
            wide = (high - low) or 1
            for row in (row for row in rows if row["player_no"] == player_no):
                points["x"].append((row["value"] - low) / wide)
                points["y"].append(index + 0.15 * ((len(players) - 1) / 2 - len(traces)))
                points["text"].append(value_text(row, "value", t))
                bounds = [row[end] if row[end] is not None else row["value"] for end in ("high", "low")]
                ends["array"].append((bounds[0] - row["value"]) / wide)
                ends["arrayminus"].append((row["value"] - bounds[1]) / wide)
        traces.append(
            go.Scatter(
                **points,
                error_x={"type": "data", "thickness": 1.5, "width": 3, **ends},
                mode="markers",
                name=escape(name),
                marker={"symbol": symbol, "size": 10, "color": colour},
                hovertemplate=f"{escape(name)}<br>%{{text}}<extra></extra>",
            )
        )
    return build_figure(
        t,
        *traces,
        _scale_ends(ends_text),
        height=90 + 48 * max(1, len(figures)),
        xaxis={"visible": False, "fixedrange": True, "range": [-0.04, 1.04]},
        yaxis=_figure_axis([rows[0] for rows in figures], t),
    )


def period_figure(frame: pl.DataFrame, game: str, t: Translate = english) -> go.Figure:
    """Draw one figure by period with its interval, from rows of `periods.figures_by_period`."""
    rows = [{**row, "game": game} for row in frame.iter_rows(named=True)]
    is_share = not frame["k"].null_count()
    return _points_figure(rows, figure_text(rows[0], t), is_share, t)


def months_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw the share of deals that a search finds by month, from `find_result.search_by_month`."""
    rows = frame.select(
        pl.lit("month").alias("by"), "low", "high", period="month", value="share", k="found", n="deals"
    )
    return _points_figure(rows.to_dicts(), t("Deals found"), True, t)


def _points_figure(rows: Sequence[Row], title: str, is_share: bool, t: Translate) -> go.Figure:
    """Draw a value by period with its interval."""
    scale, sign = (100, "\N{NARROW NO-BREAK SPACE}%" if t.language == "fr" else "%") if is_share else (1, "")
    shown = [row for row in rows if row["value"] is not None]
    ends = {
        end: [0 if row[end] is None else scale * abs(row[end] - row["value"]) for row in shown]
        for end in ("low", "high")
    }
    return build_figure(
        t,
        go.Scatter(
            x=[escape(str(period_text(row, t))) for row in shown],
            y=[scale * row["value"] for row in shown],
            error_y={"type": "data", "array": ends["high"], "arrayminus": ends["low"], "thickness": 1},
            mode="markers",
            marker={"size": 9, "color": COLOURS[0]},
            text=[value_text(row, "value", t) for row in shown],
            customdata=[row["n"] for row in shown],
            hovertemplate="%{x}<br>%{text}<br>n %{customdata}<extra></extra>",
        ),
        height=260,
        xaxis={"type": "category", "fixedrange": True},
        yaxis={"title": title, "ticksuffix": sign, "fixedrange": True},
    )
