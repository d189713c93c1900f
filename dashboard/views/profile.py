"""The page of one player."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from dashboard.figures import announcement_charts as contract_figures
from dashboard.figures import peer_charts as peer_figures
from dashboard.figures import player_charts as figures
from dashboard.games import game_view, preset_label
from dashboard.queries import ladder, matches, peers, player_deals, player_search, results
from dashboard.queries.matches import MatchFilter
from dashboard.queries.scope import Scope
from dashboard.tables import profile as tables
from dashboard.tables.announcement_tables import FREQUENCY_COLUMNS
from dashboard.tables.peer_tables import CHANGE_COLUMN, CHANGED_LABELS, changes_note, peers_note
from dashboard.tables.player_tables import form_text
from dashboard.tables.redacted import original_text
from dashboard.text.columns import rows_as_text
from dashboard.text.numbers import (
    NO_VALUE,
    date_text,
    decimal_interval_text,
    decimal_text,
    escape_markdown,
    format_count,
    percent_interval_text,
    percent_text,
)
from dashboard.views.announcements import CountedHands, show_no_announcement, show_table
from dashboard.widgets import filters, link_table, lists
from dashboard.widgets.browser import is_narrow
from dashboard.widgets.chart import show_chart, show_clickable_chart
from dashboard.widgets.current_store import cached_query, has_role, redacted
from ingest.i18n import N_, Translate
from ingest.store.tokens import Role
from ingest.validate.result_checks import RESULT_ONLY


class View(NamedTuple):
    """A view of a player; games without the section `required_section` have no such view."""

    label: str
    required_section: str | None = None
    has_match_list: bool = False
    """Whether recent matches are listed below it."""


VIEWS = {
    "results": View(N_("Results"), has_match_list=True),
    "peers": View(N_("Among players")),
    "points": View(N_("Points")),
    "announcements": View(N_("Announcements"), "announcements"),
    "contracts": View(N_("Contracts and partners"), "contracts"),
    "bids": View(N_("Bids"), "bid-cards"),
    "luck": View(N_("Luck"), "luck"),
    "endgames": View(N_("End of the deal"), "endgames"),
    "records": View(N_("Records and matches"), has_match_list=True),
}


def views_of(game: str) -> dict[str, str]:
    """Return the views a game has, with their labels."""
    return {
        name: view.label
        for name, view in VIEWS.items()
        if view.required_section is None or tables.has_section(view.required_section, game)
    }


def show_profile(number: int, name: str, t: Translate) -> None:
    """Show all figures of a player, at one of the player's tables."""
    player_id = _player_id(number)
    leave: Any = partial(st.query_params.pop, "player", None)
    icon = ":material/arrow_back:"
    with st.container(horizontal=True, key="who", vertical_alignment="center"):
        st.button(t("All players"), icon=icon, key="all-players", on_click=leave, type="tertiary")
        compare = st.empty()
        with st.popover(t("More"), type="tertiary", key="more-links") if is_narrow() else nullcontext():
            lists.current_player_button(player_id, t)
            link_table.page_link(link_table.DUEL_PAGE, t("Head to head"), "swords", first=name)
            link_table.puzzle_link(t, player_id, in_link_row=True)
            if has_role(Role.ADMIN):
                merge = t("Merge with…")
                link_table.page_link(link_table.DUPLICATES_PAGE, merge, "group_add", player=player_id)
    which = filters.scope_filters(t, number, sheets=("sheets", "results"))
    if which is None:
        st.info(t("No deal of this player in the store."), icon=":material/inbox:")
        _show_matches(MatchFilter(players=(number,)), number, t)
        return
    with compare:
        both = cached_query(player_search.with_usual_companion, number, which.game, which.player_count)
        game = game_view(which.game).TITLE
        link_table.page_link(link_table.COMPARE_PAGE, t("Compare"), "compare_arrows", player=both, game=game)
    if not _show_summary(which, number, t):
        _show_results(replace(which, score_sheets=True), number, t)
        return
    views = views_of(which.game)
    chosen = filters.segmented_select(t("Statistics of this player"), views, "results", "view", t)
    chosen = chosen if chosen in views else "results"
    for section in tables.sections_in_view(chosen, which.game):
        frame = _section_frame(section, which, number)
        CUSTOM_SECTIONS.get(section, _show_section)(section, frame, which, number, t)
    if VIEWS[chosen].has_match_list:
        _show_recent_matches(which, number, t)


