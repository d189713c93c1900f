"""The sections of a player's profile, for the page and the terminal.

A section is one record: its query, its columns, what its rows count, and which deals open from a
row. To add one, add a record to `SECTIONS` and its texts.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from dashboard.games import game_view, preset_label
from dashboard.queries import announcements, endgame_losses, luck, peers, periods, players, results
from dashboard.queries.exclusions import undecided_deals
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.queries.player_deals import Narrowing
from dashboard.queries.scope import Cursor, Scope
from dashboard.tables.announcement_tables import BID_COLUMNS, DEFENCE_COLUMNS
from dashboard.tables.peer_tables import PEER_COLUMNS, PERIOD_COLUMNS
from dashboard.text import columns
from dashboard.text.columns import (
    INTERVAL_COLUMN,
    N_COLUMN,
    Column,
    Row,
    average_columns,
    count_column,
    decimal_column,
    share_column,
)
from dashboard.text.labels import (
    EXCLUSION_COUNTS,
    EXCLUSION_LABELS,
    RESERVE_INTERVAL_LABEL,
    RESERVE_LABEL,
    opponents_text,
)
from dashboard.text.numbers import SortableText, date_range_text, date_text, format_count, month_text
from ingest.i18n import N_, Translate

SectionQuery = Callable[[Cursor, Scope, int], pl.DataFrame]
NarrowingOf = Callable[[Mapping[str, Any]], Narrowing]
"""A row of a section → the player's deals behind it."""


class Section(NamedTuple):
    """A section of a player's figures; without `columns`, the page builds its own table."""

    heading: str
    query: SectionQuery
    columns: tuple[Column, ...] = ()
    in_every_game: bool = True
    """Whether every game has it; otherwise a game lists it in its SECTIONS."""
    page_position: tuple[str, int] | None = None
    """Its view and its position there; None: the page's head shows its figures."""
    page_query: SectionQuery | None = None
    """The page asks this instead: the same rows, with more columns to draw."""
    n: str = "n"
    """The column with the number of deals behind a row, if there is one."""
    narrow_to_row: NarrowingOf | None = None
    """None: no deals open from its rows."""
    link_column: str = "n"
    """The label of the column that counts the deals behind a row and opens them."""
    decided: bool = True
    """Whether it counts only deals that have a winner."""
    accumulates: bool = False
    """Whether it has a row per day of play; the terminal shows only the last ones."""
    results: bool = False
    """Whether it counts only results, so that score sheets may count too."""

    def scope_for(self, scope: Scope) -> Scope:
        """Return the scope it counts in: figures of cards exclude score sheets."""
        return scope if self.results else scope.without_sheets

    def row_scope(self, row: Row, which: Scope) -> Scope:
        """Return the scope of the deals behind a row; a row with a `preset` names its table."""
        if "preset" not in row:
            return which
        return replace(which, game=row["game"], player_count=row["player_count"], preset=row["preset"])


GameSection = partial(Section, in_every_game=False, decided=False)
"""A section that only some games have, of all deals, with or without a winner."""

# row labels

RESULT_LABELS = {"all": N_("All deals"), "preset": N_("Rules {value}"), "seat": N_("Seat {value}")}
DEALER_LABELS = {"true": N_("As dealer"), "false": N_("Not as dealer")}
FINISHED_LABELS = {
    "match": N_("Matches won"),
    "manche": N_("Manches won"),
    "shutouts_given": N_("Sous la table, given"),
    "shutouts_taken": N_("Sous la table, taken"),
}
MEASURE_LABELS = {
    "points": N_("Points"),
    "card_points": N_("Points of cards taken"),
    "bonus": N_("Points of announcements"),
    "brisques": N_("Brisques taken"),
    "tricks": N_("Tricks taken"),
}
EVENT_LABELS = {
    "der": N_("Last tricks won"),
    "exchanged": N_("The 7 exchanged"),
    "sept": N_("of these, by trick {trick}"),
}
SPECIAL_END_LABELS = {"capot": N_("Capots made"), "swept": N_("Capots conceded"), "litige": N_("Litiges")}
LOSS_LABELS = {
    "all": N_("All deals"),
    "opponent": N_("Against {value}"),
    "event": N_("Event: {value}"),
    "month": N_("In {value}"),
}
RECORD_LABELS = {
    "points": N_("Most points in a deal"),
    "margin": N_("Widest margin in a deal"),
    "deals": N_("Deals won in a row"),
    "matches": N_("Matches won in a row"),
}


