"""One player at one game: a heading with the figures that matter, then one view of several."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dashboard import choose
from dashboard.definitions import about
from dashboard.figures import percent
from dashboard.profile import views
from dashboard.queries import played, profile
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.resources import answer
from dashboard.sections import reasons
from dashboard.show import count_of, decimal
from dashboard.tables import COUNTED
from ingest.i18n import N_, Translate

VIEWS: dict[str, tuple[str, Callable[[Scope, int, Translate], None]]] = {
    "results": (N_("Results"), views.results),
    "points": (N_("Points"), views.points),
    "announcements": (N_("Announcements"), views.announcements),
    "contracts": (N_("Contracts and partners"), views.contracts),
    "bids": (N_("Bids"), views.bids),
    "luck": (N_("Luck"), views.luck),
    "records": (N_("Records and games"), views.records),
}
ONLY = {"announcements": "chouine", "contracts": "coinche", "bids": "chouineurs"}


def player_profile(number: int, name: str, t: Translate) -> None:
    """All there is of a player, at a table chosen among the player's own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            t("All players"),
            icon=":material/arrow_back:",
            key="all-players",
            on_click=_leave,
        )
        st.text(name)
    which = choose.scope(t, number)
    if which is None:
        st.info(t("No deal of this player in the store."), icon=":material/inbox:")
        return
    out = reasons(answer(played.left_out, which, number), t)
    frame = answer(profile.player, which, number)
    if not frame.height:
        st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
        return
    _figures(frame.row(0, named=True), which, t)
    st.caption(
        t("Only deals that count and have a winner; left out: {out}. Grey: fewer than 20.", out=out)
    )
    offered = {
        key: label for key, (label, _) in VIEWS.items() if ONLY.get(key, which.game) == which.game
    }
    if "luck" in offered and which.game not in profile.ONLY["luck"]:
        del offered["luck"]
    chosen = choose.shown_in(t("Figures of this player"), offered, "results", "view", t)
    VIEWS[chosen if chosen in offered else "results"][1](which, number, t)


def _leave() -> None:
    st.query_params.pop("player", None)


def _figures(row: Mapping[str, Any], which: Scope, t: Translate) -> None:
    """What a player's row of `queries.players.table` says, each with n and the interval."""
    n = row["parties"]
    with st.container(horizontal=True):
        st.metric(t("Matches"), count_of(row["matches"], t), border=True, help=about("match", t))
        st.metric(t(COUNTED[which.game]), count_of(n, t), border=True, help=about("n", t))
        interval = f"{percent(row['low'], t)} – {percent(row['high'], t)}"
        _metric(t("Won"), percent(row["share"], t), n, interval, "share", t)
        low, high = row["points_low"], row["points_high"]
        interval = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
        _metric(t("Average points"), decimal(row["points"], t), n, interval, "points", t)


def _metric(label: str, value: str, n: int, interval: str, key: str, t: Translate) -> None:
    """A figure above its n and its interval, grey where n is small."""
    st.metric(
        label,
        value if n >= FEW else f":gray[{value}]",
        f"n = {count_of(n, t)}" + (f" · {interval}" if interval else ""),
        delta_color="off",
        delta_arrow="off",
        border=True,
        help=about(key, t),
    )
