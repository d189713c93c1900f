"""Tables whose cells are real links.

Streamlit draws its own table on a canvas, without links or keyboard access. Also here: links that
several pages share, greyed tables of figures, pagination.
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

from dashboard.base_path import browser_path
from dashboard.games import find_definition, game_titles
from dashboard.queries.intervals import MIN_SAMPLE
from dashboard.text.columns import Column, Row, rows_as_text
from dashboard.text.labels import has_won, seats_by_side
from dashboard.text.numbers import NO_VALUE, SortableText, format_count
from dashboard.widgets.current_store import redacted
from ingest.i18n import Translate

QueryParams = Mapping[str, str]
"""Query parameters of a page's address, such as the match of a replay."""


class PageLink(NamedTuple):
    """The target of a link: a page by name, and its query."""

    page: str
    query: QueryParams

    def href(self, extra: QueryParams) -> str:
        """Return the relative address; `extra` holds query values common to all links of a page."""
        return f"{self.page}?{urlencode({**self.query, **extra}, quote_via=quote)}"


class LinkedText(NamedTuple):
    """A text in a cell, its target, and whether it is bold."""

    text: str
    link: PageLink | None = None
    is_bold: bool = False


class RowAction(NamedTuple):
    """A button at the end of each row; `values` name the rows for `run`."""

    label: str
    values: Sequence[str]
    run: Callable[[str], None]


Cell = str | int | None | LinkedText | Sequence[LinkedText]
"""The content of a cell; a `SortableText` is sorted by its number."""
PHONE_COLUMNS = 5
"""Columns a phone shows until the reader expands the table."""
MIN_SENTENCE_CHARS = 60
"""Length from which a text is a sentence, which wraps instead of being cut."""
OPEN_KEY = "open"
"""The key of the column with the link that opens a row."""

