"""The replay board: all states of a deal go to the browser once, and it steps there."""

from importlib.resources import files
from typing import Any

import streamlit as st

from ingest.i18n import Translate

_HERE = files("dashboard.board")


def _text(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "retourne.board", html=_text("board.html"), css=_text("board.css"), js=_text("board.js")
)


def board(
    states: dict[str, Any],
    *,
    t: Translate,
    match: str | None = None,
    deal: int = 1,
    ply: int = 0,
    seek: str | int | None = None,
    legal: bool = False,
    key: str = "board",
) -> None:
    """Mount the board on `states` (see `dashboard.board.states`).

    `match` is an id of the store; without one (a log that is not stored) the board leaves the
    address alone and offers no link. `deal` counts from 1. `ply` is where to open; the browser
    keeps its own place from then on, until another deal comes or `seek` changes: give another
    token with another `ply`, and the reader is led there. `legal` lights the cards that may be
    played from the start. `key` tells two boards of one page apart.
    """
    where = None if match is None else {"match": match, "deal": str(deal), "lang": t.language}
    data = states | {
        "where": where,
        "deal": deal,
        "ply": ply,
        "seek": seek,
        "light": legal,
        "texts": _words(t),
    }
    _mount(key=key, data=data)


def _words(t: Translate) -> dict[str, str]:
    return {
        "first": t("Beginning (Home)"),
        "previous-trick": t("Previous trick ([)"),
        "previous": t("Back (←)"),
        "next": t("Forward (→)"),
        "next-trick": t("Next trick (])"),
        "last": t("End (End)"),
        "slider": t("Position in the deal"),
        "board": t("Replay board"),
        "hide": t("Hide the hand"),
        "show": t("Show the hand"),
        "hidden": t("hidden card"),
        "table": t("On the table"),
        "last-trick": t("Last trick"),
        "turn": t("to play"),
        "findings": t("Findings"),
        "error": t("Fault"),
        "warning": t("Note"),
        "points": t("points"),
        "tricks": t("tricks"),
    }
