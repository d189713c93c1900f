"""The views of one player: each has its sections, some of them with a figure above the table."""

from collections.abc import Callable
from typing import NamedTuple

import polars as pl
import streamlit as st

from dashboard.figures import contracts as contract_figures
from dashboard.figures import players as figures
from dashboard.games import of
from dashboard.queries import played, results
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import FREQUENCIES
from dashboard.tables.profile import SECTIONS, WON_OF, has_section, heading, on_page, section_rows
from dashboard.tables.readable import asked
from dashboard.text.numbers import count_of, decimal
from dashboard.views.announcements.rows import no_announcement, rows
from dashboard.views.profile.sections import deals_of, frame_of, manches, section_table
from dashboard.widgets import filters
from dashboard.widgets.chart import chart
from dashboard.widgets.linked import linked
from dashboard.widgets.links import at_table
from dashboard.widgets.matches import deals_behind, last_first, matches_of_game, replay
from dashboard.widgets.metrics import matches_omitted
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate


class View(NamedTuple):
    """A view of a player: `needs` is the section without which a game has no such view."""

    label: str
    needs: str | None = None
    games: bool = False
    """Whether the games played last stand below it."""


VIEWS = {
    "results": View(N_("Results"), games=True),
    "points": View(N_("Points")),
    "announcements": View(N_("Announcements"), "announcements"),
    "contracts": View(N_("Contracts and partners"), "contracts"),
    "bids": View(N_("Bids"), "bid-cards"),
    "luck": View(N_("Luck"), "luck"),
    "ends": View(N_("End of the deal"), "ends"),
    "records": View(N_("Records and matches"), games=True),
}


def offered(game: str) -> dict[str, str]:
    """The views a game has, and what they are called."""
    return {
        name: view.label
        for name, view in VIEWS.items()
        if view.needs is None or has_section(view.needs, game)
    }


def view_page(name: str, which: Scope, number: int, t: Translate) -> None:
    """The sections of a view one below the other."""
    for section in on_page(name, which.game):
        frame = frame_of(section, which, number)
        if section in MORE_THAN_A_TABLE:
            MORE_THAN_A_TABLE[section](frame, which, number, t)
        else:
            section_table(section, frame, which, number, t)
    if VIEWS[name].games:
        _recent_games(which, number, t)


