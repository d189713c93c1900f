"""Pages of a long list: chosen by number, or reached a step at a time."""

from collections.abc import Hashable

import streamlit as st

from ingest.i18n import Translate

PAGE = 25
"""Rows of a page."""


def _pages(total: int) -> int:
    return max(1, -(-total // PAGE))


def numbered(total: int, key: str, address: bool = False, of: Hashable = None) -> int:
    """The offset of the page chosen among numbers; a list that fits one page shows none.

    `address`: the page's address keeps the number. `of` is what is listed: another list begins on
    its first page.
    """
    pages = _pages(total)
    before = st.session_state.get(f"{key}-of", of)
    st.session_state[f"{key}-of"] = of
    if pages == 1:
        return 0
    if before != of:
        st.session_state[key] = 1
    chosen: int = st.pagination(pages, key=key, bind="query-params" if address else None)
    return (chosen - 1) * PAGE


def stepped(total: int, key: str, t: Translate) -> int:
    """The offset of the page reached by Previous and Next; `st.session_state[key]` is its place."""
    pages = _pages(total)
    current: int = min(st.session_state.get(key, 0), pages - 1)
    st.session_state[key] = current
    if pages > 1:
        with st.container(horizontal=True, vertical_alignment="center"):
            for step, label, icon in (
                (-1, t("Previous page"), ":material/chevron_left:"),
                (1, t("Next page"), ":material/chevron_right:"),
            ):
                st.button(
                    label,
                    icon=icon,
                    disabled=not 0 <= current + step < pages,
                    key=f"{key}{step}",
                    on_click=st.session_state.__setitem__,
                    args=(key, current + step),
                )
            st.caption(t("Page {page} of {pages}", page=current + 1, pages=pages))
    return current * PAGE
