"""Tables of figures: greyed where little is behind a row, and what opens the games behind it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import streamlit as st

from dashboard.text.columns import Column
from dashboard.widgets.linked import Cell, linked
from ingest.i18n import Translate


def grid(
    rows: Sequence[Mapping[str, Cell]],
    columns: Sequence[Column],
    grey: Sequence[bool],
    key: str,
    alt: str,
    t: Translate,
    opens: str = "",
    parts: Mapping[str, Sequence[bool]] = MappingProxyType({}),
    hint: str = "",
) -> int | None:
    """Rows under their columns' headings, some greyed; returns the row that is open.

    `opens`: the label of the column whose cells open it. `parts`: label of a column that rests on
    less than its row → which of its cells are grey too; `hint`: what opens where it is not games.
    """
    few = [
        {label for label in row if grey[place] or (label in parts and parts[label][place])}
        for place, row in enumerate(rows)
    ]
    chosen = linked(rows, key, alt, t, columns, few, t(opens) if opens else "")
    if opens and rows:
        st.caption(hint or t("What is underlined opens the matches it counts."))
    return chosen
