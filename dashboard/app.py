"""The dashboard's frame: language, navigation, then the page."""

from pathlib import Path

import streamlit as st

from dashboard.pages import HOME, SECTIONS, Page
from dashboard.widgets.language import declare, switch, texts

HERE = Path(__file__).parent
ICON = HERE / "static" / "icon.png"

st.set_page_config(page_title="Retourne", page_icon=ICON, layout="wide")
st.logo(ICON, size="large")
st.html(HERE / "style.css")
menu = st.sidebar.container()
with st.sidebar:  # below the menu, but it says in which language that is
    switch()
    with st.container(key="history"):
        st.html(HERE / "history.html", unsafe_allow_javascript=True)
t = texts()
with st.sidebar:
    declare(t)


def page(entry: Page) -> st.Page:
    """A page of `app_pages/`."""
    return st.Page(
        HERE / "app_pages" / f"{entry.name}.py",
        title=t(entry.title),
        icon=f":material/{entry.icon}:",
        help=t(entry.help),
        default=entry is HOME,
    )


sections = {name: list(map(page, pages)) for name, pages in SECTIONS.items()}
current = st.navigation([one for pages in sections.values() for one in pages], position="hidden")
with menu:  # not Streamlit's own list, whose headings a screen reader takes for items
    for name, pages in sections.items():
        with st.container(gap="xxsmall"):
            if name:
                st.caption(t(name))
            for one in pages:
                st.page_link(one, width="stretch")
st.title(current.title)
current.run()
