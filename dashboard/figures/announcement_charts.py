"""Charts of announcement frequencies, what they win, and contracts made."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import plotly.graph_objects as go
import polars as pl

from dashboard import figures, games
from dashboard.figures import (
    COLOURS,
    GREY,
    as_percentages,
    build_figure,
    english,
    error_bars,
    escape,
    percent_axis,
)
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.text.numbers import (
    SortableText,
    fine_percent_text,
    month_text,
    percent_interval_text,
    percent_text,
)
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate

TRUMP_LABELS = (N_("In trump"), N_("Plain or suitless"))
NAME_KEYS = ("player", "event")
"""Keys whose values are log texts, too long for labels below a figure."""
PHASES = {"open": N_("Open phase"), "closed": N_("Closed phase")}
LEADS = {True: N_("On lead"), False: N_("Second")}

Row = dict[str, Any]


def value_label(key: str | None, value: Any, t: Translate = english) -> str:
    """Return the text of a value of a key of `queries.announcements.GROUP_KEYS`."""
    if value is None:
        return "–"
    if key == "phase":
        return t(PHASES[value])
    if key == "lead":
        return t(LEADS[value])
    if key == "month":
        return month_text(value, t)
    return SortableText(str(value), value) if key == "trick" else str(value)


def frequency_figure(
    frame: pl.DataFrame,
    t: Translate = english,
    fact: str = "counted",
    key: str | None = None,
    values: bool = False,
) -> go.Figure:
    """Draw frequencies of `queries.announcements` with intervals, trump next to plain.

    `fact` is the column that `share`, `low` and `high` are of; with a key, one kind by value.
    `values`: there is room for them next to the points.
    """
    title = t("% of those announced or not") if fact == "missed" else t("% of hands")
    rows = frame.with_row_index("row").filter(pl.col("n") > 0)
    return _dot_figure(rows, title, lambda row: _share_text(row, t, 2, fact), t, key, values)


def winning_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw the differences of `wins_with_announcements`, with a line at zero."""

    def hover_text(row: Row) -> str:
        share, low, high = figures.share_texts(row, t)
        return (
            f"{share} ({low} – {high})<br>"
            f"{percent_text(row['with'], t)}, n = {row['n']}<br>"
            f"{percent_text(row['share_without'], t)}, n = {row['n_without']}"
        )

    rows = frame.with_row_index("row").filter(pl.col("n_without") > 0)
    rows = rows.rename({"share": "with", "difference": "share"})
    figure = _dot_figure(rows, t("Won with it, less won without"), hover_text, t)
    return figure.add_hline(y=0, line={"color": GREY, "width": 1})


def chance_figure(frame: pl.DataFrame, t: Translate = english) -> go.Figure:
    """Draw the shares dealt with intervals, and a line at each exact probability."""

    def hover_text(row: Row) -> str:
        chance = fine_percent_text(row["chance"], t, 3)
        return f"{_share_text(row, t, 3)}<br>{t('Probability')} {chance}"

    rows = frame.with_columns(pl.col("trump").fill_null(False)).with_row_index("row")
    figure = _dot_figure(rows, t("% of hands dealt"), hover_text, t)
    _add_lines(figure, rows, t("Probability"), ("chance",))
    return figure


def habits_figure(frame: pl.DataFrame, t: Translate = english, key: str | None = None) -> go.Figure:
    """Draw the shares observed with intervals, and lines at the simulated extremes."""

    def hover_text(row: Row) -> str:
        ends = percent_interval_text(row["least"], row["most"], t, 2)
        return f"{_share_text(row, t, 2)}<br>{t('Simulated players')} {ends}"

    rows = frame.with_row_index("row")
    figure = _dot_figure(rows, t("% of hands"), hover_text, t, key)
    _add_lines(figure, rows, t("Simulated players, minimum and maximum"), ("least", "most"), key)
    return figure


def _share_text(row: Row, t: Translate, digits: int, k: str = "k") -> str:
    share, low, high = (percent_text(row[name], t, digits) for name in ("share", "low", "high"))
    return f"{share} ({low} – {high})<br>{row[k]} / {row['n']}"


def _add_lines(
    figure: go.Figure, rows: pl.DataFrame, name: str, columns: Sequence[str], key: str | None = None
) -> None:
    """Add a line across each point at the given columns, with one legend entry for all."""
    for place, (column, trump) in enumerate(product(columns, (True, False))):
        some = rows.filter(pl.col("trump") == trump)
        figure.add_scatter(
            name=name,
            mode="markers",
            marker={"symbol": "line-ew", "size": 22, "line": {"width": 3, "color": GREY}},
            x=_row_positions(some, key),
            y=as_percentages(some[column]),
            offsetgroup=str(trump),
            hoverinfo="skip",
            cliponaxis=False,
            legendgroup="beside",
            showlegend=not place,
        )


