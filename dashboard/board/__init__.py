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


def board(states: dict[str, Any], *, match: str, deal: int, ply: int, t: Translate) -> None:
    """Mount the board on `states` (see `dashboard.board.states`).

    `deal` counts from 1. `ply` is where to open; the browser keeps its own place from then on,
    until another deal comes, so a rerun never throws the reader back.
    """
    data = states | {
        "where": {"match": match, "deal": str(deal), "lang": t.language},
        "ply": ply,
        "texts": _words(t),
    }
    _mount(key="board", data=data)


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
