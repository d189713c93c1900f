"""The views of one player: each asks its sections and shows them."""

import polars as pl
import streamlit as st

from dashboard.figures import contracts as contract_figures
from dashboard.figures import players as figures
from dashboard.queries import announcements as announcing
from dashboard.queries import played
from dashboard.queries import points as pointing
from dashboard.queries import results as resulting
from dashboard.queries.profile import SECTIONS
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import FREQUENCIES
from dashboard.tables.profile import HEADINGS, told
from dashboard.text.numbers import decimal
from dashboard.views.announcements.rows import rows
from dashboard.views.profile.sheet import BEHIND, COUNTS, deals, sheet
from dashboard.widgets import filters as choose
from dashboard.widgets.chart import drawn
from dashboard.widgets.grid import deals_behind, last_first, matches_list, replay_table
from dashboard.widgets.metrics import matches_omitted
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def results(which: Scope, number: int, t: Translate) -> None:
    """Deals won by seat and table, over time, matches and manches."""
    sheet("results", answer(SECTIONS["results"], which, number), which, number, t)
    trend = answer(pointing.trend, which, number)
    st.header(t(HEADINGS["trend"]))
    if trend.height:
        figure = figures.trend(trend, t, choose.fair_share(which))
        alt = t("Deals won of the last 50, after each day")
        point = drawn(figure, alt, "drawn-trend", trend.height, t)
        st.caption(
            t("Each point is the share won of the last 50 deals up to that day, with its interval.")
        )
        if point is not None:
            _rolled(trend, point.row, which, number, t)
    else:
        st.caption(t("None of these deals has a date."))
    sheet("manches", answer(resulting.manches, which, number), which, number, t)
    matches_omitted(*answer(resulting.unfinished, which, number), t)
    sheet("tables", answer(resulting.tables, which, number), which, number, t)
    _games(which, number, t)


def points(which: Scope, number: int, t: Translate) -> None:
    """Averages, how the points spread, the last trick and the 7."""
    sheet("averages", answer(SECTIONS["averages"], which, number), which, number, t)
    spread = answer(pointing.distribution, which, number)
    figure = figures.points(spread, t)
    bar = drawn(figure, t("Points of this player"), "drawn-points", spread.height, t)
    if bar is not None:
        won = figures.WON[bar.trace]
        narrow = BEHIND["distribution"](spread.row(bar.row, named=True))
        deals("points", which, number, {**narrow, "won": won}, t)
    sheet("distribution", spread, which, number, t)
    sheet("events", answer(SECTIONS["events"], which, number), which, number, t)


def announcements(which: Scope, number: int, t: Translate) -> None:
    """How often each announcement came to this player, and the games."""
    frame = answer(announcing.frequencies, which, number)
    if not frame.height:
        st.info(t("No announcement in these deals."), icon=":material/search_off:")
        return
    st.header(t("Announcements"))
    own = frame.with_columns(pl.lit(number).alias("player_no"))
    rows(own, FREQUENCIES, which, t, "counted", "player")
    _games(which, number, t)


def contracts(which: Scope, number: int, t: Translate) -> None:
    """Contracts bid by height and suit, and each partner."""
    frame = answer(SECTIONS["contracts"], which, number)
    if frame.height:
        heights = frame.filter(pl.col("by") == "height", pl.col("decided") > 0)
        if heights.height:
            figure = contract_figures.made(heights, t)
            alt = t("Share of contracts made, by height")
            point = drawn(figure, alt, "drawn-heights", heights.height, t)
            if point is not None:
                row = heights.row(point.row, named=True)
                deals("contracts", which, number, BEHIND["contracts"](row), t, "heights")
        sheet("contracts", frame, which, number, t)
    else:
        st.caption(t("No contract bid in these deals."))
    sheet("partners", answer(SECTIONS["partners"], which, number), which, number, t)


def bids(which: Scope, number: int, t: Translate) -> None:
    """Bid cards and whether they were met, and the reserve."""
    sheet("bid-cards", answer(SECTIONS["bid-cards"], which, number), which, number, t)
    sheet("reserve", answer(SECTIONS["reserve"], which, number), which, number, t)


def luck(which: Scope, number: int, t: Translate) -> None:
    """The cards received against fair deals, and what that does not mean."""
    frame = answer(SECTIONS["luck"], which, number)
    if not frame.height:
        st.info(t("No deal whose cards are all known."), icon=":material/search_off:")
        return
    row = frame.row(0, named=True)
    st.plotly_chart(figures.luck(row, t), alt=t("Cards received among fair deals"))
    sheet("luck", frame, which, number, t)
    said = (
        t("These cards were worth more than fair deals give 97.5 times of 100.")
        if row["low"] > 0
        else t("These cards were worth less than fair deals give 97.5 times of 100.")
        if row["high"] < 0
        else t("So much, more or less, fair deals give: nothing out of the ordinary.")
    )
    st.markdown(
        said
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


def records(which: Scope, number: int, t: Translate) -> None:
    """Records with their replays, and the games played last."""
    frame = answer(SECTIONS["records"], which, number)
    rows = [{"open": t("Replay"), **row} for row in told("records", frame, which.game, t)]
    st.header(t(HEADINGS["records"]))
    links = frame.select("match_id", "number").rows()
    replay_table(rows, links, "open-record", t(HEADINGS["records"]), t)
    _games(which, number, t)


def _rolled(trend: pl.DataFrame, row: int, which: Scope, number: int, t: Translate) -> None:
    """The deals a point of the trend rests on: among those with a date, some are played later."""
    n, later = trend["n"][row], trend["played"][-1] - trend["played"][row]

    def page(limit: int, offset: int) -> pl.DataFrame:
        some = min(limit, n - offset)
        return answer(played.deals, which, number, {}, True, some, later + offset)

    deals_behind(n, page, "trend", t)


def _games(which: Scope, number: int, t: Translate) -> None:
    """The games played last, of those the figures count."""
    st.header(t("Recent games"))
    recent = last_first(answer(played.matches, which, number)).head(10)
    matches_list(recent, which.game, COUNTS, "open-recent", t)
    query = {
        "player": answer(SECTIONS["player"], which, number)["player_id"][0],
        "game": which.game.capitalize(),
        "rules": which.preset,
        "event": which.event,
        "since": which.since and which.since.isoformat(),
        "until": which.until and which.until.isoformat(),
    }
    st.page_link(
        "app_pages/parties.py",
        label=t("All games of this player"),
        icon=":material/table_rows:",
        query_params={key: value for key, value in query.items() if value},
    )
