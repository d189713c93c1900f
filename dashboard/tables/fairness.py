"""The tests of each source's shuffle, as `queries.fairness.tests` has them."""

from dashboard.text.columns import Column, Row, counted
from dashboard.text.labels import source_name
from dashboard.text.numbers import Figure, count_of, decimal
from ingest.i18n import N_, Translate

TESTS = {
    "cards": N_("Cards by place"),
    "points": N_("Points of the first hand"),
    "repeats": N_("Packs dealt before"),
}
STATISTICS = {"cards": "χ²", "points": "z", "repeats": "n"}


def _statistic(row: Row, t: Translate) -> str:
    if row["test"] == "repeats":
        return count_of(int(row["statistic"]), t)
    return f"{STATISTICS[row['test']]} = {decimal(row['statistic'], t, 2)}"


def chance_of(p: float, t: Translate) -> str:
    """A p-value; below a thousandth no digits of it mean anything."""
    return Figure(f"< {decimal(0.001, t, 3)}", p) if p < 0.001 else decimal(p, t, 3)


COLUMNS = (
    Column(N_("Source"), lambda row, t: source_name(row["source"], t), "shuffle"),
    Column(
        N_("Verdict"),
        lambda row, t: t(N_("no alarm")) if row["fair"] else t(N_("alarm")),
        "holm",
    ),
    Column(N_("Test"), lambda row, t: t(TESTS[row["test"]])),
    Column(N_("p by Holm"), lambda row, t: chance_of(row["corrected"], t), "holm"),
    Column("p", lambda row, t: chance_of(row["p"], t), "p"),
    Column(N_("Statistic"), _statistic, "test-cards"),
    counted("n", "n", "n"),
)
