"""Type a match in, card by card, or as the lines of a score sheet."""

import streamlit as st

from dashboard.views.entry import page, sheet
from dashboard.widgets.access import allowed
from dashboard.widgets.browser import texts
from dashboard.widgets.filters import side_by_side
from dashboard.widgets.store import store
from ingest.i18n import N_
from ingest.store.tokens import Role

WAYS = {"cards": N_("Card by card"), "sheet": N_("Score sheet")}

t = texts()
store()
if allowed(Role.CONTRIBUTOR, t):
    if secret := st.query_params.get("draft"):
        page.desk(secret, t)
    elif side_by_side(t("How it is typed in"), WAYS, "cards", "way", t) == "sheet":
        sheet.show(t)
    else:
        page.beginning(t)
