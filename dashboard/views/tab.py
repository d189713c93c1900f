"""What a browser's tab says: what the address names, the page, the product."""

import streamlit as st

from dashboard.pages import PRODUCT, Page
from dashboard.queries import matches, people
from dashboard.store import answer, store
from dashboard.text.labels import against
from dashboard.text.numbers import short
from ingest.finding.rulebook import rules
from ingest.i18n import Translate
from ingest.store.errors import StoreError


def tab_title(page: Page, t: Translate) -> str:
    """`Jean · Players · Retourne`."""
    try:
        named = _named(page.name, t)
    except StoreError:
        named = ""  # the page says why
    return " · ".join(filter(None, (named, t(page.title), PRODUCT)))


def _named(page: str, t: Translate) -> str:
    """Whom or what the page's address names; empty where the store does not know it."""
    asked = st.query_params
    if page == "joueurs" and (player := asked.get("player")):
        who = answer(people.known, player)
        return short(who[1]) if who else ""
    if page in ("relecture", "verificateur") and (match := asked.get("match")):
        number = store().find(match)
        names, game = ([], None) if number is None else answer(matches.sitting, number)
        return against([short(name) for name in names], game)
    if page == "face_a_face" and (one := asked.get("one")) and (other := asked.get("other")):
        return f"{short(one)} – {short(other)}"
    if page == "regles" and (rule := asked.get("rule", "").upper()) in rules(t.language):
        return rule
    return ""
