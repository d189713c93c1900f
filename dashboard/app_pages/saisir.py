"""Type a match in, card by card."""

import streamlit as st

from dashboard.views.entry import page
from dashboard.widgets.access import allowed
from dashboard.widgets.language import texts
from dashboard.widgets.store import store
from ingest.store.tokens import Role

t = texts()
store()
if allowed(Role.CONTRIBUTOR, t):
    if secret := st.query_params.get("draft"):
        page.desk(secret, t)
    else:
        page.beginning(t)
