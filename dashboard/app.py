"""The dashboard's frame: language, navigation, then the page."""

from pathlib import Path

import streamlit as st

from dashboard.i18n import switch, texts
from dashboard.pages import HOME, SECTIONS, Page

HERE = Path(__file__).parent
ICON = HERE / "static" / "icon.png"

st.set_page_config(page_title="Retourne", page_icon=ICON, layout="wide")
st.logo(ICON, size="large")
with st.sidebar:
    switch()
t = texts()


def page(told: Page) -> st.Page:
    """A page of `app_pages/`."""
    return st.Page(
        HERE / "app_pages" / f"{told.name}.py",
        title=t(told.title),
        icon=f":material/{told.icon}:",
        help=t(told.help),
        default=told is HOME,
    )


sections = {t(name) if name else "": list(map(page, pages)) for name, pages in SECTIONS.items()}
found = st.navigation(sections)
st.title(found.title)
found.run()
