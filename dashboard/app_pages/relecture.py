"""Step through a deal. The board writes the address itself, so nothing here may."""

import streamlit as st

from dashboard.board import board, hides_what_comes
from dashboard.board.states import deal_states
from dashboard.text.labels import deal_name
from dashboard.text.numbers import number_in
from dashboard.views.outdated import old_verdict
from dashboard.views.purge import not_there
from dashboard.views.replay import heading, match_list, no_board
from dashboard.views.share import share_match
from dashboard.widgets.language import texts
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
top = st.container(horizontal=True, vertical_alignment="bottom")
with top:
    heading(log, t)
old_verdict(number, t)
if log.match is None or not log.match.deals or log.match.game not in names():
    no_board(t("There is no deal in this log that the board can show."), log, -1, t)
    st.stop()
spoiler = hides_what_comes()
count = len(log.match.deals)
linked = number_in(st.query_params.get("deal"), 1, count)
deal = top.selectbox(
    t("Deal"),
    range(1, count + 1),
    index=linked - 1,
    format_func=lambda one: deal_name(log, one - 1, t, score=not spoiler),
    key=f"deal-{log.match_id}-{spoiler}",  # one that is drawn keeps the label it was chosen by
    width=300,
)
with top:
    share_match(log, store().text(number), t)
shown = deal_states(log, deal - 1, t)
if shown is None:
    no_board(t("This deal cannot be replayed."), log, deal - 1, t)
    st.stop()
at = number_in(st.query_params.get("ply"), 0, len(shown["plies"]) - 1) if deal == linked else 0
view = st.query_params.get("view", "")
board(shown, match=log.match_id, deal=deal, ply=at, view=view, spoiler=spoiler, t=t)
