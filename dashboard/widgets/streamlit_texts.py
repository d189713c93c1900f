"""Texts of Streamlit's own parts, which it has in English only, in the reader's language."""

import json
from pathlib import Path

import streamlit as st

from ingest.i18n import N_, Translate, translator

LANGUAGE_SCRIPT = Path(__file__).with_name("language.js")
OTHER_NAMES = {
    "Sidebar": N_("Menu"),
    "Collapse sidebar": N_("Close the menu"),
    "Expand sidebar": N_("Open the menu"),
    "Navigate to home page": N_("Home page"),
    "Link to heading": N_("Link to this heading"),
    "file upload": N_("Files"),
    "Skip to main content": N_("Skip to the content"),
}
"""Accessible names Streamlit gives its own buttons, and Retourne's names for them."""
STREAMLIT_TEXTS = (
    # fields
    N_("Press Enter to apply"),
    N_("Press Enter to submit form"),
    N_("Press Ctrl+Enter to apply"),
    N_("Press Ctrl+Enter to submit form"),
    N_("Press ⌘+Enter to apply"),
    N_("Press ⌘+Enter to submit form"),
    N_("(required)"),
    N_("Invalid input."),
    N_("Number is above the allowed range."),
    N_("Number is below the allowed range."),
    N_("Increment"),
    N_("Decrement"),
    N_("Clear entry"),
    N_("Clear value"),
    N_("Clear all"),
    N_("Show password"),
    N_("Hide password"),
    # choices
    N_("Open"),
    N_("No results"),
    N_("No options to select"),
    N_("Choose an option"),
    N_("Choose options"),
    N_("Choose or add an option"),
    N_("Choose or add options"),
    N_("Add an option"),
    N_("Add options"),
    N_("Selected values"),
    N_("Selectbox options"),
    N_("Multiselect options"),
    # dates
    N_("Choose date"),
    N_("Clear date"),
    N_("Use arrow keys to navigate dates. Enter to select. Escape to close."),
    # files
    N_("Upload"),
    N_("Add files"),
    N_("Drag and drop a file here"),
    N_("Drag and drop files here"),
    N_("Too many files"),
    # pages, windows and messages
    N_("Pagination"),
    N_("Next page"),
    N_("Previous page"),
    N_("Close"),
    N_("Help"),
    N_("Notifications"),
    N_("Running..."),
    N_("(opens in new tab)"),
    N_("Copy to clipboard"),
    N_("Download as CSV"),
    N_("Copied"),
    N_("Connecting"),
    N_("Connection error"),
    N_("Connection lost. Please wait for the app to reconnect, then try again."),
    # tables and pictures
    N_("Fullscreen"),
    N_("Close fullscreen"),
    N_("Search"),
    N_("Type to search"),
    N_("Close Search"),
    N_("Next Result"),
    N_("Previous Result"),
    N_("Show/hide columns"),
    N_("Add row"),
    N_("Delete row(s)"),
    N_("Clear selection"),
    N_("Dataframe column menu"),
    N_("Copy column name"),
    N_("Sort ascending"),
    N_("Sort descending"),
    N_("Autosize"),
    N_("Hide column"),
    N_("Pin column"),
    N_("Unpin column"),
    N_("Statistics"),
    N_("Format"),
    N_("Loading..."),
    N_("No data"),
    # formats and statistics in a table's column menu
    N_("Automatic"),
    N_("Localized"),
    N_("Plain"),
    N_("Compact"),
    N_("Dollar"),
    N_("Percent"),
    N_("Scientific"),
    N_("Accounting"),
    N_("Calendar"),
    N_("Average"),
    N_("Median"),
    N_("Sum"),
    N_("Minimum"),
    N_("Maximum"),
    N_("Standard deviation"),
    N_("25th percentile"),
    N_("75th percentile"),
    N_("Distinct"),
    N_("Empty"),
    N_("Based on sample"),
)
"""Texts of Streamlit that stay as they are in English."""
PATTERNS = (
    N_("Help for {x}"),
    N_("Remove {x}"),
    N_("{x} start date"),
    N_("{x} end date"),
    N_("{x} per file"),
    N_("File is larger than {x}"),
    N_("{x} files are not allowed."),
)
"""Texts with something in them that Streamlit inserts."""
COMPOSED = (N_("day, {x}"), N_("month, {x}"), N_("year, {x}"), N_("{x}GB per file"), N_("{x}MB per file"))
"""Texts that Streamlit makes of a unit and a number, or of a part of a date and the field's name."""


def set_page_language(t: Translate) -> None:
    """Set the page's language in the browser: Streamlit declares English to screen readers.

    Also translate Streamlit's own texts, those on the page and those that appear later.
    """
    french = translator("fr", "dashboard")
    # the page may show any of them, since the language can change
    own = {**OTHER_NAMES, **{text: text for text in STREAMLIT_TEXTS}}
    exact = {item: t(text) for name, text in own.items() for item in (name, text, french(text))}
    patterns = [
        [item, t(text)] for text in (*COMPOSED, *PATTERNS) for item in dict.fromkeys((text, french(text)))
    ]
    choose = [t("Choose files"), t("Choose a file")]
    known = {"language": t.language, "exact": exact, "patterns": patterns, "choose": choose}
    known["typed"] = t("As typed: ")
    with st.container(key="language"):
        message = f"const {{ language, exact, patterns, choose, typed }} = {json.dumps(known)};"
        script = LANGUAGE_SCRIPT.read_text(encoding="utf-8")
        st.html(f"<script>{{ {message} {script} }}</script>", unsafe_allow_javascript=True)
