"""Two sides against each other: shares, leads, and the columns of their matches."""

from dashboard.tables.announcements import KIND, TRUMP
from dashboard.text.columns import INTERVAL, Column, N, Row, counted, detailed, shared
from dashboard.text.labels import REASONS
from dashboard.text.numbers import percent
from ingest.i18n import N_, Translate

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


def _difference(row: Row, t: Translate) -> str:
    """The interval of a difference of shares."""
    return f"{percent(row['low'], t)} – {percent(row['high'], t)}"


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
    detailed(Column(N_("95% interval"), _difference, "ahead")),
    Column(N_("Who leads"), lambda row, t: t(LEADER[row["leads"]]), "ahead"),
)


WON_BY = (Column(N_("Won by"), lambda row, t: t(WINNER[row["won"]])),)
LEFT_OUT = (Column(N_("Reason"), lambda row, t: t({**WINNER, **REASONS}[row["reason"]])),)