def _dot_figure(
    frame: pl.DataFrame,
    title: str,
    hover_text: Callable[[Row], str],
    t: Translate,
    key: str | None = None,
    values: bool = False,
) -> go.Figure:
    """Draw `share` from `low` to `high` per kind, or per value of a key, trump next to plain.

    `row` is the index in the frame that identifies a selected point.
    Shares with `n` below MIN_SAMPLE are grey.
    """
    lying = key in NAME_KEYS
    figure = go.Figure()
    for trump, few in product((True, False), (False, True)):
        rows = frame.filter(pl.col("trump") == trump, (pl.col("n") < MIN_SAMPLE) == few)
        if not rows.height:
            continue
        name, colour = TRUMP_LABELS[not trump], GREY if few else COLOURS[not trump]
        places, shares = _row_positions(rows, key), as_percentages(rows["share"])
        figure.add_scatter(
            name=t(name) + (f" (n < {MIN_SAMPLE})" if few else ""),
            mode="markers+text" if values and not lying else "markers",
            text=[percent_text(share, t, 1) for share in rows["share"]],
            textposition="middle left" if trump else "middle right",
            orientation="h" if lying else "v",
            marker={"size": 10, "color": colour, "symbol": "circle" if trump or not few else "circle-open"},
            x=shares if lying else places,
            y=places if lying else shares,
            offsetgroup=str(trump),
            cliponaxis=False,
            **{"error_x" if lying else "error_y": error_bars(rows)},
            customdata=[
                (f"<b>{_row_label(row, key, t)}</b><br>{hover_text(row)}", row["row"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{customdata[0]}<extra>%{fullData.name}</extra>",
        )
    ordered = _sort_rows(frame, key)
    labels = [_row_label(row, key, t) for row in ordered.iter_rows(named=True)]
    order = dict(zip(_row_positions(ordered, key), labels, strict=True))
    words = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(order)[::-1] if lying else list(order),
        "tickmode": "array",
        "tickvals": list(order),
        "ticktext": list(order.values()),
        "fixedrange": True,
        "layer": "below traces",  # the line of 0 is not above the text of a small value
    }
    tall, gap = (120 + 34 * len(order), 0.4) if lying else (300, 0.7)
    x, y = (percent_axis(title, t), words) if lying else (words, percent_axis(title, t))
    look = {"scattermode": "group", "scattergap": gap, "height": tall}
    return figure.update_layout(figures.figure_layout(t, **look, xaxis=x, yaxis=y))


def _sort_rows(frame: pl.DataFrame, key: str | None) -> pl.DataFrame:
    """Sort kinds from the smallest up, other values by time; names stay in order."""
    if key is None:
        ranks = {kind: place for place, kind in enumerate(announcement_kinds())}
        return frame.sort(pl.col("kind").replace_strict(ranks, return_dtype=pl.Int64))
    if key == "phase":
        return frame.sort(pl.col(key) == "closed")
    return frame if key in NAME_KEYS else frame.sort(key, descending=key == "lead")


def _row_positions(frame: pl.DataFrame, key: str | None) -> list[str]:
    """Return the axis position of each row; two players may share a name."""
    return [str(one) for one in frame["player_no" if key == "player" else key or "kind"]]


def _row_label(row: Row, key: str | None, t: Translate) -> str:
    text = t(announcement_kinds()[row["kind"]]) if key is None else value_label(key, row[key], t)
    return escape(text if len(text) <= 24 else text[:23] + "…")


def bid_label(level: int, t: Translate = english, game: str | None = None) -> str:
    """Return a bid's level as players call it, sortable by its worth.

    `level` is an index of the game's HEIGHTS; `game` defaults to the first game with contracts.
    """
    found = games.game_view(game or games.games_with_bids()[0]).HEIGHTS[level]
    return SortableText(t(found.text), found.worth)


def strain_label(strain: int, t: Translate = english, game: str | None = None) -> str:
    """Return the suit of a contract, or sans atout or tout atout; `game` as for `bid_label`."""
    return t(games.game_view(game or games.games_with_bids()[0]).STRAINS[strain])


def contracts_figure(
    frame: pl.DataFrame, t: Translate = english, game: str | None = None, values: bool = False
) -> go.Figure:
    """Draw the share of contracts made with its interval, from `queries.contracts.contracts`.

    `values`: there is room for them next to the points.
    """
    rows = frame.with_row_index("row").filter(pl.col("decided") > 0)
    return build_figure(
        t,
        go.Scatter(
            x=[bid_label(level, t, game) for level in rows["level"]],
            y=as_percentages(rows["share"]),
            # several colours of points give their bars none
            error_y=error_bars(rows) | {"color": GREY},
            mode="markers+text" if values else "markers",
            text=[percent_text(share, t, 0) for share in rows["share"]],
            textposition="middle right",
            marker={"size": 10, "color": [GREY if n < MIN_SAMPLE else COLOURS[0] for n in rows["decided"]]},
            cliponaxis=False,
            customdata=[
                (*figures.share_texts(row, t), row["made"], row["decided"], row["row"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{x}<br>%{customdata[0]} (%{customdata[1]} – %{customdata[2]})<br>"
            "%{customdata[3]} / %{customdata[4]}<extra></extra>",
        ),
        height=340,
        xaxis={"title": t("Contract"), "type": "category", "fixedrange": True, "layer": "below traces"},
        yaxis=percent_axis(t("Contracts made"), t),
    )
