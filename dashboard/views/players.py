"""The table of players at one game."""

import polars as pl
import streamlit as st

from dashboard.figures import players as figures
from dashboard.queries.intervals import FEW
from dashboard.queries.scope import Scope
from dashboard.tables.players import players_columns
from dashboard.text.columns import asked_for, with_sheets
from dashboard.widgets import filters
from dashboard.widgets.grid import grid
from dashboard.widgets.people import named_rows, with_form
from ingest.i18n import Translate


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
