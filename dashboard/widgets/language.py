"""The page's language: the address's, else the browser's, else French."""

import json
from pathlib import Path

import streamlit as st

from ingest.i18n import LANGUAGES, N_, Translate, choose, translator

SCRIPT = Path(__file__).with_name("language.js")
NAMES = {
    "Sidebar": N_("Menu"),
    "Collapse sidebar": N_("Close the menu"),
    "Expand sidebar": N_("Open the menu"),
    "Navigate to home page": N_("Home page"),
    "Link to heading": N_("Link to this heading"),
    "file upload": N_("Files"),
    "Skip to main content": N_("Skip to the content"),
}
"""What Streamlit calls its own buttons for who hears a page, and what we call them."""


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
    """Tell the browser the page's language: Streamlit's own page says English to screen readers.

    So do the names of its own buttons, which are put into the reader's language.
    """
    french = translator("fr", "dashboard")
    # either of them may stand there, since the language can be changed
    named = {said: t(text) for own, text in NAMES.items() for said in (own, text, french(text))}
    script = SCRIPT.read_text(encoding="utf-8")
    with st.container(key="language"):
        known = {
            "language": t.language,
            "names": named,
            "choose": [t("Choose files"), t("Choose a file")],
        }
        told = f"const {{ language, names, choose }} = {json.dumps(known)};"
        st.html(f"<script>{{ {told} {script} }}</script>", unsafe_allow_javascript=True)
