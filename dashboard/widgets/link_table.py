"""Tables whose cells are real links.

Streamlit's own table is painted on a canvas, where nothing is a link and no key opens anything.
With them the links that several pages have, greyed tables of figures, pages of a long list.
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Never
from urllib.parse import quote, urlencode

import polars as pl
import streamlit as st

from dashboard.games import all_definitions, game_titles
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.text.columns import Column, Row, rows_as_text
from dashboard.text.labels import has_won, seats_by_side
from dashboard.text.numbers import NO_VALUE, SortableText, format_count
from dashboard.widgets.current_store import redacted
from ingest.i18n import Translate

QueryParams = Mapping[str, str]
"""What the address of a page says, such as the match a replay opens at."""


class PageLink(NamedTuple):
    """Where a text leads: a page by its name, and what its address says."""

    page: str
    query: QueryParams

    def href(self, extra: QueryParams) -> str:
        """The address beside any other page's; `extra` is what every link of a page keeps."""
        return f"{self.page}?{urlencode({**self.query, **extra}, quote_via=quote)}"


class LinkedText(NamedTuple):
    """A text in a cell, where it leads, and whether it stands out."""

    text: str
    link: PageLink | None = None
    is_bold: bool = False


Cell = str | int | None | LinkedText | Sequence[LinkedText]
"""What stands in a cell; a `SortableText` is sorted by its number."""
PHONE_COLUMNS = 5
"""Columns a telephone shows until all are asked for."""
MIN_SENTENCE_CHARS = 60
"""Letters of a text that is a sentence, which is not cut but takes several lines."""
OPEN_KEY = "open"
"""The column of what opens a row."""

_mount = st.components.v2.component(
    "retourne.linked",
    html='<div class="linked"></div>',
    css=files("dashboard.widgets").joinpath("linked.css").read_text(encoding="utf-8"),
    js=files("dashboard.widgets").joinpath("linked.js").read_text(encoding="utf-8"),
)


def link_table(
    rows: Sequence[Mapping[str, Cell]],
    key: str,
    alt: str,
    t: Translate,
    columns: Sequence[Column] = (),
    greyed: Sequence[Collection[str]] = (),
    link_column: str = "",
    first_columns: int = PHONE_COLUMNS,
) -> int | None:
    """Rows under their headings, sorted by a click on one; of no rows nothing is shown.

    `columns`: terms explained at their headings; `greyed`: of each row the columns that rest on
    little. `link_column`: the column whose cells open their row; the row that is open is returned.
    """
    if not rows:
        return None
    language = st.query_params.get("lang")
    more = {"lang": language} if language else {}  # as the reader has chosen
    # what a row that is open is known by: other filters may have put another in its place
    names = [
        f"{place} {''.join(part.text for part in _cell_parts(cell)) or cell}"
        for place, cell in enumerate(next(iter(row.values())) for row in rows)
    ]
    asked = (st.session_state.get(key) or {}).get("row") if link_column else None
    chosen = names.index(asked) if asked in names else None
    known = all_definitions()
    terms = {t(column.label): column.definition for column in columns if column.definition}
    headings = [
        {
            "name": label,
            "label": t("Open") if label == OPEN_KEY else label,
            "help": known[terms[label]].text_in(t) if label in terms else "",
            "term": PageLink("regles", {"def": terms[label]}).href(more)
            if label in terms
            else None,
            "number": _is_numeric_column([row[label] for row in rows]),
            "later": place >= first_columns,
            "long": any(
                len(text) > MIN_SENTENCE_CHARS
                for row in rows
                if isinstance(text := row[label], str)
            ),
        }
        for place, label in enumerate(rows[0])
    ]
    data = {
        "label": alt,
        "opens": list(rows[0]).index(link_column) if link_column else None,
        "names": names,
        "chosen": chosen,
        "all": t("All columns"),
        "columns": headings,
        "rows": [[_cell_json(cell, more, t) for cell in row.values()] for row in rows],
        "grey": [[label in some for label in rows[0]] for some in greyed],
    }
    _mount(key=key, data=data, on_row_change=lambda: None)
    return chosen


def _is_numeric_column(cells: Sequence[Cell]) -> bool:
    """Whether there are numbers and nothing else in a column."""
    told = [cell for cell in cells if cell not in (None, "", NO_VALUE)]
    return bool(told) and all(
        isinstance(cell, int)
        or (isinstance(cell, SortableText) and not isinstance(cell.number, date))
        for cell in told
    )


def _cell_parts(cell: Cell) -> Sequence[LinkedText]:
    if isinstance(cell, LinkedText):
        return (cell,)
    return () if cell is None or isinstance(cell, str | int) else cell


def _cell_json(cell: Cell, extra: QueryParams, t: Translate) -> Any:
    """A cell as the browser is told it: a text, with the number it is sorted by, or its parts."""
    if parts := _cell_parts(cell):
        return {
            "parts": [
                {
                    "text": part.text,
                    "href": part.link and part.link.href(extra),
                    "strong": part.is_bold,
                }
                for part in parts
            ]
        }
    if isinstance(cell, SortableText):
        number = cell.number.toordinal() if isinstance(cell.number, date) else cell.number
        return {"text": str(cell), "number": number}
    if isinstance(cell, int):
        return {"text": format_count(cell, t), "number": cell}
    return {"text": cell or ""}


