"""The page Head to head."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import player_charts as figures
from dashboard.queries import head_to_head, matches, player_deals, player_search
from dashboard.queries.head_to_head import FigureKey, Side
from dashboard.queries.scope import Scope
from dashboard.tables import player_tables
from dashboard.tables.announcement_tables import KIND_COLUMN
from dashboard.text.columns import Column, visible_columns
from dashboard.text.numbers import (
    date_range_text,
    date_text,
    decimal_interval_text,
    decimal_text,
    escape_markdown,
    format_count,
    short_name,
)
from dashboard.widgets import filters, link_table, lists
from dashboard.widgets.chart import show_chart
from dashboard.widgets.current_store import cached_query
from engine.games import game, game_title
from ingest.i18n import N_, Translate


def page(t: Translate) -> None:
    """Compare two players, or two pairs: wins, margins, announcements."""
    if not cached_query(matches.count_matches):
        link_table.stop_with_nothing(t("No players to compare yet. Add a file of matches first."), t)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first_player = filters.player_filter(t("First player"), t("Choose a player"), "first", t)
        second_player = filters.player_filter(t("Second player"), t("Choose a player"), "second", t)
    chosen = {first_player, second_player} - {-1}
    if first_player is None or second_player is None or len(chosen) < 2:
        st.info(t("Choose two players to see who wins."), icon=":material/swords:")
        return
    which = filters.scope_filters(t, first_player, second_player, sheets=("sheets", "results"))
    if which is not None:
        first, second = _choose_sides(which, first_player, second_player, t)
        series = cached_query(head_to_head.series_counts, which, first, second)
    if which is None or not any(series.values()):
        st.info(t("These two players have not met (with these filters)."), icon=":material/search_off:")
        return
    with st.container(horizontal=True):
        about = t("Statistics of this player")
        for player_id, name in cached_query(player_search.ids_and_names, *first, *second):
            at = {"player": player_id, "game": game_title(which.game)}
            link_table.page_link(
                link_table.PLAYERS_PAGE, escape_markdown(short_name(name)), "groups", about, **at
            )
    t = _naming_sides(first, second, t)
    _show_totals(series, which, first, second, t)
    found = cached_query(head_to_head.opposed_matches, which, first, second)
    if not found.height:
        return
    _show_comparison(found, which, first, second, t)
    st.header(t("Their matches"))
    with link_table.paginate(found.height, "page", in_url=True) as offset:
        shown = lists.newest_first(found).slice(offset, link_table.ROWS_PER_PAGE)
        lists.show_matches_of_game(shown, which.game, player_tables.WON_BY_COLUMNS, "open-duel", t)


def _naming_sides(first: Side, second: Side, t: Translate) -> Translate:
    """Return a translator that fills the names of both sides into `{first}` and `{second}`."""
    names = [short_name(name) for _, name in cached_query(player_search.ids_and_names, *first, *second)]
    return t.with_values(first=" + ".join(names[: len(first)]), second=" + ".join(names[len(first) :]))


def _choose_sides(which: Scope, first: int, second: int, t: Translate) -> tuple[Side, Side]:
    """Return both sides, with their partners if the game has pairs and the reader chose them."""
    if not game(which.game).partners:
        return (first,), (second,)
    t = _naming_sides((first,), (second,), t)
    labels = [escape_markdown(t(text)) for text in (N_("Partner: {first}"), N_("Partner: {second}"))]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first_partner = filters.player_filter(labels[0], t("All partners"), "first_partner", t)
        second_partner = filters.player_filter(labels[1], t("All partners"), "second_partner", t)
    first_side = (first,) if first_partner is None else (first, first_partner)
    return first_side, (second,) if second_partner is None else (second, second_partner)


def _show_totals(counts: Mapping[str, int], which: Scope, first: Side, second: Side, t: Translate) -> None:
    shown = {
        name: lists.Metric(escape_markdown(t(label)), format_count(counts[name], t), "match")
        for name, label in player_tables.WON_HEADINGS.items()
    }
    more = lists.excluded_button(counts["unfinished"] + counts["left_out"], t, lists.MATCHES_EXCLUDED)
    requested = lists.metric_buttons(shown, "duel-totals", t, more)
    lists.show_omitted_matches(counts["unfinished"], counts["left_out"], t)
    if not requested:
        return
    columns: tuple[Column, ...] = ()
    if requested == "partners":
        some = cached_query(head_to_head.partnered_matches, which, first, second)
    elif requested == lists.EXCLUDED_KEY:
        every = cached_query(head_to_head.opposed_matches, which, first, second).filter(won="unfinished")
        unfinished = every.with_columns(reason=pl.col("won")).drop("won")
        some = pl.concat([unfinished, cached_query(head_to_head.excluded_matches, which, first, second)])
        some, columns = some.sort("played_at", "match_no", nulls_last=True), player_tables.EXCLUDED_COLUMNS
    else:
        some, columns = (
            cached_query(head_to_head.opposed_matches, which, first, second).filter(won=requested),
            player_tables.WON_BY_COLUMNS,
        )
    lists.show_matches_behind(some, which.game, columns, "duel-totals", t)


def _show_comparison(matches: pl.DataFrame, which: Scope, first: Side, second: Side, t: Translate) -> None:
    result = filters.details_toggle(t)
    frame, columns = (
        cached_query(head_to_head.score_table, which, first, second),
        visible_columns(player_tables.SCORE_COLUMNS, result),
    )
    chosen = link_table.frame_table(frame, columns, "duel-score", t("Head to head"), t, "Group")
    if chosen is not None and frame["figure"][chosen] == "deals":
        _show_deals_behind("duel-score", which, first, second, "score", t)
    elif chosen is not None:
        won = matches.filter(pl.col("won").is_in(["first", "second"]))
        lists.show_matches_behind(won, which.game, player_tables.WON_BY_COLUMNS, "duel-won", t)
    if matches.filter(pl.col("won") != "unfinished").height > 1:
        show_chart(figures.lead_figure(matches, t), t("The lead, match after match"), "drawn-lead")
    row = cached_query(head_to_head.margins, which, first, second).row(0, named=True)
    if row["n"]:  # the mean margin of the first side, and the number of deals
        low, high = row["margin_low"], row["margin_high"]
        interval = decimal_interval_text(low, high, t)
        label = escape_markdown(t("Average margin a deal: {first}"))
        margin = lists.Metric(label, decimal_text(row["margin"], t), "margin", row["n"], interval)
        if lists.metric_buttons({"margin": margin}, "duel-margin", t):
            _show_deals_behind("duel-margin", which, first, second, "margin", t)
    st.header(t("Series and margins"))
    _show_records(
        head_to_head.streaks(matches), cached_query(head_to_head.widest_margins, which, first, second), t
    )
    frame = cached_query(head_to_head.announcement_counts, which, first, second)
    if frame.height:  # only games with announcements
        st.header(t("The leader in each announcement"))
        columns, alt = visible_columns(player_tables.LEAD_COLUMNS, result), t("Announcements by type")
        chosen = link_table.frame_table(frame, columns, "duel-leads", alt, t, KIND_COLUMN.label)
        if chosen is not None:
            _show_deals_behind(
                "duel-leads", which, first, second, frame.select("kind", "trump").row(chosen), t
            )


def _show_deals_behind(
    key: str, which: Scope, first: Side, second: Side, of: FigureKey, t: Translate
) -> None:
    hands = head_to_head.hands_behind(which, first, second, of)
    total = cached_query(player_deals.count_hands, hands)
    lists.show_deals_behind(total, lambda *page: cached_query(player_deals.list_hands, hands, *page), key, t)


def _show_records(streaks: pl.DataFrame, widest: pl.DataFrame, t: Translate) -> None:
    rows = list[dict[str, Any]]()

    def record(row: Mapping[str, Any], deal: int, label: str, count: int, when: str) -> None:
        opens = lists.replay_link(t("Replay"), row["match_id"], deal)
        rows.append({"open": opens, **{t("Record"): t(label), t("Count"): count, t("Played on"): when}})

    for row in streaks.iter_rows(named=True):
        labels = player_tables.CURRENT_SERIES_LABELS if row["now"] else player_tables.SERIES_LABELS
        record(row, 1, labels[row["side"]], row["length"], date_range_text(row["played_on"], row["until"], t))
    for row in widest.iter_rows(named=True):
        when = date_text(row["played_on"], t)
        record(row, row["deal_number"], player_tables.WIDEST_LABELS[row["side"]], row["margin"], when)
    link_table.link_table(rows, "open-duel-record", t("Series and margins"), t)
