"""How often announcements come, what they win, what chance gives; contracts made."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import plotly.graph_objects as go
import polars as pl

from dashboard import figures, games
from dashboard.figures import COLOURS, GREY, bars, drawn, escape, hundredths, per_cent, plain
from dashboard.queries.intervals import FEW
from dashboard.text.numbers import Figure, finely, percent
from ingest.findings.spoken_notation import kinds
from ingest.i18n import N_, Translate

SIDES = (N_("In trump"), N_("Plain or suitless"))
NAMED = ("player", "event")
"""Keys whose values are texts of a log, too long for the foot of a figure."""
PHASES = {"open": N_("Open phase"), "closed": N_("Closed phase")}
LEADS = {True: N_("On lead"), False: N_("Second")}

Row = dict[str, Any]


def value(key: str | None, one: Any, t: Translate = plain) -> str:
    """A value of a key of `queries.announcements.by` as people read it."""
    if one is None:
        return "–"
    if key == "phase":
        return t(PHASES[one])
    if key == "lead":
        return t(LEADS[one])
    if key == "month":
        return Figure(f"{one:%m/%Y}" if t.language == "fr" else f"{one:%Y-%m}", one)
    return Figure(str(one), one) if key == "trick" else str(one)


def frequencies(
    frame: pl.DataFrame, t: Translate = plain, fact: str = "counted", key: str | None = None
) -> go.Figure:
    """Points with intervals from `queries.announcements`, trump beside plain.

    `fact` is the column that `share`, `low` and `high` are of; with a key one kind's, by value.
    """
    title = t("Share of those announced or not") if fact == "missed" else t("Share of hands")
    rows = frame.with_row_index("row").filter(pl.col("n") > 0)
    return _dots(rows, title, lambda row: _seen(row, t, 2, fact), t, key)


def winning(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """How much more often deals are won with each announcement, from `winning`; a line at none."""

    def said(row: Row) -> str:
        share, low, high = figures.share_told(row, t)
        return (
            f"{share} ({low} – {high})<br>"
            f"{percent(row['with'], t)}, n = {row['n']}<br>"
            f"{percent(row['other'], t)}, n = {row['other_n']}"
        )

    rows = frame.with_row_index("row").filter(pl.col("other_n") > 0)
    rows = rows.rename({"share": "with", "difference": "share"})
    figure = _dots(rows, t("Won with it, less won without"), said, t)
    return figure.add_hline(y=0, line={"color": GREY, "width": 1})


def chance(frame: pl.DataFrame, t: Translate = plain) -> go.Figure:
    """What hands were dealt, with intervals, and a line at its exact probability (`dealt`)."""

    def said(row: Row) -> str:
        return f"{_seen(row, t, 3)}<br>{t('Probability')} {finely(row['chance'], t, 3)}"

    rows = frame.with_columns(pl.col("trump").fill_null(False)).with_row_index("row")
    figure = _dots(rows, t("Share of hands dealt"), said, t)
    _lines(figure, rows, t("Probability"), ("chance",))
    return figure


def habits(frame: pl.DataFrame, t: Translate = plain, key: str | None = None) -> go.Figure:
    """What was seen, with intervals, and two lines: the least and most of simulated players."""

    def said(row: Row) -> str:
        ends = f"{percent(row['least'], t, 2)} – {percent(row['most'], t, 2)}"
        return f"{_seen(row, t, 2)}<br>{t('Simulated players')} {ends}"

    rows = frame.with_row_index("row")
    figure = _dots(rows, t("Share of hands"), said, t, key)
    _lines(figure, rows, t("Simulated players, least and most"), ("least", "most"), key)
    return figure


def _seen(row: Row, t: Translate, digits: int, k: str = "k") -> str:
    share, low, high = (percent(row[name], t, digits) for name in ("share", "low", "high"))
    return f"{share} ({low} – {high})<br>{row[k]} / {row['n']}"


def _lines(
    figure: go.Figure, rows: pl.DataFrame, name: str, columns: Sequence[str], key: str | None = None
) -> None:
    """Lines across each point where some columns have it, one entry of the legend for all."""
    for place, (column, trump) in enumerate(product(columns, (True, False))):
        some = rows.filter(pl.col("trump") == trump)
        figure.add_scatter(
            name=name,
            mode="markers",
            marker={"symbol": "line-ew", "size": 22, "line": {"width": 3, "color": GREY}},
            x=_places(some, key),
            y=hundredths(some[column]),
            offsetgroup=str(trump),
            hoverinfo="skip",
            cliponaxis=False,
            legendgroup="beside",
            showlegend=not place,
        )


def _dots(
    frame: pl.DataFrame,
    title: str,
    said: Callable[[Row], str],
    t: Translate,
    key: str | None = None,
) -> go.Figure:
    """`share` from `low` to `high` of each kind or of each value of a key, trump beside plain.

    `row` is the place in the frame a point is told by when it is chosen.
    What rests on fewer than FEW is grey.
    """
    lying = key in NAMED
    figure = go.Figure()
    for trump, few in product((True, False), (False, True)):
        rows = frame.filter(pl.col("trump") == trump, (pl.col("n") < FEW) == few)
        if not rows.height:
            continue
        name, colour = SIDES[not trump], GREY if few else COLOURS[not trump]
        places, shares = _places(rows, key), hundredths(rows["share"])
        figure.add_scatter(
            name=t(name) + (f" (n < {FEW})" if few else ""),
            mode="markers",
            orientation="h" if lying else "v",
            marker={
                "size": 10,
                "color": colour,
                "symbol": "circle" if trump or not few else "circle-open",
            },
            x=shares if lying else places,
            y=places if lying else shares,
            offsetgroup=str(trump),
            cliponaxis=False,
            **{"error_x" if lying else "error_y": bars(rows)},
            customdata=[
                (f"<b>{_label(row, key, t)}</b><br>{said(row)}", row["row"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{customdata[0]}<extra>%{fullData.name}</extra>",
        )
    ordered = _sorted(frame, key)
    labels = [_label(row, key, t) for row in ordered.iter_rows(named=True)]
    order = dict(zip(_places(ordered, key), labels, strict=True))
    words = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": list(order)[::-1] if lying else list(order),
        "tickmode": "array",
        "tickvals": list(order),
        "ticktext": list(order.values()),
        "fixedrange": True,
    }
    tall, gap = (120 + 34 * len(order), 0.4) if lying else (300, 0.7)
    x, y = (per_cent(title, t), words) if lying else (words, per_cent(title, t))
    look = {"scattermode": "group", "scattergap": gap, "height": tall}
    return figure.update_layout(figures.layout(t, **look, xaxis=x, yaxis=y))


def _sorted(frame: pl.DataFrame, key: str | None) -> pl.DataFrame:
    """Kinds from the smallest up, or values in the order of time; names as they come."""
    if key is None:
        ranks = {kind: place for place, kind in enumerate(kinds())}
        return frame.sort(pl.col("kind").replace_strict(ranks, return_dtype=pl.Int64))
    if key == "phase":
        return frame.sort(pl.col(key) == "closed")
    return frame if key in NAMED else frame.sort(key, descending=key == "lead")


def _places(frame: pl.DataFrame, key: str | None) -> list[str]:
    """Where each row's point stands; two players may share a name."""
    return [str(one) for one in frame["player_no" if key == "player" else key or "kind"]]


