"""Columns of a player's figures among peers, by period, and side by side with other players."""

from dashboard.figures.peer_charts import figure_text, period_text, value_text
from dashboard.queries.peers import MIN_PEERS
from dashboard.text import columns
from dashboard.text.columns import Column, Row
from dashboard.text.numbers import NO_VALUE, SortableText, format_count, percent_text
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


CHANGED_LABELS = {True: N_("changed"), False: N_("no change shown"), None: N_("too few deals")}
PERIOD_COLUMNS = (
    FIGURE_COLUMN,
    Column(N_("Period"), period_text),
    _value_column(N_("Value"), "value", "value"),
    INTERVAL_COLUMN,
    columns.count_column("n", "n", "n"),
    Column(N_("Change"), lambda row, t: t(CHANGED_LABELS[row["changed"]]), "change"),
)
COMPARISON_COLUMNS = (
    FIGURE_COLUMN,
    Column(N_("Player"), lambda row, t: row["name"]),
    _value_column(N_("Value"), "value", "value"),
    INTERVAL_COLUMN,
    columns.count_column("n", "n", "n"),
    PROBABLE_COLUMN,
    _value_column(N_("Difference"), "difference", "compared"),
    _range_column(N_("95% interval of it"), "difference_low", "difference_high", "compared"),
)
TOO_FEW_PEERS = N_("Other players with enough deals here: {n}, too few for a place. It takes {least}.")


def peers_note(frame_peers: int, t: Translate) -> str:
    """Return the sentence for a club too small for places."""
    return t(TOO_FEW_PEERS, n=format_count(frame_peers, t), least=MIN_PEERS)
