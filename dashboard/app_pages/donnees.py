"""Take games out of the store, delete them and bring them back, mask players."""

import streamlit as st

from dashboard.queries import matches
from dashboard.text.numbers import count_of
from dashboard.views import data as manage
from dashboard.widgets.language import texts
from dashboard.widgets.match_filters import matches_filter
from dashboard.widgets.store import answer, cursor
from ingest.store import trash

t = texts()
if not answer(matches.count) and not trash.deletions(cursor()):
    st.info(t("Nothing to export or delete yet. Add a file first."), icon=":material/inbox:")
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()

which = manage.chosen_file(matches_filter(t), t)
total = answer(matches.count, which)
st.caption(t("Matches chosen: {n}", n=count_of(total, t)))

st.header(t("Export"))
if total:
    manage.export(which, t)
else:
    st.info(t("No match fits. Search for less, or clear a filter."), icon=":material/search_off:")

st.header(t("Delete"))
manage.delete(which, total, t)

st.header(t("Mask players"))
manage.mask(t)
