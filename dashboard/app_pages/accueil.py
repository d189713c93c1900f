"""The ways in, one's own matches, the latest ones, and what is in the store."""

import streamlit as st

from dashboard.games import titles
from dashboard.views.home import coming, contents, found, mine, ways_in
from dashboard.widgets.browser import texts
from dashboard.widgets.feed import feed
from ingest.i18n import games_of

t = texts()

played = games_of(list(titles().values()), t)
st.markdown(t("Check, replay and count games of {games} from their logs.", games=played))
if words := ways_in(t):
    found(words, t)
    st.stop()
mine(t)
if feed().coming:
    coming(t)
else:
    contents(t)
