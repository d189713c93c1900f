"""The page of shuffle tests: a verdict, a table, repeated decks."""

import polars as pl
import streamlit as st

from dashboard.games import definition_tooltip
from dashboard.queries import fairness
from dashboard.queries.fairness import ALARM_P_VALUE, MAX_DEALS, MIN_DEALS
from dashboard.queries.scope import Scope
from dashboard.tables.announcement_tables import SHUFFLE_COLUMNS, TEST_LABELS
from dashboard.tables.profile import exclusions_text
from dashboard.text.labels import source_name
from dashboard.text.numbers import date_text, decimal_text, escape_markdown, format_count
from dashboard.widgets import filters
from dashboard.widgets.current_store import cached_query, redacted
from dashboard.widgets.link_table import frame_table, link_table, players_cell, stop_with_nothing
from dashboard.widgets.lists import excluded_button, list_buttons, replay_link, show_deals_behind
from ingest.i18n import N_, Translate


def page(t: Translate) -> None:
    """Show whether each source's shuffle is fair: tests, verdict, repeated decks."""
    which = filters.scope_filters(t, games=fairness.testable_games(), any_game=True)
    if which is None:
        stop_with_nothing(t("No pack to test yet. Add a file of matches first."), t)
    message = t(
        "For each source, this page compares the cards dealt with an honest shuffle. Void and "
        "faulty deals count too: their cards were dealt."
    )
    st.markdown(message, help=definition_tooltip("shuffle", t))
    frame = cached_query(fairness.fairness_tests, which)
    if frame.height:
        _show_verdict(frame, t)
        _show_tests(which, frame, t)
    else:
        message = N_("No source has {n} deals of that game and table whose cards are all known.")
        st.info(t(message, n=MIN_DEALS), icon=":material/hourglass_empty:")
    out = cached_query(fairness.exclusion_counts, which)
    message = N_(
        "For each source: the {most} newest deals, tested if at least {least} have all cards "
        "known. Excluded: {out}."
    )
    st.caption(t(message, most=format_count(MAX_DEALS, t), least=MIN_DEALS, out=exclusions_text(out, t)))
    n = int(out["deals"].sum())
    if list_buttons(excluded_button(n, t), "untested", t):
        show_deals_behind(n, lambda *page: cached_query(fairness.untested_deals, which, *page), "untested", t)
    message = t(
        "No alarm does not prove a fair shuffle: the tests see only some defects. An alarm "
        "does not prove cheating: cards typed by hand, practice deals or matches chosen for "
        "their oddity raise it too."
    )
    st.info(message, icon=":material/info:")
    _show_repeated(cached_query(fairness.repeated_decks, which), t)


def _show_verdict(frame: pl.DataFrame, t: Translate) -> None:
    tested = frame["source"].n_unique()
    for (source,), part in redacted(frame).group_by("source", maintain_order=True):
        failed = [t(TEST_LABELS[test]) for test in part.filter(~pl.col("fair"))["test"]]
        if failed:
            name = escape_markdown(source_name(None if source is None else str(source), t))
            message = N_("**{source}**: a fair shuffle would hardly give these packs. Failed: {tests}.")
            text = t(message, source=name, tests=", ".join(failed))
            st.warning(text, icon=":material/warning:")
    if frame["fair"].all():
        message = N_(
            "Nothing speaks against a fair shuffle. Sources tested: {n}, tests: {tests}, "
            "alarm if a corrected p is below {alarm}."
        )
        text = t(message, n=tested, tests=frame.height, alarm=decimal_text(ALARM_P_VALUE, t, 2))
        st.success(text, icon=":material/check_circle:")


def _show_tests(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    chosen = frame_table(frame, SHUFFLE_COLUMNS, "shuffles", t("Tests of shuffles"), t, "n", None)
    if chosen is not None:
        total, requested = frame["n"][chosen], (which, frame["source"][chosen])
        show_deals_behind(
            total, lambda *page: cached_query(fairness.examined_deals, *requested, *page), "shuffles", t
        )
    st.caption(t("p is corrected for all {n} tests of this table by Holm’s method.", n=frame.height))
    # not in the caption, whose pale colour makes a link unreadable
    st.markdown(" · ".join(f"[{t(TEST_LABELS[test])}](regles?term=test-{test})" for test in TEST_LABELS))


def _show_repeated(frame: pl.DataFrame, t: Translate) -> None:
    if not frame.height:
        return
    st.header(t("Packs dealt more than once"))
    rows = [
        {
            "open": replay_link(t("Replay"), row["match_id"], row["deal_number"]),
            t("Pack"): row["deck"],
            t("Times"): row["times"],
            t("Source"): source_name(row["source"], t),
            t("Played on"): date_text(row["played_on"], t),
            t("Players"): players_cell(row),
            t("Deal"): row["deal_number"],
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in redacted(frame).iter_rows(named=True)
    ]
    link_table(rows, "open-repeated", t("Packs dealt more than once"), t, first_columns=6)
