"""What `queries.profile.sections` found, told in columns: on the page and in the terminal alike."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from dashboard.figures import percent
from dashboard.figures.contracts import height
from dashboard.queries.intervals import FEW
from dashboard.text.numbers import Figure, against, count_of, day, decimal
from engine.cards import SUITS, SYMBOLS
from engine.chouineurs.bids import PUBLISHED
from ingest.i18n import N_, Translate

Row = Mapping[str, Any]
Tell = Callable[[Row, Translate], str | int]


class Column(NamedTuple):
    """A heading, what stands below it, and the key of its definition."""

    label: str
    tell: Tell
    about: str | None = None


def counted(label: str, key: str, about: str | None = None) -> Column:
    """A column of whole numbers."""
    return Column(label, lambda row, t: row[key], about)


def shared(label: str, key: str = "share", about: str | None = None) -> Column:
    """A column of shares; a dash where nothing was seen."""
    return Column(label, lambda row, t: "–" if row[key] is None else percent(row[key], t), about)


def averaged(label: str, key: str, about: str | None = None) -> Column:
    """A column of numbers with a decimal."""
    return Column(label, lambda row, t: decimal(row[key], t), about)


def between(low: str, high: str, digits: int = 1, label: str = N_("95% interval of it")) -> Column:
    """The interval of a mean; a dash where there is none."""

    def tell(row: Row, t: Translate) -> str:
        if row[low] is None:
            return "–"
        return f"{decimal(row[low], t, digits)} – {decimal(row[high], t, digits)}"

    return Column(label, tell, "interval-mean")


def wilson(label: str, of: str = "", about: str = "interval") -> Column:
    """The interval of a share, `of` before its names; a dash where nothing was seen."""

    def tell(row: Row, t: Translate) -> str:
        low, high = row[f"{of}low"], row[f"{of}high"]
        if row[f"{of}share"] is None or low is None:
            return "–"
        return f"{percent(low, t)} – {percent(high, t)}"

    return Column(label, tell, about)


INTERVAL = wilson(N_("95% interval"))
PER_DEAL = N_("95% interval per deal")
OF_RESERVE = N_("95% interval of the reserve")
N = counted("n", "n", "n")


# words of the rows

BY = {
    "all": N_("All deals"),
    "rules": N_("Rules {value}"),
    "seat": N_("Seat {value}"),
}
DEALER = {"true": N_("As dealer"), "false": N_("Not as dealer")}
FIRST = {"true": N_("Leading the first trick"), "false": N_("Not leading it")}
KEPT = {
    "match": N_("Matches won"),
    "manche": N_("Manches won"),
    "under-given": N_("Sous la table, given"),
    "under-taken": N_("Sous la table, taken"),
}
MEASURES = {
    "points": N_("Points"),
    "cards": N_("Points of cards taken"),
    "bonus": N_("Points of announcements"),
    "brisques": N_("Brisques taken"),
    "tricks": N_("Tricks taken"),
}
SIDE = {"points": N_("Marks of the side"), "cards": N_("Card points of the side")}
RESERVE = N_("Points from chouiner")
EVENTS = {
    "der": N_("Last trick taken"),
    "exchanged": N_("The 7 exchanged"),
    "sept": N_("of these, by trick {trick}"),
}
RECORDS = {
    "points": N_("Most points in a deal"),
    "margin": N_("Widest margin in a deal"),
    "deals": N_("Deals won in a row"),
    "matches": N_("Matches won in a row"),
}
REASONS = {
    "undated": N_("without a date"),
    "void": N_("void"),
    "null": N_("without a winner"),
    "unknown": N_("of unknown winner"),
    "legal": N_("legal"),
    "unproven": N_("unproven"),
    "irregular": N_("irregular"),
    "incomplete": N_("incomplete"),
    "broken": N_("broken"),
    "older": N_("added earlier"),
    "hidden": N_("with unknown cards"),
    "few": N_("of a source with too few"),
}


def result(row: Row, t: Translate) -> str:
    """What a row of `results` counts."""
    if row["by"] == "dealer":
        return t((FIRST if row["game"] == "chouineurs" else DEALER)[row["value"]])
    return t(BY[row["by"]], value=row["value"])


def measure(row: Row, t: Translate) -> str:
    """What a row of `averages` counts."""
    if row["game"] == "coinche" and row["measure"] in SIDE:
        return t(SIDE[row["measure"]])
    if row["game"] == "chouineurs" and row["measure"] == "bonus":
        return t(RESERVE)
    return t(MEASURES[row["measure"]])


def contract(row: Row, t: Translate) -> str:
    """What a row of `contracts` counts: a height, a suit, both, coinched or not."""
    if row["by"] == "coinched":
        return t(N_("Coinched")) if row["doubled"] else t(N_("Not coinched"))
    # beside suits a height stays text; padded, it is sorted as a number all the same
    parts = [] if row["level"] is None else [height(row["level"], t).rjust(3, "\N{FIGURE SPACE}")]
    if row["suit"] is not None:
        parts.append(SYMBOLS[SUITS[row["suit"]]])
    return " ".join(parts) or t(N_("All contracts"))


def bid_card(bid: int) -> str:
    """The published bid card at a place among the five."""
    return tuple(PUBLISHED)[bid]


def _points(row: Row, t: Translate) -> str:
    least, most = row["least"], row["most"]
    return Figure(str(least) if least == most else f"{least} – {most}", least)


def _quarters(row: Row, t: Translate) -> str:
    return f"{row['quarter']} · {row['median']} · {row['three_quarters']}"


def _when(row: Row, t: Translate) -> str:
    first, last = day(row["played_at"], t), day(row["until"], t)
    return first if not last or first == last else f"{first} – {last}"


SHOWN: dict[str, tuple[Column, ...]] = {
    "left-out": (
        Column(N_("Left out"), lambda row, t: t(REASONS[row["reason"]]), "left-out"),
        counted(N_("Deals"), "deals", "deal"),
    ),
    "tables": (
        Column(N_("Game"), lambda row, t: row["game"].capitalize()),
        counted(N_("Players"), "players"),
        Column(N_("Rules"), lambda row, t: row["preset"]),
        shared(N_("Share"), about="share"),
        INTERVAL,
        shared(N_("If all were alike"), "fair", "fair"),
        counted(N_("Won"), "wins", "won"),
        N,
        counted(N_("Matches"), "matches", "match"),
    ),
    "results": (
        Column(N_("Of"), result),
        shared(N_("Share"), about="share"),
        INTERVAL,
        counted(N_("Won"), "wins", "won"),
        N,
        counted(N_("Matches"), "matches", "match"),
        averaged(N_("Average points"), "points", "points"),
        between("points_low", "points_high"),
    ),
    "manches": (
        Column(N_("Of"), lambda row, t: t(KEPT[row["what"]]), "under"),
        shared(N_("Share"), about="k"),
        INTERVAL,
        counted(N_("How many"), "k", "k"),
        N,
    ),
    "averages": (
        Column(N_("Of"), measure),
        averaged(N_("Average"), "mean", "points"),
        between("mean_low", "mean_high"),
        N,
        counted(N_("Least"), "least", "quarters"),
        Column(N_("Quarter · half · three quarters"), _quarters, "quarters"),
        counted(N_("Most"), "most", "quarters"),
    ),
    "distribution": (
        Column(N_("Points"), _points, "points"),
        shared(N_("Share"), about="k"),
        INTERVAL,
        counted(N_("Won"), "wins", "won"),
        N,
    ),
    "events": (
        Column(N_("Of"), lambda row, t: t(EVENTS[row["what"]], trick=row["trick"]), "sept"),
        shared(N_("Share"), about="k"),
        INTERVAL,
        counted(N_("How many"), "k", "k"),
        N,
    ),
    "contracts": (
        Column(N_("Contract"), contract),
        shared(N_("Share made"), about="made"),
        INTERVAL,
        counted(N_("Made"), "made", "made"),
        counted(N_("Failed"), "failed", "made"),
        counted("n", "decided", "n"),
        counted(N_("Coinched"), "coinched", "coinched"),
        counted(N_("Bid"), "taken", "per-deal"),
        shared(N_("Per deal"), "taken_share", "per-deal"),
        wilson(PER_DEAL, "taken_"),
    ),
    "partners": (
        Column(N_("Partner"), lambda row, t: row["name"]),
        shared(N_("Share"), about="share"),
        INTERVAL,
        counted(N_("Won"), "wins", "won"),
        N,
        counted(N_("Matches"), "matches", "match"),
        averaged(N_("Marks of the side"), "points", "points"),
        between("points_low", "points_high"),
    ),
    "bid-cards": (
        Column(N_("Bid card"), lambda row, t: bid_card(row["bid"]), "bid-card"),
        shared(N_("Share"), about="met"),
        INTERVAL,
        counted(N_("Met"), "met", "met"),
        N,
        averaged(N_("Average points"), "points", "points"),
        between("points_low", "points_high"),
        averaged(RESERVE, "reserve", "reserve"),
        between("reserve_low", "reserve_high", label=OF_RESERVE),
    ),
    "reserve": (
        counted(RESERVE, "reserve", "reserve"),
        N,
        averaged(N_("Average"), "mean", "reserve"),
        between("mean_low", "mean_high"),
        counted(N_("of all points"), "points", "reserve"),
        shared(N_("Share"), about="reserve"),
        wilson(N_("95% interval"), about="interval-ratio"),
    ),
    "luck": (
        N,
        counted(N_("Cards received"), "cards", "luck"),
        counted(N_("Points received"), "received", "luck"),
        averaged(N_("Points expected"), "expected", "luck"),
        averaged(N_("Difference"), "difference", "luck"),
        between("low", "high"),
        Column(N_("Per deal"), lambda row, t: decimal(row["per_deal"], t, 2), "luck"),
        Column(N_("In deviations"), lambda row, t: decimal(row["sigmas"], t, 2), "sigmas"),
        counted(N_("Left out"), "unknown", "left-out"),
    ),
    "trend": (
        Column(N_("Day"), lambda row, t: day(row["day"], t), "trend"),
        N,
        counted(N_("Won"), "wins", "won"),
        shared(N_("Share"), about="share"),
        INTERVAL,
        averaged(N_("Average points"), "points", "points"),
        between("points_low", "points_high"),
    ),
    "records": (
        Column(N_("Record"), lambda row, t: t(RECORDS[row["record"]]), "record"),
        counted(N_("How many"), "value", "record"),
        Column(N_("Played on"), _when),
        Column(N_("Players"), lambda row, t: against(row["names"], row["game"])),
        counted(N_("Deal"), "number", "deal"),
    ),
}
"""Section → its columns. Programs get every column of the frame instead."""

HEADINGS = {
    "player": N_("Player"),
    "left-out": N_("Left out"),
    "tables": N_("By game, table and rules"),
    "results": N_("By seat and deal"),
    "manches": N_("Matches and manches"),
    "averages": N_("Averages"),
    "distribution": N_("How the points spread"),
    "events": N_("The last trick and the 7"),
    "announcements": N_("Announcements"),
    "contracts": N_("Contracts bid"),
    "partners": N_("Partners"),
    "bid-cards": N_("Bid cards"),
    "reserve": RESERVE,
    "luck": N_("Luck with the cards"),
    "trend": N_("Over time"),
    "records": N_("Records"),
}

LAST_TRICK = N_("The last trick")


def heading(section: str, game: str, t: Translate) -> str:
    """What a section is called; only Chouine has a 7 to exchange."""
    return t(LAST_TRICK if section == "events" and game != "chouine" else HEADINGS[section])


NUMBER = {"contracts": "decided"}
"""Where the column that says how many a row rests on is not `n`."""


def told(section: str, frame: pl.DataFrame, game: str, t: Translate) -> list[dict[str, str | int]]:
    """The rows of a section under its columns' headings; `game` is the scope's."""
    return lines(SHOWN[section], frame, t, {"game": game})


def lines(
    columns: Sequence[Column], frame: pl.DataFrame, t: Translate, more: Row = MappingProxyType({})
) -> list[dict[str, str | int]]:
    """The rows of a frame under some columns' headings; `more` is known of each row."""
    return [
        {t(column.label): column.tell({**more, **row}, t) for column in columns}
        for row in frame.iter_rows(named=True)
    ]


def few(section: str, frame: pl.DataFrame) -> list[bool]:
    """Which rows rest on fewer than FEW, and are greyed; no row of a section that counts none."""
    column = NUMBER.get(section, "n")
    return (frame[column] < FEW).to_list() if column in frame.columns else [False] * frame.height


def reasons(frame: pl.DataFrame, t: Translate) -> str:
    """What the section `left-out` says, in one line: `void 2, without a winner 1`, or `0`."""
    said = (f"{t(REASONS[row[0]])} {count_of(row[1], t)}" for row in frame.iter_rows())
    return ", ".join(said) or "0"
