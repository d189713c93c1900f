"""The tests of shuffles on a page: a verdict in words, a table, the decks that came again."""

import polars as pl
import streamlit as st

from dashboard.queries import fairness
from dashboard.queries.fairness import ALARM, ENOUGH, MOST
from dashboard.queries.scope import Scope
from dashboard.tables.profile import Column, Row, counted, reasons
from dashboard.text.numbers import Figure, against, count_of, day, decimal
from dashboard.widgets.grid import deals_behind, grid, replay_table
from dashboard.widgets.language import markdown
from dashboard.widgets.metrics import OUT, behind
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate

UNSAID = N_("no source named")
TESTS = {
    "cards": N_("Cards by place"),
    "points": N_("Points of the first hand"),
    "repeats": N_("Decks dealt before"),
}
STATISTICS = {"cards": "χ²", "points": "z", "repeats": "n"}


def source_of(name: str | None, t: Translate) -> str:
    """A source's name as the logs have it, or that they name none."""
    return t(UNSAID) if name is None else name


def _statistic(row: Row, t: Translate) -> str:
    if row["test"] == "repeats":
        return count_of(int(row["statistic"]), t)
    return f"{STATISTICS[row['test']]} = {decimal(row['statistic'], t, 2)}"


def chance_of(p: float, t: Translate) -> str:
    """A p-value; below a thousandth no digits of it mean anything."""
    return Figure(f"< {decimal(0.001, t, 3)}", p) if p < 0.001 else decimal(p, t, 3)


COLUMNS = (
    Column(N_("Source"), lambda row, t: source_of(row["source"], t), "shuffle"),
    Column(N_("Test"), lambda row, t: t(TESTS[row["test"]])),
    Column(
        N_("Verdict"),
        lambda row, t: t(N_("no alarm")) if row["fair"] else t(N_("alarm")),
        "holm",
    ),
    Column(N_("p by Holm"), lambda row, t: chance_of(row["corrected"], t), "holm"),
    Column("p", lambda row, t: chance_of(row["p"], t), "p"),
    Column(N_("Statistic"), _statistic, "test-cards"),
    counted("n", "n", "n"),
)


def verdict(frame: pl.DataFrame, t: Translate) -> None:
    """What the tests come to, a sentence for each source that fails one."""
    tested = frame["source"].n_unique()
    for (source,), part in frame.group_by("source", maintain_order=True):
        failed = [t(TESTS[test]) for test in part.filter(~pl.col("fair"))["test"]]
        if failed:
            st.warning(
                t(
                    "**{source}**: a fair shuffle would hardly give these decks. Failed: {tests}.",
                    source=markdown(source_of(None if source is None else str(source), t)),
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


def table(which: Scope, frame: pl.DataFrame, t: Translate) -> None:
    """Every test of every source; a row that is chosen lists the deals it looked at."""
    rows = [
        {t(one.label): one.tell(row, t) for one in COLUMNS} for row in frame.iter_rows(named=True)
    ]
    alt = t("Tests of shuffles")
    chosen = grid(rows, COLUMNS, [False] * frame.height, "shuffles", alt, t, opens=True)
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
            out=reasons(out, t),
        )
    )
    n = int(out["deals"].sum())
    if n and behind({OUT: t("Left out: {n}", n=count_of(n, t))}, "untested", t):
        deals_behind(n, lambda *page: answer(fairness.untested, which, *page), "untested", t)


def repeated(frame: pl.DataFrame, t: Translate) -> None:
    """Deals of the same deck, one below the other, each with its replay."""
    st.header(t("Decks dealt more than once"))
    rows = [
        {
            "open": t("Replay"),
            t("Deck"): row["deck"],
            t("Times"): row["times"],
            t("Source"): source_of(row["source"], t),
            t("Played on"): day(row["played_at"], t),
            t("Players"): against(row["names"], row["game"]),
            t("Deal"): row["number"],
            t("Id"): row["log_id"] or row["match_id"][:8],
        }
        for row in frame.iter_rows(named=True)
    ]
    links = frame.select("match_id", "number").rows()
    replay_table(rows, links, "open-repeated", t("Decks dealt more than once"), t)
