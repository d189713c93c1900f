"""The dashboard's frame: language, navigation, then the page."""

from pathlib import Path

import streamlit as st

from dashboard.i18n import switch, texts

HERE = Path(__file__).parent
ICON = HERE / "static" / "icon.png"

st.set_page_config(page_title="Retourne", page_icon=ICON, layout="wide")
st.logo(ICON, size="large")
with st.sidebar:
    switch()
t = texts()


def page(name: str, title: str, icon: str, help: str, default: bool = False) -> st.Page:
    """A page of `app_pages/`; its address is its file's name."""
    path = HERE / "app_pages" / f"{name}.py"
    return st.Page(path, title=title, icon=f":material/{icon}:", help=help, default=default)


found = st.navigation(
    {
        "": [page("accueil", t("Home"), "home", t("What is in the store."), default=True)],
        t("Logs"): [
            page("deposer", t("Add games"), "upload_file", t("Check files and add their games.")),
            page("parties", t("Games"), "table_rows", t("Find a match and open its replay.")),
            page("relecture", t("Replay"), "replay", t("Step through a deal, card by card.")),
            page(
                "verificateur", t("Validator"), "rule", t("What is wrong, where, by which rule.")
            ),
        ],
        t("Statistics"): [
            page("joueurs", t("Players"), "groups", t("Games, wins and averages by player.")),
            page(
                "annonces", t("Announcements"), "campaign", t("How often each announcement comes.")
            ),
            page(
                "classement",
                t("Ladder"),
                "leaderboard",
                t("Who plays best, and how sure that is."),
            ),
        ],
    }
)
st.title(found.title)
found.run()
