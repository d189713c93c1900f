"""The saved searches of the page that finds deals: the list, a name for a search, counts by month."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.base_path import browser_path
from dashboard.figures import peer_charts as figures
from dashboard.tables import find_result, saved_searches
from dashboard.tables.saved_searches import ListedSearch
from dashboard.text.numbers import escape_markdown
from dashboard.widgets.chart import show_chart
from dashboard.widgets.current_store import cached_query, current_principal, has_role, open_store, page_cursor
from dashboard.widgets.link_table import page_link, paginate
from dashboard.widgets.store_changes import change_button, run_change
from ingest.i18n import Translate
from ingest.operations import OperationContext, OperationResult
from ingest.store.saved_searches import MAX_NAME
from ingest.store.tokens import Role

ROWS = 10
"""Saved searches of a page."""
UNDONE = 3
"""Removed searches that the page offers to restore: those removed last."""


def show_list(t: Translate) -> None:
    """Show the saved searches with their feeds and tables; nothing without one."""
    found = saved_searches.list_searches(page_cursor())[::-1]
    own = saved_searches.own_numbers(_context(t)) if has_role(Role.CONTRIBUTOR) else set()
    if found:
        st.header(t("Saved searches"))
        with paginate(len(found), "saved-page", rows=ROWS) as offset:
            for one in found[offset : offset + ROWS]:
                _show_search(one, one.number in own, t)
    removed = [one for one in saved_searches.list_searches(page_cursor(), removed=True) if one.number in own]
    for one in sorted(removed, key=lambda one: str(one.removed_at))[-UNDONE:]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("Removed: {name}", name=escape_markdown(one.name)), width="content")
            change = _change(saved_searches.restore_search, one.number, t)
            change_button(t("Undo"), "undo", f"restore-search-{one.number}", change, t, Role.CONTRIBUTOR)


def _show_search(one: ListedSearch, is_own: bool, t: Translate) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if one.search is None:
            st.markdown(escape_markdown(one.name), width="content")
            st.caption(t("names a masked player"), width="content")
        else:
            page_link("chercher", escape_markdown(one.name), help=escape_markdown(one.search), q=one.search)
            at = browser_path(f"/api/v1/searches/{one.number}/deals")
            st.markdown(f"[{t('Atom feed')}]({at}.atom?lang={t.language}) · [CSV]({at}.csv)", width="content")
        if is_own:
            change = _change(saved_searches.remove_search, one.number, t)
            key = f"remove-search-{one.number}"
            change_button(t("Remove"), "delete", key, change, t, Role.CONTRIBUTOR)


def show_save(search: str, t: Translate) -> None:
    """Let who may save give the search a name."""
    if not has_role(Role.CONTRIBUTOR):
        return
    with st.popover(t("Save"), icon=":material/bookmark:", key="save-search"):
        st.text_input(t("Name of the search"), max_chars=MAX_NAME, key="search-name")
        st.button(t("Save this search"), key="save-this-search", on_click=_save, args=(search, t))


def _save(search: str, t: Translate) -> None:
    save = partial(saved_searches.save_search, _context(t), st.session_state["search-name"], search)
    if run_change(save, t, Role.CONTRIBUTOR) is not None:
        st.toast(t("Search saved. The page without a search lists it."), icon=":material/bookmark:")


def show_months(search: str, t: Translate) -> None:
    """Show by month how many deals of how many a search finds."""
    frame = cached_query(find_result.search_by_month, search)
    if not frame.height:
        st.caption(t("None of these deals has a date."))
        return
    show_chart(figures.months_figure(frame, t), t("Deals found by month, with the interval"), "drawn-months")


def _context(t: Translate) -> OperationContext:
    """Return the store with the rights of the page's user."""
    who = current_principal()
    return OperationContext(open_store(), t, may=who.has_role, token_no=who.token_no)


def _change(
    operation: Callable[..., OperationResult], number: int, t: Translate
) -> Callable[[], OperationResult]:
    return lambda: operation(_context(t), number)
