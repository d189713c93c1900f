"""The ways in, one's own matches, the latest ones, and what is in the store."""

import streamlit as st

from dashboard.games import titles
from dashboard.views.home import coming, contents, mine, ways_in
from dashboard.views.search import found
from dashboard.widgets.feed import feed
from dashboard.widgets.language import texts
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
