"""The tests of shuffles on a page: a verdict in words, a table, the decks that came again."""

import polars as pl
import streamlit as st

from dashboard.queries import fairness
from dashboard.queries.fairness import ALARM, ENOUGH, MOST
from dashboard.queries.scope import Scope
from dashboard.tables.fairness import COLUMNS, TESTS
from dashboard.tables.profile import reasons_line
from dashboard.text.labels import source_name
from dashboard.text.numbers import count_of, day, decimal, markdown
from dashboard.widgets.linked import at_table, frame_grid, linked
from dashboard.widgets.matches import deals_behind, replay
from dashboard.widgets.metrics import left_out_list
from dashboard.widgets.store import answer, readable
from ingest.i18n import Translate


def verdict(frame: pl.DataFrame, t: Translate) -> None:
    """What the tests come to, a sentence for each source that fails one."""
    tested = frame["source"].n_unique()
    for (source,), part in readable(frame).group_by("source", maintain_order=True):
        failed = [t(TESTS[test]) for test in part.filter(~pl.col("fair"))["test"]]
        if failed:
            st.warning(
                t(
                    "**{source}**: a fair shuffle would hardly give these packs. Failed: {tests}.",
                    source=markdown(source_name(None if source is None else str(source), t)),
                    tests=", ".join(failed),
                ),
                icon=":material/warning:",
            )
    if frame["fair"].all():
        st.success(
            t(
                "Nothing speaks against a fair shuffle. Sources tested: {n}, tests: {tests}, "
                "alarm under a corrected p of {alarm}.",
                n=tested,
                tests=frame.height,
                alarm=decimal(ALARM, t, 2),
            ),
            icon=":material/check_circle:",
        )


def tests_table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """Every test of every source; a row that is open lists the deals it looked at."""
    chosen = frame_grid(frame, COLUMNS, "shuffles", t("Tests of shuffles"), t, "n", None)
    if chosen is not None:
        asked = (which, frame["source"][chosen])
        total = frame["n"][chosen]
        deals_behind(total, lambda *page: answer(fairness.behind, *asked, *page), "shuffles", t)
    st.caption(
        t("p is corrected for all {n} tests of this table by Holm’s method.", n=frame.height)
    )
    # not in the caption: a caption is drawn pale, and a link in it too pale to read
    st.markdown(" · ".join(f"[{t(TESTS[test])}](regles?def=test-{test})" for test in TESTS))


def untested(which: Scope, t: Translate) -> None:
    """The deals that are not tested and why; the list of them, when it is asked for."""
    out = answer(fairness.left_out, which)
    st.caption(
        t(
            "Of each source the {most} deals added last are looked at, and those with all cards "
            "known are tested from {least} on; left out: {out}.",
            most=count_of(MOST, t),
            least=ENOUGH,
            out=reasons_line(out, t),
        )
    )
    n = int(out["deals"].sum())
    if left_out_list(n, "untested", t):
        deals_behind(n, lambda *page: answer(fairness.untested, which, *page), "untested", t)


def repeated(frame: pl.DataFrame, t: Translate) -> None:
    """Deals of the same deck, one below the other, each with its replay."""
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
