"""Columns of tables of players, of the ladder and of head to head."""

from dashboard.games import game_view
from dashboard.tables.announcement_tables import KIND_COLUMN, TRUMP_COLUMN
from dashboard.text import columns
from dashboard.text.labels import EXCLUSION_LABELS, RESULT_LETTERS
from dashboard.text.numbers import NO_VALUE, SortableText, date_text, decimal_interval_text
from ingest.i18n import N_, Translate

UNRATED_REASONS = {**EXCLUSION_LABELS, "faulty": N_("not legal"), "unfinished": N_("not finished")}
UNRATED_COLUMNS = (columns.Column(N_("Reason"), lambda row, t: t(UNRATED_REASONS[row["reason"]])),)
"""The reason why a match is not rated."""


def rank_text(row: columns.Row, t: Translate) -> str | int:
    """Return a rank on the ladder; a dash for a player without one."""
    return NO_VALUE if row["rank"] is None else int(row["rank"])


def form_text(row: columns.Row, t: Translate) -> str:
    """Return the results of the last matches, the latest last: `W L W`."""
    return " ".join(t(RESULT_LETTERS[one]) for one in row["form"] or ()) or NO_VALUE


RATING_COLUMNS = (
    columns.decimal_column(N_("At least (μ − 3σ)"), "value", "at-least"),
    columns.decimal_column("μ", "mu", "rating"),
    columns.decimal_column("σ", "sigma", "sigma"),
)


def level_text(row: columns.Row, t: Translate) -> str:
    """Return the interval of a player's level, in the order of its low end."""
    low, high = row["value"], 2 * row["mu"] - row["value"]
    return SortableText(decimal_interval_text(low, high, t), low)


LEVEL_COLUMN = columns.Column(N_("Level (μ ± 3σ)"), level_text, "at-least")
"""The interval in a row of the page, in the order of the ladder."""
LADDER_COLUMNS = (
    columns.Column(N_("Rank"), rank_text, "rank"),
    columns.Column(N_("Name"), lambda row, t: row["name"]),
    columns.share_column(N_("Matches won"), about="rated-share"),
    columns.count_column(N_("Matches rated"), "n", "rated"),
    columns.Column(N_("Form"), form_text, "form"),
    *map(columns.as_detail, RATING_COLUMNS),
    columns.as_detail(columns.count_column(N_("Rated matches won"), "wins", "rated")),
    columns.Column(
        N_("Standing"),
        lambda row, t: t(N_("provisional")) if row["provisional"] else t(N_("established")),
        "provisional",
    ),
    columns.Column(N_("Last match"), lambda row, t: date_text(row["last"], t)),
)
"""A player: a row of `queries.ladder.ladder_standings` with a `form`."""
RATED_MATCH_COLUMNS = (
    columns.Column(N_("Result"), lambda row, t: t(RESULT_LETTERS[row["won"]])),
    columns.Column(N_("Rank"), lambda row, t: row["rank"]),
    *RATING_COLUMNS,
)
"""One player's match: the result and the rating after it."""


def players_columns(game: str, by_probable: bool = False) -> tuple[columns.Column, ...]:
    """Return the columns of the table of players for one game.

    The rows come from `queries.players.players_table`, with a `rank` and a `form` each.
    `by_probable`: they are sorted by `probable`, which is then always shown.
    """
    probable = columns.share_column(N_("Probably"), "probable", "probably")
    return (
        columns.Column(N_("Rank"), rank_text, "rank"),
        columns.Column(N_("Name"), lambda row, t: row["name"]),
        columns.share_column(N_("Deals won"), about="share"),
        *([probable] if by_probable else []),
        columns.count_column(N_("Matches"), "matches", "match"),
        columns.Column(N_("Form"), form_text, "form"),
        columns.INTERVAL_COLUMN,
        *([] if by_probable else [columns.as_detail(probable)]),
        columns.as_detail(columns.count_column(N_("Won"), "wins", "won")),
        columns.as_detail(columns.count_column(game_view(game).COUNTED_DEALS, "decided_deals", "n")),
        *game_view(game).PLAYER_COLUMNS,
    )


WON_HEADINGS = {
    "first": N_("Won by {first}"),
    "second": N_("Won by {second}"),
    "third": N_("Won by a third"),
    "nobody": N_("Without a winner"),
    "partners": N_("As partners"),
}
LEADER_LABELS = {"first": "{first}", "second": "{second}", None: N_("not sure")}
WINNER_LABELS = {
    "first": "{first}",
    "second": "{second}",
    "third": N_("a third"),
    "nobody": N_("no one"),
    "unfinished": N_("unfinished"),
}
SCORE_LABELS = {"matches": N_("Matches"), "deals": N_("Deals")}
SERIES_LABELS = {"first": N_("Longest series: {first}"), "second": N_("Longest series: {second}")}
CURRENT_SERIES_LABELS = {"first": N_("Current series: {first}"), "second": N_("Current series: {second}")}
WIDEST_LABELS = {"first": N_("Widest margin: {first}"), "second": N_("Widest margin: {second}")}


SCORE_COLUMNS = (
    columns.Column(N_("Group"), lambda row, t: t(SCORE_LABELS[row["figure"]])),
    columns.count_column(WON_HEADINGS["first"], "k", "duel"),
    columns.count_column(WON_HEADINGS["second"], "second_k", "duel"),
    columns.N_COLUMN,
    columns.share_column(N_("% won by {first}"), about="duel"),
    columns.INTERVAL_COLUMN,
)
LEAD_COLUMNS = (
    KIND_COLUMN,
    TRUMP_COLUMN,
    columns.count_column(N_("Counted by {first}"), "k", "counted"),
    columns.count_column(N_("Counted by {second}"), "second_k", "counted"),
    columns.N_COLUMN,
    columns.share_column(N_("Difference"), "difference", "ahead"),
    columns.share_interval_column(N_("95% interval"), about="ahead", share="difference"),
    columns.Column(N_("In the lead"), lambda row, t: t(LEADER_LABELS[row["leads"]]), "ahead"),
)


WON_BY_COLUMNS = (columns.Column(N_("Won by"), lambda row, t: t(WINNER_LABELS[row["won"]])),)
EXCLUDED_COLUMNS = (
    columns.Column(N_("Reason"), lambda row, t: t({**WINNER_LABELS, **EXCLUSION_LABELS}[row["reason"]])),
)
