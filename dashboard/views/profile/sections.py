"""One section of a player: its table, and the deals or matches behind a row."""

import polars as pl
import streamlit as st

from dashboard.games import of
from dashboard.queries import played, results
from dashboard.queries.played import Narrow
from dashboard.queries.scope import Scope
from dashboard.tables.profile import SECTIONS, WON, few, heading, section_rows
from dashboard.widgets.grid import grid
from dashboard.widgets.matches import deals_behind, matches_behind
from dashboard.widgets.store import answer
from ingest.i18n import Translate


def frame_of(name: str, which: Scope, number: int) -> pl.DataFrame:
    """What a section's query answers of a player."""
    return answer(SECTIONS[name].query, which, number)


def section_table(
    name: str, frame: pl.DataFrame, which: Scope, number: int, t: Translate, matches: bool = False
) -> int | None:
    """The section under its heading, and the deals behind a row; which row is chosen.

    `matches`: what is behind a row are matches, and the caller lists them.
    """
    section, title = SECTIONS[name], heading(name, which.game, t)
    st.header(title)
    opens = matches or section.behind is not None
    rows, grey = section_rows(name, frame, which.game, t), few(name, frame)
    chosen = grid(rows, section.columns, grey, f"sheet-{name}", title, t, opens)
    if chosen is not None and section.behind is not None:
        row = frame.row(chosen, named=True)
        deals_of(name, section.scope(row, which), number, section.behind(row), t)
    return chosen


def manches(frame: pl.DataFrame, which: Scope, number: int, t: Translate) -> None:
    """Matches and manches; a row that is chosen shows the matches it counts."""
    chosen = section_table("manches", frame, which, number, t, matches=True)
    if chosen is not None:
        what = frame["what"][chosen]
        columns = (*WON, *of(which.game).MATCH_COLUMNS)
        found = answer(results.behind, which, number, what)
        matches_behind(found, which.game, columns, f"manches-{what}", t)


def deals_of(
    name: str, which: Scope, number: int, narrow: Narrow, t: Translate, key: str = ""
) -> None:
    """The deals behind a row of a section, a page of them, each with its replay.

    `key`: of the list, where a section has another one.
    """
    asked = (which, number, narrow, SECTIONS[name].decided)
    total = answer(played.count, *asked)
    deals_behind(total, lambda *page: answer(played.deals, *asked, *page), key or name, t)
