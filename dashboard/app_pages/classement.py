"""Who plays best, and how sure that is: one ladder per game and rules."""

import streamlit as st

from dashboard import ladder
from dashboard.figures import ladder as figures
from dashboard.i18n import texts
from dashboard.queries import ladder as queries
from dashboard.resources import answer
from dashboard.show import count_of, pager

t = texts()
ladder.rate(t)
found = answer(queries.ladders)
if not found.height:
    none_yet = t("No ladder yet: it takes a legal, finished match that has a date.")
    st.info(none_yet, icon=":material/leaderboard:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    game, preset = ladder.choose(found, t)
    until = st.date_input(
        t("As it stood on"),
        None,
        format="DD/MM/YYYY" if t.language == "fr" else "YYYY-MM-DD",
        key="until",
        bind="query-params",
        width=170,
    )
    words = st.text_input(
        t("Name"), icon=":material/search:", key="name", bind="query-params", width=220
    )
which = (game, preset, until, words)
if st.session_state.get("classement-filter") != which:
    st.session_state["classement-filter"] = which
    st.session_state["classement-page"] = 0
total = answer(queries.count, *which)
if not total:
    st.info(t("Nobody of that name on this ladder by then."), icon=":material/search_off:")
    st.stop()
st.caption(
    t(
        "Players: {n}. Plackett–Luce ratings, a match at a time in the order played; whoever is "
        "not surely better stands lower. Matches left out: {out}.",
        n=count_of(total, t),
        out=ladder.left_out(game, preset, t),
    )
)
ladder.leaves_out(game, preset, t)
place = st.container()
frame = answer(queries.standings, *which, limit=25, offset=pager(total, "classement-page", t))
with place:
    chosen = ladder.table(frame, t)
if chosen is None:
    st.plotly_chart(figures.standings(frame, t), alt=t("Ratings and how sure they are"))
else:
    ladder.way(frame.row(chosen, named=True), game, preset, until, t)
