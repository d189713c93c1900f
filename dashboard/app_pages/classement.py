"""Who plays best, and how sure that is: one ladder per game and rules."""

import streamlit as st

from dashboard.figures import players as figures
from dashboard.queries import ladder as queries
from dashboard.text.numbers import count_of
from dashboard.views import players
from dashboard.widgets import filters
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import nothing_yet, stepped
from dashboard.widgets.store import answer

t = texts()
found = answer(queries.ladders)
if not found.height:
    none_yet = t("No ladder yet: it takes a legal, finished match that has a date.")
    nothing_yet(none_yet, ":material/leaderboard:", t)

with st.container(horizontal=True, vertical_alignment="bottom"):
    name, preset, rated = players.chosen_ladder(found, t)
    which = filters.ladder_scope(name, preset, rated, t)
    words, details = filters.name_search("classement", which, 200, t)
total = answer(queries.count, which, words)
out = players.left_out(which, t)
if not total and not words.strip():
    st.info(t("No rated match fits; left out: {out}.", out=out), icon=":material/search_off:")
    players.leaves_out(which, t)
    st.stop()
if not total:
    st.info(t("Nobody of that name on this ladder by then."), icon=":material/search_off:")
    st.stop()
st.caption(
    t(
        "Players: {n}. Plackett–Luce ratings, a match at a time in the order played; whoever is "
        "not surely better stands lower. Matches left out: {out}.",
        n=count_of(total, t),
        out=out,
    )
)
players.filtered(which, t)
place = st.container()
offset = stepped(total, "classement-page", t)
frame = answer(queries.standings, which, words, limit=25, offset=offset)
with place:
    chosen = players.standings(frame, which, details, t)
players.leaves_out(which, t)
if chosen is not None:
    players.player_way(frame.row(chosen, named=True), which, t)
elif details:
    st.plotly_chart(figures.standings(frame, t), alt=t("Ratings and how sure they are"))
