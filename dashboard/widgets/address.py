"""Links of this site that another device can open."""

from urllib.parse import urlsplit

import streamlit as st

from dashboard.base_path import browser_path


def site_link(path: str) -> str:
    """Return the address of a page of this site, as the reader's browser reaches it.

    Only the path if the browser's address is unknown.
    """
    here = urlsplit(st.context.url or "")
    site = f"{here.scheme}://{here.netloc}" if here.netloc else ""
    return site + browser_path(path)
