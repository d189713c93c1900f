"""The Streamlit entry point: language, user, navigation, then the page."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import streamlit as st

from dashboard.compat import keep_full_url
from dashboard.pages import HOME, PAGE_FUNCTIONS, PRODUCT_NAME, SECTIONS, SUBJECT_PAGES
from dashboard.text.numbers import escape_markdown
from dashboard.widgets import browser, current_store
from dashboard.widgets.lists import save_cookie
from dashboard.widgets.streamlit_texts import set_page_language
from ingest.escaping import escape_line
from ingest.store.tokens import Role

DASHBOARD_FOLDER = Path(__file__).parent
ICON = "/app/static/icon.png"
"""An address that is open to browsers without a session too, unlike files that a page gives."""
SIDEBAR_PIXELS = 220

keep_full_url()
current_store.remember_session()  # before the page shows files, which the browser requests with its session
st.set_page_config(
    page_title=PRODUCT_NAME,
    page_icon=ICON,
    layout="wide",
    # a width in pixels: expanded on wide screens
    initial_sidebar_state="collapsed" if browser.is_low() else SIDEBAR_PIXELS,
)
st.logo(ICON, size="large")
st.html(DASHBOARD_FOLDER / "style.css")
menu = st.sidebar.container()
with st.sidebar:  # below the menu in the sidebar, but run first: it sets the menu's language
    browser.language_switch()
    with st.container(key="history"):
        st.html(DASHBOARD_FOLDER / "history.html", unsafe_allow_javascript=True)
    save_cookie()
t = browser.page_texts()
with st.sidebar:
    set_page_language(t)
    current_store.show_sign_in_state(t)


def page_function(name: str) -> Callable[[], None]:
    """Return a function that shows a page; it imports the page's module when called."""
    module, _, function = PAGE_FUNCTIONS[name].rpartition(".")
    return lambda: getattr(import_module(f"dashboard.views.{module}"), function)(t)


# include the admin pages: for other users they explain, in their language, that they are reserved
pages = {
    one: st.Page(
        page_function(one.name),
        title=t(one.title),
        icon=f":material/{one.icon}:",
        url_path=one.name,
        help=t(one.help),
        default=one is HOME,
    )
    for some in SECTIONS.values()
    for one in some
}
current_page = st.navigation(list(pages.values()), position="hidden")
[page] = [one for one in pages if pages[one] is current_page]
browser.count_visit(page)
with st.sidebar:
    # may trigger a rerun, which shows the first page unless navigation knows the current one
    browser.watch_viewport()
admin = current_store.has_role(Role.ADMIN)
with menu:  # not Streamlit's own menu: screen readers take its headings for items
    for heading, some in SECTIONS.items():
        with st.container(gap="xxsmall"):
            if heading:
                st.caption(t(heading))
            for one in some:
                if admin or not one.admin:
                    st.page_link(pages[one], width="stretch")
if current_store.is_access_denied():
    st.title(current_page.title)
    current_store.stop_without_access(t)
subject = browser.page_subject(page, t)
st.set_page_config(page_title=browser.page_title(page, subject, t))
st.title(
    escape_markdown(escape_line(subject)) if page.name in SUBJECT_PAGES and subject else current_page.title
)
with current_store.rerun_when_replaced():
    current_page.run()
