"""The ladder: one row a player, and one row a match, rated or not."""

from dashboard.text.columns import Column, averaged, counted
from dashboard.text.numbers import day, yes_or_no
from ingest.i18n import N_

UNRATED_REASONS = {
    "faulty": N_("not legal"),
    "unfinished": N_("unfinished"),
    "undated": N_("without a date"),
}
UNRATED = (Column(N_("Reason"), lambda row, t: t(UNRATED_REASONS[row["reason"]])),)
"""A match that is not rated: why."""
LADDER = (
    Column(N_("Rank"), lambda row, t: row["rank"], "rank"),
    Column(N_("Name"), lambda row, t: row["name"]),
    averaged(N_("At least (μ − 3σ)"), "value", "at-least"),
    averaged("μ", "mu", "rating"),
    averaged("σ", "sigma", "sigma"),
    Column(
        N_("Standing"),
        lambda row, t: t(N_("provisional")) if row["provisional"] else t(N_("established")),
        "provisional",
    ),
    counted(N_("Matches"), "n", "rated"),
    counted(N_("Won"), "wins", "rated"),
    Column(N_("Played last on"), lambda row, t: day(row["last"], t)),
)
"""A player: a row of `queries.ladder.standings`."""
RATED = (
    Column(N_("Won"), lambda row, t: yes_or_no(row["won"], t)),
    Column(N_("Place"), lambda row, t: row["rank"]),
    averaged(N_("At least (μ − 3σ)"), "value", "at-least"),
    averaged("μ", "mu", "rating"),
    averaged("σ", "sigma", "sigma"),
)
"""A match of one player: the result and the rating after it."""
