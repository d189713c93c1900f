"""The dashboard's frame: language, who is there, navigation, then the page."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import streamlit as st

from dashboard.compat import whole_address
from dashboard.pages import HOME, PRODUCT, SECTIONS, SHOWN_BY
from dashboard.widgets import browser
from dashboard.widgets.current_store import (
    closed,
    drawn_anew,
    may,
    may_not_read,
    remember,
    signed_in,
)
from dashboard.widgets.lists import keep
from ingest.store.tokens import Role

HERE = Path(__file__).parent
ICON = HERE / "static" / "icon.png"

whole_address()
remember()  # before anything is shown that the browser asks for
st.set_page_config(
    page_title=PRODUCT,
    page_icon=ICON,
    layout="wide",
    initial_sidebar_state="collapsed" if browser.low() else "auto",  # the reader opens, closes it
)
st.logo(ICON, size="large")
st.html(HERE / "style.css")
menu = st.sidebar.container()
with st.sidebar:  # below the menu, but it says in which language that is
    browser.switch()
    with st.container(key="history"):
        st.html(HERE / "history.html", unsafe_allow_javascript=True)
    keep()
t = browser.texts()
with st.sidebar:
    browser.declare(t)
    signed_in(t)


def shown(name: str) -> Callable[[], None]:
    """What shows a page; its module is imported once somebody opens it."""
    module, _, function = SHOWN_BY[name].rpartition(".")
    return lambda: getattr(import_module(f"dashboard.views.{module}"), function)(t)


# the admin's too: to others they say themselves whose they are, in the reader's language
pages = {
    one: st.Page(
        shown(one.name),
        title=t(one.title),
        icon=f":material/{one.icon}:",
        url_path=one.name,
        help=t(one.help),
        default=one is HOME,
    )
    for some in SECTIONS.values()
    for one in some
}
current = st.navigation(list(pages.values()), position="hidden")
with st.sidebar:
    browser.watch()  # asks for another run, which is of the first page until it knows this one
admin = may(Role.ADMIN)
with menu:  # not Streamlit's own list, whose headings a screen reader takes for items
    for heading, some in SECTIONS.items():
        with st.container(gap="xxsmall"):
            if heading:
                st.caption(t(heading))
            for one in some:
                if admin or not one.admin:
                    st.page_link(pages[one], width="stretch")
st.title(current.title)
if closed():
    may_not_read(t)
[page] = [one for one in pages if pages[one] is current]
st.set_page_config(page_title=browser.tab_title(page, t))
with drawn_anew():
    current.run()
