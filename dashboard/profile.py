"""One player: figures, announcements, recent games."""

from typing import Any

import duckdb
import streamlit as st

from dashboard.figures import percent
from dashboard.figures import players as figures
from dashboard.queries import announcements, matches, players
from dashboard.show import announcements_table, count_of, decimal, matches_table
from ingest.i18n import Translate


def player_profile(ask: duckdb.DuckDBPyConnection, row: dict[str, Any], t: Translate) -> None:
    """What `queries.players.table` says of one player, and what more there is."""
    number = row["player_no"]
    st.subheader(t("Player"))
    st.text(row["name"])
    with st.container(horizontal=True):
        st.metric(t("Matches"), count_of(row["matches"], t), border=True)
        st.metric(t("Parties"), count_of(row["parties"], t), border=True)
        st.metric(t("Parties won"), percent(row["share"], t), border=True)
        st.metric(t("Average points"), decimal(row["points"], t), border=True)
        st.metric(t("Announcements per partie"), decimal(row["announced"], t, 2), border=True)
    st.plotly_chart(figures.points(players.points(ask, number), t), alt=t("Points of this player"))
    st.subheader(t("Announcements"))
    for table in announcements.tables(ask):
        own = announcements.frequencies(ask, table, player_no=number)
        if own.height:
            st.caption(t("Players at the table: {n}", n=table))
            announcements_table(own, t)
    st.subheader(t("Recent games"))
    recent = matches.Filter(player=number)
    matches_table(matches.page(ask, recent, limit=10), t, "open-recent")
