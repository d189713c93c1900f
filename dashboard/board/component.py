"""The board as a Streamlit component."""

from typing import Any

import streamlit as st

from dashboard.board import board_script, board_style, board_texts, read_file
from ingest.i18n import Translate

COMPONENT_KEY = "board"

_mount = st.components.v2.component(
    "retourne.board", html=read_file("board.html"), css=board_style(), js=board_script("mount")
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

    `match` is an id of the store; without one (a log that is not stored) the board leaves the
    address alone and offers no link. `deal` counts from 1. `ply` is where to open; the browser
    keeps its own place from then on, until `seek` changes: give another token with another `ply`,
    and the reader is led there. `line` opens what held the card laid there, so many steps into it.
    `legal` lights the cards that may be played from the start. `view`
    is whose eyes to open with, as the address has it (`"2"`, or `"h13"` for hands face down).
    `head` is what stands above (see `dashboard.board.header`); with one, the reader may ask for
    another deal: `requested_deal`.
    """
    where = None if match is None else {"match": match, "deal": str(deal), "lang": t.language}
    data = states | {
        "where": where,
        "share": None if match is None else f"/r/{match}",
        **{"deal": deal, "ply": ply, "line": line, "view": view, "seek": seek},
        **{"light": legal, "head": head, "texts": board_texts(t)},
    }
    _mount(key=COMPONENT_KEY, data=data, on_deal_change=lambda: None)


def requested_deal(match: str) -> str:
    """The number of the deal the reader asked a mounted board for, empty for none of this match."""
    asked = str(st.session_state.get(COMPONENT_KEY, {}).get("deal") or "").split()
    return asked[1] if asked[:1] == [match] else ""