def result_text(row: Row, t: Translate) -> str:
    """Return the label of a row of `win_results`, in its game's words."""
    if row["by"] == "dealer":
        return t(game_view(row["game"]).ROW_NAMES.get(("dealer", row["value"]), DEALER_LABELS[row["value"]]))
    value = preset_label(row["value"], t) if row["by"] == "preset" else row["value"]
    return t(RESULT_LABELS[row["by"]], value=value)


LUCK_LABELS = {
    "dealt": N_("Points of the cards dealt"),
    "received": N_("Points of the cards dealt and drawn"),
    "announcements": N_("Announcements in the hand dealt"),
    "worth": N_("Points of these, all shown at once"),
    "lost": N_("Points lost in the end of the deal"),
}


def measure_text(row: Row, t: Translate) -> str:
    """Return the label of a row of `averages` or `apart`, in its game's words."""
    name = row["measure"]
    result = MEASURE_LABELS.get(name) or LUCK_LABELS[name]
    return t(game_view(row["game"]).ROW_NAMES.get(("measure", name), result))


def _points_text(row: Row, t: Translate) -> str:
    least, most = row["least"], row["most"]
    return SortableText(str(least) if least == most else f"{least} – {most}", least)


# the deals behind a row


def _narrow_to_result(row: Mapping[str, Any]) -> Narrowing:
    if row["by"] == "all":
        return {}
    value = row["value"]
    return {row["by"]: value == "true" if row["by"] == "dealer" else value}


def _narrow_to_ending(row: Mapping[str, Any]) -> Narrowing:
    value = {"opponent": row["opponent_no"], "event": row["event"]}.get(row["by"], row["value"])
    return {"ended": True} | ({} if row["by"] == "all" else {row["by"]: value})


def _loss_group_text(row: Row, t: Translate) -> str:
    """Return the label of a row of `endgames`; the name of an event may be hidden."""
    value = row["event"] if row["by"] == "event" else row["value"]
    if row["by"] == "month":
        value = month_text(date.fromisoformat(f"{value}-01"), t)
    return t(LOSS_LABELS[row["by"]], value=value)


LOSS_GROUP_COLUMN = Column(N_("Group"), _loss_group_text)


def _narrow_to_contract(row: Mapping[str, Any]) -> Narrowing:
    narrow = {"taken": True, "level": row["level"], "suit": row["suit"], "coinched": None}
    if row["by"] == "coinched":
        narrow["coinched"] = row["is_coinched"]
    return {name: value for name, value in narrow.items() if value is not None}


def _narrow_to_defence(row: Mapping[str, Any]) -> Narrowing:
    own = _narrow_to_contract(row)
    return {"faced" if name == "taken" else f"faced_{name}": value for name, value in own.items()}


WON_COLUMNS = (count_column(N_("Won"), "wins", "won"), N_COLUMN)
"""A match behind a player's figures: the deals won of those that count."""


SHARE_WON_COLUMNS = (share_column(N_("Share"), about="share"), INTERVAL_COLUMN)
SHARE_COLUMNS = (share_column(N_("Share"), about="k"), INTERVAL_COLUMN)
AVERAGE_POINTS_COLUMNS = average_columns(N_("Average points"), "points", "points")
MATCHES_COLUMN = count_column(N_("Matches"), "matches", "match")


