"""Two sides on a page: how often each won, series, margins, announcements, their matches."""

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import players as figures
from dashboard.queries import head_to_head, matches, player_deals, player_search
from dashboard.queries.head_to_head import Of, Side
from dashboard.queries.scope import Scope
from dashboard.tables.announcements import KIND
from dashboard.tables.players import LEADS, LEFT_OUT, NOW, SCORE, SERIES, WIDEST, WON, WON_BY
from dashboard.text.columns import Column, asked_for
from dashboard.text.numbers import count_of, day, days, decimal, markdown, short
from dashboard.widgets import filters, link_table, lists
from dashboard.widgets.current_store import answer
from engine.games import game, title
from ingest.i18n import Translate


def page(t: Translate) -> None:
    """Two players, or two pairs, against each other: who won how often, by how much, with what."""
    if not answer(matches.count):
        link_table.nothing_yet(t("Nobody to compare yet. Add a file of games first."), t)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one = filters.player(t("First player"), t("Choose a player"), "one", t)
        other = filters.player(t("Second player"), t("Choose a player"), "other", t)
    if one is None or other is None or one == other or -1 in (one, other):
        st.info(t("Choose two players to see who wins."), icon=":material/swords:")
        return
    which = filters.scope(t, one, other, sheets=True)
    if which is not None:
        first, second = _sides(which, one, other, t)
        series = answer(head_to_head.series, which, first, second)
    if which is None or not any(series.values()):
        st.info(t("These two never met in such a match."), icon=":material/search_off:")
        return
    with st.container(horizontal=True):
        about = t("Figures of this player")
        for player_id, name in answer(player_search.named, *first, *second):
            at = {"player": player_id, "game": title(which.game)}
            link_table.page_link(link_table.PLAYERS, markdown(short(name)), "groups", about, **at)
    _totals(series, which, first, second, t)
    found = answer(head_to_head.matches, which, first, second)
    if not found.height:
        return
    _compared(found, which, first, second, t)
    st.header(t("Their matches"))
    with link_table.numbered(found.height, "page", address=True) as offset:
        shown = lists.last_first(found).slice(offset, link_table.PAGE)
        lists.matches_of_game(shown, which.game, WON_BY, "open-duel", t)


def _sides(which: Scope, one: int, other: int, t: Translate) -> tuple[Side, Side]:
    """Both sides, each with a partner where the game has some and one is chosen."""
    if not game(which.game).partners:
        return (one,), (other,)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = filters.player(t("Partner of the first"), t("Any partner"), "one-with", t)
        second = filters.player(t("Partner of the second"), t("Any partner"), "other-with", t)
    mine = (one,) if first is None else (one, first)
    return mine, (other,) if second is None else (other, second)


def _totals(found: Mapping[str, int], which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Matches as `queries.duels.series` counts them, and those left out by their reason."""
    told = ((name, t(label), count_of(found[name], t)) for name, label in WON.items())
    shown = {name: lists.Metric(label, n, "match") for name, label, n in told}
    more = lists.left_out_button(found["unfinished"] + found["left_out"], t)
    asked = lists.metrics(shown, "duel-totals", t, more)
    lists.matches_omitted(found["unfinished"], found["left_out"], t)
    if not asked:
        return
    columns: tuple[Column, ...] = ()
    if asked == "partners":
        some = answer(head_to_head.partners, which, one, other)
    elif asked == lists.OUT:
        every = answer(head_to_head.matches, which, one, other).filter(won="unfinished")
        unfinished = every.with_columns(reason=pl.col("won")).drop("won")
        some = pl.concat([unfinished, answer(head_to_head.left_out, which, one, other)])
        some, columns = some.sort("played_at", "match_no", nulls_last=True), LEFT_OUT
    else:
        some, columns = answer(head_to_head.matches, which, one, other).filter(won=asked), WON_BY
    lists.matches_behind(some, which.game, columns, "duel-totals", t)


def _compared(found: pl.DataFrame, which: Scope, one: Side, other: Side, t: Translate) -> None:
    """Shares, the lead over time, the margin, series and who leads which announcement."""
    told = filters.details(t)
    frame, columns = answer(head_to_head.score, which, one, other), asked_for(SCORE, told)
    chosen = link_table.frame_grid(frame, columns, "duel-score", t("Head to head"), t, "Group")
    if chosen is not None and frame["what"][chosen] == "deals":
        _behind("duel-score", which, one, other, "score", t)
    elif chosen is not None:
        won = found.filter(pl.col("won").is_in(["one", "other"]))
        lists.matches_behind(won, which.game, WON_BY, "duel-won", t)
    if found.filter(pl.col("won") != "unfinished").height > 1:
        st.plotly_chart(figures.lead(found, t), alt=t("Who is ahead, match after match"))
    row = answer(head_to_head.margins, which, one, other).row(0, named=True)
    if row["n"]:  # the mean margin of the first, and the deals it is the mean of
        low, high = row["margin_low"], row["margin_high"]
        interval = "" if low is None else f"{decimal(low, t)} – {decimal(high, t)}"
        label = t("Average margin of the first in a deal")
        margin = lists.Metric(label, decimal(row["margin"], t), "margin", row["n"], interval)
        if lists.metrics({"margin": margin}, "duel-margin", t):
            _behind("duel-margin", which, one, other, "margin", t)
    st.header(t("Series and margins"))
    _records(head_to_head.streaks(found), answer(head_to_head.widest, which, one, other), t)
    frame = answer(head_to_head.announcements, which, one, other)
    if frame.height:  # in a game with announcements
        st.header(t("Who leads which announcement"))
        columns, alt = asked_for(LEADS, told), t("Announcements by kind")
        chosen = link_table.frame_grid(frame, columns, "duel-leads", alt, t, KIND.label)
        if chosen is not None:
            _behind("duel-leads", which, one, other, frame.select("kind", "trump").row(chosen), t)


def _behind(key: str, which: Scope, one: Side, other: Side, of: Of, t: Translate) -> None:
    hands = head_to_head.hands_of(which, one, other, of)
    total = answer(player_deals.hands_count, hands)
    lists.deals_behind(total, lambda *page: answer(player_deals.listed, hands, *page), key, t)


def _records(streaks: pl.DataFrame, widest: pl.DataFrame, t: Translate) -> None:
    """Series and the widest margins, each opening where it began or was set."""
    rows = list[dict[str, Any]]()

    def record(row: Mapping[str, Any], deal: int, label: str, count: int, when: str) -> None:
        opens = lists.replay(t("Replay"), row["match_id"], deal)
        told = {t("Record"): t(label), t("Count"): count, t("Played on"): when}
        rows.append({"open": opens, **told})

    for row in streaks.iter_rows(named=True):
        label = (NOW if row["now"] else SERIES)[row["side"]]
        record(row, 1, label, row["length"], days(row["played_at"], row["until"], t))
    for row in widest.iter_rows(named=True):
        when = day(row["played_at"], t)
        record(row, row["number"], WIDEST[row["side"]], row["margin"], when)
    link_table.linked(rows, "open-duel-record", t("Series and margins"), t)
