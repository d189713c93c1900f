"""Find a match and open its replay."""

import streamlit as st

from dashboard.choose import GAMES, STATUSES, any_of
from dashboard.i18n import texts
from dashboard.queries import matches
from dashboard.resources import cursor
from dashboard.show import count_of, matches_table, pager

t = texts()
ask = cursor()
if not matches.count(ask):
    st.info(t("No match yet. Add a file of games to see them here."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", label=t("Add games"))
    st.stop()

words = st.text_input(
    t("Search"),
    placeholder=t("Player, event or id"),
    icon=":material/search:",
    key="q",
    bind="query-params",
)
with st.container(horizontal=True):
    game = any_of(t("Game"), list(GAMES), t("Any game"), "game", GAMES)
    statuses = st.multiselect(
        t("Status"),
        list(STATUSES),
        format_func=lambda status: t(STATUSES[status]),
        placeholder=t("Any status"),
        key="status",
        width=300,
    )
    preset = any_of(t("Rules"), matches.presets(ask, game), t("Any rules"), "rules")

which = matches.Filter(words, tuple(statuses), preset, game)
if st.session_state.get("filter") != which:
    st.session_state["filter"] = which
    st.session_state["parties-page"] = 0
total = matches.count(ask, which)
if not total:
    st.info(t("No match fits. Search for less, or clear a filter."), icon=":material/search_off:")
    st.stop()
st.caption(t("Matches found: {n}", n=count_of(total, t)))
place = st.container()
offset = pager(total, "parties-page", t)
with place:
    matches_table(matches.page(ask, which, offset=offset), t, "open-match")
