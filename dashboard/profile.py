"""One player at one game: figures, announcements or contracts, recent games."""

from typing import Any

import duckdb
import streamlit as st

from dashboard.figures import percent
from dashboard.figures import players as figures
from dashboard.queries import announcements, contracts, matches, players
from dashboard.queries.scope import Scope
from dashboard.show import count_of, decimal, matches_table
from dashboard.tables import COUNTED, announcements_table, contracts_table
from ingest.i18n import Translate


def player_profile(
    ask: duckdb.DuckDBPyConnection, which: Scope, row: dict[str, Any], t: Translate
) -> None:
    """What `queries.players.table` says of one player, and what more there is."""
    number = row["player_no"]
    st.subheader(t("Player"))
    st.text(row["name"])
    with st.container(horizontal=True):
        st.metric(t("Matches"), count_of(row["matches"], t), border=True)
        st.metric(t(COUNTED[which.game]), count_of(row["parties"], t), border=True)
        st.metric(t("Won"), percent(row["share"], t), border=True)
        st.metric(t("Average points"), decimal(row["points"], t), border=True)
        if which.game == "chouine":
            announced = decimal(row["announced"], t, 2)
            st.metric(t("Announcements per partie"), announced, border=True)
        elif which.game == "chouineurs":
            st.metric(t("Bids met"), percent(row["met"] / row["parties"], t), border=True)
    points = figures.points(players.points(ask, number, which), t)
    st.plotly_chart(points, alt=t("Points of this player"))
    _said(ask, which, number, t)
    st.subheader(t("Recent games"))
    recent = matches.Filter(players=(number,), game=which.game)
    matches_table(matches.page(ask, recent, limit=10), t, "open-recent")


def _said(ask: duckdb.DuckDBPyConnection, which: Scope, number: int, t: Translate) -> None:
    """Announcements or contracts, where the game has them."""
    if which.game == "chouine":
        frame = announcements.frequencies(ask, which, number)
        title, table = t("Announcements"), announcements_table
    elif which.game == "coinche":
        frame = contracts.contracts(ask, which, number)
        title, table = t("Contracts bid"), contracts_table
    else:
        return
    if frame.height:
        st.subheader(title)
        table(frame, t)
