"""What is in the store, and the ways in."""

import streamlit as st

from dashboard.queries import matches
from dashboard.views.home import counts, files_table, games_table, samples, ways_in
from dashboard.widgets.language import texts
from dashboard.widgets.outdated import old_notice
from dashboard.widgets.store import answer

t = texts()
totals = answer(matches.totals)

st.markdown(t("Check, replay and count games of Chouine, Coinche and Chouineurs from their logs."))
ways_in(t)
if not totals["matches"]:
    st.info(
        t("The store is empty. Begin by adding a file of games, or look at the samples."),
        icon=":material/inbox:",
    )
    samples(t)
    st.stop()

old_notice(t)
counts(totals, t)
st.header(t("By game"))
games_table(answer(matches.by_game), t)
st.header(t("Files added last"))
files_table(answer(matches.files), t)
