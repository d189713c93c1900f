"""Who plays and wins; one player's announcements and games."""

import streamlit as st

from dashboard.figures import percent
from dashboard.figures import players as figures
from dashboard.i18n import texts
from dashboard.queries import announcements, matches, players
from dashboard.resources import cursor
from dashboard.show import (
    announcements_table,
    count_of,
    decimal,
    matches_table,
    pager,
    players_table,
)

t = texts()
ask = cursor()
if not players.count(ask):
    st.info(
        t("No legal deal yet to count. Add a file of games first."), icon=":material/inbox:"
    )
    st.page_link("app_pages/deposer.py", label=t("Add games"))
    st.stop()

words = st.text_input(t("Name"), icon=":material/search:", key="name", bind="query-params")
total = players.count(ask, words)
if not total:
    st.info(t("No player of that name."), icon=":material/search_off:")
    st.stop()
out = count_of(players.left_out(ask), t)
st.caption(
    t("Players: {n}. Only legal deals that have a winner count; left out: {out}.", n=total, out=out)
)
place = st.container()
frame = players.table(ask, words, limit=25, offset=pager(total, "joueurs-page", t))
with place:
    chosen = players_table(frame, t)
if chosen is None:
    st.caption(t("Choose a row to see one player."))
    st.subheader(t("Parties won, with 95 % intervals"))
    st.plotly_chart(figures.wins(frame, t), alt=t("Share of parties won by player"))
    st.stop()

row = frame.row(chosen, named=True)
st.subheader(t("Player"))
st.text(row["name"])
with st.container(horizontal=True):
    st.metric(t("Matches"), count_of(row["matches"], t), border=True)
    st.metric(t("Parties"), count_of(row["parties"], t), border=True)
    st.metric(t("Parties won"), percent(row["share"], t), border=True)
    st.metric(t("Average points"), decimal(row["points"], t), border=True)
    st.metric(t("Announcements per partie"), decimal(row["announced"], t, 2), border=True)
st.plotly_chart(
    figures.points(players.points(ask, row["player_no"]), t), alt=t("Points of this player")
)
st.subheader(t("Announcements"))
for table in announcements.tables(ask):
    own = announcements.frequencies(ask, table, player_no=row["player_no"])
    announcements_table(own, t)
st.subheader(t("Recent games"))
recent = matches.Filter(player=row["player_no"])
matches_table(matches.page(ask, recent, limit=10), t, "open-recent")
