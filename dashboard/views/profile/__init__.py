"""One player at one game: a heading with the figures that matter, then one view of several."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.games import of
from dashboard.queries import people, played
from dashboard.queries.scope import Scope
from dashboard.tables.profile import WON_OF, reasons_line
from dashboard.text.numbers import count_of, decimal, percent
from dashboard.views.profile.sections import deals_of, frame_of
from dashboard.views.profile.views import offered, view_page
from dashboard.widgets import filters
from dashboard.widgets.links import find_link
from dashboard.widgets.matches import matches_behind
from dashboard.widgets.me import me_button
from dashboard.widgets.metrics import OUT, Metric, behind, deals_omitted, metrics, omitted
from dashboard.widgets.store import answer
from ingest.i18n import Translate
from ingest.text.signs import plain


def player_profile(number: int, name: str, t: Translate) -> None:
    """All there is of a player, at a table chosen among the player's own."""
    with st.container(horizontal=True, key="who", vertical_alignment="center"):
        st.button(
            t("All players"),
            icon=":material/arrow_back:",
            key="all-players",
            on_click=_leave,
        )
        st.text(plain(name))
        [(player_id, _)] = answer(people.named, number)
        me_button(player_id, t)
        find_link(t, player_id)
    which = filters.scope(t, number, sheets=True)
    if which is None:
        st.info(t("No deal of this player in the store."), icon=":material/inbox:")
        return
    if _head(which, number, t):
        views = offered(which.game)
        chosen = filters.side_by_side(t("Figures of this player"), views, "results", "view", t)
        view_page(chosen if chosen in views else "results", which, number, t)


def _head(which: Scope, number: int, t: Translate) -> bool:
    """The figures that matter, and the list behind one of them. False: no deal counts."""
    out = reasons_line(frame_of("left-out", which, number), t)
    left = omitted(which, t, number, decided=True)
    frame = frame_of("player", which, number)
    if not frame.height:
        st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
        if behind(left, "figures", t):
            deals_omitted(which, t, number, decided=True)
        return False
    asked = _figures(frame.row(0, named=True), which, left, t)
    st.caption(
        t("Only deals that count and have a winner; left out: {out}. Grey: fewer than 20.", out=out)
    )
    if asked == "matches":
        found = answer(played.matches, which, number)
        matches_behind(found, which.game, WON_OF, "figures", t, number)
    elif asked == OUT:
        deals_omitted(which, t, number, decided=True)
    elif asked:
        deals_of("results", which, number, {}, t, "figures")
    return True


def _on_sheets(row: Mapping[str, Any], t: Translate) -> str:
    """How many of a player's deals are told by score sheets, where some are."""
    told = row.get("told", 0)
    return t("on score sheets {n}", n=count_of(told, t)) if told else ""


def _leave() -> None:
    st.query_params.pop("player", None)


def _figures(
    row: Mapping[str, Any], which: Scope, left: Mapping[str, str], t: Translate
) -> str | None:
    """Figures of a player's row of `queries.players.table`; the key of the list asked for."""
    n = row["parties"]
    share = f"{percent(row['low'], t)} – {percent(row['high'], t)}"
    low, high = row["points_low"], row["points_high"]
    points = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
    shown = {
        "matches": Metric(t("Matches"), count_of(row["matches"], t), "match"),
        "deals": Metric(
            t(of(which.game).COUNTED_DEALS), count_of(n, t), "n", n, _on_sheets(row, t)
        ),
        "won": Metric(t("Won"), percent(row["share"], t), "share", n, share),
        "points": Metric(t("Average points"), decimal(row["points"], t), "points", n, points),
    }
    return metrics(shown, "figures", t, left)
