"""One player, section by section: what the page and the terminal show alike.

A section is one record: what it asks, how its rows are told, what they count, and which deals
open behind a row. A new one is a record in `SECTIONS` and its texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from dashboard.games import of, rules_named
from dashboard.queries import announcements, endgame_losses, luck, players, results
from dashboard.queries.exclusions import undecided
from dashboard.queries.intervals import FEW
from dashboard.queries.player_deals import Narrow
from dashboard.queries.scope import Cursor, Scope
from dashboard.tables.announcements import BID
from dashboard.text import columns
from dashboard.text.columns import INTERVAL, Column, N, Row, average, averaged, counted, shared
from dashboard.text.labels import OF_RESERVE, REASONS, RESERVE, against
from dashboard.text.numbers import Figure, count_of, day, days
from ingest.i18n import N_, Translate

Query = Callable[[Cursor, Scope, int], pl.DataFrame]
Behind = Callable[[Mapping[str, Any]], Narrow]
"""A row of a section → which of the player's deals are behind it."""


class Section(NamedTuple):
    """One section of a player's figures; without `columns` its page makes a table of its own."""

    heading: str
    query: Query
    columns: tuple[Column, ...] = ()
    everywhere: bool = True
    """Whether every game has it; else the games whose module names it in SECTIONS."""
    page: tuple[str, int] | None = None
    """The view it stands in and its place there; None: its figures stand in the page's head."""
    n: str = "n"
    """The column that says how many deals a row rests on, where there is one."""
    behind: Behind | None = None
    """None: no deals open behind its rows."""
    opens: str = "n"
    """The label of the column that says how many games open behind a row, and opens them."""
    decided: bool = True
    """Whether it counts only deals that somebody won."""
    grows: bool = False
    """Whether it has a row for each day of play: the terminal shows the last ones alone."""
    results: bool = False
    """Whether it counts results alone, so that score sheets may count too."""

    def counts(self, which: Scope) -> Scope:
        """The scope it counts in: a figure of cards never takes a score sheet."""
        return which if self.results else which.proven

    def scope(self, row: Row, which: Scope) -> Scope:
        """The scope of the deals behind a row; a row that has a preset of its own is a table."""
        if "preset" not in row:
            return which
        return replace(which, game=row["game"], players=row["players"], preset=row["preset"])


OWN = partial(Section, everywhere=False, decided=False)
"""A section that only some games have, of all deals, won by anybody or not."""

# words of the rows

