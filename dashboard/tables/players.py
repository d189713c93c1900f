"""Columns of players at one game, of the ladder, and of two sides against each other."""

from dashboard.games import of
from dashboard.tables.announcements import KIND, TRUMP
from dashboard.text import columns
from dashboard.text.columns import INTERVAL, Column, N, Row, averaged, counted, detailed, shared
from dashboard.text.labels import REASONS, RESULTS
from dashboard.text.numbers import NONE, day
from ingest.i18n import N_, Translate

UNRATED_REASONS = {**REASONS, "faulty": N_("not legal"), "unfinished": N_("unfinished")}
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


def players_columns(game: str) -> tuple[Column, ...]:
    """What the table of players says at one game.

    Of a frame of `queries.players.table` with a `rank` and a `form` in each row.
    """
    return (
        Column(N_("Rank"), rank, "rank"),
        Column(N_("Name"), lambda row, t: row["name"]),
        shared(N_("Share won"), about="share"),
        counted(N_("Matches"), "matches", "match"),
        Column(N_("Form"), form, "form"),
        INTERVAL,
        detailed(counted(N_("Won"), "wins", "won")),
        detailed(counted(of(game).COUNTED_DEALS, "parties", "n")),
        *of(game).PLAYER_COLUMNS,
    )


WON = {
    "one": N_("Won by the first"),
    "other": N_("Won by the second"),
    "third": N_("Won by a third"),
    "nobody": N_("Without a winner"),
    "partners": N_("As partners"),
}
LEADER = {"one": N_("the first"), "other": N_("the second"), None: N_("not sure")}
WINNER = {
    "one": N_("the first"),
    "other": N_("the second"),
    "third": N_("a third"),
    "nobody": N_("nobody"),
    "unfinished": N_("unfinished"),
}
SCORES = {"matches": N_("Matches"), "deals": N_("Deals")}
SERIES = {"one": N_("Longest series of the first"), "other": N_("Longest series of the second")}
NOW = {"one": N_("The first goes on winning"), "other": N_("The second goes on winning")}
WIDEST = {"one": N_("Widest margin of the first"), "other": N_("Widest margin of the second")}


SCORE = (
    Column(N_("Group"), lambda row, t: t(SCORES[row["what"]])),
    counted(WON["one"], "k", "duel"),
    counted(WON["other"], "other_k", "duel"),
    N,
    shared(N_("Share of the first"), about="duel"),
    INTERVAL,
)
LEADS = (
    KIND,
    TRUMP,
    counted(N_("Counted by the first"), "k", "counted"),
    counted(N_("Counted by the second"), "other_k", "counted"),
    N,
    shared(N_("Difference"), "difference", "ahead"),
    columns.wilson(N_("95% interval"), about="ahead", share="difference"),
    Column(N_("Who leads"), lambda row, t: t(LEADER[row["leads"]]), "ahead"),
)


WON_BY = (Column(N_("Won by"), lambda row, t: t(WINNER[row["won"]])),)
LEFT_OUT = (Column(N_("Reason"), lambda row, t: t({**WINNER, **REASONS}[row["reason"]])),)
