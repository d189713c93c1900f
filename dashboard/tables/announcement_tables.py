"""Columns of tables of announcements, bids and shuffles."""

from dashboard.figures.announcement_charts import bid_label, strain_label, value_label
from dashboard.games import is_suitless
from dashboard.text import columns
from dashboard.text.columns import (
    INTERVAL_COLUMN,
    N_COLUMN,
    Cell,
    Column,
    Row,
    as_detail,
    count_column,
    share_column,
    share_interval_column,
)
from dashboard.text.labels import source_name
from dashboard.text.numbers import NO_VALUE, SortableText, decimal_text, format_count, percent_text
from ingest.findings.spoken_notation import announcement_kinds
from ingest.i18n import N_, Translate

MISSED_HEADING = N_("of those unannounced")
WOULD_HAVE_WON_INTERVAL = N_("95% interval of those")


def _trump_text(row: Row, t: Translate) -> str:
    if is_suitless(row["kind"]) or row["trump"] is None:
        return NO_VALUE
    return t(N_("trump")) if row["trump"] else t(N_("plain"))


KIND_COLUMN = Column(N_("Announcement"), lambda row, t: t(announcement_kinds()[row["kind"]]))
TRUMP_COLUMN = Column(N_("Trump"), _trump_text, "trump")
FACT_COLUMNS = (
    count_column(N_("Held"), "held", "held"),
    count_column(N_("Announced"), "announced", "announced"),
    count_column(N_("Announcements made"), "announcements_made", "announcements-made"),
    count_column(N_("Shown"), "shown", "shown"),
    count_column(N_("Counted"), "counted", "counted"),
)
FINE_INTERVAL = as_detail(share_interval_column(N_("95% interval"), digits=2), False)
FREQUENCY_COLUMNS = (
    *(KIND_COLUMN, TRUMP_COLUMN),
    share_column(N_("Frequency"), "share", "frequency", 2),
    *(FINE_INTERVAL, *FACT_COLUMNS, N_COLUMN),
)
MISSED_COLUMNS = (
    *(KIND_COLUMN, TRUMP_COLUMN),
    share_column(N_("Share"), "share", "missed"),
    as_detail(INTERVAL_COLUMN, False),
    count_column(N_("Unannounced"), "missed", "missed"),
    Column(N_("Announced or not"), lambda row, t: row["n"], "n"),
    Column(N_("Points"), lambda row, t: NO_VALUE if row["points"] is None else row["points"], "worth"),
    count_column(N_("Partie lost"), "lost", "lost"),
    count_column(N_("Would have won"), "would_have_won", "would-have-won"),
    share_column(MISSED_HEADING, "would_have_won_share", "would-have-won"),
    as_detail(share_interval_column(WOULD_HAVE_WON_INTERVAL, "would_have_won_"), False),
)
WINNING_COLUMNS = (
    *(KIND_COLUMN, TRUMP_COLUMN),
    count_column(N_("Hands with it"), "n", "n"),
    share_column(N_("Won with it"), "share", "with"),
    count_column(N_("Hands without"), "n_without", "n"),
    share_column(N_("Won without"), "share_without", "with"),
    share_column(N_("Difference"), "difference", "with"),
    as_detail(
        share_interval_column(N_("95% interval of it"), about="newcombe", share="share_without"), False
    ),
)
HABIT_LABELS = {
    "random": N_("Play any card"),
    "greedy": N_("Announce at once"),
    "careful": N_("Wait for more"),
}
"""Names of the habits of simulated players; others are shown by their key."""


def _habit_cell(end: str) -> Cell:
    """Return a cell for the `least` or `most` share of simulated players, and its habit."""

    def label(row: Row, t: Translate) -> str:
        habit: str = row[f"{end}_habit"]
        return SortableText(f"{percent_text(row[end], t, 2)} · {t(HABIT_LABELS.get(habit, habit))}", row[end])

    return label


DEALT_COLUMNS = (
    *(KIND_COLUMN, TRUMP_COLUMN),
    count_column(N_("Dealt"), "k", "dealt"),
    Column(N_("Hands dealt"), lambda row, t: row["n"], "dealt"),
    columns.fine_share_column(N_("Share"), "share", "dealt"),
    as_detail(share_interval_column(N_("95% interval"), digits=3), False),
    columns.fine_share_column(N_("Probability"), "chance", "chance"),
    share_column(N_("Difference"), "difference", "chance", 3),
)
HABIT_COLUMNS = (
    *(KIND_COLUMN, TRUMP_COLUMN),
    count_column(N_("Count"), "k", "frequency"),
    N_COLUMN,
    share_column(N_("Frequency"), "share", "frequency", 2),
    FINE_INTERVAL,
    Column(N_("Simulated, minimum"), _habit_cell("least"), "habits"),
    Column(N_("Simulated, maximum"), _habit_cell("most"), "habits"),
)
SAMPLE_COLUMNS = {MISSED_HEADING: "missed", WOULD_HAVE_WON_INTERVAL: "missed", N_("Won without"): "n_without"}
"""Columns whose sample size is not `n` → the column that holds it."""
KEY_LABELS = {
    **{"kind": N_("Kind"), "trick": N_("Trick"), "phase": N_("Phase")},
    **{"lead": N_("On lead or second"), "player": N_("Player"), "event": N_("Event")},
    "month": N_("Month"),
}
"""Keys that group frequencies → the heading of their column."""
FACT_LABELS = {
    **{"counted": N_("Counted"), "shown": N_("Shown"), "announced": N_("Announced")},
    "held": N_("Held"),
}
"""Facts counted about announcements → their names."""
CHANCE_LABELS = {"dealt": N_("Dealt"), **FACT_LABELS}
"""FACT_LABELS and hands as dealt, which only chance decides."""


