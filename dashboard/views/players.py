"""The pages Players and Ladder (the leaderboard)."""

import streamlit as st

from dashboard.figures import player_charts as figures
from dashboard.games import game_view, preset_label
from dashboard.queries import exclusions, matches, player_search, players
from dashboard.queries import ladder as queries
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.scope import Scope
from dashboard.tables.player_tables import (
    LADDER_COLUMNS,
    LEVEL_COLUMN,
    RATED_MATCH_COLUMNS,
    UNRATED_COLUMNS,
    UNRATED_REASONS,
    players_columns,
)
from dashboard.tables.profile import exclusions_text
from dashboard.text.columns import visible_columns, with_sheets_column
from dashboard.text.numbers import format_count
from dashboard.views.home import show_other_tables
from dashboard.views.profile import ladder_link, show_profile
from dashboard.widgets import filters, lists
from dashboard.widgets.chart import show_chart, show_clickable_chart
from dashboard.widgets.current_store import cached_query, has_role
from dashboard.widgets.link_table import DUPLICATES_PAGE, page_link, paginate, stats_table, stop_with_nothing
from dashboard.widgets.store_changes import PLAYER_MISSING_TEXTS, show_missing
from ingest.i18n import N_, Translate
from ingest.store.player_duplicates import differing_names, likely_pairs
from ingest.store.tokens import Role
from ingest.validate.result_checks import RESULT_ONLY

FILTERED_NOTE = N_(
    "Filters choose the players listed and the matches counted. Ranks and ratings stay those of "
    "the whole ladder, and so does a player’s curve."
)
NAME_PIXELS = 140
"""Width of the search for a name."""

ORDERS = {"rank": N_("Rank"), "probable": N_("Won, probably")}
"""The orders of the list of players."""


def page(t: Translate) -> None:
    """Show the players of a game with their wins; if the address names one, their profile."""
    requested = st.query_params.get("player", "")
    if requested and (who := cached_query(player_search.player_by_id, requested)):
        show_profile(*who, t)
        return
    if requested:
        show_missing(requested, t, PLAYER_MISSING_TEXTS)
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="xsmall")
    with row:
        which = filters.scope_filters(t, sheets=("sheets",))
    if which is None:
        stop_with_nothing(t("No legal deal yet to count. Add a file of matches first."), t)
    with row:
        words = filters.name_search(NAME_PIXELS, t)
    total = cached_query(players.count_players, which, words)
    out = exclusions_text(cached_query(exclusions.exclusion_counts, which, decided=True), t)
    if not total and not words.strip():
        message = t("None of these deals count. Excluded: {out}.", out=out)
        known = matches.MatchFilter(statuses=(RESULT_ONLY,), preset=which.preset, game=which.game)
        if results := cached_query(matches.count_matches, known):
            text = N_(
                "This page counts deals. Matches with only a result: {n}. They count on the "
                "ladder and in head to head."
            )
            message = f"{message} {t(text, n=format_count(results, t))}"
        st.info(message, icon=":material/inbox:")
        if results:
            ladder_link(which, t)
        lists.excluded_deals_section(which, t, decided=True)
        return
    if not total:
        show_other_tables(words, which, total, t)
        return
    n = format_count(total, t)
    title = game_view(which.game).TITLE
    message = t("Players of {game}: {n}. Deals excluded: {out}.", game=title, n=n, out=out)
    with st.container(horizontal=True, vertical_alignment="center", key="counted-line"):
        st.caption(message)
        if has_role(Role.ADMIN):
            # names of one id, and pairs who may be one
            if unsure := len(cached_query(differing_names)) + len(cached_query(likely_pairs)):
                label = t("May be one person: {n}", n=format_count(unsure, t))
                page_link(DUPLICATES_PAGE, label, "group_add")
        order = filters.select_one(t("Sorted by"), ORDERS, "sort", t, 220, "collapsed")
        details = filters.details_toggle(t)
    with paginate(total, "joueurs-page", reset_key=(which, words, order)) as offset:
        frame = cached_query(
            players.players_table,
            *(which, words),
            limit=25,
            offset=offset,
            ranked=True,
            by_probable=order == "probable",
        )
        result = lists.with_form(frame, which)
        every = players_columns(which.game, by_probable=order == "probable")
        columns = with_sheets_column(visible_columns(every, details), frame)
        grey = (frame["decided_deals"] < MIN_SAMPLE).to_list()
        rows = lists.player_rows(columns, result, which.game, t)
        stats_table(rows, columns, grey, "players", t("Players"), t)
        message = t(
            "Rank: the player’s place on the ladder of the rules chosen or, if none are chosen, of the "
            "rules most played. Form: the last matches, the latest last."
        )
        st.caption(message)
    show_other_tables(words, which, total, t)
    lists.excluded_deals_section(which, t, decided=True)
    if details:
        st.header(t("Deals won, with 95% intervals"))
        figure = figures.wins_figure(frame, t, filters.fair_share(which))
        show_chart(figure, t("% of deals won by player"), "drawn-wins")


