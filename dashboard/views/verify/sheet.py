"""The score sheet as it should read, where what it says is not what was played."""

import streamlit as st

from dashboard.text.numbers import count_of
from ingest.finding.words import speak_winner
from ingest.i18n import Translate
from ingest.judge.explain import Explained
from ingest.judge.sheet import Sheet, sheet

SHOWN = 200
"""Deals shown of a sheet."""


def sheet_table(found: Explained, t: Translate) -> None:
    """A row a deal, from the first that differs; nothing when none does."""
    should = sheet(found)
    if should is None:
        return
    with st.expander(t("What the sheet should read"), icon=":material/table_rows:"):
        rows = [
            {
                t("Deal"): row.place(t),
                t("On the sheet"): _deal_line(should, row.written_points, row.written_winner, t),
                t("As played"): _deal_line(should, row.points, row.winner, t),
                t("Score"): _points(row.score),
            }
            for row in should.rows[:SHOWN]
        ]
        st.dataframe(rows, hide_index=True, height="content", alt=t("What the sheet should read"))
        if more := len(should.rows) - len(rows):
            st.caption(t("Not in this list: {n}.", n=count_of(more, t)))


def _deal_line(should: Sheet, points: list[int] | None, winner: int | None, t: Translate) -> str:
    """`87 – 103 · Marcel`."""
    who = "" if winner is None else speak_winner(t, winner, should.detail)
    return " · ".join(part for part in (_points(points), who) if part)


def _points(points: list[int] | None) -> str:
    return "" if points is None else " – ".join(map(str, points))
