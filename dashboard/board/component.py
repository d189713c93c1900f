"""The board as a Streamlit component."""

from typing import Any

import streamlit as st

from dashboard.base_path import browser_path
from dashboard.board import board_script, board_style, board_texts, read_file
from ingest.i18n import Translate

COMPONENT_KEY = "board"

_mount = st.components.v2.component(
    "retourne.board",
    html=f"<div data-empty>{read_file('board.html')}</div>",
    css=board_style(),
    js=board_script("mount"),
)


def mount_board(
    states: dict[str, Any],
    *,
    t: Translate,
    match: str | None = None,
    deal: int = 1,
    ply: int = 0,
    line: int | None = None,
    view: str = "",
    seek: str | int | None = None,
    legal: bool = False,
    head: dict[str, Any] | None = None,
) -> None:
    """Mount the board on `states` (see `dashboard.board.states`).

    `match` is an id of the store; without one (the log is not stored) the board neither changes the
    address nor offers links. `deal` counts from 1. `ply` is where to open; afterwards the browser
    remembers the position, until a new `seek` token makes the board move to `ply`. `line` opens the
    best line instead of the card at `ply`, at this step. `legal` highlights the legal cards from
    the start. `view` is the viewer as in the address (`"2"`, or `"h13"` for hands face down).
    `head` is the data of the header (see `dashboard.board.header`); it allows readers to request
    another deal: `requested_deal`.
    """
    where = None if match is None else {"match": match, "deal": str(deal), "lang": t.language}
    data = states | {
        "where": where,
        "share": None if match is None else browser_path(f"/r/{match}"),
        "root": browser_path("/"),
        **{"deal": deal, "ply": ply, "line": line, "view": view, "seek": seek},
        **{"light": legal, "head": head, "texts": board_texts(t)},
    }
    _mount(key=COMPONENT_KEY, data=data, on_deal_change=lambda: None)


def requested_deal(match: str) -> str:
    """Return the deal number the reader requested on the board, empty if none of this match."""
    requested = str(st.session_state.get(COMPONENT_KEY, {}).get("deal") or "").split()
    return requested[1] if requested[:1] == [match] else ""