def _label(row: Row, key: str | None, t: Translate) -> str:
    text = t(kinds()[row["kind"]]) if key is None else value(key, row[key], t)
    return escape(text if len(text) <= 24 else text[:23] + "…")


def height(level: int, t: Translate = plain, game: str | None = None) -> str:
    """A bid's height as players say it, with what it is worth.

    `level` is its place in the game's HEIGHTS; without a game, of the first that has contracts.
    """
    found = games.of(game or games.bidding()[0]).HEIGHTS[level]
    return Figure(t(found.text), found.worth)


def made(frame: pl.DataFrame, t: Translate = plain, game: str | None = None) -> go.Figure:
    """The share of contracts made, with its interval, from `queries.contracts.contracts`."""
    rows = frame.with_row_index("row").filter(pl.col("decided") > 0)
    return drawn(
        t,
        go.Scatter(
            x=[height(level, t, game) for level in rows["level"]],
            y=hundredths(rows["share"]),
            error_y=bars(rows),
            mode="markers",
            marker={
                "size": 10,
                "color": [GREY if n < FEW else COLOURS[0] for n in rows["decided"]],
            },
            cliponaxis=False,
            customdata=[
                (*figures.share_told(row, t), row["made"], row["decided"], row["row"])
                for row in rows.iter_rows(named=True)
            ],
            hovertemplate="%{x}<br>%{customdata[0]} (%{customdata[1]} – %{customdata[2]})<br>"
            "%{customdata[3]} / %{customdata[4]}<extra></extra>",
        ),
        height=340,
        xaxis={"title": t("Contract"), "type": "category", "fixedrange": True},
        yaxis=per_cent(t("Contracts made"), t),
    )