SECTIONS: dict[str, Section] = {
    "player": Section(
        N_("Player"),
        lambda cursor, scope, player_no: players.players_table(cursor, scope, player_no=player_no),
        page_query=lambda cursor, scope, player_no: players.players_table(
            cursor, scope, player_no=player_no, with_probable=False
        ),
        results=True,
    ),
    "left-out": Section(
        N_("Excluded"),
        undecided_deals,
        (
            Column(N_("Excluded"), lambda row, t: t(EXCLUSION_LABELS[row["reason"]]), "left-out"),
            count_column(N_("Deals"), "deals", "deal"),
        ),
        results=True,
    ),
    "tables": Section(
        N_("By game, table and rules"),
        results.results_by_table,
        (
            Column(N_("Game"), lambda row, t: game_view(row["game"]).TITLE),
            count_column(N_("Players"), "player_count"),
            Column(N_("Rules"), lambda row, t: preset_label(row["preset"], t)),
            *SHARE_WON_COLUMNS,
            share_column(N_("Equal share"), "fair", "fair"),
            *WON_COLUMNS,
            MATCHES_COLUMN,
        ),
        page_position=("results", 4),
        narrow_to_row=lambda row: {},
        results=True,
    ),
    "results": Section(
        N_("By seat and deal"),
        results.win_results,
        (
            Column(N_("Group"), result_text),
            *SHARE_WON_COLUMNS,
            *WON_COLUMNS,
            MATCHES_COLUMN,
            *AVERAGE_POINTS_COLUMNS,
        ),
        page_position=("results", 1),
        narrow_to_row=_narrow_to_result,
        results=True,
    ),
    "manches": Section(
        N_("Matches and manches"),
        results.match_results,
        (
            Column(N_("Group"), lambda row, t: t(FINISHED_LABELS[row["figure"]]), "under"),
            *SHARE_COLUMNS,
            count_column(N_("Count"), "k", "k"),
            N_COLUMN,
        ),
        page_position=("results", 3),
        results=True,
    ),
    "averages": Section(
        N_("Averages"),
        results.average_measures,
        (
            Column(N_("Group"), measure_text),
            *average_columns(N_("Average"), "mean", "points"),
            N_COLUMN,
            count_column(N_("Least"), "least", "quarters"),
            Column(
                N_("Quarter · half · three quarters"),
                lambda row, t: f"{row['quarter']} · {row['median']} · {row['three_quarters']}",
                "quarters",
            ),
            count_column(N_("Most"), "most", "quarters"),
        ),
        page_position=("points", 1),
        narrow_to_row=lambda row: {},
    ),
    "distribution": Section(
        N_("How the points spread"),
        results.points_distribution,
        (Column(N_("Points"), _points_text, "points"), *SHARE_COLUMNS, *WON_COLUMNS),
        page_position=("points", 2),
        narrow_to_row=lambda row: {"least": row["least"], "most": row["most"]},
    ),
    "events": Section(
        N_("The last trick"),
        results.deal_events,
        (
            Column(N_("Group"), lambda row, t: t(EVENT_LABELS[row["figure"]], trick=row["trick"])),
            *SHARE_COLUMNS,
            count_column(N_("Count"), "k", "k"),
            N_COLUMN,
        ),
        page_position=("points", 3),
        narrow_to_row=lambda row: {row["figure"]: row["trick"] if row["figure"] == "sept" else True},
        link_column=N_("Count"),
    ),
    "announcements": GameSection(
        N_("Announcements"),
        announcements.announcement_frequencies,
        page_position=("announcements", 1),
        decided=True,
    ),
    "contracts": GameSection(
        N_("Contracts bid"),
        results.bid_contracts,
        BID_COLUMNS,
        page_position=("contracts", 1),
        n="decided",
        narrow_to_row=_narrow_to_contract,
        link_column=N_("Taken"),
    ),
    "defence": GameSection(
        N_("Contracts defended"),
        results.defended_contracts,
        DEFENCE_COLUMNS,
        page_position=("contracts", 2),
        n="decided",
        narrow_to_row=_narrow_to_defence,
        link_column=N_("Defended"),
    ),
    "capots": GameSection(
        N_("Capots and litiges"),
        results.capots_and_litiges,
        (
            Column(N_("Group"), lambda row, t: t(SPECIAL_END_LABELS[row["figure"]]), "litige"),
            *SHARE_COLUMNS,
            count_column(N_("Count"), "k", "k"),
            N_COLUMN,
        ),
        page_position=("contracts", 3),
        narrow_to_row=lambda row: {row["figure"]: True},
        link_column=N_("Count"),
    ),
    "partners": GameSection(
        N_("Partners"),
        results.results_by_partner,
        (
            Column(N_("Partner"), lambda row, t: row["name"]),
            *SHARE_WON_COLUMNS,
            *WON_COLUMNS,
            MATCHES_COLUMN,
            *average_columns(N_("Score of the team"), "points", "points"),
        ),
        page_position=("contracts", 4),
        decided=True,
        narrow_to_row=lambda row: {"partner": row["player_no"]},
        results=True,
    ),
    "bid-cards": GameSection(
        N_("Bid cards"),
        results.chosen_bid_cards,
        (
            Column(N_("Bid card"), lambda row, t: game_view(row["game"]).BID_CARDS[row["bid"]], "bid-card"),
            share_column(N_("Share"), about="met"),
            INTERVAL_COLUMN,
            count_column(N_("Met"), "bids_met", "met"),
            N_COLUMN,
            *average_columns(N_("Average points"), "points", "points-of-all"),
            *average_columns(RESERVE_LABEL, "reserve", "reserve", RESERVE_INTERVAL_LABEL),
        ),
        page_position=("bids", 1),
        narrow_to_row=lambda row: {"bid": row["bid"]},
    ),
    "reserve": GameSection(
        RESERVE_LABEL,
        results.reserve_share,
        (
            count_column(RESERVE_LABEL, "reserve", "reserve"),
            N_COLUMN,
            *average_columns(N_("Average"), "mean", "reserve"),
            count_column(N_("of all points"), "points", "reserve"),
            share_column(N_("Share"), about="reserve"),
            columns.share_interval_column(N_("95% interval"), about="interval-ratio"),
        ),
        page_position=("bids", 2),
        narrow_to_row=lambda row: {},
    ),
    "luck": GameSection(
        N_("Luck with the cards"),
        luck.card_luck,
        (
            N_COLUMN,
            count_column(N_("Cards received"), "received_cards", "luck"),
            count_column(N_("Points received"), "received", "luck"),
            decimal_column(N_("Points expected"), "expected", "luck"),
            decimal_column(N_("Difference"), "difference", "luck"),
            columns.interval_column("low", "high"),
            decimal_column(N_("Per deal"), "per_deal", "luck", 2),
            decimal_column(N_("In deviations"), "sigmas", "sigmas", 2),
            count_column(N_("Excluded"), "unknown", "left-out"),
        ),
        page_position=("luck", 1),
        narrow_to_row=lambda row: {"known": True},
    ),
    "luck-and-play": GameSection(
        N_("Luck and play"),
        luck.luck_and_play,
        (
            Column(N_("Group"), measure_text, "luck-and-play"),
            decimal_column(N_("Per deal"), "mean", "luck-and-play", 2),
            columns.interval_column("low", "high", 2)._replace(
                definition="luck-and-play-interval", is_detail=False
            ),
            decimal_column(N_("Exact mean"), "expected", "luck-and-play-expected", 2),
            decimal_column(N_("Difference"), "difference", "luck-and-play-expected", 2),
            N_COLUMN,
        ),
        page_position=("luck", 2),
    ),
    "bid-choice": GameSection(
        N_("Bids against the tricks won"),
        endgame_losses.endgame_losses,
        (
            LOSS_GROUP_COLUMN,
            *average_columns(N_("Points lost by the bid"), "lost", "bid-lost"),
            N_COLUMN,
            share_column(N_("Best card bid"), about="bid-best"),
            INTERVAL_COLUMN,
            columns.as_detail(count_column(N_("Deals with a choice"), "chances", "bid-best")),
            count_column(N_("Not analysed yet"), "pending", "pending"),
        ),
        page_position=("bids", 3),
        narrow_to_row=_narrow_to_ending,
    ),
    "endgames": GameSection(
        N_("End of the deal"),
        endgame_losses.endgame_losses,
        (
            LOSS_GROUP_COLUMN,
            *average_columns(N_("Points lost a deal"), "lost", "end-lost"),
            columns.as_detail(N_COLUMN, False),
            share_column(N_("Played without a loss"), about="end-perfect"),
            INTERVAL_COLUMN,
            columns.as_detail(count_column(N_("Deals with a choice"), "chances", "end-perfect")),
            count_column(N_("Result flipped"), "turning_points", "turning-points"),
            count_column(N_("Not analysed yet"), "pending", "pending"),
        ),
        page_position=("endgames", 1),
        narrow_to_row=_narrow_to_ending,
    ),
    "peers": Section(
        N_("Among the other players"),
        peers.place_among_peers,
        PEER_COLUMNS,
        page_position=("peers", 1),
        page_query=peers.place_with_values,
    ),
    "periods": Section(
        N_("By month or season"), periods.figures_by_period, PERIOD_COLUMNS, page_position=("peers", 2)
    ),
    "trend": Section(
        N_("Over time"),
        results.win_trend,
        (
            Column(N_("Day"), lambda row, t: date_text(row["day"], t), "trend"),
            N_COLUMN,
            count_column(N_("Won"), "wins", "won"),
            *SHARE_WON_COLUMNS,
            *AVERAGE_POINTS_COLUMNS,
        ),
        page_position=("results", 2),
        accumulates=True,
    ),
    "records": Section(
        N_("Records"),
        results.player_records,
        (
            Column(N_("Record"), lambda row, t: t(RECORD_LABELS[row["record"]]), "record"),
            count_column(N_("Count"), "value", "record"),
            Column(N_("Played on"), lambda row, t: date_range_text(row["played_on"], row["until"], t)),
            Column(N_("Players"), lambda row, t: opponents_text(row["names"], row["game"])),
            count_column(N_("Deal"), "deal_number", "deal"),
        ),
        page_position=("records", 1),
    ),
}
"""Name → section, in terminal order; programs get every column of the frame instead."""


