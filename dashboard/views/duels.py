"""Two sides on a page: how often each won, series, margins, announcements, their matches."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import players as figures
from dashboard.queries import duels, people
from dashboard.queries.duels import Of, Side
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import KIND
from dashboard.tables.players import LEADS, LEFT_OUT, NOW, SCORE, SERIES, WIDEST, WON, WON_BY
from dashboard.text.columns import Column, asked_for
from dashboard.text.numbers import count_of, day, days, decimal, markdown, short
from dashboard.widgets import filters
from dashboard.widgets.linked import PAGE, frame_grid, linked, numbered, player_link
from dashboard.widgets.matches import (
    deals_behind,
    last_first,
    matches_behind,
    matches_of_game,
    replay,
)
from dashboard.widgets.metrics import OUT, Metric, left_out_button, matches_omitted, metrics
from dashboard.widgets.store import answer
from engine.games import game
from ingest.i18n import Translate


def pairs(which: Scope, one: int, other: int, t: Translate) -> tuple[Side, Side]:
    """Both sides, each with a partner where the game has some and one is chosen."""
    if not game(which.game).partners:
        return (one,), (other,)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = filters.player(t("Partner of the first"), t("Any partner"), "one-with", t)
        second = filters.player(t("Partner of the second"), t("Any partner"), "other-with", t)
    return (
        (one,) if first is None else (one, first),
        (other,) if second is None else (other, second),
    )


def totals(found: Mapping[str, int], which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Matches as `queries.duels.series` counts them, and those left out by their reason."""
    shown = {
        name: Metric(t(label), count_of(found[name], t), "match") for name, label in WON.items()
    }
    more = left_out_button(found["unfinished"] + found["left_out"], t)
    asked = metrics(shown, "duel-totals", t, more)
    matches_omitted(found["unfinished"], found["left_out"], t)
    if asked:
        matches_behind(*_of_series(asked, which, one, other), "duel-totals", t)


def _of_series(
    asked: str, which: Scope, one: Side, other: Side
) -> tuple[pl.DataFrame, str, tuple[Column, ...]]:
    """The matches behind a figure of `totals`, their game, and the columns they have."""
    if asked == "partners":
        return answer(duels.partners, which, one, other), which.game, ()
    found = answer(duels.matches, which, one, other)
    if asked != OUT:
        return found.filter(won=asked), which.game, WON_BY
    unfinished = found.filter(won="unfinished").with_columns(reason=pl.col("won"))
    both = pl.concat([unfinished.drop("won"), answer(duels.left_out, which, one, other)])
    return both.sort("played_at", "match_no", nulls_last=True), which.game, LEFT_OUT


def people_links(which: Scope, t: Translate, *numbers: int) -> None:
    """The way to the figures of each player, by name."""
    with st.container(horizontal=True):
        for player_id, name in answer(people.named, *numbers):
            player_link(player_id, which.game, t, markdown(short(name)))


def compared(which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Shares, the lead over time, the margin, series and who leads which announcement."""
    found = answer(duels.matches, which, one, other)
    told = filters.details(t)
    _score(found, which, one, other, told, t)
    if found.filter(pl.col("won") != "unfinished").height > 1:
        st.plotly_chart(figures.lead(found, t), alt=t("Who is ahead, match after match"))
    margin = answer(duels.margins, which, one, other).row(0, named=True)
    _margin(margin, which, one, other, t)
    st.header(t("Series and margins"))
    _records(duels.streaks(found), answer(duels.widest, which, one, other), t)
    _leads(which, one, other, told, t)


def _score(
    found: pl.DataFrame, which: Scope, one: Side, other: Side, told: bool, t: Translate
) -> None:
    """Matches and deals each won, and the list of them; `told`: with the details."""
    frame, columns = answer(duels.score, which, one, other), asked_for(SCORE, told)
    chosen = frame_grid(frame, columns, "duel-score", t("Head to head"), t, "Group")
    if chosen is not None and frame["what"][chosen] == "deals":
        _behind("duel-score", which, one, other, "score", t)
    elif chosen is not None:
        won = found.filter(pl.col("won").is_in(["one", "other"]))
        matches_behind(won, which.game, WON_BY, "duel-won", t)


def _leads(which: Scope, one: Side, other: Side, told: bool, t: Translate) -> None:
    """Who counts which announcement more often; nothing in a game without announcements."""
    frame = answer(duels.announcements, which, one, other)
    if not frame.height:
        return
    st.header(t("Who leads which announcement"))
    columns, alt = asked_for(LEADS, told), t("Announcements by kind")
    chosen = frame_grid(frame, columns, "duel-leads", alt, t, KIND.label)
    if chosen is not None:
        _behind("duel-leads", which, one, other, frame.select("kind", "trump").row(chosen), t)


def _behind(key: str, which: Scope, one: Side, other: Side, of: Of, t: Translate) -> None:
    """The deals behind a figure."""
    asked = (which, one, other, of)
    total = answer(duels.behind_count, *asked)
    deals_behind(total, lambda *page: answer(duels.behind, *asked, *page), key, t)


def _margin(row: Mapping[str, Any], which: Scope, one: Side, other: Side, t: Translate) -> None:
    """The mean margin of the first, and the deals it is the mean of."""
    if not row["n"]:
        return
    low, high = row["margin_low"], row["margin_high"]
    interval = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
    label = t("Average margin of the first in a deal")
    margin = Metric(label, decimal(row["margin"], t), "margin", row["n"], interval)
    if metrics({"margin": margin}, "duel-margin", t):
        _behind("duel-margin", which, one, other, "margin", t)


def _records(streaks: pl.DataFrame, widest: pl.DataFrame, t: Translate) -> None:
    """Series and the widest margins, each opening where it began or was set."""
    rows = list[dict[str, Any]]()
    for row in streaks.iter_rows(named=True):
        label = t((NOW if row["now"] else SERIES)[row["side"]])
        when = days(row["played_at"], row["until"], t)
        rows.append(_record(row["match_id"], 1, label, row["length"], when, t))
    for row in widest.iter_rows(named=True):
        label = t(WIDEST[row["side"]])
        when = day(row["played_at"], t)
        rows.append(_record(row["match_id"], row["number"], label, row["margin"], when, t))
    linked(rows, "open-duel-record", t("Series and margins"), t)


def _record(
    match_id: str, deal: int, label: str, value: int, when: str, t: Translate
) -> dict[str, Any]:
    return {
        "open": replay(t("Replay"), match_id, deal),
        t("Record"): label,
        t("Count"): value,
        t("Played on"): when,
    }


def games(which: Scope, found: pl.DataFrame, t: Translate) -> None:
    """Their matches, last played first, a page of them."""
    st.header(t("Their matches"))
    place, offset = st.container(), numbered(found.height, "page", address=True)
    with place:
        shown = last_first(found).slice(offset, PAGE)
        matches_of_game(shown, which.game, WON_BY, "open-duel", t)
