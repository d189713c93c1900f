"""Take games out of the store, delete them and bring them back, mask players, make a backup."""

import streamlit as st

from dashboard.queries import matches
from dashboard.text.numbers import count_of
from dashboard.views import data
from dashboard.widgets.access import allowed
from dashboard.widgets.browser import texts
from dashboard.widgets.filters import matches_filter
from dashboard.widgets.linked import nothing_yet
from dashboard.widgets.store import answer, cursor
from ingest.store import trash
from ingest.store.tokens import Role

t = texts()
if not answer(matches.count) and not trash.deletions(cursor()):
    nothing_yet(t("Nothing to export or delete yet. Add a file first."), ":material/inbox:", t)

which = data.chosen_file(matches_filter(t), t)
total = answer(matches.count, which)
st.caption(t("Matches chosen: {n}", n=count_of(total, t)))

st.header(t("Export"))
if total:
    data.export(which, t)
else:
    st.info(t("No match fits. Search for less, or clear a filter."), icon=":material/search_off:")

if not allowed(Role.STEWARD, t):
    st.stop()

st.header(t("Delete"))
data.delete(which, total, t)

st.header(t("Mask players"))
data.mask(t)

st.header(t("Purge"))
data.purge(which, total, t)

st.header(t("Backup"))
data.backup(t)