def _section_frame(name: str, which: Scope, number: int) -> pl.DataFrame:
    section = tables.SECTIONS[name]
    return cached_query(section.page_query or section.query, section.scope_for(which), number)


def _show_summary(which: Scope, number: int, t: Translate) -> bool:
    """Show the main figures, and the list behind the one chosen. False: no deal counts."""
    left_out = _section_frame("left-out", which, number)
    out = tables.exclusions_text(left_out, t)
    left = lists.excluded_button(int(left_out["deals"].sum()), t)
    frame = _section_frame("player", which, number)
    if not frame.height:
        if left:
            st.info(t("None of these deals count. Excluded: {out}.", out=out), icon=":material/inbox:")
        if lists.list_buttons(left, "figures", t):
            lists.show_excluded_deals(which, t, number, decided=True)
        return False
    row = frame.row(0, named=True)
    n, result = row["decided_deals"], row.get("from_sheets", 0)
    share = percent_interval_text(row["low"], row["high"], t)
    points = decimal_interval_text(row["points_low"], row["points_high"], t)
    sheets = t("on score sheets {n}", n=format_count(result, t)) if result else ""
    shown = {
        "matches": lists.Metric(t("Matches"), format_count(row["matches"], t), "match"),
        "deals": lists.Metric(t(game_view(which.game).COUNTED_DEALS), format_count(n, t), "n", n, sheets),
        "won": lists.Metric(t("Won"), percent_text(row["share"], t), "share", n, share),
        "points": lists.Metric(t("Average points"), decimal_text(row["points"], t), "points", n, points),
    }
    rank = cached_query(ladder.player_ranks, which).get(number)
    form = form_text({"form": cached_query(results.recent_form, which, number).get(number, [])}, t)
    st.caption(t("Rank: {rank} · Form, the latest match last: {form}", rank=rank or NO_VALUE, form=form))
    requested = lists.metric_buttons(shown, "figures", t, left)
    st.caption(t("Only counted deals with a winner. Excluded: {out}. Grey: fewer than 20 cases.", out=out))
    if requested == "matches":
        found = cached_query(player_deals.decided_matches, which, number)
        lists.show_matches_behind(found, which.game, tables.WON_COLUMNS, "figures", t, number)
    elif requested == lists.EXCLUDED_KEY:
        lists.show_excluded_deals(which, t, number, decided=True)
    elif requested:
        _show_deals("results", which, number, {}, t, "figures")
    return True


def _show_results(which: Scope, number: int, t: Translate) -> None:
    """Show the results of a player without counted deals; the scope includes sheets."""
    row = cached_query(results.match_results, which, number).row(0, named=True)
    if row["n"]:
        text = t("Only results of this player count: on the ladder and in head to head.")
        st.info(text, icon=":material/scoreboard:")
    else:
        text = t("No matches found. Try fewer words or clear a filter.")
        st.info(text, icon=":material/search_off:")
    shown = dict[str, lists.Metric]()
    if rank := cached_query(ladder.player_ranks, which).get(number):
        shown["rank"] = lists.Metric(t("Rank"), format_count(rank, t), "rank")
    if row["n"]:
        share = t("{k} of {n}", k=format_count(row["k"], t), n=format_count(row["n"], t))
        interval = percent_interval_text(row["low"], row["high"], t)
        shown["won"] = lists.Metric(t("Matches won"), share, "match", row["n"], interval)
    lists.show_metrics(shown.values(), t, "figures-profile")
    query = _filters_in_address(which)
    with st.container(horizontal=True):
        ladder_link(which, t)
        link_table.page_link("face_a_face", t("Head to head"), "swords", first=_player_id(number), **query)
    seated = (number,) if which.opponent is None else (number, which.opponent)
    found = MatchFilter("", (RESULT_ONLY,), which.preset, which.game, seated, event=which.event)
    found = replace(found, since=which.since, until=which.until)
    if not cached_query(matches.count_matches, found):
        found = replace(found, statuses=())
    _show_matches(found, number, t)