def keyed_columns(columns: tuple[Column, ...], key: str | None) -> tuple[Column, ...]:
    """Return the columns grouped by a key: the key first, the kind last. None: unchanged."""
    if key is None:
        return columns
    about = key if key in ("phase", "lead") else None
    return (
        Column(KEY_LABELS[key], lambda row, t: value_label(key, row[key], t), about),
        *columns[1:],
        KIND_COLUMN,
    )


PER_DEAL_INTERVAL = N_("95% interval per deal")


def contract_text(row: Row, t: Translate) -> str:
    """Return the group a row counts: a level, a suit, both, doubled or not."""
    if row["by"] == "coinched":
        return t(N_("Doubled")) if row["is_coinched"] else t(N_("Not doubled"))
    # with a suit, a level stays text; the padding makes it sort as a number
    level = row["level"]
    parts = [] if level is None else [bid_label(level, t, row.get("game")).rjust(3, "\N{FIGURE SPACE}")]
    if row["suit"] is not None:
        parts.append(strain_label(row["suit"], t, row.get("game")))
    return " ".join(parts) or t(N_("All contracts"))


HEIGHT_COLUMNS = (
    Column(N_("Contract"), lambda row, t: bid_label(row["level"], t, row["game"])),
    share_column(N_("Success rate"), about="made"),
    INTERVAL_COLUMN,
    count_column(N_("Made"), "made", "made"),
    count_column("n", "decided", "n"),
    count_column(N_("Taken"), "taken", "taken"),
    share_column(N_("Per deal"), "taken_share", "taken"),
    share_interval_column(PER_DEAL_INTERVAL, "taken_"),
    count_column(N_("Doubled"), "contracts_coinched", "coinched"),
)
"""A row of `queries.contracts.contracts` with its `game`: a level, by any declarer."""
BID_COLUMNS = (
    Column(N_("Contract"), contract_text),
    share_column(N_("Success rate"), about="made"),
    INTERVAL_COLUMN,
    count_column(N_("Made"), "made", "made"),
    count_column(N_("Failed"), "failed", "made"),
    count_column("n", "decided", "n"),
    count_column(N_("Doubled"), "contracts_coinched", "coinched"),
    count_column(N_("Taken"), "taken", "per-deal"),
    share_column(N_("Per deal"), "taken_share", "per-deal"),
    share_interval_column(PER_DEAL_INTERVAL, "taken_"),
)
"""A row of `queries.results.bid_contracts`: one player's bids."""
DEFENCE_COLUMNS = (
    Column(N_("Contract"), contract_text),
    share_column(N_("Defeated"), about="defeated"),
    INTERVAL_COLUMN,
    count_column(N_("Failed"), "failed", "defeated"),
    count_column(N_("Made"), "made", "made"),
    count_column("n", "decided", "n"),
    count_column(N_("Doubled"), "contracts_coinched", "coinched"),
    count_column(N_("Defended"), "taken", "defended"),
    share_column(N_("Per deal"), "taken_share", "defended"),
    share_interval_column(PER_DEAL_INTERVAL, "taken_"),
)
"""A row of `queries.results.defended_contracts`: the other team's bids."""


TEST_LABELS = {
    "cards": N_("Cards by place"),
    "points": N_("Points of the first hand"),
    "repeats": N_("Packs dealt before"),
}
STATISTIC_SYMBOLS = {"cards": "χ²", "points": "z", "repeats": "n"}


def _statistic_text(row: Row, t: Translate) -> str:
    if row["test"] == "repeats":
        return format_count(int(row["statistic"]), t)
    return f"{STATISTIC_SYMBOLS[row['test']]} = {decimal_text(row['statistic'], t, 2)}"


def p_value_text(p: float, t: Translate) -> str:
    """Return a p-value as text; below a thousandth its digits mean nothing."""
    return SortableText(f"< {decimal_text(0.001, t, 3)}", p) if p < 0.001 else decimal_text(p, t, 3)


SHUFFLE_COLUMNS = (
    Column(N_("Source"), lambda row, t: source_name(row["source"], t), "shuffle"),
    Column(N_("Test"), lambda row, t: t(TEST_LABELS[row["test"]])),
    Column(N_("Verdict"), lambda row, t: t(N_("no alarm")) if row["fair"] else t(N_("alarm")), "holm"),
    Column(N_("p by Holm"), lambda row, t: p_value_text(row["corrected"], t), "holm"),
    Column("p", lambda row, t: p_value_text(row["p"], t), "p"),
    Column(N_("Statistic"), _statistic_text, "test-cards"),
    count_column("n", "n", "n"),
)
"""A row of `queries.fairness.fairness_tests`: a test of a source's shuffle."""
