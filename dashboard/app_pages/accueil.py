"""What is in the store, and the ways in."""

import streamlit as st

from dashboard.games import titles
from dashboard.views.home import coming, contents, ways_in
from dashboard.widgets.feed import feed
from dashboard.widgets.language import texts
from ingest.i18n import games_of

t = texts()

played = games_of(list(titles().values()), t)
st.markdown(t("Check, replay and count games of {games} from their logs.", games=played))
ways_in(t)
if feed().coming:
    coming(t)
else:
    contents(t)