def _show_matches(which: MatchFilter, number: int, t: Translate) -> None:
    """Show a player's matches whether or not a deal of them counts."""
    total = cached_query(matches.count_matches, which)
    st.header(t("Matches"))
    st.caption(t("Matches found: {n}", n=format_count(total, t)))
    with link_table.paginate(total, "result-page", reset_key=which) as offset:
        shown = cached_query(matches.match_page, which, link_table.ROWS_PER_PAGE, offset)
        lists.show_matches(shown, t, "open-result", number)


def _player_id(number: int) -> str:
    [(player_id, _)] = cached_query(player_search.ids_and_names, number)
    return player_id


def _filters_in_address(which: Scope) -> dict[str, str | None]:
    """Return the query of a page that counts the same deals, with sheets if they count."""
    at_table = f"{which.game}-{which.player_count}"
    return {
        "game": game_view(which.game).TITLE,
        f"player_count-{which.game}": str(which.player_count),
        f"preset-{which.game}": which.preset,
        "event": original_text(which.event),
        "since": which.since.isoformat() if which.since else None,
        "until": which.until.isoformat() if which.until else None,
        f"score_sheets-{at_table}": "true" if which.score_sheets else None,
    }


def ladder_link(which: Scope, t: Translate) -> None:
    """Show a link to the ladder of a scope's game, with sheets counted."""
    query = _filters_in_address(which)
    names = cached_query(ladder.list_ladders).filter(pl.col("game") == which.game)["preset"]
    preset = which.preset or next(iter(names), None)
    link_table.page_link(
        "classement",
        t("Ladder"),
        "leaderboard",
        ladder=f"{query['game']} · {preset}" if preset else None,
        **{name: query[name] for name in ("event", "since", "until", f"player_count-{which.game}")},
        **{f"score_sheets-{which.game}": "true"},
    )


def _show_table(
    name: str,
    frame: pl.DataFrame,
    which: Scope,
    number: int,
    t: Translate,
    matches: bool = False,
    details: bool = True,
) -> int | None:
    """Show the section with its heading, and the deals behind the open row; return its index.

    `matches`: the rows count matches, which the caller lists.
    """
    section, title = tables.SECTIONS[name], tables.section_heading(name, which.game, t)
    st.header(title)
    columns = tables.section_columns(name, frame, details)
    opens = section.link_column if matches or section.narrow_to_row is not None else ""
    rows: Sequence[Mapping[str, link_table.Cell]] = tables.section_rows(
        name, redacted(frame), which.game, t, details
    )
    if "player_no" in frame.columns:
        rows = lists.player_rows(columns, frame, which.game, t, columns[0].label)
    chosen = link_table.stats_table(
        rows, columns, tables.rows_with_few(name, frame), f"sheet-{name}", title, t, opens
    )
    if not section.decided:
        st.caption(t("Deals without a winner count here too."))
    if chosen is not None and section.narrow_to_row is not None:
        row = frame.row(chosen, named=True)
        _show_deals(name, section.row_scope(row, which), number, row, t)
    return chosen


