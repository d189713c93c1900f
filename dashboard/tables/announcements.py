"""Columns of tables of announcements, a row a kind, trump and plain apart; of bids and shuffles."""

from dashboard.figures.announcements import height, value
from dashboard.games import is_suitless
from dashboard.text import columns
from dashboard.text.columns import INTERVAL, Cell, Column, N, Row, counted, detailed, shared, wilson
from dashboard.text.labels import source_name
from dashboard.text.numbers import NONE, Figure, count_of, decimal, percent
from engine.cards import SUITS, SYMBOLS
from ingest.findings.spoken_notation import kinds
from ingest.i18n import N_, Translate

OF_MISSED = N_("of those unannounced")
TURNED_BETWEEN = N_("95% interval of those")


def _trump(row: Row, t: Translate) -> str:
    if is_suitless(row["kind"]) or row["trump"] is None:
        return NONE
    return t(N_("trump")) if row["trump"] else t(N_("plain"))


KIND = Column(N_("Announcement"), lambda row, t: t(kinds()[row["kind"]]))
TRUMP = Column(N_("Trump"), _trump, "trump")
FACTS = (
    counted(N_("Held"), "held", "held"),
    counted(N_("Announced"), "announced", "announced"),
    counted(N_("Announcements made"), "made", "announcements-made"),
    counted(N_("Shown"), "shown", "shown"),
    counted(N_("Counted"), "counted", "counted"),
)
FINE_INTERVAL = detailed(wilson(N_("95% interval"), digits=2), False)
FREQUENCIES = (
    *(KIND, TRUMP),
    shared(N_("Frequency"), "share", "frequency", 2),
    *(FINE_INTERVAL, *FACTS, N),
)
MISSED = (
    *(KIND, TRUMP),
    shared(N_("Share"), "share", "missed"),
    detailed(INTERVAL, False),
    counted(N_("Unannounced"), "missed", "missed"),
    Column(N_("Announced or not"), lambda row, t: row["n"], "n"),
    Column(N_("Points"), lambda row, t: NONE if row["points"] is None else row["points"], "worth"),
    counted(N_("Partie lost"), "lost", "lost"),
    counted(N_("Would have won"), "turned", "turned"),
    shared(OF_MISSED, "turned_share", "turned"),
    detailed(wilson(TURNED_BETWEEN, "turned_"), False),
)
WINNING = (
    *(KIND, TRUMP),
    counted(N_("Hands with it"), "n", "n"),
    shared(N_("Won with it"), "share", "with"),
    counted(N_("Hands without"), "other_n", "n"),
    shared(N_("Won without"), "other", "with"),
    shared(N_("Difference"), "difference", "with"),
    detailed(wilson(N_("95% interval of it"), about="newcombe", share="other"), False),
)
HABITS = {
    "random": N_("Play any card"),
    "greedy": N_("Announce at once"),
    "careful": N_("Wait for more"),
}
"""What habits of simulated players are called; another goes by its own word."""


def _end(end: str) -> Cell:
    """The least or the most that simulated players have, and which of them."""

    def said(row: Row, t: Translate) -> str:
        habit: str = row[f"{end}_habit"]
        told = f"{percent(row[end], t, 2)} · {t(HABITS.get(habit, habit))}"
        return Figure(told, row[end])

    return said


