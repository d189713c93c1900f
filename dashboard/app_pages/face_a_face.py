"""Two players, or two pairs, against each other: who won how often, by how much, with what."""

import streamlit as st

from dashboard.queries import duels, matches
from dashboard.views import duels as views
from dashboard.widgets import filters
from dashboard.widgets.browser import texts
from dashboard.widgets.linked import nothing_yet
from dashboard.widgets.store import answer

t = texts()
if not answer(matches.count):
    nothing_yet(t("Nobody to compare yet. Add a file of games first."), ":material/inbox:", t)

with st.container(horizontal=True, vertical_alignment="bottom"):
    one = filters.player(t("First player"), t("Choose a player"), "one", t)
    other = filters.player(t("Second player"), t("Choose a player"), "other", t)
if one is None or other is None or one == other or -1 in (one, other):
    st.info(t("Choose two players to see who wins."), icon=":material/swords:")
    st.stop()

which = filters.scope(t, one, other, sheets=True)
if which is None:
    st.info(t("These two never met in such a match."), icon=":material/search_off:")
    st.stop()
sides = views.pairs(which, one, other, t)
series = answer(duels.series, which, *sides)
if not any(series.values()):
    st.info(t("These two never met in such a match."), icon=":material/search_off:")
    st.stop()
views.people_links(which, t, *sides[0], *sides[1])
views.totals(series, which, *sides, t)
found = answer(duels.matches, which, *sides)
if found.height:
    views.compared(which, *sides, t)
    views.games(which, found, t)
