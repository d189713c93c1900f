"""The pages of announcements and contracts."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import plotly.graph_objects as go
import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.figures import announcement_charts as figures
from dashboard.games import definition_tooltip, games_with_sections, preset_label
from dashboard.queries import announcements, contracts, exclusions, player_deals, scope, simulated_baseline
from dashboard.queries.announcements import MOMENT_COLUMNS, RowHands
from dashboard.queries.intervals import MIN_SAMPLE, with_share_interval
from dashboard.queries.scope import Scope
from dashboard.tables import announcement_tables as columns
from dashboard.tables.announcement_tables import HEIGHT_COLUMNS, KEY_LABELS, SAMPLE_COLUMNS
from dashboard.tables.profile import SECTIONS, exclusions_text, has_section
from dashboard.text.columns import Column, rows_as_text
from dashboard.text.numbers import format_count
from dashboard.widgets import browser, filters
from dashboard.widgets.chart import show_chart, show_clickable_chart
from dashboard.widgets.current_store import (
    NotAllowed,
    acting_with_role,
    cached_query,
    has_role,
    open_store,
    page_cursor,
    redacted,
)
from dashboard.widgets.link_table import Cell, frame_table, stats_table, stop_with_nothing
from dashboard.widgets.lists import excluded_deals_section, player_rows, show_deals_behind
from engine.options import UnknownRule
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate
from ingest.store import baseline
from ingest.store.errors import StoreError
from ingest.store.tokens import Role


def page(t: Translate) -> None:
    """Show the view the address names; a game with bids has one more view for contracts."""
    which = filters.scope_filters(t, games=games_with_sections("announcements", "contracts"))
    if which is None:
        stop_with_nothing(t("Nothing to count yet. Add a file of matches first."), t)
    if not has_section("announcements", which.game):
        _show_contracts(which, st.container(), t)
        return
    views = dict(VIEWS)
    if has_section("contracts", which.game):
        views["contracts"] = (SECTIONS["contracts"].heading, _show_contracts)
    words = {view: label for view, (label, _) in views.items()}
    line = st.container(horizontal=not browser.is_narrow(), vertical_alignment="center", gap="xsmall")
    with line:
        chosen = filters.segmented_select(t("Announcements"), words, "frequency", "view", t)
    views[chosen][1](which, line, t)


def _select(label: str, words: Mapping[str, str], key: str, t: Translate) -> str:
    """Return the choice from a list in the line of the views."""
    width = 150 if browser.is_low() else 170  # two of them fit next to the choice of views
    return filters.select_one(label, words, key, t, width, "visible" if browser.is_narrow() else "collapsed")


def show_no_announcement(t: Translate) -> None:
    """Show a message that no announcements were found."""
    st.info(t("No announcement in these deals."), icon=":material/search_off:")


def _exclusions_text(which: Scope, t: Translate, **more: bool) -> str:
    return exclusions_text(cached_query(exclusions.exclusion_counts, which, **more), t)


class CountedHands(NamedTuple):
    """The hands a view counts: those with the `fact`, grouped by `key` if it is set."""

    scope: Scope
    fact: str
    key: str | None = None
    decided: bool = False
    """Only deals that have a winner."""

    def show_deals_behind(self, row: Mapping[str, Any], place: str, t: Translate) -> None:
        value = row.get("player_no" if self.key == "player" else self.key or "")
        requested = RowHands(row["kind"], row["trump"], self.fact, self.key, value, self.decided)
        of = announcements.deals_behind, self.scope, requested
        total = cached_query(announcements.count_deals_behind, self.scope, requested)
        show_deals_behind(total, lambda *page: cached_query(*of, *page), place, t)


def show_table(
    frame: pl.DataFrame, columns: tuple[Column, ...], counted: CountedHands, t: Translate, link_column: str
) -> None:
    """Show the frame as a table; cells of `link_column` open the deals behind their row."""
    parts = {
        t(label): (frame[n] < MIN_SAMPLE).to_list()
        for label, n in SAMPLE_COLUMNS.items()
        if n in frame.columns and label in {one.label for one in columns}
    }
    lines: Sequence[Mapping[str, Cell]] = rows_as_text(columns, redacted(frame), t)
    if counted.key == "player" and "player" in frame.columns:
        lines = player_rows(columns, frame, counted.scope.game, t, KEY_LABELS[counted.key], "player")
    grey, alt = (frame["n"] < MIN_SAMPLE).to_list(), t("Announcements by type")
    chosen = stats_table(
        lines, columns, grey, f"announced-{counted.fact}-{counted.key}", alt, t, link_column, parts
    )
    if chosen is not None:
        counted.show_deals_behind(frame.row(chosen, named=True), "announced", t)


def _show_figure(
    figure: go.Figure, alt: str, frame: pl.DataFrame, counted: CountedHands, t: Translate
) -> None:
    """Show the figure, the deals of the point chosen, and the excluded ones."""
    point = show_clickable_chart(figure, alt, f"drawn-{counted.fact}-{counted.key}", frame.height, t)
    if point is not None:
        counted.show_deals_behind(frame.row(point.row, named=True), "announced-drawn", t)
    excluded_deals_section(counted.scope, t, counted.decided)


def _show_chance(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Compare hands as dealt with chance, and later facts with simulated players."""
    which = cached_query(simulated_baseline.with_one_preset, which)
    with line:
        fact = _select(t("Fact"), columns.CHANCE_LABELS, "fact", t)
    if fact == "dealt":  # hands as dealt, with their exact probability
        frame = cached_query(simulated_baseline.dealt_announcements, which)
        if not frame.height:
            return show_no_announcement(t)
        message = N_(
            "Hands as dealt, rules {preset}: {n}, from the packs of the page Shuffles. Before "
            "play, only chance decides. Grey: fewer than 20 cases."
        )
        preset, n = preset_label(which.preset, t), format_count(frame["n"][0], t)
        st.caption(t(message, preset=preset, n=n), help=definition_tooltip("chance", t))
        alt = t("Hands dealt, compared with their probability")
        show_chart(figures.chance_figure(frame, t), alt, "drawn-dealt")
        frame_table(frame, columns.DEALT_COLUMNS, "announced-dealt", t("Announcements by type"), t)
        return None
    with line:
        keys = {key: columns.KEY_LABELS[key] for key in ("kind", *MOMENT_COLUMNS)}
        key = _select(t("By"), keys, "by", t)
        by = None if key == "kind" else key
        kind = by and _select(t("Announcement"), announcement_kinds(), "kind", t)
    runs = {
        habit: simulated_baseline.latest_run(page_cursor(), which, habit)
        for habit in baseline.bot_habits(which.game)
    }
    known = {habit: run for habit, run in runs.items() if run is not None}
    if len(known) < len(runs):
        return _show_simulate_button(which, [habit for habit in runs if habit not in known], t)
    events = {habit: run["event"] for habit, run in known.items()}
    frame = cached_query(simulated_baseline.observed_vs_simulated, which, events, by).filter(fact=fact)
    frame = frame if kind is None else frame.filter(kind=kind)
    if not frame.height:
        return show_no_announcement(t)
    message = t(
        "Compared with {deals} simulated deals: rules {preset}, {habits} habits, seeds "
        "{seeds}. Hands of the store: {n}; excluded: {out}. Grey: fewer than 20 cases.",
        deals=format_count(sum(run["deals"] for run in known.values()), t),
        preset=preset_label(which.preset, t),
        habits=len(known),
        seeds=", ".join(map(str, sorted({run["seed"] for run in known.values()}))),
        n=format_count(frame["n"][0], t),
        out=_exclusions_text(which, t),
    )
    st.caption(message, help=definition_tooltip("habits", t))
    alt = t("Observed frequencies, compared with simulated players")
    of = CountedHands(which, fact, by)
    _show_figure(figures.habits_figure(frame, t, by), alt, frame, of, t)
    show_table(frame, columns.keyed_columns(columns.HABIT_COLUMNS, by), of, t, "Count")


