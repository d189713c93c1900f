"""The filters of lists of matches: what Parties shows is what Données exports and deletes."""

from collections.abc import Mapping

import streamlit as st

from dashboard.games import titles
from dashboard.queries import matches
from dashboard.queries.matches import Filter
from dashboard.text.labels import STATUSES
from dashboard.widgets import filters
from dashboard.widgets.fold import folded
from dashboard.widgets.readable import hide
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

TURNED = "turned"
ENDS: Mapping[str, str] = {"any": N_("Any end"), TURNED: N_("The winner turned")}
FILTERS = ("game", "rules", "status", "player", "event", "since", "until", "kind", "end")
"""The keys of an address that are filters of lists."""


def matches_filter(t: Translate, narrow: bool = False) -> Filter:
    """Words, game, rules, status, and in a popover players, event, dates and announcements.

    `narrow` asks for no words and no players: who played is known.
    """
    words, players, games = "", tuple[int, ...](), titles()
    if not narrow:
        words = st.text_input(
            t("Search"),
            placeholder=t("Player, event or id"),
            icon=":material/search:",
            key="q",
            bind="query-params",
        )
    with folded(t, FILTERS):
        game = filters.any_of(t("Game"), list(games), t("Any game"), "game", games)
        rules = filters.rules(answer(matches.presets, game), "rules", t)
        statuses = filters.several(t("Verdict"), STATUSES, t("Any verdict"), "status", t)
        with filters.more(t):
            if not narrow:
                players = filters.players(t("Players"), t("Anybody"), "player", t)
            event = filters.named(t("Event"), t("Any event"), "event", "event")
            since, until = filters.dates(t)
            kind = filters.any_of(
                t("Announced"),
                list(KINDS),
                t("Anything"),
                "kind",
                {kind: t(text) for kind, text in KINDS.items()},
            )
            end = filters.one_of(t("End of the deal"), ENDS, "end", t, filters.WIDTH)
    return Filter(
        words,
        statuses,
        rules,
        game,
        players,
        event=event,
        since=since,
        until=until,
        kind=kind,
        turned=end == TURNED,
        hide=hide(),
    )


def sorting(t: Translate) -> str:
    """One of `queries.matches.SORTS`; an address may name it by its code."""
    return filters.one_of(t("Order"), SORTS, "sort", t)
