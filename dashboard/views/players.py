"""Players at one game as a table, and the ladder with one player's way on it."""

from typing import Any

import polars as pl
import streamlit as st

from dashboard.figures import players as figures
from dashboard.games import of, rules_named
from dashboard.queries import ladder as queries
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.players import LADDER, RATED, UNRATED, UNRATED_REASONS, players_columns
from dashboard.text.columns import asked_for, with_sheets
from dashboard.text.numbers import count_of
from dashboard.widgets import filters
from dashboard.widgets.linked import grid
from dashboard.widgets.matches import matches_behind
from dashboard.widgets.metrics import chart, left_out_list
from dashboard.widgets.people import named_rows, with_form
from dashboard.widgets.store import answer
from ingest.i18n import N_, Translate


def players_table(frame: pl.DataFrame, which: Scope, details: bool, t: Translate) -> None:
    """Players of `queries.players.table`, `ranked`, at one game; each name leads to that player."""
    told = with_form(frame, which)
    columns = with_sheets(asked_for(players_columns(which.game), details), frame)
    grey = (frame["parties"] < FEW).to_list()
    grid(named_rows(columns, told, which.game, t), columns, grey, "players", t("Players"), t)
    st.caption(
        t(
            "Rank: on the ladder, of the rules chosen or of those most played. Form: the last "
            "matches, the latest last."
        )
    )


def wins_drawn(frame: pl.DataFrame, which: Scope, t: Translate) -> None:
    """The shares of the same players, drawn."""
    st.header(t("Deals won, with 95% intervals"))
    figure = figures.wins(frame, t, filters.fair_share(which))
    st.plotly_chart(figure, alt=t("Share of deals won by player"))


FILTERED = N_(
    "Filters choose the players listed and the matches counted. Ranks and ratings stay those of "
    "the whole ladder, and so does a player’s curve."
)


def chosen_ladder(frame: pl.DataFrame, t: Translate) -> tuple[str, str, dict[str, int]]:
    """A game and preset of `queries.ladder.ladders`, by the address or the most played.

    And its row there: how many `matches` are rated, and how many more with `sheets`.
    """
    offered = {f"{of(game).TITLE} · {preset}": (game, preset) for game, preset, *_ in frame.rows()}
    words = {
        label: f"{of(game).TITLE} · {rules_named(preset, t)}"
        for label, (game, preset) in offered.items()
    }
    name, preset = offered[filters.one_of(t("Ladder"), words, "ladder", t, width=300)]
    return name, preset, frame.filter(game=name, preset=preset).row(0, named=True)


def standings(frame: pl.DataFrame, which: Scope, details: bool, t: Translate) -> int | None:
    """Rows of `queries.ladder.standings`; the row that is open, if any."""
    columns = with_sheets(asked_for(LADDER, details), frame)
    grey = (frame["n"] < FEW).to_list()
    rows = named_rows(columns, with_form(frame, which), which.game, t)
    hint = t("A number of matches opens one player’s way. Form: the latest match last.")
    return grid(rows, columns, grey, "standings", t("Ladder"), t, opens="Matches", hint=hint)


def left_out(which: Scope, t: Translate) -> str:
    """How many matches are not rated, and why: `not legal 3, unfinished 1`, or `0`."""
    found = answer(queries.left_out, which)
    parts = [f"{t(UNRATED_REASONS[reason])} {count_of(n, t)}" for reason, n in found.items() if n]
    return ", ".join(parts) or "0"


def leaves_out(which: Scope, t: Translate) -> None:
    """The matches that are not rated, each with its reason, when they are asked for."""
    n = sum(answer(queries.left_out, which).values())
    if left_out_list(n, "unrated", t):
        matches_behind(answer(queries.unrated, which), which.game, UNRATED, "unrated", t)


def filtered(which: Scope, t: Translate) -> None:
    """What filters do not choose, once some are set."""
    if which != queries.whole(which):
        st.caption(t(FILTERED))


def player_way(row: dict[str, Any], which: Scope, t: Translate) -> None:
    """One player's ratings over time, all of them, and the matches looked at."""
    st.header(t("Over time"))
    st.text(row["name"])
    every = answer(queries.history, row["player_no"], queries.whole(which))
    key = f"drawn-{row['player_no']}"
    alt = t("Rating of this player over time")
    point = chart(figures.history(every, t), alt, key, len(every), t)
    if point is not None:
        matches_behind(every[point.row : point.row + 1], which.game, RATED, key, t)
    found = answer(queries.history, row["player_no"], which)
    matches_behind(found, which.game, RATED, f"rated-{row['player_no']}", t)