def _show_deals(
    name: str, which: Scope, number: int, row: Mapping[str, Any], t: Translate, key: str = "", **more: Any
) -> None:
    """Show the deals behind a row of a section; an empty row shows all. `key` identifies the list.

    `more` narrows them further.
    """
    section = tables.SECTIONS[name]
    narrow = section.narrow_to_row(row) if row and section.narrow_to_row is not None else {}
    requested = (section.scope_for(which), number, {**narrow, **more}, section.decided)
    total = cached_query(player_deals.count_deals, *requested)
    lists.show_deals_behind(
        total, lambda *page: cached_query(player_deals.list_deals, *requested, *page), key or name, t
    )


SECTION_NOTES = {
    "luck": N_(
        "Not a measure of skill: card points ignore trumps, announcements and timing, and the "
        "cards drawn depend a little on the tricks won. Among many players, one in twenty is "
        "outside by chance."
    ),
    "luck-and-play": N_(
        "Above, chance; below, the results of play at the table. No line explains another: "
        "good cards lose against better ones, and a few deals show little."
    ),
    "bid-choice": N_(
        "Computed with the tricks known, which no bidder knows: not a reproach, not advice. "
        "After another bid, the same cards are played differently."
    ),
    "endgames": N_(
        "Best play knows all hands: a loss is not a reproach. It covers only the endgame, and "
        "a few deals show little."
    ),
}
"""Sections with a note against a likely misreading."""
EMPTY_TEXTS = {
    "luck": N_("No deal whose cards are all known."),
    "endgames": N_("Nothing of these deals is solved."),
}
"""The text of such a section if it has nothing to show."""


