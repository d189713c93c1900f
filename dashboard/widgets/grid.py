"""Tables of figures: greyed where little is behind a row, each term explained on hover."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from dashboard.figures import GREY
from dashboard.games import about
from dashboard.text.columns import Column
from dashboard.widgets.fold import first_columns
from dashboard.widgets.frames import table
from ingest.i18n import Translate


def grid(
    rows: Sequence[dict[str, str | int]],
    columns: Sequence[Column],
    grey: Sequence[bool],
    key: str,
    alt: str,
    t: Translate,
    opens: bool = False,
    parts: Mapping[str, Sequence[bool]] = MappingProxyType({}),
    hint: str = "",
) -> int | None:
    """Rows under their columns' headings, some greyed; returns the row chosen if it `opens`.

    `parts`: label of a column that rests on less than its row → which of its cells are grey too;
    `hint`: what choosing a row does where it does not list games.
    """
    styled = table(rows, t)

    def style(row: Any) -> list[str]:
        place = int(row.name)
        few = (grey[place] or (name in parts and parts[name][place]) for name in row.index)
        return [f"color: {GREY}" if one else "" for one in few]

    if any(map(any, (grey, *parts.values()))):
        styled = styled.apply(style, axis=1)
    place, shown = first_columns(styled.columns, key, t)
    with place:
        event: Any = st.dataframe(
            styled,
            hide_index=True,
            column_order=shown,
            column_config=column_helps(columns, t),
            height="content",
            on_select="rerun" if opens else "ignore",
            selection_mode="single-row",
            key=key,
            alt=alt,
        )
    if not opens:
        return None
    st.caption(hint or t("Choose a row to see the games behind it."))
    chosen = event.selection.rows
    return chosen[0] if chosen and chosen[0] < len(rows) else None


def column_helps(columns: Sequence[Column], t: Translate) -> dict[str, Any]:
    """Each term explained on hover, by its column's heading."""
    return {
        t(column.label): st.column_config.Column(help=about(column.about, t))
        for column in columns
        if column.about
    }