RESULTS = {"all": N_("All deals"), "rules": N_("Rules {value}"), "seat": N_("Seat {value}")}
DEALER = {"true": N_("As dealer"), "false": N_("Not as dealer")}
FINISHED = {
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
EVENTS = {
    "der": N_("Last trick taken"),
    "exchanged": N_("The 7 exchanged"),
    "sept": N_("of these, by trick {trick}"),
}
ENDS = {
    "all": N_("All deals"),
    "opponent": N_("Against {value}"),
    "event": N_("Event: {value}"),
    "month": N_("In {value}"),
}
RECORDS = {
    "points": N_("Most points in a deal"),
    "margin": N_("Widest margin in a deal"),
    "deals": N_("Deals won in a row"),
    "matches": N_("Matches won in a row"),
}


def result(row: Row, t: Translate) -> str:
    """What a row of `results` counts, as its game calls it."""
    if row["by"] == "dealer":
        name = of(row["game"]).ROW_NAMES.get(("dealer", row["value"]), DEALER[row["value"]])
        return t(name)
    value = rules_named(row["value"], t) if row["by"] == "rules" else row["value"]
    return t(RESULTS[row["by"]], value=value)


FORTUNES = {
    "dealt": N_("Points of the cards dealt"),
    "received": N_("Points of the cards dealt and drawn"),
    "announcements": N_("Announcements in the hand dealt"),
    "worth": N_("Points of these, all shown at once"),
    "lost": N_("Points lost in the end of the deal"),
}


def measure(row: Row, t: Translate) -> str:
    """What a row of `averages` or `apart` counts, as its game calls it."""
    name = row["measure"]
    told = MEASURES.get(name) or FORTUNES[name]
    return t(of(row["game"]).ROW_NAMES.get(("measure", name), told))


def _points(row: Row, t: Translate) -> str:
    least, most = row["least"], row["most"]
    return Figure(str(least) if least == most else f"{least} – {most}", least)


# the deals behind a row


def _of_result(row: Mapping[str, Any]) -> Narrow:
    if row["by"] == "all":
        return {}
    value = row["value"]
    return {row["by"]: value == "true" if row["by"] == "dealer" else value}


def _of_end(row: Mapping[str, Any]) -> Narrow:
    value = {"opponent": row["opponent_no"], "event": row["event"]}.get(row["by"], row["value"])
    return {"ended": True} | ({} if row["by"] == "all" else {row["by"]: value})


def _of_ends(row: Row, t: Translate) -> str:
    """What a row of `ends` counts; the name of an event may be hidden."""
    return t(ENDS[row["by"]], value=row["event"] if row["by"] == "event" else row["value"])


OF_ENDS = Column(N_("Group"), _of_ends)


def _of_contract(row: Mapping[str, Any]) -> Narrow:
    narrow = {"taken": True, "height": row["level"], "suit": row["suit"], "coinched": None}
    if row["by"] == "coinched":
        narrow["coinched"] = row["doubled"]
    return {name: value for name, value in narrow.items() if value is not None}


WON_OF = (counted(N_("Won"), "wins", "won"), N)
"""A match behind a player's figures: the deals won of those that count."""


SHARE_WON = (shared(N_("Share"), about="share"), INTERVAL)
SHARE_OF = (shared(N_("Share"), about="k"), INTERVAL)
AVERAGE_POINTS = average(N_("Average points"), "points", "points")
MATCHES = counted(N_("Matches"), "matches", "match")


SECTIONS: dict[str, Section] = {
    "player": Section(
        N_("Player"),
        lambda cursor, scope, player_no: players.table(cursor, scope, player_no=player_no),
        results=True,
    ),
    "left-out": Section(
        N_("Left out"),
        undecided,
        (
            Column(N_("Left out"), lambda row, t: t(REASONS[row["reason"]]), "left-out"),
            counted(N_("Deals"), "deals", "deal"),
        ),
        results=True,
    ),
    "tables": Section(
        N_("By game, table and rules"),
        results.tables,
        (
            Column(N_("Game"), lambda row, t: of(row["game"]).TITLE),
            counted(N_("Players"), "players"),
            Column(N_("Rules"), lambda row, t: rules_named(row["preset"], t)),
            *SHARE_WON,
            shared(N_("If all were alike"), "fair", "fair"),
            *WON_OF,
            MATCHES,
        ),
        page=("results", 4),
        behind=lambda row: {},
        results=True,
    ),
    "results": Section(
        N_("By seat and deal"),
        results.results,
        (Column(N_("Group"), result), *SHARE_WON, *WON_OF, MATCHES, *AVERAGE_POINTS),
        page=("results", 1),
        behind=_of_result,
        results=True,
    ),
    "manches": Section(
        N_("Matches and manches"),
        results.manches,
        (
            Column(N_("Group"), lambda row, t: t(FINISHED[row["what"]]), "under"),
            *SHARE_OF,
            counted(N_("Count"), "k", "k"),
            N,
        ),
        page=("results", 3),
        results=True,
    ),
    "averages": Section(
        N_("Averages"),
        results.averages,
        (
            Column(N_("Group"), measure),
            *average(N_("Average"), "mean", "points"),
            N,
            counted(N_("Least"), "least", "quarters"),
            Column(
                N_("Quarter · half · three quarters"),
                lambda row, t: f"{row['quarter']} · {row['median']} · {row['three_quarters']}",
                "quarters",
            ),
            counted(N_("Most"), "most", "quarters"),
        ),
        page=("points", 1),
        behind=lambda row: {},
    ),
    "distribution": Section(
        N_("How the points spread"),
        results.distribution,
        (Column(N_("Points"), _points, "points"), *SHARE_OF, *WON_OF),
        page=("points", 2),
        behind=lambda row: {"least": row["least"], "most": row["most"]},
    ),
    "events": Section(
        N_("The last trick"),
        results.events,
        (
            Column(N_("Group"), lambda row, t: t(EVENTS[row["what"]], trick=row["trick"]), "sept"),
            *SHARE_OF,
            counted(N_("Count"), "k", "k"),
            N,
        ),
        page=("points", 3),
        behind=lambda row: {"sept": row["trick"]} if row["what"] == "sept" else {row["what"]: True},
        opens=N_("Count"),
    ),
    "announcements": OWN(
        N_("Announcements"), announcements.frequencies, page=("announcements", 1), decided=True
    ),
    "contracts": OWN(
        N_("Contracts bid"),
        results.contracts,
        BID,
        page=("contracts", 1),
        n="decided",
        behind=_of_contract,
        opens=N_("Taken"),
    ),
    "partners": OWN(
        N_("Partners"),
        results.partners,
        (
            Column(N_("Partner"), lambda row, t: row["name"]),
            *SHARE_WON,
            *WON_OF,
            MATCHES,
            *average(N_("Score of the team"), "points", "points"),
        ),
        page=("contracts", 2),
        decided=True,
        behind=lambda row: {"partner": row["player_no"]},
        results=True,
    ),
    "bid-cards": OWN(
        N_("Bid cards"),
        results.bid_cards,
        (
            Column(
                N_("Bid card"), lambda row, t: of(row["game"]).BID_CARDS[row["bid"]], "bid-card"
            ),
            shared(N_("Share"), about="met"),
            INTERVAL,
            counted(N_("Met"), "met", "met"),
            N,
            *average(N_("Average points"), "points", "points-of-all"),
            *average(RESERVE, "reserve", "reserve", OF_RESERVE),
        ),
        page=("bids", 1),
        behind=lambda row: {"bid": row["bid"]},
    ),
    "reserve": OWN(
        RESERVE,
        results.reserve,
        (
            counted(RESERVE, "reserve", "reserve"),
            N,
            *average(N_("Average"), "mean", "reserve"),
            counted(N_("of all points"), "points", "reserve"),
            shared(N_("Share"), about="reserve"),
            columns.wilson(N_("95% interval"), about="interval-ratio"),
        ),
        page=("bids", 2),
        behind=lambda row: {},
    ),
    "luck": OWN(
        N_("Luck with the cards"),
        luck.luck,
        (
            N,
            counted(N_("Cards received"), "cards", "luck"),
            counted(N_("Points received"), "received", "luck"),
            averaged(N_("Points expected"), "expected", "luck"),
            averaged(N_("Difference"), "difference", "luck"),
            columns.between("low", "high"),
            averaged(N_("Per deal"), "per_deal", "luck", 2),
            averaged(N_("In deviations"), "sigmas", "sigmas", 2),
            counted(N_("Left out"), "unknown", "left-out"),
        ),
        page=("luck", 1),
        behind=lambda row: {"known": True},
    ),
    "apart": OWN(
        N_("Luck apart from play"),
        luck.apart,
        (
            Column(N_("Group"), measure, "apart"),
            averaged(N_("Per deal"), "mean", "apart", 2),
            columns.between("low", "high", 2)._replace(about="apart-interval", detail=False),
            averaged(N_("Exact mean"), "expected", "apart-expected", 2),
            averaged(N_("Difference"), "difference", "apart-expected", 2),
            N,
        ),
        page=("luck", 2),
    ),
    "bid-choice": OWN(
        N_("Bids against the tricks won"),
        endgame_losses.ends,
        (
            OF_ENDS,
            *average(N_("Points lost by the bid"), "lost", "bid-lost"),
            N,
            shared(N_("Best card bid"), about="bid-best"),
            INTERVAL,
            columns.detailed(counted(N_("Deals with a choice"), "chances", "bid-best")),
            counted(N_("Not yet reckoned"), "unreckoned", "unreckoned"),
        ),
        page=("bids", 3),
        behind=_of_end,
    ),
    "ends": OWN(
        N_("End of the deal"),
        endgame_losses.ends,
        (
            OF_ENDS,
            *average(N_("Points lost a deal"), "lost", "end-lost"),
            columns.detailed(N, False),
            shared(N_("Played without a loss"), about="end-perfect"),
            INTERVAL,
            columns.detailed(counted(N_("Deals with a choice"), "chances", "end-perfect")),
            counted(N_("The winner turned"), "turned", "end-turned"),
            counted(N_("Not yet reckoned"), "unreckoned", "unreckoned"),
        ),
        page=("ends", 1),
        behind=_of_end,
    ),
    "trend": Section(
        N_("Over time"),
        results.trend,
        (
            Column(N_("Day"), lambda row, t: day(row["day"], t), "trend"),
            N,
            counted(N_("Won"), "wins", "won"),
            *SHARE_WON,
            *AVERAGE_POINTS,
        ),
        page=("results", 2),
        grows=True,
    ),
    "records": Section(
        N_("Records"),
        results.records,
        (
            Column(N_("Record"), lambda row, t: t(RECORDS[row["record"]]), "record"),
            counted(N_("Count"), "value", "record"),
            Column(N_("Played on"), lambda row, t: days(row["played_at"], row["until"], t)),
            Column(N_("Players"), lambda row, t: against(row["names"], row["game"])),
            counted(N_("Deal"), "number", "deal"),
        ),
        page=("records", 1),
    ),
}
"""Name → section, in the order of the terminal; programs get every column of the frame instead."""


def has_section(name: str, game: str) -> bool:
    """Whether a game has a section."""
    return SECTIONS[name].everywhere or name in of(game).SECTIONS


def on_page(view: str, game: str) -> list[str]:
    """The sections a game has in a view of the page, in their order there."""
    found = [
        (section.page[1], name)
        for name, section in SECTIONS.items()
        if section.page is not None and section.page[0] == view and has_section(name, game)
    ]
    return [name for _, name in sorted(found)]


def sections(cursor: Cursor, scope: Scope, player_no: int) -> dict[str, pl.DataFrame]:
    """Each section the scope's game has and its frame; empty frames are left out."""
    found = {
        name: section.query(cursor, section.counts(scope), player_no)
        for name, section in SECTIONS.items()
        if has_section(name, scope.game)
    }
    return {name: frame for name, frame in found.items() if frame.height}


def heading(name: str, game: str, t: Translate) -> str:
    """What a section is called in a game."""
    return t(of(game).SECTION_HEADINGS.get(name, SECTIONS[name].heading))


def section_columns(name: str, frame: pl.DataFrame, details: bool = True) -> tuple[Column, ...]:
    """The columns of a section; those of detail only when these are asked for."""
    return columns.asked_for(columns.with_sheets(SECTIONS[name].columns, frame), details)


def section_rows(
    name: str, frame: pl.DataFrame, game: str, t: Translate, details: bool = True
) -> list[dict[str, str | int]]:
    """The rows of a section under its columns' headings; `game` is the scope's."""
    return columns.table_rows(section_columns(name, frame, details), frame, t, {"game": game})


def few(name: str, frame: pl.DataFrame) -> list[bool]:
    """Whether each row rests on fewer than FEW and is greyed; without the column `n`: none does."""
    column = SECTIONS[name].n
    return (frame[column] < FEW).to_list() if column in frame.columns else [False] * frame.height


def reasons_line(frame: pl.DataFrame, t: Translate) -> str:
    """Why deals are left out, in one line: `void 2, without a winner 1`, or `0`."""
    parts = (f"{t(REASONS[row[0]])} {count_of(row[1], t)}" for row in frame.iter_rows())
    return ", ".join(parts) or "0"
