"""The filters of lists of matches: what Parties shows is what Données exports and deletes."""

from collections.abc import Hashable, Mapping

import streamlit as st

from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.widgets import filters as choose
from dashboard.widgets.filters import GAMES, STATUSES
from dashboard.widgets.matches import PAGE
from dashboard.widgets.store import answer
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate

SORTS: Mapping[str, str] = {
    "played": N_("Last played first"),
    "oldest": N_("First played first"),
    "added": N_("Last added first"),
    "event": N_("By event"),
    "deals": N_("Most deals first"),
    "status": N_("Most wrong first"),
}
"""What each order of `queries.matches.SORTS` is called."""


def matches_filter(t: Translate, narrow: bool = False) -> Filter:
    """Words, game, rules, status, and in a popover players, event, dates and announcements.

    `narrow` asks for no words and no players: who played is known.
    """
    words, players = "", tuple[int, ...]()
    if not narrow:
        words = st.text_input(
            t("Search"),
            placeholder=t("Player, event or id"),
            icon=":material/search:",
            key="q",
            bind="query-params",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        game = choose.any_of(t("Game"), list(GAMES), t("Any game"), "game", GAMES)
        rules = choose.any_of(t("Rules"), answer(matches.presets, game), t("Any rules"), "rules")
        statuses = choose.several(t("Status"), STATUSES, t("Any status"), "status", t)
        with choose.more(t):
            if not narrow:
                players = choose.players(t("Players"), t("Anybody"), "player", t)
            event = choose.named(t("Event"), t("Any event"), "event", "event")
            since, until = choose.dates(t)
            kind = choose.any_of(
                t("Announced"),
                list(KINDS),
                t("Anything"),
                "kind",
                {kind: t(text) for kind, text in KINDS.items()},
            )
    return Filter(words, statuses, rules, game, players, None, event, since, until, kind)


def sorting(t: Translate) -> str:
    """One of `queries.matches.SORTS`; an address may name it by its code."""
    return choose.one_of(t("Order"), SORTS, "sort", t)


def offset(total: int, shown: Hashable) -> int:
    """Numbers of pages below a list; the offset of the one chosen, which the address keeps.

    Another list (`shown`) begins on its first page.
    """
    pages = max(1, -(-total // PAGE))
    before = st.session_state.get("page-of", shown)
    st.session_state["page-of"] = shown
    if pages == 1:
        return 0
    if before != shown:
        st.session_state["page"] = 1
    chosen: int = st.pagination(pages, key="page", bind="query-params")
    return (chosen - 1) * PAGE