def ladder_page(t: Translate) -> None:
    """Show the ladder of a game and preset, with the uncertainty of each rating."""
    found = cached_query(queries.list_ladders)
    if not found.height:
        none_yet = t(
            "No ladder yet: it takes a legal, finished match that has a date, and the server needs "
            "a moment to rate new ones."
        )
        stop_with_nothing(none_yet, t, "leaderboard")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # the most played ladder, or the one whose game and preset the address names
        known, called = dict[str, tuple[str, str]](), dict[str, str]()
        for game, preset, *_ in found.rows():
            label = f"{game_view(game).TITLE} · {preset}"
            known[label] = game, preset
            called[label] = f"{game_view(game).TITLE} · {preset_label(preset, t)}"
        name, preset = known[filters.select_one(t("Ladder"), called, "ladder", t, 300, "collapsed")]
        rated = found.filter(game=name, preset=preset).row(0, named=True)
        which = filters.ladder_scope(name, preset, rated, t)
        words = filters.name_search(NAME_PIXELS, t)
        details = filters.details_toggle(t)
    total = cached_query(queries.count_standings, which, words)
    reasons = {reason: n for reason, n in cached_query(queries.unrated_counts, which).items() if n}
    parts = (f"{t(UNRATED_REASONS[reason])} {format_count(n, t)}" for reason, n in reasons.items())
    out = ", ".join(parts) or "0"
    if not total and not words.strip():
        st.info(t("No rated match fits. Excluded: {out}.", out=out), icon=":material/search_off:")
        _show_unrated(which, sum(reasons.values()), t)
        return
    if not total:
        st.info(t("No player of that name on this ladder by that date."), icon=":material/search_off:")
        return
    st.caption(
        t(
            "Players of {game}: {n}. The rank follows the level’s low end; few matches make it lower. "
            "Matches excluded: {out}.",
            game=game_view(name).TITLE,
            n=format_count(total, t),
            out=out,
        )
    )
    if which != queries.whole_ladder(which):
        st.caption(t(FILTERED_NOTE))
    with paginate(total, "classement-page", reset_key=(which, words)) as offset:
        frame = cached_query(queries.ladder_standings, which, words, limit=25, offset=offset)
        rank, name_column, *others = visible_columns(LADDER_COLUMNS, details)
        columns = with_sheets_column((rank, name_column, LEVEL_COLUMN, *others), frame)
        grey = (frame["n"] < MIN_SAMPLE).to_list()
        rows = lists.player_rows(columns, lists.with_form(frame, which), which.game, t)
        hint = t("Click a number of matches to follow that player. Form: the latest match last.")
        chosen = stats_table(
            rows, columns, grey, "standings", t("Ladder"), t, link_column="Matches rated", hint=hint
        )
    _show_unrated(which, sum(reasons.values()), t)
    if chosen is not None:
        _show_rating_history(frame["player_no"][chosen], frame["name"][chosen], which, t)
    elif details:
        show_chart(figures.standings_figure(frame, t), t("Ratings and how sure they are"), "drawn-ladder")


def _show_unrated(which: Scope, n: int, t: Translate) -> None:
    if lists.list_buttons(lists.excluded_button(n, t, lists.MATCHES_EXCLUDED), "unrated", t):
        lists.show_matches_behind(
            cached_query(queries.unrated_matches, which), which.game, UNRATED_COLUMNS, "unrated", t
        )


def _show_rating_history(number: int, name: str, scope: Scope, t: Translate) -> None:
    """Show one player's ratings over time, all of them, and the matches in the scope."""
    st.header(t("Over time"))
    st.text(name)
    every = cached_query(queries.rating_history, number, queries.whole_ladder(scope))
    key, alt = f"drawn-{number}", t("Rating of this player over time")
    point = show_clickable_chart(figures.rating_figure(every, t), alt, key, len(every), t)
    if point is not None:
        lists.show_matches_behind(every[point.row : point.row + 1], scope.game, RATED_MATCH_COLUMNS, key, t)
    found = cached_query(queries.rating_history, number, scope)
    lists.show_matches_behind(found, scope.game, RATED_MATCH_COLUMNS, f"rated-{number}", t)