REPLAY_PAGE, CHECK_PAGE, PLAYERS_PAGE, MATCHES_PAGE = (
    "relecture",
    "verificateur",
    "joueurs",
    "parties",
)
"""Addresses of pages."""


def page_link(
    page: str, label: str, icon: str = "", help: str | None = None, **query: str | None
) -> None:
    """A link to another page by its address, and what that says besides, where it says it."""
    st.page_link(
        st.Page(lambda: None, url_path=page),  # Streamlit goes by the address alone
        label=label,
        icon=f":material/{icon}:" if icon else None,
        help=help,
        query_params={key: value for key, value in query.items() if value},
    )


def puzzle_link(t: Translate, player_id: str = "", in_link_row: bool = False) -> None:
    """A link to positions of the store, or of a player's games, of which a card is to be found."""
    query = urlencode(({"player": player_id} if player_id else {}) | {"lang": t.language})
    st.link_button(
        t("Find the card"),
        f"/r/trouver?{query}",
        icon=":material/quiz:",
        type="tertiary" if in_link_row else "secondary",
        help=t("A position where the winner turned: which card would have held it?"),
    )


MIME_TYPES = {".json": "application/json", ".jsonl": "application/x-ndjson", ".html": "text/html"}


def download_button(
    label: str,
    data: bytes | Callable[[], bytes],
    name: str,
    key: str,
    icon: str | None = ":material/download:",
    mime: str = "",
    help: str | None = None,
) -> None:
    """A button that hands over a file; the page is not run again for it."""
    mime = mime or MIME_TYPES[Path(name).suffix]
    st.download_button(label, data, name, mime, icon=icon, on_click="ignore", key=key, help=help)


def stop_with_nothing(text: str, t: Translate, icon: str = "inbox") -> Never:
    """Say that there is nothing to show, link to where files are added, and end the page."""
    st.info(text, icon=f":material/{icon}:")
    page_link("deposer", t("Add games"), "upload_file")
    st.stop()


def player_link(player_id: str | None, game: str | None) -> PageLink | None:
    """Where a player's figures stand, at a game that is registered; None of nobody one may read."""
    if player_id is None:
        return None
    title = game_titles().get(game or "")
    return PageLink(PLAYERS_PAGE, {"player": player_id} | ({"game": title} if title else {}))


def players_cell(row: Mapping[str, Any]) -> list[LinkedText]:
    """Who plays whom, each name a link; those of the `winner`, where a row has one, stand out.

    `row` has the `names` and `ids` of `queries.people.seated`, and the `game`.
    """
    names, ids, known = row["names"] or [], row["ids"] or [], row["game"]
    winner, parts = row.get("winner") or 0, list[LinkedText]()
    for side in seats_by_side(len(names), known):
        for place in side:
            sign = (" – " if place == side[0] else " + ") if parts else ""
            won = bool(winner) and has_won(place, winner, len(names), known)
            parts += [LinkedText(sign)] * bool(sign)
            parts.append(LinkedText(names[place], player_link(ids[place], known), won))
    return parts


def stats_table(
    rows: Sequence[Mapping[str, Cell]],
    columns: Sequence[Column],
    grey: Sequence[bool],
    key: str,
    alt: str,
    t: Translate,
    link_column: str = "",
    parts: Mapping[str, Sequence[bool]] = MappingProxyType({}),
    hint: str = "",
) -> int | None:
    """Rows under their columns' headings, some greyed; returns the row that is open.

    `link_column`: the label of the column whose cells open it. `parts`: label of a column that
    rests on less than its row → which of its cells are grey too; `hint`: what opens where it is not
    games.
    """
    few = [
        {label for label in row if grey[place] or (label in parts and parts[label][place])}
        for place, row in enumerate(rows)
    ]
    chosen = link_table(rows, key, alt, t, columns, few, t(link_column) if link_column else "")
    if link_column and rows:
        st.caption(hint or t("What is underlined opens the matches it counts."))
    return chosen


def frame_table(
    frame: pl.DataFrame,
    columns: Sequence[Column],
    key: str,
    alt: str,
    t: Translate,
    link_column: str = "",
    n: str | None = "n",
    more: Row = MappingProxyType({}),
) -> int | None:
    """The rows of a frame as `stats_table` shows them, grey where `n` is few; `more` is known of
    each.
    """
    grey = [False] * frame.height if n is None else (frame[n] < MIN_SAMPLE).to_list()
    return stats_table(
        rows_as_text(columns, redacted(frame), t, more), columns, grey, key, alt, t, link_column
    )


ROWS_PER_PAGE = 25
"""Rows of a page."""


@contextmanager
def paginate(
    total: int, key: str, in_url: bool = False, reset_key: Hashable = None
) -> Iterator[int]:
    """The offset of the page chosen among numbers, which stand below what is shown meanwhile.

    A list that fits one page shows none. `in_url`: the page's address keeps the number. `reset_key`
    is what is listed: another list begins on its first page.
    """
    place, pages, offset = st.container(), max(1, -(-total // ROWS_PER_PAGE)), 0
    before = st.session_state.get(f"{key}-of", reset_key)
    st.session_state[f"{key}-of"] = reset_key
    if pages > 1:
        if before != reset_key or st.session_state.get(key, 1) > pages:
            st.session_state[key] = 1
        chosen = st.pagination(pages, key=key, bind="query-params" if in_url else None)
        offset = (chosen - 1) * ROWS_PER_PAGE
    with place:
        yield offset
