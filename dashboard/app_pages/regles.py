"""Every rule by its number, every option, every term: to read, to search, to link to."""

import streamlit as st

from dashboard.games import definitions, titles
from dashboard.views import rules as rulebook
from dashboard.widgets.browser import texts
from dashboard.widgets.filters import side_by_side
from ingest.finding.rulebook import introduction, rules
from ingest.i18n import N_

t = texts()
books = {**titles(), "terms": N_("Terms"), "faults": N_("When a rule is broken")}
asked = st.query_params.get("rule", "").upper()
term = st.query_params.get("def", "")
rule = rules(t.language).get(asked)
if rule is not None:
    rulebook.rule_apart(rule)
elif term in definitions():
    with st.container(border=True):
        rulebook.terms("", t, term)

words = st.text_input(
    t("Search"),
    placeholder=t("A word, or a rule such as CH-9"),
    icon=":material/search:",
    key="words",
    bind="query-params",
)
if words.strip():
    found = rulebook.rules_with(words, t)
    for one in found:
        rulebook.rule_apart(one)
    if not rulebook.terms(words, t) and not found:
        st.info(t("No rule and no term has these words."), icon=":material/search_off:")
    st.stop()

first = rule.game if rule else "terms" if term in definitions() else next(iter(books))
chosen = side_by_side(t("Subject"), books, first, "book", t)
if chosen == "terms":
    rulebook.terms("", t)
elif chosen == "faults":
    st.markdown(introduction("faults", t.language))
else:
    rulebook.book(chosen, t)