def _show_simulate_button(which: Scope, habits: list[str], t: Translate) -> None:
    message = N_(
        "No deals were simulated yet for these rules and players. Retourne simulates {deals} "
        "deals once, in a few seconds, and stores them apart from the matches."
    )
    st.info(t(message, deals=format_count(len(habits) * baseline.DEFAULT_DEALS, t)), icon=":material/casino:")
    if not has_role(Role.CONTRIBUTOR):
        st.caption(t("Contributors can start the simulation."))
        return
    if not st.button(t("Simulate"), icon=":material/casino:", type="primary", key="simulate"):
        return
    message = t("Simulating deals…")
    bar = st.progress(0.0, text=message)

    def advance(before: int, done: int) -> None:
        bar.progress(min(1.0, (before + done) / baseline.DEFAULT_DEALS / len(habits)), text=message)

    table = (which.game, str(which.preset), which.player_count)
    try:
        with acting_with_role(Role.CONTRIBUTOR):
            for place, habit in enumerate(habits):
                own = partial(advance, place * baseline.DEFAULT_DEALS)
                baseline.simulate_baseline(
                    open_store(), baseline.SimulationRun(*table, habit, baseline.DEFAULT_DEALS), own
                )
    except (StoreError, NotAllowed, UnknownRule) as error:
        st.error(t("These deals cannot be simulated."), icon=":material/error:")
        st.text(str(error) if isinstance(error, UnknownRule) else error.message(t))
        return
    st.rerun()


