"""The page's language: the address's, else the browser's, else French."""

import streamlit as st

from ingest.i18n import LANGUAGES, Translate, choose, translator


def texts() -> Translate:
    """The texts of this page in this session's language."""
    chosen = st.session_state.get("lang")
    language = chosen if chosen in LANGUAGES else choose(st.context.locale)
    return translator(language, "dashboard")


def switch() -> None:
    """The language switch; its choice is the address's `lang`."""
    st.segmented_control(
        "Langue · Language",  # for those who read only the other one
        LANGUAGES,
        default=choose(st.context.locale),
        required=True,
        key="lang",
        bind="query-params",
    )


def declare(t: Translate) -> None:
    """Tell the browser the page's language: Streamlit's own page says English to screen readers."""
    with st.container(key="language"):
        script = f'document.documentElement.lang = "{t.language}"'
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
