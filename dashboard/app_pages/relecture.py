"""Step through a deal. The board writes the address itself, so nothing here may."""

import streamlit as st

from dashboard.views.data import not_there
from dashboard.views.replay import (
    heading,
    match_list,
    no_board,
    old_verdict,
    replay_board,
    share_match,
)
from dashboard.widgets.browser import texts
from dashboard.widgets.store import explained, store
from engine.games import names

t = texts()
asked = st.query_params.get("match", "")
number = store().find(asked) if asked else None
if number is None:
    if asked:
        not_there(asked, t)
    match_list(t)
    st.stop()

log = explained(number)
if log.match is None or not log.match.deals or log.match.game not in names():
    heading(log, t)
    no_board(t("There is no deal in this log that the board can show."), log, -1, t)
    st.stop()
replay_board(log, t)
with st.container(horizontal=True, vertical_alignment="bottom", key="about"):
    heading(log, t)
    share_match(log, store().text(number), t)
old_verdict(number, t)
