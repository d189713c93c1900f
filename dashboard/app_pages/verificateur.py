"""Check one log: what is wrong, where, by which rule, what was legal, and how to mend it."""

import streamlit as st

from dashboard.views.verify.detail import detail, shown
from dashboard.views.verify.rules import choose
from dashboard.views.verify.sheet import sheet_table
from dashboard.views.verify.sources import desk, from_address, ways_in
from dashboard.views.verify.stored import stored
from dashboard.views.verify.verdict import choose_finding, compared, verdict
from dashboard.widgets.language import texts
from dashboard.widgets.matches import heading

t = texts()
at = desk()
from_address(at, t)
ways_in(at, t)
if not at.text:
    if at.opened is None:
        st.info(
            t(
                "Paste a log, drop a file, or try an example: every fault is shown with its rule, "
                "on the board, with what was legal."
            ),
            icon=":material/fact_check:",
        )
    st.stop()

rules = choose(at, t)
with st.spinner(t("Checking…"), show_time=True):
    found = at.explained(rules)
heading(found, t)
verdict(found, t)
compared(at, rules, found, t)
sheet_table(found, t)
chosen = None
if found.findings:
    left, right = st.columns([2, 3])
    with left:
        chosen = choose_finding(at, rules, found, t)
        detail(at, found, chosen, t)
    with right:
        shown(at, found, chosen, t)
stored(at, found, chosen, t)
