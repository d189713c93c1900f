"""Single figures with definition, n and interval, and drawn ones; both open the games behind."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import plotly.graph_objects as go
import streamlit as st

from dashboard.games import about
from dashboard.queries import left_out
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.text.numbers import count_of
from dashboard.widgets.matches import deals_behind
from dashboard.widgets.store import answer
from ingest.i18n import Translate

OUT = "out"
"""The list of the deals that are left out."""


class Metric(NamedTuple):
    """One figure; a share or a mean has `n` and `interval`, a count has neither."""

    label: str
    value: str
    about: str
    n: int | None = None
    interval: str = ""


def metrics(
    shown: Mapping[str, Metric], key: str, t: Translate, more: Mapping[str, str] | None = None
) -> str | None:
    """Figures side by side, each with a button for its list; returns the key of the list asked for.

    A figure of 0 has no button. `more`: other lists by their labels. None: no list is asked for.
    """
    with st.container(horizontal=True):
        for one in shown.values():
            _metric(one, t)
    some = {name: one.label for name, one in shown.items() if one.value != "0"}
    return behind(some | dict(more or {}), key, t)


def behind(words: Mapping[str, str], key: str, t: Translate) -> str | None:
    """Buttons for several lists of games; the key of the one asked for, until a second click."""
    if not words:
        return None
    chosen: str | None = st.pills(
        t("List what is counted"), list(words), format_func=lambda one: words[one], key=key
    )
    return chosen


def omitted(
    which: Scope, t: Translate, player: int | None = None, decided: bool = False
) -> dict[str, str]:
    """The button for the list of deals left out, as `behind` takes it; empty: none is left out."""
    n = int(answer(left_out.reasons, which, player, decided)["deals"].sum())
    return left_out_button(n, t)


def left_out_list(n: int, key: str, t: Translate) -> bool:
    """Whether the list of the `n` games left out is asked for; 0 has no button."""
    return bool(n) and behind(left_out_button(n, t), key, t) is not None


def left_out_button(n: int, t: Translate) -> dict[str, str]:
    """The button for the list of the `n` games left out, as `behind` takes it; empty for 0."""
    return {OUT: t("Left out: {n}", n=count_of(n, t))} if n else {}


def deals_omitted(
    which: Scope, t: Translate, player: int | None = None, decided: bool = False
) -> None:
    """The deals left out, a page of them, each with its reason and its replay."""
    asked = (which, player, decided)
    total = int(answer(left_out.reasons, *asked)["deals"].sum())
    deals_behind(total, lambda *page: answer(left_out.deals, *asked, *page), OUT, t)


def leaves_out(which: Scope, t: Translate, decided: bool = False) -> None:
    """Below a page's caption: the deals it leaves out, when they are asked for."""
    if behind(omitted(which, t, None, decided), "left-out", t) == OUT:
        deals_omitted(which, t, None, decided)


def matches_omitted(unfinished: int, other: int, t: Translate) -> None:
    """How many matches a series leaves out, by reason; nothing is written when there are none."""
    parts = (
        t("unfinished {n}", n=count_of(unfinished, t)) if unfinished else "",
        t("of another verdict {n}", n=count_of(other, t)) if other else "",
    )
    if any(parts):
        st.caption(t("Matches left out: {parts}.", parts=", ".join(filter(None, parts))))


def _metric(one: Metric, t: Translate) -> None:
    """Grey where n is small."""
    grey = one.n is not None and one.n < FEW
    told = [] if one.n is None else [f"n = {count_of(one.n, t)}"]
    st.metric(
        one.label,
        f":gray[{one.value}]" if grey else one.value,
        " · ".join(told + [one.interval] * bool(one.interval)) or None,
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=about(one.about, t),
        height="stretch",  # those without n and interval are as high as those beside them
    )


class Point(NamedTuple):
    """A point of a figure: the row of the frame it stands for, and the trace it is on."""

    row: int
    trace: int


def chart(figure: go.Figure, alt: str, key: str, rows: int, t: Translate) -> Point | None:
    """Show a figure of a frame of so many `rows`; the point chosen, None while there is none."""
    event = st.plotly_chart(figure, alt=alt, key=key, on_select="rerun", selection_mode="points")
    st.caption(t("Choose a point to see what it counts."))
    return chosen_point(event, rows)


def chosen_point(event: Any, rows: int) -> Point | None:
    """The point of a selection, by the row its `customdata` ends with.

    None of a row that is no more: other filters may have been set since.
    """
    for point in event["selection"]["points"][:1]:
        row = (point.get("customdata") or [None])[-1]
        if isinstance(row, int) and row < rows:
            return Point(row, point["curve_number"])
    return None
