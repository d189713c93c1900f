"""Columns of a player's figures among peers, by period, and side by side with other players."""

import polars as pl

from dashboard.figures.peer_charts import figure_text, period_text, value_text
from dashboard.queries.peers import FIGURE_KEYS, MIN_PEERS
from dashboard.queries.periods import MIN_MATCHES
from dashboard.text import columns
from dashboard.text.columns import Column, Row
from dashboard.text.numbers import NO_VALUE, SortableText, decimal_text, format_count, percent_text
from ingest.i18n import N_, Translate


def _range_text(row: Row, low: str, high: str, t: Translate) -> str:
    """Return `low – high`, a dash if there are none."""
    if row[low] is None:
        return NO_VALUE
    return " – ".join((value_text(row, low, t), value_text(row, high, t)))


def place_text(row: Row, t: Translate) -> str:
    """Return how many of the peers have a lower figure, or that there are too few peers."""
    peers = format_count(row["peers"], t)
    if row["place_low"] is None:
        return t(N_("too few players: {n}"), n=peers)
    low, high = (percent_text(row[end], t, 0) for end in ("place_low", "place_high"))
    middle = (row["place_low"] + row["place_high"]) / 2
    return SortableText(t(N_("{low} – {high} of {n}"), low=low, high=high, n=peers), middle)


def _difference_text(row: Row, t: Translate) -> str:
    """Return a difference of shares in points (23.9 points), of means as it is."""
    if row["difference"] is None or row["k"] is None:
        return value_text(row, "difference", t)
    points = 100 * row["difference"]
    return SortableText(t(N_("{n} points"), n=decimal_text(points, t)), points)


def _difference_range_text(row: Row, t: Translate) -> str:
    """Return the interval of `_difference_text`, its unit once."""
    if row["difference_low"] is None or row["k"] is None:
        return _range_text(row, "difference_low", "difference_high", t)
    ends = (decimal_text(100 * row[name], t) for name in ("difference_low", "difference_high"))
    return t(N_("{n} points"), n=" – ".join(ends))


def _value_column(label: str, name: str, about: str) -> Column:
    return Column(label, lambda row, t: value_text(row, name, t), about)


def _range_column(label: str, low: str, high: str, about: str) -> Column:
    return Column(label, lambda row, t: _range_text(row, low, high, t), about)


FIGURE_COLUMN = Column(N_("Figure"), figure_text)
INTERVAL_COLUMN = _range_column(N_("95% interval"), "low", "high", "interval")
PROBABLE_COLUMN = _value_column(N_("Probably"), "probable", "probably")
PEER_COLUMNS = (
    FIGURE_COLUMN,
    _value_column(N_("Value"), "value", "value"),
    columns.count_column("n", "n", "n"),
    PROBABLE_COLUMN,
    _range_column(N_("95% range"), "probable_low", "probable_high", "probably"),
    Column(N_("Higher than"), place_text, "place"),
)


CHANGED_LABELS = {True: N_("changed"), False: N_("no change shown"), None: N_("not tested")}
CHANGE_COLUMN = Column(N_("Change"), lambda row, t: t(CHANGED_LABELS[row["changed"]]), "change")
PERIOD_COLUMNS = (
    FIGURE_COLUMN,
    Column(N_("Period"), period_text),
    _value_column(N_("Value"), "value", "value"),
    INTERVAL_COLUMN,
    columns.count_column("n", "n", "n"),
    CHANGE_COLUMN,
)
COMPARISON_COLUMNS = (
    FIGURE_COLUMN,
    Column(N_("Player"), lambda row, t: row["name"]),
    _value_column(N_("Value"), "value", "value"),
    INTERVAL_COLUMN,
    columns.count_column("n", "n", "n"),
    PROBABLE_COLUMN,
    Column(N_("Difference"), _difference_text, "compared"),
    Column(N_("95% interval of it"), _difference_range_text, "compared"),
)
TOO_FEW_PEERS = N_("Other players with enough deals here: {n}, too few for a place. It takes {least}.")


def peers_note(frame_peers: int, t: Translate) -> str:
    """Return the sentence for a club too small for places."""
    return t(TOO_FEW_PEERS, n=format_count(frame_peers, t), least=MIN_PEERS)


def changes_note(frame: pl.DataFrame, t: Translate) -> str:
    """Return how many figures were tested for a change and how many changed, or why none was tested."""
    figures = frame.unique(FIGURE_KEYS, keep="first", maintain_order=True)
    tested = figures.filter(pl.col("changed").is_not_null())
    if frame["period"].n_unique() < 2:
        return t(N_("A change shows only between two months or seasons; all these deals are in one."))
    if not tested.height:
        return t(N_("Too few deals to test for a change. It takes {n} matches in a period."), n=MIN_MATCHES)
    if not tested["changed"].any():
        return t(N_("Figures tested: {n}. None of them shows a change."), n=tested.height)
    return t(
        N_("Figures tested: {n}; changed: {changed}. At most one in twenty changes should be false."),
        n=tested.height,
        changed=tested["changed"].sum(),
    )