def _show_section(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Show a section as a table, with a note if its meaning is easily mistaken."""
    if name not in SECTION_NOTES:
        _show_table(name, frame, which, number, t)
        return
    if not frame.height:
        if name in EMPTY_TEXTS:
            st.info(t(EMPTY_TEXTS[name]), icon=":material/search_off:")
        return
    if "pending" in frame.columns and (left := frame["pending"][0]):
        st.info(t("Not analysed yet: {n} deals.", n=format_count(left, t)), icon=":material/hourglass_top:")
    row = frame.row(0, named=True)
    if name == "luck":
        show_chart(figures.luck_figure(row, t), t("Cards received compared with random deals"), "drawn-luck")
    details = name != "endgames" or filters.details_toggle(t)
    _show_table(name, frame, which, number, t, details=details)
    if name == "luck":
        verdict = N_("Random deals give about as much: nothing unusual.")
        if row["low"] > 0:
            verdict = N_("These cards were worth more than random deals in 97.5 of 100 cases.")
        elif row["high"] < 0:
            verdict = N_("These cards were worth less than random deals in 97.5 of 100 cases.")
        names = {"mean": "per_deal", "low": "per_deal_low", "high": "per_deal_high"}
        values = {name: decimal_text(row[column], t, 2) for name, column in names.items()}
        st.markdown(f"{t(verdict)} {t('Per deal {mean} points, from {low} to {high}.', **values)}")
    st.info(t(SECTION_NOTES[name]), icon=":material/info:")


def _show_trend(name: str, trend: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    st.header(tables.section_heading(name, which.game, t))
    if not trend.height:
        st.caption(t("None of these deals has a date."))
        return
    figure = figures.trend_figure(trend, t, filters.fair_share(which))
    alt = t("Deals won of the last 50, after each day")
    point = show_clickable_chart(figure, alt, "drawn-trend", trend.height, t)
    st.caption(t("Each point is the % won of the last 50 deals on that date, with its interval."))
    if point is None:
        return
    # list_deals starts with the latest dated deal: skip those played after the point
    n, later = trend["n"][point.row], trend["played"][-1] - trend["played"][point.row]

    def page(limit: int, offset: int) -> pl.DataFrame:
        return cached_query(
            player_deals.list_deals, which, number, {}, True, min(limit, n - offset), later + offset
        )

    lists.show_deals_behind(n, page, "trend", t)


def _show_manches(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    chosen = _show_table(name, frame, which, number, t, matches=True)
    if chosen is not None:
        figure = frame["figure"][chosen]
        own = game_view(which.game).MATCH_COLUMNS
        found = cached_query(results.matches_behind, which, number, figure)
        lists.show_matches_behind(found, which.game, own, f"manches-{figure}", t, number)
    lists.show_omitted_matches(*cached_query(results.count_unfinished, which, number), t)


def _show_distribution(name: str, spread: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Show how the points spread; a bar opens its won or its lost deals."""
    figure = figures.points_figure(spread, t)
    bar = show_clickable_chart(figure, t("Points of this player"), "drawn-points", spread.height, t)
    if bar is not None:
        row, won = spread.row(bar.row, named=True), figures.WON[bar.trace]
        _show_deals(name, which, number, row, t, "points", won=won)
    _show_table(name, spread, which, number, t)


def _show_announcements(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    if not frame.height:
        show_no_announcement(t)
        return
    st.header(tables.section_heading(name, which.game, t))
    mine = frame.with_columns(pl.lit(number).alias("player_no"))
    show_table(mine, FREQUENCY_COLUMNS, CountedHands(which, "counted", "player"), t, "Counted")
    _show_recent_matches(which, number, t)


def _show_contracts(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    if not frame.height:
        st.caption(t("No contract bid in these deals."))
        return
    levels = frame.filter(pl.col("by") == "level", pl.col("decided") > 0)
    if levels.height:
        figure = contract_figures.contracts_figure(levels, t, which.game)
        alt = t("Success rate by contract")
        point = show_clickable_chart(figure, alt, "drawn-levels", levels.height, t)
        if point is not None:
            _show_deals(name, which, number, levels.row(point.row, named=True), t, "levels")
    _show_table(name, frame, which, number, t)


def _show_peers(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Show the place of each figure among the other players, as strips of dots and as a table."""
    st.header(tables.section_heading(name, which.game, t))
    if not frame.height:
        st.caption(t("None of these deals has a winner."))
        return
    counts = sorted(frame["peers"].to_list())
    most, shown = counts[-1], [format_count(one, t) for one in dict.fromkeys((counts[0], counts[-1]))]
    same = cached_query(peers.with_players_preset, which, number)
    st.caption(
        t(
            "Compared with players of {game} ({n} players), rules {rules}{filters}, who have at least "
            "{least} deals: {peers}.",
            game=game_view(which.game).TITLE,
            n=which.player_count,
            rules=preset_label(same.preset or "", t),
            filters=escape_markdown("".join(f", {one}" for one in _filter_texts(which, t))),
            least=peers.PEER_DEALS,
            peers=t("{low} to {high}, by figure", low=shown[0], high=shown[1]) if shown[1:] else shown[0],
        )
    )
    if most < peers.MIN_PEERS:
        st.info(peers_note(most, t), icon=":material/groups:")
    else:
        figure = peer_figures.places_figure(frame, which.game, t)
        show_chart(figure, t("This player’s figures among those of the other players"), "drawn-peers")
        if most > peers.MAX_DOTS:
            st.caption(t("Each strip shows {n} of these players, evenly spaced by value.", n=peers.MAX_DOTS))
    _show_rows(name, frame, which, t)
    left = [tables.section_heading(one, which.game, t) for one in tables.sections_without_place(which.game)]
    st.caption(
        t(
            "Without a place: {sections}. Retourne counts these deal by deal, which takes too long for "
            "all players at once.",
            sections=", ".join(left),
        )
    )


def _filter_texts(which: Scope, t: Translate) -> list[str]:
    """Return the filters of a scope in words, except game, table and rules."""
    found = []
    if which.since:
        found.append(t("from {day}", day=date_text(which.since, t)))
    if which.until:
        found.append(t("up to {day}", day=date_text(which.until, t)))
    if which.event:
        found.append(t("event {name}", name=original_text(which.event)))
    if which.opponent is not None:
        [(_, name)] = cached_query(player_search.ids_and_names, which.opponent)
        found.append(t("against {name}", name=name))
    if which.source:
        found.append(t("source {name}", name=original_text(which.source)))
    return found


def _show_periods(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Show one figure by month or season, and whether it changed; then all of them."""
    st.header(tables.section_heading(name, which.game, t))
    if not frame.height:
        st.caption(t("None of these deals has a date."))
        return
    st.caption(changes_note(frame, t))
    figures_of_game = frame.partition_by(peers.FIGURE_KEYS, maintain_order=True)
    labels = [
        peer_figures.figure_text({**one.row(0, named=True), "game": which.game}, t) for one in figures_of_game
    ]
    with st.container(horizontal=True, key="changed-figures"):
        for place, figure in enumerate(figures_of_game):
            if figure["changed"][0]:
                st.button(
                    t("{figure}: {change}", figure=labels[place], change=t(CHANGED_LABELS[True])),
                    key=f"changed-{place}",
                    type="tertiary",
                    on_click=partial(st.session_state.__setitem__, "period-figure", place),
                )
    index = st.selectbox(
        t("Figure"), range(len(labels)), format_func=labels.__getitem__, key="period-figure", width=260
    )
    chosen = figures_of_game[index or 0]
    if frame["changed"].count():
        change = t(CHANGED_LABELS[chosen["changed"][0]])
        st.caption(t("{figure}: {change}.", figure=labels[index or 0], change=change))
    alt = t("One figure by month or season, with its interval")
    show_chart(peer_figures.period_figure(chosen, which.game, t), alt, "drawn-periods")
    _show_rows(name, chosen, which, t)


def _show_rows(name: str, frame: pl.DataFrame, which: Scope, t: Translate) -> None:
    """Show the rows of a section that open no deals, without the column that the caption repeats."""
    columns = tuple(one for one in tables.section_columns(name, frame) if one is not CHANGE_COLUMN)
    rows, few = rows_as_text(columns, frame, t, {"game": which.game}), tables.rows_with_few(name, frame)
    heading = tables.section_heading(name, which.game, t)
    link_table.stats_table(rows, columns, few, f"sheet-{name}", heading, t)


def _show_records(name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    title = tables.section_heading(name, which.game, t)
    result = tables.section_rows(name, frame, which.game, t)
    rows = [
        {
            "open": lists.replay_link(t("Replay"), row["match_id"], row["deal_number"]),
            **output,
            t("Players"): link_table.players_cell({**row, "game": which.game}),
        }
        for row, output in zip(frame.iter_rows(named=True), result, strict=True)
    ]
    st.header(title)
    link_table.link_table(rows, "open-record", title, t, tables.SECTIONS[name].columns)


CUSTOM_SECTIONS: dict[str, Callable[[str, pl.DataFrame, Scope, int, Translate], None]] = {
    "trend": _show_trend,
    "manches": _show_manches,
    "distribution": _show_distribution,
    "announcements": _show_announcements,
    "contracts": _show_contracts,
    "records": _show_records,
    "peers": _show_peers,
    "periods": _show_periods,
}


def _show_recent_matches(which: Scope, number: int, t: Translate) -> None:
    st.header(t("Recent matches"))
    recent = lists.newest_first(cached_query(player_deals.decided_matches, which, number)).head(10)
    lists.show_matches_of_game(recent, which.game, tables.WON_COLUMNS, "open-recent", t, number)
    link_table.page_link(
        link_table.MATCHES_PAGE,
        t("All matches of this player"),
        "table_rows",
        player=_player_id(number),
        game=game_view(which.game).TITLE,
        preset=which.preset,
        event=original_text(which.event),
        since=which.since.isoformat() if which.since else None,
        until=which.until.isoformat() if which.until else None,
    )
