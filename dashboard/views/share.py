"""Where one goes from a match: to its check, or away with a link, its log, a replay in one file."""

from collections.abc import Callable
from urllib.parse import urlsplit

import streamlit as st

from dashboard.board.offline import masked, page
from dashboard.widgets.links import check_link
from ingest.i18n import Translate
from ingest.judge.explain import Explained, explain


def share_match(log: Explained, text: bytes, t: Translate) -> None:
    """A link to the findings where there are any, and downloads, made when they are asked for."""
    if log.findings:
        check_link(t("Check this log"), {"match": log.match_id})
    _link(log, t)
    name = f"retourne-{log.match_id[:8]}"
    with st.popover(t("Download"), icon=":material/download:"):
        st.download_button(
            t("The log (JSON)"),
            text,
            f"{name}.json",
            "application/json",
            on_click="ignore",
            key="share-json",
        )
        mask = st.checkbox(
            t("Mask the names"),
            key="share-mask",
            help=t("Event, ids and comments are left out too: they may name people."),
        )
        st.download_button(
            t("The replay in one file (HTML)"),
            _replay(log, text, mask, t),
            f"{name}.html",
            "text/html",
            on_click="ignore",
            key="share-html",
            help=t("Opens in any browser, without this site and without a network."),
        )


def _link(log: Explained, t: Translate) -> None:
    """The address of the replay that anyone opens, and what shows it on another site."""
    here = urlsplit(st.context.url or "")
    link = (
        f"{here.scheme}://{here.netloc}/r/{log.match_id}" if here.netloc else f"/r/{log.match_id}"
    )
    frame = f'<iframe src="{link}?embed" width="900" height="640" style="border:0"></iframe>'
    with st.popover(t("Share this match"), icon=":material/share:"):
        st.caption(t("Opens without this site’s pages, for whoever may read this store."))
        st.code(link, language=None)
        st.caption(t("On your own site:"))
        st.code(frame, language=None, wrap_lines=True)


def _replay(log: Explained, text: bytes, mask: bool, t: Translate) -> Callable[[], bytes]:
    return lambda: page(explain(masked(text, t)) if mask else log, t).encode()
