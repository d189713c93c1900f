"""One player at one game: a heading with the figures that matter, then one view of several."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dashboard.figures import percent
from dashboard.queries import played, profile
from dashboard.queries.scope import Scope
from dashboard.tables.profile import reasons
from dashboard.text.numbers import count_of, decimal
from dashboard.views.profile import views
from dashboard.views.profile.sheet import COUNTS, deals
from dashboard.widgets import filters as choose
from dashboard.widgets.figures import COUNTED
from dashboard.widgets.grid import matches_behind
from dashboard.widgets.metrics import OUT, Metric, behind, deals_omitted, metrics, omitted
from dashboard.widgets.store import answer
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
    with st.container(horizontal=True, key="who", vertical_alignment="center"):
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
    out = reasons(answer(profile.undecided, which, number), t)
    left = omitted(which, t, number, decided=True)
    frame = answer(profile.player, which, number)
    if not frame.height:
        st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
        if behind(left, "figures", t):
            deals_omitted(which, t, number, decided=True)
        return
    asked = _figures(frame.row(0, named=True), which, left, t)
    st.caption(
        t("Only deals that count and have a winner; left out: {out}. Grey: fewer than 20.", out=out)
    )
    if asked == "matches":
        matches_behind(answer(played.matches, which, number), which.game, COUNTS, "figures", t)
    elif asked == OUT:
        deals_omitted(which, t, number, decided=True)
    elif asked:
        deals("figures", which, number, {}, t)
    offered = {
        key: label for key, (label, _) in VIEWS.items() if ONLY.get(key, which.game) == which.game
    }
    if "luck" in offered and which.game not in profile.ONLY["luck"]:
        del offered["luck"]
    chosen = choose.shown_in(t("Figures of this player"), offered, "results", "view", t)
    VIEWS[chosen if chosen in offered else "results"][1](which, number, t)


def _leave() -> None:
    st.query_params.pop("player", None)


def _figures(
    row: Mapping[str, Any], which: Scope, left: Mapping[str, str], t: Translate
) -> str | None:
    """What a player's row of `queries.players.table` says; the one whose list is asked for."""
    n = row["parties"]
    share = f"{percent(row['low'], t)} – {percent(row['high'], t)}"
    low, high = row["points_low"], row["points_high"]
    points = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
    shown = {
        "matches": Metric(t("Matches"), count_of(row["matches"], t), "match"),
        "deals": Metric(t(COUNTED[which.game]), count_of(n, t), "n"),
        "won": Metric(t("Won"), percent(row["share"], t), "share", n, share),
        "points": Metric(t("Average points"), decimal(row["points"], t), "points", n, points),
    }
    return metrics(shown, "figures", t, left)
