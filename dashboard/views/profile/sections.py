"""One section of a player: its table, and the deals or matches behind a row."""

from collections.abc import Mapping, Sequence

import polars as pl
import streamlit as st

from dashboard.games import of
from dashboard.queries import played, results
from dashboard.queries.played import Narrow
from dashboard.queries.scope import Scope
from dashboard.tables.profile import SECTIONS, few, heading, section_columns, section_rows
from dashboard.widgets.grid import grid
from dashboard.widgets.linked import Cell
from dashboard.widgets.matches import deals_behind, matches_behind
from dashboard.widgets.people import named_rows
from dashboard.widgets.readable import readable
from dashboard.widgets.store import answer
from ingest.i18n import Translate


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
