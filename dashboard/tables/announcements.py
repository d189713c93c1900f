"""What tables of announcements say of each row; no Streamlit."""

from dashboard.figures import percent
from dashboard.figures.announcements import value
from dashboard.tables.profile import Column, N, Row, Tell, counted
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate

SUITLESS = ("quinte", "trente")
TURNED = N_("Would have won")
OF_MISSED = N_("of those missed")
TURNED_BETWEEN = N_("95% interval of those")


def _trump(row: Row, t: Translate) -> str:
    if row["kind"] in SUITLESS:
        return "–"
    return t(N_("trump")) if row["trump"] else t(N_("plain"))


def _between(low: str, high: str, digits: int, n: str = "n") -> Tell:
    def tell(row: Row, t: Translate) -> str:
        if not row[n]:
            return "–"
        return f"{percent(row[low], t, digits)} – {percent(row[high], t, digits)}"

    return tell


def _share(key: str, digits: int) -> Tell:
    return lambda row, t: "–" if row[key] is None else percent(row[key], t, digits)


KIND = Column(N_("Announcement"), lambda row, t: t(KINDS[row["kind"]]))
TRUMP = Column(N_("Trump"), _trump)
FACTS = (
    counted(N_("Held"), "held", "held"),
    counted(N_("Announced"), "announced", "announced"),
    counted(N_("Shown"), "shown", "shown"),
    counted(N_("Counted"), "counted", "counted"),
)
INTERVAL = Column(N_("95% interval"), _between("low", "high", 2), "interval")
FREQUENCIES = (
    *(KIND, TRUMP),
    Column(N_("Frequency"), _share("share", 2), "frequency"),
    *(INTERVAL, *FACTS, N),
)
MISSED = (
    *(KIND, TRUMP),
    Column(N_("Share"), _share("share", 1), "missed"),
    Column(N_("95% interval"), _between("low", "high", 1), "interval"),
    counted(N_("Missed"), "missed", "missed"),
    Column(N_("Said or missed"), lambda row, t: row["n"], "n"),
    Column(N_("Points"), lambda row, t: "–" if row["points"] is None else row["points"], "worth"),
    counted(N_("Partie lost"), "lost", "lost"),
    counted(TURNED, "turned", "turned"),
    Column(OF_MISSED, _share("turned_share", 1), "turned"),
    Column(TURNED_BETWEEN, _between("turned_low", "turned_high", 1, "missed"), "interval"),
)
WINNING = (
    *(KIND, TRUMP),
    counted(N_("Hands with it"), "n", "n"),
    Column(N_("Won with it"), _share("share", 1), "with"),
    counted(N_("Hands without"), "other_n", "n"),
    Column(N_("Won without"), _share("other", 1), "with"),
    Column(N_("Difference"), _share("difference", 1), "with"),
    Column(N_("95% interval of it"), _between("low", "high", 1, "other_n"), "newcombe"),
)
CHANCE = (
    *(KIND, TRUMP),
    counted(N_("How many"), "k", "frequency"),
    N,
    Column(N_("Frequency"), _share("share", 2), "frequency"),
    Column(N_("By chance"), _share("chance", 2), "chance"),
    Column(N_("Difference"), _share("difference", 2), "chance"),
    Column(N_("95% interval of it"), _between("low", "high", 2), "newcombe"),
)
RESTING = {OF_MISSED: "missed", TURNED_BETWEEN: "missed", N_("Won without"): "other_n"}
"""Columns that rest on another number than `n`."""
KEYS = {
    "kind": N_("Kind"),
    "trick": N_("Trick"),
    "phase": N_("Phase"),
    "lead": N_("Leader or follower"),
    "player": N_("Player"),
    "event": N_("Event"),
    "month": N_("Month"),
}
"""What frequencies may be told apart by, and what its column is called."""
WORDS = {
    "counted": N_("Counted"),
    "shown": N_("Shown"),
    "announced": N_("Announced"),
    "held": N_("Held"),
}


def told_apart(columns: tuple[Column, ...], key: str | None) -> tuple[Column, ...]:
    """The columns with one for a key first, and last the announcement, the same in each row."""
    if key is None:
        return columns
    about = key if key in ("phase", "lead") else None
    return (Column(KEYS[key], lambda row, t: value(key, row[key], t), about), *columns[1:], KIND)
