"""The ladder: one row a player, and one row a match, rated or not."""

from dashboard.text.columns import Column, Row, averaged, counted, detailed, shared
from dashboard.text.labels import RESULTS
from dashboard.text.numbers import NONE, day
from ingest.i18n import N_, Translate

UNRATED_REASONS = {
    "sheet": N_("on score sheets"),
    "faulty": N_("not legal"),
    "unfinished": N_("unfinished"),
    "undated": N_("without a date"),
    "doubled": N_("on sheets beside a log"),
}
UNRATED = (Column(N_("Reason"), lambda row, t: t(UNRATED_REASONS[row["reason"]])),)
"""A match that is not rated: why."""


def rank(row: Row, t: Translate) -> str | int:
    """A place on the ladder; a dash for who has none."""
    return NONE if row["rank"] is None else int(row["rank"])


def form(row: Row, t: Translate) -> str:
    """The results of the last matches, the latest last: `W L W`."""
    return " ".join(t(RESULTS[one]) for one in row["form"] or ()) or NONE


MEASURES = (
    averaged(N_("At least (μ − 3σ)"), "value", "at-least"),
    averaged("μ", "mu", "rating"),
    averaged("σ", "sigma", "sigma"),
)
LADDER = (
    Column(N_("Rank"), rank, "rank"),
    Column(N_("Name"), lambda row, t: row["name"]),
    shared(N_("Share won"), about="rated-share"),
    counted(N_("Matches"), "n", "rated"),
    Column(N_("Form"), form, "form"),
    *map(detailed, MEASURES),
    detailed(counted(N_("Won"), "wins", "rated")),
    Column(
        N_("Standing"),
        lambda row, t: t(N_("provisional")) if row["provisional"] else t(N_("established")),
        "provisional",
    ),
    Column(N_("Played last on"), lambda row, t: day(row["last"], t)),
)
"""A player: a row of `queries.ladder.standings` with a `form`."""
RATED = (
    Column(N_("Result"), lambda row, t: t(RESULTS[row["won"]])),
    Column(N_("Rank"), lambda row, t: row["rank"]),
    *MEASURES,
)
"""A match of one player: the result and the rating after it."""
