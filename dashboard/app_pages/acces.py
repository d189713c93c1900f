"""The steward's page: who may do what, who did it, what was deleted, backups."""

import streamlit as st

from dashboard.views import data, tokens
from dashboard.widgets.access import allowed
from dashboard.widgets.browser import texts
from ingest.store.tokens import Role

t = texts()
if not allowed(Role.STEWARD, t):
    st.stop()

st.header(t("Reading"))
tokens.reading(t)

st.header(t("Tokens"))
tokens.make(t)
tokens.listed(t)

st.header(t("What was done"))
tokens.acts(t)

st.header(t("Trash"))
data.deleted(t)

st.header(t("Backup"))
data.backup(t)
