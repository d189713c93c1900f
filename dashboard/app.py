"""The dashboard's frame: language, who is there, navigation, then the page."""

from pathlib import Path

import streamlit as st

from dashboard.compat import whole_address
from dashboard.pages import HOME, PRODUCT, SECTIONS, Page
from dashboard.widgets.access import closed, may, may_not_read, remember, signed_in
from dashboard.widgets.browser import declare, low, switch, tab_title, texts, watch
from dashboard.widgets.people import keep
from dashboard.widgets.store import drawn_anew
from ingest.store.tokens import Role

HERE = Path(__file__).parent
ICON = HERE / "static" / "icon.png"

whole_address()
remember()  # before anything is shown that the browser asks for
st.set_page_config(
    page_title=PRODUCT,
    page_icon=ICON,
    layout="wide",
    initial_sidebar_state="collapsed" if low() else "auto",  # the reader opens and closes it
)
st.logo(ICON, size="large")
st.html(HERE / "style.css")
menu = st.sidebar.container()
with st.sidebar:  # below the menu, but it says in which language that is
    switch()
    with st.container(key="history"):
        st.html(HERE / "history.html", unsafe_allow_javascript=True)
    keep()
t = texts()
with st.sidebar:
    declare(t)
    signed_in(t)


def page(entry: Page) -> st.Page:
    """A page of `app_pages/`."""
    return st.Page(
        HERE / "app_pages" / f"{entry.name}.py",
        title=t(entry.title),
        icon=f":material/{entry.icon}:",
        help=t(entry.help),
        default=entry is HOME,
    )


steward = may(Role.STEWARD)
sections = {name: [(one, page(one)) for one in pages] for name, pages in SECTIONS.items()}
# the steward's too: to others they say themselves whose they are, in the reader's language
known = {shown: one for pages in sections.values() for one, shown in pages}
current = st.navigation(list(known), position="hidden")
with st.sidebar:
    watch()  # asks for another run, which is of the first page until the browser knows this one
with menu:  # not Streamlit's own list, whose headings a screen reader takes for items
    for name, pages in sections.items():
        with st.container(gap="xxsmall"):
            if name:
                st.caption(t(name))
            for one, shown in pages:
                if steward or not one.steward:
                    st.page_link(shown, width="stretch")
st.title(current.title)
if closed():
    may_not_read(t)
st.set_page_config(page_title=tab_title(known[current], t))
with drawn_anew():
    current.run()
