"""Two sides on a page: how often each won, series, margins, announcements, their matches."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from dashboard.board.states import short
from dashboard.figures import duels as figures
from dashboard.figures import percent
from dashboard.queries import duels, people
from dashboard.queries.duels import Of, Side
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.profile import INTERVAL, REASONS, Column, N, Row, counted, lines, shared
from dashboard.text.numbers import count_of, day, decimal
from dashboard.widgets import filters as choose
from dashboard.widgets.filters import GAMES
from dashboard.widgets.grid import (
    deals_behind,
    grid,
    last_first,
    matches_behind,
    matches_list,
    replay_table,
)
from dashboard.widgets.language import markdown
from dashboard.widgets.matches import PAGE
from dashboard.widgets.metrics import OUT, Metric, matches_omitted, metrics
from dashboard.widgets.store import answer
from engine.games import game
from ingest.finding.words import KINDS
from ingest.i18n import N_, Translate

WON = {
    "one": N_("Won by the first"),
    "other": N_("Won by the second"),
    "third": N_("Won by a third"),
    "nobody": N_("Without a winner"),
    "partners": N_("As partners"),
}
LEADER = {"one": N_("the first"), "other": N_("the second"), None: N_("not sure")}
WINNER = {
    "one": N_("the first"),
    "other": N_("the second"),
    "third": N_("a third"),
    "nobody": N_("nobody"),
    "unfinished": N_("unfinished"),
}
SCORES = {"matches": N_("Matches"), "deals": N_("Deals")}
SERIES = {"one": N_("Longest series of the first"), "other": N_("Longest series of the second")}
NOW = {"one": N_("The first goes on winning"), "other": N_("The second goes on winning")}
WIDEST = {"one": N_("Widest margin of the first"), "other": N_("Widest margin of the second")}


def _difference(row: Row, t: Translate) -> str:
    return f"{percent(row['low'], t)} – {percent(row['high'], t)}"


def _trump(row: Row, t: Translate) -> str:
    if row["kind"] in ("quinte", "trente"):
        return "–"  # these have no suit
    return t("trump") if row["trump"] else t("plain")


SCORE = (
    Column(N_("Of"), lambda row, t: t(SCORES[row["what"]])),
    counted(WON["one"], "k", "duel"),
    counted(WON["other"], "other_k", "duel"),
    N,
    shared(N_("Share of the first"), about="duel"),
    INTERVAL,
)
LEADS = (
    Column(N_("Announcement"), lambda row, t: t(KINDS[row["kind"]])),
    Column(N_("Trump"), _trump),
    counted(N_("Counted by the first"), "k", "counted"),
    counted(N_("Counted by the second"), "other_k", "counted"),
    N,
    shared(N_("Difference"), "difference", "ahead"),
    Column(N_("95% interval"), _difference, "ahead"),
    Column(N_("Who leads"), lambda row, t: t(LEADER[row["leads"]]), "ahead"),
)


WON_BY = (Column(N_("Won by"), lambda row, t: t(WINNER[row["won"]])),)
LEFT_OUT = (Column(N_("Reason"), lambda row, t: t({**WINNER, **REASONS}[row["reason"]])),)


def pairs(which: Scope, one: int, other: int, t: Translate) -> tuple[Side, Side]:
    """Both sides, each with a partner where the game has some and one is chosen."""
    if not game(which.game).partners:
        return (one,), (other,)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = choose.player(t("Partner of the first"), t("Any partner"), "one-with", t)
        second = choose.player(t("Partner of the second"), t("Any partner"), "other-with", t)
    return (
        (one,) if first is None else (one, first),
        (other,) if second is None else (other, second),
    )


def totals(found: Mapping[str, int], which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Matches as `queries.duels.series` counts them, and those left out by their reason."""
    shown = {
        name: Metric(t(label), count_of(found[name], t), "match") for name, label in WON.items()
    }
    out = found["unfinished"] + found["left_out"]
    more = {OUT: t("Left out: {n}", n=count_of(out, t))} if out else {}
    asked = metrics(shown, "duel-totals", t, more)
    matches_omitted(found["unfinished"], found["left_out"], t)
    if asked:
        matches_behind(*_of_series(asked, which, one, other), "duel-totals", t)


def _of_series(
    asked: str, which: Scope, one: Side, other: Side
) -> tuple[pl.DataFrame, str, tuple[Column, ...]]:
    """The matches behind a figure of `totals`, their game, and what is told of each."""
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
            st.page_link(
                "app_pages/joueurs.py",
                label=markdown(short(name)),
                icon=":material/groups:",
                help=t("Figures of this player"),
                query_params={"player": player_id, "game": GAMES[which.game]},
            )


def compared(which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Shares, the lead over time, the margin, series and who leads which announcement."""
    frame = answer(duels.score, which, one, other)
    few = (frame["n"] < FEW).to_list()
    rows, alt = lines(SCORE, frame, t), t("Head to head")
    chosen = grid(rows, SCORE, few, "duel-score", alt, t, opens=True)
    found = answer(duels.matches, which, one, other)
    if chosen is not None and frame["what"][chosen] == "deals":
        _behind("duel-score", which, one, other, "score", t)
    elif chosen is not None:
        won = found.filter(pl.col("won").is_in(["one", "other"]))
        matches_behind(won, which.game, WON_BY, "duel-won", t)
    if found.filter(pl.col("won") != "unfinished").height > 1:
        st.plotly_chart(figures.lead(found, t), alt=t("Who is ahead, match after match"))
    margin = answer(duels.margins, which, one, other).row(0, named=True)
    _margin(margin, which, one, other, t)
    st.header(t("Series and margins"))
    _records(duels.streaks(found), answer(duels.widest, which, one, other), t)
    said = answer(duels.announcements, which, one, other)
    if said.height:
        st.header(t("Who leads which announcement"))
        few = (said["n"] < FEW).to_list()
        rows, alt = lines(LEADS, said, t), t("Announcements by kind")
        chosen = grid(rows, LEADS, few, "duel-leads", alt, t, opens=True)
        if chosen is not None:
            _behind("duel-leads", which, one, other, said.select("kind", "trump").row(chosen), t)


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
    rows, links = list[dict[str, Any]](), list[tuple[str, int]]()
    for row in streaks.iter_rows(named=True):
        first, last = day(row["played_at"], t), day(row["until"], t)
        label = t((NOW if row["now"] else SERIES)[row["side"]])
        when = first if first == last else f"{first} – {last}"
        rows.append(_record(label, row["length"], when, t))
        links.append((row["match_id"], 1))
    for row in widest.iter_rows(named=True):
        label = t(WIDEST[row["side"]])
        rows.append(_record(label, row["margin"], day(row["played_at"], t), t))
        links.append((row["match_id"], row["number"]))
    if rows:
        replay_table(rows, links, "open-duel-record", t("Series and margins"), t)


def _record(label: str, value: int, when: str, t: Translate) -> dict[str, Any]:
    return {"open": t("Replay"), t("Record"): label, t("How many"): value, t("Played on"): when}


def games(which: Scope, found: pl.DataFrame, t: Translate) -> None:
    """Their matches, last played first, a page of them."""
    st.header(t("Their matches"))
    place = st.container()
    pages = max(1, -(-found.height // PAGE))
    page = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    shown = last_first(found).slice((page - 1) * PAGE, PAGE)
    with place:
        matches_list(shown, which.game, WON_BY, "open-duel", t)
