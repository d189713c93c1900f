"""Tables of real links: a name, a game, a number opens by pointer and by key, in a new tab too.

Streamlit's own table is painted on a canvas, where nothing is a link and no key opens anything.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import streamlit as st

from dashboard.games import definitions
from dashboard.text.columns import Column
from dashboard.text.numbers import NONE, Figure, count_of
from ingest.i18n import Translate

Address = Mapping[str, str]
"""What the address of a page says, such as the match a replay opens at."""


class To(NamedTuple):
    """Where a text leads: a page by its name, and what its address says."""

    page: str
    query: Address

    def href(self, more: Address) -> str:
        """The address beside any other page's; `more` is what every link of a page keeps."""
        return f"{self.page}?{urlencode({**self.query, **more}, quote_via=quote)}"


class Part(NamedTuple):
    """A text in a cell, where it leads, and whether it stands out."""

    text: str
    to: To | None = None
    strong: bool = False


Cell = str | int | None | Part | Sequence[Part]
"""What stands in a cell; a `Figure` is sorted by its number."""
FIRST = 5
"""Columns a telephone shows until all are asked for."""
LONG = 60
"""Letters of a text that is a sentence, which is not cut but takes several lines."""
OPEN = "open"
"""The column of what opens a row."""

_mount = st.components.v2.component(
    "retourne.linked",
    html='<div class="linked"></div>',
    css=files("dashboard.widgets").joinpath("linked.css").read_text(encoding="utf-8"),
    js=files("dashboard.widgets").joinpath("linked.js").read_text(encoding="utf-8"),
)


def linked(
    rows: Sequence[Mapping[str, Cell]],
    key: str,
    alt: str,
    t: Translate,
    columns: Sequence[Column] = (),
    grey: Sequence[Collection[str]] = (),
    opens: str = "",
    first: int = FIRST,
) -> int | None:
    """Rows under their headings, sorted by a click on one; of no rows nothing is shown.

    `columns`: terms explained at their headings; `grey`: of each row the columns that rest on
    little. `opens`: the column whose cells open their row; the row that is open is returned.
    """
    if not rows:
        return None
    language = st.query_params.get("lang")
    more = {"lang": language} if language else {}  # as the reader has chosen
    names = [_name(place, row) for place, row in enumerate(rows)]
    asked = (st.session_state.get(key) or {}).get("row") if opens else None
    chosen = names.index(asked) if asked in names else None
    data = {
        "label": alt,
        "opens": list(rows[0]).index(opens) if opens else None,
        "names": names,
        "chosen": chosen,
        "all": t("All columns"),
        "columns": _columns(rows, columns, first, more, t),
        "rows": [[_told(cell, more, t) for cell in row.values()] for row in rows],
        "grey": [[label in some for label in rows[0]] for some in grey],
    }
    _mount(
        key=key,
        data=data,
        on_row_change=lambda: None,
    )
    return chosen


def _name(place: int, row: Mapping[str, Cell]) -> str:
    """What a row that is open is known by: other filters may have put another in its place."""
    first = next(iter(row.values()))
    told = "".join(part.text for part in _parts(first)) or first
    return f"{place} {told}"


def _columns(
    rows: Sequence[Mapping[str, Cell]],
    columns: Sequence[Column],
    first: int,
    more: Address,
    t: Translate,
) -> list[dict[str, Any]]:
    known = definitions()
    terms = {t(column.label): column.about for column in columns if column.about}
    return [
        {
            "name": label,
            "label": t("Open") if label == OPEN else label,
            "help": known[terms[label]].told(t) if label in terms else "",
            "term": To("regles", {"def": terms[label]}).href(more) if label in terms else None,
            "number": _of_numbers([row[label] for row in rows]),
            "later": place >= first,
            "long": any(len(text) > LONG for row in rows if isinstance(text := row[label], str)),
        }
        for place, label in enumerate(rows[0])
    ]


def _of_numbers(cells: Sequence[Cell]) -> bool:
    """Whether there are numbers and nothing else in a column."""
    told = [cell for cell in cells if cell not in (None, "", NONE)]
    return bool(told) and all(
        isinstance(cell, int) or (isinstance(cell, Figure) and not isinstance(cell.number, date))
        for cell in told
    )


def _parts(cell: Cell) -> Sequence[Part]:
    if isinstance(cell, Part):
        return (cell,)
    return () if cell is None or isinstance(cell, str | int) else cell


def _told(cell: Cell, more: Address, t: Translate) -> Any:
    """A cell as the browser is told it: a text, with the number it is sorted by, or its parts."""
    if parts := _parts(cell):
        return {
            "parts": [
                {"text": part.text, "href": part.to and part.to.href(more), "strong": part.strong}
                for part in parts
            ]
        }
    if isinstance(cell, Figure):
        number = cell.number.toordinal() if isinstance(cell.number, date) else cell.number
        return {"text": str(cell), "number": number}
    if isinstance(cell, int):
        return {"text": count_of(cell, t), "number": cell}
    return {"text": cell or ""}
