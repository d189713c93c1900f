"""Contracts on the page of announcements: a figure and a table, each opening the deals behind."""

import polars as pl
import streamlit as st

from dashboard.figures.contracts import made
from dashboard.queries import contracts, left_out, scope
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.contracts import BY_HEIGHT
from dashboard.tables.profile import reasons_line
from dashboard.text.columns import table_rows
from dashboard.text.numbers import count_of
from dashboard.widgets.chart import chart
from dashboard.widgets.grid import grid
from dashboard.widgets.matches import deals_behind
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def contracts_page(which: Scope, t: Translate) -> None:
    """Each height that was bid: how often, and how often it was made."""
    frame = answer(contracts.contracts, which)
    if not frame.height:
        st.info(t("No contract in these deals."), icon=":material/search_off:")
        return
    deals, _ = answer(scope.deals, which)
    out = reasons_line(answer(left_out.reasons, which), t)
    st.caption(
        t(
            "The last bid of each deal; deals that count: {deals}; left out: {out}.",
            deals=count_of(deals, t),
            out=out,
        )
    )
    _figure(which, frame, t)
    leaves_out(which, t)
    _table(which, frame, t)


def _figure(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """The share made by height; a point that is chosen shows the deals of its height."""
    alt = t("Share of contracts made, by height")
    point = chart(made(frame, t, which.game), alt, "contracts-drawn", frame.height, t)
    if point is not None:
        _of_height(which, frame["level"][point.row], "contracts-drawn", t)


def _table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """The heights as a table; a row that is open shows the deals of its height."""
    rows = table_rows(BY_HEIGHT, frame, t, {"game": which.game})
    grey = (frame["decided"] < FEW).to_list()
    alt = t("Contracts by height")
    chosen = grid(rows, BY_HEIGHT, grey, "contracts", alt, t, opens="Taken")
    if chosen is not None:
        _of_height(which, frame["level"][chosen], "contracts", t)


def _of_height(which: Scope, level: int, key: str, t: Translate) -> None:
    """The deals of a height, a page of them."""
    asked = (which, level)
    total = answer(contracts.behind_count, *asked)
    deals_behind(total, lambda *page: answer(contracts.behind, *asked, *page), key, t)
