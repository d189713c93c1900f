"""The ways into the dashboard, and the sample games for a store that is empty."""

import io
from importlib.resources import files

import streamlit as st

from dashboard.resources import store
from dashboard.upload import add
from ingest.i18n import Translate


def ways_in(t: Translate) -> None:
    """Three cards: add games, check a log, look at what is there."""
    ways = (
        (
            "deposer",
            "upload_file",
            t("Add games"),
            t("Files of logs, alone or in a zip: each is checked before it is kept."),
        ),
        (
            "verificateur",
            "rule",
            t("Check a log"),
            t("Paste one and see each fault on the board. Nothing is kept."),
        ),
        (
            "parties",
            "replay",
            t("Replay games"),
            t("Find a match, and step through it card by card."),
        ),
    )
    for column, (page, icon, label, text) in zip(st.columns(3), ways, strict=True):
        with column, st.container(border=True, height="stretch"):
            st.page_link(f"app_pages/{page}.py", icon=f":material/{icon}:", label=label)
            st.caption(text)


def samples(t: Translate) -> None:
    """A button that adds the games that ship with the program."""
    if st.button(t("Load the sample games"), icon=":material/playing_cards:", key="samples"):
        shipped = sorted(files("data").iterdir(), key=lambda entry: entry.name)
        logs = [
            _Sample(entry.name, entry.read_bytes())
            for entry in shipped
            if entry.name.endswith(".json")
        ]
        if add(store(), logs, t) is not None:
            st.rerun()


class _Sample(io.BytesIO):
    """A file that ships, as an upload is."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(data)
        self.name, self.size = name, len(data)
