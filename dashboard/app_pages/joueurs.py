"""Who plays and wins at one game; at the address of a player that player's figures and games."""

import streamlit as st

from dashboard.figures import players as figures
from dashboard.queries import left_out, people, players
from dashboard.tables.profile import reasons
from dashboard.text.numbers import count_of
from dashboard.views.profile import player_profile
from dashboard.widgets import filters as choose
from dashboard.widgets.figures import players_table
from dashboard.widgets.language import texts
from dashboard.widgets.matches import pager
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer

t = texts()
told = st.query_params.get("player", "")
if told and (who := answer(people.known, told)):
    player_profile(*who, t)
    st.stop()
if told:
    st.warning(t("The store has no player of that id."), icon=":material/search_off:")

which = choose.scope(t)
if which is None:
    st.info(t("No legal deal yet to count. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()

words = st.text_input(t("Name"), icon=":material/search:", key="name", bind="query-params")
if st.session_state.get("joueurs-filter") != (which, words):
    st.session_state["joueurs-filter"] = (which, words)
    st.session_state["joueurs-page"] = 0
total = answer(players.count, which, words)
out = reasons(answer(left_out.reasons, which, decided=True), t)
if not total and not words.strip():
    st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
    leaves_out(which, t, decided=True)
    st.stop()
if not total:
    st.info(t("No player of that name."), icon=":material/search_off:")
    st.stop()
n = count_of(total, t)
st.caption(t("Players: {n}. Only deals with a winner count; left out: {out}.", n=n, out=out))
leaves_out(which, t, decided=True)
place = st.container()
offset = pager(total, "joueurs-page", t)
frame = answer(players.table, which, words, limit=25, offset=offset)
with place:
    chosen = players_table(frame, which.game, t)
if chosen is not None:
    st.query_params["player"] = frame["player_id"][chosen]
    st.rerun()
st.header(t("Deals won, with 95% intervals"))
figure = figures.wins(frame, t, choose.fair_share(which))
st.plotly_chart(figure, alt=t("Share of deals won by player"))
