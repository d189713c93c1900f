"""Who plays and wins at one game; at the address of a player that player's figures and games."""

import streamlit as st

from dashboard.queries import left_out, people, players
from dashboard.tables.profile import reasons_line
from dashboard.text.numbers import count_of
from dashboard.views.data import nobody_there
from dashboard.views.home import elsewhere
from dashboard.views.players import players_table, wins_drawn
from dashboard.views.profile import player_profile
from dashboard.widgets import filters
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import nothing_yet, stepped
from dashboard.widgets.metrics import leaves_out
from dashboard.widgets.store import answer

t = texts()
asked = st.query_params.get("player", "")
if asked and (who := answer(people.known, asked)):
    player_profile(*who, t)
    st.stop()
if asked:
    nobody_there(asked, t)

which = filters.scope(t, sheets=True)
if which is None:
    nothing_yet(t("No legal deal yet to count. Add a file of games first."), ":material/inbox:", t)

with st.container(horizontal=True, vertical_alignment="bottom"):
    words, details = filters.name_search("joueurs", which, 300, t)
total = answer(players.count, which, words)
out = reasons_line(answer(left_out.reasons, which, decided=True), t)
if not total and not words.strip():
    st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
    leaves_out(which, t, decided=True)
    st.stop()
if not total:
    elsewhere(words, which, total, t)
    st.stop()
n = count_of(total, t)
st.caption(t("Players: {n}. Only deals with a winner count; left out: {out}.", n=n, out=out))
place, offset = st.container(), stepped(total, "joueurs-page", t)
frame = answer(players.table, which, words, limit=25, offset=offset, ranked=True)
with place:
    players_table(frame, which, details, t)
elsewhere(words, which, total, t)
leaves_out(which, t, decided=True)
if details:
    wins_drawn(frame, which, t)
