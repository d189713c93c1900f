"""Columns of tables of figures: for the page and the terminal alike; no Streamlit.

A column is a heading, what stands below it in a row of a frame, and the key of its definition.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from dashboard.text.numbers import NONE, decimal, finely, percent
from ingest.i18n import N_, Translate

Row = Mapping[str, Any]
Cell = Callable[[Row, Translate], str | int]


class Column(NamedTuple):
    """A heading, what stands below it, and the key of its definition."""

    label: str
    tell: Cell
    about: str | None = None
    detail: bool = False
    """Whether a page that has *Details* leaves it out until these are asked for."""


def counted(label: str, key: str, about: str | None = None) -> Column:
    """A column of whole numbers."""
    return Column(label, lambda row, t: row[key], about)


def shared(label: str, key: str = "share", about: str | None = None, digits: int = 1) -> Column:
    """A column of shares; a dash where nothing was seen."""
    return Column(
        label, lambda row, t: NONE if row[key] is None else percent(row[key], t, digits), about
    )


def finely_shared(label: str, key: str, about: str | None = None) -> Column:
    """A column of shares with three decimals, or more where these would tell nothing."""
    return Column(label, lambda row, t: finely(row[key], t, 3), about)


def averaged(label: str, key: str, about: str | None = None, digits: int = 1) -> Column:
    """A column of numbers with decimals."""
    return Column(label, lambda row, t: decimal(row[key], t, digits), about)


def between(low: str, high: str, digits: int = 1, label: str = N_("95% interval of it")) -> Column:
    """The interval of a mean; a dash where there is none."""

    def interval(row: Row, t: Translate) -> str:
        ends = [decimal(row[end], t, digits) for end in (low, high)]
        return NONE if row[low] is None else " – ".join(ends)

    return Column(label, interval, "interval-mean", detail=True)


def average(
    label: str, key: str, about: str, of_it: str = N_("95% interval of it"), digits: int = 1
) -> tuple[Column, Column]:
    """A column of means, and the one of their intervals."""
    interval = between(f"{key}_low", f"{key}_high", digits, of_it)
    return averaged(label, key, about, digits), interval


def wilson(
    label: str, of: str = "", about: str = "interval", digits: int = 1, share: str = "share"
) -> Column:
    """The interval of a share, `of` before its names; a dash where nothing was seen."""

    def interval(row: Row, t: Translate) -> str:
        low, high = row[f"{of}low"], row[f"{of}high"]
        if row[f"{of}{share}"] is None or low is None:
            return NONE
        return f"{percent(low, t, digits)} – {percent(high, t, digits)}"

    return Column(label, interval, about, detail=True)


def detailed(column: Column, detail: bool = True) -> Column:
    """The column as one of the details, or not."""
    return column._replace(detail=detail)


def asked_for(columns: Sequence[Column], details: bool) -> tuple[Column, ...]:
    """The columns a page shows: those of detail only when these are asked for."""
    return tuple(column for column in columns if details or not column.detail)


SHEETS = counted(N_("of which on score sheets"), "told", "sheets")


def with_sheets(columns: Sequence[Column], frame: pl.DataFrame) -> tuple[Column, ...]:
    """The columns, and how many of a row's games are told by score sheets where these count."""
    return (*columns, SHEETS) if "told" in frame.columns else tuple(columns)


N = detailed(counted("n", "n", "n"))
INTERVAL = wilson(N_("95% interval"))
POINTS = average(N_("Average points"), "points", "points", N_("95% interval of points"))
"""A mean of points and its interval, where a table has intervals of other means, too."""


def table_rows(
    columns: Sequence[Column], frame: pl.DataFrame, t: Translate, more: Row = MappingProxyType({})
) -> list[dict[str, str | int]]:
    """The rows of a frame under some columns' headings; `more` is known of each row."""
    return [
        {t(column.label): column.tell({**more, **row}, t) for column in columns}
        for row in frame.iter_rows(named=True)
    ]