def _show_contracts(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Show each level that was bid: how often, how often made, and its deals on request."""
    frame = cached_query(contracts.contracts, which)
    if not frame.height:
        st.info(t("No contract in these deals."), icon=":material/search_off:")
        return

    def of_height(row: int, key: str) -> None:
        hands = contracts.hands_at_level(which, frame["level"][row])
        total = cached_query(player_deals.count_hands, hands)
        show_deals_behind(total, lambda *page: cached_query(player_deals.list_hands, hands, *page), key, t)

    deals = format_count(cached_query(scope.count_deals, which)[0], t)
    message = N_("The last bid of each deal. Deals counted: {deals}; excluded: {out}.")
    st.caption(t(message, deals=deals, out=_exclusions_text(which, t)))
    figure = figures.contracts_figure(frame, t, which.game, not browser.has_folded_filters())
    alt = t("Success rate by contract")
    point = show_clickable_chart(figure, alt, "contracts-drawn", frame.height, t)
    if point is not None:
        of_height(point.row, "contracts-drawn")
    excluded_deals_section(which, t)
    alt, game = t("Contracts by value (60, 70, …)"), {"game": which.game}
    chosen = frame_table(frame, HEIGHT_COLUMNS, "contracts", alt, t, "Taken", "decided", game)
    if chosen is not None:
        of_height(chosen, "contracts")


MAX_KEYS = 20
"""Players and events shown; `retourne stats --by` prints them all."""


def _show_frequencies(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Show frequencies per hand: by kind, or of one kind by another key."""
    with line:
        key = _select(t("By"), columns.KEY_LABELS, "by", t)
        fact = _select(t("Fact"), columns.FACT_LABELS, "fact", t)
        frame = cached_query(announcements.announcement_frequencies, which)
        found = {kind: name for kind, name in announcement_kinds().items() if kind in set(frame["kind"])}
        if not found:
            return show_no_announcement(t)
        by = None if key == "kind" else key
        kind = by and _select(t("Announcement"), found, "kind", t)
    message = N_(
        "Per hand played: one player in one deal. Hands: {n}; deals counted: {deals}; "
        "excluded: {out}. Grey: fewer than 20 cases."
    )
    n, deals = format_count(frame["n"][0], t), format_count(frame["deals"][0], t)
    st.caption(
        t(message, n=n, deals=deals, out=_exclusions_text(which, t)), help=definition_tooltip("frequency", t)
    )
    if by is not None:
        frame = cached_query(announcements.frequencies_by, which, by).filter(kind=kind)
    if by in figures.NAME_KEYS:  # the players and events with most hands
        name = "player_no" if by == "player" else by
        first = frame[name].unique(maintain_order=True)
        if len(first) > MAX_KEYS:
            st.caption(t("Those with most hands: {n} of {all}.", n=MAX_KEYS, all=format_count(len(first), t)))
        frame = frame.filter(pl.col(name).is_in(first.head(MAX_KEYS).implode(), nulls_equal=True))
    frame = with_share_interval(frame, fact, "n")
    has_room = by is None and not browser.has_folded_filters()
    figure = figures.frequency_figure(redacted(frame), t, fact, by, has_room)
    of = CountedHands(which, fact, by)
    _show_figure(figure, t("Frequency of each announcement"), frame, of, t)
    show_table(frame, columns.keyed_columns(columns.FREQUENCY_COLUMNS, by), of, t, columns.FACT_LABELS[fact])


def _show_missed(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    """Show the best of a suit held but not announced, with the points and parties lost."""
    frame = cached_query(announcements.missed_announcements, which)
    if not frame.height:
        return show_no_announcement(t)
    total = frame.select(pl.col("missed", "n", "points", "lost", "would_have_won").sum()).row(0, named=True)
    counts = {name: format_count(number or 0, t) for name, number in total.items()}
    message = N_(
        "Held and never announced: {missed} of {n}, worth {points} points. Parties lost: "
        "{lost}; would have won: {would_have_won}. Excluded: {out}. Grey: fewer than 20 cases."
    )
    st.caption(t(message, **counts, out=_exclusions_text(which, t)), help=definition_tooltip("missed", t))
    has_room = not browser.has_folded_filters()
    figure = figures.frequency_figure(frame, t, "missed", values=has_room)
    of = CountedHands(which, "missed")
    _show_figure(figure, t("Share left unannounced"), frame, of, t)
    show_table(frame, columns.MISSED_COLUMNS, of, t, "Unannounced")


def _show_winning(which: Scope, line: DeltaGenerator, t: Translate) -> None:
    with line:
        fact = _select(t("Fact"), columns.FACT_LABELS, "fact", t)
    frame = cached_query(announcements.wins_with_announcements, which, fact)
    if not frame.height:
        return show_no_announcement(t)
    message = N_(
        "Hands of deals with a winner: {n}; excluded: {out}. Grey: fewer than 20 cases. Good cards "
        "bring announcements and win anyway: the difference is not the effect of the "
        "announcement."
    )
    n = format_count(int(frame["n"][0] + frame["n_without"][0]), t)
    out = _exclusions_text(which, t, decided=True)
    st.caption(t(message, n=n, out=out), help=definition_tooltip("with", t))
    alt = t("Deals won with each announcement, less those won without")
    of = CountedHands(which, fact, decided=True)
    _show_figure(figures.winning_figure(frame, t), alt, frame, of, t)
    show_table(frame, columns.WINNING_COLUMNS, of, t, "Hands with it")


View = Callable[[Scope, DeltaGenerator, Translate], Any]
"""A function that shows a view; its inputs go in the line of the choice of views."""
VIEWS: Mapping[str, tuple[str, View]] = {
    "frequency": (N_("Frequency"), _show_frequencies),
    "missed": (N_("Unannounced"), _show_missed),
    "winning": (N_("Deals won"), _show_winning),
    "chance": (N_("Against chance"), _show_chance),
}
