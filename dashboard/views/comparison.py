"""The page Side by side: two to four players, figure by figure."""

import streamlit as st

from dashboard.figures import peer_charts as figures
from dashboard.games import game_view, preset_label
from dashboard.queries import comparison, matches, peers, player_search
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.tables.peer_tables import COMPARISON_COLUMNS
from dashboard.text.columns import rows_as_text
from dashboard.text.numbers import escape_markdown
from dashboard.widgets import filters, link_table
from dashboard.widgets.chart import show_chart
from dashboard.widgets.current_store import cached_query
from ingest.i18n import N_, Translate

NO_COMMON_FIGURE = N_("None of these players has a deal of this game, table and rules that counts.")


def page(t: Translate) -> None:
    """Compare the figures of two to four players under the same rules."""
    if not cached_query(matches.count_matches):
        link_table.stop_with_nothing(t("No players to compare yet. Add a file of matches first."), t)
    chosen = filters.players_filter(t("Players to compare"), t("Choose two to four players"), "player", t)
    players = [number for number in dict.fromkeys(chosen) if number != -1]
    if len(players) < 2:
        st.info(t("Choose two to four players to see their figures side by side."), icon=":material/groups:")
        return
    if len(players) > comparison.MAX_COMPARED:
        st.info(t("Only the first {n} players are compared.", n=comparison.MAX_COMPARED))
        players = players[: comparison.MAX_COMPARED]
    which = filters.scope_filters(t, players[0])
    found = None if which is None else cached_query(comparison.compare_players, which, tuple(players))
    if which is None or found is None or not found.height:
        st.info(t(NO_COMMON_FIGURE), icon=":material/search_off:")
        return
    same = cached_query(peers.with_players_preset, which, players[0])
    names = dict(found.select("player_no", "name").unique(maintain_order=True).iter_rows())
    st.caption(
        t(
            "{game}, {n} players, rules {rules}. Differences are from {name}.",
            game=game_view(which.game).TITLE,
            n=which.player_count,
            rules=preset_label(same.preset or "", t),
            name=escape_markdown(names.get(players[0], "")),
        )
    )
    if len(players) == 2:
        (first, _), (second, _) = cached_query(player_search.ids_and_names, *players)
        link_table.page_link(link_table.DUEL_PAGE, t("Head to head"), "swords", first=first, second=second)
    show_chart(
        figures.comparison_figure(found, which.game, t),
        t("Figures of these players side by side, with their intervals"),
        "drawn-compared",
    )
    rows = rows_as_text(COMPARISON_COLUMNS, found, t, {"game": which.game})
    grey = (found["n"] < MIN_SAMPLE).to_list()
    link_table.stats_table(rows, COMPARISON_COLUMNS, grey, "compared", t("Side by side"), t)
    n = found.select(peers.FIGURE_KEYS).n_unique()
    st.caption(
        t("Figures compared: {n}. Even without a difference, one interval in twenty leaves 0 out.", n=n)
    )
