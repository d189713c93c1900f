"""Check one log: what is wrong, where, by which rule, what was legal, and how to mend it."""

import streamlit as st

from dashboard.views.replay import heading
from dashboard.views.verify.sources import desk, from_address, text_sources
from dashboard.views.verify.verdict import (
    checked,
    chosen_finding,
    chosen_rules,
    compared,
    finding_board,
    finding_detail,
    sheet_table,
    store_links,
    verdict,
)
from dashboard.widgets.browser import texts

t = texts()
at = desk()
from_address(at, t)
text_sources(at, t)
if not at.text:
    if at.opened is None and not at.notes:
        st.info(
            t(
                "Paste a log or notes, drop a file, or try an example: every fault is shown with "
                "its rule, on the board, with what was legal."
            ),
            icon=":material/fact_check:",
        )
    st.stop()

rules = chosen_rules(at, t)
with st.spinner(t("Checking…"), show_time=True):
    found = at.explained(rules)
chosen = None
with checked(at):
    with st.container(key="told"):
        heading(found, t)
        verdict(found, t)
        compared(at, rules, found, t)
        if found.findings:
            chosen = chosen_finding(at, rules, found, t)
    if chosen is not None:
        with st.container(key="shown"):
            finding_board(at, found, chosen, t)
        with st.container(key="detail"):
            finding_detail(at, found, chosen, t)
sheet_table(found, t)
store_links(at, found, chosen, t)
