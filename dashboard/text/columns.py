"""How a column of a statistics table is formatted and labelled.

A column is a heading, the text of each row's cell, and the key of its definition.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from dashboard.text.numbers import (
    NO_VALUE,
    decimal_interval_text,
    decimal_text,
    fine_percent_text,
    percent_interval_text,
    percent_text,
)
from ingest.i18n import N_, Translate

Row = Mapping[str, Any]
Cell = Callable[[Row, Translate], str | int]


class Column(NamedTuple):
    """A heading, a function for its cells, and the key of its definition."""

    label: str
    cell: Cell
    definition: str | None = None
    is_detail: bool = False
    """Whether a page with *Details* shows it only when these are switched on."""


def count_column(label: str, key: str, about: str | None = None) -> Column:
    """Return a column of whole numbers."""
    return Column(label, lambda row, t: row[key], about)


def share_column(label: str, key: str = "share", about: str | None = None, digits: int = 1) -> Column:
    """Return a column of shares; a dash for None."""
    return Column(
        label, lambda row, t: NO_VALUE if row[key] is None else percent_text(row[key], t, digits), about
    )


def fine_share_column(label: str, key: str, about: str | None = None) -> Column:
    """Return a column of shares with three decimals, or more for small shares."""
    return Column(label, lambda row, t: fine_percent_text(row[key], t, 3), about)


def decimal_column(label: str, key: str, about: str | None = None, digits: int = 1) -> Column:
    """Return a column of numbers with decimals."""
    return Column(label, lambda row, t: decimal_text(row[key], t, digits), about)


def interval_column(low: str, high: str, digits: int = 1, label: str = N_("95% interval of it")) -> Column:
    """Return a column with the interval of a mean; a dash for None."""

    def interval(row: Row, t: Translate) -> str:
        return decimal_interval_text(row[low], row[high], t, digits) or NO_VALUE

    return Column(label, interval, "interval-mean", is_detail=True)


def average_columns(
    label: str, key: str, about: str, of_it: str = N_("95% interval of it")
) -> tuple[Column, Column]:
    """Return a column of means, and one of their intervals."""
    interval = interval_column(f"{key}_low", f"{key}_high", label=of_it)
    return decimal_column(label, key, about), interval


def share_interval_column(
    label: str, of: str = "", about: str = "interval", digits: int = 1, share: str = "share"
) -> Column:
    """Return a column with the interval of a share; `of` is a prefix of the frame's columns."""

    def interval(row: Row, t: Translate) -> str:
        low, high = row[f"{of}low"], row[f"{of}high"]
        if row[f"{of}{share}"] is None or low is None:
            return NO_VALUE
        return percent_interval_text(low, high, t, digits)

    return Column(label, interval, about, is_detail=True)


def as_detail(column: Column, detail: bool = True) -> Column:
    """Return the column marked as a detail, or not."""
    return column._replace(is_detail=detail)


def visible_columns(columns: Sequence[Column], details: bool) -> tuple[Column, ...]:
    """Return the columns a page shows; detail columns only with `details`."""
    return tuple(column for column in columns if details or not column.is_detail)


SHEETS_COLUMN = count_column(N_("of which on score sheets"), "from_sheets", "sheets")


def with_sheets_column(columns: Sequence[Column], frame: pl.DataFrame) -> tuple[Column, ...]:
    """Add a column of games known from score sheets, if the frame has one."""
    return (*columns, SHEETS_COLUMN) if "from_sheets" in frame.columns else tuple(columns)


N_COLUMN = as_detail(count_column("n", "n", "n"))
INTERVAL_COLUMN = share_interval_column(N_("95% interval"))
POINTS_COLUMNS = average_columns(N_("Average points"), "points", "points", N_("95% interval of points"))
"""A mean of points and its interval, for tables that have intervals of other means too."""


def rows_as_text(
    columns: Sequence[Column], frame: pl.DataFrame, t: Translate, more: Row = MappingProxyType({})
) -> list[dict[str, str | int]]:
    """Return the rows of a frame as texts by column heading; `more` holds values for every row."""
    return [
        {t(column.label): column.cell({**more, **row}, t) for column in columns}
        for row in frame.iter_rows(named=True)
    ]