def has_section(name: str, game: str) -> bool:
    """Return whether a game has a section."""
    return SECTIONS[name].in_every_game or name in game_view(game).SECTIONS


def sections_in_view(view: str, game: str) -> list[str]:
    """Return the sections a game has in a view of the page, in order."""
    found = [
        (section.page_position[1], name)
        for name, section in SECTIONS.items()
        if section.page_position is not None and section.page_position[0] == view and has_section(name, game)
    ]
    return [name for _, name in sorted(found)]


WITHOUT_PLACE = ("events", "defence", "capots", "reserve", "luck", "bid-choice", "endgames")
"""Sections whose figures are in no rollup: a place among all players would take seconds."""


def sections_without_place(game: str) -> list[str]:
    """Return the sections of a game whose figures have no place among peers."""
    return [name for name in WITHOUT_PLACE if has_section(name, game)]


def player_sections(cursor: Cursor, scope: Scope, player_no: int) -> dict[str, pl.DataFrame]:
    """Return the frame of each section the scope's game has; empty frames are skipped."""
    found = {
        name: section.query(cursor, section.scope_for(scope), player_no)
        for name, section in SECTIONS.items()
        if has_section(name, scope.game)
    }
    return {name: frame for name, frame in found.items() if frame.height}


def section_heading(name: str, game: str, t: Translate) -> str:
    """Return the heading of a section in a game."""
    return t(game_view(game).SECTION_HEADINGS.get(name, SECTIONS[name].heading))


