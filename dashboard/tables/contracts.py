"""Contracts that were bid: by height for all players, by height and suit for one."""

from dashboard.figures.contracts import height
from dashboard.text.columns import INTERVAL, Column, Row, counted, shared, wilson
from engine.cards import SUITS, SYMBOLS
from ingest.i18n import N_, Translate

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
"""A row of `queries.bids.contracts`: what one player bid."""
