"""What is in the store, and the ways in."""

import streamlit as st

from dashboard.games.own import titles
from dashboard.queries import matches
from dashboard.text.labels import games_of
from dashboard.views.home import counts, files_table, games_table, samples, ways_in
from dashboard.views.outdated import old_notice
from dashboard.widgets.language import texts
from dashboard.widgets.store import answer

t = texts()
totals = answer(matches.totals)

played = games_of(list(titles().values()), t)
st.markdown(t("Check, replay and count games of {games} from their logs.", games=played))
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
