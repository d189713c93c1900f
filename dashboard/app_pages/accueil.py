"""What is in the store, and the ways in."""

import streamlit as st

from dashboard.i18n import texts
from dashboard.queries import matches
from dashboard.resources import cursor
from dashboard.show import count_of, files_table, games_table

t = texts()
ask = cursor()
totals = matches.totals(ask)

st.markdown(t("Check, replay and count games of Chouine, Coinche and Chouineurs from their logs."))
if not totals["matches"]:
    st.info(t("The store is empty. Begin by adding a file of games."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()

with st.container(horizontal=True):
    st.metric(t("Matches"), count_of(totals["matches"], t), border=True)
    st.metric(t("Deals"), count_of(totals["deals"], t), border=True)
    st.metric(t("Players"), count_of(totals["players"], t), border=True)
    st.metric(
        t("Legal"),
        count_of(totals.get("legal", 0), t),
        help=t("Matches in which every play follows the rules."),
        border=True,
    )

st.subheader(t("By game"))
games_table(matches.by_game(ask), t)

st.subheader(t("Where to go"))
with st.container(horizontal=True):
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.page_link("app_pages/parties.py", icon=":material/table_rows:", label=t("Find a match"))
    st.page_link("app_pages/joueurs.py", icon=":material/groups:", label=t("See the players"))
    st.page_link(
        "app_pages/annonces.py", icon=":material/campaign:", label=t("Count announcements")
    )

st.subheader(t("Files added last"))
files_table(matches.files(ask), t)
