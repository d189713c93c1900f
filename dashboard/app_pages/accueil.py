"""What is in the store, and the ways in."""

import streamlit as st

from dashboard.views.home import coming, contents, ways_in
from dashboard.widgets.feed import feed
from dashboard.widgets.language import texts

t = texts()

st.markdown(t("Check, replay and count games of Chouine, Coinche and Chouineurs from their logs."))
ways_in(t)
if feed().coming:
    coming(t)
else:
    contents(t)
