"""The tests of shuffles on a page: a verdict in words, a table, the decks that came again."""

import polars as pl
import streamlit as st

from dashboard.games import about
from dashboard.queries import fairness
from dashboard.queries.fairness import ALARM, ENOUGH, MOST
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import SHUFFLES, TESTS
from dashboard.tables.profile import reasons_line
from dashboard.text.labels import source_name
from dashboard.text.numbers import count_of, day, decimal, markdown
from dashboard.widgets import filters
from dashboard.widgets.current_store import answer, readable
from dashboard.widgets.link_table import at_table, frame_grid, linked, nothing_yet
from dashboard.widgets.lists import behind, deals_behind, left_out_button, replay
from ingest.i18n import N_, Translate


def page(t: Translate) -> None:
    """Whether the shuffle of each source of logs is fair: the tests, the verdict, decks again."""
    which = filters.scope(t, games=fairness.games(), every=True)
    if which is None:
        nothing_yet(t("No pack to test yet. Add a file of games first."), t)
    said = t(
        "For each source, the cards dealt are compared with what an honest shuffle would give. "
        "Deals that were void or faulty count: their cards were dealt all the same."
    )
    st.markdown(said, help=about("shuffle", t))
    frame = answer(fairness.tests, which)
    if frame.height:
        _verdict(frame, t)
        _tests_table(which, frame, t)
    else:
        said = N_("No source has {n} deals of that game and table whose cards are all known.")
        st.info(t(said, n=ENOUGH), icon=":material/hourglass_empty:")
    out = answer(fairness.left_out, which)
    said = N_(
        "Of each source the {most} deals added last are looked at, and those with all cards "
        "known are tested from {least} on; left out: {out}."
    )
    st.caption(t(said, most=count_of(MOST, t), least=ENOUGH, out=reasons_line(out, t)))
    n = int(out["deals"].sum())
    if behind(left_out_button(n, t), "untested", t):
        deals_behind(n, lambda *page: answer(fairness.untested, which, *page), "untested", t)
    said = t(
        "What this does not mean: no alarm is no proof that a shuffle is fair, the tests see only "
        "some ways of being unfair, and few deals show little. An alarm does not say that anybody "
        "cheated: cards typed in by hand, hands dealt to practise, or matches chosen because they "
        "were odd raise it too. And a fair shuffle does not give everybody the same cards."
    )
    st.info(said, icon=":material/info:")
    _repeated(answer(fairness.repeated, which), t)


def _verdict(frame: pl.DataFrame, t: Translate) -> None:
    """What the tests come to, a sentence for each source that fails one."""
    tested = frame["source"].n_unique()
    for (source,), part in readable(frame).group_by("source", maintain_order=True):
        failed = [t(TESTS[test]) for test in part.filter(~pl.col("fair"))["test"]]
        if failed:
            name = markdown(source_name(None if source is None else str(source), t))
            said = N_(
                "**{source}**: a fair shuffle would hardly give these packs. Failed: {tests}."
            )
            told = t(said, source=name, tests=", ".join(failed))
            st.warning(told, icon=":material/warning:")
    if frame["fair"].all():
        said = N_(
            "Nothing speaks against a fair shuffle. Sources tested: {n}, tests: {tests}, "
            "alarm under a corrected p of {alarm}."
        )
        told = t(said, n=tested, tests=frame.height, alarm=decimal(ALARM, t, 2))
        st.success(told, icon=":material/check_circle:")


def _tests_table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """Every test of every source; a row that is open lists the deals it looked at."""
    chosen = frame_grid(frame, SHUFFLES, "shuffles", t("Tests of shuffles"), t, "n", None)
    if chosen is not None:
        total, asked = frame["n"][chosen], (which, frame["source"][chosen])
        deals_behind(total, lambda *page: answer(fairness.behind, *asked, *page), "shuffles", t)
    said = t("p is corrected for all {n} tests of this table by Holm’s method.", n=frame.height)
    st.caption(said)
    # not in the caption: a caption is drawn pale, and a link in it too pale to read
    st.markdown(" · ".join(f"[{t(TESTS[test])}](regles?def=test-{test})" for test in TESTS))


def _repeated(frame: pl.DataFrame, t: Translate) -> None:
    """Deals of the same deck, if any, one below the other, each with its replay."""
    if not frame.height:
        return
    st.header(t("Packs dealt more than once"))
    rows = [
        {
            "open": replay(t("Replay"), row["match_id"], row["number"]),
            t("Pack"): row["deck"],
            t("Times"): row["times"],
            t("Source"): source_name(row["source"], t),
            t("Played on"): day(row["played_at"], t),
            t("Players"): at_table(row),
            t("Deal"): row["number"],
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in readable(frame).iter_rows(named=True)
    ]
    linked(rows, "open-repeated", t("Packs dealt more than once"), t, first=6)
