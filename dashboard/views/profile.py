"""One player at one game: a heading with the figures that matter, then one view of several."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from dashboard.figures import announcements as contract_figures
from dashboard.figures import players as figures
from dashboard.games import of
from dashboard.queries import people, played, results
from dashboard.queries.played import Narrow
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import FREQUENCIES
from dashboard.tables.profile import (
    SECTIONS,
    WON_OF,
    few,
    has_section,
    heading,
    on_page,
    reasons_line,
    section_columns,
    section_rows,
)
from dashboard.tables.readable import asked
from dashboard.text.numbers import count_of, decimal, percent
from dashboard.views.announcements import no_announcement, rows
from dashboard.widgets import filters
from dashboard.widgets.linked import Cell, at_table, find_link, grid, linked
from dashboard.widgets.matches import (
    deals_behind,
    last_first,
    matches_behind,
    matches_of_game,
    replay,
)
from dashboard.widgets.metrics import (
    OUT,
    Metric,
    behind,
    chart,
    deals_omitted,
    matches_omitted,
    metrics,
    omitted,
)
from dashboard.widgets.people import me_button, named_rows
from dashboard.widgets.store import answer, readable
from ingest.i18n import N_, Translate
from ingest.text.signs import plain


def frame_of(name: str, which: Scope, number: int) -> pl.DataFrame:
    """What a section's query answers of a player."""
    section = SECTIONS[name]
    return answer(section.query, section.counts(which), number)


def section_table(
    name: str,
    frame: pl.DataFrame,
    which: Scope,
    number: int,
    t: Translate,
    matches: bool = False,
    details: bool = True,
) -> int | None:
    """The section under its heading, and the deals behind a row; which row is open.

    `matches`: what is behind a row are matches, and the caller lists them.
    """
    section, title = SECTIONS[name], heading(name, which.game, t)
    st.header(title)
    columns = section_columns(name, frame, details)
    opens = section.opens if matches or section.behind is not None else ""
    rows: Sequence[Mapping[str, Cell]] = section_rows(name, readable(frame), which.game, t, details)
    if "player_no" in frame.columns:
        rows = named_rows(columns, frame, which.game, t, columns[0].label)
    grey = few(name, frame)
    chosen = grid(rows, columns, grey, f"sheet-{name}", title, t, opens)
    if not section.decided:
        st.caption(t("Deals that nobody won count here, too."))
    if chosen is not None and section.behind is not None:
        row = frame.row(chosen, named=True)
        deals_of(name, section.scope(row, which), number, section.behind(row), t)
    return chosen


def manches(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Matches and manches; a row that is open shows the matches it counts."""
    chosen = section_table("manches", frame, which, number, t, matches=True)
    if chosen is not None:
        what = frame["what"][chosen]
        own = of(which.game).MATCH_COLUMNS
        found = answer(results.behind, which, number, what)
        matches_behind(found, which.game, own, f"manches-{what}", t, number)


def deals_of(
    name: str, which: Scope, number: int, narrow: Narrow, t: Translate, key: str = ""
) -> None:
    """The deals behind a row of a section, a page of them, each with its replay.

    `key`: of the list, where a section has another one.
    """
    asked = (SECTIONS[name].counts(which), number, narrow, SECTIONS[name].decided)
    total = answer(played.count, *asked)
    deals_behind(total, lambda *page: answer(played.deals, *asked, *page), key or name, t)


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


def player_profile(number: int, name: str, t: Translate) -> None:
    """All there is of a player, at a table chosen among the player's own."""
    with st.container(horizontal=True, key="who", vertical_alignment="center"):
        st.button(
            t("All players"),
            icon=":material/arrow_back:",
            key="all-players",
            on_click=_leave,
        )
        st.text(plain(name))
        [(player_id, _)] = answer(people.named, number)
        me_button(player_id, t)
        find_link(t, player_id)
    which = filters.scope(t, number, sheets=True)
    if which is None:
        st.info(t("No deal of this player in the store."), icon=":material/inbox:")
        return
    if _head(which, number, t):
        views = offered(which.game)
        chosen = filters.side_by_side(t("Figures of this player"), views, "results", "view", t)
        view_page(chosen if chosen in views else "results", which, number, t)


def _head(which: Scope, number: int, t: Translate) -> bool:
    """The figures that matter, and the list behind one of them. False: no deal counts."""
    out = reasons_line(frame_of("left-out", which, number), t)
    left = omitted(which, t, number, decided=True)
    frame = frame_of("player", which, number)
    if not frame.height:
        st.info(t("None of these deals counts; left out: {out}.", out=out), icon=":material/inbox:")
        if behind(left, "figures", t):
            deals_omitted(which, t, number, decided=True)
        return False
    asked = _figures(frame.row(0, named=True), which, left, t)
    st.caption(
        t("Only deals that count and have a winner; left out: {out}. Grey: fewer than 20.", out=out)
    )
    if asked == "matches":
        found = answer(played.matches, which, number)
        matches_behind(found, which.game, WON_OF, "figures", t, number)
    elif asked == OUT:
        deals_omitted(which, t, number, decided=True)
    elif asked:
        deals_of("results", which, number, {}, t, "figures")
    return True


def _on_sheets(row: Mapping[str, Any], t: Translate) -> str:
    """How many of a player's deals are told by score sheets, where some are."""
    told = row.get("told", 0)
    return t("on score sheets {n}", n=count_of(told, t)) if told else ""


def _leave() -> None:
    st.query_params.pop("player", None)


def _figures(
    row: Mapping[str, Any], which: Scope, left: Mapping[str, str], t: Translate
) -> str | None:
    """Figures of a player's row of `queries.players.table`; the key of the list asked for."""
    n = row["parties"]
    share = f"{percent(row['low'], t)} – {percent(row['high'], t)}"
    low, high = row["points_low"], row["points_high"]
    points = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
    shown = {
        "matches": Metric(t("Matches"), count_of(row["matches"], t), "match"),
        "deals": Metric(
            t(of(which.game).COUNTED_DEALS), count_of(n, t), "n", n, _on_sheets(row, t)
        ),
        "won": Metric(t("Won"), percent(row["share"], t), "share", n, share),
        "points": Metric(t("Average points"), decimal(row["points"], t), "points", n, points),
    }
    return metrics(shown, "figures", t, left)
