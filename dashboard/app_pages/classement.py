"""Who plays best, and how sure that is: one ladder per game and rules."""

import streamlit as st

from dashboard.figures import ladder as figures
from dashboard.queries import ladder as queries
from dashboard.text.numbers import count_of
from dashboard.views import ladder
from dashboard.widgets import filters
from dashboard.widgets.language import texts
from dashboard.widgets.links import nothing_yet
from dashboard.widgets.pager import stepped
from dashboard.widgets.store import answer

t = texts()
ladder.rate(t)
found = answer(queries.ladders)
if not found.height:
    none_yet = t("No ladder yet: it takes a legal, finished match that has a date.")
    nothing_yet(none_yet, ":material/leaderboard:", t)

with st.container(horizontal=True, vertical_alignment="bottom"):
    name, preset, rated = ladder.chosen_ladder(found, t)
    which = filters.ladder_scope(name, preset, rated, t)
    words = st.text_input(
        t("Name"), icon=":material/search:", key="name", bind="query-params", width=200
    )
    details = filters.details(t)
if st.session_state.get("classement-filter") != (which, words):
    st.session_state["classement-filter"] = (which, words)
    st.session_state["classement-page"] = 0
total = answer(queries.count, which, words)
out = ladder.left_out(which, t)
if not total and not words.strip():
    st.info(t("No rated match fits; left out: {out}.", out=out), icon=":material/search_off:")
    ladder.leaves_out(which, t)
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
ladder.filtered(which, t)
place = st.container()
offset = stepped(total, "classement-page", t)
frame = answer(queries.standings, which, words, limit=25, offset=offset)
with place:
    chosen = ladder.standings(frame, which, details, t)
ladder.leaves_out(which, t)
if chosen is not None:
    ladder.player_way(frame.row(chosen, named=True), which, t)
elif details:
    st.plotly_chart(figures.standings(frame, t), alt=t("Ratings and how sure they are"))
