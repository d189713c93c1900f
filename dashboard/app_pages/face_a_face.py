"""Two players against each other: who won how often, and their matches."""

from dataclasses import replace

import streamlit as st

from dashboard import choose
from dashboard.find import matches_filter, offset
from dashboard.i18n import texts
from dashboard.queries import duels, matches
from dashboard.resources import answer
from dashboard.show import PAGE, count_of, matches_table

t = texts()
if not answer(matches.count):
    st.info(t("Nobody to compare yet. Add a file of games first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", label=t("Add games"))
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    one = choose.player(t("First player"), t("Choose a player"), "one", t)
    other = choose.player(t("Second player"), t("Choose a player"), "other", t)
which = matches_filter(t, narrow=True)
if one is None or other is None or one == other or -1 in (one, other):
    st.info(t("Choose two players to see who wins."), icon=":material/swords:")
    st.stop()

which = replace(which, players=(one, other))
total = answer(matches.count, which)
if not total:
    st.info(t("These two never met in such a match."), icon=":material/search_off:")
    st.stop()
found = answer(duels.series, one, other, which)
with st.container(horizontal=True):
    for label, number in (
        (t("Won by the first"), found["one"]),
        (t("Won by the second"), found["other"]),
        (t("Won by a third"), found["third"]),
        (t("Without a winner"), found["none"]),
        (t("As partners"), found["partners"]),
    ):
        st.metric(label, count_of(number, t), border=True)
st.caption(t("Matches found: {n}", n=count_of(total, t)))
place = st.container()
first = offset(total, which)
with place:
    matches_table(answer(matches.page, which, PAGE, first), t, "open-duel")
