"""Two players, or two pairs, against each other: who won how often, by how much, with what."""

import streamlit as st

from dashboard.queries import duels, matches
from dashboard.views import duels as duel
from dashboard.widgets import filters as choose
from dashboard.widgets.language import texts
from dashboard.widgets.store import answer

t = texts()
if not answer(matches.count):
    st.info(t("Nobody to compare yet. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    one = choose.player(t("First player"), t("Choose a player"), "one", t)
    other = choose.player(t("Second player"), t("Choose a player"), "other", t)
if one is None or other is None or one == other or -1 in (one, other):
    st.info(t("Choose two players to see who wins."), icon=":material/swords:")
    st.stop()

which = choose.scope(t, one, other)
if which is None:
    st.info(t("These two never met in such a match."), icon=":material/search_off:")
    st.stop()
sides = duel.pairs(which, one, other, t)
series = answer(duels.series, which, *sides)
if not any(series.values()):
    st.info(t("These two never met in such a match."), icon=":material/search_off:")
    st.stop()
duel.people_links(which, t, *sides[0], *sides[1])
duel.totals(series, which, *sides, t)
found = answer(duels.matches, which, *sides)
if found.height:
    duel.compared(which, *sides, t)
    duel.games(which, found, t)
