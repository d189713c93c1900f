"""Find a match and open its replay."""

import streamlit as st

from dashboard.queries import matches
from dashboard.text.numbers import count_of
from dashboard.widgets.browser import texts
from dashboard.widgets.filters import matches_filter, sorting
from dashboard.widgets.linked import PAGE, nothing_yet, numbered
from dashboard.widgets.matches import matches_table
from dashboard.widgets.store import answer

t = texts()
if not answer(matches.count):
    nothing_yet(t("No match yet. Add a file of games to see them here."), ":material/inbox:", t)

which = matches_filter(t)
total = answer(matches.count, which)
if not total:
    st.info(t("No match fits. Search for less, or clear a filter."), icon=":material/search_off:")
    st.stop()
with st.container(horizontal=True, vertical_alignment="bottom"):
    sort = sorting(t)
    st.caption(t("Matches found: {n}", n=count_of(total, t)))
    st.page_link("app_pages/donnees.py", icon=":material/download:", label=t("Export these"))
place = st.container()
first = numbered(total, "page", address=True, of=(which, sort))
shown = answer(matches.page, which, PAGE, first, sort)
with place:
    matches_table(shown, t, "open-match", which.players[0] if len(which.players) == 1 else None)