def section_columns(name: str, frame: pl.DataFrame, details: bool = True) -> tuple[Column, ...]:
    """Return the columns of a section; detail columns only with `details`."""
    own = SECTIONS[name].columns
    if name == "manches" and "manche" not in frame["figure"]:  # no manches, no passing under
        own = (own[0]._replace(definition=None), *own[1:])
    return columns.visible_columns(columns.with_sheets_column(own, frame), details)


def section_rows(
    name: str, frame: pl.DataFrame, game: str, t: Translate, details: bool = True
) -> list[dict[str, str | int]]:
    """Return the rows of a section as text by column heading; `game` is the scope's."""
    return columns.rows_as_text(section_columns(name, frame, details), frame, t, {"game": game})


def rows_with_few(name: str, frame: pl.DataFrame) -> list[bool]:
    """Return whether each row has fewer than MIN_SAMPLE deals; without `n`, none does."""
    column = SECTIONS[name].n
    return (frame[column] < MIN_SAMPLE).to_list() if column in frame.columns else [False] * frame.height


def exclusions_text(frame: pl.DataFrame, t: Translate) -> str:
    """Return why deals are excluded, in one line: `void 2, without a winner 1`, or `0`."""

    def counted(reason: str, deals: int) -> str:
        n = format_count(deals, t)
        if reason in EXCLUSION_COUNTS:
            return t(EXCLUSION_COUNTS[reason], n=n)
        return f"{t(EXCLUSION_LABELS[reason])} {n}"

    return ", ".join(counted(*row) for row in frame.iter_rows()) or "0"
