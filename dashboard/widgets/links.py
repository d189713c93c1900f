"""Links that several pages have, and what a page says that has nothing to show yet."""

from collections.abc import Mapping
from typing import Never

import streamlit as st

from dashboard.games import of
from ingest.i18n import Translate

REPLAY = "app_pages/relecture.py"
CHECK = "app_pages/verificateur.py"
PLAYERS = "app_pages/joueurs.py"


def nothing_yet(text: str, icon: str, t: Translate) -> Never:
    """Say that there is nothing to show, link to where files are added, and end the page."""
    st.info(text, icon=icon)
    st.page_link("app_pages/deposer.py", icon=":material/upload_file:", label=t("Add games"))
    st.stop()


def player_link(player_id: str, game: str, t: Translate, label: str = "") -> None:
    """A link to a player's figures at a game; `label`: the player's name as Markdown."""
    st.page_link(
        PLAYERS,
        label=label or t("Figures of this player"),
        icon=":material/groups:",
        help=t("Figures of this player") if label else None,
        query_params={"player": player_id, "game": of(game).TITLE},
    )


def check_link(label: str, address: Mapping[str, str]) -> None:
    """A link to a stored match in the validator; `address` has its id."""
    st.page_link(CHECK, label=label, icon=":material/rule:", query_params=dict(address))
