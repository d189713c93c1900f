"""Who plays and wins; one player's announcements and games."""

import streamlit as st

from dashboard.figures import players as figures
from dashboard.i18n import texts
from dashboard.profile import player_profile
from dashboard.queries import players
from dashboard.resources import cursor
from dashboard.show import count_of, pager, players_table

t = texts()
ask = cursor()
if not players.count(ask):
    st.info(t("No legal deal yet to count. Add a file of games first."), icon=":material/inbox:")
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

player_profile(ask, frame.row(chosen, named=True), t)