def _trend(trend: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """The share won over time; a point that is chosen shows the deals it rests on."""
    st.header(heading("trend", which.game, t))
    if not trend.height:
        st.caption(t("None of these deals has a date."))
        return
    figure = figures.trend(trend, t, filters.fair_share(which))
    alt = t("Deals won of the last 50, after each day")
    point = chart(figure, alt, "drawn-trend", trend.height, t)
    st.caption(
        t("Each point is the share won of the last 50 deals up to that day, with its interval.")
    )
    if point is not None:
        _rolled(trend, point.row, which, number, t)


def _rolled(trend: pl.DataFrame, row: int, which: Scope, number: int, t: Translate) -> None:
    """The deals a point of the trend rests on: among those with a date, some are played later."""
    n, later = trend["n"][row], trend["played"][-1] - trend["played"][row]

    def page(limit: int, offset: int) -> pl.DataFrame:
        some = min(limit, n - offset)
        return answer(played.deals, which, number, {}, True, some, later + offset)

    deals_behind(n, page, "trend", t)


def _manches(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Matches and manches, and how many matches are left out."""
    manches(frame, which, number, t)
    matches_omitted(*answer(results.unfinished, which, number), t)


def _distribution(spread: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """How the points spread, drawn; a bar opens its deals, those won or those lost."""
    figure = figures.points(spread, t)
    bar = chart(figure, t("Points of this player"), "drawn-points", spread.height, t)
    behind = SECTIONS["distribution"].behind
    if bar is not None and behind is not None:
        narrow = behind(spread.row(bar.row, named=True))
        won = figures.WON[bar.trace]
        deals_of("distribution", which, number, {**narrow, "won": won}, t, "points")
    section_table("distribution", spread, which, number, t)


def _announcements(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """How often each announcement came to this player, and the games."""
    if not frame.height:
        no_announcement(t)
        return
    st.header(heading("announcements", which.game, t))
    mine = frame.with_columns(pl.lit(number).alias("player_no"))
    rows(mine, FREQUENCIES, which, t, "counted", "Counted", "player")
    _recent_games(which, number, t)


def _contracts(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """The share made by height, drawn, and every contract bid."""
    if not frame.height:
        st.caption(t("No contract bid in these deals."))
        return
    heights = frame.filter(pl.col("by") == "height", pl.col("decided") > 0)
    behind = SECTIONS["contracts"].behind
    if heights.height and behind is not None:
        figure, alt = contract_figures.made(heights, t), t("Share of contracts made, by height")
        point = chart(figure, alt, "drawn-heights", heights.height, t)
        if point is not None:
            narrow = behind(heights.row(point.row, named=True))
            deals_of("contracts", which, number, narrow, t, "heights")
    section_table("contracts", frame, which, number, t)


def _luck(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """The cards received against fair deals, and what that does not mean."""
    if not frame.height:
        st.info(t("No deal whose cards are all known."), icon=":material/search_off:")
        return
    row = frame.row(0, named=True)
    st.plotly_chart(figures.luck(row, t), alt=t("Cards received among fair deals"))
    section_table("luck", frame, which, number, t)
    verdict = (
        t("These cards were worth more than fair deals give 97.5 times of 100.")
        if row["low"] > 0
        else t("These cards were worth less than fair deals give 97.5 times of 100.")
        if row["high"] < 0
        else t("So much, more or less, fair deals give: nothing out of the ordinary.")
    )
    st.markdown(
        verdict
        + " "
        + t(
            "Per deal {mean} points, from {low} to {high}.",
            mean=decimal(row["per_deal"], t, 2),
            low=decimal(row["per_deal_low"], t, 2),
            high=decimal(row["per_deal_high"], t, 2),
        )
    )
    st.info(
        t(
            "What this does not mean: it is no measure of skill, and does not say who should have "
            "won. Card points are not the whole worth of a hand: trumps, announcements and when a "
            "card comes are not in it. Which cards are drawn depends a little on the tricks won, "
            "and a deal that ends early leaves cards undrawn. Of many players looked at, one in "
            "twenty stands out by chance alone."
        ),
        icon=":material/info:",
    )


def _apart(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """What chance gave beside its exact mean, what was made of it, and what that does not mean."""
    if not frame.height:
        return
    section_table("apart", frame, which, number, t)
    st.info(
        t(
            "Above, chance alone; below, what was made of it by everybody at the table. No line is "
            "the reason of another: good cards come to nothing against better ones, and a few "
            "deals say little."
        ),
        icon=":material/info:",
    )


def _unreckoned(frame: pl.DataFrame, t: Translate) -> None:
    """How many deals are not yet reckoned, where some are."""
    left = frame["unreckoned"][0]
    if left:
        told = t("Not yet reckoned: {n} deals.", n=count_of(left, t))
        st.info(told, icon=":material/hourglass_top:")


def _bid_choice(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """What other bid cards would have given, and what that does not mean."""
    if not frame.height:
        return
    _unreckoned(frame, t)
    section_table("bid-choice", frame, which, number, t)
    st.info(
        t(
            "It is told with the tricks known, as nobody knows them who bids: no reproach, and no "
            "advice. With another bid the same cards are played for other tricks."
        ),
        icon=":material/info:",
    )


def _ends(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """What was lost in the ends of deals, and what that does not mean."""
    if not frame.height:
        st.info(t("Nothing of these deals is solved."), icon=":material/search_off:")
        return
    _unreckoned(frame, t)
    section_table("ends", frame, which, number, t, details=filters.details(t))
    st.info(
        t(
            "Best play knows all hands: a loss is what there was to find, not a reproach. "
            "It says nothing of what came before, and a few deals say little."
        ),
        icon=":material/info:",
    )


def _records(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Records with their replays."""
    title = heading("records", which.game, t)
    told = section_rows("records", frame, which.game, t)
    rows = [
        {
            "open": replay(t("Replay"), row["match_id"], row["number"]),
            **said,
            t("Players"): at_table({**row, "game": which.game}),
        }
        for row, said in zip(frame.iter_rows(named=True), told, strict=True)
    ]
    st.header(title)
    linked(rows, "open-record", title, t, SECTIONS["records"].columns)


MORE_THAN_A_TABLE: dict[str, Callable[[pl.DataFrame, Scope, int, Translate], None]] = {
    "trend": _trend,
    "manches": _manches,
    "distribution": _distribution,
    "announcements": _announcements,
    "contracts": _contracts,
    "luck": _luck,
    "ends": _ends,
    "apart": _apart,
    "bid-choice": _bid_choice,
    "records": _records,
}
"""Sections that are more than a table."""


def _recent_games(which: Scope, number: int, t: Translate) -> None:
    """The games played last, of those the figures count."""
    st.header(t("Recent matches"))
    recent = last_first(answer(played.matches, which, number)).head(10)
    matches_of_game(recent, which.game, WON_OF, "open-recent", t, number)
    query = {
        "player": frame_of("player", which, number)["player_id"][0],
        "game": of(which.game).TITLE,
        "rules": which.preset,
        "event": asked(which.event),
        "since": which.since and which.since.isoformat(),
        "until": which.until and which.until.isoformat(),
    }
    st.page_link(
        "app_pages/parties.py",
        label=t("All matches of this player"),
        icon=":material/table_rows:",
        query_params={key: value for key, value in query.items() if value},
    )