FOLLOW_LINK = files("dashboard.widgets").joinpath("follow_link.js").read_text(encoding="utf-8")
"""JavaScript of `follow`, which handles clicks on links within a component."""
_mount = st.components.v2.component(
    "retourne.linked",
    html='<div class="linked" data-empty></div>',
    css=files("dashboard.widgets").joinpath("link_table.css").read_text(encoding="utf-8"),
    js=FOLLOW_LINK + files("dashboard.widgets").joinpath("link_table.js").read_text(encoding="utf-8"),
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
    action: RowAction | None = None,
) -> int | None:
    """Show rows under headings that sort them; show nothing without rows.

    `columns` explain terms in the headings; `greyed` has, per row, the columns with few data.
    Cells of `link_column` open their row; returns the index of the open row.
    """
    if not rows:
        return None
    language = st.query_params.get("lang")
    more = {"lang": language} if language else {}  # the language the reader chose
    # identifies the open row: after other filters, another row may have its index
    names = [
        f"{place} {''.join(part.text for part in _cell_parts(cell)) or cell}"
        for place, cell in enumerate(next(iter(row.values())) for row in rows)
    ]
    requested = (st.session_state.get(key) or {}).get("row") if link_column else None
    chosen = names.index(requested) if requested in names else None
    terms = {t(column.label): column.definition for column in columns if column.definition}
    headings = [
        {
            "name": label,
            "label": t("Open") if label == OPEN_KEY else label,
            "help": find_definition(terms[label]).text_in(t) if label in terms else "",
            "term": PageLink("regles", {"term": terms[label]}).href(more) if label in terms else None,
            "number": _is_numeric_column([row[label] for row in rows]),
            "later": place >= first_columns,
            "long": any(
                len(text) > MIN_SENTENCE_CHARS for row in rows if isinstance(text := row[label], str)
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
        "terms": t("On page Rules"),
        "columns": headings,
        "rows": [[_cell_json(cell, more, t) for cell in row.values()] for row in rows],
        "grey": [[label in some for label in rows[0]] for some in greyed],
        "action": action and {"label": action.label, "values": action.values},
    }
    pressed = _mount(key=key, data=data, on_row_change=lambda: None, on_act_change=lambda: None).get("act")
    if action and pressed in action.values:
        action.run(str(pressed))
    return chosen


def _is_numeric_column(cells: Sequence[Cell]) -> bool:
    items = [cell for cell in cells if cell not in (None, "", NO_VALUE)]
    return bool(items) and all(
        isinstance(cell, int) or (isinstance(cell, SortableText) and not isinstance(cell.number, date))
        for cell in items
    )


def _cell_parts(cell: Cell) -> Sequence[LinkedText]:
    if isinstance(cell, LinkedText):
        return (cell,)
    return () if cell is None or isinstance(cell, str | int) else cell


def _cell_json(cell: Cell, extra: QueryParams, t: Translate) -> Any:
    """Return a cell as JSON: a text, with the number it is sorted by, or its parts."""
    if parts := _cell_parts(cell):
        return {
            "parts": [
                {"text": part.text, "href": part.link and part.link.href(extra), "strong": part.is_bold}
                for part in parts
            ]
        }
    if isinstance(cell, SortableText):
        number = cell.number.toordinal() if isinstance(cell.number, date) else cell.number
        return {"text": str(cell), "number": number}
    if isinstance(cell, int):
        return {"text": format_count(cell, t), "number": cell}
    return {"text": cell or ""}


REPLAY_PAGE, CHECK_PAGE, PLAYERS_PAGE, MATCHES_PAGE = ("relecture", "verificateur", "joueurs", "rencontres")
DUPLICATES_PAGE, DUEL_PAGE, COMPARE_PAGE = "doublons", "face_a_face", "cote_a_cote"
"""Addresses of pages."""


def page_link(
    page: str, label: str, icon: str = "", help: str | None = None, **query: str | Sequence[str] | None
) -> None:
    """Show a link to another page by its address, with the query values that are set."""
    st.page_link(
        st.Page(lambda: None, url_path=page),  # Streamlit uses only the address
        label=label,
        icon=f":material/{icon}:" if icon else None,
        help=help,
        query_params={key: value for key, value in query.items() if value},
    )


def puzzle_link(t: Translate, player_id: str = "", in_link_row: bool = False) -> None:
    """Show a link to puzzles from the store, or from one player's games."""
    query = urlencode(({"player": player_id} if player_id else {}) | {"lang": t.language})
    st.link_button(
        t("Find the card"),
        browser_path(f"/r/trouver?{query}"),
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
    """Show a button that downloads a file without rerunning the page."""
    mime = mime or MIME_TYPES[Path(name).suffix]
    st.download_button(label, data, name, mime, icon=icon, on_click="ignore", key=key, help=help)


def stop_with_nothing(text: str, t: Translate, icon: str = "inbox") -> Never:
    """Show that there is nothing to list, with the ways to fill the page, and end it."""
    st.info(text, icon=f":material/{icon}:")
    with st.container(horizontal=True):
        page_link("deposer", t("Add matches"), "upload_file")
        page_link("saisir", t("Type a match in"), "edit_note")
        page_link("accueil", t("Load the sample matches"), "playing_cards")
    st.stop()


def player_link(player_id: str | None, game: str | None) -> PageLink | None:
    """Return the link to a player's figures, for a registered game; None without an id."""
    if player_id is None:
        return None
    title = game_titles().get(game or "")
    return PageLink(PLAYERS_PAGE, {"player": player_id} | ({"game": title} if title else {}))


def players_cell(row: Mapping[str, Any]) -> list[LinkedText]:
    """Return the players by side, each name a link; those of a row's `winning_side` are bold.

    `row` has the `names` and `ids` of `player_search.seated_query`, and the `game`.
    """
    names, ids, known = row["names"] or [], row["ids"] or [], row["game"]
    winner, parts = row.get("winning_side") or 0, list[LinkedText]()
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
    """Show rows under their columns' headings, some greyed; return the index of the open row.

    `link_column`: label of the column that opens a row. `parts`: label of a column with a smaller
    sample than its row → which of its cells are grey too; `hint`: a caption other than the default.
    """
    few = [
        {label for label in row if grey[place] or (label in parts and parts[label][place])}
        for place, row in enumerate(rows)
    ]
    chosen = link_table(rows, key, alt, t, columns, few, t(link_column) if link_column else "")
    if link_column and rows:
        st.caption(hint or t("Click an underlined number to open its matches."))
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
    """Show a frame as `stats_table`, grey if `n` is small; `more` holds values for every row."""
    grey = [False] * frame.height if n is None else (frame[n] < MIN_SAMPLE).to_list()
    return stats_table(
        rows_as_text(columns, redacted(frame), t, more), columns, grey, key, alt, t, link_column
    )


ROWS_PER_PAGE = 25
"""Rows per page."""


@contextmanager
def paginate(
    total: int, key: str, in_url: bool = False, reset_key: Hashable = None, rows: int = ROWS_PER_PAGE
) -> Iterator[int]:
    """Yield the offset of the page chosen; the page numbers appear below the list.

    A list that fits one page has none. `in_url` binds the number to the address. A change of
    `reset_key`, which identifies the list, returns to the first page.
    """
    place, pages, offset = st.container(), max(1, -(-total // rows)), 0
    before = st.session_state.get(f"{key}-of", reset_key)
    st.session_state[f"{key}-of"] = reset_key
    if pages > 1:
        if before != reset_key or st.session_state.get(key, 1) > pages:
            st.session_state[key] = 1
        chosen = st.pagination(pages, key=key, bind="query-params" if in_url else None)
        offset = (chosen - 1) * rows
    with place:
        yield offset
