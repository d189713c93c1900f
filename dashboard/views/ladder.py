"""The ladder on a page: rated before it is asked for, a table, one player's way on it."""

from typing import Any
from weakref import WeakKeyDictionary

import polars as pl
import streamlit as st

from dashboard.figures import ladder as figures
from dashboard.queries import ladder as queries
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.queries.version import version
from dashboard.tables.profile import Column, counted, lines
from dashboard.text.numbers import count_of, day, decimal, yes_or_no
from dashboard.widgets.chart import drawn
from dashboard.widgets.filters import GAMES
from dashboard.widgets.grid import grid, matches_behind
from dashboard.widgets.metrics import OUT, behind
from dashboard.widgets.store import answer, store, writing
from ingest.i18n import N_, Translate
from ingest.store import ratings as ladder
from ingest.store.store import Store

REASONS = {
    "faulty": N_("not legal"),
    "unfinished": N_("unfinished"),
    "undated": N_("without a date"),
}
FILTERED = N_(
    "Filters choose the players listed and the matches counted. Ranks and ratings stay those of "
    "the whole ladder, and so does a player’s curve."
)
UNRATED = (Column(N_("Reason"), lambda row, t: t(REASONS[row["reason"]])),)
"""What is told of a match that is not rated."""
LADDER = (
    Column(N_("Rank"), lambda row, t: row["rank"], "rank"),
    Column(N_("Name"), lambda row, t: row["name"]),
    Column(N_("At least (μ − 3σ)"), lambda row, t: decimal(row["value"], t), "at-least"),
    Column("μ", lambda row, t: decimal(row["mu"], t), "rating"),
    Column("σ", lambda row, t: decimal(row["sigma"], t), "sigma"),
    Column(
        N_("Standing"),
        lambda row, t: t(N_("provisional")) if row["provisional"] else t(N_("established")),
        "provisional",
    ),
    counted(N_("Matches"), "n", "rated"),
    counted(N_("Won"), "wins", "rated"),
    Column(N_("Played last on"), lambda row, t: day(row["last"], t)),
)
"""What the ladder says of each player."""
RATED = (
    Column(N_("Won"), lambda row, t: yes_or_no(row["won"], t)),
    Column(N_("Place"), lambda row, t: row["rank"]),
    Column(N_("At least (μ − 3σ)"), lambda row, t: decimal(row["value"], t), "at-least"),
    Column("μ", lambda row, t: decimal(row["mu"], t), "rating"),
    Column("σ", lambda row, t: decimal(row["sigma"], t), "sigma"),
)
"""What is told of a match: how it went for the player, the rating after it."""
_rated: WeakKeyDictionary[Store, tuple[int, int]] = WeakKeyDictionary()
"""Open store → the version of it whose ladders are up to date."""


def rate(t: Translate) -> None:
    """Bring every ladder up to date; only the first page run after a change has work to do."""
    opened = store()
    with writing:
        now = version(opened.cursor())
        if _rated.get(opened) == now:
            return
        bar = st.empty()

        def show(done: int, total: int) -> None:
            bar.progress(done / total, text=t("Rating matches…"))

        ladder.refresh(opened, show)
        bar.empty()
        _rated[opened] = now


def choose(frame: pl.DataFrame, t: Translate) -> tuple[str, str]:
    """A game and preset of `queries.ladder.ladders`, by the address or the most played."""
    offered = {f"{GAMES[game]} · {preset}": (game, preset) for game, preset, *_ in frame.rows()}
    label = st.selectbox(t("Ladder"), list(offered), key="ladder", bind="query-params", width=300)
    return offered[label]


def table(frame: pl.DataFrame, t: Translate) -> int | None:
    """Rows of `queries.ladder.standings`; the row chosen, if any."""
    rows, grey = lines(LADDER, frame, t), (frame["n"] < FEW).to_list()
    hint = t("Choose a row to see one player’s way.")
    return grid(rows, LADDER, grey, "standings", t("Ladder"), t, opens=True, hint=hint)


def left_out(which: Scope, t: Translate) -> str:
    """How many matches are not rated, and why: `not legal 3, unfinished 1`, or `0`."""
    found = answer(queries.left_out, which)
    told = [f"{t(REASONS[reason])} {count_of(n, t)}" for reason, n in found.items() if n]
    return ", ".join(told) or "0"


def leaves_out(which: Scope, t: Translate) -> None:
    """The matches that are not rated, each with its reason, when they are asked for."""
    n = sum(answer(queries.left_out, which).values())
    if n and behind({OUT: t("Left out: {n}", n=count_of(n, t))}, "unrated", t):
        matches_behind(answer(queries.unrated, which), which.game, UNRATED, "unrated", t)


def filtered(which: Scope, t: Translate) -> None:
    """What filters do not choose, once some are set."""
    if which != queries.whole(which):
        st.caption(t(FILTERED))


def way(row: dict[str, Any], which: Scope, t: Translate) -> None:
    """One player's ratings over time, all of them, and the matches looked at."""
    st.header(t("Over time"))
    st.text(row["name"])
    every = answer(queries.history, row["player_no"], queries.whole(which))
    key = f"drawn-{row['player_no']}"
    point = drawn(
        figures.history(every, t), t("Rating of this player over time"), key, len(every), t
    )
    if point is not None:
        matches_behind(every[point.row : point.row + 1], which.game, RATED, key, t)
    st.page_link(
        "app_pages/joueurs.py",
        label=t("Figures of this player"),
        icon=":material/groups:",
        query_params={"player": row["player_id"], "game": GAMES[which.game]},
    )
    found = answer(queries.history, row["player_no"], which)
    matches_behind(found, which.game, RATED, f"rated-{row['player_no']}", t)