DEALT = (
    *(KIND, TRUMP),
    counted(N_("Dealt"), "k", "dealt"),
    Column(N_("Hands dealt"), lambda row, t: row["n"], "dealt"),
    columns.finely_shared(N_("Share"), "share", "dealt"),
    detailed(wilson(N_("95% interval"), digits=3), False),
    columns.finely_shared(N_("Probability"), "chance", "chance"),
    shared(N_("Difference"), "difference", "chance", 3),
)
HELD = (
    *(KIND, TRUMP),
    counted(N_("Count"), "k", "frequency"),
    N,
    shared(N_("Frequency"), "share", "frequency", 2),
    FINE_INTERVAL,
    Column(N_("Simulated, least"), _end("least"), "habits"),
    Column(N_("Simulated, most"), _end("most"), "habits"),
)
RESTING = {OF_MISSED: "missed", TURNED_BETWEEN: "missed", N_("Won without"): "other_n"}
"""Columns that rest on another number than `n`."""
KEYS = {
    **{"kind": N_("Kind"), "trick": N_("Trick"), "phase": N_("Phase")},
    **{"lead": N_("On lead or second"), "player": N_("Player"), "event": N_("Event")},
    "month": N_("Month"),
}
"""What frequencies may be told apart by, and what its column is called."""
WORDS = {
    **{"counted": N_("Counted"), "shown": N_("Shown"), "announced": N_("Announced")},
    "held": N_("Held"),
}
"""What may have become of an announcement: each is a fact that is counted."""
BESIDE = {"dealt": N_("Dealt"), **WORDS}
"""The same and what hands are dealt, which chance alone decides."""


def by_key(columns: tuple[Column, ...], key: str | None) -> tuple[Column, ...]:
    """Columns of one kind told apart by a key: the key first, the kind last. None: as they are."""
    if key is None:
        return columns
    about = key if key in ("phase", "lead") else None
    return (Column(KEYS[key], lambda row, t: value(key, row[key], t), about), *columns[1:], KIND)


PER_DEAL = N_("95% interval per deal")


def contract(row: Row, t: Translate) -> str:
    """What a row counts: a height, a suit, both, doubled or not."""
    if row["by"] == "coinched":
        return t(N_("Coinched")) if row["doubled"] else t(N_("Not coinched"))
    # beside suits a height stays text; padded, it is sorted as a number all the same
    level = row["level"]
    parts = (
        [] if level is None else [height(level, t, row.get("game")).rjust(3, "\N{FIGURE SPACE}")]
    )
    if row["suit"] is not None:
        parts.append(SYMBOLS[SUITS[row["suit"]]])
    return " ".join(parts) or t(N_("All contracts"))


BY_HEIGHT = (
    Column(N_("Contract"), lambda row, t: height(row["level"], t, row["game"])),
    shared(N_("Share made"), about="made"),
    INTERVAL,
    counted(N_("Made"), "made", "made"),
    counted("n", "decided", "n"),
    counted(N_("Taken"), "taken", "taken"),
    shared(N_("Per deal"), "taken_share", "taken"),
    wilson(PER_DEAL, "taken_"),
    counted(N_("Coinched"), "coinched", "coinched"),
)
"""A row of `queries.contracts.contracts` with its `game`: a height, by whomever it was bid."""
BID = (
    Column(N_("Contract"), contract),
    shared(N_("Share made"), about="made"),
    INTERVAL,
    counted(N_("Made"), "made", "made"),
    counted(N_("Failed"), "failed", "made"),
    counted("n", "decided", "n"),
    counted(N_("Coinched"), "coinched", "coinched"),
    counted(N_("Taken"), "taken", "per-deal"),
    shared(N_("Per deal"), "taken_share", "per-deal"),
    wilson(PER_DEAL, "taken_"),
)
"""A row of `queries.results.contracts`: what one player bid."""


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


SHUFFLES = (
    Column(N_("Source"), lambda row, t: source_name(row["source"], t), "shuffle"),
    Column(
        N_("Verdict"), lambda row, t: t(N_("no alarm")) if row["fair"] else t(N_("alarm")), "holm"
    ),
    Column(N_("Test"), lambda row, t: t(TESTS[row["test"]])),
    Column(N_("p by Holm"), lambda row, t: chance_of(row["corrected"], t), "holm"),
    Column("p", lambda row, t: chance_of(row["p"], t), "p"),
    Column(N_("Statistic"), _statistic, "test-cards"),
    counted("n", "n", "n"),
)
"""A row of `queries.fairness.tests`: a test of a source's shuffle."""
